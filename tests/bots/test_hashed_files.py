"""What is hashed is what runs: at each start of a process the files of a bot are those that were hashed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from referee.bots import files_hash
from referee.bots import hashed_files as module
from referee.bots.bot_spec import BotSpec
from referee.bots.files_hash import hash_bot
from referee.bots.hashed_files import FilesChangedError, HashedFiles, check_files, hashed_files, readable_files


@pytest.fixture
def bot(tmp_path: Path) -> BotSpec:
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("play()\n")
    (folder / "lib" / "a.py").write_text("a = 1\n")
    (folder / "engine").write_text("ELF")
    (folder / "engine").chmod(0o755)
    (folder / "weights.json").write_text("[1]")
    return BotSpec(name="mine", argv=("python3", "bot.py"), folder=folder)


def keep_time(path: Path, text: str) -> None:
    """Change a file so that its size and time are as before."""
    status = path.stat()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def swap(path: Path) -> None:
    new = path.with_name("new")
    new.write_text("ELG")
    new.chmod(0o755)
    new.rename(path)


def make_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("lib/a.py")


PROGRAM: list[Callable[[Path], object]] = [
    lambda folder: (folder / "bot.py").write_text("play(2)\n"),
    lambda folder: keep_time(folder / "bot.py", "plan()\n"),
    lambda folder: (folder / "random.py").touch(),
    lambda folder: (folder / "lib" / "a.py").unlink(),
    lambda folder: (folder / "lib" / "a.py").rename(folder / "lib" / "b.py"),
    lambda folder: swap(folder / "engine"),
    lambda folder: (folder / "engine").chmod(0o644),
    lambda folder: make_link(folder / "bot.py"),
]
OTHERS: list[Callable[[Path], object]] = [
    lambda folder: (folder / "weights.json").write_text("[2]"),
    lambda folder: (folder / "log").write_text("started"),
    lambda folder: (folder / "weights.json").unlink(),
]


@pytest.mark.parametrize("change", PROGRAM)
def test_any_change_of_its_program_is_noticed(
    bot: BotSpec, change: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bot.folder)
    known = hashed_files(bot)
    assert check_files(bot, known) is known
    change(bot.folder)
    for files in (known, structs.replace(known, strict=True), structs.replace(known, sha256=None)):
        with pytest.raises(FilesChangedError, match=r"^mine: .* after its files were hashed"):
            check_files(bot, files)


@pytest.mark.parametrize("change", OTHERS)
def test_what_it_may_have_written_itself_leaves_it_without_a_hash(
    bot: BotSpec, change: Callable[[Path], object]
) -> None:
    known = hashed_files(bot)
    change(bot.folder)
    with pytest.raises(FilesChangedError):
        check_files(bot, structs.replace(known, strict=True))  # in the sandbox of a tournament
    now = check_files(bot, known)
    assert (now.sha256, now.recorded) == (None, None)
    assert check_files(bot, now) is now
    (bot.folder / "bot.py").write_text("play(3)\n")
    with pytest.raises(FilesChangedError, match=r"bot\.py in .* changed"):
        check_files(bot, now)


def test_files_that_were_only_touched_or_left_out_are_the_same(bot: BotSpec) -> None:
    cup = bot.folder / "cup"
    known = hashed_files(bot, [cup], strict=True)
    (bot.folder / "bot.py").touch()
    cup.mkdir()
    (cup / "manifest.json").touch()
    (bot.folder / "__pycache__").mkdir()
    (bot.folder / "__pycache__" / "bot.pyc").touch()
    now = check_files(bot, known)
    assert now.sha256 == now.recorded == hash_bot(bot, [cup])
    assert check_files(bot, now) is now
    assert check_files(bot, HashedFiles(sha256=now.sha256, exclude=(cup,))).sha256 == now.sha256
    with pytest.raises(FilesChangedError):
        check_files(bot, HashedFiles(sha256="0" * 64))
    assert check_files(bot, HashedFiles(sha256="0" * 64, fixed=True)).sha256 == "0" * 64


def test_a_script_that_a_command_names_is_its_program_and_a_log_is_not(tmp_path: Path) -> None:
    for name in ("run", "log", "notes"):
        (tmp_path / name).touch()
    code = BotSpec(name="typed", argv=("python3", "-c", "pass\n" * 9999), from_command_line=True)
    assert check_files(code, known := hashed_files(code)) is known
    bot = BotSpec(name="typed", argv=("sh", "run", "log"), folder=tmp_path, from_command_line=True)
    known = hashed_files(bot)
    (tmp_path / "notes").write_text("x")
    assert check_files(bot, known) is known
    (tmp_path / "log").write_text("x")
    assert check_files(bot, known).sha256 is None
    (tmp_path / "run").write_text("x")
    with pytest.raises(FilesChangedError, match=r"run in .* changed"):
        check_files(bot, known)


def test_files_that_change_while_they_are_hashed(bot: BotSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    changing, hashes = bot.folder / "bot.py", iter("abcdefghijklmnop")

    def hash_while_changing(*of: object) -> str:
        changing.write_text(next(hashes))
        return "0" * 64

    monkeypatch.setattr(module, "hash_bot", hash_while_changing)
    with pytest.raises(FilesChangedError, match=r"^mine: files in .* change while they are hashed"):
        readable_files([bot])
    changing = bot.folder / "log"
    assert readable_files([bot])["mine"].sha256 is None
    with pytest.raises(FilesChangedError):
        hashed_files(bot, strict=True)


def test_files_that_are_too_large_for_a_match_are_compared_all_the_same(
    bot: BotSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_READABLE_BYTES", 1)
    known = readable_files([bot, BotSpec(name="random", policy="random")])
    assert {name: files.sha256 for name, files in known.items()} == {"mine": None}
    assert check_files(bot, known["mine"]) is known["mine"]
    (bot.folder / "bot.py").write_text("play(2)\n")
    with pytest.raises(FilesChangedError):
        check_files(bot, known["mine"])
    (bot.folder / "bot.py").chmod(0)
    assert "mine" in readable_files([bot])  # no hash, and none is needed to compare it


def test_a_start_from_unchanged_files_sorts_no_names_which_would_hold_up_clocks(
    bot: BotSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = hashed_files(bot)
    monkeypatch.setattr(files_hash, "sorted", lambda _: pytest.fail("sorted"), raising=False)
    assert check_files(bot, known) is known
