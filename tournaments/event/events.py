"""The live events of a tournament, in addition to `Notice` and `GameBegun`.

The events hold all that a `Follower` needs to rebuild the state of the tournament, but for its seed: a
page in a browser or another machine can derive from them what the director knows.
"""

from msgspec import Struct

from tournaments.competition.changes import AnyChange
from tournaments.competition.games import StoredGame
from tournaments.competition.progress import Progress, rebuild
from tournaments.competition.regulations import Regulations
from tournaments.competition.results import Standings
from tournaments.competition.rounds import Round
from tournaments.play.events import GameBegun, LiveEvent, Notice


class TournamentOpened(LiveEvent, frozen=True, kw_only=True, tag="tournament_opened"):
    """The first event: what has been played and changed before the tournament begins or is resumed."""

    regulations: Regulations
    changes: tuple[AnyChange, ...]
    rounds: tuple[Round, ...]
    """The rounds begun; games may be missing in the last one."""
    games: tuple[StoredGame, ...]

    @classmethod
    def of(cls, progress: Progress) -> "TournamentOpened":
        return cls(
            regulations=progress.regulations,
            changes=tuple(progress.events),
            rounds=tuple(begun.round for begun in progress.begun),
            games=tuple(progress.games()),
        )


class PairingBegun(LiveEvent, frozen=True, kw_only=True, tag="pairing_begun"):
    """A round is about to be paired, which takes a while. Rounds that are paired at once have no such event."""

    round: int
    at_most_seconds: float


class RoundBegun(LiveEvent, frozen=True, kw_only=True, tag="round_begun"):
    """A round is about to be played; after an interruption some of its games have been played already."""

    round: Round


class TournamentGameOver(LiveEvent, frozen=True, kw_only=True, tag="game_stored"):
    """A game is over, and durable. `faults`: as text, by seat. Untrusted."""

    game: StoredGame
    faults: tuple[str | None, ...]


class RoundOver(LiveEvent, frozen=True, kw_only=True, tag="round_over"):
    """A round is over. `head` is the last hash of the chain of records."""

    round: int
    head: str


class TournamentOver(LiveEvent, frozen=True, kw_only=True, tag="tournament_over"):
    """The last round is over and the result is published, or a ruling has changed it since."""

    standings: Standings


class Changed(LiveEvent, frozen=True, kw_only=True, tag="changed"):
    """A bot has joined or was withdrawn, changed files were accepted, or a game was played again."""

    change: AnyChange
    replacement: StoredGame | None = None


TournamentLiveEvent = (
    TournamentOpened
    | PairingBegun
    | RoundBegun
    | GameBegun
    | TournamentGameOver
    | RoundOver
    | TournamentOver
    | Changed
    | Notice
)
"""All live events of a tournament, as the type for a decoder."""


class Follower(Struct):
    """The state of a tournament, rebuilt from live events alone. It can't pair: it has no seed."""

    progress: Progress | None = None
    """None until the tournament has been opened."""

    def follow(self, event: LiveEvent) -> None:
        if isinstance(event, TournamentOpened):
            self.progress = rebuild(event.regulations, "", event.changes, event.rounds, event.games)
        progress = self.progress
        if progress is None:
            return
        current = progress.current
        match event:
            case RoundBegun(round=round_) if current is None:
                progress.begin(round_)
            case TournamentGameOver(game=game) if current is not None and game.game_id in current.planned:
                progress.add(game)
            case RoundOver() if current is not None:
                progress.close()
            case Changed(change=change, replacement=replacement):
                progress.apply(change, replacement)
