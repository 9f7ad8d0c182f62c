"""`referee match`: what it prints, what it leaves behind, and how it ends."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.players.event_loop_lag import LagSummary
from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, referee, signalled
from tests.cli.on_pty import run_on_terminal

TWO = ("builtin:random", "builtin:first")


def types(value: Any) -> Any:
    """The keys of objects and the kinds of values, all elements of an array being alike."""
    if isinstance(value, dict):
        return {key: types(part) for key, part in value.items()}
    if isinstance(value, list):
        return [types(value[0])] if value else []
    return type(value).__name__


def without_ms(path: Path) -> list[str]:
    """The lines of a record, apart from the time that decisions took; the order of fields counts."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [json.dumps({name: value for name, value in line.items() if name != "ms"}) for line in lines]


def test_json_is_one_object_with_these_fields(played: tuple[Run, Path]) -> None:
    ended, _ = played
    assert ended.status == 0
    estimate = {"mean": "float", "margin": "float", "low": "NoneType", "high": "NoneType"}
    found = ended.json | {"notices": ["what depends on the machine"], "conditions": {}}
    delay = found.pop("scheduling_delay")
    assert msgspec.to_builtins(msgspec.convert(delay, LagSummary)) == delay
    assert types(found) == {
        "game": "str",
        "config": {"players": "int", "edition": "str", "great_wall": "bool", "super_event": "str"},
        "conditions": {},
        "seed": "str",
        "opening": "NoneType",
        "interrupted": "bool",
        "deals": "int",
        "seconds": "float",
        "standings": [
            {"name": "str", "games": "int", "score": estimate, "rank": estimate, "wins": estimate, "faults": "int"}
        ],
        "games": [
            {
                "game_id": "str",
                "bots": ["str"],
                "scores": ["int"],
                "ranks": ["int"],
                "faults": ["NoneType"],
                "record": "str",
            }
        ],
        "seat_wins": "NoneType",
        "seats": "NoneType",
        "pairs": [
            {
                "a": "str",
                "b": "str",
                "deals": "int",
                "score": estimate,
                "by_points": "bool",
                "ahead": estimate,
                "better": "NoneType",
            }
        ],
        "thinking_ms": [
            {"bot": "str", "decisions": "int", "mean": "float", "p99": "float", "worst": "float", "fallbacks": "int"}
        ],
        "faults": [],
        "notices": ["str"],
        "field": [],
        "sprt": "NoneType",
        "repeated_deals": "NoneType",
        "records": "str",
        "traces": "NoneType",
        "builds": {},
        "next": [{"command": "str", "why": "str"}],
    }


def test_what_a_bot_writes_after_its_last_game_is_a_notice_and_costs_nothing(tmp_path: Path) -> None:
    farewell = 'elif message["type"] == "end":\n        print("good " * 50_000 + "game!", flush=True)\n        break\n'
    bot = make_bot(tmp_path / "bot", f"{BOT}    {farewell}")
    match = ("match", bot, "builtin:first", "--games", "1", "--no-rotate", "--no-record", "--sandbox", "none")
    ended = referee(*match, "--json")
    assert ended.status == 0
    assert ended.json["faults"] == []
    [notice] = ended.json["notices"]
    assert notice.startswith("bot wrote 'good good good")
    assert "to standard output after the end of game 0001-1. It is not charged for that" in notice
    assert notice in ended.err


def test_each_deal_is_played_in_every_rotation_and_each_game_has_its_record(played: tuple[Run, Path]) -> None:
    ended, records = played
    games = ended.json["games"]
    assert [(game["game_id"], game["bots"]) for game in games] == [
        ("0001-1", ["bot", "random"]),
        ("0001-2", ["random", "bot"]),
        ("0002-1", ["bot", "random"]),
        ("0002-2", ["random", "bot"]),
    ]
    assert [Path(game["record"]) for game in games] == sorted(records.iterdir())
    for game in games:
        last = json.loads(Path(game["record"]).read_text().splitlines()[-1])
        assert last == {"type": "result", **{name: game[name] for name in ("scores", "ranks", "faults")}}


