"""What a tournament file says, checked: its bots and settings, and the regulations that follow from them."""

from datetime import datetime, time
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from referee.bots.bot_spec import BotSpec
from referee.games import Game, GameConfig
from tournaments.competition.formats.interface import Format, FormatContext, forbidden_pairs
from tournaments.competition.ratings import STATISTICS
from tournaments.competition.regulations import CHAIN, Entrant, Regulations
from tournaments.competition.rounds import DealsOf, Entry, PointSystem
from tournaments.competition.tiebreaks import TieBreak
from tournaments.play.conditions import UnderConditions


class TournamentBot(Struct, frozen=True, kw_only=True):
    """A bot of a tournament."""

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
    """The file itself."""
    folder: Path
    """The folder to which its paths are relative, and in which commands run: its own unless it says otherwise."""
    name: str
    format: str
    settings: Format
    """The settings of the format."""
    game: type[Game]
    config: GameConfig
    """The options of the game, with files read; `players` is a full table."""
    seats: int
    deals: int
    """Deals per round."""
    deals_of: DealsOf
    seed: str | None
    """None: drawn when the tournament starts, and kept secret until its end."""
    points: PointSystem
    tiebreaks: tuple[TieBreak, ...]
    anonymous: bool
    max_forfeits: int
    """A bot that forfeits more games than this is withdrawn."""
    stop_at: time | None
    """The time of day at which no further round begins."""
    start_at: datetime | None
    """When the first round begins. None: at once."""
    on_round: str | None
    """A command after each round and at the end."""
    bots: tuple[TournamentBot, ...]
    forbidden: tuple[tuple[str, str], ...] = ()
    """Pairs of bots that never sit at one table."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The bots as formats see them."""
        return tuple(Entry(name=bot.spec.name, owner=bot.owner) for bot in self.bots)

    def format_context(self, seed: str) -> FormatContext:
        """The input of the format, with this seed."""
        return FormatContext(
            entries=self.entries,
            seats=self.seats,
            deals=self.deals,
            points=self.points,
            tiebreaks=self.tiebreaks,
            seed=seed,
            forbidden=forbidden_pairs(self.forbidden, self.entries),
        )


def check_settings(spec: TournamentSpec) -> None:
    """Raise FormatError if the format can't be played with these settings and bots."""
    context = spec.format_context(spec.seed or "")
    spec.settings.check(context)
    if context.forbidden:
        spec.settings.check_forbidden(context)


def regulations_of(spec: TournamentSpec) -> Regulations:
    """The regulations that a tournament file describes."""
    return Regulations(
        name=spec.name,
        format=spec.format,
        settings=as_in_json(spec.settings),
        game=spec.game.name,
        config=as_in_json(spec.config),
        seats=spec.seats,
        deals=spec.deals,
        points=spec.points,
        tiebreaks=spec.tiebreaks,
        anonymous=spec.anonymous,
        bots=tuple(entrant(bot) for bot in spec.bots),
        pairing=spec.settings.algorithm(spec.seats),
        deals_of=spec.deals_of,
        max_forfeits=spec.max_forfeits,
        forbidden=spec.forbidden,
        chain=CHAIN,
        statistics=STATISTICS,
    )


def entrant(bot: TournamentBot) -> Entrant:
    """A bot of the file as regulations have it."""
    return Entrant(name=bot.spec.name, owner=bot.owner, rating=UNSET if bot.rating is None else bot.rating)


def as_in_json(value: Struct) -> dict[str, Any]:
    """The fields as decoded from a manifest: with lists where the value may have tuples."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    return found
