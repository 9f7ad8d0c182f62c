"""Tournament formats, one module each: which tables a round has, as a pure function of what was played before."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tournaments.competition.formats.gauntlet import Gauntlet
from tournaments.competition.formats.interface import Format
from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.formats.ladder import Ladder
from tournaments.competition.formats.round_robin import RoundRobin
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.formats.swiss import Swiss

_registered: dict[str, type[Format]] = {}
_examples: dict[str, str] = {}
FORMATS: Final[Mapping[str, type[Format]]] = MappingProxyType(_registered)
"""By the name in a tournament file; the fields of each are the settings in its table there."""
EXAMPLES: Final[Mapping[str, str]] = MappingProxyType(_examples)
"""By the same name, the example file that `referee tournament init` writes, as `package:file`."""


def register(format_: type[Format], *, example: str | None = None) -> None:
    """Add a format to the registry.

    `example` names its example file as `package:file`; by default it lies with the others, under the format's name.
    """
    _registered[format_.name] = format_
    _examples[format_.name] = example or f"tournaments.event.file.examples:{format_.name}.toml"


register(RoundRobin)
register(Swiss)
register(Gauntlet)
register(Knockout)
register(Ladder)
register(Sprt)
