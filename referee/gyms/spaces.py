"""The spaces of a game, and observations in them."""

from typing import Any

import numpy as np
from gymnasium import spaces

from referee.games import Codec
from referee.gyms.episode import Episode

SeatView = dict[str, Any]
"""`observation`: what a seat sees, and `action_mask`: which indices it may take now."""


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
