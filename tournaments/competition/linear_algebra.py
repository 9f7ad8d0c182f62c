"""Linear algebra of sparse, symmetric, positive definite matrices, in plain Python."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from math import dist
from operator import itemgetter, mul, truediv
from typing import Final

Vector = list[float]
Sparse = list[dict[int, float]]
"""The rows of a symmetric matrix, by column, without zeros."""

RESIDUAL_TOLERANCE: Final = 1e-12
"""A system of equations counts as solved when the squared error has fallen to this fraction of its initial value."""
SPARSE_TOLERANCE: Final = 1e-14
"""The same for Newton's steps: the last one is smaller than NEWTON_TOLERANCE."""


def gathers(matrix: Sparse) -> list[tuple[Callable[[Vector], Sequence[float]], Vector]]:
    """For each row what takes the values at its columns out of a vector, and its own values. `itemgetter` is faster
    than any loop, but needs two columns or more to give a sequence: two without a weight are added."""
    return [(itemgetter(*row, 0, 0), [*row.values(), 0.0, 0.0]) for row in matrix]


def conjugate_gradients(matrix: Sparse, right: Vector) -> Vector:
    """x where matrix · x = right, preconditioned with the diagonal."""
    rows = gathers(matrix)
    diagonal = [row[position] for position, row in enumerate(matrix)]
    solution = [0.0] * len(right)
    residual = right
    direction = conditioned = list(map(truediv, residual, diagonal))
    size = first = sum(map(mul, residual, conditioned))
    # In exact arithmetic as many steps as there are equations suffice.
    for _ in range(4 * len(right)):
        if size <= first * SPARSE_TOLERANCE:
            break
        image = [sum(map(mul, values, gather(direction))) for gather, values in rows]
        length = size / sum(map(mul, direction, image))
        solution = [value + length * change for value, change in zip(solution, direction, strict=True)]
        residual = [value - length * change for value, change in zip(residual, image, strict=True)]
        conditioned = list(map(truediv, residual, diagonal))
        size, before = sum(map(mul, residual, conditioned)), size
        direction = [value + size / before * change for value, change in zip(conditioned, direction, strict=True)]
    return solution


class Factor:
    """Cholesky's factor of a positive definite matrix.

    The factor, its inverse and that of the matrix take equally long, so each is computed only if it is asked for.
    Scalar products are (|a|² + |b|² − |a − b|²) / 2, as `math.dist` takes a fifth of the time of a sum of products.
    """

    def __init__(self, matrix: Sparse) -> None:
        self._rows: list[tuple[float, ...]] = []
        """Up to the diagonal, which is in `_pivots`."""
        self._sizes: Vector = []
        """Of the rows, squared."""
        self._pivots: Vector = []
        for position, row in enumerate(matrix):
            own: Vector = []
            size = 0.0
            for column, (other, its_size, pivot) in enumerate(zip(self._rows, self._sizes, self._pivots, strict=True)):
                value = (row.get(column, 0.0) - (size + its_size - dist(tuple(own), other) ** 2) / 2) / pivot
                own.append(value)
                size += value * value
            self._pivots.append(math.sqrt(row[position] - size))
            self._rows.append(tuple(own))
            self._sizes.append(size)
        self.log_determinant: Final = 2 * math.fsum(map(math.log, self._pivots))
        """Of the matrix."""

    @cached_property
    def _inverted(self) -> list[tuple[float, ...]]:
        """The columns of the factor's inverse, from the diagonal on: what is before is 0."""
        inverted: list[tuple[float, ...]] = []
        sizes = list(self._sizes)
        for start, first in enumerate(self._pivots):
            own = [1 / first]
            size = own[0] ** 2
            for position in range(start + 1, len(self._rows)):
                row = self._rows[position]
                value = (dist(row[start:], tuple(own)) ** 2 - sizes[position] - size) / 2 / self._pivots[position]
                own.append(value)
                size += value * value
                sizes[position] -= row[start] ** 2
            inverted.append(tuple(own))
        return inverted

    def inverse(self) -> list[Vector]:
        """The inverse of the matrix."""
        columns = self._inverted
        sizes = [sum(map(mul, own, own)) for own in columns]
        whole: list[Vector] = [[0.0] * len(columns) for _ in columns]
        for start, own in enumerate(columns):
            left = sizes[start]
            for position in range(start, len(columns)):
                value = (left + sizes[position] - dist(own[position - start :], columns[position]) ** 2) / 2
                whole[start][position] = whole[position][start] = value
                left -= own[position - start] ** 2
        return whole

    def inverse_at(self, one: int, two: int) -> float:
        """One element of the inverse."""
        start, position = (one, two) if one < two else (two, one)
        found: float = sum(map(mul, self._inverted[start][position - start :], self._inverted[position]))
        return found

    def inverse_times(self, vector: Vector) -> Vector:
        """The inverse times a vector."""
        image = [0.0] * len(vector)
        for start, own in enumerate(self._inverted):
            image[start:] = [before + vector[start] * value for before, value in zip(image[start:], own, strict=True)]
        return [sum(map(mul, own, image[start:])) for start, own in enumerate(self._inverted)]


def solve_without(
    inverted: list[Vector], positions: list[int], lost: list[tuple[tuple[int, ...], int, list[Vector]]], right: Vector
) -> Vector:
    """y where (matrix − lost) · inverted · y = right, by conjugate gradients preconditioned with the inverse of the
    whole matrix. `right`, `lost` and y are 0 but at these positions, where the values of `right` and y are given.

    One deal is a small part of the matrix, so that few steps suffice.
    """
    index = {position: local for local, position in enumerate(positions)}
    parts = [([index[position] for position in own], count, covariance) for own, count, covariance in lost]
    own_inverse = [list(map(inverted[position].__getitem__, positions)) for position in positions]
    solution = [0.0] * len(right)
    residual = right
    direction = conditioned = product(own_inverse, residual)
    # The whole matrix times the direction, without a multiplication: the matrix times `conditioned` is the residual.
    image_of_all = residual
    size = first = sum(map(mul, residual, conditioned))
    for _ in inverted:
        if size <= first * RESIDUAL_TOLERANCE:
            break
        image = list(image_of_all)
        for own, count, covariance in parts:
            local = [direction[position] for position in own]
            for position, row in zip(own, covariance, strict=True):
                image[position] -= count * sum(map(mul, row, local))
        length = size / sum(map(mul, direction, image))
        solution = [value + length * change for value, change in zip(solution, image_of_all, strict=True)]
        residual = [value - length * change for value, change in zip(residual, image, strict=True)]
        conditioned = product(own_inverse, residual)
        size, before = sum(map(mul, residual, conditioned)), size
        direction = [value + size / before * change for value, change in zip(conditioned, direction, strict=True)]
        image_of_all = [value + size / before * change for value, change in zip(residual, image_of_all, strict=True)]
    return solution


def product(matrix: list[Vector], vector: Vector) -> Vector:
    return [sum(map(mul, row, vector)) for row in matrix]
