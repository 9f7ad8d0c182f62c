"""`referee match --trace` and `--only`: the lines of one game, and one game once more."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from protocol import codec
from referee.bots.bot_spec import parse_bots
from tests.cli.bots import BOT, make_bot
from tests.cli.command import assert_error, in_shell, referee, start
from tests.cli.test_match import without_ms
from tests.timeouts import TEST_TIMEOUT
from tournaments.play.match_preparation import only_game
from tournaments.play.match_spec import LineUp, MatchError, MatchSpec

PATIENT: Final = ("--time-scale", "30", "--sandbox", "none")


@pytest.fixture(scope="module")
def traced(bot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with traces, and beside it one with records, of a match of two deals against a built-in player."""
    folder = tmp_path_factory.mktemp("traced")
    arguments = ["--games", "2", "--seed", "traced", "--record", str(folder / "records"), "--json", *PATIENT]
    ended = referee("match", bot, "builtin:random", *arguments, "--concurrency", "1", "--trace", folder / "traces")
    assert ended.status == 0, ended.err
    assert ended.json["traces"] == str(folder / "traces")
    return folder / "traces"


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def pipe(file: Path, bot: Path) -> list[dict[str, Any]]:
    """What a bot answers to the lines of a file."""
    with file.open() as lines:
        done = subprocess.run(
            [sys.executable, bot / "bot.py"], stdin=lines, capture_output=True, check=True, timeout=TEST_TIMEOUT
        )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_there_is_a_trace_per_game_and_bot_and_one_part_of_it_can_be_piped_into_the_bot(traced: Path) -> None:
    games = ("0001-1.seat0", "0001-2.seat1", "0002-1.seat0", "0002-2.seat1")
    assert sorted(path.name for path in traced.iterdir()) == [
        f"{game}.{part}.jsonl" for game in games for part in ("to-bot", "trace")
    ]


@pytest.mark.parametrize("game", ["0001-1.seat0", "0002-1.seat0"], ids=["first game", "same process again"])
def test_a_bot_gives_the_answers_of_the_game_to_the_lines_piped_into_it(traced: Path, bot: Path, game: str) -> None:
    trace = read(traced / f"{game}.trace.jsonl")
    assert pipe(traced / f"{game}.to-bot.jsonl", bot) == [line["from"] for line in trace if "from" in line]


def test_a_trace_has_both_directions_in_the_order_of_time(traced: Path) -> None:
    header, *lines = read(traced / "0002-1.seat0.trace.jsonl")
    began = header.pop("began")
    assert header == {"trace": 1, "game_id": "0002-1", "seat": 0, "bot": "bot"}
    assert began.endswith("+00:00")
    kinds = [(way, line[way]["type"]) for line in lines for way in ("to", "from") if way in line]
    assert kinds[:5] == [("to", "hello"), ("from", "ready"), ("to", "start"), ("to", "act"), ("from", "action")]
    assert kinds[-1] == ("to", "end")
    times = [line["ms"] for line in lines]
    assert times == sorted(times)
    assert times[1] < 0 < times[2]  # the process was greeted in an earlier game


def test_what_is_piped_is_what_was_sent(traced: Path) -> None:
    sent = [line["to"] for line in read(traced / "0001-2.seat1.trace.jsonl") if "to" in line]
    assert read(traced / "0001-2.seat1.to-bot.jsonl") == [*sent, {"type": "quit"}]


@pytest.mark.slow
def test_what_is_no_json_and_what_was_never_received_is_there_too(tmp_path: Path) -> None:
    source = BOT.replace(
        "print(json.dumps(answer), flush=True)",
        'sys.stdout.buffer.write(b"\\x1b[2Jd\\xffbug\\nrest"); sys.stdout.flush()',
    )
    bot = make_bot(tmp_path / "bot", source)
    ended = referee("match", bot, "builtin:first", "--games", "1", *PATIENT, "--no-record", "--trace", tmp_path / "t")
    assert ended.status == 3
    assert f"Traces: {tmp_path / 't'}" in ended.out
    content = (tmp_path / "t/0001-1.seat0.trace.jsonl").read_text()
    assert "\x1b" not in content
    *_, act, text, fault, rest = map(json.loads, content.splitlines())
    assert act["to"]["type"] == "act"
    assert text["text"] == "\x1b[2Jd�bug"
    assert fault["to"]["code"] == "bad_message"
    assert (rest["text"], rest["received"]) == ("rest", False)


@pytest.mark.slow
def test_a_bot_that_floods_its_output_does_not_fill_the_disk(tmp_path: Path) -> None:
    """Old answers, 3 MB of them before each answer."""
    line = codec.encode_json({"type": "action", "id": 0, "info": "x" * 10_000})
    flood = f"        sys.stdout.write(({line.decode()!r} + chr(10)) * 300)\n"
    source = BOT.replace("        print(json.dumps(answer)", flood + "        print(json.dumps(answer)")
    bot = make_bot(tmp_path / "bot", source)
    ended = referee("match", bot, "builtin:first", "--only", "1-1", "--seed", "x", *PATIENT, "--trace", tmp_path / "t")
    assert ended.status in (0, 3), ended.err
    trace = tmp_path / "t/0001-1.seat0.trace.jsonl"
    assert trace.stat().st_size < 6 * 1024**2
    assert sum("omitted" in line for line in read(trace)) == 1
    assert read(trace)[-1]["to"]["type"] in ("end", "fault")


