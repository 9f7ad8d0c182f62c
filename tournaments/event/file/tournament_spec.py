"""What a tournament file says, checked: its bots and settings, and the regulations that follow from them."""

from datetime import datetime, time, timedelta
from pathlib import Path

from msgspec import Struct

from referee.bots.bot_spec import BotSpec
from tournaments.competition.regulations import Regulations
from tournaments.play.conditions import UnderConditions


class TournamentBot(Struct, frozen=True, kw_only=True):
    spec: BotSpec
    """With its effective limits: those of the file, lowered by its bot.toml."""
    owner: str | None = None
    rating: float | None = None
    """What it was rated before."""
    position: int = 0
    """The index of its [[bot]] in the file. The bots of a tournament are in the order of their ratings, if they have
    any, and else in that of the file."""
    exclusive: str | None = None
    """Games of bots that have this in common don't run at the same time."""


class TournamentSpec(UnderConditions, Struct, frozen=True, kw_only=True):
    """What a tournament file says, checked, with every default filled in. Paths are absolute."""

    path: Path
    folder: Path
    """The folder to which its paths are relative, and in which commands run: its own unless it says otherwise."""
    regulations: Regulations
    seed: str | None
    """None: drawn when the tournament starts, and kept secret until its end."""
    stop_at: time | None
    """The time of day at which no further round begins."""
    start_at: datetime | None
    """When the first round begins. None: at once."""
    on_round: str | None
    """A command after each round and at the end."""
    bots: tuple[TournamentBot, ...]
    openings: str = ""
    """The text of the file of openings, if there is one."""
    pseudonyms: str | None = None
    """The key of seals, see `tournaments.event.store.private`; None: who entered what may be known."""


def next_stop(stop_at: time, now: datetime) -> float:
    """Seconds from `now` to the next occurrence of the time of day; 24 hours if it is exactly that time.

    `now` without a time zone is in that of the machine. Where the clocks change, a time of day that comes twice counts
    the first time, and one that is left out counts an hour later.
    """
    for days in (0, 1, 2):
        date = now.date() + timedelta(days=days)
        seconds = datetime.combine(date, stop_at, now.tzinfo).timestamp() - now.timestamp()
        if seconds > 0:
            return seconds
    raise AssertionError("the day after tomorrow is not in the future")
