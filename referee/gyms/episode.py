"""One game in which decisions are indices, and its spaces: what all environments have in common."""

import contextlib
import operator
from collections.abc import Mapping
from random import Random
from typing import Any, Self

import msgspec
import numpy as np
from gymnasium import spaces
from msgspec import Struct

from referee.errors import RefereeError
from referee.games import Action, Codec, Game, Seeded, find_codec, find_game
from tournaments.play.configuration import configuration

Wire = dict[str, Any]
"""An `act` as a bot receives it, decoded, without id and time."""
SeatView = dict[str, Any]
"""`observation`: what a seat sees, and `action_mask`: which indices it may take now."""


class NotOffered(RefereeError, ValueError):
    """An index that stands for no legal action of the decision that is due."""


class NotWhole(RefereeError, TypeError):
    """A value that is not a whole number, where one is needed."""


def whole(value: object, what: str = "an index") -> int:
    """A whole number, also one of numpy. Raises NotWhole for anything else, such as 1.5, 1.0, "1", True or an array."""
    if not type(value).__name__.startswith("bool"):  # those of numpy too
        with contextlib.suppress(TypeError):
            return operator.index(value)  # type: ignore[arg-type]
    raise NotWhole(f"{what} must be a whole number, not {value!r}")


def find_codec_for(game: str, players: int | None, options: Mapping[str, Any]) -> Codec[Any]:
    """The codec of a game with these options; `players` is the usual number if None. Raises OptionError."""
    if players is None:
        field = next(each for each in msgspec.structs.fields(find_game(game).Config) if each.name == "players")
        players = 2 if field.default is msgspec.NODEFAULT else int(field.default)
    rules, config = configuration(game, options, players)
    return find_codec(rules)(config)


class Episode:
    """A game from its first to its last decision. Decisions with one legal action are taken without asking."""

    __slots__ = ("_seen", "_sent", "codec", "game", "offers", "outside")

    def __init__(self, codec: Codec[Any], seed: int | str) -> None:
        self.codec = codec
        self.game = codec.game.new(codec.config, Seeded(seed))
        self.offers: dict[int, Action] = {}
        """The legal actions of the decision that is due, by index; none after the end."""
        self.outside = 0
        """Decisions in which no legal action had an index: the first one was taken."""
        self._seen: Struct | None = None
        """What the seat sees whose decision is due."""
        self._sent = [0] * codec.config.players
        """By seat, the position in the log after the last event of its latest `wire`."""
        self._advance()

    @property
    def seat(self) -> int | None:
        """The seat whose decision is due; None after the end."""
        turn = self.game.turn
        return None if turn is None else turn.seat

    def step(self, index: object) -> None:
        """Take the decision that is due. Raises NotOffered, and changes nothing, for any other index than offered, and
        NotWhole if it is not a whole number."""
        index = whole(index)
        action = self.offers.get(index)
        if action is None:
            turn = self.game.turn
            if turn is None:
                raise NotOffered("the game is over: no decision is due")
            raise NotOffered(
                f"index {index} is not a legal {turn.decision} of seat {turn.seat}; its action_mask has"
                f" {len(self.offers)} others"
            )
        self.game.apply(action)
        self._advance()

    def apply(self, action: Action) -> None:
        """Take the decision that is due, with an action that may have no index. Raises IllegalAction."""
        self.game.apply(action)
        self._advance()

    def _advance(self) -> None:
        """Go on to the next decision with a choice, and list what is offered."""
        game, codec = self.game, self.codec
        self.offers = {}
        while game.turn is not None:
            legal = game.legal_actions()
            if len(legal) > 1:
                self._seen = game.observe(game.turn.seat)
                self.offers = codec.offers(self._seen, legal)
                if self.offers:
                    return
                self.outside += 1
            game.apply(legal[0])
        self._seen = None

    def vector(self, seat: int) -> bytearray:
        """What `seat` sees, as bytes."""
        if seat == self.seat and self._seen is not None:
            return self.codec.vector(self._seen)
        return self.codec.vector(self.game.observe(seat))

    def mask(self, seat: int) -> bytearray:
        """A byte for each index: 1 if `seat` may take it now."""
        mask = bytearray(self.codec.size)
        if seat == self.seat:
            for index in self.offers:
                mask[index] = 1
        return mask

    def wire(self, seat: int) -> Wire:
        """What a bot in this seat would receive now: the decision, if one is due to it, and the events since then."""
        game = self.game
        events = game.events_since(seat, self._sent[seat])
        self._sent[seat] = len(game.log)
        act: Wire = {"observation": game.observe(seat), "events": events}
        if game.turn is not None and game.turn.seat == seat:
            act |= {"decision": game.turn.decision, "legal": game.legal_actions()}
        decoded: Wire = msgspec.json.decode(msgspec.json.encode(act))
        return decoded

    def copy(self) -> Self:
        """An independent copy, for the cost of a copy of the game. Its chance is the same: it sees the same future."""
        twin = object.__new__(type(self))
        twin.codec = self.codec
        twin.game = self.game.copy()
        twin.offers = self.offers
        twin.outside = self.outside
        twin._seen = None
        twin._sent = self._sent[:]
        return twin

    def determinize(self, seat: int, random: Random) -> Self:
        """A copy in which everything that `seat` doesn't know, also what chance will bring, is drawn by `random`."""
        twin = self.copy()
        twin.game = self.game.determinize(seat, random)
        if self.seat != seat:  # the legal actions of another seat may follow from what is hidden
            twin._advance()
        return twin


def rewards(game: Game) -> list[float]:
    """By seat, the part of its opponents that it beat less the part that beat it: from 1 to -1, in sum 0.

    The result once the game is over; before, what it would be if it ended now.
    """
    ranks = game.ranking().ranks
    opponents = len(ranks) - 1
    return [(sum(rank > own for rank in ranks) - sum(rank < own for rank in ranks)) / opponents for own in ranks]


def observation_space(codec: Codec[Any]) -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(low=0, high=255, shape=(codec.length,), dtype=np.uint8),
            "action_mask": spaces.Box(low=0, high=1, shape=(codec.size,), dtype=np.int8),
        }
    )


def action_space(codec: Codec[Any]) -> spaces.Discrete:
    return spaces.Discrete(codec.size)


def seat_view(episode: Episode, seat: int) -> SeatView:
    """What `seat` sees and may do now."""
    return {
        "observation": np.frombuffer(episode.vector(seat), np.uint8),
        "action_mask": np.frombuffer(episode.mask(seat), np.int8),
    }
