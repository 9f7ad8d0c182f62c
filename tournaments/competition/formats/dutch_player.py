"""A player as the FIDE Dutch system sees it."""

from typing import Final, Literal

from msgspec import Struct

from tournaments.competition.rounds import Points

Colour = Literal["white", "black"]
Float = Literal["up", "down", "none"]

OTHER: Final[dict[Colour, Colour]] = {"white": "black", "black": "white"}


class Player(Struct, frozen=True, kw_only=True):
    """A player to be paired, as the system sees it."""

    number: int
    """The pairing number, from 1: lower ones rank higher among equal scores."""
    score: Points
    colours: tuple[Colour, ...] = ()
    """In the games that were played, in their order."""
    floats: tuple[Float, ...] = ()
    """By round; 1.4 of the rules. Down also for points without a game."""
    opponents: tuple[int, ...] = ()
    """The numbers of its opponents, once per meeting."""
    byes: int = 0
    """Pairing-allocated byes."""
    unplayed_wins: int = 0
    """Other rounds in which it had as many points as for a win without playing: forfeits, full-point byes."""


def preference(player: Player) -> tuple[int, Colour | None]:
    """The strength of its colour preference, from 0 to 3 (absolute), and the colour (C.04.3, 1.7)."""
    colours = player.colours
    if not colours:
        return 0, None
    more_white = colours.count("white") - colours.count("black")
    rarer: Colour = "black" if more_white > 0 else "white"
    if abs(more_white) > 1:
        return 3, rarer
    if len(colours) > 1 and colours[-1] == colours[-2]:
        return 3, OTHER[colours[-1]]
    return (2, rarer) if more_white else (1, OTHER[colours[-1]])