@pytest.mark.slow
def test_a_trace_that_can_not_be_written_ends_the_match_and_is_no_fault_of_the_bot(bot: Path, tmp_path: Path) -> None:
    options = ("--games", "3", *PATIENT, "--no-record", "--json", "--trace", tmp_path / "t", "--concurrency", "1")
    ended = in_shell('ulimit -f 32 && exec "$@"', "match", bot, "builtin:first", *options)
    assert ended.status == 1
    assert "referee: can't write the trace" in ended.err
    assert ".jsonl: File too large" in ended.err
    assert ended.json["faults"] == []


@pytest.mark.slow
def test_a_match_that_is_interrupted_leaves_what_the_bot_wrote_without_an_end_of_line(tmp_path: Path) -> None:
    """As does an author whose bot hangs: its answer is there, but the referee waits for the end of the line."""
    stuck = BOT.replace(
        "print(json.dumps(answer), flush=True)",
        'print(json.dumps(answer), end="", flush=True); open("written", "w").close()',
    )
    bot = make_bot(tmp_path / "bot", stuck)
    os.mkfifo(bot / "written")
    options = ("--no-timeout", "--sandbox", "none", "--no-record", "--trace", str(tmp_path / "t"), "--concurrency", "1")
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with start("match", bot, "builtin:first", *options, **silent) as match:
        (bot / "written").open().close()
        match.send_signal(signal.SIGINT)
        assert match.wait(TEST_TIMEOUT) == 130
    *_, act, answer = read(tmp_path / "t/0001-1.seat0.trace.jsonl")
    assert act["to"]["type"] == "act"
    assert (answer["from"]["type"], answer["received"]) == ("action", False)
    assert read(tmp_path / "t/0001-1.seat0.to-bot.jsonl")[-2] == act["to"]


@pytest.mark.slow
def test_a_folder_with_traces_or_the_records_is_refused(traced: Path, tmp_path: Path) -> None:
    ended = referee("match", "builtin:first", "builtin:first", "--games", "1", "--no-record", "--trace", traced)
    assert_error(ended, 1, "already holds traces or records; give --trace another folder")
    both = ("--record", tmp_path, "--trace", tmp_path)
    ended = referee("match", "builtin:first", "builtin:first", "--games", "1", *both)
    assert_error(ended, 1, "traces can't be kept among the records")


# -- one game once more ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_game_played_again_has_the_same_record_under_the_same_name(traced: Path, bot: Path, tmp_path: Path) -> None:
    again = ("--only", "0002-2", "--seed", "traced", "--record", tmp_path / "r", *PATIENT, "--json")
    ended = referee("match", bot, "builtin:random", *again, "--trace", tmp_path / "t")
    assert [game["game_id"] for game in ended.json["games"]] == ["0002-2"]
    assert [path.name for path in (tmp_path / "r").iterdir()] == ["0002-2.jsonl"]
    assert without_ms(tmp_path / "r/0002-2.jsonl") == without_ms(traced.parent / "records/0002-2.jsonl")
    name = "0002-2.seat1.to-bot.jsonl"
    starts = [
        next(line for line in read(folder / name) if line["type"] == "start") for folder in (traced, tmp_path / "t")
    ]
    assert starts[0] == starts[1]


@pytest.mark.parametrize(
    ("name", "seed", "rotate", "problem"),
    [
        ("0001-3", "s", True, "there is no game 0001-3 in a match of 2 bots: its rotations are 1 to 2"),
        ("0001-0", "s", True, "there is no game 0001-0"),
        ("0001-2", "s", False, "in a match with --no-rotate: it has only rotation 1"),
        ("first", "s", True, "invalid game id first: expected DEAL-ROTATION, such as 0007-2"),
        ("0000-1", "s", True, "invalid game id 0000-1"),
        ("0001", None, True, "invalid game id 0001"),
    ],
)
def test_what_is_no_game_of_the_match_is_refused(name: str, seed: str | None, rotate: bool, problem: str) -> None:
    with pytest.raises(MatchError, match=problem):
        only_game(MatchSpec(bots=[], only=name, seed=seed, rotate=rotate), LineUp(parse_bots(["builtin:first"] * 2)))


def test_a_game_without_the_seed_of_its_match_is_refused() -> None:
    ended = referee("match", "builtin:first", "builtin:first", "--only", "0001-1", "--no-record")
    assert_error(ended, 2, "game 0001-1 can be played again only with the seed of its match (--seed)")
