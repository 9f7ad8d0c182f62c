"""Where a tournament stands, in the same words on terminals, on live pages and in reports."""

from collections.abc import Iterator, Mapping

from msgspec import UNSET, Struct

from referee.games import find_game
from referee.games.narrator import format_count, readable
from tournaments.competition.progress import Progress
from tournaments.competition.results import RoundInProgress, Standings, round_in_progress
from tournaments.event.status import Status

RoundNames = Mapping[int, str]
"""By number, the names of the rounds that have begun and have one: those of brackets."""


def round_names(progress: Progress) -> dict[int, str]:
    """The names of the rounds that have begun."""
    names = {begun.round.number: progress.round_name(begun.round.number) for begun in progress.begun}
    return {number: name for number, name in names.items() if name is not None}


def format_round(number: int, rounds: int | None, name: str | None) -> str:
    """A round: its name, or its number of all."""
    if name is not None:
        return f"{name} (round {number})"
    return f"round {number}" if rounds is None else f"round {number} of {max(number, rounds)}"


class Stage(Struct, frozen=True, kw_only=True):
    """Where a tournament stands; as text, for example `after round 2 of 7`."""

    round: int
    """The round in progress, or else the last one that is over; 0 before the first one."""
    rounds: int | None
    """The number of rounds, as far as it is known."""
    name: str | None
    """Of that round."""
    now: RoundInProgress | None
    finished: bool = False
    play_offs: int = 0
    """Rounds that were play-offs."""

    @classmethod
    def of_standings(cls, standings: Standings, names: RoundNames) -> "Stage":
        """The stage to which standings belong."""
        now = standings.in_progress
        number = standings.round if now is None else now.round
        return cls(
            round=number,
            rounds=standings.rounds,
            name=names.get(number),
            now=now,
            finished=standings.finished,
            play_offs=sum(", play-off " in name for name in names.values()),
        )

    @classmethod
    def of_progress(cls, progress: Progress, *, finished: bool) -> "Stage":
        """The stage of a tournament whose number of rounds isn't asked for."""
        number = len(progress.begun)
        name = progress.round_name(number) if number else None
        return cls(round=number, rounds=None, name=name, now=round_in_progress(progress), finished=finished)

    @classmethod
    def of_status(cls, status: Status) -> "Stage":
        return cls(
            round=status.round,
            rounds=status.rounds,
            name=status.name or None,
            now=status.in_progress or None,
            finished=status.state == "finished",
        )

    def __str__(self) -> str:
        if self.finished:
            offs = f" and {format_count(self.play_offs, 'play-offs')}" if self.play_offs else ""
            return f"after {format_count(self.round - self.play_offs, 'rounds')}{offs}"
        if not self.round:
            return "before the first round"
        where = format_round(self.round, self.rounds, self.name)
        return f"after {where}" if self.now is None else f"in {where} after {self.now.games} of its {self.now.of} games"


def format_event(game: str, format_: str, bots: int, seats: int) -> str:
    """What is played."""
    return f"{find_game(game).title}, {readable(format_)} of {format_count(bots, 'bots')}, tables of {seats}"


def format_heading(standings: Standings, names: RoundNames) -> str:
    """The heading of standings: the tournament, and where it stands."""
    event = format_event(standings.game, standings.format, len(standings.standings), standings.seats)
    what = "Final standings" if standings.finished else "Standings"
    return f"{standings.tournament}: {event}. {what} {Stage.of_standings(standings, names)}, {format_played(standings)}"


def format_played(standings: Standings) -> str:
    """How much has been played."""
    return f"{format_count(standings.games, 'games')} of {format_count(standings.deals, 'deals')}"


def format_total(games: int, of: int | None, *, upper_bound: bool = False) -> str:
    """How many games of a tournament are finished."""
    if of is None:
        return format_count(games, "games")
    return f"{games} of {'at most ' if upper_bound else ''}{of} in all"


def format_rate(games_per_second: float) -> str:
    """How fast games are finished."""
    if games_per_second >= 0.1:
        return f"{games_per_second:.1f} games/s"
    return f"{games_per_second * 60:.1f} games/min"


def format_status(found: Status) -> str:
    """The state of a tournament as a line."""
    return f"{found.state}: {', '.join([str(Stage.of_status(found)), *_status_parts(found)])}"


def _status_parts(found: Status) -> Iterator[str]:
    """Games, rate and end, or the beginning."""
    if found.starts is not UNSET:
        yield f"which begins {found.starts}"
        return
    yield format_total(found.games, found.of)
    if found.games_per_second is not None:
        yield format_rate(found.games_per_second)
    if found.ends is None:
        return
    ends = f"ends {found.ends}"
    if found.ends_without_play_offs is not UNSET:
        ends = f"ends {found.ends_without_play_offs} without play-offs, {found.ends} with all of them"
    at_most = "" if found.ends_at_most is UNSET else f" (worst case {found.ends_at_most})"
    yield f"{ends}{at_most}"
