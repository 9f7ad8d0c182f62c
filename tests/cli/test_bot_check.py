"""`referee bot check`: what an author, and a CI system, learns of a bot."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import msgspec
import pytest

from referee.conformance.finding import Report
from tests.cli.bots import QUICK_START, make_bot
from tests.cli.command import ESCAPE, assert_error, referee, start
from tests.cli.on_pty import run_on_terminal
from tests.conformance.checks import GOOD, broken, shorten_graces
from tests.hostile_texts import EVERYTHING, flaws
from tests.processes.sandboxed import needs_sandbox
from tests.timeouts import TEST_TIMEOUT

AMPLE: Final = ("--time-scale", "20")
PLAIN: Final = ("--sandbox", "none", *AMPLE)
TOML: Final = f'name = "mine"\n{QUICK_START}'


def bot(folder: Path, source: str = GOOD, toml: str = TOML) -> Path:
    """A folder with a bot."""
    return make_bot(folder / "bot", source, toml)


def junit_of(path: Path) -> Any:
    """The root of the XML, well-formed or the test fails."""
    return ElementTree.parse(path).getroot()


@needs_sandbox
@pytest.mark.ci_only
def test_a_good_bot_passes_in_the_sandbox(tmp_path: Path) -> None:
    ended = referee("bot", "check", bot(tmp_path), "--quick", "--games", "4", "--strict", *AMPLE)
    assert ended.status == 0, ended.out
    lines = ended.out.splitlines()
    assert lines[0] == "mine: protocol 1, year_of_the_dragon and forbidden_city, in the sandbox"
    for level in ("process", "handshake", "play", "session", "ending", "optional"):
        assert any(line.startswith(f"{level}: ") for line in lines)
    assert any(line.startswith("  pass    quit: exited with status 0, ") for line in lines)
    assert " passed, 0 warnings, 0 failed, 6 skipped in " in lines[-1]


@pytest.mark.slow
def test_programs_get_one_json_object(tmp_path: Path) -> None:
    ended = referee("bot", "check", bot(tmp_path), "--only", "optional", "--json", *PLAIN)
    assert ended.status == 0
    report = msgspec.convert(ended.json, Report)
    assert (report.schema, report.bot, report.protocol, report.passed, report.interrupted) == (
        1,
        "mine",
        1,
        True,
        False,
    )
    assert report.games == ["year_of_the_dragon", "forbidden_city"]
    assert report.sandboxed is False
    assert [check.id for check in report.checks] == [
        f"optional.{name}" for name in ("reproducible", "independent", "info", "decides")
    ]
    assert (report.counts.passed, report.counts.skipped) == (3, 1)
    assert report.answer_ms is not None
    assert 0 < report.answer_ms.median <= report.answer_ms.p99 <= report.answer_ms.worst
    assert referee("bot", "check", tmp_path / "bot", "--only", "optional.info", *PLAIN).out.startswith("mine: ")


def test_a_check_that_fails_is_explained_and_gives_status_3(tmp_path: Path) -> None:
    loud = broken(('send({"type": "ready"', 'print("Loading ...", flush=True)\nsend({"type": "ready"'))
    ended = referee("bot", "check", bot(tmp_path, loud), *PLAIN)
    assert ended.status == 3
    assert "  fail    ready: bad_message: not a JSON object" in ended.out
    assert "      required: It answers `hello` with `ready` within the start-up limit" in ended.out
    assert "(protocol/specification.md, section 2)\n" in ended.out
    assert "      what to do: standard output is for messages only" in ended.out
    assert " ms <- Loading ...\n" in ended.out
    assert "checks: not tried, as it never becomes ready" in ended.out
    assert ended.out.endswith("to run one of them again: --only process.ready\n")


@pytest.mark.slow
def test_a_warning_gives_status_3_only_with_strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_graces(monkeypatch, 0.1)
    candidate = bot(tmp_path, broken(("break", "pass")))
    arguments = ("bot", "check", candidate, "--only", "ending.quit_alone", *PLAIN)
    assert referee(*arguments).status == 0
    assert referee(*arguments, "--strict").status == 3


def test_a_build_that_fails_is_a_failed_check(tmp_path: Path) -> None:
    ended = referee("bot", "check", bot(tmp_path, toml=TOML + "build = \"sh -c 'echo no compiler; exit 7'\""), *PLAIN)
    assert ended.status == 3
    assert "  fail    builds: its build command exited with status 7\n" in ended.out
    assert "        no compiler\n" in ended.out


@pytest.mark.slow
def test_a_bot_that_is_rebuilt_while_it_is_checked_is_not_judged(tmp_path: Path) -> None:
    rebuilt = bot(tmp_path, f"print('# better', file=open(__file__, 'a'))\n{GOOD}")
    ended = referee("bot", "check", rebuilt, "--quick", "--games", "1", *PLAIN)
    assert ended.status == 1
    assert "mine: bot.py in " in ended.err
    assert "passed" not in ended.out


def test_ci_gets_junit_xml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_graces(monkeypatch, 0.05)
    never_leaves = bot(tmp_path, broken(("break", "pass")) + "else:\n    time.sleep(120)\n")
    xml = tmp_path / "report.xml"
    ended = referee(
        "bot", "check", never_leaves, "--only", "process", "--only", "ending", "--junit", xml, "--json", *PLAIN
    )
    assert ended.status == 3
    root = junit_of(xml)
    counts = ended.json["counts"]
    assert root.tag == "testsuites"
    assert root.attrib["tests"] == str(len(ended.json["checks"]))
    assert root.attrib["failures"] == str(counts["failed"]) != "0"
    assert [suite.attrib["name"] for suite in root] == ["process", "ending"]
    assert sum(int(suite.attrib["skipped"]) for suite in root) == counts["skipped"]
    cases = {f"{case.attrib['classname']}.{case.attrib['name']}": case for case in root.iter("testcase")}
    for check in ended.json["checks"]:
        case = cases[check["id"]]
        assert float(case.attrib["time"]) >= 0
        failures, skips = case.findall("failure"), case.findall("skipped")
        assert (len(failures), len(skips)) == (check["status"] == "fail", check["status"] == "skipped")
        for found in (*failures, *skips):
            assert found.attrib["message"] == check["message"]
        if check["status"] == "warn":
            assert case.findtext("system-out").startswith(f"warning: {check['message']}")


def test_nothing_that_a_bot_writes_breaks_terminal_or_xml(tmp_path: Path) -> None:
    text = EVERYTHING + "]]><failure/>&\x00\ufffe"
    hostile = broken(('send({"type": "ready"', f'sys.stderr.write({text!r})\nsend([{text!r}])\nsend({{"type": "ready"'))
    folder, xml = bot(tmp_path, hostile), tmp_path / "report.xml"
    ended = referee("bot", "check", folder, "--only", "process", "--junit", xml, *PLAIN)
    assert ended.status == 3
    assert flaws(ended.out) == []
    assert len(junit_of(xml).findall(".//failure")) == 1


def test_only_the_games_of_its_bot_toml_are_checked(tmp_path: Path) -> None:
    folder = bot(tmp_path, toml=TOML + 'games = ["forbidden_city"]\n')
    listed = referee("bot", "check", folder, "--list")
    assert listed.status == 0
    assert "  play.forbidden_city.players=2: " in listed.out
    assert "year_of_the_dragon" not in listed.out
    refused = referee("bot", "check", folder, "--game", "year_of_the_dragon")
    assert_error(
        refused, 2, "mine doesn't play In the Year of the Dragon (year_of_the_dragon): its bot.toml says games"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("builtin:random",), "builtin:random is not a program, so there is nothing to check"),
        (("BOT", "--only", "quit"), "unknown level or check 'quit'; did you mean 'ending.quit'?"),
        (("BOT", "--game", "ludo"), "unknown game 'ludo'; available: "),
        (("BOT", "--junit", "nowhere/report.xml"), "give the name of a file in a folder that exists"),
        (("BOT", "--limit", "memory=1"), "--limit memory=1: unknown limit 'memory'"),
        (("BOT", "--env", "="), "--env '='"),
        (("BOT", "--seed", "\x1b"), "the seed must be"),
        (("BOT", "--seed="), "the seed must be printable text, and not empty"),
        (("nowhere",), "nowhere: no such folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_checked_is_refused(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    folder = bot(tmp_path)
    ended = referee("bot", "check", *(folder if word == "BOT" else word for word in arguments), "--sandbox", "none")
    assert_error(ended, 2, words)


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal(tmp_path: Path) -> None:
    shown = run_on_terminal("bot", "check", bot(tmp_path), "--only", "process", *PLAIN)
    shown = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", shown)
    assert "0/4 checks" in shown
    assert "process.idle" in shown
    assert "3 passed" in shown


@pytest.mark.slow
def test_ctrl_c_ends_it_at_once_and_what_was_found_is_kept(tmp_path: Path) -> None:
    """The bot tells the test through a pipe when it is asked, and never answers."""
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    hanging = bot(tmp_path, broken(("answer(message)", f'open({str(reached)!r}, "w").close()\ntime.sleep(120)')))
    xml = tmp_path / "report.xml"
    command = ("bot", "check", hanging, "--json", "--junit", xml, *PLAIN)
    with start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        reached.read_bytes()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=TEST_TIMEOUT)
    assert process.returncode == 130, err
    report = json.loads(out)
    assert (report["interrupted"], report["passed"]) == (True, False)
    assert [check["id"] for check in report["checks"]] == ["process.builds", "process.ready"]
    assert b"Traceback" not in err
    assert ESCAPE.encode() not in out + err
    assert len(junit_of(xml).findall(".//error")) == 1
