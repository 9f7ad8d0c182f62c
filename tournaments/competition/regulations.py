"""The regulations of a tournament: all that decides who meets whom and how it is scored, as plain data.

They stand in the manifest, so that standings and `verify` need neither the tournament file nor the bots.
"""

from functools import cached_property
from typing import Any

import msgspec
from msgspec import Struct

from referee.games import Game, GameConfig, config_from, find_game
from tournaments.competition.formats import FORMATS
from tournaments.competition.formats.interface import Format, FormatError
from tournaments.competition.rounds import Entry, PointSystem
from tournaments.competition.tiebreaks import TieBreak


class Entrant(Struct, frozen=True, kw_only=True):
    """A bot that takes part from the start, or joins later."""

    name: str
    owner: str | None = None


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
    """In the order of the file. Who joins later is in the events of the manifest."""

    @cached_property
    def format_settings(self) -> Format:
        """The format with its settings. Raises FormatError."""
        try:
            return msgspec.convert(self.settings, FORMATS[self.format])
        except KeyError:
            raise FormatError(f"there is no format {self.format!r}; known are {', '.join(FORMATS)}") from None
        except msgspec.ValidationError as error:
            raise FormatError(f"[{self.format}]: {error}") from None

    @cached_property
    def game_type(self) -> type[Game]:
        """The rules. Raises OptionError."""
        return find_game(self.game)

    def config_for(self, players: int) -> GameConfig:
        """The configuration of a table of this size. Raises OptionError."""
        config: GameConfig = config_from(self.game_type.Config, {**self.config, "players": players})
        return config

    def entries(self) -> list[Entry]:
        """The bots from the start, as formats see them."""
        return [Entry(name=bot.name, owner=bot.owner) for bot in self.bots]