@pytest.mark.parametrize("processes", [("--concurrency", "1"), ("--workers", "2")], ids=" ".join)
def test_the_same_seed_gives_the_same_results_and_the_same_records(
    bot: Path, played: tuple[Run, Path], tmp_path: Path, processes: tuple[str, str]
) -> None:
    first, records = played
    arguments = ("--time-scale", "30", "--games", "2", "--seed", "played", "--json", *processes)
    second = referee("match", bot, "builtin:random", *arguments, "--record", tmp_path)
    for mine, other in zip(first.json["games"], second.json["games"], strict=True):
        assert {**mine, "record": None} == {**other, "record": None}
    assert first.json["standings"] == second.json["standings"]
    assert [path.name for path in sorted(records.iterdir())] == [path.name for path in sorted(tmp_path.iterdir())]
    for path in records.iterdir():
        assert without_ms(path) == without_ms(tmp_path / path.name)


@pytest.mark.slow
def test_another_seed_gives_other_games_and_without_one_a_fresh_seed_is_drawn_and_shown(tmp_path: Path) -> None:
    runs = [
        referee("match", *TWO, "--games", "3", "--no-record", "--json", *seed) for seed in ([], [], ["--seed", "x"])
    ]
    assert len({run.json["seed"] for run in runs}) == 3
    assert len({str(run.json["games"]) for run in runs}) == 3
    assert runs[2].json["seed"] == "x"


def test_the_table_shows_game_deals_seed_and_every_bot(tmp_path: Path) -> None:
    ended = referee("match", "a=builtin:random", "b=builtin:first", "--games", "1", "--seed", "s", cwd=tmp_path)
    assert ended.status == 0
    assert ended.err == ""
    assert ended.out.startswith("In the Year of the Dragon: 2 games, 1 deal, seed s\n")
    for words in (" a ", " b ", "mean score", "mean rank", "wins", "faults", "Records: records/"):
        assert words in ended.out
    assert len(list(tmp_path.glob("records/2*/*.jsonl"))) == 2


@pytest.mark.slow
def test_options_of_the_game_and_the_clock_are_used_and_shown(tmp_path: Path) -> None:
    settings = ["--set", "great_wall=true", "--set", "super_event = flood", "--set", "edition=first"]
    clock = ["--bank", "1m", "--increment", "1s", "--time-scale", "2"]
    ended = referee("match", *TWO, *settings, *clock, "--games", "1", "--record", tmp_path, "--json")
    assert ended.json["config"] == {"players": 2, "edition": "first", "great_wall": True, "super_event": "flood"}
    first = json.loads((tmp_path / "0001-1.jsonl").read_text().splitlines()[0])
    assert first["clock"] == {"bank_ms": 120_000, "increment_ms": 2000}


@pytest.mark.slow
def test_a_fault_is_in_the_json_with_its_stderr_and_the_exit_status_is_3(tmp_path: Path) -> None:
    bot = make_bot(tmp_path / "bot", "import sys\nsys.exit('I am not\\x1b[2J ready')")
    one = ("--games", "1", "--no-rotate", "--json", "--record", tmp_path / "records")
    ended = referee("match", bot, "builtin:first", *one)
    assert ended.status == 3
    assert ended.json["games"][0]["faults"] == ["crash", None]
    assert types(ended.json["faults"]) == [
        {
            "game_id": "str",
            "seat": "int",
            "bot": "str",
            "code": "str",
            "message": "str",
            "referee_late_ms": "float",
            "record": "str",
            "stderr": "str",
            "head": "str",
            "omitted": "int",
            "tail": "str",
        }
    ]
    assert Path(ended.json["faults"][0]["stderr"]).read_text() == "I am not\x1b[2J ready\n"


OPEN_SIGNALS = "signals = open('../signals', 'w', buffering=1)\n"
"""Lets a bot send signals to the referee."""


# -- a referee that is late -------------------------------------------------------------------------------------------


STOP_REFEREE = """
        if not stopped:
            stopped = True
            signals.write("STOP\\n")
            time.sleep(0.8)
            signals.write("CONT\\n")
"""


