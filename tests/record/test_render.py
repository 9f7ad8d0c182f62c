"""`referee record show`: a recorded game is rendered completely, in order, in English."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from referee.games import Event, Game, config_from, new_game
from referee.games.interface import DecisionEvent
from referee.games.year_of_the_dragon import YearOfTheDragon, log, tiles
from referee.games.year_of_the_dragon.narrator import DragonNarrator
from referee.outcome import Fault
from referee.players.player import Player
from referee.record.reader import TruncatedRecord
from referee.record.render import render
from referee.record.replay import Replay
from tests.record.played import (
    FaultyPlayer,
    Line,
    RetryingPlayer,
    lines_of,
    record_game,
    render_until_error,
    write,
)

NAMES = ("Anna", "Ben", "Cleo", "Dora", "Emil")
ESCAPE = "\x1b"
NOBODY: Mapping[int, Player | Fault] = {}
Play = Callable[..., "RecordedGame"]


class RecordedGame(NamedTuple):
    """A game that was played, by its record."""

    path: Path

    def text(self) -> list[str]:
        """The rendered text."""
        return list(render(Replay(self.path)))

    def lines(self) -> list[Line]:
        """The lines of the record."""
        return lines_of(self.path)


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Plays a game of the Dragon with a record, by random decisions where no players are given."""

    def play(players: int = 3, seated: Mapping[int, Player | Fault] = NOBODY, **options: object) -> RecordedGame:
        config = config_from(YearOfTheDragon.Config, {"players": players, **options})
        path = tmp_path / "game.jsonl"
        record_game(path, YearOfTheDragon, config, NAMES[:players], seated)
        return RecordedGame(path)

    return play


def numbers_in(line: str) -> list[int]:
    """The numbers in a line, from left to right."""
    return [int(number) for number in re.findall(r"\d+", line)]


def after(text: Sequence[str], heading: str) -> list[str]:
    """The indented lines below a heading."""
    start = next(place for place, line in enumerate(text) if line.startswith(heading)) + 1
    rest = text[start:]
    end = next((place for place, line in enumerate(rest) if not line.startswith(" ")), len(rest))
    return list(rest[:end])


# -- a whole game ---------------------------------------------------------------------------------------------


def test_the_header_says_what_is_played_and_by_whom(play: Play) -> None:
    text = play(great_wall=True, super_event="earthquake").text()
    assert text[0] == "In the Year of the Dragon"
    assert text[1:6] == [
        "  players 3, edition anniversary, great wall yes, super event earthquake",
        "  seat 0: Anna  (builtin)",
        "  seat 1: Ben   (builtin)",
        "  seat 2: Cleo  (builtin)",
        "  seed show, deal 1, rotation 1, recorded by referee 0.1.0",
    ]


def test_a_super_event_left_to_chance_is_named_as_drawn(play: Play) -> None:
    game = play(super_event="random")
    drawn = next(line["value"] for line in game.lines() if line.get("what") == "super_event")
    assert f"super event {drawn.replace('_', ' ')} (random)" in game.text()[1]


def test_every_round_is_rendered_once_and_in_order_with_its_event_and_its_groups(play: Play) -> None:
    game = play()
    draws = [line for line in game.lines() if line["type"] == "chance"]
    row = next(line["value"] for line in draws if line["what"] == "events")
    groups = [line["value"] for line in draws if line["what"] == "action_groups"]
    text = game.text()
    readable = [event.replace("_", " ").replace("mongol", "Mongol") for event in row]
    headings = [line for line in text if line.startswith("Round")]
    assert headings == [f"Round {number} of 12: {event}" for number, event in enumerate(readable, start=1)]
    for heading, event, dealt in zip(headings, readable, groups, strict=True):
        rendered = after(text, f"{heading}")
        cards = [", ".join(card.replace("_", " ") for card in group) for group in dealt]
        assert rendered[0] == "  Groups   " + " | ".join(f"{number}: {group}" for number, group in enumerate(cards))
        phases = [line for line in rendered if re.match(r"  \w", line)]
        strikes = next(line for line in phases if line.startswith(f"  {event[0].upper()}{event[1:]}"))
        persons = [] if heading.startswith("Round 12") else ["  Persons"]
        order = [line for line in phases if line in (strikes, "  Persons", "  Decay", "  Scoring")]
        assert [line for line in order if line != "  Decay"] == [*persons, strikes, "  Scoring"]
        if "  Decay" in order:
            assert order[-2] == "  Decay"


def test_the_scoring_of_each_round_adds_up_to_the_recorded_scores(play: Play) -> None:
    game = play()
    ends = [line for line in game.lines() if line["type"] == "round"]
    text = game.text()
    for end in ends:
        rendered = after(text, f"Round {end['round']} of")
        scoring = rendered[rendered.index("  Scoring") + 1 :]
        for name, score, line in zip(NAMES, end["scores"], scoring, strict=False):
            *parts, gained, total = numbers_in(line)
            assert line.split()[0] == name
            assert sum(parts) == gained
            assert total == score
        order = ", ".join(f"{NAMES[seat]} ({end['track'][seat]})" for seat in end["order"])
        assert scoring[3] == f"  Order of play: {order}"


