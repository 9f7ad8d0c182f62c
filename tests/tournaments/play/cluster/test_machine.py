"""What a machine does with what a director sends, without Dask: the bots that it unpacks, the games that it plays."""

import shutil
import zlib
from pathlib import Path

import msgspec
import pytest
import trio
from msgspec import structs

from referee.bots.bot_spec import parse_bot
from referee.bots.hashed_files import FilesChangedError, hashed_files
from referee.games import find_game
from referee.players.clock import TimeControl
from referee.processes.message_channel import decode, encode
from referee.record.writer import Recorder, RecordInMemory
from tests.playing import plan_of
from tests.tournaments.play.cluster.real_cluster import REPOSITORY
from tests.tournaments.play.test_workers import without_times
from tournaments.play.archives import STORE_VARIABLE, ArchiveError, files_hash, pack_sources
from tournaments.play.cluster import machine
from tournaments.play.cluster.dask_workers import Admission, PackedBots
from tournaments.play.cluster.messages import FromMachine, Prepared, SentTask, TaskBegun
from tournaments.play.local import InProcess
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, PlayedGame
from tournaments.play.schedule import Phases, rotations
from tournaments.play.worker_messages import PlayTask, TaskEnded, TaskResult

CITY = find_game("forbidden_city")


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GamePlan:
    """A bot in a folder against a built-in player; the machine keeps what it is sent in a folder of the test."""
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "store"))
    bots = [parse_bot(str(REPOSITORY / "bots" / "random-python")), parse_bot("builtin:random")]
    numbered = [structs.replace(bot, name=f"bot{number}") for number, bot in enumerate(bots)]
    control = TimeControl(move=30.0, startup=30.0)
    return plan_of(CITY, numbered, players=2, control=control, concurrency=1, records_in_memory=True)


def prepared(plan: GamePlan) -> tuple[str, Prepared]:
    """Send a plan with its bots to this machine; the id of the plan, and the answer."""
    archives = PackedBots()
    admission = Admission(plan, archives.pack(plan), archives, 1.0)
    answer: Prepared = decode(machine.prepare(admission.preparation), Prepared)
    for files in answer.missing:
        for part, is_last in archives.parts(files):
            assert machine.receive(files, part, is_last) == b""
    archives.close()
    return admission.plan_id, decode(machine.prepare(admission.preparation), Prepared)


def task_of(plan_id: str) -> SentTask:
    """All rotations of one deal."""
    games = tuple(Phases(rotations(1, 2, "seed")).next_task())
    return SentTask(task=PlayTask(1, games), topic="t", plan_id=plan_id)


@pytest.mark.slow
def test_a_task_has_the_results_and_records_of_the_director_s_own_games(plan: GamePlan) -> None:
    plan_id, answer = prepared(plan)
    assert (answer.missing, answer.problem) == ((), None)
    sent: list[FromMachine] = []
    machine.play(decode(encode(task_of(plan_id)), SentTask), sent.append, lambda: True)
    begun, *over, ended = sent
    machine.end()
    assert begun == TaskBegun(1)
    assert isinstance(ended, TaskEnded)
    assert (ended.problem, ended.died, ended.traceback) == (None, None, None)
    assert ended.measured is not None
    assert ended.measured.lag.tenths
    alone: dict[str, tuple[PlayedGame, bytes]] = {}

    async def store(played: PlayedGame, recorder: Recorder) -> None:
        assert isinstance(recorder, RecordInMemory)
        alone[played.game.game_id] = played, recorder.content()

    trio.run(InProcess(lambda event: None).play, plan, Phases(rotations(1, 2, "seed")), store, Measurements(plan))
    assert len(over) == len(alone) == 2
    for message in over:
        assert isinstance(message, TaskResult)
        assert message.content is not None
        played, record = alone[message.played.game.game_id]
        assert message.played.outcome == played.outcome
        assert without_times(zlib.decompress(message.content)) == without_times(record)


@pytest.mark.slow
def test_each_task_of_a_process_tells_only_of_its_own_decisions(plan: GamePlan) -> None:
    plan_id, _ = prepared(plan)
    schedule = Phases(rotations(2, 2, "seed"))
    pids = set()
    for number in (1, 2):
        sent: list[FromMachine] = []
        task = SentTask(task=PlayTask(number, tuple(schedule.next_task())), topic="t", plan_id=plan_id)
        machine.play(task, sent.append, lambda: True)
        _, *over, ended = sent
        asked = 0
        for message in over:
            assert isinstance(message, TaskResult)
            assert message.content is not None
            seat = message.played.game.seating.index(0)
            lines = map(msgspec.json.decode, zlib.decompress(message.content).splitlines())
            asked += sum("ms" in line and line["seat"] == seat for line in lines)
        assert isinstance(ended, TaskEnded)
        assert ended.measured is not None
        assert {bot: each.decisions for bot, each in ended.measured.thinking.items()} == {0: asked}
        pids |= {process._worker.process.pid for process in machine._idle._idle}
    machine.end()
    assert len(pids) == 1, "the process played both"


@pytest.mark.slow
def test_a_task_that_is_not_wanted_ends_at_once_with_its_bots(plan: GamePlan) -> None:
    plan_id, _ = prepared(plan)
    sent: list[FromMachine] = []
    machine.play(task_of(plan_id), sent.append, lambda: False)
    assert sent == [TaskBegun(1), TaskEnded(1)]