@pytest.mark.slow
def test_a_referee_that_was_late_warns_and_shows_by_how_much(tmp_path: Path) -> None:
    """Its bot stops it for 0.8 s at the first question."""
    source = BOT.replace('"act":\n', f'"act":{STOP_REFEREE}')
    bot = make_bot(tmp_path / "bot", f"import time\n{OPEN_SIGNALS}stopped = False\n{source}")
    one_game = ("--sandbox", "none", "--games", "1", "--no-rotate", "--no-record", "--move-time", "30s")
    ended = signalled("match", bot, "builtin:first", *one_game, "--concurrency", "3", "--json", cwd=tmp_path)
    assert ended.status == 0
    delay = ended.json["scheduling_delay"]
    assert delay["suspensions"] >= 1
    assert delay["suspended_ms"] > 700
    assert delay["max_ms"] > 700
    assert delay["margin_ms"] == 50
    assert [bucket["below_ms"] for bucket in delay["histogram"]] == [1, 2, 5, 10, 20, 50, 100, 200, None]
    assert delay["histogram"][-1]["count"] > 10
    assert sum(bucket["count"] for bucket in delay["histogram"]) == delay["samples"]
    warning = r"Warning: the referee was suspended \d times?, for ([\d.]+) s in all, by a signal \(SIGSTOP, Ctrl-Z\)"
    seconds = re.search(warning, ended.message)
    assert seconds is not None
    assert float(seconds[1]) == pytest.approx(delay["suspended_ms"] / 1000, abs=0.1)


# -- bots that fail, again and again ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.usefixtures("short_grace")
def test_a_bot_that_never_gets_ready_is_started_three_times_and_its_fault_shown_with_a_count(tmp_path: Path) -> None:
    bot = f"mute=sh -c 'echo started >> {tmp_path}/starts; exec sleep 60'"
    arguments = ("--sandbox", "none", "--games", "6", "--concurrency", "1", "--startup-time", "1s")
    ended = referee("match", bot, "builtin:first", *arguments, "--record", tmp_path / "records")
    assert ended.status == 3
    assert (tmp_path / "starts").read_text() == "started\n" * 3
    assert ended.err.count("mute is no longer started after 3 failures in a row") == 1
    late = "no ready within 1 s"
    assert f"The last failure: startup_timeout: {late}" in ended.message
    told = [line for line in ended.out.splitlines() if "startup_timeout" in line]
    given_up = (
        f"×9 deal 1, rotation 2 (0001-2): mute: startup_timeout: no longer started after 3 failures in a row: {late}"
    )
    assert [
        line.startswith(start)
        for line, start in zip(
            told, (f"×3 deal 1, rotation 1 (0001-1): mute: startup_timeout: {late}", given_up), strict=True
        )
    ] == [True, True]
    assert f"    the record: {tmp_path}/records/0001-2.jsonl" in ended.out.splitlines()
    assert referee("record", "verify", *(tmp_path / "records").glob("*.jsonl")).status == 0


@pytest.mark.slow
def test_the_notice_is_whole_above_the_progress_bar_of_a_terminal() -> None:
    bot = "mute=sh -c 'exit 3'"
    arguments = ("--sandbox", "none", "--games", "4", "--concurrency", "1", "--no-record")
    shown = run_on_terminal("match", bot, "builtin:first", *arguments, status=3, TERM="xterm")
    notice = "mute is no longer started after 3 failures in a row; its further games count as faults."
    assert shown.replace("\r\n", "").count(notice) == 1


# -- thinking time ------------------------------------------------------------------------------------------------


def test_thinking_time_of_each_bot_is_that_of_the_records(played: tuple[Run, Path]) -> None:
    """Built-in players don't think."""
    ended, _ = played
    [found] = ended.json["thinking_ms"]
    times = []
    for game in ended.json["games"]:
        lines = map(json.loads, Path(game["record"]).read_text().splitlines())
        seat = game["bots"].index(found["bot"])
        times += [line["ms"] for line in lines if line.get("seat") == seat and "ms" in line]
    assert (found["bot"], found["decisions"], found["worst"]) == ("bot", len(times), max(times))
    assert found["mean"] == pytest.approx(sum(times) / len(times), abs=0.01)


@pytest.mark.slow
def test_decisions_at_random_for_want_of_a_part_stand_below_the_table(tmp_path: Path) -> None:
    bot = make_bot(tmp_path / "lost", BOT.replace('"index":', '"info": {"fallback": "no file weights.bin"}, "index":'))
    words = ("match", bot, "builtin:random", "--games", "1", "--sandbox", "none", "--no-record", "--workers", "2")
    ended = referee(*words, "--json")
    [thinking] = ended.json["thinking_ms"]
    decisions = thinking["decisions"]
    assert thinking["fallbacks"] == decisions > 10
    page = tmp_path / "page.html"
    shown = referee(*words, "--seed", ended.json["seed"], "--report", page).out
    line = f"bot: {decisions} of {decisions} decisions at random (the first: no file weights.bin)"
    assert f"{line}\n" in shown
    assert f"{line}." in page.read_text()
