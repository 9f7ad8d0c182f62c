"""The folder of a tournament is there as a whole or not at all, and so is everything in it."""

import errno
import gzip
import hashlib
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from referee.record.reader import MAX_RECORD
from referee.record.writer import RecordWriteError
from tests.tournaments.event.store.conftest import SWISS, Begin
from tests.tournaments.event.store.organiser import SEED, Organiser, tournament_file
from tournaments.competition.games import commitment
from tournaments.event.store import durable
from tournaments.event.store import folder as folder_module
from tournaments.event.store.errors import (
    DamagedManifest,
    FolderExists,
    FolderInUse,
    NoSuchRecord,
    NoTournament,
    StoreError,
)
from tournaments.event.store.folder import WRITTEN, TournamentFolder, creating
from tournaments.event.store.private import PrivateFacts, sealed_hash

GAME = "r01-t001-d01-s1"
NOBODY = 65534


class Killed(BaseException):
    """Stands for the end of the process: nothing catches it, and no cleaning up follows."""


@pytest.fixture
def limited_files() -> Iterator[None]:
    """No file may grow over 2,000 bytes, as on a disk that is full."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# -- a new folder ---------------------------------------------------------------------------------------------


def test_only_its_owner_may_look_into_it(begin: Begin) -> None:
    folder = begin().folder
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder.path / "seed").stat().st_mode) == 0o600


def test_it_can_be_opened_again(begin: Begin) -> None:
    organiser = begin()
    again = TournamentFolder.open(organiser.folder.path)
    assert again.manifest == organiser.manifest
    assert again.seed == SEED
    assert again.file.read_text().startswith('format = "swiss"')


def test_all_but_one_file_can_be_published_while_it_runs(cup: Organiser) -> None:
    for name, data in content(cup.folder.path).items():
        assert (SEED.encode() in data) == (name == "seed"), name
    assert cup.manifest.seed_commitment == commitment(SEED)
    assert cup.manifest.seed is None


def test_at_the_end_the_manifest_has_the_seed(cup: Organiser) -> None:
    cup.finish()
    assert not (cup.folder.path / "seed").exists()
    assert TournamentFolder.open(cup.folder.path).seed == cup.manifest.seed == SEED


@pytest.mark.parametrize("make", ["folder", "file", "link"])
def test_nothing_that_is_there_is_overwritten(begin: Begin, tmp_path: Path, make: str) -> None:
    place = tmp_path / "cup"
    match make:
        case "folder":
            place.mkdir()
        case "file":
            place.touch()
        case _:
            place.symlink_to("nowhere")
    with pytest.raises(FolderExists, match="already exists; give another folder"):
        begin()


def test_a_folder_that_can_not_be_made_leaves_nothing(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each of the steps in which a disk may be full."""
    steps = 0
    while True:
        left = steps

        def fsync(fd: int) -> None:
            nonlocal left
            if left == 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            left -= 1

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fsync)
            try:
                begin(name="new")
            except StoreError as error:
                assert "No space left on device" in str(error)  # noqa: PT017
            else:
                break
        assert {path.name for path in tmp_path.iterdir()} <= {"cup.toml", "new"}
        if (tmp_path / "new").exists():  # all but the last step has been done
            shutil.rmtree(tmp_path / "new")
        steps += 1
    assert steps >= 7


