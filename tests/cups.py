"""Plays every example file of `tournaments/` shortened, by the real program, and verifies its folder: `make cups`."""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

import tomli_w

EXAMPLES: Final = Path(__file__).parents[1] / "tournaments" / "event" / "file" / "examples"
REFEREE: Final = (sys.executable, "-m", "referee", "tournament")
SHORT: Final[dict[str, dict[str, Any]]] = {
    "round_robin": {"rounds": 2, "cycles": None},
    "swiss": {"rounds": 2},
    "gauntlet": {"rounds": 1},
    "knockout": {"seeds": None},
    "ladder": {"budget": 6, "batch": 1},
    "sprt": {"batch": 1, "max_games": 4},
}
"""Settings that take the place of those in the files; None: the setting is left out."""
BOTS: Final = 4
"""The first ones of each file, at most."""
CLOCK: Final = {"move": "20s", "startup": "60s"}
"""The machine may be busy."""


def shortened(file: Path) -> str:
    """The text of a tournament file with few bots, few rounds and one deal in each, for a folder elsewhere."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    format_ = table["format"]
    settings = table.get(format_, {}) | SHORT[format_]
    table[format_] = {name: value for name, value in settings.items() if value is not None}
    table |= {"bot": table["bot"][:BOTS], "deals": 1, "seed": "cups", "clock": CLOCK}
    return tomli_w.dumps({"folder": str(file.parent), **table})


def referee(*arguments: object) -> str:
    """Run a command and return what it prints. Ends this program if it fails."""
    done = subprocess.run([*REFEREE, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        command = " ".join(map(str, arguments))
        sys.exit(f"referee tournament {command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Play, verify and resume each."""
    examples = sorted(EXAMPLES.glob("*.toml"))
    if missing := SHORT.keys() - {example.stem for example in examples}:
        sys.exit(f"there is no example of {', '.join(sorted(missing))} in {EXAMPLES}")
    with tempfile.TemporaryDirectory() as temporary:
        for example in examples:
            file, folder = Path(temporary) / example.name, Path(temporary) / f"{example.stem} played"
            file.write_text(shortened(example), encoding="utf-8")
            played = referee("run", file, "--out", folder)
            verified = referee("verify", folder)
            if referee("resume", folder) != played:
                sys.exit(f"{example.name}: resume doesn't find a finished tournament with the same standings")
            sys.stdout.write(f"{example.name}: {verified.splitlines()[0]}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
