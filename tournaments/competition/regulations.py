"""The regulations of a tournament: everything that determines pairings and scoring, as plain data.

They are stored in the manifest, so that standings and `verify` need neither the tournament file nor the bots.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.games import Game, GameConfig, config_from, find_game
from referee.near_misses import did_you_mean
from tournaments.competition.formats.interface import Format, FormatContext, FormatError
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.rounds import DealsOf, Entry, PointSystem
from tournaments.competition.tiebreaks import TieBreak

SHARED_DEALS: Final = (
    "All full tables of a round play the same deals. If two bots at different tables help each other, and can pass"
    " something on (even from one sandbox to another), the one at the slower table learns draws before they happen;"
    ' with deals_of = "table" it could not'
)
"""What colluding bots gain where deals belong to a round."""
MAX_FORFEITS: Final = 20
CHAIN: Final = 1
"""The form of the chain, see `tournaments.event.store.chain`."""


class Entrant(Struct, frozen=True, kw_only=True):
    """A bot that takes part from the start, or joins later."""

    name: str
    owner: str | None = None
    rating: float | UnsetType = UNSET
    """What it was rated before, if the tournament file says so. Then entries are in the order of ratings."""


class OpeningRule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How games begin: with an opening of a file, or with drawn decisions."""

    plies: int | None = None
    """The number of drawn decisions, or the maximum number of those of a file that are played."""
    file: str | None = None
    """The name of the file, whose contents are in the folder of the tournament."""
    sha256: str | None = None
    """Of the file."""


class SeedsFrom(Struct, frozen=True, kw_only=True):
    """The tournament whose final standings are the order of the bots, the best first; new ones come last."""

    tournament: str
    head: str
    """Of its chain, when they were read."""


class Regulations(Struct, frozen=True, kw_only=True, dict=True):
    """See the module. `config` is that of a full table, as in a record."""

    name: str
    format: str
    settings: dict[str, Any]
    """The settings of the format, as in its table of the tournament file."""
    game: str
    config: dict[str, Any]
    seats: int
    deals: int
    points: PointSystem
    tiebreaks: tuple[TieBreak, ...]
    anonymous: bool
    bots: tuple[Entrant, ...]
    """In the order of the file. Late entries are in the events of the manifest."""
    pairing: str
    """The algorithm that pairs the rounds, see `Format.algorithm`."""
    deals_of: DealsOf
    max_forfeits: int = MAX_FORFEITS
    """A bot that forfeits more games than this is withdrawn."""
    forbidden: tuple[tuple[str, str], ...] = ()
    """Pairs of bots that never sit at one table."""
    opening: OpeningRule | UnsetType = UNSET
    """Absent: games begin at the first decision."""
    seeds_from: SeedsFrom | UnsetType = UNSET
    """Absent: `bots` are in the order of their ratings, or of the file."""
    chain: int
    """The form of the chain of records, see CHAIN."""
    statistics: int
    """The version of intervals and confidences, see STATISTICS."""

    @cached_property
    def format_settings(self) -> Format:
        """The format with its settings. Raises FormatError."""
        try:
            return msgspec.convert(self.settings, FORMATS[self.format])
        except KeyError:
            raise FormatError(f"unknown format {self.format!r}{did_you_mean(self.format, FORMATS)}") from None
        except msgspec.ValidationError as error:
            raise FormatError(f"[{self.format}]: {error}") from None

    @property
    def shared_deals(self) -> str | None:
        """What bots that collude gain, if tables share deals; else None, also if there is only one table in a round, or
        no chance in the game. Raises OptionError."""
        shared = self.deals_of == "round" and len(self.bots) > self.seats
        return SHARED_DEALS if shared and self.game_type.traits.chance else None

    @cached_property
    def game_type(self) -> type[Game]:
        """The rules. Raises OptionError."""
        return find_game(self.game)

    @cached_property
    def full_config(self) -> GameConfig:
        """The configuration of a full table. Raises OptionError."""
        return self.config_for(self.seats)

    def config_for(self, players: int) -> GameConfig:
        """The configuration of a table of this size. Raises OptionError."""
        config: GameConfig = config_from(self.game_type.Config, {**self.config, "players": players})
        return config

    def entries(self) -> list[Entry]:
        return [Entry(name=bot.name, owner=bot.owner) for bot in self.bots]

    def format_context(
        self, seed: str, entries: Sequence[Entry] | None = None, *, ended: bool = False
    ) -> FormatContext:
        """The input of the format, with the initial bots or these."""
        entries = tuple(self.entries() if entries is None else entries)
        bots = {entry.name: bot for bot, entry in enumerate(entries)}
        return FormatContext(
            entries=entries,
            seats=self.seats,
            deals=self.deals,
            points=self.points,
            tiebreaks=self.tiebreaks,
            seed=seed,
            forbidden=frozenset((bots[a], bots[b]) for pair in self.forbidden for a, b in (pair, pair[::-1])),
            ended=ended,
        )

    def check_format(self, seed: str) -> None:
        """Raise FormatError if the format can't be played with these settings and bots."""
        context = self.format_context(seed)
        self.format_settings.check(context)
        if context.forbidden:
            self.format_settings.check_forbidden(context)
