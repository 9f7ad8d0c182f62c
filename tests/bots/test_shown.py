"""`--show`: to all bots, or to the one that is named."""

import os
from pathlib import Path

import pytest

from referee.bots.bot_spec import BotSpecError, parse_bots
from referee.bots.shown import parse_shown, show_to
from referee.processes.sandbox.bubblewrap import Sandbox
from tournaments.play.conditions import Conditions
from tournaments.play.match_spec import MatchSpec

ANY = "sh -c true"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with some files."""
    monkeypatch.chdir(tmp_path)
    for name in ("file", "a=b"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("file")
    return tmp_path


def test_a_path_is_for_all_bots_and_one_after_a_name_for_that_bot(folder: Path) -> None:
    found = parse_shown(["file", "small=file", "small=link", "x depth=1=file", "a=b", "small=a=b"])
    assert found == (
        [Path("file"), Path("a=b")],
        {"small": [Path("file"), Path("link"), Path("a=b")], "x depth=1": [Path("file")]},
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("small=none", "none can't be shown to small: there is no such file or folder"),
        ("small=", "small= can't be shown to small: there is no such file or folder"),
        ("", "'' is not the name of a file or folder"),
        ("a\0b", "is not the name of a file or folder"),
    ],
)
def test_what_is_not_there_is_named(folder: Path, text: str, problem: str) -> None:
    with pytest.raises(BotSpecError, match=problem):
        parse_shown([text])


def test_links_are_resolved_once_and_other_bots_are_shown_nothing(folder: Path) -> None:
    [small, large] = show_to(parse_bots([f"small={ANY}", f"large={ANY}"]), {"small": [Path("link")]})
    assert (small.show, large.show) == ((folder / "file",), ())
    assert folder / "file" in Sandbox().visible(small)
    shown = Conditions(show_to={"sh": [Path("file")]})
    assert [bot.show for bot in MatchSpec(bots=[ANY], field=[ANY], conditions=shown).line_up().bots] == [
        (folder / "file",),
        (),
    ]


def test_variants_of_a_bot_are_shown_what_it_is_shown(folder: Path) -> None:
    shown = Conditions(show_to={"small": [Path("file")]})
    bots = MatchSpec(bots=[f"small={ANY}", "builtin:first"], vary=["depth=1,2"], conditions=shown).line_up().bots
    assert [bot.show for bot in bots] == [(folder / "file",)] * 2 + [()]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nobody", "file can't be shown to nobody: unknown bot; the bots are small, first"),
        ("first", "file can't be shown to first: the referee starts no program for it"),
    ],
)
def test_only_a_program_of_the_match_can_be_shown_something(folder: Path, name: str, problem: str) -> None:
    with pytest.raises(BotSpecError, match=problem):
        show_to(parse_bots([f"small={ANY}", "builtin:first"]), {name: [Path("file")]})


def test_an_image_of_files_leaves_sockets_where_they_are(folder: Path) -> None:
    os.mknod(folder / "socket", 0o140666)
    [bot] = show_to(parse_bots([ANY]), {"sh": [Path("socket"), Path("file")]})
    paths = Sandbox().imaged_paths([bot])
    assert str(folder / "file") in paths
    assert str(folder / "socket") not in paths
