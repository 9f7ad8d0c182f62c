"""Plays the example file of every format shortened, by the real program, and verifies its folder: `make cups`."""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import tomli_w

from tests.tournaments.samples import sample_of
from tournaments.competition.formats import FORMATS
from tournaments.event.file.example_files import example_file

REFEREE: Final = (sys.executable, "-m", "referee", "tournament")
BOTS: Final = 4
"""The first ones of each file, at most."""
CLOCK: Final = {"move": "20s", "startup": "60s"}
"""The machine may be busy."""


def shortened(file: Path, **run: str) -> str:
    """The text of a tournament file with few bots, few rounds and one deal in each, for a folder elsewhere.

    `run` are changes of the table `run`.
    """
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    format_ = table["format"]
    settings = table.get(format_, {}) | sample_of(format_).example
    table[format_] = {name: value for name, value in settings.items() if value is not None}
    table |= {"bot": table["bot"][:BOTS], "deals": 1, "seed": "cups", "clock": CLOCK}
    table["run"] = table.get("run", {}) | run
    return tomli_w.dumps({"folder": str(file.parent), **table})


def run(program: Sequence[str], *arguments: object) -> str:
    """Run a command and return what it prints. Ends this program if it fails."""
    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        command = " ".join(map(str, arguments))
        sys.exit(f"referee tournament {command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def play(formats: Iterable[str], program: Sequence[str] = REFEREE) -> None:
    """Play, verify and resume the example of each format, with a program that is `referee tournament`.

    The first one is played in the sandbox if there is one, as its file says. Before each tournament the sandbox is
    tested, which takes half as long as its games, and formats have nothing to do with it.
    """
    with tempfile.TemporaryDirectory() as temporary:
        for number, name in enumerate(formats):
            file, folder = Path(temporary) / f"{name}.toml", Path(temporary) / f"{name} played"
            file.write_text(
                shortened(Path(str(example_file(name))), **({"sandbox": "none"} if number else {})), encoding="utf-8"
            )
            played = run(program, "run", file, "--out", folder)
            verified = run(program, "verify", folder)
            if run(program, "resume", folder) != played:
                sys.exit(f"{name}: resume doesn't find a finished tournament with the same standings")
            sys.stdout.write(f"{name}: {verified.splitlines()[0]}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    play(FORMATS)
