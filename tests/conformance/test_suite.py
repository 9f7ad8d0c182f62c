"""What the checks promise: they cover what they say, every one of them ends, and a good bot passes."""

import json
import re
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import trio

from referee.conformance.alterations import (
    UNKNOWN_FIELD,
    UNUSUAL_NAMES,
    spelled_differently,
    with_unknown_fields,
    with_unknown_messages,
    with_unusual_names,
    without_optional_fields,
)
from referee.conformance.candidate import Candidate
from referee.conformance.finding import CheckResult, Finding, NotPassed, passed
from referee.conformance.levels.session import LongRun
from referee.conformance.players import Opponent
from referee.conformance.started_bot import StartedBot
from referee.conformance.suite import LEVELS, UnknownCheck, select, suite
from referee.conformance.variants import variants
from referee.conformance.wire import MAX_LINES, Wire, truncate_line
from referee.connections.traced import WireLine
from referee.games import Game, config_from, find_game, game_names
from referee.games.options import options
from referee.players.clock import TimeControl
from referee.printable import displayed_name
from tests.conformance.checks import ALL_GAMES, DRAGON, GOOD, broken, check, shorten_graces

LINES = sorted((Path(__file__).parents[2] / "protocol/transcripts").glob("*.to-bot.jsonl"))


# -- what is covered ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ALL_GAMES, ids=lambda game: game.name)
def test_every_number_of_players_and_every_value_of_every_option_is_played(game: type[Game]) -> None:
    configs = [variant.config for variant in variants(game)]
    for option in options(game.Config):
        values = {getattr(config, option.name) for config in configs}
        if option.name == "players":
            assert isinstance(option.minimum, int)
            assert isinstance(option.maximum, int)
            assert values == set(range(option.minimum, option.maximum + 1))
        elif isinstance(option.choices, list):
            assert values == set(option.choices)
        else:
            assert len(values) > 1, f"{option.name} has one value only"


@pytest.mark.parametrize("quick", [False, True], ids=["all", "quick"])
def test_the_first_configuration_is_that_of_all_defaults(quick: bool) -> None:
    for game in map(find_game, game_names()):
        first, *others = variants(game, quick=quick)
        assert (first.plain, first.config) == (True, config_from(game.Config, {}))
        assert not any(variant.plain for variant in others)
        assert len({variant.id for variant in (first, *others)}) == 1 + len(others)


def test_every_check_has_an_id_of_its_own_and_says_what_is_required_and_where_that_is_written() -> None:
    checks = suite(ALL_GAMES)
    assert len({each.id for each in checks}) == len(checks)
    assert [level.name for level in LEVELS] == ["process", "handshake", "play", "session", "ending", "optional"]
    specification = (Path(__file__).parents[2] / "protocol/specification.md").read_text()
    for each in checks:
        assert each.requirement.endswith(".")
        for section in re.findall(r"specification\.md, section (\d+)", each.source):
            assert f"\n## {section}. " in specification


def test_checks_are_chosen_by_level_by_the_beginning_of_their_id_and_by_id() -> None:
    checks = suite(ALL_GAMES)
    assert select(checks, []) == checks
    assert {each.level for each in select(checks, ["ending", "process"])} == {"process", "ending"}
    assert [each.id for each in select(checks, ["ending.quit"])] == ["ending.quit"]
    city = select(checks, ["play.forbidden_city"])
    assert {each.id.split(".")[1] for each in city} == {"forbidden_city"}
    for wrong, hint in (
        ("xyz", r"available: process, .*play\.forbidden_city"),
        ("quit", r"did you mean 'ending\.quit'\?"),
        ("Ending", r"did you mean 'ending'\?"),
    ):
        with pytest.raises(UnknownCheck, match=f"unknown level or check '{wrong}'; {hint}"):
            select(checks, [wrong])


# -- a difficult referee still follows the protocol -----------------------------------------------------------------


def without(value: Any, name: str) -> Any:
    """A value without the fields of this name, at any depth."""
    if isinstance(value, dict):
        return {key: without(part, name) for key, part in value.items() if key != name}
    return [without(part, name) for part in value] if isinstance(value, list) else value


