"""Long pairings run in a process of their own, a run says so, and a plan says how long they take."""

import os
import re
import subprocess
from pathlib import Path
from typing import Final

import msgspec
import pytest
import trio

from referee.own_python import module_command
from tests.cli.command import referee
from tests.reports.plain_lines import Lines
from tests.timeouts import TEST_TIMEOUT
from tests.tournaments.competition.formats.tournament_factory import tournament
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.formats.swiss import Swiss
from tournaments.event import director, pairing
from tournaments.event.events import PairingBegun, TournamentLiveEvent
from tournaments.event.pairing import IN_PROCESS_SECONDS, PairingError, pair_apart
from tournaments.event.service import resume_tournament, run_tournament
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.verification import verify
from tournaments.play.events import LiveEvent
from tournaments.play.interruption import Interruption

FILE: Final = 'name = "Cup"\nformat = "swiss"\ngame = "forbidden_city"\nseed = "a seed"\n[swiss]\nrounds = 3\n'


def bots_of(number: int) -> str:
    return "".join(f'[[bot]]\nbuiltin = "random"\nname = "bot{bot}"\n' for bot in range(number))


@pytest.mark.slow
async def test_what_the_format_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with trio.fail_after(TEST_TIMEOUT), pytest.raises(FormatError, match=r'seeds: unknown bot "nobody"'):
        await pair_apart(Knockout(seeds=("nobody",)), tournament(4), ())


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (["sh", "-c", "kill -9 $$"], "ended by signal 9: is the machine out of memory"),
        (["sh", "-c", "echo first >&2; echo MemoryError >&2; exit 1"], "has failed: MemoryError"),
        (["/no/such/program"], "can't be started: No such file or directory"),
    ],
)
async def test_a_process_that_does_not_answer_is_told(
    monkeypatch: pytest.MonkeyPatch, program: list[str], words: str
) -> None:
    monkeypatch.setattr(pairing, "module_command", lambda *_: program)
    with trio.fail_after(TEST_TIMEOUT), pytest.raises(PairingError, match=words):
        await pair_apart(Swiss(), tournament(4), ())


async def test_this_process_goes_on_meanwhile_and_a_cancelled_pairing_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun = tmp_path / "pid"
    monkeypatch.setattr(
        pairing,
        "module_command",
        lambda *_: ["sh", "-c", f"echo $$ > {begun}.new; mv {begun}.new {begun}; exec sleep 600"],
    )
    with trio.fail_after(TEST_TIMEOUT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pair_apart, Swiss(), tournament(4), ())
            while not begun.exists():  # noqa: ASYNC110 (another process makes it)
                await trio.sleep(0.01)
            nursery.cancel_scope.cancel()
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)


@pytest.mark.slow
def test_the_process_ends_when_the_one_that_started_it_is_gone() -> None:
    lifeline, held = os.pipe()
    command = module_command("tournaments.event.pairing", lifeline)
    with subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(lifeline,)) as process:
        os.close(lifeline)
        os.close(held)
        assert process.wait(TEST_TIMEOUT) == 1  # it has not been given anything to pair


@pytest.mark.ci_only
async def test_a_run_pairs_apart_says_so_and_can_be_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(director, "IN_PROCESS_SECONDS", 0.0)
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    file.write_text(FILE + '[run]\nsandbox = "none"\n' + bots_of(5))
    view = Lines()
    told: list[LiveEvent] = []

    def observe(event: LiveEvent) -> None:
        told.append(event)
        view.observe(event)

    with trio.fail_after(TEST_TIMEOUT):
        await run_tournament(file, out, observe, Interruption())
    assert [event.round for event in told if isinstance(event, PairingBegun)] == [1, 2, 3]
    assert [line for line in view.lines if line.startswith("pairing")] == [
        f"pairing round {number}, up to 1 s" for number in (1, 2, 3)
    ]
    assert all(msgspec.json.decode(msgspec.json.encode(event), type=TournamentLiveEvent) == event for event in told)
    found = verify(out)
    assert (found.differences, found.rounds) == ([], 3)


@pytest.mark.ci_only
async def test_an_interruption_ends_a_pairing_and_resume_pairs_the_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(director, "IN_PROCESS_SECONDS", 0.0)
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    file.write_text(FILE + '[run]\nsandbox = "none"\n' + bots_of(4))
    interruption = Interruption(finish_first=True)

    def interrupt(event: LiveEvent) -> None:
        if isinstance(event, PairingBegun) and event.round == 2:
            monkeypatch.setattr(pairing, "module_command", lambda *_: ["sleep", "600"])
            interruption.interrupt()

    with trio.fail_after(TEST_TIMEOUT):
        await run_tournament(file, out, interrupt, interruption)
        assert len(load(TournamentFolder.open(out), repair=False).progress.rounds) == 1
        monkeypatch.setattr(pairing, "module_command", module_command)
        await resume_tournament(out, lambda event: None, Interruption())
    found = verify(out)
    assert (found.differences, found.rounds) == ([], 3)


@pytest.mark.parametrize(("bots", "seats", "apart"), [(60, 2, False), (200, 2, True), (60, 4, False), (200, 4, True)])
def test_only_what_takes_long_has_a_process_of_its_own(bots: int, seats: int, apart: bool) -> None:
    of = tournament(bots, seats)
    assert (Swiss(rounds=3).pairing_seconds(of, 3) > IN_PROCESS_SECONDS) is apart
    assert Swiss(rounds=3).pairing_seconds(of, 4) == 0  # it is over
    assert Knockout().pairing_seconds(of, 1) == 0


@pytest.mark.parametrize(("bots", "words"), [(8, None), (1000, "up to about 6 s a round, 18 s in all")])
def test_a_plan_says_how_long_pairing_takes(tmp_path: Path, bots: int, words: str | None) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(FILE + bots_of(bots))
    told = referee("tournament", "plan", file)
    line = re.search(r"^  pairing   (.*)$", told.out, re.MULTILINE)
    assert (line is None) == (words is None)
    if line is not None and words is not None:
        assert words in line[1]
        assert referee("tournament", "plan", file, "--json").json["pairing_seconds"] == 6.0