def test_parents_that_it_made_go_with_it(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    with creating(tmp_path / "given" / "new" / "newer" / "cup") as draft:
        assert draft.exists()
    assert [*tmp_path.rglob("*")] == [tmp_path / "given"]


@pytest.mark.slow
def test_what_a_killed_process_was_building_is_removed_by_the_next(begin: Begin, tmp_path: Path) -> None:
    program = f"""
        import os
        from pathlib import Path
        from tournaments.event.store.folder import creating
        with creating(Path({str(tmp_path / "cup")!r})) as draft:
            (draft / "half").touch()
            os.kill(os.getpid(), 9)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    assert len(list(tmp_path.glob(".cup.new-*"))) == 1
    begin()
    assert {path.name for path in tmp_path.iterdir()} == {"cup.toml", "cup"}


# -- opening --------------------------------------------------------------------------------------------------


def test_a_manifest_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_module, "MAX_MANIFEST", 1 << 20)
    (tmp_path / "manifest.json").write_bytes(b" " * (1 << 20))
    with pytest.raises(DamagedManifest, match="is not the manifest of a tournament"):
        TournamentFolder.open(tmp_path)
    (tmp_path / "manifest.json").write_bytes(b" " * (1 << 20) + b"{")
    with pytest.raises(DamagedManifest, match="has over 1 MiB"):
        TournamentFolder.open(tmp_path)


def test_what_is_no_tournament_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoTournament, match="does not exist; give the folder of a tournament"):
        TournamentFolder.open(tmp_path / "nowhere")
    with pytest.raises(NoTournament, match=r"it has no manifest\.json"):
        TournamentFolder.open(tmp_path)
    (tmp_path / "0001-1.jsonl").touch()
    with pytest.raises(NoTournament, match=r"manifest\.json; it has the records of a match: referee record show "):
        TournamentFolder.open(tmp_path)
    with pytest.raises(NoTournament, match=r"is not a folder; it is the record of a game: referee record show "):
        TournamentFolder.open(tmp_path / "0001-1.jsonl")
    (tmp_path / "manifest.json").write_text("[1")
    with pytest.raises(DamagedManifest, match=r"manifest\.json is not the manifest of a tournament"):
        TournamentFolder.open(tmp_path)
    (tmp_path / "manifest.json").write_text('{"schema": 99, "unheard": "of"}')
    with pytest.raises(NoTournament, match=r"written by a later referee \(schema 99; this one reads 1\)"):
        TournamentFolder.open(tmp_path)
    (tmp_path / "manifest.json").unlink()
    os.mkfifo(tmp_path / "manifest.json")
    with pytest.raises(DamagedManifest, match="is not a regular file"):
        TournamentFolder.open(tmp_path)


# -- one writer -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_second_writer_is_refused_by_name(begin: Begin) -> None:
    path = begin().folder.path
    program = f"""
        from pathlib import Path
        from tournaments.event.store.folder import TournamentFolder
        with TournamentFolder.open(Path({str(path)!r})).lock():
            print("held", flush=True)
            input()
    """
    command = [sys.executable, "-c", textwrap.dedent(program), "resume", "cup"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(FolderInUse, match=rf"in use by process {holder.pid} since 20.* \(-c resume cup\); wait"),
            TournamentFolder.open(path).lock(),
        ):
            pass
        holder.kill()
    with TournamentFolder.open(path).lock():  # the lock ends with the process
        pass


@pytest.mark.parametrize("name", WRITTEN)
def test_nothing_is_written_through_a_link_in_a_folder(begin: Begin, tmp_path: Path, name: str) -> None:
    path, elsewhere = begin().folder.path, tmp_path / "elsewhere"
    shutil.rmtree(path / name, ignore_errors=True)
    (path / name).unlink(missing_ok=True)
    (path / name).symlink_to(elsewhere)  # also if nothing is there yet
    with pytest.raises(StoreError, match=f"{name} is a symbolic link"), TournamentFolder.open(path).lock():
        pass


# -- files ----------------------------------------------------------------------------------------------------


def test_a_record_is_the_same_file_whenever_it_is_written(begin: Begin) -> None:
    folder = begin().folder
    assert folder.write_record(GAME, b"data\n") == hashlib.sha256(b"data\n").hexdigest()
    packed = folder.record(GAME).read_bytes()
    assert packed[4:8] == bytes(4)  # the time in the header of gzip
    folder.write_record(GAME, b"data\n")
    assert folder.record(GAME).read_bytes() == packed
    assert folder.read_record(GAME) == b"data\n"


@pytest.mark.parametrize("step", ["open", "write_all", "fsync", "close", "replace", "sync_folder"])
def test_a_process_that_is_killed_leaves_a_whole_file_or_the_old_one(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """After each step of writing the rest is left out."""
    folder = begin().folder
    folder.write_record(GAME, b"old")

    def stop(*args: object, **kwargs: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *args, **kwargs: None)  # a process that is killed doesn't clean up
        owner = Path if step == "replace" else durable if step in ("write_all", "sync_folder") else os
        patch.setattr(owner, step, stop)
        with pytest.raises(Killed):
            folder.write_record(GAME, b"new")
    assert folder.read_record(GAME) == (b"new" if step == "sync_folder" else b"old")
    folder.remove_temporary()
    assert folder.record_ids() == [GAME]


@pytest.mark.usefixtures("limited_files")
def test_a_full_disk_is_named_and_keeps_what_was_there(tmp_path: Path, pebbles_known: None) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    (tmp_path / "records").mkdir()
    cup = Organiser.begin(tournament_file(tmp_path, SWISS), tmp_path / "cup")
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    folder, before = cup.folder, content(cup.folder.path)
    with pytest.raises(RecordWriteError, match=r"can't write the record .*cup/records/r01.*: File too large"):
        folder.write_record(GAME, os.urandom(10_000))
    with pytest.raises(StoreError, match=r"can't write .*manifest\.json: File too large"):
        folder.write_manifest(structs.replace(cup.manifest, left_out={"x": "x" * 10_000}))
    with pytest.raises(StoreError, match=r"tournament\.db: .*(the disk)"):
        cup.pair()
    assert content(folder.path) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
def test_a_folder_that_is_read_only_can_be_read_and_says_so(cup: Organiser) -> None:
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)  # noqa: PTH101
        copy = Path(shutil.copytree(cup.folder.path, Path(place) / "cup"))
        for path in [copy, *copy.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        os.seteuid(NOBODY)
        try:
            folder = TournamentFolder.open(copy)
            with (
                pytest.raises(StoreError, match=r"can't write to .*cup: Permission denied; make it writable"),
                folder.lock(),
            ):
                pass
            with pytest.raises(RecordWriteError, match="Permission denied"):
                folder.write_record(GAME, b"")
            with pytest.raises(StoreError, match=r"can't write .*manifest\.json: Permission denied"):
                folder.write_manifest(folder.manifest)
        finally:
            os.seteuid(0)


@pytest.mark.slow
def test_a_record_that_is_damaged_too_long_or_none_is_refused(begin: Begin) -> None:
    folder = begin().folder
    with pytest.raises(NoSuchRecord):
        folder.read_record(GAME)
    for data, problem in (
        (b"no gzip", "is damaged"),
        (gzip.compress(b"data")[:4], "cut off"),
        (gzip.compress(b"data")[:-1], "cut off"),
        (gzip.compress(b"data") + b"more", "followed by something"),
        (gzip.compress(bytes(MAX_RECORD + 1)), "too long"),
    ):
        folder.record(GAME).write_bytes(data)
        with pytest.raises(StoreError, match=problem):
            folder.read_record(GAME)
    folder.record(GAME).unlink()
    os.mkfifo(folder.record(GAME))
    with pytest.raises(StoreError, match="is not a regular file"):
        folder.read_record(GAME)


def test_it_keeps_what_machines_of_a_cluster_have_played_and_built(begin: Begin) -> None:
    folder = begin().folder
    assert (folder.hosts(), folder.builds()) == ({}, {})
    for host, sha256 in (("one", "11"), ("two", "22"), ("one", "11"), ("one", "33")):
        folder.add_builds(host, {"a b": sha256})
    assert folder.builds() == {"a b": {"one": ("11", "33"), "two": ("22",)}}
    for host in ("one", "two"):
        folder.add_host("r01-t001-d01-s1", host)
    assert folder.hosts() == {"two": ("r01-t001-d01-s1",)}, "the last one: the game was played again"


def test_of_a_bot_with_a_pseudonym_it_publishes_seals_and_keeps_the_rest(begin: Begin) -> None:
    folder = begin().folder
    facts = PrivateFacts(key="secret", bots={bot.name: bot for bot in folder.manifest.bots})
    folder.keep_private(facts)
    seal = sealed_hash("secret", "a", "11")
    folder.add_builds("one", {"a": "11"})
    assert (folder.path / "builds").read_text() == f"{seal}\tone\ta\n"
    assert folder.builds() == {"a": {"one": (seal,)}}
    player = b'{"name":"a","bot":"Realname","files_sha256":"11"}'
    first = b'{"type":"game","record":1,"game":"pebbles","config":{},"seed":"s","players":[%s],"referee":"1"}\n'
    folder.write_record(GAME, first % player)
    assert folder.read_record(GAME) == first % f'{{"name":"a","files_sha256":"{seal}"}}'.encode()
    assert gzip.decompress(folder.full_record(GAME).read_bytes()) == first % player
    folder.keep_private(structs.replace(facts, bots={"a": facts.bots["a"]}))
    with pytest.raises(StoreError, match=r"private\.json doesn't have b, c, d: put it back as it was"):
        _ = TournamentFolder.open(folder.path).private