@pytest.mark.slow
@pytest.mark.parametrize("path", LINES, ids=lambda path: path.stem)
def test_altered_lines_say_the_same(path: Path) -> None:
    for line in path.read_bytes().splitlines(keepends=True):
        message = json.loads(line)
        (spelled,) = spelled_differently(line)
        assert json.loads(spelled) == message
        assert spelled != line
        (more,) = with_unknown_fields(line)
        assert without(json.loads(more), UNKNOWN_FIELD) == message
        assert UNKNOWN_FIELD in json.loads(more)
        between = with_unknown_messages(line)
        assert line in between
        assert between[0] == line or message["type"] != "hello"
        (less,) = without_optional_fields(line)
        assert message["type"] == "hello" or less == line
        (named,) = with_unusual_names(line)
        assert message["type"] == "start" or named == line
        assert all(altered.endswith(b"\n") and altered.count(b"\n") == 1 for altered in (spelled, more, *between))


def test_unusual_names_are_names_that_a_bot_may_have() -> None:
    assert [displayed_name(name) for name in UNUSUAL_NAMES] == list(UNUSUAL_NAMES)


# -- every check ends -----------------------------------------------------------------------------------------------

HANGING = {
    "it says nothing": "import time\ntime.sleep(120)",
    "it reads and says nothing": "import sys\nfor line in sys.stdin: pass",
    "it exits at once": "",
    "it floods": "while True: print('x' * 1000)",
    "it writes a line without an end": "while True: print('x' * 1000, end='')",
    "it closes its output": "import os, time\nos.close(1)\ntime.sleep(120)",
    "it leaves as soon as it is ready": broken(('"name": "good"})', '"name": "good"})\nsys.exit()')),
    "it closes its pipes as soon as it is ready": broken(
        ('"name": "good"})', '"name": "good"})\nos.close(0)\nos.close(1)\ntime.sleep(120)')
    ),
    "it hangs at start": broken(("games += 1", "time.sleep(120)")),
    "it answers with an endless line": broken(("answer(message)", "while True: print('x' * 1000, end='')")),
    "it never answers but to hello, and never leaves": broken(
        ("answer(message)", "pass"),
        ("break", "pass"),
        ("games = 0", "import signal\nsignal.signal(15, signal.SIG_IGN)"),
    )
    + "else:\n    time.sleep(120)\n",
}


