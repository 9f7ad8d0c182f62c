"""The games for learners: PettingZoo, Gymnasium, and batches of games in several processes (docs/learning.md).

>>> from referee.gyms import aec_env
>>> env = aec_env("year_of_the_dragon", players=3)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     action = None if termination else env.action_space(agent).sample(observation["action_mask"])
...     env.step(action)

It needs the extra `gym`; nothing else imports it.
"""

from referee.errors import RefereeError
from referee.version import install_extra

try:
    import gymnasium
    import numpy  # noqa: F401 (only to find out whether it is there)
    import pettingzoo  # noqa: F401
except ModuleNotFoundError as error:  # pragma: no cover (the tests of this package are skipped without them)
    raise RefereeError(f"{error}; learners need the extra gym: {install_extra('gym')}") from error

from referee.games import OptionError, find_codec, find_game, game_names
from referee.gyms.aec import AecGame, aec_env
from referee.gyms.batch import Batch, batch_env
from referee.gyms.bots import BotSettings
from referee.gyms.episode import NotOffered, NotWhole
from referee.gyms.single import SingleGame, single_env

for _name in game_names():
    try:
        _id = f"referee/{find_codec(find_game(_name)).id()}"
    except OptionError:  # it has no codec
        continue
    gymnasium.register(_id, entry_point="referee.gyms:single_env", kwargs={"game": _name}, disable_env_checker=True)


def register_open_spiel() -> list[str]:
    """Register every game that has a codec with OpenSpiel, which is imported here. Returns their names there."""
    try:
        from referee.gyms.open_spiel import register_open_spiel as register  # noqa: PLC0415 (in the extra)
    except ModuleNotFoundError as error:
        raise RefereeError(f"{error}; OpenSpiel is in an extra: {install_extra('openspiel')}") from error
    return register()


__all__ = [
    "AecGame",
    "Batch",
    "BotSettings",
    "NotOffered",
    "NotWhole",
    "SingleGame",
    "aec_env",
    "batch_env",
    "register_open_spiel",
    "single_env",
]
