"""What seats are sent: every event that they may know, in order, once; forced decisions; seeds; the record's lines."""

import json
from typing import Any

import msgspec
import pytest

from protocol.messages import Result, Start
from protocol.record import PlayerInfo
from referee import game_runner
from referee.bots.policies import POLICIES
from referee.game_runner import GameRunner, GameSetup
from referee.games import Game, config_from
from referee.games.interface import ALL
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.outcome import Fault, Outcome
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import TimeControl
from referee.players.player import Choice, PlayerFault
from referee.record.replay import Replay
from referee.record.writer import NoRecord
from tests.game_runner.harness import FIRST, Harness, lines_of, record
from tests.game_runner.pebbles import Pebbles

Json = dict[str, Any]


class RecordingPlayer(BuiltinPlayer):
    """Plays at random and keeps what it receives; commits a fault at the question `fault_at`, counted from 1."""

    def __init__(self, fault_at: int = -1) -> None:
        super().__init__(POLICIES["random"])
        self.fault_at = fault_at
        self.started: list[Start] = []
        self.asked: list[tuple[int, str, int]] = []
        self.received: list[list[Json]] = []
        self.game: Game | None = None
        self.ended: Result | None = None
        self.dismissed: list[Fault] = []

    async def begin(self, start: Start) -> None:
        self.started.append(start)
        await super().begin(start)

    async def decide(self, game: Game, events: list[msgspec.Raw]) -> Choice:
        assert game.turn is not None
        self.game = game
        self.received.append(json.loads(msgspec.json.encode(events)))
        self.asked.append((game.turn.seat, game.turn.decision, len(game.legal_actions())))
        if len(self.asked) == self.fault_at:
            raise PlayerFault(Fault("timeout", "asleep"))
        return await super().decide(game, events)

    async def dismiss(self, fault: Fault) -> None:
        self.dismissed.append(fault)

    async def end(self, game_id: str, result: Result, events: list[msgspec.Raw]) -> None:
        self.received.append(json.loads(msgspec.json.encode(events)))
        self.ended = result


async def play_game(seats: list[RecordingPlayer], game: type[Game], **options: Any) -> Outcome:
    """Play a game between these players."""
    setup = GameSetup(
        game_id="1",
        public_id="1",
        game=game,
        config=config_from(game.Config, {"players": len(seats), **options}),
        seed="messages",
        names=[f"n{seat}" for seat in range(len(seats))],
        bot_seeds=[1000 + seat for seat in range(len(seats))],
        control=TimeControl(),
    )
    return await GameRunner(setup, seats, [PlayerInfo(name="x") for _ in seats], NoRecord()).play()


def known_to(game: Game, seat: int) -> list[Json]:
    """All that happened in the whole game that a seat may know."""
    events = [event for event, audience in game.log if audience is ALL or audience == seat]
    known: list[Json] = json.loads(msgspec.json.encode(events))
    return known


GAMES = {
    "pebbles": (Pebbles, {"heap": 40}),
    "dragon": (YearOfTheDragon, {"great_wall": True, "super_event": "random"}),
}


