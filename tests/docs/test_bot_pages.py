"""The pages for authors of bots: their commands exist, and what they show is what happens."""

import re
import shlex
import shutil
import subprocess
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.games import game_names
from tests.cli.command import ENVIRONMENT, REFEREE, referee
from tests.cli.loaded import load_command
from tests.docs.code_blocks import blocks
from tests.timeouts import TEST_TIMEOUT
from tournaments.competition.intervals import MIN_DEALS

ROOT: Final = Path(__file__).parents[2]
BOTS: Final = ROOT / "docs/bots"
DEBUGGING: Final = (BOTS / "debugging.md").read_text(encoding="utf-8")
WORKFLOW: Final = (BOTS / "check-bot.yml").read_text(encoding="utf-8")
PATH: Final = {"PATH": f"{REFEREE.parent}:{ENVIRONMENT['PATH']}"}


# -- commands -------------------------------------------------------------------------------------------------------


def commands() -> Iterator[tuple[str, str]]:
    """Each page with each `referee` command on it."""
    for path in [*BOTS.glob("*.md"), ROOT / "README.md"]:
        for block in blocks(path.read_text(encoding="utf-8"), "sh"):
            for line in block.splitlines():
                if line.startswith("referee "):
                    yield path.name, line
    yield from (("check-bot.yml", line.strip()) for line in re.findall(r"^ +referee .*$", WORKFLOW, re.MULTILINE))


@pytest.mark.parametrize("command", sorted({line for _, line in commands()}))
def test_every_command_on_these_pages_exists_with_its_options(command: str) -> None:
    _, *rest = shlex.split(command, comments=True)
    words: list[str] = []
    while hasattr(found := load_command(*words), "commands"):
        words.append(rest.pop(0))
    context = found.context_class(found, **found.context_settings)
    found.make_parser(context).parse_args(rest)  # an unknown option, or one without its value, is an error


@pytest.mark.ci_only
def test_the_commands_of_the_first_hour_work_one_after_another(tmp_path: Path) -> None:
    page = (BOTS / "README.md").read_text(encoding="utf-8")
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    matches = [line for line in lines if line.startswith("referee match ") and "human" not in line]
    assert len(matches) == 2
    shorter = {line: re.sub(r" --games \d+|$", " --games 1 --time-scale 10", line, count=1) for line in matches}
    for line in lines:
        if line in matches or line.startswith(("cp ", "referee bot new ")):
            done = run(shorter.get(line, line), tmp_path)
            assert done.returncode == 0, done.stderr


# -- finding a mistake -----------------------------------------------------------------------------------------------


@pytest.mark.ci_only
def test_the_example_of_a_mistake_goes_as_shown(tmp_path: Path) -> None:
    bot, line = blocks(DEBUGGING, "python")
    (tmp_path / "scholar.py").write_text(bot, encoding="utf-8")
    wrong = 'index = cards.index("research")\n'
    assert wrong in bot
    (tmp_path / "better.py").write_text(bot.replace(wrong, line.lstrip()), encoding="utf-8")
    shown = [block.removeprefix("$ referee ").split("\n", 1) for block in blocks(DEBUGGING, "console")]
    assert len(shown) == 3
    for arguments, output in shown:
        ended = referee(*in_time(shlex.split(arguments)), cwd=tmp_path)
        assert ended.status == (3 if "match" in arguments else 0), ended.err
        assert stable(ended.out) == stable(output)

    session, piped, *_ = (block for block in blocks(DEBUGGING, "sh") if "traces/" in block)
    match, query = session.splitlines()
    referee(*in_time(shlex.split(match)[1:]), cwd=tmp_path)
    if shutil.which("jq") is not None:
        (legal,) = blocks(DEBUGGING, "text legal")
        assert run(query, tmp_path).stdout == legal
    assert run(piped.strip(), tmp_path).stderr.endswith("ValueError: 'research' is not in list\n")


def in_time(arguments: list[str]) -> list[str]:
    """The arguments, with more time for a bot if a clock runs."""
    return [*arguments, "--time-scale", "10"] if arguments[0] == "match" else arguments


