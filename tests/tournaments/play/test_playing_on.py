"""`referee match --from RECORD#N`: what was before stays, what comes after is new, and records say so."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Self

import msgspec
import pytest
import trio
from msgspec import structs

from referee import MatchFailed, MatchResult, play_match
from referee.games import Game, Recorded
from referee.games.interface import ChanceEvent, DecisionEvent, IllegalAction
from referee.pages.timeline import Timeline
from referee.players.clock import TimeControl
from referee.record.position import NoSuchPosition, position_at
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from referee.reports.match_results import MatchSummary
from tests.game_runner.harness import RANDOM, Harness
from tests.games.sealed_bids import NARRATOR, SealedBids
from tests.playing import match_of, play_deals
from tests.registered import registered
from tests.tournaments.play.test_workers import without_times
from tournaments.play.bot_replay import ReplaySpec, replay_bot
from tournaments.play.conditions import Conditions
from tournaments.play.interruption import Interruption
from tournaments.play.match_spec import MatchError

GAMES = ["year_of_the_dragon", "forbidden_city"]
TWO = ["builtin:random", "other=builtin:random"]


@pytest.fixture(scope="module", params=GAMES)
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a game between two random players."""
    folder = tmp_path_factory.mktemp("records")
    [played] = play_deals(request.param, TWO, records=folder)
    assert played.record is not None
    return played.record


def played_on(record: Path, number: int | str = "", bots: Sequence[str] = TWO, **given: Any) -> MatchResult:
    """Some futures of a position; without a number the last one."""
    place = f"{record}#{number}" if number != "" else str(record)
    spec = match_of(*bots, **{"deals": 3, "seed": "s", "played_on": place} | given)
    return trio.run(play_match, spec)


def positions(record: Path) -> range:
    """The numbers of the positions in which a decision is due."""
    return range(sum(line["type"] == "decision" for line in map(json.loads, record.read_text().splitlines())))


def plain(events: Sequence[Any]) -> bytes:
    """Events as JSON, but for the mark of an opening."""
    unmarked = [structs.replace(each, opening=False) if isinstance(each, DecisionEvent) else each for each in events]
    return msgspec.json.encode(unmarked)


def log_of(game: Game) -> bytes:
    return plain([event for event, _ in game.log])


# -- the position ---------------------------------------------------------------------------------------------------


def test_from_any_position_a_game_continues_as_recorded_with_its_draws_and_otherwise_only_afterwards(
    record: Path,
) -> None:
    replay = Replay(record)
    replay.check()
    events = replay.events()
    draws = {(e.what, e.round or None): e for e in events if isinstance(e, ChanceEvent)}
    chance = Recorded({key: msgspec.to_builtins(event.value) for key, event in draws.items()})
    decisions = [event.action for event in events if isinstance(event, DecisionEvent)]
    for number in [*positions(record)][::10]:
        position = position_at(record, number)
        opener = position.played_on.opener(position.game, position.config)
        game = opener.begin(0, "new").game
        redrawn = structs.replace(position.played_on, redraw=1).opener(position.game, position.config)
        for seat in range(2):
            recorded = opener.begin(1, "other").game
            assert plain(recorded.events_since(seat)) == plain(game.events_since(seat))
        for future in range(3):
            twin = redrawn.begin(future, f"future {future}").game
            assert plain(twin.events_since(1)) == plain(game.events_since(1))
            assert msgspec.json.encode(twin.observe(1)) == msgspec.json.encode(game.observe(1))
            marks = [event.opening for event, _ in twin.log if isinstance(event, DecisionEvent)]
            assert marks == [True] * number
        as_recorded = game.copy(chance=chance)
        for action in decisions[number:]:
            as_recorded.apply(action)
        assert log_of(as_recorded) == plain(events)


