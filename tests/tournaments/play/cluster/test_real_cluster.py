"""Matches and tournaments on a real Dask cluster of processes on this machine."""

import json
import signal
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import pytest
import trio

from tests.cli.command import referee, referee_process, start
from tests.timeouts import TEST_TIMEOUT
from tests.tournaments.play.cluster.real_cluster import (
    REPOSITORY,
    RealCluster,
    real_cluster,
    with_version,
)
from tournaments.play.cluster import machine
from tournaments.play.cluster.dask_workers import CallFailed, ConnectionLost
from tournaments.play.cluster.messages import SentTask
from tournaments.play.worker_messages import PlayTask

pytestmark = [
    pytest.mark.ci_only,
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(find_spec("distributed") is None, reason="the packages of the extra dask are not installed"),
]

CUP = """
format = "round_robin"
game = "forbidden_city"
deals = 1
seed = "cup"
[run]
sandbox = "none"
[[bot]]
builtin = "random"
name = "a"
[[bot]]
builtin = "first"
name = "c"
"""


def cup(folder: Path, *, seconds: float = 0.0, deals_of: str = "table", bots: int = 1) -> Path:
    """A tournament file, with bots that wait that long before each game."""
    text = CUP.replace("deals = 1", f'deals = 1\ndeals_of = "{deals_of}"')
    source = (REPOSITORY / "bots" / "random-python" / "random_bot.py").read_text()
    for number in range(bots):
        bot = folder / f"bot{number}"
        bot.mkdir(parents=True, exist_ok=True)
        slower = f"import sys\nimport time\ntime.sleep({seconds})\n"
        (bot / "random_bot.py").write_text(source.replace("import sys\n", slower, 1))
        (bot / "bot.toml").write_text('command = "python3 random_bot.py"\n')
        text += f'[[bot]]\npath = "bot{number}"\nname = "d{number}"\n'
    file = folder / "cup.toml"
    file.write_text(text)
    return file


def results(folder: Path) -> list[object]:
    """Standings, games and pairings of a tournament, without what is said of games that were begun twice."""
    found = []
    for what in ("standings", "games", "pairings"):
        shown = referee("tournament", what, folder, "--json")
        assert shown.status == 0, shown.err
        found.append(json.loads(shown.out))
    found[0].pop("begun_again")
    return found


