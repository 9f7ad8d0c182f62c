"""The README shows real programs and real output."""

import re
import shlex
from pathlib import Path

import pytest

from referee.cli import failure
from referee.cli.failure import STATUSES
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
def test_the_output_in_the_readme_is_what_the_command_prints(tmp_path: Path) -> None:
    command = re.search(r"<!-- real output of: referee (.*?) -->", README)
    records = re.search(r"^Records: (.*)$", README, re.MULTILINE)
    assert command is not None
    assert records is not None
    ended = referee(*shlex.split(command[1]), "--time-scale", "10", "--record", tmp_path / records[1], cwd=ROOT)
    assert ended.status == 0, ended.err
    assert without_times(block("text")) == without_times(ended.out.rstrip().replace(f"{tmp_path}/", ""))


def without_times(table: str) -> list[str]:
    """The lines of a table, without the thinking times, which differ from run to run, and the spaces before them."""
    standings, thinking, times = table.partition("thinking in ms")
    return [*standings.splitlines(), thinking, *re.sub(r" +\d+(\.\d+)?", " #", re.sub(r" +", " ", times)).splitlines()]


def test_git_ignores_what_the_readme_has_a_newcomer_write_into_the_checkout() -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    written = re.findall(r"(?:Save this one as `|referee bot new |referee tournament init )([a-z.]+)\b", README)
    assert len(written) == 3
    assert [name for name in written if f"/{name}" not in ignored and f"/{name}/" not in ignored] == []


def test_the_statuses_of_the_documents_and_of_every_command_are_those_of_the_table() -> None:
    table = (
        (ROOT / "docs" / "matches.md")
        .read_text(encoding="utf-8")
        .partition("\n## Exit status")[2]
        .partition("\n## ")[0]
    )
    assert [int(status) for status in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)] == list(STATUSES)
    sentence = README.partition("#exit-status-and-interruption)")[2].partition("With `--json`")[0]
    assert set(map(int, re.findall(r"\d+", sentence))) < STATUSES.keys()
    names = {name for name, value in vars(failure).items() if isinstance(value, int) and value in STATUSES}
    for path in (ROOT / "referee" / "cli").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        given = re.findall(r"typer\.Exit\((\w*)", source)
        assert set(given) <= {*names, "STATUS_OF"}, path
        own = r"\b(?:FAULTED|REJECTED|UNDECIDED)\b"
        ends = re.sub(r"^from .*|exit_statuses\(.*", "", source, flags=re.MULTILINE)
        told = " ".join(re.findall(r"exit_statuses\((.*?)\)", source))
        assert path.name == "failure.py" or set(re.findall(own, ends)) == set(re.findall(own, told)), path
    assert "3 a bot" not in referee("games", "--help").out
    for command in ("run", "resume"):
        assert "3 all is done, but a bot was withdrawn" in " ".join(
            referee("tournament", command, "--help").out.split()
        )
    assert "4 --sprt: reject" in " ".join(referee("match", "--help").out.split())


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
