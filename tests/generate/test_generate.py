"""No generated file is stale, so no change in the rules or on the wire goes unnoticed."""

from pathlib import Path

import pytest

from tests.generate.files import COMMAND, ROOT, difference, generated_files, present, renew, stored

pytestmark = pytest.mark.slow

FILES = generated_files()


def test_all_generated_files_are_up_to_date() -> None:
    problems = [problem for name in FILES if (problem := difference(name, stored(name), FILES[name]())) is not None]
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def test_there_is_no_generated_file_that_nothing_makes_any_more() -> None:
    stale = sorted(present() - FILES.keys())
    assert not stale, f"`{COMMAND}` removes them"


def test_the_command_for_generated_files_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"\n{COMMAND.removeprefix('make ')}:" in makefile
    assert "-m tests.generate\n" in makefile


def test_a_difference_is_reported_with_the_file_the_line_and_the_command() -> None:
    report = difference("some/file.txt", ["same", "a long line"], ["same", "a lone line", "more"])
    assert report is not None
    assert "some/file.txt is stale. Line 2, column 6" in report
    assert "stored: a long line" in report
    assert "now:    a lone line" in report
    assert COMMAND in report


@pytest.mark.parametrize(("old", "new"), [([], ["new"]), (["same"], ["same", "new"]), (["same", "old"], ["same"])])
def test_a_missing_and_a_surplus_line_are_differences(old: list[str], new: list[str]) -> None:
    report = difference("x", old, new)
    assert report is not None
    assert f"Line {max(len(old), len(new))}," in report


def test_renewing_writes_what_is_missing_and_removes_what_nothing_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = dict(list(FILES.items())[::20])
    monkeypatch.setattr("tests.generate.files.generated_files", lambda: few)
    (tmp_path / "protocol/schema").mkdir(parents=True)
    (tmp_path / "protocol/schema/stale.json").write_text("stale\n")
    assert sorted(renew(tmp_path)) == sorted([*few, "protocol/schema/stale.json"])
    assert present(tmp_path) == few.keys()
    assert renew(tmp_path) == []
