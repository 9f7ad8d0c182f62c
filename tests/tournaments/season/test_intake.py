"""Where versions come from: folders, commits, tags and archives of people who may be hostile."""

import io
import os
import resource
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tournaments.season.intake import IntakeError, found_versions, keep, unpack

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")


@pytest.fixture
def versions(tmp_path: Path) -> Path:
    (tmp_path / "versions").mkdir()
    return tmp_path / "versions"


def taken(folder: Path, versions: Path, git: str = "commits") -> list[tuple[str, str]]:
    """By version its source, and what its bot.py holds."""
    with found_versions(folder, git) as found:  # type: ignore[arg-type]
        hashes = [(each.source, keep(each, "alice", versions)) for each in found]
    read = []
    for source, sha256 in hashes:
        unpack(versions / f"{sha256}.tar.gz", versions / "unpacked")
        read.append((source, (versions / "unpacked" / "bot.py").read_text()))
    return read


def entrant(tmp_path: Path) -> Path:
    folder = tmp_path / "alice"
    folder.mkdir()
    (folder / "bot.toml").write_text('command = "python3 bot.py"\n')
    return folder


def commit(folder: Path, text: str, *tags: str) -> None:
    (folder / "bot.py").write_text(text)
    commands = [("init", "-q"), ("add", "-A"), ("commit", "-qm", text), *(("tag", tag) for tag in tags)]
    for words in commands:
        subprocess.run([*GIT, *words], cwd=folder, check=True, env={**os.environ, "HOME": str(folder.parent)})


def test_a_folder_is_taken_as_it_is(tmp_path: Path, versions: Path) -> None:
    folder = entrant(tmp_path)
    (folder / "bot.py").write_text("1")
    assert taken(folder, versions) == [("folder", "1")]
    assert [path.name for path in versions.glob(".*")] + list(versions.glob("referee-*")) == []


@pytest.mark.slow
def test_of_a_repository_the_newest_commit_is_taken_or_every_tag(tmp_path: Path, versions: Path) -> None:
    folder = entrant(tmp_path)
    commit(folder, "1", "v1")
    commit(folder, "2", "v2")
    (folder / "bot.py").write_text("not committed")
    ((source, text),) = taken(folder, versions)
    assert source.startswith("commit ")
    assert text == "2"
    assert taken(folder, versions, "tags") == [("tag v1", "1"), ("tag v2", "2")]
    subprocess.run([*GIT, "clone", "-q", "--bare", folder, tmp_path / "bare"], check=True)
    assert [text for _, text in taken(tmp_path / "bare", versions)] == ["2"]


def test_a_repository_runs_no_program_that_its_settings_name(tmp_path: Path, versions: Path) -> None:
    folder = entrant(tmp_path)
    (folder / ".gitattributes").write_text("* filter=evil\n")
    commit(folder, "1")
    evil = f"touch {tmp_path}/ran; cat"
    settings = {
        "filter.evil.smudge": evil,
        "filter.evil.clean": evil,
        "core.fsmonitor": evil,
        "core.sshCommand": evil,
        "uploadpack.packObjectsHook": evil,
        "core.hooksPath": str(tmp_path),
    }
    for name, value in settings.items():
        subprocess.run([*GIT, "config", name, value], cwd=folder, check=True)
    assert [text for _, text in taken(folder, versions)] == ["1"]
    assert not (tmp_path / "ran").exists()


def test_a_repository_can_not_give_what_is_in_another_one(tmp_path: Path, versions: Path) -> None:
    other = entrant(tmp_path)
    commit(other, "secret")
    thief = tmp_path / "thief"
    thief.mkdir()
    (thief / ".git").write_text(f"gitdir: {other}/.git\n")
    with pytest.raises(IntakeError, match="give a clone"):
        taken(thief, versions)
    (thief / ".git").unlink()
    subprocess.run([*GIT, "clone", "-q", "--shared", other, thief / "own"], check=True)
    with pytest.raises(IntakeError, match="give a clone"):
        taken(thief / "own", versions)
    subprocess.run([*GIT, "init", "-q", thief / "new"], check=True)
    (thief / "new/.git/objects/pack/theirs").symlink_to(other / ".git/objects/pack")
    with pytest.raises(IntakeError, match="give a clone"):
        taken(thief / "new", versions)


def test_archives_are_taken_by_their_times(tmp_path: Path, versions: Path) -> None:
    folder = tmp_path / "alice"
    folder.mkdir()
    with tarfile.open(folder / "b.tar.gz", "w:gz") as tar:
        add(tar, "bot-1/bot.toml", b'command = "python3 bot.py"')
        add(tar, "bot-1/bot.py", b"old")
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("bot.toml", 'command = "python3 bot.py"')
        archive.writestr("bot.py", "new")
        archive.writestr("__MACOSX/._bot.py", "")
    os.utime(folder / "b.tar.gz", (1, 1))
    assert taken(folder, versions) == [("b.tar.gz", "old"), ("a.zip", "new")]


def add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "bot/../../evil"])
def test_an_archive_writes_nowhere_else(tmp_path: Path, versions: Path, name: str) -> None:
    folder = tmp_path / "alice"
    folder.mkdir()
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr(name, "")
    with pytest.raises(IntakeError, match="is not a path below its folder"):
        taken(folder, versions)


def test_what_is_no_archive_is_named(tmp_path: Path, versions: Path) -> None:
    folder = tmp_path / "alice"
    folder.mkdir()
    (folder / "a.zip").write_text("no")
    with pytest.raises(IntakeError, match=r"a\.zip can't be read: File is not a zip file"):
        taken(folder, versions)


def test_git_is_ended_where_it_writes_more_than_the_limit_or_that_of_the_system(
    tmp_path: Path, versions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = entrant(tmp_path)
    commit(folder, "1" * 100_000)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 15, 1 << 15))
    with pytest.raises(IntakeError, match="git archive was killed, or a file exceeded"):
        taken(folder, versions)
