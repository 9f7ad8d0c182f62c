"""Which sandbox is chosen on which machine, and what the organiser is told."""

import errno
import os
from pathlib import Path
from unittest import mock

import msgspec
import pytest

from referee.processes.launch import Launch
from referee.processes.sandbox import choice
from referee.processes.sandbox.bubblewrap import SandboxError
from tests.timeouts import TEST_TIMEOUT


def test_sandbox_that_does_not_work_is_an_error_only_where_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "BWRAP", "no-such-program")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    chosen, words = choice.choose("auto")
    assert chosen is None
    assert words.startswith("sandbox: none, as bubblewrap is not installed")
    with pytest.raises(SandboxError, match=r"sandbox bwrap: bubblewrap is not installed"):
        choice.choose("bwrap")


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            "setting up uid map: Permission denied",
            "AppArmor allows user namespaces only to programs that have a profile",
        ),
        ("loopback: Failed RTM_NEWADDR: Operation not permitted", "(kernel.apparmor_restrict_unprivileged_userns = 1"),
        (
            "No permissions to create a new namespace, likely because the kernel does not allow non-privileged user"
            " namespaces. On e.g. debian this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.",
            "only to root (kernel.unprivileged_userns_clone = 0), or a container does: sysctl -w kernel.unpriv",
        ),
        (
            "Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
            "(user.max_user_namespaces and other max_…_namespaces): sysctl -w user.max_user_namespaces=10000",
        ),
        ("Can't mount proc on /newroot/proc: Operation not permitted", "--security-opt systempaths=unconfined"),
        (
            "Creating new namespace failed: Operation not permitted",
            "refused here, as in containers: start the container",
        ),
        ("pivot_root: Invalid argument", "--security-opt seccomp=unconfined"),
    ],
)
def test_why_bubblewrap_does_not_work_is_explained_with_a_remedy(
    said: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = tmp_path / "bwrap"
    failing.write_text(f'#!/bin/sh\nprintf "bwrap: %s\\n" "{said}" >&2\nexit 1\n')
    failing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{failing.parent}:{os.environ['PATH']}")
    sandbox, notice = choice.choose("auto")
    assert sandbox is None
    assert f"none, as bubblewrap doesn't work here: bwrap: {said.removesuffix('.')} (" in notice
    assert cause in notice


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_user_id_that_a_user_namespace_lacks_is_a_reason_and_no_traceback() -> None:
    own = Launch(argv=["/bin/true"], folder=Path("/"), environment={}, user=2**32 - 2)
    with mock.patch.object(os, "fchown", side_effect=OSError(errno.EINVAL, "Invalid argument")):
        assert choice.why_it_fails(own).startswith("bots can't have user ids of their own here")
    assert choice.why_it_fails(msgspec.structs.replace(own, user=None)) == ""


def test_sandbox_is_left_out_on_request() -> None:
    chosen, words = choice.choose("none")
    assert chosen is None
    assert "as you asked" in words


def test_root_without_a_sandbox_runs_what_the_organiser_would_start_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "BWRAP", "no-such-program")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    chosen, words = choice.choose("auto")
    assert chosen is None
    assert "bubblewrap is not installed" in words
    assert "Not in force: bots run as root" in words
    assert "\n" not in words


def test_the_command_that_installs_bubblewrap_is_named_where_there_is_a_package_manager(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid=(): "/sbin/apk" if name == "apk" else None)
    assert choice.probe() == (None, "bubblewrap is not installed (apk add bubblewrap)")
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid=(): None)
    assert choice.probe() == (None, "bubblewrap is not installed")


def test_root_without_setpriv_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "SETPRIV", "no-such-program")
    monkeypatch.setattr(choice, "why_it_fails", lambda launch: "")
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid: "/usr/bin/bwrap" if name == "bwrap" else None)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for mode in ("auto", "bwrap"):
        with pytest.raises(SandboxError, match="no-such-program"):
            choice.choose(mode)


def test_auto_does_without_a_sandbox_only_where_bubblewrap_itself_does_not_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid: "/usr/bin/bwrap")
    monkeypatch.setattr(choice, "why_it_fails", lambda launch: "no namespaces here")
    assert choice.choose("auto")[0] is None
    monkeypatch.setattr(choice, "why_it_fails", lambda launch: "no limit" if launch.files else "")
    with pytest.raises(
        SandboxError, match="bubblewrap works here, but not with everything that the sandbox needs: no limit"
    ):
        choice.choose("auto")


@pytest.mark.parametrize("line", ["exec sleep 100", "kill -INT $$", "exit 137"])
def test_a_bubblewrap_that_gives_no_answer_is_no_reason_to_do_without_it(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = tmp_path / "bwrap"
    stuck.write_text(f"#!/bin/sh\n{line}\n")
    stuck.chmod(0o755)
    monkeypatch.setattr(choice, "find_tool", lambda name, avoid: str(stuck) if name == "bwrap" else "/usr/bin/env")
    monkeypatch.setattr(choice, "PROBE_TIMEOUT", 0.1 if line.startswith("exec") else TEST_TIMEOUT)
    with pytest.raises(SandboxError, match="not known whether it works: try again"):
        choice.choose("auto")


def test_ctrl_c_does_not_reach_what_tries_the_sandbox() -> None:
    leads_session = 'read -r _ _ _ _ _ session _ </proc/$$/stat; test "$session" = $$'
    own = Launch(argv=["/bin/sh", "-c", leads_session], folder=Path("/"), environment={})
    assert choice.why_it_fails(own) == ""
