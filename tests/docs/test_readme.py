"""The README shows real programs and real output."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.command import referee
from tests.cli.loaded import all_commands

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The first code block in that language."""
    found = re.search(rf"```{language}\n(.*?)\n```", README, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.check_all  # its thirty games take longer than most tests
def test_the_table_in_the_readme_is_what_the_command_prints() -> None:
    command = re.search(r"<!-- real output of: referee (.*?) -->", README)
    assert command is not None
    ended = referee(*shlex.split(command[1]), "--time-scale", "10", cwd=ROOT)
    assert ended.status == 0, ended.err
    assert without_times(block("text")) == without_times(ended.out.rstrip())


def without_times(table: str) -> list[str]:
    """The lines of a table, without the thinking times, which differ from run to run, and the spaces before them."""
    standings, thinking, times = table.partition("thinking in ms")
    return [*standings.splitlines(), thinking, *re.sub(r" +\d+(\.\d+)?", " #", re.sub(r" +", " ", times)).splitlines()]


def test_the_first_bot_of_the_readme_plays(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(block("python"))
    options = ("--games", "1", "--json", "--time-scale", "10")
    ended = referee("match", "python3 first.py", "builtin:random", *options, cwd=tmp_path)
    assert ended.status == 0, ended.out + ended.err
    assert ended.json["faults"] == []


def test_every_command_is_in_the_list_of_commands() -> None:
    commands = README.partition("## Commands")[2].partition("##")[0]
    lines = [set(re.findall(r"[a-z]+", line.partition("  ")[0])) for line in commands.splitlines()]
    missing = [
        path
        for path, command in all_commands().items()
        if not hasattr(command, "commands") and not any(line.issuperset(path) for line in lines)
    ]
    assert missing == []


def test_make_match_plays_the_match_that_the_readme_shows() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    bots = re.search(r"^BOTS := (.*)$", makefile, re.MULTILINE)
    assert bots is not None
    assert f"referee match {bots[1]} builtin:random --games 10" in README
