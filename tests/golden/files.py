"""The golden files: which there are, what they should hold, and how they are compared and renewed."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final

from tests.golden.conversation import CONVERSATIONS, Held, hold, transcript
from tests.golden.playthrough import PLAYTHROUGHS, play

FOLDER: Final = Path(__file__).parent
RENEW: Final = "python -m tests.golden"
KINDS: Final = ("playthroughs", "wire", "records")
SHOWN: Final = 400
"""Characters of a differing line that are shown, around the first difference."""


def golden() -> dict[str, Callable[[], list[str]]]:
    """Every golden file, by its path below the folder, with what makes its lines anew."""
    files: dict[str, Callable[[], list[str]]] = {}
    for name in PLAYTHROUGHS:
        files[f"playthroughs/{name}.txt"] = partial(played, name)
    for name in CONVERSATIONS:
        files[f"wire/{name}.txt"] = partial(said, name)
        files[f"records/{name}.jsonl"] = partial(recorded, name)
    return files


def played(name: str) -> list[str]:
    """The lines of a playthrough."""
    return list(play(name))


@cache
def held(name: str) -> Held:
    """A conversation, held once for its transcript and its record."""
    return hold(name)


def said(name: str) -> list[str]:
    """The lines of a wire transcript."""
    return transcript(name, held(name))


def recorded(name: str) -> list[str]:
    """The record of the first game of a conversation."""
    return held(name).records[0]


def present(folder: Path = FOLDER) -> set[str]:
    """The golden files that are there."""
    return {str(path.relative_to(folder)) for kind in KINDS for path in (folder / kind).glob("*")}


def stored(name: str, folder: Path = FOLDER) -> list[str]:
    """The lines of a golden file (none if there is no such file)."""
    path = folder / name
    return path.read_bytes().decode().split("\n")[:-1] if path.exists() else []


def renew(folder: Path = FOLDER) -> list[str]:
    """Write every golden file anew and remove those that nothing makes any more; the names of those that changed."""
    files = golden()
    changed = sorted(present(folder) - files.keys())
    for name in changed:
        (folder / name).unlink()
    for name, make in files.items():
        lines = make()
        if lines != stored(name, folder):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes("".join(f"{line}\n" for line in lines).encode())
            changed.append(name)
    return changed


def difference(name: str, old: list[str], new: list[str]) -> str | None:
    """The first line that differs, for people: in which file, where, how, and what to do about it."""
    for number in range(max(len(old), len(new))):
        before = old[number] if number < len(old) else "(the file ends)"
        after = new[number] if number < len(new) else "(nothing more)"
        if before != after:
            column = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0)
            start = max(0, column - SHOWN // 2)
            return (
                f"tests/golden/{name}, line {number + 1}, column {column + 1}:\n"
                f"  golden: {before[start : start + SHOWN]}\n"
                f"  now:    {after[start : start + SHOWN]}\n"
                f"If this is meant, renew with `{RENEW}` and review the diff."
            )
    return None
