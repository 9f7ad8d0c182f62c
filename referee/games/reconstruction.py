"""Reconstructing a game in progress from the messages of one seat, so that a bot can search with its rules."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from referee.games.chance import DrawKey, Recorded
from referee.games.interface import Game, GameConfig


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
    those that it was sent.

    Raises ChanceError or IllegalAction if the events are incomplete or contradict the rules.
    """
    draws: dict[DrawKey, Any] = {
        (event["what"], event.get("round")): event["value"] for event in events if event["type"] == "chance"
    }
    twin = game.new(config, Recorded(draws | game.hidden_draws(config, seat, observation, events)))
    for event in events:
        if event["type"] == "decision":
            twin.apply(msgspec.convert(event["action"], twin.actions[event["decision"]]))
    return twin.determinize(seat, random)
