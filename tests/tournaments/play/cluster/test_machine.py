"""What a machine does with what a director sends, without Dask: the bots that it unpacks, the games that it plays."""

import zlib
from pathlib import Path

import msgspec
import pytest
import trio
from msgspec import structs

from referee.bots.bot_spec import parse_bot
from referee.games import config_from, find_game
from referee.players.clock import TimeControl
from referee.processes.message_channel import decode, encode
from referee.record.writer import Recorder, RecordInMemory
from tests.tournaments.play.cluster.real_cluster import REPOSITORY
from tournaments.play.cluster import machine
from tournaments.play.cluster.messages import FromMachine, GameOver, Preparation, Prepared, Task, TaskBegun, TaskEnded
from tournaments.play.cluster.places import Admission, PackedBots
from tournaments.play.executor import InProcess
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import Phases, rotations

CITY = find_game("forbidden_city")


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GamePlan:
    """A bot in a folder against a built-in player; the machine keeps what it is sent in a folder of the test."""
    monkeypatch.setenv(machine.STORE_VARIABLE, str(tmp_path / "store"))
    bots = [parse_bot(str(REPOSITORY / "bots" / "random-python")), parse_bot("builtin:random")]
    return GamePlan(
        game=CITY,
        config=config_from(CITY.Config, {"players": 2}),
        bots=[structs.replace(bot, name=f"bot{number}") for number, bot in enumerate(bots)],
        control=TimeControl(move=30.0, startup=30.0),
        concurrency=1,
        records_in_memory=True,
    )


def prepared(plan: GamePlan, archives: PackedBots) -> tuple[str, Prepared]:
    """Send a plan with its bots to this machine; the id of the plan, and the answer."""
    admission = Admission(plan, archives.pack(plan), archives, 1.0)
    answer: Prepared = decode(machine.prepare(admission.preparation), Prepared)
    for files in answer.missing:
        for part, is_last in archives.parts(files):
            assert machine.receive(files, part, is_last) == b""
    return admission.plan_id, decode(machine.prepare(admission.preparation), Prepared)


def without_times(record: bytes) -> list[dict[str, object]]:
    lines = [msgspec.json.decode(line) for line in record.splitlines()]
    for line in lines:
        line.pop("ms", None)
    return lines


def test_a_task_has_the_results_and_records_of_the_director_s_own_games(plan: GamePlan) -> None:
    archives = PackedBots()
    plan_id, answer = prepared(plan, archives)
    archives.close()
    assert (answer.missing, answer.problem) == ((), None)
    schedule = Phases(rotations(1, 2, "seed"))
    games = tuple(schedule.next_task())
    sent: list[FromMachine] = []
    task = Task(task_id="1", topic="t", plan_id=plan_id, games=games)
    machine.play(decode(encode(task), Task), sent.append, lambda: True)
    begun, *over, ended = sent
    machine.end()
    assert begun == TaskBegun(task_id="1")
    assert isinstance(ended, TaskEnded)
    assert (ended.problem, ended.died, ended.traceback) == (None, None, None)
    assert ended.measured is not None
    assert ended.measured.lag.tenths
    alone: dict[str, tuple[PlayedGame, bytes]] = {}

    async def store(played: PlayedGame, recorder: Recorder) -> None:
        assert isinstance(recorder, RecordInMemory)
        alone[played.game.game_id] = played, recorder.content()

    trio.run(InProcess(lambda event: None).play, plan, Phases(rotations(1, 2, "seed")), store)
    assert len(over) == len(alone) == 2
    for message in over:
        assert isinstance(message, GameOver)
        assert message.content is not None
        played, record = alone[message.played.game.game_id]
        assert message.played.outcome == played.outcome
        assert without_times(zlib.decompress(message.content)) == without_times(record)


def test_a_task_that_is_not_wanted_ends_at_once_with_its_bots(plan: GamePlan) -> None:
    archives = PackedBots()
    plan_id, _ = prepared(plan, archives)
    archives.close()
    sent: list[FromMachine] = []
    games = tuple(Phases(rotations(1, 2, "seed")).next_task())
    machine.play(Task(task_id="1", topic="t", plan_id=plan_id, games=games), sent.append, lambda: False)
    assert sent == [TaskBegun(task_id="1"), TaskEnded(task_id="1")]


def test_a_program_that_is_missing_is_a_reason_not_to_take_part(plan: GamePlan, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text('command = "no-such-program bot.py"\n')
    archives = PackedBots()
    _, answer = prepared(structs.replace(plan, bots=[parse_bot(str(folder)), plan.bots[1]]), archives)
    archives.close()
    assert answer.problem is not None
    assert "no-such-program" in answer.problem


def test_paths_of_the_director_s_machine_are_replaced() -> None:
    paths = {"/home/ann/bot": "/store/1", "/opt/kits": "/usr/kits", "/usr/bin/python3.11": "/opt/python"}
    words = ["/home/ann/bot/run", "PYTHONPATH=/opt/kits/python:/home/ann/bot", "/home/ann/bots", "/usr/bin/python3.11"]
    assert [machine.with_paths(word, paths) for word in words] == [
        "/store/1/run",
        "PYTHONPATH=/usr/kits/python:/store/1",
        "/home/ann/bots",
        "/opt/python",
    ]


def test_the_preparation_holds_no_seed(plan: GamePlan) -> None:
    archives = PackedBots()
    admission = Admission(plan, archives.pack(plan), archives, 1.0)
    archives.close()
    found: Preparation = decode(admission.preparation, Preparation)
    assert "seed" not in repr(found.bots)
    assert b"seed" not in found.plan
