"""A game as far as an audience knows it, followed by what that audience is sent."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar, Union

import msgspec
from msgspec import UNSET, Raw

from referee.games.chance import DrawKey, Recorded
from referee.games.interface import ChanceEvent, DecisionEvent, Event, Game

G = TypeVar("G", bound=Game)


class KnownGame(Generic[G]):
    """The rules, applied to the decisions and draws that a seat or the public was sent, and to nothing else.

    `rules` take from events what the audience can't know in advance (`Game.reveal`). `game` is None before the first
    events.
    """

    def __init__(self, rules: type[G], config: Any) -> None:
        self.game: G | None = None
        self._rules = rules
        self._config = config
        self._draws: dict[DrawKey, Any] = {}
        kinds: Any = Union[(ChanceEvent, DecisionEvent, *rules.events)]
        self._decoder = msgspec.json.Decoder(list[kinds])

    def decode(self, sent: Sequence[Raw]) -> list[Event]:
        """Events as on the wire, which may be several in a part, as values that share nothing with the real game."""
        return self._decoder.decode(b"[%b]" % b",".join(sent))

    def follow(self, events: Sequence[Event]) -> Iterator[list[Event]]:
        """Bring `game` up to date with the events since the last call. Exhaust the iterator.

        Yields the new events of its own log: after the setup, and after each decision, while the game is in that
        position. Raises ChanceError or IllegalAction, after the last of them, if these rules can't follow the game from
        what was sent.
        """
        for event in events:
            if isinstance(event, ChanceEvent):
                self._draws[event.what, None if event.round is UNSET else event.round] = event.value
        if self.game is None:
            self.game = self._rules.new(self._config, Recorded(self._draws))
            yield self._log_since(0)
        elif self.game.hides_decisions and events and not any(isinstance(event, DecisionEvent) for event in events):
            since = len(self.game.log)
            self.game.take_hidden(events)
            yield self._log_since(since)
        game = self.game
        for position, event in enumerate(events):
            if isinstance(event, DecisionEvent):
                since = len(game.log)
                while game.turn is None or (game.turn.seat, game.turn.decision) != (event.seat, event.decision):
                    game.take_hidden(events[position:])
                game.reveal(events[position + 1 :])
                try:
                    game.apply(msgspec.convert(event.action, game.actions[event.decision]), opening=event.opening)
                finally:  # also if a draw is missing, where a record breaks off
                    yield self._log_since(since)

    def _log_since(self, since: int) -> list[Event]:
        assert self.game is not None
        return [event for event, _ in self.game.log[since:]]
