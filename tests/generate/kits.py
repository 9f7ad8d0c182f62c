"""The generated parts of the starter kits, and the bots in `bots/` that are made from them."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, Final

from referee.games import find_game
from referee.kits import KITS, kit_files
from tests.generate.messages import c, cpp, csharp, go, java, python, rust, typescript
from tests.generate.messages.model import Model, model
from tests.generate.transcripts import Transcript, Variant, lines_of

TEMPLATES: Final = "referee/kits/templates"
SAMPLE: Final = "sample.jsonl"
MESSAGES: Final[dict[str, Callable[[Model], str]]] = {
    "python/messages.py": python.emit,
    "javascript/messages.d.ts": typescript.emit,
    "typescript/messages.ts": typescript.emit,
    "java/bot/Messages.java": java.emit,
    "c/messages.h": c.emit_header,
    "c/messages.c": c.emit_source,
    "cpp/messages.hpp": cpp.emit_header,
    "cpp/read_messages.hpp": cpp.emit_readers,
    "rust/src/messages.rs": rust.emit,
    "go/messages.go": go.emit,
    "csharp/Messages.cs": csharp.emit,
}
"""The files with types of messages, and what writes each."""

Message = dict[str, Any]


def bot_name(language: str) -> str:
    """The name of the bot in `bots/` that is the kit of this language as it is written."""
    return f"first-{language}"


def template_files() -> dict[str, Callable[[], list[str]]]:
    """The generated files among the templates."""
    messages = {f"{TEMPLATES}/{path}": partial(_emitted, emit) for path, emit in MESSAGES.items()}
    return {f"{TEMPLATES}/common/{SAMPLE}": sample_lines, **messages}


def bot_files() -> dict[str, Callable[[], list[str]]]:
    """All files of the bots that are made from the templates, which must have been renewed before."""
    files: dict[str, Callable[[], list[str]]] = {}
    for language in KITS:
        name = bot_name(language)
        generated = [path.removeprefix(f"{language}/") for path in MESSAGES if path.startswith(f"{language}/")]
        for path in sorted({*kit_files(name, language), *generated, SAMPLE}):
            files[f"bots/{name}/{path}"] = partial(_of_kit, language, path)
    return files


def _emitted(emit: Callable[[Model], str]) -> list[str]:
    return emit(model()).split("\n")[:-1]


def _of_kit(language: str, path: str) -> list[str]:
    return kit_files(bot_name(language), language)[path].decode().split("\n")[:-1]


# -- sample.jsonl ----------------------------------------------------------------------------------------------------

DECISIONS_OF_SUPER_EVENTS: Final = {
    "earthquake": "lose_floor",
    "flood": "give_back",
    "tornado": "discard_card",
    "sunrise": "take_person",
    "charter": "choose_type",
}
SEEDS: Final = range(20)
"""Tried in turn until a random player is asked what is wanted."""
UNKNOWN: Final = {"type": "weather", "message": "Later versions may send messages and fields that are not known yet."}


@cache
def sample_lines() -> list[str]:
    """A session in which every kind of decision comes once, and what later versions of the protocol may add."""
    return [json.dumps(message, separators=(",", ":"), ensure_ascii=False) for message in _sample()]


def _sample() -> Iterator[Message]:
    games: list[tuple[str, Mapping[str, Any], set[str]]] = [
        ("year_of_the_dragon", {"great_wall": True}, set(find_game("year_of_the_dragon").actions)),
        *(("year_of_the_dragon", {"super_event": event}, {kind}) for event, kind in DECISIONS_OF_SUPER_EVENTS.items()),
        ("forbidden_city", {}, {"lay_tile"}),
    ]
    games[0][2].difference_update(DECISIONS_OF_SUPER_EVENTS.values())
    number = 0
    for index, (game, options, wanted) in enumerate(games):
        hello, start, *acts, end, _ = _game_with(game, options, wanted)
        if index == 0:
            yield hello
        yield start | {"game_id": f"sample-{index}"}
        for act in acts:
            number += 1
            yield act | {"id": number}
        yield end | {"game_id": f"sample-{index}", "later": [None, {"unknown": 1.5e3}]}
    yield UNKNOWN
    yield {
        "type": "fault",
        "code": "illegal_action",
        "message": "index 7 is not in 0 to 3 (build_floor) “sample\u2028”",
    }
    yield {"type": "quit"}


def _game_with(game: str, options: Mapping[str, Any], wanted: set[str]) -> list[Message]:
    """The lines to a bot in a game, of its questions only one of each kind that is wanted."""
    for seed in SEEDS:
        lines = lines_of(f"sample {seed}", Transcript(game, 2, 0, Variant(options))).to_bot
        messages = [json.loads(line) for line in lines]
        acts = {message["decision"]: message for message in messages if message["type"] == "act"}
        if acts.keys() >= wanted:
            return [*messages[:2], *(act for kind, act in acts.items() if kind in wanted), *messages[-2:]]
    raise ValueError(f"no random game of {game} with {options} has decisions of all kinds {sorted(wanted)}")
