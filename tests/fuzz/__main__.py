"""`make fuzz`: fuzz every target for its share of the time; and `replay`: run a target on one input again."""

import argparse
import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import sample
from typing import Final

from tests.fuzz.mutate import FIELDS, VALUES
from tests.fuzz.targets import TARGETS, corpus_folder

FINDINGS: Final = Path(".fuzz")
"""The folder for logs, and for inputs that broke a promise."""
MAX_INPUT: Final = 16 * 1024
"""Maximum length of an input in bytes."""
HANG_SECONDS: Final = 5
"""Seconds after which an input counts as a hang."""
MEMORY_MB: Final = 1024
EXECUTED_UNITS: Final = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
ARTIFACT: Final = re.compile(r"Test unit written to (\S+)")
LOG_TAIL: Final = 25
"""Lines of a log that are shown with a finding."""
NO_ATHERIS: Final = "Atheris is not installed here. `make fuzz` installs it, or says why it can't."


def main(arguments: Sequence[str]) -> int:
    """Run the command. The exit status is 1 if an input broke a promise."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="fuzz for a while")
    run.add_argument("--seconds", type=int, default=60, help="in all")
    run.add_argument("--target", choices=TARGETS, action="append", help="only this one; may be repeated")
    run.add_argument("--some", type=int, default=len(TARGETS), help="only so many, chosen at random")
    replay = commands.add_parser("replay", help="run a target on the input in a file")
    replay.add_argument("target", choices=TARGETS)
    replay.add_argument("file", type=Path)
    given = parser.parse_args(arguments)
    if given.command == "replay":
        TARGETS[given.target](given.file.read_bytes())
        echo(f"{given.file}: {given.target} keeps its promise")
        return 0
    return fuzz(given.target or sample(list(TARGETS), given.some), given.seconds)


def fuzz(targets: Sequence[str], seconds: int) -> int:
    """Fuzz each target for its share of the time, one after the other."""
    if importlib.util.find_spec("atheris") is None:
        echo(NO_ATHERIS)
        return 2
    share = max(1, seconds // len(targets))
    broken = [target for target in targets if not passes(target, share)]
    echo(f"broken: {', '.join(broken)}" if broken else f"no finding in {share * len(targets)} s")
    return 1 if broken else 0


def passes(target: str, seconds: int) -> bool:
    """Whether a target kept its promise for that long. Prints the result."""
    grown = FINDINGS / "corpus" / target
    grown.mkdir(parents=True, exist_ok=True)
    words = FINDINGS / "words.dict"
    words.write_text(dictionary())
    start = time.monotonic()
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "tests.fuzz.harness", target, str(grown), str(corpus_folder(target))),
            *(
                f"-max_total_time={seconds}",
                f"-timeout={HANG_SECONDS}",
                f"-rss_limit_mb={MEMORY_MB}",
                f"-max_len={MAX_INPUT}",
            ),
            *(f"-dict={words}", f"-artifact_prefix={FINDINGS}/{target}-", "-print_final_stats=1"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    log = ended.stdout.decode(errors="replace")
    (FINDINGS / f"{target}.log").write_text(log)
    count = EXECUTED_UNITS.search(log)
    if ended.returncode == 0 and count is not None:
        rate = int(count[1]) / (time.monotonic() - start)
        echo(f"{target:12} {count[1]:>9} inputs, {rate:6.0f} per second")
        return True
    echo(f"{target:12} FOUND SOMETHING (exit status {ended.returncode}); the log is {FINDINGS / target}.log, it ends:")
    echo("\n".join(f"    {line}" for line in log.splitlines()[-LOG_TAIL:]))
    for path in ARTIFACT.findall(log):
        echo(f"the input lies in {path}; to run it again:\n    {sys.executable} -m tests.fuzz replay {target} {path}")
    return False


def dictionary() -> str:
    """The values and fields of our mutator, as a libFuzzer dictionary."""
    short = ["".join(rf"\x{byte:02x}" for byte in word) for word in (*VALUES, *FIELDS) if 1 < len(word) < 60]
    return "".join(f'"{word}"\n' for word in short)


def echo(text: str) -> None:
    """Write a line to stdout."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
