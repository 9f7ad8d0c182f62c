"""What was meant by a name or a path: asked or said where it is clear, and never where nothing is near."""

from pathlib import Path

import pytest

from referee.given_paths import hint
from referee.near_misses import did_you_mean, nearest

GAMES = ("year_of_the_dragon", "forbidden_city", "open_spiel:chess")


@pytest.mark.parametrize(
    ("given", "names", "meant"),
    [
        ("Forbidden City", GAMES, "forbidden_city"),
        ("FORBIDDEN-CITY", GAMES, "forbidden_city"),
        ("forbiden_cty", GAMES, "forbidden_city"),
        ("dragon", GAMES, "year_of_the_dragon"),
        ("fc", GAMES, "forbidden_city"),
        ("chess", GAMES, "open_spiel:chess"),
        ("quit", ("ending.quit_alone", "ending.quit"), "ending.quit"),
        ("idx", ("id", "index"), "index"),
        ("msg_id", ("id", "index"), "id"),
        ("BUCHHOLZ", ("wins", "buchholz"), "buchholz"),
        ("tarock", GAMES, None),
        ("x", ("xyz",), None),
        ("", GAMES, None),
        ("?!", GAMES, None),
        ("x" * 100_000, ("y",), None),
        ("any", (), None),
    ],
)
def test_the_nearest_name_is_the_one_that_was_meant(given: str, names: tuple[str, ...], meant: str | None) -> None:
    assert nearest(given, names) == meant


def test_a_question_or_else_all_names_end_an_error() -> None:
    assert did_you_mean("randm", ("random", "first"), prefix="builtin:") == "; did you mean 'builtin:random'?"
    assert did_you_mean("x", ("random", "first"), prefix="b:") == "; available: b:random, b:first"
    assert did_you_mean("x", ("a", "b"), "the bots are") == "; the bots are a, b"
    assert did_you_mean("x", ("a", "b"), "") == did_you_mean("x", ()) == ""


def test_a_path_of_another_kind_is_named_with_its_command(tmp_path: Path) -> None:
    (tmp_path / "bots/mine").mkdir(parents=True)
    for file in ("cup/manifest.json", "cup/records/r01.jsonl.gz", "records/0001-1.jsonl", "bots/mine/bot.toml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    for name in ("cup", "other"):
        (tmp_path / f"{name}.toml").write_text("[[bot]]")
    (tmp_path / "plain.toml").write_text("x = 1")
    (tmp_path / "bots/mcp-python").mkdir()
    for given, told in {
        "cup": "it is the folder of a tournament: referee tournament standings {}/cup",
        "cup/records": "it is in the folder of a tournament, {}/cup",
        "cup/manifest.json": "it is in the folder of a tournament, {}/cup",
        "cup.toml": "it is a tournament file, and the folder of its tournament is {}/cup",
        "other.toml": "it is a tournament file: referee tournament run {}/other.toml",
        "records": "it has the records of a match: referee record show {}/records/0001-1.jsonl, or referee ratings",
        "records/0001-1.jsonl": "it is the record of a game: referee record show {}/records/0001-1.jsonl",
        "bots/mine": "it is the folder of a bot: referee match {}/bots/mine builtin:random",
        "bots/mine/bot.toml": "it describes a bot: referee match {}/bots/mine builtin:random",
        "bots": "it has folders of bots, such as {}/bots/mine",
        "bots/mcp-python": "it is a server that a chat program starts: give tcp:9000 as the BOT",
        "Record": "did you mean {}/records?",
        "cup.tml": "did you mean {}/cup.toml?",
        "cpu": "did you mean {}/cup?",
        "bots/min": "did you mean {}/bots/mine?",
    }.items():
        assert hint(tmp_path / given).startswith(f"; {told.format(tmp_path)}"), given
    assert hint(tmp_path / "bots/min", file=True) == "", "a file was wanted, and there is a folder"
    (tmp_path / "lost.jsonl").symlink_to("nowhere")
    assert hint(tmp_path / "lost.jsonl") == "; it is a symbolic link to nowhere"
    (tmp_path / "folder.jsonl").mkdir()
    assert hint(tmp_path / "folder.jsonl") == ""
    for given in ("plain.toml", "nothing/of/it", "zzz", "x" * 5000, "a\0b", "plain.toml/below"):
        assert hint(tmp_path / given) == ""