@pytest.mark.slow
def test_the_end_of_a_process_ends_its_task_and_is_told(plan: GamePlan, monkeypatch: pytest.MonkeyPatch) -> None:
    plan_id, _ = prepared(plan)
    sent: list[FromMachine] = []

    process = machine.started(plan_id)
    monkeypatch.setattr(machine, "started", lambda plan_id: process)

    def kill_it(message: FromMachine) -> None:
        sent.append(message)
        if isinstance(message, TaskResult):
            process._worker.process.kill()

    machine.play(task_of(plan_id), kill_it, lambda: True)
    assert [type(message) for message in sent] == [TaskBegun, TaskResult, TaskEnded]
    assert sent[-1] == TaskEnded(1, died="was killed by SIGKILL")


def test_a_program_that_is_missing_is_a_reason_not_to_take_part(plan: GamePlan, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text('command = "no-such-program bot.py"\n')
    _, answer = prepared(structs.replace(plan, bots=[parse_bot(str(folder)), plan.bots[1]]))
    assert answer.problem is not None
    assert "no-such-program" in answer.problem


BUILD = """
import pathlib, sys
pathlib.Path("build").mkdir()
source = pathlib.Path("random_bot.py").read_text()
pathlib.Path("build/bot.py").write_text(source + f"# built in {pathlib.Path.cwd()}")
"""


@pytest.fixture
def compiled(plan: GamePlan, tmp_path: Path) -> GamePlan:
    """The plan with a bot that has a build, and its sources."""
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "build.py").write_text(BUILD)
    shutil.copy(REPOSITORY / "bots" / "random-python" / "random_bot.py", folder)
    (folder / "bot.toml").write_text('command = "python3 build/bot.py"\nbuild = "python3 build.py"\n')
    bots = [structs.replace(parse_bot(str(folder)), name="bot0"), plan.bots[1]]
    sources = pack_sources(bots, tmp_path / "sources")
    (folder / "build").mkdir()
    (folder / "build" / "bot.py").write_text("as it was built on the director's machine, for another processor")
    return structs.replace(plan, bots=bots, sources=sources)


@pytest.mark.ci_only
def test_a_machine_builds_from_sources_once_and_plays_with_what_it_built(compiled: GamePlan, tmp_path: Path) -> None:
    plan_id, answer = prepared(compiled)
    assert answer.problem is None
    (built,) = (tmp_path / "store" / "builds").iterdir()
    made = built / "bot" / "build" / "bot.py"
    assert made.read_text().endswith(f"# built in {built / 'bot'}"), "it is used where it was built"
    assert answer.built == {"bot0": files_hash(built / "bot")}
    assert not made.stat().st_mode & 0o222
    assert compiled.sources["bot0"].sha256 == files_hash(archives_of_machine(tmp_path, compiled))
    before = made.stat().st_mtime_ns
    assert prepared(compiled)[1] == answer
    assert made.stat().st_mtime_ns == before, "not built again"
    sent: list[FromMachine] = []
    machine.play(task_of(plan_id), sent.append, lambda: True)
    machine.end()
    assert [message.played.outcome.faults for message in sent if isinstance(message, TaskResult)] == [[None, None]] * 2
    made.chmod(0o644)
    made.write_text("changed")
    assert prepared(compiled)[1] == answer, "built again"
    assert made.stat().st_mtime_ns != before


def archives_of_machine(tmp_path: Path, plan: GamePlan) -> Path:
    return tmp_path / "store" / "bots" / plan.sources["bot0"].sha256


def test_a_build_that_fails_is_a_reason_not_to_take_part(compiled: GamePlan, tmp_path: Path) -> None:
    (tmp_path / "bot" / "build.py").write_text("import sys; sys.exit('no compiler for this processor')")
    sources = pack_sources(compiled.bots, tmp_path / "sources")
    _, answer = prepared(structs.replace(compiled, sources=sources))
    assert answer.problem is not None
    assert "bot0: its build command exited with status 1" in answer.problem
    assert "no compiler for this processor" in answer.problem


def test_sources_that_are_missing_are_named(compiled: GamePlan) -> None:
    compiled.sources["bot0"].archive.unlink()
    with pytest.raises(ArchiveError, match="bot0: its sources, from which machines build it, are missing"):
        PackedBots().pack(compiled)


@pytest.mark.slow
def test_what_is_sent_and_what_runs_there_is_what_was_hashed(plan: GamePlan, tmp_path: Path) -> None:
    shutil.copytree(plan.bots[0].folder, tmp_path / "bot")
    bot = structs.replace(plan.bots[0], folder=tmp_path / "bot")
    hashed = hashed_files(bot)
    plan = structs.replace(plan, bots=[bot, plan.bots[1]], files={"bot0": hashed})
    plan_id, answer = prepared(plan)
    assert answer.problem is None
    [unpacked] = (tmp_path / "store" / "bots").glob("*/random_bot.py")
    unpacked.chmod(0o644)
    unpacked.write_text(unpacked.read_text() + "# changed")
    sent: list[FromMachine] = []
    machine.play(task_of(plan_id), sent.append, lambda: True)
    machine.end()
    ended = sent[-1]
    assert isinstance(ended, TaskEnded)
    assert "bot0: random_bot.py in" in (ended.problem or "")
    (bot.folder / "random_bot.py").write_text("")
    with pytest.raises(FilesChangedError, match=r"bot0: random_bot\.py in"):
        PackedBots().pack(plan)


def test_paths_of_the_director_s_machine_are_replaced() -> None:
    paths = {"/home/ann/bot": "/store/1", "/opt/kits": "/usr/kits", "/usr/bin/python3.11": "/opt/python"}
    words = ["/home/ann/bot/run", "PYTHONPATH=/opt/kits/python:/home/ann/bot", "/home/ann/bots", "/usr/bin/python3.11"]
    assert [machine.with_paths(word, paths) for word in words] == [
        "/store/1/run",
        "PYTHONPATH=/usr/kits/python:/store/1",
        "/home/ann/bots",
        "/opt/python",
    ]
