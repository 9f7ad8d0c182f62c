"""`--set tile_set=FILE`: whatever the file is, it is played with or refused at once."""

import os
from pathlib import Path

import pytest

from tests.cli.command import Run, assert_error, referee

pytestmark = pytest.mark.slow

TILES = """colours = ["green"]
[[tile]]
edges = "waoo"
parts = ["green"]
copies = 4
"""


def match(name: str, folder: Path) -> Run:
    """Play a short match with the tiles of a file."""
    options = ("--game", "forbidden_city", "--set", f"tile_set={name}", "--games", "1", "--no-record", "--json")
    return referee("match", "builtin:random", "builtin:first", *options, cwd=folder)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_file_is_played_with_whichever_editor_saved_it(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TILES.replace("\n", "\r\n"), encoding=encoding, newline="")
    ended = match("mine.toml", tmp_path)
    assert ended.status == 0, ended.err
    assert ended.json["config"]["tile_set"] == "mine.toml"


def make(kind: str, path: Path) -> None:
    """Something that is not a tile set."""
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "latin":
            path.write_text(f"# für uns\n{TILES}", encoding="latin-1")
        case "large":
            path.write_text(TILES + "# a comment\n" * 100_000)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("nothing", "can't be read: No such file or directory"),
        ("folder", "is a folder"),
        ("pipe", "is not a regular file"),
        ("device", "is not a regular file"),
        ("latin", "is not a text in UTF-8"),
        ("large", "is over 1 MiB"),
    ],
)
def test_file_that_is_no_tile_set_is_refused_with_the_option_and_the_reason(
    kind: str, words: str, tmp_path: Path
) -> None:
    make(kind, tmp_path / "mine")
    assert_error(match("mine", tmp_path), 2, f"forbidden_city: tile_set=mine: {words}")
