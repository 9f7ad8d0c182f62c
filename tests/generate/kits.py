"""The generated parts of the starter kits."""

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from pkgutil import resolve_name
from typing import Any, Final

from msgspec import UNSET

from referee.games import Game, find_game, game_names
from referee.games.options import options
from referee.kits.kits import KITS
from referee.kits.messages.model import Model, model
from tests.generate.messages import c, cpp, python
from tests.generate.transcripts import Transcript, Variant, lines_of

TEMPLATES: Final = "referee/kits/templates"
SAMPLE: Final = "sample.jsonl"
STORED: Final[dict[str, Callable[[Model], str]]] = {
    "python/messages.py": python.emit,
    "c/messages.h": c.emit_header,
    "c/messages.c": c.emit_source,
    "cpp/messages.hpp": cpp.emit_header,
}
"""The files with types of messages among the templates, and what writes each."""
MESSAGES: Final[dict[str, Callable[[Model], str]]] = {
    **STORED,
    **{
        f"{language}/{path}": resolve_name(f"referee.kits.messages.{emitter}:emit")
        for language, kit in KITS.items()
        for path, emitter in kit.messages.items()
    },
}
"""The same of all kits."""

Message = dict[str, Any]


def template_files() -> dict[str, Callable[[], list[str]]]:
    """The generated files among the templates."""
    messages = {f"{TEMPLATES}/{path}": partial(_emitted, emit) for path, emit in STORED.items()}
    return {f"{TEMPLATES}/common/{SAMPLE}": sample_lines, **messages}


def _emitted(emit: Callable[[Model], str]) -> list[str]:
    return emit(model()).split("\n")[:-1]


# -- sample.jsonl ----------------------------------------------------------------------------------------------------

SEEDS: Final = range(20)
"""Tried in turn until a random player is asked everything that the game asks."""
UNKNOWN: Final = {"type": "weather", "message": "Later versions may send messages and fields that are not known yet."}


@cache
def sample_lines() -> list[str]:
    """A session in which every kind of decision comes once, and what later versions of the protocol may add."""
    return [json.dumps(message, separators=(",", ":"), ensure_ascii=False) for message in _sample()]


def _sample() -> Iterator[Message]:
    number = 0
    for index, (game, kinds) in enumerate(_games()):
        hello, start, *acts, end, _ = game
        if index == 0:
            yield hello
        yield start | {"game_id": f"sample-{index}"}
        for kind in kinds:
            number += 1
            asked = [act for act in acts if act["decision"] == kind]
            yield asked[len(asked) // 2] | {"id": number}
        yield end | {"game_id": f"sample-{index}", "later": [None, {"unknown": 1.5e3}]}
    yield UNKNOWN
    yield {
        "type": "fault",
        "code": "illegal_action",
        "message": "index 7 is not in 0 to 3 (build_floor) “sample\u2028”",
    }
    yield {"type": "quit"}


def _games() -> Iterator[tuple[list[Message], list[str]]]:
    """The lines to a bot in games that together ask for all kinds of decisions, and the kinds that are new in each."""
    for name in game_names():
        missing = dict.fromkeys(find_game(name).actions)
        for seed, config in product(SEEDS, _configs(find_game(name))):
            messages = [json.loads(line) for line in lines_of(f"sample {seed}", Transcript(name, 2, 0, config)).to_bot]
            asked = {message["decision"]: None for message in messages if message["type"] == "act"}
            new = [kind for kind in asked if kind in missing]
            if new:
                yield messages, new
            missing = {kind: None for kind in missing if kind not in asked}
            if not missing:
                break
        else:
            raise ValueError(f"no random game of {name} asks for {', '.join(missing)}, with any value of any option")


def _configs(game: type[Game]) -> Iterator[Variant]:
    """The game as it is by default, and with each value of each option."""
    yield Variant()
    for option in options(game.Config):
        if option.choices is not UNSET:
            yield from (Variant({option.name: value}) for value in option.choices if value != option.default)
