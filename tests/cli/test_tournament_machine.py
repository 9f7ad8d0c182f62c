"""A machine that fails the referee ends a tournament with nothing lost: no bot is at fault, its game is repeated."""

import json
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cli.failure import FAILED, Failure
from referee.cli.tournament.live_view import supervised
from referee.processes.limits.machine import MachineError
from referee.processes.selftest.sandbox_report import PROMISES
from tests.cli.bots import BOT, make_bot
from tests.cli.command import assert_error, in_shell, referee
from tests.processes.sandboxed import needs_sandbox
from tournaments.event.service import run_tournament
from tournaments.play.executor import ExecutorError
from tournaments.play.pool import Pool

CUP: Final = """
game = "forbidden_city"
format = "round_robin"
[clock]
move = "30s"
startup = "30s"
[run]
concurrency = {concurrency}
sandbox = "{sandbox}"
[[bot]]
path = "bot"
[[bot]]
builtin = "random"
"""


def cup(folder: Path, concurrency: int = 1, sandbox: str = "none") -> Path:
    make_bot(folder / "bot", BOT)
    file = folder / "cup.toml"
    file.write_text(CUP.format(concurrency=concurrency, sandbox=sandbox))
    return file


@pytest.mark.ci_only
def test_what_a_tournament_needs_is_known_before_its_first_game(tmp_path: Path) -> None:
    file = cup(tmp_path, concurrency=64)
    for command in ("run", "check"):
        ended = in_shell('ulimit -n 256; exec "$@"', "tournament", command, file)
        assert_error(ended, 1, "games at a time: 64, bots in each: 1; they need")
        assert "play fewer games at a time (concurrency)" in ended.message
    assert not (tmp_path / "cup").exists()


def fail_at(lease: int, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this lease of a process fail: the first one checks the bot, the second plays the first game."""
    lend, leases = Pool.lend, 0

    async def fail(*arguments: Any, **named: Any) -> Any:
        nonlocal leases
        leases += 1
        if leases == lease:
            raise error
        return await lend(*arguments, **named)

    monkeypatch.setattr(Pool, "lend", fail)


def test_a_tournament_whose_cluster_is_gone_says_how_it_continues_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder = cup(tmp_path), tmp_path / "cup"
    fail_at(2, ExecutorError("the scheduler of the cluster no longer answers"), monkeypatch)
    with pytest.raises(Failure, match="no longer answers") as failure:
        supervised(partial(run_tournament, file, None), folder)
    assert failure.value.details[-1] == "With --executor local it continues on this machine alone"


def test_tournament_goes_on_with_the_game_in_which_the_machine_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder = cup(tmp_path), tmp_path / "cup"
    fail_at(3, MachineError("the referee can't start a bot: too many of them"), monkeypatch)
    with pytest.raises(Failure) as failure:
        supervised(partial(run_tournament, file, None), folder)
    assert failure.value.status == FAILED
    assert str(failure.value) == "the referee can't start a bot: too many of them"
    assert failure.value.details[-1].endswith(f"To resume: referee tournament resume {folder}")
    [first] = referee("tournament", "games", folder, "--json").json
    assert referee("tournament", "resume", folder).status == 0
    kept, again = referee("tournament", "games", folder, "--json").json
    assert kept == first
    assert not any(kept["faults"] + again["faults"])


@needs_sandbox
@pytest.mark.ci_only
def test_manifest_says_which_promises_of_the_sandbox_are_kept(tmp_path: Path) -> None:
    ended = referee("tournament", "run", cup(tmp_path, sandbox="bwrap"))
    assert ended.status == 0, ended.err
    [session] = json.loads((tmp_path / "cup" / "manifest.json").read_text())["sessions"]
    report = session["sandbox_report"]
    assert report["sandbox"] == "bubblewrap"
    assert {check["name"] for check in report["checks"]} == PROMISES.keys()
    assert report["checks"] == referee("sandbox", "--json").json["checks"]
