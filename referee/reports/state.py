"""Where a tournament stands, in the same words on terminals, on live pages and in reports."""

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET

from referee.games import find_game
from referee.games.narrator import format_count, readable
from referee.printable import printable
from tournaments.competition.progress import Progress
from tournaments.competition.results import RoundInProgress, Standings
from tournaments.event.status import Status

FORMAT_NAMES: Final = {
    "swiss": "Swiss",
    "swiss_final": "Swiss with a final",
    "ladder_final": "ladder with a final",
    "sprt": "sequential test",
}
"""Where they are not just their names in files."""
RoundNames = Mapping[int, str]
"""By number, the names of the rounds that have begun and have one: those of brackets."""


def round_names(progress: Progress) -> dict[int, str]:
    names = {begun.round.number: progress.round_name(begun.round.number) for begun in progress.begun}
    return {number: name for number, name in names.items() if name is not None}


def format_round(number: int, rounds: int | None, name: str | None) -> str:
    """A round: its name, or its number of all."""
    if name is not None:
        return f"{name} (round {number})"
    return f"round {number}" if rounds is None else f"round {number} of {max(number, rounds)}"


def format_stage(number: int, rounds: int | None, name: str | None, now: RoundInProgress | None) -> str:
    """Where a tournament stands that goes on. `number` and `name`: of the round in progress, which is `now`, or else
    of the last one that is over; 0 before the first. `rounds`: their number, as far as it is known."""
    if not number:
        return "before the first round"
    where = format_round(number, rounds, name)
    return f"after {where}" if now is None else f"in {where} after {now.games} of its {now.of} games"


def format_final_stage(rounds: int, play_offs: int = 0) -> str:
    """Where a tournament stands that is over. `rounds`: with the play-offs."""
    offs = f", {play_offs} of them {'a play-off' if play_offs == 1 else 'play-offs'}" if play_offs else ""
    return f"after {format_count(rounds, 'rounds')}{offs}"


def format_early_end(reason: str) -> str:
    """Why a tournament was over before its last planned round."""
    return f"ended early: {printable(reason)}"


def stage_of(standings: Standings, names: RoundNames) -> str:
    if standings.finished:
        return format_final_stage(standings.round, sum(", play-off " in name for name in names.values()))
    now = standings.in_progress
    number = standings.round if now is None else now.round
    return format_stage(number, standings.rounds, names.get(number), now)


def format_kind(format_: str) -> str:
    return FORMAT_NAMES.get(format_) or readable(format_)


def format_event(game: str, format_: str, bots: int, seats: int) -> str:
    return f"{find_game(game).title}, {format_kind(format_)} of {format_count(bots, 'bots')}, tables of {seats}"


def format_heading(standings: Standings, names: RoundNames) -> str:
    """The heading of standings: the tournament, and where it stands."""
    event = format_event(standings.game, standings.format, len(standings.standings), standings.seats)
    what = "Final standings" if standings.finished else "Standings"
    return f"{standings.tournament}: {event}. {what} {stage_of(standings, names)}, {format_played(standings)}"


def format_played(standings: Standings) -> str:
    return f"{format_count(standings.games, 'games')} of {format_count(standings.deals, 'deals')}"


def format_total(games: int, of: int | None, *, upper_bound: bool = False) -> str:
    if of is None:
        return format_count(games, "games")
    return f"{games} of {'at most ' if upper_bound else ''}{of} in all"


def format_rate(games_per_second: float) -> str:
    if games_per_second >= 0.1:
        return f"{games_per_second:.1f} games/s"
    return f"{games_per_second * 60:.1f} games/min"


def format_status(found: Status) -> str:
    if found.state == "finished":
        stage = format_final_stage(found.round)
        if found.ended_early is not UNSET:
            stage += f" ({format_early_end(found.ended_early)})"
    else:
        stage = format_stage(found.round, found.rounds, found.name or None, found.in_progress or None)
    if found.starts is not UNSET:
        return f"{found.state}: {stage}, which begins {found.starts}"
    between = not found.in_progress and found.of is not None
    parts = [stage, f"{found.games} of {found.of} games" if between else format_total(found.games, found.of)]
    if found.games_per_second is not None:
        parts.append(format_rate(found.games_per_second))
    if found.ends is not None:
        ends, late = found.ends, found.ends_by_clocks
        if found.ends_without_play_offs is not UNSET:
            ends = f"{found.ends_without_play_offs} without play-offs, {ends} with all of them"
        parts.append(f"ends {ends}" + ("" if late is UNSET else f" ({late} if all bots use up their clocks)"))
    if found.problem is not UNSET:
        parts.append(found.problem)
    return f"{found.state}: {', '.join(parts)}"
