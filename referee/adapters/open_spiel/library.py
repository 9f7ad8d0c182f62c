"""OpenSpiel itself: whether it is installed, its games, and loading one safely.

Parameters of a game may crash the process or never return (`dark_chess(fen=xx)`), so those that differ from the
defaults are first tried in a child process with limits.
"""

import json
import subprocess
from collections.abc import Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Any, Final

from referee.games.interface import OptionError
from referee.own_python import module_command
from referee.printable import sanitise
from referee.version import install_extra

TRIAL_TIMEOUT: Final = 10.0
"""Seconds that the trial of a game's parameters may take."""
HOW_TO_INSTALL: Final = (
    f"OpenSpiel is not installed: {install_extra('openspiel')}. It is for Linux and macOS, and takes about 300 MB with"
    " its dependencies"
)
ADDED_PREFIX: Final = "python_"
"""The prefix of games that are written in Python."""
WARNING: Final = "Warning!"
"""The prefix of a line on standard error about known issues of a game."""
MAX_REASON: Final = 200
"""Characters of the library's message that are quoted."""

_tried: Final[dict[str, str | None]] = {}
"""Games with parameters that were tried, and what is wrong with them."""


@cache
def library() -> Any:
    """The module of OpenSpiel. Raises OptionError, which says how to install it."""
    try:
        return resolve_name("pyspiel")
    except ImportError:
        raise OptionError(HOW_TO_INSTALL) from None


@cache
def version() -> str:
    """The name and version of the library, for records."""
    try:
        return f"open_spiel {resolve_name('importlib.metadata:version')('open_spiel')}"
    except ImportError:  # it was built from its sources
        return "open_spiel"


@cache
def game_types() -> Mapping[str, Any]:
    """All games of the library by name, including those that can't be played. Raises OptionError.

    Games that Python programs have registered, as `referee.gyms.register_open_spiel` does, are left out.
    """
    return {
        kind.short_name: kind for kind in library().registered_games() if not kind.short_name.startswith(ADDED_PREFIX)
    }


def load(name: str, parameters: Mapping[str, Any]) -> Any:
    """A game of the library. Raises OptionError if these parameters are wrong, or not safe."""
    return _load(name, json.dumps(parameters, sort_keys=True))


@cache
def _load(name: str, parameters: str) -> Any:
    if parameters != "{}" and (problem := try_parameters(name, parameters)) is not None:
        raise OptionError(f"OpenSpiel can't play {name} with these options: {problem}")
    try:
        return library().load_game(name, json.loads(parameters))
    except RuntimeError as error:
        raise OptionError(f"OpenSpiel can't load {name}: {sanitise(str(error), MAX_REASON)}") from None


def try_parameters(name: str, parameters: str) -> str | None:
    """What is wrong with the parameters of a game, found in a process that may crash or hang; None if nothing is."""
    try:
        tried = subprocess.run(
            module_command("referee.adapters.open_spiel.trial", name, parameters),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIAL_TIMEOUT,
            check=False,
            start_new_session=True,  # Ctrl-C is for this process; there it would seem to be a crash
        )
    except subprocess.TimeoutExpired:
        return f"the library did not set the game up within {TRIAL_TIMEOUT:g} s"
    said = tried.stdout.decode(errors="replace").strip()
    if tried.returncode == 1 and said:
        return sanitise(said.splitlines()[0], MAX_REASON)
    # The library may only complain about a value and continue with uninitialised memory, which sometimes works.
    complaints = [line for line in tried.stderr.decode(errors="replace").splitlines() if not line.startswith(WARNING)]
    if complaints:
        return sanitise(complaints[0], MAX_REASON)
    return None if tried.returncode == 0 else f"the library crashed (status {tried.returncode})"
