"""The formats by name. It is apart from the package, so that a match imports only the format of its test."""

from typing import Final

from tournaments.competition.formats.double_elimination import DoubleElimination
from tournaments.competition.formats.gauntlet import Gauntlet
from tournaments.competition.formats.groups import Groups, LadderFinal, SwissFinal
from tournaments.competition.formats.interface import Format
from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.formats.ladder import Ladder
from tournaments.competition.formats.round_robin import RoundRobin
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.formats.swiss import Swiss

FORMATS: Final[dict[str, type[Format]]] = {}
"""By the name in a tournament file; the fields of each are the settings in its table there."""
EXAMPLES: Final[dict[str, str]] = {}
"""By the same name, the example file that `referee tournament init` writes, as `package:file`."""

OTHER_TABLES: Final = frozenset(("options", "clock", "run", "bot"))
"""The tables of a tournament file that are not those of formats."""


def register(format_: type[Format], *, example: str | None = None) -> None:
    """Add a format to the registry. Raises ValueError if its name is that of another format or table of the file.

    `example` names its example file as `package:file`; by default it is beside the others, under the format's name.
    """
    if FORMATS.get(format_.name, format_) is not format_ or format_.name in OTHER_TABLES:
        raise ValueError(f"the name {format_.name!r} is taken: a tournament file has another table with it")
    FORMATS[format_.name] = format_
    EXAMPLES[format_.name] = example or f"tournaments.event.file:examples/{format_.name}.toml"


register(RoundRobin)
register(Swiss)
register(Gauntlet)
register(Knockout)
register(DoubleElimination)
register(Groups)
register(SwissFinal)
register(LadderFinal)
register(Ladder)
register(Sprt)
