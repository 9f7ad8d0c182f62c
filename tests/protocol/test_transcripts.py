"""The transcripts in protocol/transcripts can be piped into a bot, which answers as it would in a real game."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from protocol.codec import decode
from protocol.messages import Answer, Message, Ready, ToBot
from referee.games import find_game, game_names
from referee.kits.kits import BRIDGES
from referee.processes.sandbox.visibility import KIT_TEMPLATES
from tests.generate.transcripts import player_counts

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "protocol" / "transcripts"
TRANSCRIPTS: Final = sorted(path.name.removesuffix(".to-bot.jsonl") for path in FOLDER.glob("*.to-bot.jsonl"))
BRIDGED: Final = {f"{protocol}-python" for protocol in BRIDGES}
"""These play one game of OpenSpiel each."""
LAST: Final = [name for game in game_names() for name in [each for each in TRANSCRIPTS if each.startswith(game)][-1:]]
"""Of each game that has any, the last one."""
BOTS: Final = sorted(path.parent for path in ROOT.glob("bots/*-python/bot.toml") if path.parent.name not in BRIDGED)
SEARCHER: Final = "searcher-python"
"""Limited to a few playouts, because it would use all the time it gets."""
ANSWERS_TIMEOUT: Final = 120
"""Time limit in seconds for all answers of a bot."""
to_bot: msgspec.json.Decoder[Message] = msgspec.json.Decoder(ToBot)
every_transcript = pytest.mark.parametrize("name", TRANSCRIPTS)


def read(name: str, direction: str) -> list[bytes]:
    """The lines of a transcript in one direction."""
    return (FOLDER / f"{name}.{direction}.jsonl").read_bytes().splitlines()


def messages(name: str) -> list[dict[str, Any]]:
    """The messages to the bot."""
    return [json.loads(line) for line in read(name, "to-bot")]


def pipe(name: str, bot: Path) -> list[bytes]:
    """The lines that a sample bot writes when it is given the transcript on its standard input."""
    text = tomllib.loads((bot / "bot.toml").read_text(encoding="utf-8"))["command"]
    command = shlex.split(text.replace("{kits}", str(KIT_TEMPLATES)))
    environment = dict(os.environ)
    if command[0] == "env":
        name_of_variable, value = command[1].split("=", 1)
        environment[name_of_variable] = value
        command = command[2:]
    assert command[0] in ("python3", "{python}")
    if bot.name == SEARCHER:
        command += ["--playouts", "2"]
    with (FOLDER / f"{name}.to-bot.jsonl").open("rb") as transcript:
        process = subprocess.run(
            [sys.executable, *command[1:]],
            cwd=bot,
            env=environment,
            stdin=transcript,
            capture_output=True,
            timeout=ANSWERS_TIMEOUT,
            check=True,
        )
    return process.stdout.splitlines()


@pytest.mark.ci_only
@pytest.mark.parametrize("bot", BOTS, ids=lambda path: path.name)
@pytest.mark.parametrize("name", LAST)
def test_a_sample_bot_gives_exactly_one_answer_to_every_act(name: str, bot: Path) -> None:
    ready, *answers = [decode(line) for line in pipe(name, bot)]
    assert isinstance(ready, Ready)
    acts = [message for message in messages(name) if message["type"] == "act"]
    assert [answer.id for answer in answers if isinstance(answer, Answer)] == [act["id"] for act in acts]
    assert len(answers) == len(acts)


@every_transcript
def test_the_random_bot_writes_the_answers_of_the_transcript_byte_for_byte(name: str) -> None:
    assert pipe(name, ROOT / "bots/random-python") == read(name, "from-bot")


@every_transcript
def test_a_transcript_is_a_whole_session_of_well_formed_messages(name: str) -> None:
    kinds = [type(to_bot.decode(line)).__name__ for line in read(name, "to-bot")]
    assert [kinds[0], kinds[1], *kinds[-2:]] == ["Hello", "Start", "End", "Quit"]
    assert set(kinds[2:-2]) == {"Act"}
    assert len(kinds) - 4 == len(read(name, "from-bot")) - 1


@every_transcript
def test_the_answers_of_the_transcript_were_played(name: str) -> None:
    acts = [message for message in messages(name) if message["type"] == "act"]
    start = messages(name)[1]
    answers = [json.loads(line) for line in read(name, "from-bot")[1:]]
    chosen = [act["legal"][answer["index"]] for act, answer in zip(acts, answers, strict=True)]
    events = [event for message in messages(name) for event in message.get("events", ())]
    own = [event for event in events if event["type"] == "decision" and event["seat"] == start["seat"]]
    assert [event["action"] for event in own if "forced" not in event] == chosen


def test_there_is_a_transcript_for_every_game_and_number_of_players() -> None:
    wanted = {(name, players) for name in game_names() for players in player_counts(find_game(name))}
    starts = [messages(name)[1] for name in TRANSCRIPTS]
    assert {(start["game"], start["config"]["players"]) for start in starts} == wanted
    assert len({start["seat"] for start in starts}) > 2


def test_the_transcripts_show_the_expansions_and_both_sides_of_the_start_tile() -> None:
    configs = [messages(name)[1]["config"] for name in TRANSCRIPTS]
    assert {config.get("great_wall") for config in configs} >= {True, False}
    assert len({config.get("super_event") for config in configs} - {None, "none"}) >= 2
    assert {config.get("start_tile") for config in configs} >= {"garden", "advanced"}
    assert {config.get("edition") for config in configs} >= {"anniversary", "first"}
