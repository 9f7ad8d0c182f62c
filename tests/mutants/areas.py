"""Which tests belong to which folder of the product."""

from pathlib import Path
from typing import Final, NamedTuple

DRAWN: Final = ("render", "narrator", "presenter", "panel", "drawing", "palette", "shapes", "seat_", "rule_texts")
"""In the names of modules that say and draw what the rules do: coordinates and words, no rules."""
FAMILIES: Final = {"forbidden_city": "test_city_", "year_of_the_dragon": "test_dragon_"}
"""Tests of all modules of a package."""
SUBJECTS: Final = {
    "bot": "answers", "brackets": "elimination_knockout", "chain": "verification",
    "decisions": "verify_mutations", "designs": "round_robin", "fit": "ratings", "interface": "formats",
    "linear_algebra": "ratings", "manifest": "validation", "reader": "verify_files", "reconstruction": "conformance",
    "records": "verification", "registry": "packages", "replay": "verify_mutations",
    "session": "answers", "shrinkage": "ratings", "verified_results": "verification", "writer": "files",
}  # fmt: skip
"""What the test modules of a module are called, where not like it."""


class Area(NamedTuple):
    """`share` of a sample is of the modules in `folders`. `tests`: folders and modules, quick and pure ones first."""

    share: float
    folders: tuple[str, ...]
    tests: tuple[str, ...]

    def modules(self, root: Path) -> list[Path]:
        """Relative to the root of a tree."""
        found = sorted(path for folder in self.folders for path in (root / folder).rglob("*.py"))
        return [path.relative_to(root) for path in found if not any(word in path.name for word in DRAWN)]

    def test_modules(self, root: Path, module: Path) -> tuple[list[str], list[str]]:
        """The test modules that are called like a module or its package, and the others of its area."""
        paths = [root / each for each in self.tests]
        every = [path for each in paths for path in ([each] if each.suffix else sorted(each.rglob("test_*.py")))]
        family = FAMILIES.get(module.parent.name, " ")
        own = [path for path in every if _words(path.stem) & _words(SUBJECTS.get(module.stem, module.stem))]
        near = [*own, *(path for path in every if path.stem.startswith(family) and "render" not in path.stem)]
        names = [[str(path.relative_to(root)) for path in dict.fromkeys(paths)] for paths in (near, every)]
        return names[0], [name for name in names[1] if name not in names[0]]


def _words(stem: str) -> set[str]:
    return {word.removesuffix("s") for word in stem.split("_")} - {"test"}


RECORDED: Final = ("tests/game_runner/test_openings.py", "tests/games/test_hidden_decisions.py")
"""Tests of what is recorded."""
AREAS: Final = {
    "rules": Area(0.3, ("referee/games",), ("tests/games", "tests/golden")),
    "competition": Area(0.3, ("tournaments/competition",), ("tests/tournaments/competition",)),
    "store": Area(
        0.14,
        ("tournaments/event/store",),
        ("tests/tournaments/event/store", "tests/tournaments/event", "tests/hostile/test_databases.py", *RECORDED),
    ),
    "records": Area(0.06, ("referee/record",), ("tests/record", *RECORDED)),
    "players": Area(0.12, ("referee/players",), ("tests/players", "tests/game_runner")),
    "protocol": Area(
        0.08, ("protocol",), ("tests/protocol", "tests/record", "tests/fuzz/test_targets.py", "tests/game_runner")
    ),
}
