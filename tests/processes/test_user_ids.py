"""Where the referee is root, each process of a bot has its own user id."""

import itertools
import os

import pytest

from referee.processes import linux
from referee.processes.sandbox import user_ids
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.sandbox.user_ids import USERS, UserIds, in_use
from tests.processes.sandboxed import needs_root, needs_sandbox, run


@needs_sandbox
@needs_root
def test_each_process_has_a_user_id_of_its_own_that_is_not_roots() -> None:
    users = [int(run("root", ["id", "-u"]).stdout) for _ in range(2)]
    assert len(set(users)) == 2
    assert all(user in range(*USERS) for user in users)


def test_processes_of_the_referee_never_use_the_same_user_ids() -> None:
    parts = [Sandbox(setpriv="setpriv").share(part, 3) for part in range(3)]
    ranges = [range(*part.users) for part in parts]
    assert all(set(one).isdisjoint(other) for one in ranges for other in ranges if one is not other)
    for part, expected in zip(parts, ranges, strict=True):
        assert part.new_user() in expected


def test_user_ids_are_unique_and_do_not_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_ids, "in_use", set)
    users = UserIds(*USERS)
    given = [users.new() for _ in range(USERS[1] - USERS[0])]
    assert sorted(given) == list(range(*USERS))
    steps = [following - user for user, following in itertools.pairwise(given)]
    assert max(steps.count(step) for step in {*steps}) < 20, "nobody can tell the next one"


def test_no_user_id_is_given_while_a_process_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_ids, "in_use", lambda: {101, 103})
    users = UserIds(100, 108)
    given = [users.new() for _ in range(60)]
    assert set(given) == {100, 102, 104, 105, 106, 107}
    assert all(user != following for user, following in itertools.pairwise(given))


@pytest.mark.skipif(not linux.IS_LINUX, reason="needs /proc")
def test_user_ids_of_running_processes_are_known() -> None:
    assert os.geteuid() in in_use()
