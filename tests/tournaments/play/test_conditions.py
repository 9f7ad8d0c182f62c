"""Conditions are the same wherever they are said: on the command line, in a tournament file, in JSON."""

import os
from pathlib import Path

from referee.processes.limits.machine import cores
from referee.processes.limits.process_limits import ProcessLimits
from referee.reports.conditions import condition_facts
from tests.cli.command import referee
from tournaments.event.file.tournament_file import read_tournament
from tournaments.play.conditions import Conditions

BOTS = '[[bot]]\nbuiltin = "random"\n[[bot]]\nbuiltin = "first"\n'


def file_with(folder: Path, run: str) -> Path:
    """A tournament file with these keys in [run]."""
    file = folder / "cup.toml"
    file.write_text(f'format = "round_robin"\ngame = "forbidden_city"\n[run]\n{run}\n{BOTS}')
    return file


def test_options_of_a_match_and_keys_of_a_tournament_file_say_the_same(tmp_path: Path) -> None:
    options = (
        "--retries", "2", "--no-ponder", "--concurrency", "3", "--sandbox", "none", "--forget-files",
        "--limit", "memory_mb=512", "--limit", "processes=64", "--env", "SECRET=hidden", "--show", tmp_path,
    )  # fmt: skip
    run = (
        'retries = 2\nponder = false\nconcurrency = 3\nsandbox = "none"\nforget_files = true\nworkers = 1\n'
        f'limits = {{ memory_mb = 512, processes = 64 }}\nenv = {{ SECRET = "hidden" }}\nshow = ["{tmp_path}"]'
    )
    match = referee("match", "builtin:random", "builtin:first", "--games", "1", "--no-record", "--json", *options)
    conditions = read_tournament(file_with(tmp_path, run)).conditions
    assert match.json["conditions"] == {**conditions.as_in_json(), "show": [str(tmp_path)]}
    assert conditions.environment == {"SECRET": "hidden"}
    assert "hidden" not in match.out


def test_what_is_not_said_has_the_default_of_the_command_line(tmp_path: Path) -> None:
    match = referee("match", "builtin:random", "builtin:first", "--games", "1", "--no-record", "--json")
    usual = read_tournament(file_with(tmp_path, "")).conditions.as_in_json()
    assert match.json["conditions"] == {**usual, "concurrency": cores(), "workers": 1, "show": []}


def test_what_is_published_is_text_without_secrets() -> None:
    not_text = os.fsdecode(b"\xff")
    conditions = Conditions(show=(Path(not_text),), environment={"B": "secret", not_text: "x"})
    published = {"show": ("\ufffd",), "environment": {"B": "(not shown)", "\ufffd": "(not shown)"}}
    assert conditions.as_in_json() == {**Conditions().as_in_json(), **published}


def test_reports_say_what_is_not_usual() -> None:
    always = {"clock": "1 s per decision, 10 s to start", "thinking ahead": "allowed", "retries": "0"}
    assert condition_facts(Conditions(workers=None)) == always
    limits = ProcessLimits(memory_mb=512, processes=64)
    conditions = Conditions(
        concurrency=4, limits=limits, forget_files=True, show=(Path("a"), Path("b")), environment={"KEY": "secret"}
    )
    assert condition_facts(conditions) == always | {
        "games at a time": "4",
        "forget files": "yes",
        "limits": "memory mb: 512; processes: 64",
        "show": "a, b",
        "environment": "KEY: (not shown)",
    }
