"""Each hostile bot gets the fault that the catalogue gives, and no other bot is harmed.

Every hostile bot plays real games against a well-behaved process and a built-in player; those that do more than write
play without a sandbox and in one. Then the others play a game without it.
"""

import ast
import re
from typing import Any, Final

import pytest

from protocol.messages import FaultCode
from tests.hostile.catalogue import BAD_OUTPUT, CATALOGUE, Expected
from tests.hostile.cleanup import MAX_GROWTH_MB, no_processes_left
from tests.hostile.hostile_harness import (
    BOTS,
    OPPONENT,
    PRELUDE,
    HostileHarness,
    seat_of_hostile,
    stderr_of,
    verified,
)
from tests.processes.sandboxed import WORKING, needs_sandbox
from tournaments.play.runner import PlayedGame

pytestmark = pytest.mark.xdist_group("clocks and bombs")  # not at the same time: bombs take CPU time from clocks

SANDBOXED = pytest.param(True, id="bwrap", marks=needs_sandbox)
DEAR: Final = ("endless_valid_lines",)
"""Bad output that takes over a second of CPU."""
WITHOUT_IN_CI: Final = ("daemonises", "exits_mid_game", "half_a_fork_bomb", "kills_its_group", "memory_bomb")
"""Those of the others that CI plays without a sandbox too, though there is one."""


def modes(name: str, expected: Expected) -> list[Any]:
    """With a sandbox or without."""
    if name in BAD_OUTPUT:
        return [pytest.param(False, id="none", marks=[pytest.mark.ci_only] if name in DEAR else [])]
    if expected.sandbox_only:
        return [SANDBOXED]
    left_to = pytest.mark.ci_only if name in WITHOUT_IN_CI else pytest.mark.check_all
    return [SANDBOXED, pytest.param(False, id="none", marks=pytest.mark.slow if WORKING is None else left_to)]


CASES = [
    pytest.param(name, *mode.values, id=f"{name}-{mode.id}", marks=mode.marks)
    for name, expected in CATALOGUE.items()
    for mode in modes(name, expected)
]


@pytest.mark.usefixtures("short_grace", "pebbles_known", "secret_in_the_environment")
@pytest.mark.parametrize(("bot", "sandboxed"), CASES)
async def test_hostile_bot_gets_its_fault_and_harms_no_other(
    hostile_harness: HostileHarness, bot: str, sandboxed: bool
) -> None:
    """The harness checks that no child, zombie, descriptor or task is left."""
    expected = CATALOGUE[bot]
    with no_processes_left(hostile_harness.folder):
        *games, last = await hostile_harness.play(bot, expected, sandboxed=sandboxed)
    for played in games:
        assert_faults(played, expected)
    stderr = "\n".join(stderr_of(played, seat_of_hostile(played)) for played in games)
    assert re.search(expected.stderr, stderr), stderr
    assert expected.not_in_stderr is None or not re.search(expected.not_in_stderr, stderr), stderr
    without_it = await hostile_harness.lines_without_it(expected)
    assert verified(last)[1:] == without_it[1:], "the game differs in more than names"
    assert hostile_harness.growth < MAX_GROWTH_MB
    assert not hostile_harness.was_connected_to()


def assert_faults(played: PlayedGame, expected: Expected) -> None:
    """The bot got its fault, or none, in words that say what was wrong; the others played on to the end."""
    seat = seat_of_hostile(played)
    fault = played.outcome.faults[seat]
    codes: list[FaultCode | None] = [None, None, None]
    codes[seat] = expected.code
    assert [each and each.code for each in played.outcome.faults] == codes, fault
    if fault is not None:
        assert re.fullmatch(expected.message, fault.message), fault
        assert len(fault.message) < 500
        assert fault.message.isprintable()
        assert played.outcome.ranks[seat] == 3
    assert played.outcome.stopped is None
    *_, result = verified(played)
    assert result["faults"] == codes
    assert result["ranks"] == played.outcome.ranks


def test_catalogue_has_every_bot() -> None:
    bots = {path.stem for path in BOTS.glob("*.py")}
    assert bots - {*PRELUDE, OPPONENT} == set(CATALOGUE)


def test_each_bot_is_short_and_its_first_line_says_what_it_does() -> None:
    for bot in (*CATALOGUE, OPPONENT):
        source = (BOTS / f"{bot}.py").read_text()
        docstring = ast.get_docstring(ast.parse(source))
        assert docstring is not None, bot
        assert source.startswith(f'"""{docstring}"""\n'), bot
        assert docstring.endswith("."), bot
        assert len(source.splitlines()) < 50, bot
