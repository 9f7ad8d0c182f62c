"""What the next event would bring every player as things stand, found by letting it strike a copy of the game."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from referee.games.interface import ChanceEvent
from referee.games.narrator import format_count
from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import tiles
from referee.games.year_of_the_dragon.event_phase import EVENTS
from referee.games.year_of_the_dragon.great_wall import wall_scoring
from referee.games.year_of_the_dragon.log import Change, EventStrikes
from referee.games.year_of_the_dragon.persons import release, release_from_each
from referee.games.year_of_the_dragon.state import Dragon
from referee.games.year_of_the_dragon.tiles import EventTile

EVENT_EFFECTS: Final[dict[EventTile, str]] = {
    "imperial_tribute": "everyone pays 4 yuan; a person leaves for each yuan missing",
    "drought": "each palace with persons uses 1 rice; without, one of them leaves",
    "dragon_festival": "most fireworks score 6, second most 3; half of them are used up",
    "mongol_invasion": "a point per helmet; whoever has the fewest loses a person",
    "contagion": "three persons leave, one fewer for each mortar of a healer",
}
"""What an event does, in a sentence."""
check_complete(tiles.EVENT_TILES, EVENT_EFFECTS, but=("peace",))


class Prospect(Struct, frozen=True):
    """What an event would bring one player."""

    paid: int = 0
    """Yuan or rice given up."""
    points: int = 0
    leaving: int = 0
    """Persons who would have to leave."""
    missing: int = 0
    """Yuan, rice or mortars missing for everyone to stay."""


class Outlook(Struct, frozen=True):
    """The next event, and what it would bring by seat; a Mongol invasion includes the scoring of the wall."""

    event: EventTile
    round: int
    prospects: Sequence[Prospect]


def struck(game: Dragon) -> bool:
    """Whether the event of the current round has struck."""
    latest = next((event for event, _ in reversed(game.log) if isinstance(event, EventStrikes | ChanceEvent)), None)
    return isinstance(latest, EventStrikes) and latest.round == game.round


def look_ahead(game: Dragon) -> Outlook | None:
    """The next event that isn't peace, as things stand; None after the last one.

    The rules' own function is called on a copy. What players would have to decide is then on its agenda.
    """
    first = max(1, game.round + struck(game))
    number = next((n for n in range(first, tiles.ROUNDS + 1) if game.event_row[n - 1] != "peace"), None)
    if number is None:
        return None
    event = game.event_row[number - 1]
    twin = game.copy()
    twin.round = number
    twin.log = []
    twin.scheduled = []
    EVENTS[event](twin)
    if event == "mongol_invasion" and game.config.great_wall:
        wall_scoring(twin)
    paid, points, missing = ([0] * len(game.players) for _ in range(3))
    for change, _ in twin.log:
        assert isinstance(change, Change)
        if change.what == "score":
            points[change.seat] += change.by
        elif change.by < 0:
            paid[change.seat] -= change.by
    for do, seat, args in twin.scheduled:
        if seat is not None and do in (release, release_from_each):
            missing[seat] += max(0, args[0])
    prospects = [
        Prospect(
            paid=paid[player.seat],
            points=points[player.seat],
            leaving=min(missing[player.seat], player.person_count()),
            missing=missing[player.seat],
        )
        for player in game.players
    ]
    return Outlook(event, number, prospects)


def format_prospect(event: EventTile, prospect: Prospect, *, short: bool = False) -> str:
    """What an event would bring a player: `short of 1 rice, 1 person leaves`; `short` leaves out what is obvious."""
    parts = []
    if event in EVENT_COSTS:
        unit = EVENT_COSTS[event]
        parts.append(f"short of {prospect.missing} {unit}" if prospect.missing else f"pays {prospect.paid} {unit}")
    if event in ("dragon_festival", "mongol_invasion"):
        parts.append(f"+{prospect.points}" if short else f"scores {prospect.points}")
    if prospect.leaving and not (short and event in EVENT_COSTS):
        persons = str(prospect.leaving) if short and parts else format_count(prospect.leaving, "persons")
        parts.append(f"{persons} {'leaves' if prospect.leaving == 1 else 'leave'}")
    elif event == "contagion":
        parts.append("nobody leaves")
    return ", ".join(parts)


EVENT_COSTS: Final = {"imperial_tribute": "yuan", "drought": "rice"}


def format_when(game: Dragon, outlook: Outlook) -> str:
    rounds = outlook.round - game.round
    return "this round" if not rounds else "next round" if rounds == 1 else f"in round {outlook.round}"