def running(file: Path, out: Path, cluster: RealCluster, *options: str) -> "subprocess.Popen[str]":
    """A tournament that runs on the cluster."""
    return start(
        "tournament", "run", file, "--out", out, "--executor", cluster.address, *options,
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip


def wait_for_records(out: Path, number: int) -> None:
    """Wait until so many games are durable."""
    deadline = time.monotonic() + TEST_TIMEOUT
    while len(list((out / "records").glob("*.gz")) if (out / "records").exists() else []) < number:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def wait_for_bots(cluster: RealCluster, workers: "list[subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
    """Wait until one of these workers plays a game with a bot, and return it."""
    deadline = time.monotonic() + TEST_TIMEOUT
    while not (playing := [worker for worker in workers if cluster.bots_of(worker)]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return playing[0]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[object]]:
    """The results without a cluster, by `deals_of`."""
    found = {}
    for deals_of in ("table", "round"):
        folder = tmp_path_factory.mktemp(f"alone-{deals_of}")
        done = referee("tournament", "run", cup(folder, deals_of=deals_of, bots=2), "--out", folder / "out")
        assert done.status == 0, done.err
        found[deals_of] = results(folder / "out")
    return found


class LostClient:
    """A client of Dask whose thread has seen that the scheduler is gone, before the referee asks for its workers."""

    id = "lost"

    def subscribe_topic(self, topic: str, handler: object) -> None:
        pass

    def submit(self, *arguments: object, **options: object) -> None:
        raise RuntimeError("Client is closed. Can't send update-graph message.")


async def test_a_loss_that_dask_sees_while_a_task_is_sent_is_reported_as_one() -> None:
    module = pytest.importorskip("tournaments.play.cluster.connection")
    connection = module.DaskConnection(cast(Any, LostClient()), lambda message: None)
    ended, ends = trio.open_memory_channel[Exception | None](1)
    task = connection.play(
        SentTask(task=PlayTask(1, ()), topic="lost", plan_id=""), worker="w", on_end=ended.send_nowait
    )
    with trio.fail_after(TEST_TIMEOUT):
        assert isinstance(await ends.receive(), ConnectionLost)
    connection.cancel(task)
    with pytest.raises(CallFailed, match="the connection to the scheduler of the cluster was lost"):
        await connection.call(machine.describe, b"", worker="w", timeout=TEST_TIMEOUT)


def test_killed_silent_late_and_refused_machines_change_nothing(tmp_path: Path, alone: dict[str, list[object]]) -> None:
    (tmp_path / "other").mkdir()
    other = with_version(tmp_path / "other", "0.0.7")
    with real_cluster(tmp_path) as cluster:
        workers = [cluster.worker() for _ in range(4)]
        cluster.worker(source=other)
        cluster.wait_for_workers()
        run = running(cup(tmp_path, seconds=1.0, bots=2), tmp_path / "out", cluster, "--lost-after", "5s")
        for records, lost_by in ((0, signal.SIGKILL), (0, signal.SIGSTOP), (6, signal.SIGKILL)):
            wait_for_records(tmp_path / "out", records)
            playing = wait_for_bots(cluster, workers)
            playing.send_signal(lost_by)
            workers.remove(playing)
        cluster.worker()  # one that joins late
        text, _ = run.communicate(timeout=TEST_TIMEOUT)
    assert run.returncode == 0, text
    assert results(tmp_path / "out") == alone["table"]
    assert "has referee 0.0.7" in text
    assert "has left the cluster, or was killed" in text
    assert "has been silent for 5 s" in text
    verified = referee("tournament", "verify", tmp_path / "out")
    assert verified.status == 0, verified.err
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert sum(map(len, manifest["hosts"].values())) == 12
    assert "Games played by machines of a cluster: " in text


@pytest.mark.check_all
@pytest.mark.parametrize("killed", ["client", "scheduler"])
def test_after_a_kill_resume_ends_as_without_it_and_no_process_is_left(
    tmp_path: Path, alone: dict[str, list[object]], killed: str
) -> None:
    out = tmp_path / "out"
    with real_cluster(tmp_path) as cluster:
        worker = cluster.worker(threads=2)
        cluster.wait_for_workers()
        run = running(cup(tmp_path, seconds=0.2, deals_of="round", bots=2), out, cluster, "--lost-after", "5s")
        wait_for_records(out, 3)
        (run if killed == "client" else cluster.scheduler).kill()
        text, _ = run.communicate(timeout=TEST_TIMEOUT)
        assert run.returncode == (-signal.SIGKILL if killed == "client" else 1), text
        if killed == "scheduler":
            assert "the scheduler of the cluster" in text
            worker.wait(TEST_TIMEOUT)
        wait_for_no_bots(cluster, worker)
        if killed == "client":
            done = referee_process("tournament", "resume", out)  # on the same cluster
    if killed == "scheduler":
        done = referee("tournament", "resume", out, "--executor", "local")
    assert done.status == 0, done.err
    assert results(out) == alone["round"]


BUILD = """
import pathlib
pathlib.Path("build").mkdir(exist_ok=True)
source = pathlib.Path("random_bot.py").read_text()
pathlib.Path("build/bot.py").write_text(source + f"# built in {pathlib.Path.cwd()}")
"""


@pytest.mark.check_all
def test_machines_build_bots_themselves_and_both_hashes_are_recorded(
    tmp_path: Path, alone: dict[str, list[object]]
) -> None:
    file, out = cup(tmp_path, bots=2), tmp_path / "out"
    bot = tmp_path / "bot0"
    (bot / "build.py").write_text(BUILD)
    (bot / "bot.toml").write_text('command = "python3 build/bot.py"\nbuild = "python3 build.py"\n')
    with real_cluster(tmp_path, forked=False) as cluster:
        for _ in range(2):
            cluster.worker()
        cluster.wait_for_workers()
        run = running(file, out, cluster, "--build-remotely")
        wait_for_records(out, 2)
        run.kill()
        run.communicate(timeout=TEST_TIMEOUT)
        (bot / "random_bot.py").rename(bot / "moved")  # machines build what was packed
        assert "files of d0 have changed" in referee_process("tournament", "resume", out).err
        accepted = referee_process("tournament", "resume", out, "--accept-changed-bots")
        assert "machines build it from the sources" in " ".join(accepted.err.split())
        (bot / "moved").rename(bot / "random_bot.py")
        done = referee_process("tournament", "resume", out)
    assert done.status == 0, done.err
    assert results(out) == alone["table"]
    manifest = json.loads((out / "manifest.json").read_text())
    played = next(own for own in manifest["bots"] if own["name"] == "d0")
    assert (out / "sources" / f"{played['sources_sha256']}.tar.gz").exists()
    assert manifest["builds"].keys() == {"d0"}
    (hashes,) = manifest["builds"]["d0"].values()  # of each worker that has played with it
    assert 1 <= len(hashes) <= 2
    assert not {played["files_sha256"], played["sources_sha256"]} & {*hashes}
    verified = referee("tournament", "verify", out)
    assert verified.status == 0, verified.err
    archive = next((out / "sources").iterdir())
    archive.write_bytes(archive.read_bytes()[:-100])
    assert archive.name in referee("tournament", "verify", out).out


def wait_for_no_bots(cluster: RealCluster, worker: "subprocess.Popen[bytes]") -> None:
    """Wait until the worker has no bot left."""
    deadline = time.monotonic() + TEST_TIMEOUT
    while left := cluster.bots_of(worker):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
