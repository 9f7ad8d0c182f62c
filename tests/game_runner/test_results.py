"""What follows a fault: ranks, the substitute, the early stop, retries, and the next game."""

import pytest

from protocol.record import GameLine
from referee.bots.bot_spec import BotSpec
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.outcome import NONE_LEFT, ONE_LEFT
from referee.record.replay import Replay
from tests.game_runner.harness import FIRST, RANDOM, Harness, lines_of, record
from tests.games.sealed_bids import NARRATOR, SealedBids
from tests.registered import registered
from tournaments.event.store.records import decisions_hash_of, first_and_last_lines
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import rotations

pytestmark = pytest.mark.usefixtures("pebbles_known")


def failing(harness: Harness, turn: int) -> BotSpec:
    """A bot that sends garbage at this question, counted from 1."""
    return harness.bot(f"ready(); play({turn - 1}); receive('act'); send_bytes(b'oops\\n')")


def checked(played: PlayedGame) -> PlayedGame:
    """The record is right by the rules alone."""
    assert played.record is not None
    Replay(played.record).check()
    return played


# -- ranks ------------------------------------------------------------------------------------------------------------


async def test_later_fault_ranks_above_an_earlier_one_and_both_below_all_without(harness: Harness) -> None:
    early, late = failing(harness, 1), failing(harness, 3)
    played = checked(await harness.play_one(FIRST, late, RANDOM, early, heap=60))
    ranks = played.outcome.ranks
    assert sorted([ranks[0], ranks[2]]) == [1, 2]
    assert (ranks[1], ranks[3]) == (3, 4)
    assert played.outcome.stopped is None
    assert sum(played.outcome.scores) == 60
    assert lines_of(played, "result") == [
        {
            "type": "result",
            "scores": played.outcome.scores,
            "ranks": ranks,
            "faults": [None, "bad_message", None, "bad_message"],
        }
    ]


async def test_seats_that_fail_before_the_game_share_a_rank(harness: Harness) -> None:
    crashed, garbled = harness.bot("sys.exit(1)"), harness.bot("receive('hello'); send_bytes(b'oops\\n')")
    played = checked(await harness.play_one(crashed, FIRST, garbled, RANDOM))
    assert [fault and fault.code for fault in played.outcome.faults] == ["crash", None, "bad_message", None]
    assert (played.outcome.ranks[0], played.outcome.ranks[2]) == (3, 3)


async def test_seats_that_fail_before_the_first_decision_share_a_rank(harness: Harness) -> None:
    played = checked(await harness.play_one(failing(harness, 1), harness.bot("sys.exit(1)"), FIRST))
    assert played.outcome.ranks == [2, 2, 1]
    assert played.outcome.stopped == ONE_LEFT


async def test_ranks_of_the_others_are_those_of_the_table(harness: Harness) -> None:
    played = checked(await harness.play_one(failing(harness, 2), RANDOM, FIRST, RANDOM, heap=50))
    scores, ranks = played.outcome.scores, played.outcome.ranks
    assert ranks[0] == 4
    assert [ranks[seat] for seat in (1, 2, 3)] == [
        1 + sum(scores[other] > scores[seat] for other in (1, 2, 3)) for seat in (1, 2, 3)
    ]


# -- the early stop ---------------------------------------------------------------------------------------------------


async def test_game_stops_when_one_bot_without_a_fault_is_left_and_that_one_has_won(harness: Harness) -> None:
    played = checked(await harness.play_one(failing(harness, 1), failing(harness, 3), FIRST, heap=1000))
    assert played.outcome.ranks == [3, 2, 1]
    assert played.outcome.stopped == ONE_LEFT
    assert sum(played.outcome.scores) < 1000
    *_, fault, result = record(played)
    assert (fault["type"], fault["seat"]) == ("fault", 1)
    assert result["stopped"] == ONE_LEFT


async def test_winner_of_a_stopped_game_is_sent_the_result(harness: Harness) -> None:
    bot = harness.bot(
        "ready(); act = receive('act'); answer(act); report(json.dumps(receive('end')['result'], sort_keys=True))"
    )
    await harness.play_one(failing(harness, 2), bot, heap=1000)
    assert harness.all_reported() == ['{"faults": ["bad_message", null], "ranks": [2, 1], "scores": [1, 1]}']


async def test_game_stops_before_it_begins_when_nobody_is_left(harness: Harness) -> None:
    played = checked(await harness.play_one(harness.bot("sys.exit(1)"), harness.bot("sys.exit(2)")))
    assert played.outcome.ranks == [1, 1]
    assert played.outcome.asked == 0
    assert played.outcome.stopped == NONE_LEFT
    assert lines_of(played, "result")[0]["stopped"] == NONE_LEFT
    assert lines_of(played, "decision") == []


# -- the substitute ---------------------------------------------------------------------------------------------------


async def test_substitute_makes_all_further_decisions_and_the_record_marks_them(harness: Harness) -> None:
    played = checked(await harness.play_one(failing(harness, 3), FIRST, RANDOM, heap=40))
    own = [line for line in lines_of(played, "decision") if line["seat"] == 0]
    assert [line.get("substitute", False) for line in own] == [False] * 2 + [True] * (len(own) - 2)
    assert len(own) > 5
    assert all("ms" not in line for line in own[2:])
    assert not any(line.get("substitute") for line in lines_of(played, "decision") if line["seat"] != 0)


async def test_eliminated_bot_is_not_asked_again(harness: Harness) -> None:
    bot = harness.bot("""
        ready()
        receive("act")
        send_bytes(b"oops\\n")
        for line in sys.stdin:
            report(json.loads(line)["type"])
    """)
    await harness.play_one(bot, FIRST, RANDOM, heap=40)
    assert harness.all_reported() == ["fault", "quit"]


