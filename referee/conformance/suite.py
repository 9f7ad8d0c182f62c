"""The list of all checks in order, selecting some of them, and running them."""

import contextlib
import itertools
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import trio
from msgspec import structs

from referee.conformance.candidate import Candidate
from referee.conformance.finding import CheckResult, Finding, NotPassed, Status
from referee.conformance.levels import ending, handshake, optional, play, process, session
from referee.conformance.levels.level import Check, Level
from referee.errors import RefereeError
from referee.games import Game
from referee.near_misses import nearest
from referee.printable import printable
from referee.processes.limits.machine import cores

LEVELS: Final[tuple[Level, ...]] = (
    process.LEVEL,
    handshake.LEVEL,
    play.LEVEL,
    session.LEVEL,
    ending.LEVEL,
    optional.LEVEL,
)
SIDE_BY_SIDE_CHECK: Final = "process.side_by_side"
BEFORE_GAMES: Final = (process.idle, handshake.ready_fields, handshake.quiet)
"""Checks of a process that has not played yet, which is the same for all of them."""


class UnknownCheck(RefereeError):
    """An unknown level or check. The text lists the known ones."""


def suite(games: Sequence[type[Game]], *, quick: bool = False) -> list[Check]:
    """All checks of all levels for a bot that plays these games."""
    found: list[Check] = []
    for level in LEVELS:
        found += level.checks
        if level is play.LEVEL:
            found += itertools.chain.from_iterable(play.checks_of(game, quick=quick) for game in games)
    return found


def select(checks: Sequence[Check], wanted: Sequence[str]) -> list[Check]:
    """The wanted checks, each given by its id, the beginning of its id up to a dot, or its level; by default all.
    Raises UnknownCheck.
    """
    for name in wanted:
        if not any(matches(check, name) for check in checks):
            heads = {"play." + check.id.split(".")[1]: None for check in checks if check.level == play.LEVEL.name}
            names = [*(level.name for level in LEVELS), *heads]
            meant = nearest(name, [*names, *(check.id for check in checks)])
            hint = f"available: {', '.join(names)}, LEVEL.CHECK" if meant is None else f"did you mean {meant!r}?"
            raise UnknownCheck(f"unknown level or check {name!r}; {hint}")
    return [check for check in checks if not wanted or any(matches(check, name) for name in wanted)]


def matches(check: Check, name: str) -> bool:
    return check.id == name or check.id.startswith(f"{name}.")


async def check_bot(
    candidate: Candidate,
    checks: Sequence[Check],
    on_result: Callable[[CheckResult], None],
    on_begin: Callable[[Check], None] = lambda check: None,
) -> None:
    """Run checks, and report each; some at a time if several processes of the bot can play side by side. What judges
    many games comes last, when nothing else runs. If a check that these depend on has failed, such as that the bot
    becomes ready, it is reported too.

    Whatever the bot does, each check ends: every wait has a time limit. Raises MachineError. All processes are ended by
    their owner, also when this is cancelled.
    """
    reported: dict[str, Status] = {}

    def report(check: Check, finding: Finding, seconds: float) -> None:
        reported[check.id] = finding.status
        words = {"message": printable(finding.message), "advice": printable(finding.advice)}
        on_result(
            CheckResult(
                id=check.id,
                level=check.level,
                requirement=check.requirement,
                source=check.source,
                seconds=round(seconds, 3),
                **structs.asdict(finding) | words,
            )
        )

    last = [check for check in checks if check.run in session.JUDGED_LAST]
    first = [check for check in checks if check.level == process.LEVEL.name and check.run is not process.idle]
    first = first or [check for check in checks if check not in last][:1]
    games = [check for check in checks if check.level == play.LEVEL.name and check not in first]
    before_games = [check for check in checks if check.run in BEFORE_GAMES and check not in first]
    others = [check for check in checks if check not in (*first, *games, *before_games, *last)]
    async with trio.open_nursery() as measuring:
        measuring.start_soon(candidate.lag.measure)
        async with trio.open_nursery() as processes:

            async def run(*several: Check) -> None:
                for check in several:
                    on_begin(check)
                    began = trio.current_time()
                    with candidate.processes(processes):
                        report(check, await candidate.judge(check.run), trio.current_time() - began)

            async def find(games: Callable[[Candidate], Awaitable[object]]) -> None:
                with candidate.processes(processes), contextlib.suppress(NotPassed):
                    await candidate.once(games)

            with candidate.processes(processes):
                await run(*first)
                side_by_side = reported.get(SIDE_BY_SIDE_CHECK) in ("pass", "warn")
                finds = set() if candidate.never_ready else {session.JUDGED_LAST[each.run] for each in last}

                async def play_in_a_row() -> None:
                    await run(*games)
                    if session.play_many in finds:
                        await find(session.play_many)

                tasks: list[Callable[[], Awaitable[None]]] = [play_in_a_row, partial(run, *before_games)]
                tasks += [partial(find, each) for each in finds if each is not session.play_many]
                tasks += [partial(run, check) for check in others]
                await _work(tasks, min(process.SIDE_BY_SIDE, cores()) if side_by_side else 1)
                await run(*last)
            candidate.end_kept(processes)
        measuring.cancel_scope.cancel()
    for check in suite(candidate.games, quick=candidate.quick):
        if check.id in candidate.failures.keys() - reported:
            report(check, candidate.failures[check.id], 0.0)


async def _work(tasks: Sequence[Callable[[], Awaitable[None]]], at_a_time: int) -> None:
    waiting = deque(tasks)

    async def work() -> None:
        while waiting:
            await waiting.popleft()()

    async with trio.open_nursery() as nursery:
        for _ in range(at_a_time):
            nursery.start_soon(work)