@pytest.mark.slow
def test_positions_are_numbered_as_on_the_page_where_faults_are_steps_too(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    [played] = play_deals("year_of_the_dragon", [*TWO, "third=builtin:first"], records=tmp_path)
    assert played.record is not None
    lines = [json.loads(line) for line in played.record.read_text().splitlines()]
    fourth = [place for place, line in enumerate(lines) if line["type"] == "decision"][3]
    seat = lines[fourth]["seat"]
    fault = {"type": "fault", "seat": seat, "code": "timeout", "message": "late", "retry": True}
    lines.insert(fourth, fault)
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    timeline = Timeline(Replay(record), ["all"])
    timeline.finish()
    kinds = [step.kind for step in timeline.document().steps]
    for number in range(12):
        assert len(position_at(record, number).played_on.actions) == kinds[: number + 1].count("decision")
    assert kinds[4] == "fault"


@pytest.mark.parametrize(
    ("cut", "number", "problem"),
    [
        (None, 10_000, r"has no position #10000; its positions are #0 to #\d+"),
        (None, None, r"is finished: say from where, as RECORD#N; its positions are #0 to #\d+"),
        (20, 100, r"has no position #100; it breaks off: its whole positions are #0 to #\d+"),
        (1, 0, "unfinished"),
    ],
)
def test_positions_that_a_record_does_not_have(
    record: Path, tmp_path: Path, cut: int | None, number: int | None, problem: str
) -> None:
    part = tmp_path / "part.jsonl"
    part.write_text("".join(record.read_text().splitlines(keepends=True)[:cut]))
    with pytest.raises((NoSuchPosition, InvalidRecord), match=problem):
        position_at(part, number)


def test_a_record_is_played_on_from_where_it_breaks_off(record: Path, tmp_path: Path) -> None:
    """Also within a decision, whose draws are missing: then from the position before it."""
    lines = record.read_text().splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    for cut in range(3, 24):
        part.write_text("".join(lines[:cut]))
        position = position_at(part, None)
        taken = sum(json.loads(line)["type"] == "decision" for line in lines[:cut])
        assert taken - 1 <= len(position.played_on.actions) <= taken
        game = position.played_on.opener(position.game, position.config).begin(0, "new").game
        assert game.turn is not None
    assert len(played_on(part).games) == 6


# -- a match --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_records_replay(record: Path, tmp_path: Path) -> None:
    """In workers too; the opening is marked, and the rest is asked for."""
    contents = []
    conditions: list[dict[str, Any]] = [{}, {}, {"workers": 2, "concurrency": 2}]
    for number, given in enumerate(conditions):
        folder = tmp_path / f"{number}"
        result = played_on(record, 15, records=folder, redraw=0, **given)
        files = sorted(folder.glob("*.jsonl"))
        for file in files:
            Replay(file).check()
        contents.append([[*without_times(file.read_bytes())] for file in files])
        assert len(files) == len(result.games) == 6
    assert contents[0] == contents[1] == contents[2]
    lines = [json.loads(line) for line in (tmp_path / "0/0002-1.jsonl").read_text().splitlines()]
    decisions = [line for line in lines if line["type"] == "decision"]
    assert [line.get("opening", False) for line in decisions[:16]] == [True] * 15 + [False]
    assert lines[0]["opening"].endswith("#15, drawn again for seat 0")


def test_the_table_has_the_results_of_each_seat(record: Path) -> None:
    found = MatchSummary(played_on(record, 15, deals=8))
    table = found.seats_table()
    assert table is not None
    assert [column.heading for column in table.columns][:2] == ["seat", "mean score"]
    seats = found.seats
    assert seats is not None
    assert [(row.name, row.games) for row in seats] == [("seat 0", 16), ("seat 1", 16)]
    games = [*found.result.games]
    assert seats[0].score.mean == pytest.approx(sum(game.outcome.scores[0] for game in games) / len(games))


@pytest.mark.slow
def test_futures_that_are_copies_are_told_and_redraw_is_the_way_out(tmp_path: Path) -> None:
    """The City draws everything first, so bots that repeat themselves play one game."""
    [game] = play_deals("forbidden_city", TWO, records=tmp_path)
    assert game.record is not None
    bots = ["builtin:first", "other=builtin:first"]
    found = MatchSummary(played_on(game.record, 12, bots, deals=8))
    assert list(found.format_repeated_deals()) == [
        "8 deals, 1 distinct: nothing is drawn after this position, and the bots repeat themselves; equal deals count"
        " once, so --games 1 says as much; --redraw SEAT draws again what is hidden from a seat"
    ]
    assert all(row.wins.low is None for row in (*found.standings, *(found.seats or ())))
    redrawn = MatchSummary(played_on(game.record, 12, bots, deals=8, redraw=0))
    assert list(redrawn.format_repeated_deals()) == []
    assert redrawn.standings[0].wins.low is not None


def test_a_game_that_hides_decisions_is_played_on_and_not_redrawn(tmp_path: Path) -> None:
    with registered(SealedBids, narrator=NARRATOR):
        [game] = play_deals("sealed_bids", TWO, records=tmp_path)
        assert game.record is not None
        result = played_on(game.record, 3, records=tmp_path / "on")
        for played in result.games:
            assert played.record is not None
            Replay(played.record).check()
        with pytest.raises(MatchError, match="can't be drawn again: it is not searchable"):
            played_on(game.record, 3, redraw=0)


class Stubborn(SealedBids):
    """Sealed Bids, of which only some of the samples are found."""

    __slots__ = ()
    name = "stubborn"
    traits = structs.replace(SealedBids.traits, searchable=True)

    def determinize(self, seat: int, random: Random) -> Self:
        if random.random() < 0.5:
            raise IllegalAction("found no sample")
        return self.copy()


def test_a_future_that_cant_be_redrawn_ends_the_match_with_what_was_played(tmp_path: Path) -> None:
    with registered(Stubborn, narrator=NARRATOR):
        [game] = play_deals("stubborn", TWO, records=tmp_path)
        assert game.record is not None
        with pytest.raises((MatchFailed, MatchError), match="can't be drawn again from 0001-1#3: found no sample"):
            played_on(game.record, 3, redraw=0, deals=30)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"bots": [*TWO, "third=builtin:first"]}, "the record is of a game for 2, but 3 bots are given"),
        ({"game": "sealed_bids"}, "the record is of .*, not of sealed_bids: leave --game out"),
        ({"opening": 3}, "--from and openings can't be combined"),
        ({"redraw": 2}, "--redraw 2: the seats of the game are 0 to 1"),
        ({"played_on": "missing.jsonl#3"}, "--from missing.jsonl: can't be read"),
        ({"played_on": "missing.jsonl#x"}, "expected RECORD#N"),
        ({"played_on": None, "redraw": 0}, "give --from RECORD#N"),
        ({"played_on": None, "take": "{}"}, "give --from RECORD#N"),
        ({"take": '{"no":"action"}'}, "is not legal at .*#5"),
        ({"take": "{"}, "--take: invalid JSON"),
        ({"played_on": None, "clock": "recorded"}, "give --from RECORD#N"),
        ({"clock": "recorded", "control": TimeControl(bank=5.0)}, "leave the other time limits out"),
    ],
)
def test_what_contradicts_the_record_is_refused(record: Path, given: dict[str, Any], problem: str) -> None:
    with pytest.raises(MatchError, match=problem):
        played_on(record, 5, **given)