def stable(output: str) -> list[str]:
    """The words of an output, without thinking times, which differ from run to run, and the path of the folder."""
    output = re.sub(r'File ".*/', 'File "', output)
    output = re.sub(r"(?m)^(thinking in ms .*\n\S+ ).*$", r"\1", output)
    return re.sub(r"[\d.]+\s+ms\b|recorded by referee \S+", "#", output).split()


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in a folder to its end, with `referee` on PATH."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=ENVIRONMENT | PATH,
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT,
        check=False,
    )


# -- the clock -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def thinking_time() -> Callable[..., float]:
    """The function on the page about the clock."""
    names: dict[str, Any] = {}
    (block,) = blocks((BOTS / "clock.md").read_text(encoding="utf-8"), "python")
    exec(compile(block, "clock.md", "exec"), names)
    found: Callable[..., float] = names["thinking_time"]
    return found


def test_half_of_a_limit_per_decision_is_used_and_never_all(thinking_time: Callable[..., float]) -> None:
    for limit in (100, 1000, 60_000):
        used = thinking_time({"time_ms": limit}, "forbidden_city", {"move_ms": limit}, 0) * 1000
        assert limit / 2 < used < limit
    assert thinking_time({"time_ms": 3}, "forbidden_city", {"move_ms": 1000}, 0) == 0


@pytest.mark.parametrize("decisions", [30, 50, 60])
@pytest.mark.parametrize("increment", [0, 200])
def test_a_bank_lasts_for_the_whole_game(thinking_time: Callable[..., float], decisions: int, increment: int) -> None:
    clock = {"bank_ms": 30_000, "increment_ms": increment}
    bank = 30_000.0
    for answered in range(decisions):
        bank -= thinking_time({"time_ms": int(bank)}, "year_of_the_dragon", clock, answered) * 1000 + 5
        assert bank > 0
        bank += increment
    assert bank < 15_000 + decisions * increment


# -- the workflow ------------------------------------------------------------------------------------------------------


def step(name: str) -> str:
    """The shell lines of a step of the workflow."""
    (lines,) = re.findall(rf"^      - name: {name}\n        run: \|\n((?:          .*\n)+)", WORKFLOW, re.MULTILINE)
    return textwrap.dedent(lines)


@pytest.mark.ci_only
def test_the_workflow_plays_both_games(tmp_path: Path) -> None:
    (variables,) = re.findall(r"^env:\n((?:  .*\n)+)", WORKFLOW, re.MULTILINE)
    values = dict(re.findall(r"^  (\w+): (.*)$", variables, re.MULTILINE))
    assert values["GAMES"].split() == list(game_names())
    assert referee("bot", "new", "mybot", "--language", "python", cwd=tmp_path).status == 0
    script = f"set -e; BOT={values['BOT']} GAMES='{values['GAMES']}'\n{step('Play')}"
    done = run(script.replace("--games 3 --time-scale 3", "--games 1 --time-scale 10"), tmp_path / "mybot")
    assert done.returncode == 0, done.stderr
    for game in game_names():
        assert len(list((tmp_path / "mybot/results" / game).glob("*.jsonl"))) == 2


def test_the_workflow_says_what_to_set_if_nothing_says_where_the_referee_comes_from(tmp_path: Path) -> None:
    done = run(step("Install referee"), tmp_path)
    assert (done.returncode, done.stdout.startswith("::error::Say where referee comes from")) == (1, True)


# -- is my change good? -----------------------------------------------------------------------------------------------


def test_the_numbers_of_deals_are_those_of_the_formula_and_enough_for_an_interval() -> None:
    page = (BOTS / "good-change.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) Elo \| ([\d.]+) % \| ([\d,]+) \| ([\d,]+) \|", page, re.MULTILINE)
    assert len(rows) == 5
    for elo, wins, *shown in rows:
        share = 1 / (1 + 10 ** (-int(elo) / 400))
        lead = 2 * share - 1
        deals = [round((1.96 + z) ** 2 * (1 - lead**2) / (2 * lead**2)) for z in (0, 0.84)]
        assert wins == f"{share:.1%}"[:-1]
        assert shown == [f"{max(MIN_DEALS, number):,}" for number in deals]
