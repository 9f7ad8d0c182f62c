"""`referee bot replay`: the questions of a recorded game, put to a bot again."""

import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from referee.games import find_game
from referee.record.replay import Replay
from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, assert_error, referee
from tests.game_runner.harness import FIRST, RANDOM, Harness
from tournaments.play.bot_replay import game_start
from tournaments.play.schedule import rotations

PATIENT: Final = ("--time-scale", "30", "--sandbox", "none")
LAST_ACTION: Final = BOT.replace('rng.randrange(len(message["legal"]))', "-1 + len(message['legal'])")
"""Takes the last legal action."""
CRASHING: Final = BOT.replace('elif message["type"] == "act":', 'elif message["type"] == "act":\n        CRASH')
"""CRASH stands for what to do first at each question."""
COPYING: Final = BOT.replace("    message =", "    sys.stderr.write(line)\n    message =")
"""Writes each message to standard error, too."""


@pytest.fixture(scope="module")
def game(bot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of a game with a bank in which the bot, playing at random, has seat 1; `traces` is beside it."""
    folder = tmp_path_factory.mktemp("game")
    only = ("--only", "0001-2", "--seed", "replayed", "--bank", "90s", "--increment", "1s")
    arguments = ("--record", folder, "--trace", folder / "traces", *only, "--sandbox", "none")
    ended = referee("match", bot, "builtin:first", *arguments)
    assert ended.status == 0, ended.err
    return folder / "0001-2.jsonl"


def replay(game: Path, bot: Path | str, *options: str | Path, seat: int = 1) -> Run:
    return referee("bot", "replay", game, bot, "--seat", str(seat), "--sandbox", "none", *options)


def decisions(game: Path, seat: int) -> list[dict[str, Any]]:
    """The decisions of a seat for which a player was asked."""
    lines = map(json.loads, game.read_text().splitlines())
    return [line for line in lines if line["type"] == "decision" and line["seat"] == seat and "ms" in line]


@pytest.mark.slow
def test_a_bot_that_draws_from_its_seed_gives_the_same_answers_again(game: Path, bot: Path) -> None:
    ended = replay(game, bot, "--all")
    asked = decisions(game, 1)
    assert ended.status == 0, ended.out
    first, *questions, last = ended.out.splitlines()
    assert first == "In the Year of the Dragon, deal 1, rotation 2: questions to bot"
    assert questions[1::2] == [f"  the same: {json.dumps(each['action'], separators=(',', ':'))}" for each in asked]
    assert last == f"{len(asked)} of {len(asked)} answers are the same"


def test_it_sends_what_was_sent_in_the_game(game: Path, tmp_path: Path) -> None:
    """Byte by byte, but for a millisecond: the record has times in thousandths."""
    copying = make_bot(tmp_path / "bot", COPYING)
    sent = [json.loads(line) for line in (game.parent / "traces/0001-2.seat1.to-bot.jsonl").read_text().splitlines()]
    copy = tmp_path / "copy"
    ended = replay(game, f"env sh -c 'exec python3 {copying / 'bot.py'} 2> {copy}'")
    assert ended.status == 0, ended.err
    again = [json.loads(line) for line in copy.read_text().splitlines()]
    assert [line["type"] for line in again] == [line["type"] for line in sent]
    for mine, other in zip(again, sent, strict=True):
        time, other_time = mine.pop("time_ms", 0), other.pop("time_ms", 0)
        assert mine == other
        assert time == pytest.approx(other_time, abs=1)


@pytest.mark.slow
def test_each_answer_that_differs_is_shown_and_the_record_is_followed(game: Path, tmp_path: Path) -> None:
    last = make_bot(tmp_path / "last", LAST_ACTION)
    ended = replay(game, last, "--json")
    assert ended.status == 3
    found = ended.json
    played = decisions(game, 1)
    assert [question["recorded"] for question in found["questions"]] == [line["action"] for line in played]
    assert [question["act"] for question in found["questions"]] == list(range(1, len(played) + 1))
    assert [question["recorded_ms"] for question in found["questions"]] == [line["ms"] for line in played]
    assert found["same"] + found["different"] == len(played)
    assert found["different"] == sum(question["answer"] != question["recorded"] for question in found["questions"]) > 0
    text = replay(game, last)
    assert text.status == 3
    first = next(question for question in found["questions"] if not question["same"])
    head = f"act {first['act']}: {first['decision']} (line {first['line']} of the record)"
    compact = [json.dumps(first[name], separators=(",", ":")) for name in ("recorded", "answer")]
    assert "\n".join([head, f"  recorded: {compact[0]}", f"  now:      {compact[1]}"]) in text.out
    assert text.out.endswith(f"{found['same']} of {len(played)} answers are the same, {found['different']} differ\n")


def test_the_replay_in_the_documents(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/matches.md").read_text("utf-8")
    start, _, end = page.partition("```text replay\n")[2].partition("```")[0].partition("…\n")
    only = ("--only", "0001-1", "--seed", "docs", "--record", tmp_path)
    assert referee("match", "builtin:random", "builtin:first", *only).status == 0
    ended = replay(tmp_path / "0001-1.jsonl", "builtin:first", seat=0)
    assert ended.status == 3
    assert ended.out.startswith(start)
    assert ended.out.endswith(f"\n{end}")


@pytest.mark.slow
def test_a_fault_is_shown_with_standard_error_and_ends_the_questions(game: Path, tmp_path: Path) -> None:
    source = CRASHING.replace("CRASH", 'if message["id"] == 3: sys.exit("no idea")')
    ended = replay(game, make_bot(tmp_path / "bot", source))
    assert ended.status == 3
    assert "\nact 3: " in ended.out
    assert "\n  now:      crash: exited with status 1 at act 3" in ended.out
    assert "\n    no idea\n" in ended.out
    assert f"\n{len(decisions(game, 1)) - 3} not put to the bot because of its fault\n" in ended.out


def test_a_bot_that_does_not_start(game: Path) -> None:
    ended = replay(game, "false", "--json")
    assert ended.status == 3
    assert ended.json["fault"]["code"] == "crash"
    assert ended.json["unasked"] == len(decisions(game, 1))


# -- games with faults ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def broken(bot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of a game of three in which the bot in seat 1 has crashed at its third question."""
    folder = tmp_path_factory.mktemp("broken")
    crashing = make_bot(folder / "bot", CRASHING.replace("CRASH", 'if message["id"] == 3: sys.exit(1)'))
    arguments = ("--only", "1-1", "--seed", "s", *PATIENT, "--record", folder / "records")
    ended = referee("match", "builtin:first", crashing, "builtin:first", *arguments)
    assert ended.status == 3, ended.err
    return folder / "records/0001-1.jsonl"


@pytest.mark.slow
def test_the_question_of_a_fault_is_put_and_those_of_a_substitute_are_marked(broken: Path, bot: Path) -> None:
    lines = [json.loads(line) for line in broken.read_text().splitlines()]
    substitutes = [line for line in lines if line.get("substitute") and "forced" not in line]
    ended = replay(broken, bot, "--json")
    assert ended.status == 0
    by = [question["recorded_by"] for question in ended.json["questions"]]
    assert by == ["player", "player", "nobody", *["substitute"] * (len(substitutes) - 1)]
    crash = ended.json["questions"][2]
    assert (crash["recorded_fault"], crash["recorded"], crash["same"]) == ("crash", None, None)
    assert crash["answer"] is not None
    text = replay(broken, bot, "--all").out
    assert "\n  recorded: crash, which ended the game for this bot\n  now:      {" in text
    assert text.count(" (by a substitute; not compared)\n") == len(substitutes) - 1
    assert text.endswith(
        "2 of 2 answers are the same\n"
        f"{len(substitutes)} not compared: there the record has a fault, or the choice of a substitute\n"
    )


@pytest.mark.slow
def test_an_unfinished_record_is_replayed_as_far_as_it_goes(game: Path, bot: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(game.read_bytes().splitlines(keepends=True)[:40]))
    ended = replay(cut, bot)
    assert ended.status == 0, ended.out
    assert "the record ends before the game does: " in ended.out


def test_a_record_without_bot_seeds_gets_a_notice(game: Path, tmp_path: Path) -> None:
    first, *rest = game.read_text().splitlines()
    header = {name: value for name, value in json.loads(first).items() if name not in ("bot_seeds", "public_id")}
    old = tmp_path / "old.jsonl"
    old.write_text("\n".join([json.dumps(header), *rest, ""]))
    ended = replay(old, "builtin:first", seat=0)
    assert ended.status == 0
    assert "the record doesn't say which bot_seed the bot was told; it gets 0" in ended.err


# -- what can't be replayed -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_can_not_be_replayed_is_said(game: Path, tmp_path: Path) -> None:
    assert_error(replay(game, "builtin:first", seat=2), 2, "has no seat 2: its seats are 0 (")
    assert_error(referee("bot", "replay", game, "builtin:first"), 2, "which --seat? its seats are 0 (")
    swapped = referee("bot", "replay", "builtin:first", game)
    assert_error(swapped, 2, f"the record comes before the bot: referee bot replay {game} builtin:first")
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(game.read_text().replace('"scores"', '"points"'))
    assert_error(replay(wrong, "builtin:first"), 1, "wrong.jsonl: line ")


async def test_a_bot_that_was_told_no_names_is_told_none_again(harness: Harness) -> None:
    """As in a tournament whose bots are anonymous."""
    plan = msgspec.structs.replace(harness.plan([FIRST, RANDOM], game=find_game("year_of_the_dragon")), anonymous=True)
    [schedule] = rotations(1, 2, "seed", rotate=False)
    [played] = await harness.run(plan, [schedule])
    assert played.record is not None
    replay = Replay(played.record)
    assert [player.name for player in replay.header.players] == ["first", "random"]
    start = game_start(replay, 1)
    assert start.players == ["seat 0", "seat 1"]
    assert (start.game_id, start.bot_seed) == (schedule.public_id, schedule.bot_seeds[1])
