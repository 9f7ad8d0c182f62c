"""Games with openings: what bots are sent, what is recorded, and that records replay."""

import json

import pytest

from protocol.record import GameLine
from referee.games.forbidden_city import ForbiddenCity
from referee.games.interface import DecisionEvent
from referee.games.opening import DrawnOpenings
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.record.reader import InvalidRecord
from referee.record.render import render
from referee.record.replay import Replay
from referee.reports.decisions import decision_rows
from tests.game_runner.harness import AMPLE_TIME, FIRST, RANDOM, Harness, lines_of, record
from tests.game_runner.pebbles import Pebbles
from tests.games.sealed_bids import NARRATOR, SealedBids
from tests.registered import registered
from tournaments.event.store.records import check_record, decisions_hash_of, first_and_last_lines
from tournaments.play.runner import PlayedGame

FOUR = DrawnOpenings(plies=4, seed="match")


def content(played: PlayedGame) -> bytes:
    assert played.record is not None
    return played.record.read_bytes()


async def test_bots_are_sent_the_opening_before_their_first_question_and_no_clock_runs(harness: Harness) -> None:
    bot = harness.bot(
        """
        ready()
        receive("start")
        act = receive("act")
        report(json.dumps(act))
        answer(act)
        """
    )
    played = await harness.play_one(bot, FIRST, game=Pebbles, openings=FOUR, heap=40)
    act = json.loads(await harness.reported())
    decisions = [event for event in act["events"] if event["type"] == "decision"]
    assert [event["seat"] for event in decisions] == [0, 1, 0, 1]
    assert all(event["opening"] for event in decisions)
    assert act["observation"]["heap"] == 40 - sum(event["action"]["count"] for event in decisions)
    assert act["time_ms"] == AMPLE_TIME.on_wire().move_ms
    lines = lines_of(played, "decision")
    assert [line.get("opening", False) for line in lines[:5]] == [True] * 4 + [False]
    assert lines[:4] == decisions
    assert record(played)[0]["opening"] == "4 drawn decisions"
    assert played.outcome.asked == sum("ms" in line for line in lines)


async def test_all_rotations_of_a_deal_share_the_opening(harness: Harness) -> None:
    for game in (YearOfTheDragon, ForbiddenCity):
        games = await harness.play(FIRST, RANDOM, deals=2, rotate=True, game=game, openings=FOUR)
        one, rotated, two, _ = (lines_of(played, "decision")[:4] for played in games)
        assert one == rotated != two


@pytest.mark.slow
async def test_records_with_openings_replay_and_show_them(harness: Harness) -> None:
    for game in (YearOfTheDragon, ForbiddenCity):
        played = await harness.play_one(FIRST, RANDOM, game=game, openings=FOUR)
        replay = Replay(content(played))
        rows, error = decision_rows("r", replay)
        assert error is None
        assert [row.opening for row in rows[:5]] == [True] * 4 + [False]
        events = [event for event in replay.events() if isinstance(event, DecisionEvent)]
        assert [event.opening for event in events[:5]] == [True] * 4 + [False]
        check_record(Replay(content(played)))
        shown = list(render(Replay(content(played)), seat=0))
        assert "  opening: 4 drawn decisions" in shown
        assert any("of the opening" in line for line in shown)
        assert "    The opening ends here." in shown


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda lines: lines[0].pop("opening"), "not of the opening: line 1 names none"),
        (lambda lines: lines[-2].update(opening=True), "the game has begun"),
        (lambda lines: lines[-2].update(opening=True, ms=1), "the game has begun"),
        (lambda lines: next(line for line in lines if "opening" in line and "seat" in line).update(ms=1), "nobody is"),
        (
            lambda lines: next(line for line in lines if "opening" in line and "seat" in line).update(substitute=True),
            "nobody is asked for",
        ),
    ],
)
async def test_a_record_with_wrong_marks_is_refused(harness: Harness, change: object, problem: str) -> None:
    lines = record(await harness.play_one(FIRST, RANDOM, openings=FOUR, heap=40))
    assert callable(change)
    change([line for line in lines if line["type"] in ("game", "decision")])
    with pytest.raises(InvalidRecord, match=problem):
        Replay(b"".join(json.dumps(line).encode() + b"\n" for line in lines)).check()


async def test_bots_that_could_not_be_started_are_out_after_the_opening(harness: Harness) -> None:
    played = await harness.play_one(harness.bot("sys.exit()"), FIRST, RANDOM, openings=FOUR, heap=40)
    kinds = [line["type"] for line in record(played) if line["type"] in ("decision", "fault")]
    assert kinds[:5] == ["decision"] * 4 + ["fault"]
    check_record(Replay(content(played)))
    faults = [line for _, line in first_and_last_lines(content(played)) if type(line).__name__ == "FaultLine"]
    assert len(faults) == 1, "it is found in the record, though decisions come before it"


async def test_the_hash_of_decisions_tells_openings_apart_and_follows_from_the_record(harness: Harness) -> None:
    """Deals with one opening can be equal; those with different ones are not."""
    two = DrawnOpenings(plies=1, seed="match")
    with registered(SealedBids, narrator=NARRATOR):
        games = await harness.play(FIRST, FIRST, deals=5, game=SealedBids, openings=two)
        hashes = [played.outcome.decisions_hash for played in games]
        for played in games:
            header = next(line for _, line in first_and_last_lines(content(played)) if isinstance(line, GameLine))
            assert decisions_hash_of(content(played), header) == played.outcome.decisions_hash
    assert len(set(hashes)) == len({each.partition(":")[0] for each in hashes}) == 4
    assert hashes[4] == hashes[0]
