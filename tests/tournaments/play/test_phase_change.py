"""Between rotations the files that bots see are dropped from the page cache, if that costs little or was asked for."""

import mmap
import os
import resource
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.bots.bot_spec import BotSpec
from referee.bots.hashed_files import FilesChangedError, hashed_files
from referee.processes.sandbox import page_cache
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.sandbox.image import FileImage
from tests.game_runner.harness import Harness
from tests.processes.image_fixture import PYTHON, image_paths, needs_images, small_system
from tests.processes.sandboxed import WORKING, needs_sandbox
from tournaments.play.phase_change import NOT_FORGOTTEN, PhaseChange
from tournaments.play.plan import GamePlan
from tournaments.play.schedule import rotations

SIZE = 256 * mmap.PAGESIZE


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def is_cached(path: Path) -> bool:
    """Whether a page of a file is in the page cache: touching it causes no major fault."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    with path.open("rb") as file, mmap.mmap(file.fileno(), SIZE, prot=mmap.PROT_READ) as mapped:
        mapped.madvise(mmap.MADV_RANDOM)  # without reading ahead
        assert mapped[SIZE // 2] == ord("x")
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt == before


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """A file on a disk, written to it, in the page cache."""
    path = tmp_path / "shown"
    with path.open("wb") as file:
        file.write(b"x" * SIZE)
        file.flush()
        os.fsync(file.fileno())
    page_cache.load(str(path))
    page_cache.forget([str(path)], float("inf"))
    if is_cached(path):
        pytest.skip("the temporary files are not on a disk")
    page_cache.load(str(path))
    assert is_cached(path)
    return path


def plan_of(harness: Harness, shown: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> GamePlan:
    """A plan with a sandbox that shows this file alone."""
    monkeypatch.setattr(Sandbox, "shown_files", lambda sandbox, bots: [str(shown)])
    bots = [BotSpec(name="a", argv=("true",)), BotSpec(name="b", policy="first")]
    return msgspec.structs.replace(harness.plan(bots, **changes), sandbox=WORKING)


@needs_sandbox
@pytest.mark.parametrize(
    ("now", "asked_for", "stay"),
    [(10_000.0, False, False), (0.0, False, True), (0.0, True, False)],
    ids=["it costs little", "it would take too long", "whatever it costs"],
)
async def test_files_are_forgotten_where_that_costs_little_or_was_asked_for(
    harness: Harness, shown: Path, monkeypatch: pytest.MonkeyPatch, now: float, asked_for: bool, stay: bool
) -> None:
    clock, notices = Clock(), list[str]()
    change = PhaseChange(notices.append, clock)
    clock.now = now
    await change.between(plan_of(harness, shown, monkeypatch, forget_files=asked_for))
    assert is_cached(shown) == stay
    assert notices == []


@needs_sandbox
async def test_it_is_said_once_if_files_that_should_be_forgotten_stay(
    harness: Harness, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notices = list[str]()
    change = PhaseChange(notices.append, Clock())
    monkeypatch.setattr("sys.executable", "/no/such/program")
    for _ in range(2):
        await change.between(plan_of(harness, shown, monkeypatch, forget_files=True))
    assert is_cached(shown)
    assert notices == [NOT_FORGOTTEN]


@pytest.mark.parametrize("when", ["before", "meanwhile"])
async def test_an_image_has_the_files_that_were_hashed(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    program = tmp_path / "bot.py"
    program.write_text("1")
    bot = BotSpec(name="a", argv=("python3", "bot.py"), folder=tmp_path)
    plan = harness.plan([bot, BotSpec(name="b", policy="first")], files="image")
    plan = msgspec.structs.replace(plan, sandbox=Sandbox(), files={"a": hashed_files(bot)})
    made = FileImage(file=tmp_path / "image" / "file", mount=tmp_path, sha256="", paths=())
    made.file.parent.mkdir()

    def make(sandbox: Sandbox, bots: object) -> FileImage:
        program.write_text("2")
        program.write_text("1")
        return made

    monkeypatch.setattr(Sandbox, "make_image", make)
    if when == "before":
        program.write_text("2")
    change = PhaseChange(list[str]().append)
    with pytest.raises(FilesChangedError, match=r"a: bot\.py"):
        await change.begin(plan)
    assert change.image is None
    assert made.file.parent.exists() == (when == "before")


SIMPLE_BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "simple"}), flush=True)
    elif message["type"] == "act":
        print(json.dumps({"type": "action", "id": message["id"], "index": 0}), flush=True)
    elif message["type"] == "quit":
        break
"""


@needs_images
@pytest.mark.slow
async def test_bots_play_from_one_image_that_is_removed_at_the_end(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.py").write_text(SIMPLE_BOT)
    bot = BotSpec(name="a", argv=(PYTHON, "-ES", "bot.py"), folder=folder)
    monkeypatch.setattr(Sandbox, "imaged_paths", lambda sandbox, bots: [*image_paths(), str(folder)])
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    loaded = list[str]()
    monkeypatch.setattr(page_cache, "load", loaded.append)
    with small_system(monkeypatch):
        plan = msgspec.structs.replace(harness.plan([bot, bot], files="image"), sandbox=WORKING)
        played = await harness.run(plan, list(rotations(2, 2, "seed")))
    assert [game.outcome.faults for game in played] == [[None, None]] * 4
    assert len(loaded) == 2, "before each of the two phases"
    assert len(set(loaded)) == 1
    assert not Path(loaded[0]).parent.exists()


async def test_without_a_sandbox_nothing_is_forgotten_or_said(harness: Harness) -> None:
    notices = list[str]()
    bots = [BotSpec(name="a", argv=("true",)), BotSpec(name="b", policy="first")]
    await PhaseChange(notices.append, Clock()).between(harness.plan(bots, forget_files=True))
    assert notices == []


def test_a_walk_that_takes_too_long_is_broken_off(shown: Path) -> None:
    assert not page_cache.forget([str(shown), str(shown.parent)], 0.0)
