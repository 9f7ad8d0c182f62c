"""The figures of the last run of `make bench`, kept as JSON, and those of this run as multiples of them."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from referee.errors import RefereeError


class KeptFiguresError(RefereeError):
    """A file does not hold figures, or can't be read or written."""


def read(file: Path) -> dict[str, float]:
    """The figures kept in a file; none if there is no such file. Raises KeptFiguresError."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, float])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as error:
        raise KeptFiguresError(f"{file}: no figures of make bench ({error}); delete it or name another file") from None


def keep(file: Path, figures: Mapping[str, float]) -> None:
    """Add figures to those in a file, in place of older ones. Raises KeptFiguresError."""
    kept = read(file) | {name: round(figure, 3) for name, figure in figures.items()}
    try:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(kept, order="sorted"), indent=2) + b"\n")
    except OSError as error:
        raise KeptFiguresError(f"can't write {file}: {error.strerror}") from None


def compare(before: Mapping[str, float], now: Mapping[str, float]) -> str:
    """A line for each figure of this run, with its ratio to the kept one. Nothing is judged: machines differ."""
    lines = [f"{'figure':<60} {'before':>9} {'now':>9} {'ratio':>6}"]
    for name, figure in now.items():
        last = before.get(name)
        kept = f"{'-':>9} {figure:>9.2f} {'-':>6}" if not last else f"{last:>9.2f} {figure:>9.2f} {figure / last:>6.2f}"
        lines.append(f"{name:<60} {kept}")
    return "\n".join(lines)
