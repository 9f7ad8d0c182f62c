"""A bot that plays by trained weights (docs/learning.md): it takes the index with the highest prediction.

It needs the package `referee` for the codec, and no other package.
"""

import json
import sys
from array import array
from collections.abc import Sequence
from operator import mul
from pathlib import Path
from typing import Any

from referee.games import Codec, find_codec, find_game

BOT_FOLDER = Path(__file__).parent


def send(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


def load(codec: Codec[Any]) -> list[Sequence[float]] | None:
    """The weights of each index; None if they were trained for another codec or number of players."""
    trained = json.loads((BOT_FOLDER / "trained.json").read_text())
    if trained != {"codec": codec.id(), "players": codec.config.players}:
        print(f"trained for {trained}: the first legal action is taken in this game", file=sys.stderr)
        return None
    weights = array("f")
    weights.frombytes((BOT_FOLDER / "weights").read_bytes())
    if sys.byteorder == "big":
        weights.byteswap()
    return [weights[first : first + codec.length] for first in range(0, len(weights), codec.length)]


def choose(codec: Codec[Any], weights: list[Sequence[float]] | None, act: dict[str, Any]) -> int:
    """The index in `legal` of the action with the highest prediction; 0 without weights."""
    if weights is None:
        return 0
    vector, indices = codec.of_message(act)
    promised = [-1e9 if index < 0 else sum(map(mul, vector, weights[index])) for index in indices]
    return promised.index(max(promised))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send({"type": "ready", "protocol": 1, "name": "learner", "options": {"events": False}})
    elif message["type"] == "start":
        codec = find_codec(find_game(message["game"])).of_start(message)
        weights = load(codec)
    elif message["type"] == "act":
        send({"type": "action", "id": message["id"], "index": choose(codec, weights, message)})
    elif message["type"] == "quit":
        break