@pytest.mark.slow
async def test_substitute_is_seeded_and_plays_the_same_again(harness: Harness) -> None:
    async def choices(seed: str) -> list[int]:
        [played] = await harness.play(failing(harness, 1), FIRST, FIRST, seed=seed, heap=100)
        return [line["action"]["count"] for line in lines_of(played, "decision") if line.get("substitute")]

    first = await choices("a")
    assert first == await choices("a")
    assert first != await choices("b")
    assert set(first) == {1, 2, 3}


async def test_substitutes_of_a_game_decide_independently(harness: Harness) -> None:
    played = await harness.play_one(failing(harness, 1), failing(harness, 1), FIRST, RANDOM, heap=300)
    own: list[list[int]] = [[], []]
    for line in lines_of(played, "decision"):
        if line.get("substitute"):
            own[line["seat"]].append(line["action"]["count"])
    assert own[0][:20] != own[1][:20]


# -- retries ----------------------------------------------------------------------------------------------------------


async def test_retry_saves_a_bot_and_is_in_the_record(harness: Harness) -> None:
    bot = harness.bot("""
        ready()
        answer(receive("act"), index=9)
        fault = receive("fault")
        act = receive("act")
        report(f"{fault['code']} {act['id']}")
        answer(act)
        send_bytes(b"oops\\n") if receive("act") else None
    """)
    played = checked(await harness.play_one(bot, FIRST, retries=1))
    assert harness.all_reported() == ["illegal_action 2"]
    assert played.outcome.faults == [None, None]
    kinds = [(line["type"], line.get("seat"), line.get("retry")) for line in record(played) if line["type"] != "chance"]
    assert kinds[:3] == [("game", None, None), ("fault", 0, True), ("decision", 0, None)]
    assert [(line["code"], line["retry"]) for line in lines_of(played, "fault")] == [
        ("illegal_action", True),
        ("bad_message", True),
    ]


async def test_exhausted_retries_eliminate_a_bot_and_are_all_in_the_record(harness: Harness) -> None:
    bot = harness.bot("ready()\nwhile True: answer(receive('act'), index=9)")
    played = checked(await harness.play_one(bot, FIRST, retries=2))
    assert played.outcome.ranks == [2, 1]
    assert [line.get("retry", False) for line in lines_of(played, "fault")] == [True, True, False]
    assert lines_of(played, "result")[0]["faults"] == ["illegal_action", None]


async def test_no_retry_after_a_crash(harness: Harness) -> None:
    played = checked(await harness.play_one(harness.bot("ready(); receive('act'); sys.exit(1)"), FIRST, retries=5))
    assert [line.get("retry", False) for line in lines_of(played, "fault")] == [False]


# -- the next game ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("short_grace")
@pytest.mark.parametrize(
    "fault",
    ["sys.exit(1)", "send_bytes(b'oops\\n')", "answer(receive('act'), index=9)", "send_bytes(b'x' * 2_000_000)"],
)
async def test_next_game_is_played_by_a_fresh_process(harness: Harness, fault: str) -> None:
    first_id, second_id = (game.public_id for game in rotations(2, 2, "seed", rotate=False))
    bot = harness.bot(f"""
        ready()
        game = receive("start")["game_id"]
        report(f"{{os.getpid()}} {{game}}")
        if game == "{first_id}":
            {fault}
    """)
    failed, fine = await harness.play(bot, FIRST, deals=2)
    assert failed.outcome.faults[0] is not None
    assert fine.outcome.faults == [None, None]
    (first, game), (second, next_game) = [line.split() for line in harness.all_reported()]
    assert (game, next_game) == (first_id, second_id)
    assert first != second


@pytest.mark.slow
async def test_next_game_is_played_by_a_fresh_process_while_the_failed_one_is_still_running(harness: Harness) -> None:
    first = next(rotations(1, 2, "seed"))
    bot = harness.bot(
        "ready(); game = receive('start')['game_id']\n"
        f"if game == '{first.public_id}': send_bytes(b'oops\\n'); wait_forever()"
    )
    failed, fine = await harness.play(bot, FIRST, deals=2)
    assert failed.outcome.faults[0] is not None
    assert fine.outcome.faults == [None, None]


async def test_game_of_the_dragon_goes_on_after_a_fault(harness: Harness) -> None:
    played = checked(await harness.play_one(failing(harness, 9), FIRST, RANDOM, game=YearOfTheDragon))
    assert played.outcome.ranks[0] == 3
    assert len(lines_of(played, "round")) == 12


# -- games without chance ---------------------------------------------------------------------------------------------


async def test_games_without_chance_have_a_hash_of_their_decisions_which_follows_from_the_record(
    harness: Harness,
) -> None:
    with registered(SealedBids, narrator=NARRATOR):
        repeated = await harness.play(FIRST, FIRST, deals=2, game=SealedBids)
        other = await harness.play_one(FIRST, RANDOM, game=SealedBids)
        for played in (*repeated, other):
            assert played.record is not None
            data = played.record.read_bytes()
            header = next(header for _, header in first_and_last_lines(data) if isinstance(header, GameLine))
            assert decisions_hash_of(data, header) == played.outcome.decisions_hash
    first, second = (played.outcome.decisions_hash for played in repeated)
    assert first == second != other.outcome.decisions_hash
    assert (await harness.play_one(FIRST, FIRST)).outcome.decisions_hash == ""  # with chance
