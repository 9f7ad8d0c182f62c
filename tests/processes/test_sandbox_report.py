"""`referee sandbox` tries every promise, as root and as an ordinary user, and notices one that is broken."""

import os
import secrets
import subprocess
import sys

import msgspec
import pytest

from referee.processes.bot_process import BotProcess
from referee.processes.keeper import lifetime
from referee.processes.limits import process_tree
from referee.processes.sandbox.bubblewrap import FILTER_FD, Sandbox
from referee.processes.selftest import keeper_report, sandbox_report
from referee.processes.selftest.guarantees import SandboxReport
from referee.processes.selftest.keeper_report import try_keeper
from referee.processes.selftest.sandbox_report import PROMISES, device_problem, report_on
from tests.cli.command import referee
from tests.processes.sandboxed import WORKING, needs_root, needs_sandbox, sandbox_of


def broken(report: SandboxReport) -> set[str]:
    """The promises that are not kept."""
    assert [check.name for check in report.checks] == list(PROMISES)
    assert not [check for check in report.checks if check.verdict == "untested"]
    return {check.name for check in report.checks if check.verdict == "fail"}


@needs_sandbox
async def test_every_promise_is_kept() -> None:
    report = await report_on(WORKING)
    assert broken(report) == set(), report
    assert report.holds


@needs_sandbox
@needs_root
@pytest.mark.slow
async def test_a_user_namespace_is_not_enough_for_root() -> None:
    """The host's user id stays root's, whose processes the kernel doesn't count: that is noticed."""
    assert broken(await report_on(sandbox_of("user"))) == {"user", "limits"}


WEAKENED = {
    "--remount-ro /proc": {"kernel_files"},
    "--unshare-net": {"network", "processes"},
    "--unshare-pid": {"processes"},
    "--seccomp 9": {"system_calls", "messages"},
    "--remount-ro /": {"read_only"},
}
FIRST, *OTHERS = WEAKENED


@pytest.mark.ci_only
@needs_sandbox
@needs_root
@pytest.mark.parametrize("words", [FIRST, *(pytest.param(words, marks=pytest.mark.check_all) for words in OTHERS)])
async def test_a_broken_promise_is_noticed(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    wrap = Sandbox.wrap

    def weaker(*arguments: object, **options: object) -> object:
        launch = wrap(*arguments, **options)  # type: ignore[arg-type]
        text = "\0".join(launch.argv).replace("\0".join(("", *words.split(), "")), "\0", 1)
        kept = {
            number: content for number, content in launch.files.items() if "--seccomp" in text or number != FILTER_FD
        }
        return msgspec.structs.replace(launch, argv=tuple(text.split("\0")), files=kept)

    monkeypatch.setattr(Sandbox, "wrap", weaker)
    # as root in a user namespace, or nothing in /proc could be written to anyway
    assert broken(await report_on(sandbox_of("user"))) - {"user"} >= WEAKENED[words]


@needs_sandbox
async def test_devices_whose_times_can_be_set_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert WORKING is not None
    assert await device_problem(WORKING) == ""
    start = lifetime._start_keeper
    monkeypatch.setattr(lifetime, "_start_keeper", lambda scope, link, namespace: start(scope, link, ""))
    assert "the times of /dev/null can be set" in await device_problem(WORKING)


async def test_without_a_sandbox_it_says_so_and_tries_the_rest() -> None:
    report = await report_on(None, "none here")
    kept = {check.name for check in report.checks if check.verdict == "pass"}
    assert kept - {"stands_still"} == set(sandbox_report.WITHOUT_SANDBOX)
    assert not report.holds
    reasons = {check.name: check.reason for check in report.checks if check.verdict == "fail"}
    assert reasons.pop("stands_still", "no cgroup of v2 can be created").endswith("no cgroup of v2 can be created")
    assert {*reasons.values()} == {"there is no sandbox"}


@needs_sandbox
@pytest.mark.ci_only
def test_command_prints_a_table_or_json() -> None:
    shown = referee("sandbox")
    assert shown.status == 0, shown.out
    assert all(promise in shown.out for promise in PROMISES.values())
    found = referee("sandbox", "--json").json
    assert msgspec.convert(found, SandboxReport).holds
    assert found["system"].startswith(os.uname().sysname)
    assert {check["verdict"] for check in found["channels"]} <= {"pass", "open", "untested"}
    assert "Can two bots talk to each other?" in shown.out


@needs_sandbox
async def test_bot_that_goes_on_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BotProcess, "suspend", lambda process: None)
    monkeypatch.setattr(keeper_report, "SUSPEND_TIMEOUT", 0.3)
    _, found = await try_keeper(WORKING)
    assert found == {"stands_still": "some of its processes keep running", "ends": ""}


@pytest.mark.skipif(not process_tree.HAS_PROC, reason="needs /proc")
async def test_process_that_is_left_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda size: "another")
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", "another"]) as left:  # noqa: ASYNC220
        _, found = await try_keeper(None)
        left.kill()
    assert found["ends"] == "some of its processes are left"
