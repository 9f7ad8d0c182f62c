"""`referee tournament check`: what an organiser learns of the bots before the event."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from referee.bots.advice import Reader
from referee.bots.bot_spec import BotSpec
from referee.outcome import Fault
from referee.players.clock import TimeControl
from referee.players.thinking_time import ThinkingTime
from tests.cli.bots import BOT, make_bot
from tests.cli.command import ESCAPE, assert_error, referee, start
from tests.processes.sandboxed import needs_sandbox
from tests.timeouts import TEST_TIMEOUT
from tournaments.competition.formats.registry import FORMATS
from tournaments.event.file.example_files import example_file
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.readiness import check_readiness, readiness_of, tournament_preflight

AMPLE: Final = '[clock]\nmove = "60s"\nstartup = "60s"\n'
PLAIN: Final = '[run]\nsandbox = "none"\n'


def cup(folder: Path, *bots: str, rest: str = AMPLE + PLAIN, keys: str = "") -> Path:
    """A tournament file with these bots, each the keys of a [[bot]]."""
    file = folder / "cup.toml"
    file.write_text(
        f'format = "round_robin"\ngame = "year_of_the_dragon"\n{keys}\n{rest}\n'
        + "".join(f"[[bot]]\n{bot}\n" for bot in bots)
    )
    return file


def script(source: str) -> str:
    """The command of a bot with this source."""
    return "command = " + json.dumps([sys.executable, "-SE", "-c", source])


def checked(file: Path, status: int) -> dict[str, Any]:
    """What the check finds, by bot."""
    ended = referee("tournament", "check", file, "--json")
    assert ended.status == status, ended.err
    assert ended.json["ready"] == (status == 0)
    return {found["bot"]: found for found in ended.json["bots"]}


def test_bots_that_are_ready(tmp_path: Path) -> None:
    make_bot(tmp_path / "dice")
    file = cup(tmp_path, 'path = "dice"', 'path = "dice"\nname = "other"', 'builtin = "random"')
    found = checked(file, 0)
    assert list(found) == ["bot", "other", "random"]
    for name in ("bot", "other"):
        assert found[name]["startup_ms"] > 0
        assert found[name]["thinking_ms"]["decisions"] > 10
        assert found[name]["thinking_ms"]["worst"] > 0
    assert found["random"]["startup_ms"] is None


def test_a_bot_that_lacks_a_part_and_plays_at_random_is_not_ready(tmp_path: Path) -> None:
    for name, why in (("all", r'"no \x1b model"'), ("some", '"slow" if message["id"] == 1 else None')):
        make_bot(tmp_path / name, BOT.replace('"index":', f'"info": {{"fallback": {why}}}, "index":'))
    file = cup(tmp_path, 'path = "all"\nname = "all"', 'path = "some"\nname = "some"')
    ended = referee("tournament", "check", file)
    assert ended.status == 3
    assert ESCAPE not in ended.out
    assert re.search(r"all is not ready: (\d+) of \1 decisions at random \(the first: no � model\)", ended.out)
    assert "what to do: give it the part that is missing" in ended.out
    assert "some is ready, but it took 1 of " in ended.out


def test_the_plan_after_a_check_has_a_forecast(tmp_path: Path) -> None:
    make_bot(tmp_path / "dice")
    file = cup(tmp_path, 'path = "dice"', 'builtin = "random"', keys="deals = 10")
    assert referee("tournament", "plan", file, "--json").json["forecast_seconds"] is None
    assert "forecast: about " in referee("tournament", "check", file).out
    planned = referee("tournament", "plan", file, "--json").json
    assert 0 < planned["forecast_seconds"] < planned["duration"]["estimated_seconds"] / 10
    assert "  forecast  about " in referee("tournament", "plan", file).out
    file.write_text(file.read_text() + '[[bot]]\nbuiltin = "first"\n')
    assert referee("tournament", "plan", file, "--json").json["forecast_seconds"] is None, "one bot was not checked"


@pytest.mark.slow
def test_bots_that_are_not_ready_are_all_named_with_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    make_bot(tmp_path / "dice")
    make_bot(tmp_path / "unbuilt", toml='command = "python3 bot.py"\nbuild = "sh -c \'echo no compiler; exit 3\'"')
    file = cup(
        tmp_path,
        'path = "dice"',
        'path = "unbuilt"',
        'name = "missing"\ncommand = ["no-such-program", "x"]',
        'name = "breaks"\n' + script("import sys; sys.stderr.write('no \\x1b[31mmodel\\n'); sys.exit(4)"),
        'name = "lost"\n' + script("import no_such_module"),
        'name = "cheats"\n' + script(BOT.replace('rng.randrange(len(message["legal"]))', "1000")),
        'name = "older"\n' + script('input(); print(\'{"type": "ready", "protocol": 7, "name": "x"}\')'),
    )
    ended = referee("tournament", "check", file)
    assert ended.status == 3
    assert ESCAPE not in ended.out
    assert "1 of 7 bots are ready" in ended.out
    found = checked(file, 3)
    assert [name for name, result in found.items() if result["ready"]] == ["bot"]
    problems = {
        "unbuilt": "its build command exited with status 3",
        "missing": "program 'no-such-program' not found",
        "breaks": "crash: exited with status 4 before it was ready",
        "lost": "crash: exited with status 1 before it was ready",
        "cheats": "illegal_action: ",
        "older": "protocol_version: speaks protocol 7",
    }
    for name, problem in problems.items():
        assert found[name]["problem"].startswith(problem)
        assert f"{name} is not ready: {found[name]['problem']}" in ended.out
        assert f"what to do: {found[name]['advice']}" in ended.out
    assert "no compiler" in found["unbuilt"]["stderr"]
    assert "no compiler" in ended.out
    assert found["breaks"]["stderr"] == "no \x1b[31mmodel\n"
    assert found["cheats"]["startup_ms"] > 0
    assert found["lost"]["advice"].startswith("install no_such_module")
    assert "ModuleNotFoundError: No module named 'no_such_module'" in ended.out


def test_an_author_is_not_told_where_the_organiser_keeps_the_bot() -> None:
    bot = BotSpec(("python3", "bot.py"), Path("/season's/bots"), name="a")
    fault = Fault("crash", "exited with status 1 before it was ready")
    told: dict[Reader, int] = {"organiser": 1, "author": 0}
    for reader, places in told.items():
        result = readiness_of(bot, fault, TimeControl(), None, ThinkingTime(), "oops", sandboxed=True, reader=reader)
        assert str(result.advice).count("start it yourself with `cd ") == places
        assert str(result.advice).count("show it to bots") == places


@pytest.mark.parametrize(
    ("control", "startup", "seconds", "words"),
    [
        (TimeControl(startup=4), 2.5, 0.1, "it took 2.5 s to start, and at most 4 s are allowed"),
        (TimeControl(move=1), 0.1, 0.6, "it thought for 600 ms once, and at most 1000 ms are allowed"),
        (TimeControl(move=None, bank=2), 0.1, 0.6, "it thought for 1.2 s in all, and 2.0 s were allowed"),
        (TimeControl(move=None, bank=2, increment=1), 0.1, 0.6, None),
        (TimeControl(move=1, enforced=False), 9, 9, None),
    ],
)
def test_a_bot_close_to_a_limit_is_ready_with_a_warning(
    control: TimeControl, startup: float, seconds: float, words: str | None
) -> None:
    thinking = ThinkingTime()
    thinking.add(seconds)
    thinking.add(seconds)
    result = readiness_of(BotSpec(name="slow"), None, control, startup, thinking, sandboxed=False)
    assert result.ready
    assert (result.advice is None) == (words is None)
    assert (result.advice or "").startswith(words or "")


@pytest.mark.slow
def test_the_games_are_those_of_the_tournament_but_not_its_deals(tmp_path: Path) -> None:
    reports = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "a bot"}), flush=True)
    else:
        sys.exit(json.dumps([os.environ["MODEL"], os.environ["ALL"], message]))
"""
    bot = script(reports) + '\nenv = { MODEL = "b" }\nlimits = { memory_mb = 999 }'
    keys = "seats = 3\nseed = 'known'\n[options]\ngreat_wall = true"
    rest = '[clock]\nbank = "77s"\nstartup = "60s"\n' + PLAIN + 'env = { ALL = "a" }\n'
    file = cup(tmp_path, 'name = "spy"\n' + bot, *['builtin = "first"', 'builtin = "random"'], keys=keys, rest=rest)
    starts = []
    for _ in range(2):
        model, variable, start = json.loads(checked(file, 3)["spy"]["stderr"])
        assert (model, variable) == ("b", "a")
        assert start["type"] == "start"
        assert start["config"]["great_wall"] is True
        assert start["config"]["players"] == 3
        assert start["clock"]["bank_ms"] == 77000
        assert start["players"] == ["seat 0", "seat 1", "seat 2"]
        starts.append((start["bot_seed"], start["game_id"]))
    assert starts[0][0] != starts[1][0]
    assert starts[0][1] != starts[1][1]