def test_the_result_is_rendered_with_the_best_first(play: Play) -> None:
    game = play()
    result = game.lines()[-1]
    best_first = sorted(range(3), key=lambda seat: result["ranks"][seat])
    rendered = [line.split() for line in after(game.text(), "Result")]
    assert rendered == [
        [f"{place}.", NAMES[seat], str(result["scores"][seat])] for place, seat in enumerate(best_first, start=1)
    ]


def test_thinking_times_are_left_out_where_there_are_none(play: Play) -> None:
    assert not any("Thinking" in line for line in play().text())


def test_thinking_times_are_the_mean_and_the_most(play: Play) -> None:
    game = play(2, {0: RetryingPlayer()})
    spent = [line["ms"] for line in game.lines() if line["type"] == "decision" and line["seat"] == 0 and "ms" in line]
    mean, longest = sum(spent) / len(spent), max(spent)
    assert after(game.text(), "Thinking times") == [
        f"  Anna  mean {mean:.1f} ms, max {longest:.1f} ms in {len(spent)} decisions"
    ]


@pytest.mark.slow
def test_no_identifiers_are_rendered_and_lines_fit_a_screen(play: Play) -> None:
    for super_event in tiles.SUPER_EVENTS:
        game = play(5, great_wall=True, super_event=super_event)
        for line in game.text():
            assert not re.search(r"[_\[\]{}'…]|UNSET|None|True|False", line)
            assert len(line) <= 115
        game.path.unlink()


# -- every event is narrated -----------------------------------------------------------------------------------


def change_wording(event: log.Change) -> str:
    """The expected wording of a change of a number."""
    if event.reason == "occupied_group":
        return f"(occupied: {event.by} yuan)"
    if event.reason in ("palaces", "court_ladies", "privileges"):
        return f"{event.reason.replace('_', ' ')} {event.by}"
    if event.reason == "privilege":
        return f"buys a {event.what.split('_')[0]} one" if event.by > 0 else f"for {-event.by} yuan, now {event.to}"
    if event.what == "track":
        return f"track {event.to}" if event.by > 0 else f"drops from {-event.by} to 0 on the track"
    return f"{abs(event.by)} {readable_name(event.what)[:-1]}.*, now {event.to}"


def palace_wording(event: log.PalaceChanged) -> str:
    """The expected wording of a palace."""
    if event.reason in ("earthquake", "decay"):
        return f"now {event.floors} high" if event.floors else f"loses palace {event.palace}|it is gone"
    return f"palace {event.palace} to {event.floors} floors" if event.floors > 1 else f"new palace {event.palace}"


def left_wording(event: log.PersonLeft) -> str:
    """The expected wording of a person who leaves."""
    how = {"refused": " is turned away", "replaced": " makes way", "earthquake": " must leave"}
    return readable_name(event.person) + how.get(event.reason, f" from palace {event.palace}")


def readable_name(name: str) -> str:
    """A name from the rules as people write it."""
    return {"score": "points"}.get(name, name.replace("_", " "))


WORDING: dict[type[Event], Callable[[Any], str]] = {
    log.Change: change_wording,
    log.PalaceChanged: palace_wording,
    log.PersonLeft: left_wording,
    log.PersonPlaced: lambda event: f"{event.age} {readable_name(event.person)} into palace {event.palace}",
    log.EventStrikes: lambda event: f"(?i){readable_name(event.event)}",
    log.WallBuilt: lambda event: f"for tile {event.length}, {readable_name(event.wall_tile)}",
    log.RoundEnd: lambda event: ".*".join(f"total {score}" for score in event.scores),
    log.FinalScore: lambda event: rf"{event.persons} +{event.monks} +{event.money} +{event.score}",
}
"""The expected wording of each type of event, as a regular expression."""


def steps(game: Game, random: Random) -> Iterator[list[Event]]:
    """Play at random; yields the events of the setup and then those of each decision."""
    cursor = 0
    while True:
        yield [event for event, _ in game.log[cursor:]]
        cursor = len(game.log)
        if game.turn is None:
            return
        game.apply(random.choice(game.legal_actions()))


