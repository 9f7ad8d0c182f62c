"""docs/bots/check.md says what `referee bot check` does."""

import re
import shlex
from pathlib import Path
from typing import Final

import msgspec

from referee.conformance.finding import AnswerTimes, CheckResult, Counts, Report, ShownLine
from referee.conformance.levels import play
from referee.conformance.suite import LEVELS
from referee.games import find_game, game_names
from tests.cli.command import referee
from tests.cli.loaded import load_command
from tests.docs.code_blocks import blocks

PAGE: Final = (Path(__file__).parents[2] / "docs/bots/check.md").read_text(encoding="utf-8")


def stable(output: str) -> str:
    """The output, without text that differs from run to run, from machine to machine and from version to version."""
    output = re.sub(r"(with|without) (a|the) sandbox|in the sandbox", "", output)
    output = re.sub(r'File ".*/first\.py"', "File first.py", output)
    output = re.sub(r'"referee":"[^"]*"', '"referee":""', output)
    return re.sub(r" +\d[\d.]*( ms\b| s;|,|$)|(median|99 %|worst) +\d[\d.]*", " #", output, flags=re.MULTILINE)


def test_the_output_of_the_example_is_real(tmp_path: Path) -> None:
    (block,) = blocks(PAGE, "console")
    command, output = block.removeprefix("$ referee ").split("\n", 1)
    (tmp_path / "first.py").write_text(blocks(PAGE, "python")[0])
    ended = referee(*shlex.split(command), "--sandbox", "none", "--startup-time", "60s", cwd=tmp_path)
    assert ended.status == 0
    shown = re.sub(r'"startup_ms":60000', '"startup_ms":10000', ended.out)
    assert stable(shown).splitlines() == stable(output).splitlines()


def test_every_check_is_listed_with_its_requirement() -> None:
    for level in LEVELS:
        assert f"### {level.name}: {level.title}\n" in PAGE
        for each in level.checks:
            assert f"| `{each.id}` | {each.requirement} |" in PAGE
    for game in map(find_game, game_names()):
        for each in play.checks_of(game):
            *_, name = each.name.split(".", 1)
            assert "=" in name or f"| `play.GAME.{name}` |" in PAGE


def test_every_option_is_described() -> None:
    for option in load_command("bot", "check").params:
        for name in option.opts:
            assert not name.startswith("--") or f"`{name}" in PAGE, name


def test_every_key_of_the_json_is_described() -> None:
    for kind in (Report, CheckResult, ShownLine, Counts, AnswerTimes):
        for field in msgspec.structs.fields(kind):
            assert f"`{field.encode_name}`" in PAGE, field.name
