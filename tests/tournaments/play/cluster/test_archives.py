"""The files of a bot travel as an archive that is named by their hash."""

import os
from pathlib import Path

import pytest

from tournaments.play.cluster.archives import ArchiveError, Archives, files_hash, pack


def bot(folder: Path) -> Path:
    """A folder with all kinds of files that a bot may have."""
    (folder / "build" / "deep").mkdir(parents=True)
    (folder / "bot.toml").write_text('command = "build/bot"\n')
    (folder / "build" / "bot").write_text("#!/bin/sh\n")
    (folder / "build" / "bot").chmod(0o755)
    (folder / "build" / "deep" / "twin").hardlink_to(folder / "build" / "bot")
    (folder / "link").symlink_to("build/bot")
    (folder / "python").symlink_to("/usr/bin/python3")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"x")
    return folder


def test_what_is_unpacked_has_the_same_hash_and_cannot_be_changed(tmp_path: Path) -> None:
    source = bot(tmp_path / "bot")
    files, archive = pack("b", source)
    assert files == files_hash(source)
    archives = Archives(tmp_path / "store")
    assert not archives.has(files)
    archives.unpack(files, archive.read_bytes())
    assert archives.has(files)
    unpacked = archives.path(files)
    assert os.access(unpacked / "build" / "bot", os.X_OK)
    assert (unpacked / "link").readlink() == Path("build/bot")
    assert not (unpacked / "__pycache__").exists()
    assert {path.lstat().st_mode & 0o222 for path in [unpacked, *unpacked.rglob("*")] if not path.is_symlink()} == {0}
    archives.unpack(files, archive.read_bytes())  # another worker of the same machine
    archive.unlink()


def test_files_that_were_changed_on_the_machine_are_sent_again(tmp_path: Path) -> None:
    files, archive = pack("b", bot(tmp_path / "bot"))
    archives = Archives(tmp_path / "store")
    archives.unpack(files, archive.read_bytes())
    changed = archives.path(files) / "bot.toml"
    changed.chmod(0o644)
    changed.write_text("other")
    assert not archives.has(files)
    archives.unpack(files, archive.read_bytes())
    assert archives.has(files)
    archive.unlink()


def test_an_archive_that_is_not_what_its_name_promises_is_refused(tmp_path: Path) -> None:
    _, archive = pack("b", bot(tmp_path / "bot"))
    archives = Archives(tmp_path / "store")
    with pytest.raises(ArchiveError, match="doesn't contain the files"):
        archives.unpack("0" * 64, archive.read_bytes())
    with pytest.raises(ArchiveError, match="can't be unpacked"):
        archives.unpack("1" * 64, b"nonsense")
    assert [*(tmp_path / "store").iterdir()] == []
    archive.unlink()


def test_what_is_no_file_cannot_be_sent(tmp_path: Path) -> None:
    source = bot(tmp_path / "bot")
    os.mkfifo(source / "pipe")
    with pytest.raises(ArchiveError, match="pipe is neither a file nor a link"):
        pack("b", source)
