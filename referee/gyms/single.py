"""A game as an environment of Gymnasium: one seat learns, and the others have opponents."""

import random
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import gymnasium

from referee.bots.policies import POLICIES, Policy
from referee.games import Codec, OptionError
from referee.gyms.bots import BotSeats, BotSettings
from referee.gyms.episode import (
    Episode,
    NotOffered,
    SeatView,
    action_space,
    find_codec_for,
    observation_space,
    rewards,
    seat_view,
    whole,
)
from referee.near_misses import did_you_mean
from referee.outcome import Fault
from referee.players.player import PlayerFault
from referee.seeds import substitute_random

BUILTIN: Final = "builtin:"
USUAL_OPPONENT: Final = "builtin:random"
USUAL_SETTINGS: Final = BotSettings()

Opponent = str | Callable[[SeatView], int]
"""A BOT as on the command line, such as `builtin:random` or the folder of a bot; or a function that gets what an agent
gets (`observation` and `action_mask`) and returns an index."""


class SingleGame(gymnasium.Env):
    """A game for a learner in one seat, as an environment of Gymnasium.

    An episode is a game; decisions with one legal action are taken by the environment.

    The reward comes at the end: the part of the opponents that the learner beat less the part that beat it. An illegal
    index changes nothing: the same decision is due again, and `info` says why in `illegal`. A bot that commits a fault
    is named in `info`, and its further decisions are random ones.

    `opponents` are in the order of the other seats; without them all are `builtin:random`. Bots are started in the
    sandbox and on the clock of `bots`. `options` are those of the game. With `wire`, `info` has in `act` what a bot
    would be sent. Raises OptionError for an unknown game, a bad option or a game without a codec, and BotSpecError,
    SandboxError or BuildError for a bot that can't be started.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        game: str,
        players: int | None = None,
        *,
        seat: int = 0,
        opponents: Sequence[Opponent] | None = None,
        wire: bool = False,
        bots: BotSettings = USUAL_SETTINGS,
        render_mode: None = None,
        **options: Any,
    ) -> None:
        self.codec: Codec[Any] = find_codec_for(game, players, options)
        count, seat = self.codec.config.players, whole(seat, "seat")
        if not 0 <= seat < count:
            raise OptionError(f"seat {seat}: the seats are 0 to {count - 1}")
        chosen = [USUAL_OPPONENT] * (count - 1) if opponents is None else list(opponents)
        if isinstance(opponents, str):
            raise OptionError(f"opponents is a list, with one for each other seat: [{opponents!r}]")
        if len(chosen) != count - 1:
            raise OptionError(f"{count} players need {count - 1} opponents, but {len(chosen)} are given")
        self.seat = seat
        self.render_mode = render_mode
        self.observation_space = observation_space(self.codec)
        self.action_space = action_space(self.codec)
        self.episode: Episode
        self._wire = wire
        self._policies: dict[int, Policy] = {}
        self._functions: dict[int, Callable[[SeatView], int]] = {}
        self._randoms: dict[int, random.Random] = {}
        self._faults: dict[int, Fault] = {}
        started: dict[int, str] = {}
        for other, opponent in zip((other for other in range(count) if other != seat), chosen, strict=True):
            if callable(opponent):
                self._functions[other] = opponent
            elif not isinstance(opponent, str):
                raise OptionError(
                    f"invalid opponent {opponent!r}: give a function, or a text such as {USUAL_OPPONENT!r}"
                )
            elif opponent.startswith(BUILTIN):
                name = opponent.removeprefix(BUILTIN)
                if name not in POLICIES:
                    raise OptionError(f"unknown built-in player {name!r}{did_you_mean(name, POLICIES)}")
                self._policies[other] = POLICIES[name]
            else:
                started[other] = opponent
        self._bots = BotSeats(self.codec.game, self.codec.config, started, bots) if started else None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[SeatView, dict[str, Any]]:
        """Begin a game, and play to the first decision of the learner. The same seed gives the same game."""
        super().reset(seed=seed)
        number = f"{self.np_random.integers(2**63)}"
        self.episode = Episode(self.codec, number)
        self._randoms = {other: substitute_random(number, other) for other in range(self.codec.config.players)}
        self._faults = {} if self._bots is None else self._bots.begin(number, self.episode.game)
        self._play_others()
        return seat_view(self.episode, self.seat), self._info()

    def step(self, action: Any) -> tuple[SeatView, float, bool, bool, dict[str, Any]]:
        """Take the decision, and play to the next one of the learner or to the end of the game. Raises NotWhole."""
        illegal: str | None = None
        try:
            self.episode.step(action)
        except NotOffered as error:
            illegal = str(error)
        else:
            self._play_others()
        ended = self.episode.seat is None
        info = self._info()
        if illegal is not None:
            info["illegal"] = illegal
        reward = rewards(self.episode.game)[self.seat] if ended else 0.0
        return seat_view(self.episode, self.seat), reward, ended, False, info

    def close(self) -> None:
        if self._bots is not None:
            self._bots.close()

    def _info(self) -> dict[str, Any]:
        episode = self.episode
        info: dict[str, Any] = {}
        if episode.seat is None:
            info["scores"] = episode.game.ranking().scores
            info["outside"] = episode.outside
        if self._faults:
            info["faults"] = {f"seat_{seat}": str(fault) for seat, fault in sorted(self._faults.items())}
        if self._wire:
            info["act"] = episode.wire(self.seat)
        return info

    def _play_others(self) -> None:
        """Take the decisions of opponents until one of the learner is due, or the game is over."""
        episode = self.episode
        while (seat := episode.seat) is not None and seat != self.seat:
            if seat in self._functions:
                episode.step(self._functions[seat](seat_view(episode, seat)))
            elif seat in self._policies:
                episode.apply(self._policies[seat](episode.game.legal_actions(), self._randoms[seat]))
            else:
                self._ask_bot(seat)
        if episode.seat is None and self._bots is not None:
            self._bots.end(episode.game)

    def _ask_bot(self, seat: int) -> None:
        """Let a bot decide; for one that has committed a fault, the substitute."""
        assert self._bots is not None
        if seat not in self._faults:
            try:
                self.episode.apply(self._bots.decide(seat, self.episode.game))
            except PlayerFault as error:
                self._faults[seat] = error.fault
            else:
                return
        self.episode.apply(self._randoms[seat].choice(self.episode.game.legal_actions()))


single_env: Final = SingleGame