def test_an_action_can_be_given_that_every_future_begins_with_even_the_last_one_of_a_game(record: Path) -> None:
    last = positions(record)[-1]
    for number in (9, last):
        replay = Replay(record)
        while sum(isinstance(event, DecisionEvent) for event in replay.events()) < number:
            replay.step()
        assert replay.game.turn is not None
        taken = replay.game.legal_actions()[-1]
        result = played_on(record, number, take=msgspec.json.encode(taken).decode(), redraw=replay.game.turn.seat)
        assert len(result.games) == 6
        assert result.match.plan.openings is not None
        begun = result.match.plan.openings.opener(replay.game_type, replay.config).begin(0, "x").game
        decisions = [event for event, _ in begun.log if isinstance(event, DecisionEvent)]
        assert (len(decisions), decisions[-1].action, decisions[-1].opening) == (number + 1, taken, True)


@pytest.mark.slow
def test_options_come_from_the_record(tmp_path: Path) -> None:
    [game] = play_deals("year_of_the_dragon", TWO, records=tmp_path, great_wall=True)
    assert game.record is not None
    assert played_on(game.record, 5).match.plan.config.great_wall
    assert len(played_on(game.record, 5, game="year_of_the_dragon", options={"great_wall": "true"}).games) == 6
    with pytest.raises(MatchError, match="the record was played with great_wall=true: leave that option out"):
        played_on(game.record, 5, options={"great_wall": "false"})


def test_a_record_of_other_rules_is_refused(record: Path, tmp_path: Path) -> None:
    lines = record.read_text().splitlines(keepends=True)
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(json.loads(lines[0]) | {"rules": "dragon 2.0"}) + "\n" + "".join(lines[1:]))
    with pytest.raises(MatchError, match=r"was played by the rules dragon 2\.0"):
        played_on(other, 5)


# -- clocks ---------------------------------------------------------------------------------------------------------

REPORTING = """
ready()
for message in messages():
    if message["type"] == "start":
        report(json.dumps(message["clock"]))
    if message["type"] == "act":
        report(str(message["time_ms"]))
        answer(message)
"""


async def reported(harness: Harness) -> list[str]:
    await harness.all_bots_ended()
    return harness.all_reported()


@pytest.mark.slow
async def test_the_clock_is_a_full_one_or_what_was_left_by_the_record(harness: Harness, tmp_path: Path) -> None:
    control = TimeControl(move=None, bank=60.0, increment=1.0)
    played = await harness.play_one(RANDOM, RANDOM, game=SealedBids, control=control)
    assert played.record is not None
    lines = [json.loads(line) for line in played.record.read_text().splitlines()]
    asked = [line for line in lines if line["type"] == "decision"]
    for line in asked:
        line["ms"] = 5000
    record = tmp_path / "slow.jsonl"
    record.write_text("".join(json.dumps(line) + "\n" for line in lines))
    bot = harness.bot(REPORTING, name="reporting")
    with registered(SealedBids, narrator=NARRATOR):
        spec = match_of(
            f"{bot.argv[0]} -IS {bot.argv[2]}",
            "builtin:first",
            played_on=f"{record}#5",
            clock="recorded",
            deals=1,
            rotate=False,
            sandbox="none",
            records=tmp_path / "on",
        )
        await play_match(spec)
        told = await reported(harness)
        # Seat 0 has taken 3 of the 5 decisions, in 5 s each, with an increment of 1 s.
        assert json.loads(told[0]) == {"bank_ms": 48_000, "increment_ms": 1000}
        assert told[1] == "48000"
        [file] = (tmp_path / "on").glob("*.jsonl")
        assert json.loads(file.read_text().splitlines()[0])["banks_ms"] == [48_000, 52_000]
        again = ReplaySpec(record=file, seat=0, bot=spec.bots[0], conditions=Conditions(sandbox="none"))
        await replay_bot(again, Interruption())
        assert await reported(harness) == told, "a replay puts the same questions, none of the opening"
        full = structs.replace(spec, clock="full", records=tmp_path / "full").with_conditions(control=control)
        await play_match(full)
        assert (await reported(harness))[1] == "60000"
