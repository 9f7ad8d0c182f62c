"""Every bot on the page of shortest bots builds with the commands below it and plays both games without a fault."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from referee import TimeControl, play_match
from referee.games import game_names
from referee.kits.kits import KITS
from tests.cli.command import ENVIRONMENT
from tests.playing import match_of
from tests.timeouts import TEST_TIMEOUT

PAGE: Final = (Path(__file__).parents[2] / "docs/bots/ten-lines.md").read_text(encoding="utf-8")
SECTION: Final = re.compile(
    r"^## (?P<title>\S+)\n\n`(?P<file>[\w.]+)`.*?^```\w+\n(?P<code>.*?)^```$.*?^```sh\n(?P<commands>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
NOT_IN_CI: Final = {"kotlinc": " (Debian's is of 2019 and takes 355 MB)", "swiftc": " (not in Debian)"}


class Shown(NamedTuple):
    """A bot on the page."""

    title: str
    file: str
    code: str
    commands: list[str]

    @property
    def builds(self) -> list[str]:
        """The commands before the match."""
        return self.commands[:-1]

    @property
    def bots(self) -> list[str]:
        """The BOT arguments of the match."""
        match, *bots = shlex.split(self.commands[-1].removeprefix("referee "))
        assert match == "match"
        return bots

    @property
    def missing_tools(self) -> list[str]:
        """The programs that these commands name and this machine lacks."""
        programs = {shlex.split(command)[0] for command in [*self.builds, self.bots[0]]}
        missing = sorted(each for each in programs if not each.startswith("./") and shutil.which(each) is None)
        return [f"{each}{NOT_IN_CI.get(each, '')}" for each in missing]


BOTS: Final = [
    Shown(found["title"], found["file"], found["code"], found["commands"].splitlines())
    for found in SECTION.finditer(PAGE)
]


def test_there_is_a_bot_in_every_language_that_has_a_starter_kit() -> None:
    titles = [bot.title for bot in BOTS]
    assert {kit.title for kit in KITS.values()} <= set(titles)
    assert [title for title in titles if f"[{title}](#" not in PAGE] == []


@pytest.mark.ci_only
@pytest.mark.parametrize(
    "bot",
    [
        pytest.param(
            bot,
            id=bot.title,
            marks=(
                pytest.mark.skipif(bool(bot.missing_tools), reason=f"needs {', '.join(bot.missing_tools)}"),
                *(() if not bot.builds else (pytest.mark.ci_only if bot.title == "C" else pytest.mark.check_all,)),
            ),
        )
        for bot in BOTS
    ],
)
async def test_a_bot_builds_and_plays_both_games_by_the_first_action(
    bot: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(bot.file).write_text(bot.code, encoding="utf-8")
    for command in bot.builds:
        build(command)
    for game in game_names():
        assert await scores(game, bot.bots) == await scores(game, ["builtin:first", *bot.bots[1:]])


def build(command: str) -> None:
    """Run a command in the current folder; it must succeed and print nothing."""
    done = subprocess.run(
        shlex.split(command), env=ENVIRONMENT, capture_output=True, text=True, timeout=TEST_TIMEOUT, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


async def scores(game: str, bots: list[str]) -> list[int]:
    """The scores of one game, in which nobody committed a fault."""
    control = TimeControl(move=TEST_TIMEOUT, startup=TEST_TIMEOUT)
    spec = match_of(*bots, game=game, deals=1, rotate=False, seed="ten lines", control=control)
    (played,) = (await play_match(spec)).games
    assert [fault and fault.message for fault in played.outcome.faults] == [None, None]
    return list(played.outcome.scores)