@pytest.mark.ci_only
async def test_whatever_a_bot_does_every_check_ends_and_some_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them at the same time, as most of the time they are waited for."""
    shorten_graces(monkeypatch, 0.02)
    found: dict[str, dict[str, CheckResult]] = {}

    async def check_one(name: str, folder: Path) -> None:
        folder.mkdir()
        found[name] = await check(folder, HANGING[name], control=TimeControl(move=0.05, startup=1.0))

    async with trio.open_nursery() as nursery:
        for number, name in enumerate(HANGING):
            nursery.start_soon(check_one, name, tmp_path / str(number))
    for name, results in found.items():
        assert len(results) == len(suite(DRAGON, quick=True)), name
        failed = [result for result in results.values() if result.status == "fail"]
        assert failed, name
        assert all(result.advice for result in failed), name
        for result in results.values():
            assert result.message.isprintable()
            assert all(line.line.isprintable() for line in result.wire)
    assert found.keys() == HANGING.keys()


# -- a good bot -----------------------------------------------------------------------------------------------------


@pytest.mark.check_all  # in CI one passes in tests/cli/test_bot_check.py, and all sample bots in `make smoke`
async def test_a_good_bot_passes_without_a_warning(tmp_path: Path) -> None:
    found = await check(tmp_path, GOOD, games=ALL_GAMES)
    told = {result.id: result.status for result in found.values() if result.status != "pass"}
    assert told == {
        "process.builds": "skipped",
        "handshake.options": "skipped",
        "play.forbidden_city.forced": "skipped",
        "optional.info": "skipped",
    }


async def test_the_process_of_many_games_is_replaced_after_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Process(mock.MagicMock):
        is_over = StartedBot.is_over

    async def start(candidate: Candidate) -> StartedBot:
        bot = Process(spent=False)
        bot.connection.ended.is_set.return_value = bot.connection.is_exhausted.return_value = False
        return bot

    monkeypatch.setattr(Candidate, "start", start)
    candidate = Candidate(mock.Mock(), mock.Mock(), games=DRAGON, control=TimeControl())
    with candidate.processes(mock.Mock()):
        bot = await candidate.shared()
        assert await candidate.shared() is bot
        bot.spent = True
        assert await candidate.shared() is not bot


def test_games_of_another_level_are_not_among_those_of_its_seconds() -> None:
    run = LongRun(
        wanted=200, bot=mock.Mock(), before=9, variants=variants(DRAGON[0], quick=True)[:1] * 30, seconds=30.2
    )
    assert run.format_games() == "39 of 200 games, the last 30 in 30 s"


async def test_what_a_bot_does_wrong_up_to_its_first_game_is_found_whatever_processes_other_checks_have_left(
    tmp_path: Path,
) -> None:
    source = broken(
        ("games += 1", 'games += 1\nseats = {message["seat"]} | (seats if games > 1 else set())'),
        ('kind == "fault":\n        pass', 'kind == "fault":\n    assert games > 1'),
        ('kind == "end":\n        pass', 'kind == "end":\n    assert 0 in seats'),
    )
    source += "    elif games == 0:\n        raise ValueError(kind)\nelse:\n    time.sleep(0 if games else 60)\n"
    wrong = {
        "handshake.unknown_messages": "fail",
        "session.retry": "warn",
        "session.early_end": "fail",
        "ending.end_of_input": "fail",
        "ending.fault": "warn",
    }
    results = await check(tmp_path, source, "handshake.quiet", "handshake.unknown_fields", "session.bank", *wrong)
    assert {name: finding.status for name, finding in results.items() if finding.status != "pass"} == wrong


async def test_a_process_that_has_not_played_stays_for_another_check() -> None:
    candidate = Candidate(mock.Mock(), mock.Mock(), games=DRAGON, control=TimeControl())
    new, played = (mock.MagicMock(games=games, end=mock.AsyncMock()) for games in (0, 1))
    async with trio.open_nursery() as nursery:
        for bot in (new, played):
            with candidate.processes(nursery) as used:
                used.bots.append(bot)
    assert [bot.end.await_count for bot in (new, played)] == [0, 1]
    with candidate.processes(mock.Mock()) as used:
        assert (await candidate.start(), used.reused) == (new, True)


async def test_what_many_checks_need_is_not_found_to_fail_because_of_a_process_of_another_check() -> None:
    candidate = Candidate(mock.Mock(), mock.Mock(), games=DRAGON, control=TimeControl())

    async def find(_: Candidate) -> None:
        if not used.only_new:
            used.reused = True
            raise NotPassed(Finding(status="fail", message="it had played"))

    async def run(candidate: Candidate) -> Finding:
        await candidate.once(find)
        return passed("")

    with candidate.processes(mock.Mock()) as used:
        assert (await candidate.judge(run)).status == "pass"


async def test_an_opponent_lets_other_tasks_run_even_if_nobody_waits_for_the_bot() -> None:
    game = mock.Mock(legal_actions=lambda: [1])
    opponent = Opponent()
    with trio.CancelScope() as scope:
        scope.cancel()
        for _ in range(10):
            await opponent.decide(game, [])
    assert scope.cancelled_caught


@pytest.mark.slow
async def test_a_bot_that_needs_few_parts_of_a_question_passes(tmp_path: Path) -> None:
    ready = '"name": "good", "options": {"observation": False, "events": False}'
    found = await check(tmp_path, broken(('"name": "good"', ready)), "handshake", "play")
    assert {result.status for result in found.values()} == {"pass"}
    assert found["handshake.options"].message == "plays without observation, events"


@pytest.mark.slow
async def test_a_bot_that_makes_use_of_its_time_has_less_of_it_in_most_games(tmp_path: Path) -> None:
    """Otherwise its checks would take a quarter of an hour. Only what it does with all of its time is counted."""
    thinks = broken(("answer(message)", 'time.sleep(message["time_ms"] * 0.0003)\nanswer(message)'))
    control = TimeControl(move=0.1, startup=20.0, margin=2.0)
    found = await check(tmp_path, thinks, "session.clock", control=control, long_run=2)
    # On a busy machine an answer may take longer than the bot thinks, and the message says so.
    message = found["session.clock"].message
    counted = re.search(r"in (\d+) answers; (100 ms are allowed|one took \d+ of 100 ms)", message)
    assert counted is not None, found
    assert int(counted[1]) < 50


@pytest.mark.slow
async def test_a_bot_that_uses_its_time_has_as_much_of_it_in_each_game_that_is_compared(tmp_path: Path) -> None:
    by_clock = broken(
        ("games += 1", 'games += 1\nlimit = message["clock"]["move_ms"]'),
        ("answer(message)", "time.sleep(limit * 0.0003)\nanswer(message)"),
        ('rng.randrange(len(act["legal"]))', 'limit % len(act["legal"])'),
    )
    found = await check(tmp_path, by_clock, "optional", control=TimeControl(move=0.1, startup=20.0, margin=2.0))
    assert [found[f"optional.{name}"].status for name in ("reproducible", "independent")] == ["pass", "pass"], found


@pytest.mark.slow
async def test_a_bot_that_only_collides_while_it_starts_fails_no_other_check(tmp_path: Path) -> None:
    lock = 'games = 0\nlock = os.open("lock", os.O_CREAT | os.O_EXCL)\ntime.sleep(0.5)\nos.unlink("lock")'
    checks = ("process.side_by_side", "optional.reproducible", "optional.independent")
    found = await check(tmp_path, broken(("games = 0", lock)), *checks)
    assert [found[each].status for each in checks] == ["fail", "pass", "pass"], found


@pytest.mark.slow
async def test_no_question_promises_more_time_than_a_decision_has(tmp_path: Path) -> None:
    """Not even the first of two questions at once, as a bot that uses that time would be late for the second."""
    strict = broken(
        ("games += 1", 'games += 1\nlimit = message["clock"]["move_ms"]'),
        ("answer(message)", 'assert message["time_ms"] <= limit\nanswer(message)'),
    )
    control = TimeControl(move=0.9, startup=20.0, margin=0.05)
    found = await check(tmp_path, strict, "session.late_answers", control=control)
    assert found["session.late_answers"].status == "pass", found


@pytest.mark.slow
async def test_a_bot_that_plays_only_its_first_game_is_told_of_each_later_one(tmp_path: Path) -> None:
    source = broken(('rng.randrange(len(act["legal"]))', "0 if games == 1 else 1_000_000"))
    results = await check(tmp_path, source, "play")
    assert results.pop("play.year_of_the_dragon.players=3").status == "pass"
    assert {result.status for result in results.values()} > {"fail"}


async def test_what_a_check_depends_on_is_reported_too(tmp_path: Path) -> None:
    """Otherwise a run in which everything is skipped would look like one that passes."""
    never_plays = broken(("answer(message)", "sys.exit(1)"))
    found = await check(tmp_path, never_plays, "session")
    assert {result.status for result in found.values() if result.level == "session"} == {"skipped"}
    assert found["play.year_of_the_dragon.players=3"].status == "fail"
    never_starts = await check(tmp_path, "raise SystemExit(1)", "session")
    assert never_starts["process.ready"].status == "fail"
    assert never_starts.keys() - {"process.ready"} == {each.id for each in select(suite(DRAGON), ["session"])}


@pytest.mark.slow
@pytest.mark.parametrize("processors", [1, 2])
async def test_checks_run_beside_each_other_where_there_is_more_than_one_processor(
    processors: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.conformance.suite.cores", lambda: processors)
    log: list[str] = []
    await check(tmp_path, GOOD, "process", "ending.quit", log=log)
    assert (log.index("ending.quit") < log.index("end of process.idle")) == (processors > 1)


# -- what is shown --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"short", "short"),
        (b"\x1b[31mred\xff", "\ufffd[31mred\ufffd"),
        (b'{"a":"' + b"x" * 400 + b'","b":1}', '{"a":"' + "x" * 59 + '…,"b":1}'),
        (b"[" + b"1," * 400 + b"1]", "[" + "1," * 149 + "…"),
        (b'{"a":' * 500 + b"1" + b"}" * 500, '{"a":' + ('{"a":' * 12) + "…}"),
    ],
    ids=["short", "unprintable", "object", "list", "deep"],
)
def test_a_line_is_shown_printable_and_short(line: bytes, shown: str) -> None:
    assert truncate_line(line) == shown


def test_many_fields_are_cut() -> None:
    line = json.dumps({f"field {number}": number for number in range(10_000)}).encode()
    assert len(truncate_line(line)) <= 1200


async def test_all_lines_are_kept_for_the_game_that_is_compared_only() -> None:
    wire = Wire()

    def add(game: str) -> None:
        for number in range(MAX_LINES):
            wire.add(WireLine("to", b'{"type":"act",%d}' % number, trio.current_time()))
            wire.add(WireLine("from", game.encode(), trio.current_time()))

    add("before")
    wire.keep_all()
    add("compared")
    exchange = wire.exchanges()
    add("after")
    assert len(wire.lines) == MAX_LINES
    for number in (1, MAX_LINES):
        asked, answered = exchange(number)
        assert (asked.line, answered.line) == (f'{{"type":"act",{number - 1}}}', "compared")
