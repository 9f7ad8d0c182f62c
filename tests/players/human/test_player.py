"""Persons in a match, at a terminal that answers by itself: whole games, hidden information, clocks, stopping."""

import os
import re
import sys
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import pytest
from msgspec import Raw

from protocol.messages import Clock, Start
from referee import Replay
from referee.games import Game, find_game, new_game
from referee.games.narrator import PlainNarrator
from referee.games.placed_names import place_names
from referee.players.clock import TimeControl
from referee.players.human import HotSeat
from referee.players.human.terminal import ConsoleTerminal
from referee.testing import encode
from tests.games.playing import games_for_people
from tests.players.human.fake_terminal import FakeTerminal, first_choice
from tests.playing import match_of
from tournaments.play.events import LiveEvent, Notice
from tournaments.play.interruption import Interruption
from tournaments.play.match import MatchResult, play_match
from tournaments.play.match_spec import MatchError

SHORT: Final = TimeControl(move=0.05, margin=0.0)
TILES: Final = """
colours = ["green", "pink", "white"]

[[tile]]
edges = "wooo"
parts = ["green"]
picture = "advisors"
count = 2
copies = 3

[[tile]]
edges = "waoo"
parts = ["pink"]
picture = "dragon"
count = 1
copies = 3

[[tile]]
edges = "wooa"
parts = ["green", "white"]
copies = 4
"""
"""Few tiles, so that games are short."""


class RedRooms(PlainNarrator):
    """A narrator with a word of its own that is also a bot's name."""

    styles = (("red", "red"),)


games = pytest.mark.parametrize("game", games_for_people())


@pytest.fixture(scope="module")
def few_tiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Options by game with which it is short."""
    file = tmp_path_factory.mktemp("tiles") / "few.toml"
    file.write_text(TILES)
    return defaultdict(dict, {"forbidden_city": {"tile_set": str(file)}})


async def play(
    terminal: FakeTerminal,
    *bots: str,
    game: str = "year_of_the_dragon",
    control: TimeControl | None = None,
    deals: int = 1,
    records: Path | None = None,
    **options: Any,
) -> MatchResult:
    """A match in which each deal is played once."""
    interruption = Interruption()
    seat = HotSeat(terminal, interruption.interrupt, control)
    spec = match_of(*bots, game=game, options=options, deals=deals, rotate=False, seed="person")
    if records is not None:
        spec = msgspec.structs.replace(spec, records=records, keep_records=True)
    return await play_match(spec, interruption=interruption, person=seat.player)


@games
async def test_a_person_plays_a_whole_game_with_a_record_and_sees_how_it_ends(
    game: str, few_tiles: dict[str, Any], tmp_path: Path
) -> None:
    terminal = FakeTerminal(first_choice)
    result = await play(terminal, "human", "builtin:random", game=game, records=tmp_path / "r", **few_tiles[game])
    (played,) = result.games
    assert played.outcome.faults == [None, None]
    assert played.outcome.stopped is None
    assert played.record is not None
    replay = Replay(played.record)
    replay.check()
    assert [player.name for player in replay.header.players] == ["human", "random"]
    text = terminal.text
    assert find_game(game).title in text
    assert "No clock runs for a person" in text
    if game == "year_of_the_dragon":
        assert re.search(r"\n  Order of play: .*\n\nRound 2\b", text), "there is no empty line before a heading"
    ending = text.partition("The game is over")[2]
    for score in played.outcome.scores:
        assert str(score) in ending
    assert "seat 0: human" in text
    assert "seat 1: random" in text


@games
async def test_persons_at_one_terminal_hand_over_and_never_see_the_screen_of_another(
    game: str, few_tiles: dict[str, Any]
) -> None:
    terminal = FakeTerminal(first_choice)
    result = await play(terminal, "ann=human", "bob=human", game=game, **few_tiles[game])
    assert result.games[0].outcome.stopped is None
    turns = [screen for screen in terminal.screens if "it is your turn" in screen]
    assert len(turns) > 10
    for screen in turns:
        whose = re.search(r"(\w+), it is your turn\. Press Enter when nobody else is looking\.", screen)
        assert whose is not None
        assert screen.startswith(whose[0]), "something was shown before the screen was handed over"
        assert len(re.findall("it is your turn", screen)) == 1
        if game == "forbidden_city":
            other = {"ann": "bob", "bob": "ann"}[whose[1]]
            assert re.search(rf"{whose[1]} .*, you\)", screen)
            assert not re.search(rf"{other} .*, you\)", screen)


async def test_a_person_alone_at_the_terminal_hands_nothing_over() -> None:
    terminal = FakeTerminal(first_choice)
    await play(terminal, "human", "builtin:first", "builtin:random", players="3")
    assert len(terminal.screens) == 1


@pytest.mark.slow
async def test_the_next_game_begins_when_the_person_is_ready() -> None:
    terminal = FakeTerminal(first_choice)
    result = await play(terminal, "human", "builtin:random", deals=2)
    assert len(result.games) == 2
    assert terminal.text.count("Press Enter to begin game 2.") == 1
    assert terminal.text.count("The game is over") == 2


async def test_q_stops_the_match_and_keeps_finished_games() -> None:
    def stop_in_second(prompt: str, screen: str) -> str:
        return "q" if "begin game 2" in screen and prompt != "confirm? > " else first_choice(prompt, screen)

    terminal = FakeTerminal(stop_in_second)
    result = await play(terminal, "human", "builtin:random", deals=3)
    assert len(result.games) == 1
    assert result.interrupted


@pytest.mark.parametrize("typed", ["q", None])
async def test_stopping_at_once_keeps_nothing(typed: str | None) -> None:
    terminal = FakeTerminal(lambda prompt, screen: typed)
    result = await play(terminal, "human", "builtin:random")
    assert result.interrupted
    assert result.games == []


async def test_with_a_clock_a_person_who_does_not_answer_is_out_for_timeout() -> None:
    terminal = FakeTerminal(None)
    result = await play(terminal, "human", "builtin:random", control=SHORT)
    (played,) = result.games
    assert played.outcome.result().faults == ["timeout", None]
    assert "Your clock: 0.05 s for each decision" in terminal.text
    assert "human is out of this game: no choice (draft) within 0.05 s" in terminal.text


async def test_with_a_clock_a_person_in_time_plays_on() -> None:
    terminal = FakeTerminal(first_choice)
    control = TimeControl(move=None, bank=600.0, increment=2.0)
    result = await play(terminal, "human", "builtin:random", control=control)
    assert result.games[0].outcome.faults == [None, None]
    assert "600 s for all decisions of a game and 2 s more after each" in terminal.text


async def test_a_clock_that_is_not_enforced_is_none() -> None:
    terminal = FakeTerminal(first_choice)
    result = await play(terminal, "human", "builtin:random", control=TimeControl(move=1e-9, margin=0, enforced=False))
    assert result.games[0].outcome.faults == [None, None]
    assert "No clock runs" in terminal.text


async def test_a_narrow_and_low_terminal_is_enough(few_tiles: dict[str, Any]) -> None:
    terminal = FakeTerminal(first_choice, size=(20, 5))
    game = "forbidden_city"
    result = await play(terminal, "human", "builtin:random", game=game, **few_tiles[game])
    assert result.games[0].outcome.faults == [None, None]
    assert "n: next page" in terminal.text


@pytest.mark.slow
async def test_long_and_equal_names_are_told_apart_on_the_table() -> None:
    name = "a-name-that-is-much-too-long-for-a-table"
    terminal = FakeTerminal(first_choice)
    await play(terminal, "builtin:first", f"{name}1=human", f"{name}2=builtin:random", players="3")
    shown = re.findall(r"seat \d: (.*)", terminal.text)
    assert len(set(shown)) == 3
    assert max(map(len, shown)) <= 20
    assert max(map(len, terminal.text.splitlines())) <= 80


async def test_without_a_terminal_or_a_presenter_no_person_plays(pebbles_known: None) -> None:
    spec = match_of("human", "builtin:random", deals=1)
    with pytest.raises(MatchError, match="a person needs a terminal"):
        await play_match(spec)
    with pytest.raises(MatchError, match="can't be played by a person"):
        await play(FakeTerminal(first_choice), "human", "builtin:random", game="pebbles")


@pytest.mark.slow
async def test_one_game_is_played_at_a_time() -> None:
    interruption, terminal = Interruption(), FakeTerminal(first_choice)
    spec = match_of("human", "builtin:random", deals=2, rotate=False, concurrency=4)
    notices: list[LiveEvent] = []
    seat = HotSeat(terminal, interruption.interrupt)
    result = await play_match(spec, interruption=interruption, person=seat.player, observer=notices.append)
    assert result.match.plan.conditions.games_at_a_time == 1
    texts = [event.text for event in notices if isinstance(event, Notice)]
    assert texts == ["a person plays one game at a time: --concurrency 4 has no effect"]


class OnlyWhatIsSent:
    """A game of which a player can only use what a bot would be sent."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        assert name in ("turn", "legal_actions", "canonical", "observe"), f"{name} of the game itself was used"
        if name == "observe":
            return self._observe
        return getattr(self._game, name)

    def _observe(self, seat: int) -> Any:
        turn = self._game.turn
        assert turn is not None
        assert seat == turn.seat
        return self._game.observe(seat)