@pytest.mark.parametrize("great_wall", [False, True])
@pytest.mark.parametrize("super_event", ["none", *tiles.SUPER_EVENTS])
def test_every_event_is_narrated_when_it_happens(super_event: str, great_wall: bool) -> None:
    for players in (2, 3, 4, 5):
        options = {"players": players, "super_event": super_event, "great_wall": great_wall}
        game = new_game("year_of_the_dragon", seed=players, **options)
        assert isinstance(game, YearOfTheDragon)
        narrator = DragonNarrator(game, NAMES[:players])
        types = set()
        for events in steps(game, Random(f"{players}")):
            lines = list(narrator.narrate(events))
            text = " ".join(line.text for line in lines)
            for event in events:
                if type(event) in WORDING:
                    types.add(type(event))
                    assert re.search(WORDING[type(event)](event), text), event
                if isinstance(event, DecisionEvent):
                    assert lines
                    assert lines[0].joined or any(NAMES[event.seat] in line.text for line in lines)
        assert types == set(YearOfTheDragon.events) - (set() if great_wall else {log.WallBuilt})


@pytest.mark.parametrize("super_event", tiles.SUPER_EVENTS)
def test_a_super_event_is_announced_and_strikes_in_round_7_alone(play: Play, super_event: str) -> None:
    text = play(super_event=super_event).text()
    readable = readable_name(super_event)
    assert f"  super event in round 7: {readable}" in text
    assert next(line for line in text if line.startswith("Round 7")).endswith(f"and the super event: {readable}")
    strikes = [line for line in text if line.startswith(f"  {readable.capitalize()} (super event)")]
    assert len(strikes) == 1
    assert strikes[0] in after(text, "Round 7")


# -- faults and substitutes -----------------------------------------------------------------------------------


def test_a_fault_is_rendered_in_its_place_and_the_substitute_plays_on(play: Play) -> None:
    game = play(3, {1: FaultyPlayer(at=30, message=f"no answer{ESCAPE}[2J\nwithin 1000 ms")})
    lines = game.lines()
    fault = next(place for place, line in enumerate(lines) if line["type"] == "fault")
    rounds = sum(line["type"] == "round" for line in lines[:fault])
    text = game.text()
    fault_at = next(place for place, line in enumerate(text) if line.startswith("Ben is out"))
    assert text[fault_at] == "Ben is out: timeout: no answer\ufffd[2J\ufffdwithin 1000 ms; a substitute plays on"
    assert sum(line.startswith("Round") for line in text[:fault_at]) == rounds + 1
    assert any(" Ben " in line for line in text[fault_at + 1 :])
    assert after(text, "Result")[-1].split()[:2] == ["3.", "Ben"]
    assert after(text, "Result")[-1].endswith("out for timeout")


def test_a_fault_within_a_sentence_splits_it(play: Play) -> None:
    game = play(3, {1: FaultyPlayer(at=2)})
    text = game.text()
    fault_at = next(place for place, line in enumerate(text) if line.startswith("Ben is out"))
    assert text[fault_at - 1] == "    Ben drafts:"
    assert re.match(r"    … young .* into palace \d, track \d", text[fault_at + 1])


def test_a_retry_is_rendered(play: Play) -> None:
    text = play(2, {0: RetryingPlayer()}).text()
    assert "Anna may try again: bad message: stuttered" in text
    assert not any("is out" in line for line in text)


def test_a_game_that_stops_says_why_and_no_substitute_plays_on(play: Play) -> None:
    text = play(2, {1: Fault("crash", "never started")}).text()
    assert "Ben is out: crash: never started" in text
    assert "The game stops: only one bot was left without a fault" in text
    assert [line.split()[1] for line in after(text, "Result")] == ["Anna", "Ben"]


# -- truncated and invalid records ----------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [3, 20, 57, 90])
def test_a_truncated_record_is_rendered_as_far_as_it_goes(play: Play, kept: int) -> None:
    game = play()
    whole, lines = game.text(), game.lines()
    write(game.path, lines[:kept])
    text, error = render_until_error(game.path)
    assert isinstance(error, TruncatedRecord)
    assert text[-1] == f"The record breaks off here, after line {kept}: the game is unfinished."
    assert text[: len(text) - 4] == whole[: len(text) - 4]


def test_a_round_that_ends_where_the_record_is_truncated_is_rendered(play: Play) -> None:
    game = play()
    lines = game.lines()
    last = next(place for place, line in enumerate(lines) if line["type"] == "round") - 1
    assert lines[last]["type"] == "decision"
    write(game.path, lines[: last + 1])
    text, error = render_until_error(game.path)
    assert isinstance(error, TruncatedRecord)
    assert "  Scoring" in text


def test_an_invalid_record_is_rendered_up_to_the_first_wrong_line(play: Play) -> None:
    game = play()
    whole, lines = game.text(), game.lines()
    wrong = [place for place, line in enumerate(lines) if line.get("decision") == "choose_action"][4]
    lines[wrong]["action"] = {"kind": "card", "group": 7, "card": "taxes"}
    write(game.path, lines)
    text, error = render_until_error(game.path)
    assert error.line == wrong + 1
    assert text[-1].startswith(f"The record is wrong in line {wrong + 1}: ")
    assert text[:-2] == whole[: len(text) - 2]
    assert any(line.startswith("Round 2") for line in text)
