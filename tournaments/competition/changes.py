"""The changes of a tournament: everything but games that happens in it, as events in the manifest."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from tournaments.competition.games import StoredGame, parse_game_id
from tournaments.competition.regulations import Entrant


class Change(Struct, frozen=True, kw_only=True, tag_field="event"):
    """Something that happened between rounds. `round` is the first round that is paired after it."""

    round: int
    at: str
    """Date and time, ISO 8601, of the machine's clock; for information only."""


class Joined(Change, frozen=True, kw_only=True, tag="joined"):
    """A late entry."""

    bot: Entrant
    source: dict[str, Any]
    """Its [[bot]] table, as in a tournament file; paths are absolute."""
    files_sha256: str | None = None
    """As in the manifest."""
    sources_sha256: str | UnsetType = UNSET
    """As in the manifest."""


class Withdrawn(Change, frozen=True, kw_only=True, tag="withdrawn"):
    """A bot was withdrawn. `automatic`: because it could not be started."""

    bot: str
    reason: str
    automatic: bool = False


class FilesAccepted(Change, frozen=True, kw_only=True, tag="files_accepted"):
    """The organiser accepted changed files of these bots; their new hashes."""

    bots: dict[str, str]


class Replayed(Change, frozen=True, kw_only=True, tag="replayed"):
    """A game was played again. The old result, which counted until then, is struck out.

    `lost`: its record had disappeared or been altered, so that only this event still has the old result.
    """

    game_id: str
    replacement: str
    reason: str
    old: StoredGame
    lost: bool = False


class BegunAgain(Change, frozen=True, kw_only=True, tag="begun_again"):
    """Games that were begun more than once before they were over, or that were over and discarded. The last time of
    each counts."""

    games: dict[str, list[str]]
    """By game id, why, for each further time."""


# -- rulings of the organiser ---------------------------------------------------------------------------------


class Ruled(Change, frozen=True, kw_only=True, tag="ruled"):
    """The result of a game was set to `ranks`, by seat; if None, it counts for nobody."""

    game_id: str
    ranks: tuple[int, ...] | None
    reason: str


class Penalised(Change, frozen=True, kw_only=True, tag="penalised"):
    """A bot has more or, below 0, fewer points."""

    bot: str
    points: float
    reason: str


class Disqualified(Change, frozen=True, kw_only=True, tag="disqualified"):
    """A bot plays no more, and is placed behind all others. `Format.voids_results` says whether its results count."""

    bot: str
    reason: str


class Reinstated(Change, frozen=True, kw_only=True, tag="reinstated"):
    """A bot that was withdrawn plays again."""

    bot: str
    reason: str


class ByeGranted(Change, frozen=True, kw_only=True, tag="bye_granted"):
    """A bot is absent in round `number`, at its request, for these points."""

    bot: str
    number: int
    points: float
    reason: str


class PairedByHand(Change, frozen=True, kw_only=True, tag="paired_by_hand"):
    """The tables of round `number`, the next one, were set. Bots by their seats in the first rotation."""

    number: int
    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    reason: str


class Ended(Change, frozen=True, kw_only=True, tag="ended"):
    """No further round is paired: the organiser has ended the tournament."""

    reason: str


class Undone(Change, frozen=True, kw_only=True, tag="undone"):
    """The ruling that is event `number` (from 1) of the tournament no longer holds."""

    number: int
    reason: str


AnyRuling = Ruled | Penalised | Disqualified | Reinstated | ByeGranted | PairedByHand | Ended | Undone
AnyChange = Joined | Withdrawn | FilesAccepted | Replayed | BegunAgain | AnyRuling
UNDOABLE: Final = (Ruled, Penalised, Disqualified, ByeGranted, PairedByHand, Ended)
"""The rulings that an event can undo: after a reinstatement a bot can be withdrawn again."""


def begun_again(events: Iterable[AnyChange]) -> dict[str, int]:
    """By round, the number of its games that were begun again."""
    games = [game_id for event in events if isinstance(event, BegunAgain) for game_id in event.games]
    return Counter(str(name.round) for name in map(parse_game_id, sorted(games)) if name)