@pytest.mark.parametrize(("game", "options"), GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("players", [2, 3])
async def test_events_to_a_seat_are_complete_in_order_and_sent_once(
    game: type[Game], options: Json, players: int
) -> None:
    seats = [RecordingPlayer() for _ in range(players)]
    outcome = await play_game(seats, game, **options)
    for seat, seat_player in enumerate(seats):
        assert seat_player.game is not None
        received = [event for events in seat_player.received for event in events]
        assert received == known_to(seat_player.game, seat)
        assert seat_player.ended == Result(scores=outcome.scores, ranks=outcome.ranks, faults=[None] * players)


async def test_events_go_on_for_the_others_after_a_fault(harness: Harness) -> None:
    seats = [RecordingPlayer(), RecordingPlayer(fault_at=2), RecordingPlayer()]
    outcome = await play_game(seats, Pebbles, heap=40)
    for seat in (0, 2):
        game = seats[seat].game
        assert game is not None
        assert [event for events in seats[seat].received for event in events] == known_to(game, seat)
        assert seats[seat].dismissed == []
    assert outcome.faults[1] is not None
    assert [fault.message for fault in seats[1].dismissed] == ["asleep"]
    assert seats[1].ended is None
    assert len(seats[1].asked) == 2


async def test_secret_of_a_seat_is_sent_to_that_seat_alone() -> None:
    seats = [RecordingPlayer() for _ in range(3)]
    await play_game(seats, Pebbles, heap=40)
    for seat, seat_player in enumerate(seats):
        events = [event for events in seat_player.received for event in events]
        draws = [event["what"] for event in events if event["type"] == "chance"]
        assert draws == ["luck", f"secret_{seat}"]
        assert {event["to"] for event in events if event["type"] == "private_note"} == {seat}


# -- forced decisions -------------------------------------------------------------------------------------------------


async def test_forced_decision_is_taken_by_the_referee_and_nobody_is_asked() -> None:
    seats = [RecordingPlayer(), RecordingPlayer()]
    outcome = await play_game(seats, Pebbles, heap=1)
    assert [seat_player.asked for seat_player in seats] == [[], []]
    assert outcome.asked == 0
    assert outcome.scores == [1, 0]
    for seat_player in seats:
        forced = [event for events in seat_player.received for event in events if event["type"] == "decision"]
        assert forced == [{"type": "decision", "seat": 0, "decision": "take", "action": {"count": 1}, "forced": True}]


async def test_nobody_is_ever_asked_a_forced_decision_of_the_dragon() -> None:
    seats = [RecordingPlayer(), RecordingPlayer(), RecordingPlayer()]
    outcome = await play_game(seats, YearOfTheDragon)
    assert all(legal > 1 for seat_player in seats for _, _, legal in seat_player.asked)
    assert outcome.asked == sum(len(seat_player.asked) for seat_player in seats) > 50
    events = [event for events in seats[0].received for event in events if event["type"] == "decision"]
    assert sum(not event.get("forced") for event in events) == outcome.asked
    assert any(event.get("forced") for event in events)


async def test_forced_decisions_are_marked_in_the_record_and_have_no_time(harness: Harness) -> None:
    played = await harness.play_one(FIRST, harness.bot(), game=YearOfTheDragon)
    decisions = lines_of(played, "decision")
    assert sum("forced" not in line for line in decisions) == played.outcome.asked
    assert all(("ms" in line) != line.get("forced", False) for line in decisions)
    assert any(line.get("forced") for line in decisions)


async def test_forced_decision_of_a_substitute_is_marked_as_both(harness: Harness, pebbles_known: None) -> None:
    played = await harness.play_one(FIRST, harness.bot("sys.exit(1)"), FIRST, heap=2)
    *_, last = lines_of(played, "decision")
    assert (last["seat"], last["forced"], last["substitute"]) == (1, True, True)
    assert played.record is not None
    Replay(played.record).check()


# -- the start, and what the record holds -----------------------------------------------------------------------------


async def test_each_seat_learns_where_it_sits_and_has_a_seed_of_its_own() -> None:
    seats = [RecordingPlayer() for _ in range(3)]
    await play_game(seats, YearOfTheDragon, super_event="random")
    starts = [seat_player.started for seat_player in seats]
    assert [[start.seat for start in started] for started in starts] == [[0], [1], [2]]
    assert [started[0].bot_seed for started in starts] == [1000, 1001, 1002]
    assert all(started[0].players == ["n0", "n1", "n2"] for started in starts)
    assert all(started[0].config.super_event not in ("random", "none") for started in starts)


async def test_bot_is_sent_the_limits_the_game_and_its_seat(harness: Harness) -> None:
    bot = harness.bot("""
        hello = receive("hello")
        report(json.dumps(hello))
        send("ready", protocol=1, name="A \\x07 Bot", version="1.2", author="me")
        report(json.dumps(receive("start")))
    """)
    played = await harness.play_one(FIRST, bot, control=TimeControl(move=20, bank=60, increment=0.5, startup=30))
    hello, start = map(json.loads, harness.all_reported())
    assert hello.pop("referee")
    assert hello == {
        "type": "hello",
        "protocol": 1,
        "limits": {
            "line_bytes": 1048576,
            "info_bytes": 4096,
            "startup_ms": 30_000,
            "margin_ms": 50,
            "quit_ms": 1000,
            "memory_mb": 2048,
        },
    }
    clock = {"move_ms": 20_000, "bank_ms": 60_000, "increment_ms": 500}
    assert start == {
        "type": "start",
        "game_id": played.game.public_id,
        "game": "pebbles",
        "config": {"players": 2, "heap": 7, "filler": 0},
        "seat": 1,
        "players": ["first", bot.name],
        "clock": clock,
        "bot_seed": played.game.bot_seeds[1],
    }
    header = record(played)[0]
    assert header["players"] == [
        {"name": "first"},
        {"name": bot.name, "bot": "A \N{REPLACEMENT CHARACTER} Bot", "version": "1.2", "author": "me"},
    ]
    assert (header["seed"], header["clock"], header["game_id"]) == (played.game.seed, clock, "0001-1")


async def test_info_is_in_the_record_beside_the_decision(harness: Harness) -> None:
    bot = harness.bot("ready(); act = receive('act'); answer(act, index=2, info={'why': ['greed']})")
    played = await harness.play_one(bot, FIRST)
    first, second, *_ = lines_of(played, "decision")
    assert (first["action"], first["info"]) == ({"count": 3}, {"why": ["greed"]})
    assert "info" not in second


async def test_a_bot_fills_only_its_share_of_a_record_which_says_so_once(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_runner, "BOT_BYTES", 2 * 50)
    bot = harness.bot("""
        ready()
        while act := receive("act"):
            answer(act, index=0, info="x" * 18)
    """)
    played = await harness.play_one(bot, FIRST, heap=40)
    own = [line.get("info") for line in lines_of(played, "decision") if line["seat"] == 0]
    assert own[:3] == ["x" * 18] * 2 + [game_runner.FULL]
    assert len(own) > 3
    assert set(own[3:]) == {None}


async def test_retried_faults_fill_the_same_share(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_runner, "BOT_BYTES", 2 * 300)
    bot = harness.bot("""
        ready()
        for _ in range(8):
            answer(receive("act"), index=9)
        while act := receive("act"):
            answer(act, index=0, info="x")
    """)
    played = await harness.play_one(bot, FIRST, retries=8)
    retried = [line["message"] for line in lines_of(played, "fault")]
    assert 1 < len(retried) < 8
    assert [message == game_runner.FULL for message in retried] == [False] * (len(retried) - 1) + [True]
    assert all("info" not in line for line in lines_of(played, "decision"))


async def test_events_sent_to_a_seat_are_those_of_the_record(harness: Harness) -> None:
    bot = harness.bot("""
        ready()
        received = []
        for message in messages():
            received += message.get("events", [])
            if message["type"] == "act":
                answer(message)
            elif message["type"] == "end":
                break
        report("\\n".join(json.dumps(event) for event in received if event["type"] in ("decision", "taken")))
    """)
    played = await harness.play_one(FIRST, bot, heap=12)
    received = [json.loads(line) for line in harness.all_reported()]
    recorded = [line for line in record(played) if line["type"] in ("decision", "taken")]
    assert received == [{name: value for name, value in line.items() if name != "ms"} for line in recorded]
