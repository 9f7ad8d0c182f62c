"""A game as an environment of PettingZoo, in which agents act one after another (AEC)."""

import random
from typing import Any, Final, Self

from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

from referee.games import Codec
from referee.gyms.episode import (
    Episode,
    SeatView,
    action_space,
    find_codec_for,
    observation_space,
    rewards,
    seat_view,
    whole,
)

SEED_BITS: Final = 64
"""Length of the random seed of an environment that is given none."""


class AecGame(AECEnv, EzPickle):
    """A game for learners in all seats, as an environment of PettingZoo.

    Agents are `seat_0`, `seat_1`, …; decisions with one legal action are taken by the environment.

    Rewards come at the end: the part of its opponents that an agent beat less the part that beat it. An illegal index
    raises NotOffered, and the agent is still to act.

    `options` are those of the game (`referee games`). With `wire`, `info["act"]` is what a bot would be sent. Raises
    OptionError for an unknown game, a bad option, or a game without a codec.
    """

    metadata: dict[str, Any] = {"render_modes": [], "is_parallelizable": False}  # noqa: RUF012 (of AECEnv)

    def __init__(self, game: str, players: int | None = None, *, wire: bool = False, **options: Any) -> None:
        EzPickle.__init__(self, game, players, wire=wire, **options)
        AECEnv.__init__(self)
        self.codec: Codec[Any] = find_codec_for(game, players, options)
        self.metadata = {**type(self).metadata, "name": self.codec.id()}
        self.render_mode = None
        self.possible_agents = [f"seat_{seat}" for seat in range(self.codec.config.players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_space = observation_space(self.codec)
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._observation_space)
        self.action_spaces = {agent: action_space(self.codec) for agent in self.possible_agents}
        self._wire = wire
        self._seed = random.getrandbits(SEED_BITS)
        self._games = 0
        """Games begun with this seed."""
        self.episode: Episode

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. The same seed gives the same deals and shuffles; without one the series continues."""
        if seed is not None:
            self._seed, self._games = whole(seed, "seed"), 0
        self._games += 1
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.episode = Episode(self.codec, f"{self._seed}/{self._games}")
        self._select()

    def step(self, action: Any) -> None:
        """Take the decision of the agent that is to act. Raises NotOffered if it is not legal, and NotWhole if it is no
        index; then nothing changes."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.episode.step(action)
        self._select()

    def _select(self) -> None:
        """Select the agent that is to act; at the end, give all agents their rewards."""
        episode = self.episode
        seat = episode.seat
        if seat is None:
            scores = episode.game.ranking().scores
            for agent, reward, score in zip(self.agents, rewards(episode.game), scores, strict=True):
                self.rewards[agent] = reward
                self._cumulative_rewards[agent] += reward
                self.terminations[agent] = True
                self.infos[agent] = {"score": score, "outside": episode.outside}
            seat = 0
        self.agent_selection = self.possible_agents[seat]
        if self._wire:
            self.infos[self.agent_selection]["act"] = episode.wire(seat)

    def observe(self, agent: str) -> SeatView:
        """What an agent sees; its mask is all 0 unless a decision of its own is due."""
        return seat_view(self.episode, self._seats[agent])

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """An independent copy, at the cost of a copy of the game. Its draws will be the same: see `determinize`."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        memo[id(self)] = twin
        twin.agents = self.agents[:]
        if hasattr(self, "episode"):
            twin.episode = self.episode.copy()
            for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
                setattr(twin, name, getattr(self, name).copy())
            twin.infos = {agent: info.copy() for agent, info in self.infos.items()}
        return twin

    def determinize(self, agent: str, seed: int | None = None) -> Self:
        """A copy for a search by `agent`: what it can't know is drawn at random, including future draws.

        A search in plain copies would know what is hidden and the future shuffles.
        """
        twin = self.__deepcopy__({})
        twin.episode = self.episode.determinize(self._seats[agent], random.Random(seed))
        if self.episode.seat is not None:
            # What others were told may be hidden from the agent; what it was told itself stays as it is.
            twin.infos = {each: {} for each in self.agents}
            twin._select()
            twin.infos[agent] = self.infos[agent].copy()
        return twin


aec_env: Final = AecGame
