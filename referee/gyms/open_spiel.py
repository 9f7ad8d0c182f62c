"""The games in OpenSpiel, for its algorithms: after `register_open_spiel()`, `pyspiel.load_game("python_…")`.

Each draw is a chance node at the moment when it happens, with CHANCE_OUTCOMES equally likely outcomes, each the seed of
that draw. So a state doesn't contain future draws, and no search in its clones can see them. It does contain what is
hidden, as in all games of imperfect information of OpenSpiel: `resample_from_infostate` draws that again.
"""

import copy
import random
from collections.abc import Callable
from typing import Any, Final, Self, TypeVar

import msgspec
import numpy as np
import pyspiel

from referee.games import Action, ChanceError, Codec, Game, OptionError, Seeded, find_codec, find_game, game_names
from referee.games.options import options
from referee.gyms.episode import find_codec_for, rewards

T = TypeVar("T")
SPIEL_PREFIX: Final = "python_"
CHANCE_OUTCOMES: Final = 1024
MAX_MOVES: Final = 5000
"""Decisions and draws of a game: far more than any has."""


class DrawsByOutcome:
    """Answers draws from the outcomes of chance nodes, in order, beginning with the one at index `used`."""

    __slots__ = ("outcomes", "used")

    def __init__(self, outcomes: tuple[int, ...], used: int) -> None:
        self.outcomes = outcomes
        self.used = used

    def draw(self, name: str, sample: Callable[[random.Random], T], value_type: Any, round_no: int | None = None) -> T:
        """The value of the next draw. Raises ChanceError if its outcome is missing."""
        if self.used == len(self.outcomes):
            raise ChanceError(name, round_no, "its chance node comes first", missing=True)
        self.used += 1
        return Seeded(self.outcomes[self.used - 1]).draw(name, sample, value_type, round_no)


class Position:
    """A game in progress. Its game is never changed but replaced, so clones share it."""

    def __init__(self, codec: Codec[Any]) -> None:
        self.codec = codec
        self.game: Game | None = None
        """The game before the action in progress; None before its setup."""
        self.waits_for_chance = False
        self.offers: dict[int, Action] = {}
        self._outcomes: tuple[int, ...] = ()
        self._used = 0
        """The number of outcomes that `game` has used."""
        self._under_way: Action | None = None
        self._carry_out()

    def apply(self, number: int) -> None:
        """Take an outcome of chance or an index."""
        if self.waits_for_chance:
            self._outcomes = (*self._outcomes, number)
        else:
            self._under_way = self.offers[number]
        self._carry_out()

    def _carry_out(self) -> None:
        """Carry out the action in progress and all forced decisions, up to the first draw without an outcome."""
        self.offers = {}
        while True:
            chance = DrawsByOutcome(self._outcomes, self._used)
            try:
                if self.game is None:
                    game = self.codec.game.new(self.codec.config, chance)
                else:
                    assert self._under_way is not None
                    game = self.game.copy(chance=chance)
                    game.apply(self._under_way)
            except ChanceError:
                self.waits_for_chance = True
                return
            self.waits_for_chance = False
            self.game, self._used = game, chance.used
            if game.turn is None:
                return
            legal = game.legal_actions()
            if len(legal) > 1:
                self.offers = self.codec.offers(game.observe(game.turn.seat), legal)
                if self.offers:
                    return
            self._under_way = legal[0]

    def determinize(self, seat: int, source: random.Random) -> Self:
        """A position in which everything that `seat` doesn't know has been drawn again."""
        twin = copy.copy(self)
        if self.game is not None:
            twin.game = self.game.determinize(seat, source)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """For clones of OpenSpiel, which copy the attributes of a state."""
        return copy.copy(self)


class SpielState(pyspiel.State):
    def __init__(self, game: "SpielGame") -> None:
        super().__init__(game)
        self.position = copy.copy(game.start)

    def current_player(self) -> int:
        game = self.position.game
        if self.position.waits_for_chance:
            return int(pyspiel.PlayerId.CHANCE)
        if game is None or game.turn is None:
            return int(pyspiel.PlayerId.TERMINAL)
        return game.turn.seat

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.position.offers)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(outcome, 1 / CHANCE_OUTCOMES) for outcome in range(CHANCE_OUTCOMES)]

    def _apply_action(self, action: int) -> None:
        self.position.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == int(pyspiel.PlayerId.CHANCE):
            return f"outcome {action}"
        return str(self.get_game().meanings[action])

    def is_terminal(self) -> bool:
        return self.current_player() == int(pyspiel.PlayerId.TERMINAL)

    def returns(self) -> list[float]:
        """The rewards of `referee.gyms` at the end; 0 before."""
        game = self.position.game
        if game is None or not self.is_terminal():
            return [0.0] * self.num_players()
        return rewards(game)

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> Any:
        """A state in which everything that the player doesn't know has been drawn again."""
        twin = self.clone()
        twin.position = self.position.determinize(player, random.Random(sampler()))
        return twin

    def __str__(self) -> str:
        game = self.position.game
        return "before the setup" if game is None else msgspec.json.encode([game.log, game.turn]).decode()


class SpielObserver:
    """What a player sees: the vector of the codec, divided by its scales; as text, the observation as JSON.

    With perfect recall the text has all events so far, too.
    """

    def __init__(self, game: "SpielGame", kind: Any) -> None:
        self._codec = game.codec
        self._recalls = kind is not None and kind.perfect_recall
        self._scales = np.array([feature.scale for feature in game.codec.features], np.float32)
        self.tensor = np.zeros(game.codec.length, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        game = state.position.game
        if game is None:
            self.tensor.fill(0)
        else:
            vector = np.frombuffer(self._codec.vector(game.observe(player)), np.uint8)
            np.divide(vector, self._scales, out=self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:
        game = state.position.game
        if game is None:
            return "before the setup"
        seen = msgspec.json.encode(game.observe(player)).decode()
        return seen + msgspec.json.encode(game.events_since(player)).decode() if self._recalls else seen


class SpielGame(pyspiel.Game):
    """A game of OpenSpiel. A subclass for each game of the registry has its `rules`."""

    rules: type[Game]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.codec = find_codec_for(self.rules.name, given.pop("players", None), given)
        self.meanings = list(self.codec.meanings())
        self.start = Position(self.codec)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.codec.size,
            max_chance_outcomes=CHANCE_OUTCOMES,
            num_players=self.codec.config.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_MOVES,
        )
        super().__init__(game_type(self.rules), info, params or {})

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        """For pickle: the subclasses have no names in a module."""
        return load, (str(self),)

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        return SpielObserver(self, iig_obs_type)


def game_type(rules: type[Game]) -> Any:
    found = {option.name: option for option in options(rules.Config)}
    players = found["players"]
    return pyspiel.GameType(
        short_name=f"{SPIEL_PREFIX}{rules.name}",
        long_name=rules.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=players.maximum,
        min_num_players=players.minimum,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={name: option.default for name, option in found.items()},
    )


def register_open_spiel() -> list[str]:
    """Register every game that has a codec with OpenSpiel. Returns their names there."""
    names = []
    for name in game_names():
        rules = find_game(name)
        try:
            find_codec(rules)
        except OptionError:
            continue
        description = game_type(rules)
        names.append(description.short_name)
        if description.short_name not in pyspiel.registered_names():
            pyspiel.register_game(description, type(f"Spiel{rules.__name__}", (SpielGame,), {"rules": rules}))
    return names


def load(description: str) -> Any:
    """A game from its text, in a process that may not have registered it yet."""
    register_open_spiel()
    return pyspiel.load_game(description)
