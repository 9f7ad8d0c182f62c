"""What the machine must provide is known before the first game; where it does not, the organiser is told what to set.

Limits are changed in processes of their own.
"""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from referee.processes.limits import machine
from referee.processes.limits.machine import MachineError, provide_for
from tests.cli.command import assert_error, in_shell
from tests.hostile.hostile_harness import BOTS

BOT: Final = f"{sys.executable} {BOTS / 'well_behaved.py'}"
SMALL_MATCH: Final = (
    "match",
    f"a={BOT}",
    f"b={BOT}",
    "--games",
    "1",
    "--no-rotate",
    "--no-record",
    "--time-scale",
    "30",
)


def test_soft_limit_of_open_files_is_raised_as_far_as_a_match_needs() -> None:
    program = (
        "import resource; from referee.processes.limits.machine import provide_for\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4000))\n"
        "provide_for(1, 2); few = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "provide_for(64, 5); print(*few, *resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    few, hard, many, same = map(int, done.stdout.split())
    assert 64 < few < 200
    assert 3200 < many < hard
    assert hard == same == 4000


@pytest.mark.slow
def test_too_low_a_hard_limit_ends_the_match_before_its_first_game_and_says_what_to_set() -> None:
    ended = in_shell(
        'ulimit -n 256; exec "$@"', *SMALL_MATCH[:3], "--games", "64", "--concurrency", "64", "--no-record"
    )
    assert_error(ended, 1, "games at a time: 64, bots in each: 2; they need")
    assert "open files, but 256 are allowed here: raise the limit (ulimit -n " in ended.message
    assert "or play fewer games at a time (concurrency)" in ended.message


@pytest.mark.slow
def test_needs_are_those_of_the_games_that_are_played_not_of_the_concurrency(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    ended = in_shell('ulimit -n 256; exec "$@"', *SMALL_MATCH, "--concurrency", "5000", cwd=tmp_path)
    assert "open files" not in ended.message


def test_open_files_are_needed_by_each_process_of_the_referee_for_its_own_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = {resource.RLIMIT_NOFILE: (700, 700)}
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits.get(which, (9999, 9999)))
    with pytest.raises(MachineError, match=r"need .* open files, but 700 are allowed here"):
        provide_for(64, 2)
    provide_for(64, 2, referees=4)


def test_limits_of_processes_are_checked_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_is_privileged", lambda: False)
    monkeypatch.setattr(machine, "_own_tasks", lambda: 10)
    monkeypatch.setattr(
        resource, "getrlimit", lambda which: (20, 20) if which == resource.RLIMIT_NPROC else (9999, 9999)
    )
    with pytest.raises(MachineError, match=r"need 26 processes of this user, but 20 are .* \(ulimit -u 26\)"):
        provide_for(1, 2)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("fs/epoll/max_user_watches", r"need 640 epoll watches, but 100 .* \(sysctl fs.epoll.max_user_watches=640\)"),
        ("fs/pipe-user-pages-soft", r"need 3072 pages of memory in pipes, .* \(sysctl fs.pipe-user-pages-soft=3072\)"),
    ],
)
def test_settings_of_the_system_are_checked(monkeypatch: pytest.MonkeyPatch, setting: str, words: str) -> None:
    monkeypatch.setattr(machine, "_is_privileged", lambda: False)
    monkeypatch.setattr(machine, "_setting", lambda name: 100 if name == setting else 1_000_000)
    with pytest.raises(MachineError, match=words):
        provide_for(32, 2)


def test_pipes_that_are_smaller_than_usual_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "pipe_capacity", lambda pipe: 8192)
    with pytest.raises(MachineError, match=r"only small ones: .* \(sysctl fs.pipe-user-pages-soft\)"):
        provide_for(1, 2)


def test_nothing_is_needed_for_built_in_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (3, 3))
    provide_for(10_000, 0)


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.EMFILE, "ulimit -n"),
        (errno.ENOSPC, "fs.epoll.max_user_watches"),
        (errno.EPERM, "what limits this user has"),
    ],
)
def test_refused_system_call_says_what_it_was_for_and_what_to_set(number: int, remedy: str) -> None:
    text = str(MachineError.of(OSError(number, os.strerror(number)), "wait for a bot"))
    assert text.startswith(f"the referee can't wait for a bot: {os.strerror(number)}; ")
    assert remedy in text
