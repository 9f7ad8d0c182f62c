"""Reconstructing a game in progress from the messages of one seat, so that a bot can search with its rules."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from referee.games.chance import DrawKey, Recorded
from referee.games.interface import Game, GameConfig, IllegalAction


def reconstruct(
    game: type[Game],
    config: GameConfig,
    seat: int,
    observation: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    random: Random,
) -> Game:
    """The game as `seat` knows it; `random` draws what it doesn't know (see `Game.determinize`).

    `observation` comes from the last message to the seat, and `events` from all messages of the game up to then, in
    order; both as on the wire. The seat's observation of the returned game, its events and its legal actions equal
    those that it was sent. A game in which decisions are hidden from other seats can't be reconstructed so.

    Raises ChanceError or IllegalAction if the events are incomplete or contradict the rules.
    """
    draws: dict[DrawKey, Any] = {
        (event["what"], event.get("round")): event["value"] for event in events if event["type"] == "chance"
    }
    twin = game.new(config, Recorded(draws | game.hidden_draws(config, seat, observation, events)))
    for event in events:
        if event["type"] == "decision":
            if twin.turn is None or (twin.turn.seat, twin.turn.decision) != (event["seat"], event["decision"]):
                raise IllegalAction(
                    f"the events have no decision that comes before {event['decision']} of seat"
                    f" {event['seat']}: it may be hidden from seat {seat}"
                )
            action = msgspec.convert(event["action"], twin.actions[event["decision"]])
            twin.apply(action, opening=event.get("opening", False))
    return twin.determinize(seat, random)