EXCLUSIVE: Final = BOT.replace(
    '        answer = {"type"',
    '        note = open("notes", "a"); note.write(sys.argv[1]); note.close()\n        answer = {"type"',
)
"""Writes its letter at each decision."""


@pytest.mark.slow
def test_bots_that_need_the_same_thing_are_not_checked_side_by_side(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(EXCLUSIVE)
    bots = [f'name = "{name}"\ncommand = "python3 -SE bot.py {name}"\nexclusive = "gpu"' for name in "abc"]
    checked(cup(tmp_path, *bots, rest=AMPLE + PLAIN + "concurrency = 3\n"), 0)
    notes = (tmp_path / "notes").read_text()
    turns = [letter for position, letter in enumerate(notes) if position == 0 or notes[position - 1] != letter]
    assert sorted(turns) == ["a", "b", "c"]


@pytest.mark.slow
def test_ctrl_c_ends_the_check_with_what_is_known(tmp_path: Path) -> None:
    waits = "import sys; open('here', 'w').close(); sys.stdin.read()"
    make_bot(tmp_path / "waits", waits, toml="command = [" + f'"{sys.executable}"' + ', "-SE", "bot.py"]')
    file = cup(tmp_path, 'path = "waits"', 'builtin = "first"')
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start("tournament", "check", file, text=True, **pipes) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        while "first: ready" not in (line := process.stderr.readline()):
            assert line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TEST_TIMEOUT)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "1 of 2 bots are ready; 1 not checked" in out