@games
async def test_a_person_is_shown_nothing_but_what_a_bot_would_be_sent(game: str) -> None:
    terminal = FakeTerminal(first_choice)
    player = HotSeat(terminal, lambda: None).player("human")
    playing = new_game(game, "sent", players=2)
    start = Start(
        game_id="1",
        game=game,
        config=playing.public_config(),
        seat=0,
        players=["human", "other"],
        clock=Clock(),
        bot_seed=0,
    )
    await player.begin(start)
    random, since = Random("other"), 0
    for _ in range(30):
        assert playing.turn is not None
        if playing.turn.seat == 0 and not playing.is_forced():
            events = [Raw(encode(event)) for event in playing.events_since(0, since)]
            since = len(playing.log)
            guarded: Any = OnlyWhatIsSent(playing)
            playing.apply((await player.decide(guarded, events)).action)
        else:
            playing.apply(random.choice(playing.legal_actions()))
    assert "At stake" in terminal.text


async def test_a_name_has_the_colour_of_its_seat_only_where_it_is_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, its = os.openpty()
    with os.fdopen(its, "r+b", buffering=0) as raw, os.fdopen(its, "w", encoding="utf-8", closefd=False) as text:
        monkeypatch.setattr(sys, "stdin", raw)
        monkeypatch.setattr(sys, "stdout", text)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        terminal = ConsoleTerminal()
        terminal.use_names(["red"], RedRooms)
        [red] = place_names(["red"])
        await terminal.show([f"  {red} enters a red room"])
        assert os.read(ours, 1000).decode() == "  \x1b[36mred\x1b[0m enters a \x1b[31mred\x1b[0m room\r\n"
    os.close(ours)
