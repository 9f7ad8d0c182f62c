"""The hash of a bot's files changes with whatever may change what it does, and with nothing else."""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.bots import files_hash
from referee.bots.bot_spec import BotSpec
from referee.bots.files_hash import BotFilesError, hash_bot
from tests.tournaments.king_of_the_hill import KingOfTheHill
from tournaments.competition.formats.knockout import Knockout
from tournaments.competition.formats.swiss import Swiss
from tournaments.event.store.new_manifest import hash_formats


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of a bot."""
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("play()\n")
    (folder / "lib" / "a.py").write_text("a = 1\n")
    (folder / "run.sh").write_text("exec python3 bot.py\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "model").symlink_to("/models/large")
    return folder


def hashed(folder: Path) -> str | None:
    """The hash of a bot in a folder."""
    return hash_bot(BotSpec(name="bot", argv=("python3", "bot.py"), folder=folder))


def test_an_outsider_can_compute_it_from_what_is_documented(folder: Path) -> None:
    def digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    lines = (
        f"file {digest('play()' + chr(10))} bot.py\n"
        f"file {digest('a = 1' + chr(10))} lib/a.py\n"
        f"link {digest('/models/large')} model\n"
        f"executable {digest('exec python3 bot.py' + chr(10))} run.sh\n"
    )
    assert hashed(folder) == digest(lines)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "bot.py").write_text("play(2)\n"),
        lambda folder: (folder / "lib" / "a.py").rename(folder / "lib" / "b.py"),
        lambda folder: (folder / "lib" / "a.py").unlink(),
        lambda folder: (folder / "new").touch(),
        lambda folder: (folder / "run.sh").chmod(0o644),
        lambda folder: ((folder / "model").unlink(), (folder / "model").symlink_to("/models/small")),
        lambda folder: os.mkfifo(folder / "pipe"),
        lambda folder: (folder / "a\nfile 00 b").touch(),
        lambda folder: (Path(os.fsdecode(os.fsencode(folder) + b"/\xff"))).touch(),
    ],
)
def test_a_change_is_noticed(folder: Path, change: Callable[[Path], object]) -> None:
    before = hashed(folder)
    change(folder)
    assert hashed(folder) not in (before, None)
    assert hashed(folder) == hashed(folder)


@pytest.mark.parametrize("cache", ["__pycache__", ".git", "node_modules/.cache", "lib/__pycache__"])
def test_caches_and_times_are_left_out(folder: Path, cache: str) -> None:
    before = hashed(folder)
    (folder / cache).mkdir(parents=True)
    (folder / cache / "x").write_text("changes all the time")
    os.utime(folder / "bot.py", (1, 1))
    assert hashed(folder) == before


def test_a_command_line_is_hashed_with_the_files_that_it_names(folder: Path) -> None:
    def bot(*argv: str) -> BotSpec:
        return BotSpec(name="bot", argv=argv, folder=folder, from_command_line=True)

    command = (sys.executable, "bot.py", "--level", "2")
    before = hash_bot(bot(*command))
    (folder / "unrelated").touch()
    assert hash_bot(bot(*command)) == before
    assert hash_bot(bot(*command[:-1], "3")) != before
    (folder / "bot.py").write_text("other()\n")
    assert hash_bot(bot(*command)) != before
    assert hash_bot(bot("no-such-program")) != hash_bot(bot("no-such-program", ""))


def test_a_word_of_a_command_need_not_be_possible_as_the_name_of_a_file(folder: Path) -> None:
    for word in ("x" * 5000, "print(1)\n" * 100):
        assert hash_bot(BotSpec(name="bot", argv=("python3", "-c", word), folder=folder, from_command_line=True))


def test_a_built_in_player_has_no_files() -> None:
    assert hash_bot(BotSpec(name="random", policy="random")) is None


def test_what_is_too_much_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (folder / "huge").open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no space
    with pytest.raises(BotFilesError, match=r"^bot: .*/bot has over 64 GiB; move what the bot doesn't need"):
        hashed(folder)
    monkeypatch.setattr(files_hash, "MAX_HASHED_FILES", 3)
    with pytest.raises(BotFilesError, match="has over 3 files"):
        hashed(folder)


def test_a_folder_that_can_not_be_read_is_named(folder: Path) -> None:
    with pytest.raises(BotFilesError, match=r"^bot: can't read .*/nowhere: No such file"):
        hashed(folder / "nowhere")


def test_the_hash_of_formats_is_over_the_module_of_one_that_others_registered() -> None:
    assert hash_formats(Swiss) == hash_formats(Knockout)
    assert hash_formats(KingOfTheHill) != hash_formats(Swiss)
