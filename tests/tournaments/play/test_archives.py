"""The files of a bot travel as an archive that is named by their hash."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from tournaments.play import archives as module
from tournaments.play.archives import ArchiveError, Archives, files_hash, pack


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


def test_a_sparse_file_counts_with_its_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, archive = pack("b", bot(tmp_path / "small"))
    with (bot(tmp_path / "bot") / "hole").open("wb") as file:
        file.truncate(5 << 30)
    with pytest.raises(ArchiveError, match=r"^b: .*/bot has over 4 GiB, the limit for files that are packed"):
        pack("b", tmp_path / "bot")
    monkeypatch.setattr(module, "MAX_SENT_BYTES", 8)
    with pytest.raises(ArchiveError, match="the files in the archive take over"):
        Archives(tmp_path / "store").unpack(files, archive.read_bytes())
    assert [*(tmp_path / "store").iterdir()] == []
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


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    """A member of an archive."""
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.mode, made.size = kind, link, mode, 1 if kind == tarfile.REGTYPE else 0
    return made


def packed(*members: tarfile.TarInfo) -> bytes:
    """An archive as somebody else could make it."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for each in members:
            archive.addfile(each, io.BytesIO(b"x"))
    return content.getvalue()


HOSTILE = {
    "an absolute path": [member("/OUTSIDE/file")],
    "a path above": [member("../../outside/file")],
    "a path above and back": [member("a/../file")],
    "no path": [member(".")],
    "a file through a link": [member("link", tarfile.SYMTYPE, "/OUTSIDE"), member("link/file")],
    "a folder through a link": [member("link", tarfile.SYMTYPE, "/OUTSIDE"), member("link/folder/file")],
    "a link through a link": [member("link", tarfile.SYMTYPE, ".."), member("link/file", tarfile.SYMTYPE, "x")],
    "a file onto a link": [member("link", tarfile.SYMTYPE, "/OUTSIDE/file"), member("link")],
    "a file twice": [member("file"), member("file")],
    "a file below a file": [member("file"), member("file/other")],
    "a hard link": [member("file", tarfile.LNKTYPE, "/etc/passwd")],
    "a pipe": [member("pipe", tarfile.FIFOTYPE)],
    "a character device": [member("device", tarfile.CHRTYPE)],
    "a block device": [member("device", tarfile.BLKTYPE)],
    "a link to no path": [member("link", tarfile.SYMTYPE, "a\0b" + "c" * 100)],
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_is_written_outside_the_folder_whatever_is_in_the_archive(
    tmp_path: Path, content: list[tarfile.TarInfo]
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for each in content:
        each.name = each.name.replace("/OUTSIDE", str(outside))
        each.linkname = each.linkname.replace("/OUTSIDE", str(outside))
    archives = Archives(tmp_path / "store")
    with pytest.raises(ArchiveError, match="can't be unpacked"):
        archives.unpack("2" * 64, packed(*content))
    assert [*outside.iterdir()] == []
    assert {path.name for path in tmp_path.iterdir()} == {"outside", "store"}
    assert [*(tmp_path / "store").iterdir()] == []


def test_what_is_unpacked_never_runs_as_its_owner(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "run").write_text("x")
    (tmp_path / "bot" / "run").chmod(0o755)
    archives = Archives(tmp_path / "store")
    files = files_hash(tmp_path / "bot")
    archives.unpack(files, packed(member("run", mode=0o6777)))
    assert (archives.path(files) / "run").stat().st_mode & 0o7777 == 0o555


def test_what_is_no_file_cannot_be_sent(tmp_path: Path) -> None:
    source = bot(tmp_path / "bot")
    os.mkfifo(source / "pipe")
    with pytest.raises(ArchiveError, match="pipe is neither a file nor a link"):
        pack("b", source)
