"""Real tournaments that are killed with SIGKILL at random moments, and gone on with until they are over."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import tomli_w

from tests.cli.bots import make_bot
from tests.cli.command import ENVIRONMENT, REFEREE, referee
from tests.timeouts import EXIT_TIMEOUT, TEST_TIMEOUT
from tests.tournaments.samples import sample_of

BOTS: Final = ("seeded", "random", "first", "third", "fourth")
"""The first is a real process, the others are built in."""
SEATS: Final = {"swiss": 3}
"""By format, where they are not two."""
WORKERS: Final = {"swiss": 2, "ladder": 2}
"""By format, the processes that play, if there are several."""


class Outcome(NamedTuple):
    """All that a tournament says of itself at its end."""

    standings: Any
    games: Any
    pairings: Any


class Crash(NamedTuple):
    """What happened to one tournament."""

    kills: int
    with_games: int
    """Kills after which some games were there and some were missing."""
    problems: list[str]


def write_tournament(folder: Path, format_: str) -> Path:
    """A short tournament of a format, one of its bots a real process; the file."""
    folder.mkdir(parents=True)
    # All its choices follow from its `bot_seed`, so that a game that is played again takes the same course.
    make_bot(folder / "bot", toml='name = "seeded"\ncommand = "python3 bot.py"\n')
    sample = sample_of(format_)
    names = BOTS[: sample.max_bots]
    table = {
        "format": format_,
        "game": "forbidden_city",
        "seed": "crash",
        "seats": SEATS.get(format_, 2),
        format_: sample.settings(names),
        "clock": {"move": "30s", "startup": "60s"},
        "run": {"concurrency": 2, "workers": WORKERS.get(format_, 1)},
        "bot": [
            {"path": "bot"},
            *({"builtin": "first" if name == "first" else "random", "name": name} for name in names[1:]),
        ],
    }
    file = folder / "cup.toml"
    file.write_text(tomli_w.dumps(table), encoding="utf-8")
    return file


def undisturbed(file: Path, out: Path) -> tuple[Outcome, float]:
    """Run a tournament to its end; what it says then, and how many seconds it took."""
    began = time.monotonic()
    ended = referee("tournament", "run", file, "--out", out)
    seconds = time.monotonic() - began
    assert ended.status == 0, ended.err
    return outcome(out), seconds


def outcome(folder: Path) -> Outcome:
    """What a tournament that is over says."""
    found = Outcome(*(referee("tournament", command, folder, "--json").json for command in Outcome._fields))
    del found.standings["begun_again"]  # which depends on the moments of the kills
    return found


def crash(file: Path, out: Path, expected: Outcome, seconds: float, kills: int, random: Random) -> Crash:
    """Run a tournament, kill the referee so many times at random moments, and go on until it is over."""
    done = with_games = 0
    problems: list[str] = []
    while True:
        argv = ["resume", str(out)] if (out / "manifest.json").exists() else ["run", str(file), "--out", str(out)]
        process = subprocess.Popen(
            [REFEREE, "tournament", *argv],
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            if done < kills:
                process.wait(random.uniform(0, seconds))
            _, errors = process.communicate(timeout=TEST_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            done += 1
            with_games += 0 < len(records(out)) < len(expected.games)
            problems += [f"left after a kill: {left}" for left in left_over(file.parent)]
            continue
        if process.returncode != 0 or "Traceback" in errors:
            problems.append(f"exit status {process.returncode}: {errors}")
            break
        if done >= kills:
            break
        shutil.rmtree(out)  # it was over before the moment came
    if not problems:
        problems += differences(expected, outcome(out))
        verified = referee("tournament", "verify", out)
        if verified.status != 0:
            problems.append(f"verify: {verified.out}{verified.err}")
        if len(records(out)) != len(expected.games):
            problems.append(f"{len(records(out))} records of {len(expected.games)} games")
    return Crash(done, with_games, problems)


def records(out: Path) -> list[str]:
    """The games that have a record."""
    folder = out / "records"
    return [path.name for path in folder.glob("*.jsonl.gz")] if folder.is_dir() else []


def differences(expected: Outcome, found: Outcome) -> Iterator[str]:
    """What is not as in the tournament that was not disturbed."""
    for name, one, other in zip(Outcome._fields, expected, found, strict=True):
        if one != other:
            yield f"{name} differ: {one} became {other}"


def left_over(folder: Path) -> list[str]:
    """The command lines of processes that name this folder and don't end."""
    deadline = time.monotonic() + EXIT_TIMEOUT
    while (found := naming(folder)) and time.monotonic() < deadline:
        os.sched_yield()
    return found


def naming(folder: Path) -> list[str]:
    """The command lines of all running processes that name a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) in line:
            found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found
