"""The link `latest` leads to the newest records, and nothing else of that name is touched."""

import shlex
import stat
from pathlib import Path

import pytest

from tournaments.play.match_folders import link_latest, new_folder, record_folder, trace_folder

OLD, NEW = "2026-11-21T08-00-00", "2026-11-22T08-00-00-2"


@pytest.fixture
def records(tmp_path: Path) -> Path:
    for name in (OLD, NEW):
        (tmp_path / name).mkdir()
    return tmp_path


def test_it_follows_the_newest_match_and_leaves_nothing_else_behind(records: Path) -> None:
    for name in (OLD, NEW, OLD):
        link_latest(records / name)
        assert (records / "latest").readlink() == Path(name)
    assert sorted(path.name for path in records.iterdir()) == [OLD, NEW, "latest"]


def test_matches_of_the_same_second_have_folders_that_a_shell_takes_unquoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.strftime", lambda form: OLD)
    folders = [new_folder(tmp_path) for _ in range(3)]
    assert [folder.name for folder in folders] == [OLD, f"{OLD}-2", f"{OLD}-3"]
    assert shlex.quote(folders[1].name) == folders[1].name
    for folder in folders:
        link_latest(folder)
        assert (tmp_path / "latest").readlink() == Path(folder.name)


def test_nobody_else_may_read_the_seeds_of_a_match_that_is_played(tmp_path: Path) -> None:
    made = [new_folder(tmp_path / "records"), record_folder(tmp_path / "given")]
    trace_folder(tmp_path / "traces", None)
    for folder in (*made, tmp_path / "traces"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    shared = tmp_path / "shared"
    shared.mkdir(0o755)
    record_folder(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755  # what there is stays as its owner made it


def test_a_link_of_ours_that_leads_nowhere_is_replaced(records: Path) -> None:
    link_latest(records / OLD)
    (records / OLD).rmdir()
    link_latest(records / NEW)
    assert (records / "latest").resolve() == records / NEW


@pytest.mark.parametrize("target", ["/etc", "mine", f"../{OLD}", f"{OLD}/inside", f"{OLD}#2"])
def test_a_link_of_somebody_else_stays(target: str, records: Path) -> None:
    (records / "latest").symlink_to(target)
    link_latest(records / NEW)
    assert (records / "latest").readlink() == Path(target)


def test_a_file_and_a_folder_of_that_name_stay(records: Path) -> None:
    (records / "latest").write_text("precious")
    link_latest(records / NEW)
    assert (records / "latest").read_text() == "precious"
    (records / "latest").unlink()
    (records / "latest").mkdir()
    link_latest(records / NEW)
    assert (records / "latest").is_dir()
    assert not (records / "latest").is_symlink()


def test_what_somebody_creates_after_the_look_stays(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(link: Path) -> bool:
        link.write_text("precious")
        return False

    monkeypatch.setattr(Path, "is_symlink", look)
    link_latest(records / NEW)
    assert (records / "latest").read_text() == "precious"


def test_where_links_can_not_be_made_there_is_none(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "symlink_to", refuse)
        link_latest(records / NEW)
    assert not (records / "latest").exists()
    link_latest(records / OLD)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", refuse)
        link_latest(records / NEW)
    assert sorted(path.name for path in records.iterdir()) == [OLD, NEW, "latest"]
    assert (records / "latest").readlink() == Path(OLD)
