"""Playthroughs: everything that the rules do in a seeded game of random decisions, as text for review.

# year_of_the_dragon {"players":2}, seed …         what is played; then, in the order in which it happens:
{type:change,seat:1,what:yuan,by:3,to:5,…}          an event for all seats
[1] {type:…}                                        an event for seat 1 alone; [hidden] is for the record alone
seat 1 sees .players.0.yuan = 5; .round = 2         what changed for a seat since it was last asked
seat 1 choose_action 2 of 7: {…} | {…} | …          a decision: its place in `legal`, and all that was legal
= {scores:[…],ranks:[…]}                            the end
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from referee.games import Game, new_game
from referee.games.interface import ALL, NOBODY
from tests.golden.compact import compact, differences, plain


class Playthrough(NamedTuple):
    """A game of the registry with its options; the name of its file is also its seed."""

    game: str
    options: Mapping[str, Any]


def dragon(players: int, **options: Any) -> Playthrough:
    """In the Year of the Dragon."""
    return Playthrough("year_of_the_dragon", {"players": players, **options})


def city(players: int, **options: Any) -> Playthrough:
    """The Forbidden City."""
    return Playthrough("forbidden_city", {"players": players, **options})


PLAYTHROUGHS: dict[str, Playthrough] = {
    "dragon-2": dragon(2),
    "dragon-5": dragon(5),
    "dragon-2-first-edition-volcanic-eruption": dragon(2, edition="first", super_event="volcanic_eruption"),
    "dragon-4-earthquake": dragon(4, super_event="earthquake"),
    "dragon-3-flood": dragon(3, super_event="flood"),
    "dragon-2-tornado": dragon(2, super_event="tornado"),
    "dragon-4-great-wall-sunrise": dragon(4, great_wall=True, super_event="sunrise"),
    "dragon-3-great-wall-charter": dragon(3, great_wall=True, super_event="charter"),
    "dragon-2-great-wall-solar-eclipse": dragon(2, great_wall=True, super_event="solar_eclipse"),
    "dragon-2-first-edition-great-wall-random": dragon(2, edition="first", great_wall=True, super_event="random"),
    "city-2": city(2),
    "city-3-advanced": city(3, start_tile="advanced"),
    "city-4": city(4),
}
"""By the name of the file. A new game adds its configurations here: a dozen lines cover it."""


def play(name: str) -> Iterator[str]:
    """The lines of a playthrough."""
    playthrough = PLAYTHROUGHS[name]
    game = new_game(playthrough.game, name, **playthrough.options)
    random = Random(name)
    yield f"# {playthrough.game} {compact(playthrough.options)}, seed {name}"
    yield f"# seen by bots as {compact(game.public_config())}"
    seen: dict[int, Any] = {}
    cursor = 0
    while True:
        yield from (event_line(entry) for entry in game.log[cursor:])
        cursor = len(game.log)
        if game.turn is None:
            break
        seat = game.turn.seat
        if not game.is_forced():
            yield seen_line(game, seat, seen)
        yield decision_line(game, random)
    for seat in range(game.config.players):
        yield seen_line(game, seat, seen)
    yield f"= {compact(game.ranking())}"


def event_line(entry: tuple[Any, int | None]) -> str:
    """An entry of the log, with its audience where that is not everyone."""
    event, audience = entry
    mark = "" if audience is ALL else "[hidden] " if audience == NOBODY else f"[{audience}] "
    return mark + compact(event)


def seen_line(game: Game, seat: int, seen: dict[int, Any]) -> str:
    """The seat's current observation, as the difference from the one it had `seen` when it was last asked."""
    before, seen[seat] = seen.get(seat, {}), plain(game.observe(seat))
    return f"seat {seat} sees {'; '.join(sorted(differences(before, seen[seat])))}"


def decision_line(game: Game, random: Random) -> str:
    """A decision with its legal actions. Takes it."""
    turn, legal = game.turn, game.legal_actions()
    assert turn is not None
    place = random.randrange(len(legal))
    line = f"seat {turn.seat} {turn.decision} {place} of {len(legal)}: {' | '.join(map(compact, legal))}"
    game.apply(legal[place])
    return line
