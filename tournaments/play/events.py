"""Live events while games are played: plain data, for a view in this process or on another machine.

Matches and tournaments notify observers in the same way: an observer is a function that is called with each event, in
order. It must not block. A call per game costs less than a channel and a task that receives from it, and it lets the
owner of the games decide when to send an event: for a finished game only once it is durable, so that what has been
shown is never lost.

The additional events of tournaments are in `tournaments.event.events`. Nothing in an event is secret while games are
played (seeds are left out), but for `LineRecorded`, which only those get who ask for it.
"""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from referee.outcome import Outcome
from tournaments.play.schedule import ScheduledGame


class LiveEvent(Struct, frozen=True, kw_only=True, tag_field="type"):
    """Something that has happened while a match or a tournament is played. (An `Event` belongs to the rules.)"""


class Notice(LiveEvent, frozen=True, kw_only=True, tag="notice"):
    """A line for the organiser, such as which sandbox is used."""

    text: str


class MatchBegun(LiveEvent, frozen=True, kw_only=True, omit_defaults=True, tag="match_begun"):
    """A match has been checked and its bots are built. Its first game is next."""

    game: str
    bots: tuple[str, ...]
    games: int
    """The number of games, if the match is not ended early."""
    records: Path | None = None
    """The folder for records, if they are kept."""


class GameBegun(LiveEvent, frozen=True, kw_only=True, tag="game_begun"):
    """A game is about to start its bots. Sent again if its worker is lost and it is played from its beginning."""

    game_id: str
    table: int
    deal: int
    rotation: int
    """From 1, as in the id."""
    seating: tuple[int, ...]
    """By seat, the index of the bot."""

    @classmethod
    def of(cls, game: ScheduledGame) -> "GameBegun":
        return cls(
            game_id=game.game_id,
            table=game.table,
            deal=game.deal,
            rotation=game.rotation + 1,
            seating=game.seating,
        )


class MatchGameOver(LiveEvent, frozen=True, kw_only=True, tag="game_finished"):
    """A game of a match is over, and its record complete."""

    game_id: str
    deal: int
    rotation: int
    """From 1, as in the id."""
    seating: tuple[int, ...]
    outcome: Outcome


class LineRecorded(LiveEvent, frozen=True, kw_only=True, tag="line_recorded"):
    """A line of the record of a running game, without its LF. Only where the plan says that games are watched.

    Records hold everything hidden: whoever shows one decides what may be seen.
    """

    game_id: str
    line: bytes


Observer = Callable[[LiveEvent], None]


def ignore(event: LiveEvent) -> None:
    """An observer that shows nothing."""


def notices_to(observer: Observer) -> Callable[[str], None]:
    """A function that sends lines for the organiser to an observer as notices."""
    return lambda text: observer(Notice(text=text))
