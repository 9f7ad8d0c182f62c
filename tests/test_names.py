"""One name, one thing: a constant that is defined in several modules has the same value in all of them."""

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
FOLDERS: Final = ("protocol", "referee", "tournaments")
TEMPLATES: Final = ROOT / "referee" / "kits" / "templates"
POLICY: Final = "policy.py"
"""The modules of policies: their constants are weights, which are named on the command line with a game."""
BY_MODULE: Final = {"LEVEL", "COMMANDS", "HEADER", "WIDTH"}
"""Each module of a kind has one of these: a level of checks, the commands of a group, the start of a file of types and
the length of its lines."""


def constants(module: Path) -> dict[str, str]:
    """The public constants that a module defines, and the source of their values."""
    found: dict[str, str] = {}
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        else:
            continue
        if node.value is not None:
            found |= {name: ast.unparse(node.value) for name in names if name.isupper()}
    return found


@pytest.mark.slow
def test_constants_of_one_name_have_one_value() -> None:
    values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for folder in FOLDERS:
        for module in sorted((ROOT / folder).rglob("*.py")):
            if TEMPLATES not in module.parents and module.name != POLICY:
                for name, value in constants(module).items():
                    values[name][value].append(str(module.relative_to(ROOT)))
    assert {name: dict(found) for name, found in values.items() if len(found) > 1 and name not in BY_MODULE} == {}