def test_a_file_that_is_wrong_is_a_usage_error(tmp_path: Path) -> None:
    assert_error(referee("tournament", "check", tmp_path / "none.toml"), 2, "none.toml")


@needs_sandbox
async def test_every_example_passes() -> None:
    """Bots that are in several files, or in one several times, are checked once for each game and number of seats."""
    checked: set[object] = set()
    for example in FORMATS:
        spec = read_tournament(Path(str(example_file(example))))
        bots = {
            (spec.regulations.game, spec.regulations.seats, bot.spec.folder, bot.spec.policy): bot for bot in spec.bots
        }
        new = tuple(bot for key, bot in bots.items() if key not in checked)
        checked |= bots.keys()
        if new:
            spec = msgspec.structs.replace(spec, bots=new)
            preflight = tournament_preflight(spec, lambda notice: None, collect=True)
            results = await check_readiness(spec, preflight, lambda result: None, lambda notice: None)
            assert [(result.bot, result.problem) for result in results if not result.ready] == []
    assert checked


FAILS_ONCE: Final = BOT.replace(
    '        answer = {"type"',
    "        import os\n"
    '        if not os.path.exists("failed"):\n            open("failed", "w").close(); sys.exit(3)\n'
    '        answer = {"type"',
)


def test_a_bot_with_a_rare_fault_plays_again_and_is_ready_with_a_warning(tmp_path: Path) -> None:
    """Else the same bot is ready or not by chance."""
    make_bot(tmp_path / "rare", FAILS_ONCE)
    make_bot(tmp_path / "always", FAILS_ONCE.replace('open("failed", "w").close(); ', ""))
    make_bot(tmp_path / "sound")
    file = cup(tmp_path, *(f'path = "{name}"\nname = "{name}"' for name in ("rare", "always", "sound")))
    found = checked(file, 3)
    assert {name: (result["ready"], result["games"]) for name, result in found.items()} == {
        "rare": (True, 2),
        "always": (False, 3),
        "sound": (True, 1),
    }
    assert found["rare"]["advice"].startswith("1 of its 2 games ended with a fault: crash: exited with status 3")
    assert found["always"]["problem"].endswith("; all of its 3 games ended so")
    shown = referee("tournament", "check", file).out
    assert re.search(r"after \d+ decisions a bot may still fail in up to \d+ % of them \(95 % confidence\)", shown)
