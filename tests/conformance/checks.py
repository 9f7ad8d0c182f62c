"""Bots of a few lines, and what the checks find out about them."""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
import trio

from referee.bots.bot_spec import BotSpec
from referee.conformance.candidate import Candidate
from referee.conformance.finding import CheckResult
from referee.conformance.suite import check_bot, select, suite
from referee.exception_groups import single_errors
from referee.games import Game, find_game, game_names
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.players.clock import TimeControl
from referee.players.connect import process_connector
from referee.processes.supervisor import supervise
from tests.timeouts import TEST_TIMEOUT

AMPLE: Final = TimeControl(move=20.0, startup=20.0, margin=0.05)
"""For bots that answer: enough however busy the machine is."""
SHORT: Final = TimeControl(move=0.4, startup=20.0, margin=0.6)
"""For bots that never answer some question. On a busy machine they take a while for the others."""
DRAGON: Final[Sequence[type[Game]]] = (YearOfTheDragon,)

GOOD: Final = """
import atexit, json, os, random, sys, time

def send(message):
    print(json.dumps(message), flush=True)

def answer(act):
    send({"type": "action", "id": act["id"], "index": rng.randrange(len(act["legal"]))})

games = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        send({"type": "ready", "protocol": 1, "name": "good"})
    elif kind == "start":
        games += 1
        rng = random.Random(message["bot_seed"])
    elif kind == "act":
        answer(message)
    elif kind == "fault":
        pass
    elif kind == "end":
        pass
    elif kind == "quit":
        break
"""
"""A bot without mistakes; each broken one differs from it in a line or two."""


def shorten_graces(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Wait only so long for the processes of a bot to exit."""
    monkeypatch.setattr("referee.players.connect.QUIT_GRACE", seconds)
    monkeypatch.setattr("referee.conformance.levels.ending.QUIT_GRACE", seconds)
    monkeypatch.setattr("referee.conformance.started_bot.EXIT_GRACE", seconds)


def broken(*changes: tuple[str, str]) -> str:
    """The good bot with parts of its source replaced; further lines of a part are indented as the line it begins in."""
    source = GOOD
    for old, new in changes:
        assert source.count(old) == 1, old
        line = source[: source.index(old)].rpartition("\n")[2]
        indentation = line[: len(line) - len(line.lstrip())]
        source = source.replace(old, f"\n{indentation}".join(textwrap.dedent(new).strip().split("\n")))
    return source


async def check(
    folder: Path,
    source: str,
    *only: str,
    control: TimeControl = AMPLE,
    games: Sequence[type[Game]] = DRAGON,
    long_run: int = 12,
    quick: bool = True,
    log: list[str] | None = None,
) -> dict[str, CheckResult]:
    """What these checks, or all of them, find out about a bot with this source; by their ids. `log` gets the ids of
    checks when they begin, and "end of" them when they end."""
    script = folder / "bot.py"
    script.write_text(source)
    spec = BotSpec(
        name="bot", argv=(sys.executable, "-IS", str(script)), folder=folder, place=folder, from_command_line=True
    )
    results: list[CheckResult] = []
    steps = [] if log is None else log

    def end(result: CheckResult) -> None:
        results.append(result)
        steps.append(f"end of {result.id}")

    with trio.fail_after(TEST_TIMEOUT), single_errors():
        async with supervise() as supervisor:
            candidate = Candidate(
                spec,
                process_connector(supervisor),
                games=games,
                control=control,
                quick=quick,
                long_run=(long_run, TEST_TIMEOUT),
            )
            await check_bot(
                candidate, select(suite(games, quick=quick), only), end, lambda check: steps.append(check.id)
            )
    return {result.id: result for result in results}


ALL_GAMES: Final[Sequence[type[Game]]] = tuple(map(find_game, game_names()))
