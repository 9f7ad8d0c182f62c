"""Linear algebra of sparse matrices, beside results worked out by hand."""

import math

import pytest

from tournaments.competition.linear_algebra import Factor

MATRIX = [{0: 4.0, 1: 1.0}, {0: 1.0, 1: 3.0, 2: 1.0}, {1: 1.0, 2: 2.0}]
INVERSE = [[5 / 18, -2 / 18, 1 / 18], [-2 / 18, 8 / 18, -4 / 18], [1 / 18, -4 / 18, 11 / 18]]
"""By cofactors; the determinant is 18."""


def test_a_factor_gives_the_determinant_the_inverse_and_its_elements() -> None:
    factor = Factor(MATRIX)
    assert factor.log_determinant == pytest.approx(math.log(18))
    inverse = factor.inverse()
    for one, row in enumerate(INVERSE):
        assert inverse[one] == pytest.approx(row)
        assert [factor.inverse_at(one, two) for two in range(3)] == pytest.approx(row)


def test_a_factor_multiplies_a_vector_with_the_inverse() -> None:
    assert Factor(MATRIX).inverse_times([18.0, 36.0, -18.0]) == pytest.approx([5 - 4 - 1, -2 + 16 + 4, 1 - 8 - 11])
