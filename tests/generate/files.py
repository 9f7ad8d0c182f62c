"""The generated files of the repository: listing them, comparing them with their generators, and renewing them."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final

from referee.schema import schema_files, schemas
from tests.generate.kits import template_files
from tests.generate.transcripts import transcript_files
from tests.golden.files import golden_files

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = "make generate"
FOLDERS: Final = (
    "protocol/schema",
    "protocol/transcripts",
    "tests/golden/playthroughs",
    "tests/golden/records",
    "tests/golden/tournaments",
    "tests/golden/wire",
)
"""Folders with only generated files."""
SHOWN: Final = 400
"""The number of characters shown of a differing line, around the first difference."""


def generated_files() -> dict[str, Callable[[], list[str]]]:
    """Every generated file by its path in the repository, with the function that makes its lines."""
    schema: dict[str, Callable[[], list[str]]] = {name: partial(_schema, name) for name in _schema_files()}
    parts = {"protocol/schema": schema, "protocol/transcripts": transcript_files(), "tests/golden": golden_files()}
    files = {f"{folder}/{name}": make for folder, files in parts.items() for name, make in files.items()}
    return files | template_files()


@cache
def _schema_files() -> dict[str, bytes]:
    return schema_files(schemas())


def _schema(name: str) -> list[str]:
    return _split(_schema_files()[name])


def _split(content: bytes) -> list[str]:
    """The lines of a file. Only LF ends a line."""
    return content.decode().split("\n")[:-1]


def present(root: Path = ROOT) -> set[str]:
    """The files in the folders for generated files."""
    found = [path for folder in FOLDERS for path in (root / folder).glob("*")]
    found += [path for name in template_files() if (path := root / name).exists()]
    return {path.relative_to(root).as_posix() for path in found}


def stored(name: str, root: Path = ROOT) -> list[str]:
    """The lines of a file in the repository; none if it is missing."""
    path = root / name
    return _split(path.read_bytes()) if path.exists() else []


def renew(root: Path = ROOT) -> list[str]:
    """Write every generated file and remove stale ones. Returns the names of those that changed."""
    files = generated_files()
    changed = sorted(present(root) - files.keys())
    for name in changed:
        (root / name).unlink()
    for name, make in files.items():
        lines = make()
        if lines != stored(name, root):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes("".join(f"{line}\n" for line in lines).encode())
            changed.append(name)
    return changed


def difference(name: str, old: list[str], new: list[str]) -> str | None:
    """A message about the first line that differs: the file, the place, both versions, and what to do."""
    for number in range(max(len(old), len(new))):
        before = old[number] if number < len(old) else "(the file ends)"
        after = new[number] if number < len(new) else "(nothing more)"
        if before != after:
            column = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0)
            start = max(0, column - SHOWN // 2)
            return (
                f"{name} is stale. Line {number + 1}, column {column + 1}:\n"
                f"  stored: {before[start : start + SHOWN]}\n"
                f"  now:    {after[start : start + SHOWN]}\n"
                f"If this is meant, run `{COMMAND}` and review the diff."
            )
    return None
