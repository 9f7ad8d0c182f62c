"""A headless referee and tournament runner for bots that play board games.

The public API for other Python programs (docs/engine.md):

>>> import trio
>>> from referee import MatchSpec, play_match
>>> spec = MatchSpec(bots=["builtin:random", "builtin:first"], deals=2, seed="example", keep_records=False)
>>> result = trio.run(play_match, spec)
>>> [played.outcome.ranks for played in result.games][:2]
[[1, 2], [2, 1]]
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

from referee.errors import RefereeError
from referee.version import __version__

if TYPE_CHECKING:
    from referee.games import new_game
    from referee.players.clock import TimeControl
    from referee.record.replay import Replay
    from tournaments.play.conditions import Conditions
    from tournaments.play.match import MatchFailed, MatchResult, play_match
    from tournaments.play.match_spec import MatchSpec
    from tournaments.play.runner import PlayedGame

__all__ = [
    "Conditions",
    "MatchFailed",
    "MatchResult",
    "MatchSpec",
    "PlayedGame",
    "RefereeError",
    "Replay",
    "TimeControl",
    "__version__",
    "new_game",
    "play_match",
]

_MODULES: Final = {
    "Conditions": "tournaments.play.conditions",
    "MatchFailed": "tournaments.play.match",
    "MatchResult": "tournaments.play.match",
    "MatchSpec": "tournaments.play.match_spec",
    "PlayedGame": "tournaments.play.runner",
    "Replay": "referee.record.replay",
    "TimeControl": "referee.players.clock",
    "new_game": "referee.games",
    "play_match": "tournaments.play.match",
}
"""The module of each name. It is imported when the name is first used, so that `referee --help` is fast."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
