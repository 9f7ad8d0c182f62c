"""Tournament formats, one module each: which tables a round has, as a pure function of what was played before."""

from typing import Final

from tournaments.competition.formats.gauntlet import Gauntlet
from tournaments.competition.formats.interface import Format
from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.formats.ladder import Ladder
from tournaments.competition.formats.round_robin import RoundRobin
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.formats.swiss import Swiss

FORMATS: Final[dict[str, type[Format]]] = {
    "round_robin": RoundRobin,
    "swiss": Swiss,
    "gauntlet": Gauntlet,
    "knockout": Knockout,
    "ladder": Ladder,
    "sprt": Sprt,
}
"""By the name in a tournament file; the fields of each are the settings in its table there."""
