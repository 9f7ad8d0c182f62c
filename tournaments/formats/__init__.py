"""Tournament formats, one module each: which tables a round has, as a pure function of what was played before."""

from typing import Final

from tournaments.formats.interface import Format
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.swiss import Swiss

FORMATS: Final[dict[str, type[Format]]] = {"round_robin": RoundRobin, "swiss": Swiss}
"""Every format by its name in a tournament file."""
