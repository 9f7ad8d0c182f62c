"""The program that puts single faults into the product."""

import ast
from pathlib import Path

import pytest

from tests.mutants import __main__ as program
from tests.mutants.__main__ import ROOT, killer, sample
from tests.mutants.areas import AREAS, Area
from tests.mutants.mutations import mutations, numbered_lines


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("x = a < b", ["x = a <= b", "x = a >= b"]),
        ("x = a == b in c", ["x = a != b in c", "x = a == b not in c"]),
        ("x = a * b - 1", ["x = ((a * b) + (1))", "x = ((a) / (b)) - 1", "x = a * b - (0)", "x = a * b - 2"]),
        ("x = a and b or not c", ["x = ((a and b) and (not c))", "x = ((a) or (b)) or not c", "x = a and b or (c)"]),
        ("if a:\n    é(b)", ["if False:\n    é(b)", "if True:\n    é(b)", "if a:\n    pass"]),
        ("a.b = min(c)", ["a.b = max(c)", "pass"]),
        ("a += b", ["a -= b", "pass"]),
        ("def f(a=True):\n    return a", ["def f(a=False):\n    return a", "def f(a=True):\n    return None"]),
        ("for a in b:\n    break", ["for a in b:\n    continue"]),
        ("@f(1)\nclass A(B, frozen=True):\n    '''1'''\n    a: L[1]", []),
        ("raise E(f'{a + 1}', 1)\nassert a < 1\nx = f'{a + 1}' + y\n__all__ = [1]", []),
    ],
)
def test_each_fault_is_one_change(source: str, changed: list[str]) -> None:
    found = [mutation.apply(source.encode()).decode() for mutation in mutations(source.encode())]
    assert sorted(found) == sorted(changed)


def test_lines_are_shown_before_and_after() -> None:
    source = b"import a\nx = (1 +\n  a)\ny = 2\n"
    (mutation,) = (each for each in mutations(source) if each.kind == "arithmetic")
    assert list(numbered_lines(source, mutation)) == ["    2 - x = (1 +", "    3 -   a)", "      + x = (((1) - (a)))"]


@pytest.mark.slow
def test_a_sample_follows_from_its_seed_and_every_fault_can_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "AREAS", {"protocol": AREAS["protocol"]})
    chosen = sample(ROOT, "a seed", 1000)
    assert chosen == sample(ROOT, "a seed", 1000) != sample(ROOT, "another", 1000)
    assert len(chosen) == len(set(chosen)) == 80
    for _, module, mutation in chosen:
        source = (ROOT / module).read_bytes()
        assert ast.dump(ast.parse(mutation.apply(source))) != ast.dump(ast.parse(source))


def test_the_tests_called_like_a_module_come_first() -> None:
    near, others = AREAS["competition"].test_modules(ROOT, Path("tournaments/competition/formats/dutch_engine.py"))
    assert near == ["tests/tournaments/competition/formats/test_dutch.py"]
    assert "tests/tournaments/competition/test_points.py" in others


@pytest.mark.check_all
def test_a_fault_is_killed_by_a_test_that_fails(tmp_path: Path) -> None:
    (tmp_path / "doubles.py").write_text("def double(a: int) -> int:\n    return a + a\n")
    (tmp_path / "test_doubles.py").write_text(
        "import pytest\nfrom doubles import double\n"
        "def test_zero():\n    assert double(0) == 0\n"
        "@pytest.mark.slow\ndef test_two():\n    assert double(2) == 4\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    area = Area(1, ("",), ("test_doubles.py",))
    assert killer(tmp_path, area, Path("doubles.py"), slow=False) is None
    (tmp_path / "doubles.py").write_text("def double(a: int) -> int:\n    return a * 3\n")
    assert killer(tmp_path, area, Path("doubles.py"), slow=True) == "test_doubles.py::test_two"
