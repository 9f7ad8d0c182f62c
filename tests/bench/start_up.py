"""How long commands take to start, as multiples of importing the libraries that every one of them needs.

CPU seconds of whole processes; the best of several runs that alternate, since noise only adds.
"""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

BARE_IMPORT: Final = ("-c", "import typer, msgspec, rich")
CUP: Final = 'format = "round_robin"\ngame = "forbidden_city"\n' + "".join(
    f'[[bot]]\nbuiltin = "random"\nname = "{name}"\n' for name in "abcde"
)


def report(runs: int) -> str:
    """A line for each command with its ratio to the bare import."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cup.toml"
        file.write_text(CUP)
        measure(("-m", "referee", "tournament", "run", str(file)))
        cases: dict[str, Sequence[str]] = {
            "bare import of typer, msgspec and rich": BARE_IMPORT,
            "referee --help": ("-m", "referee", "--help"),
            "referee tournament standings": ("-m", "referee", "tournament", "standings", str(file.with_suffix(""))),
        }
        best = dict.fromkeys(cases, float("inf"))
        for _ in range(runs):
            for name, arguments in cases.items():
                best[name] = min(best[name], measure(arguments))
    floor, *_ = best.values()
    lines = [f"{name:<40} {seconds * 1000:6.0f} ms {seconds / floor:6.2f}" for name, seconds in best.items()]
    return "\n".join(["start of a command                          CPU  ratio", *lines])


def measure(arguments: Sequence[str]) -> float:
    """The CPU seconds of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
