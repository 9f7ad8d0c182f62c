"""`referee bot new` writes a bot that plays, overwrites nothing, and says what to do next and what is missing."""

import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import pytest

from referee.games import DEFAULT_GAME, game_names
from referee.kits.kits import ALIASES, BRIDGES, KITS
from referee.kits.writing import SEARCHER, KitError, bridge_files, kit_files, searcher_files, write_kit
from tests.cli.command import assert_parses, referee


def test_it_writes_a_folder_and_says_what_to_do_next(tmp_path: Path) -> None:
    ended = referee("bot", "new", "tao", "--language", "python", cwd=tmp_path)
    assert (ended.status, ended.err) == (0, "")
    assert "tao/bot.py" in ended.out
    assert "tao/README.md" in ended.out
    assert {path.name for path in (tmp_path / "tao").iterdir()} == kit_files("tao", "python").keys()
    assert "`tao`" in (tmp_path / "tao/AGENTS.md").read_text()
    (command,) = [line for line in ended.out.splitlines() if line.strip() == "referee match tao builtin:random"]
    match = referee(*shlex.split(command)[1:], "--games", "1", "--no-record", cwd=tmp_path)
    assert match.status == 0, match.err
    assert "tao" in match.out


def test_a_bot_that_is_an_engine(tmp_path: Path) -> None:
    ended = referee("bot", "new", "fish", "--kit", "uci", "--engine", "stockfish", cwd=tmp_path)
    assert (ended.status, ended.err) == (0, "")
    assert "referee match fish builtin:random --game open_spiel:chess\n" in ended.out
    assert (tmp_path / "fish/bot.toml").read_text().splitlines() == [
        'name = "fish"',
        'command = "python3 {kits}/engines/uci.py stockfish"',
        "games = [",
        '    "open_spiel:chess",',
        "]",
    ]
    ended = referee("bot", "new", "mine", "--kit", "gtp", "--engine", "my/engine --level 1", cwd=tmp_path)
    assert f"builtin:random --game open_spiel:go --show {tmp_path}/my/engine\n" in ended.out
    assert f'engines/gtp.py {tmp_path}/my/engine --level 1"' in (tmp_path / "mine/bot.toml").read_text()
    (tmp_path / "my engine").touch()
    engine = "--nodes 9 --option Path=a/b './my engine'"
    ended = referee("bot", "new", "new", "--kit", "uci", "--engine", engine, cwd=tmp_path)
    assert f"--game open_spiel:chess --show '{tmp_path}/my engine'\n" in ended.out
    assert f"uci.py --nodes 9 --option Path=a/b '{tmp_path}/my engine'\"" in (tmp_path / "new/bot.toml").read_text()


def test_a_bot_that_searches_with_a_policy_of_its_own(tmp_path: Path) -> None:
    ended = referee("bot", "new", "thinker", "--kit", "searcher", cwd=tmp_path)
    assert "policy.py: edit this" in ended.out
    assert (tmp_path / "thinker" / "bot.toml").read_text().splitlines() == [
        'name = "thinker"',
        'command = "{python} {kits}/searcher/searcher.py --policy policy.py"',
    ]


def test_the_name_of_the_bot_is_in_its_files_and_nothing_is_left_to_fill_in(tmp_path: Path) -> None:
    for language in KITS:
        files = kit_files("Tao.2+", language)
        assert b'name = "Tao.2+"' in files["bot.toml"]
        assert files["README.md"].startswith(b"# Tao.2+\n")
        assert all(b"{{" + b"name" not in content for content in files.values())


def pages() -> dict[str, dict[str, bytes]]:
    """The files of each kit, in a folder that has not the name of its bot."""
    return {
        **{language: kit_files("tao", language, "my bot") for language in KITS},
        **{name: bridge_files("tao", name, ["engine"], "my bot") for name in BRIDGES},
        SEARCHER: searcher_files("tao", "my bot"),
    }


@pytest.mark.parametrize("kit", [*KITS, *BRIDGES, SEARCHER])
def test_a_page_for_programs_names_only_commands_and_files_that_there_are(kit: str) -> None:
    files = pages()[kit]
    text = files["AGENTS.md"].decode()
    assert "{{" not in text
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    named = re.findall(r"`([^`\n]+)`", text)
    commands = [line.strip() for block in blocks for line in block.strip().splitlines()]
    commands += [each for each in named if each.startswith("referee ") and "COMMAND" not in each]
    for loop in ("bot check", "match 'my bot' builtin", "record review", "record show", "match 'new=my bot'"):
        assert any(each.startswith(f"referee {loop}") for each in map(shlex.join, map(shlex.split, commands)))
    for each in commands:
        assert_parses(each)
    mine = KITS[kit].edit if kit in KITS else "policy.py" if kit == SEARCHER else "bot.toml"
    assert mine in named
    assert mine in files
    game = BRIDGES[kit].game if kit in BRIDGES else DEFAULT_GAME
    assert f"referee games {game} --json" in named


@pytest.mark.parametrize("game", game_names())
def test_the_pages_of_a_game_are_where_the_command_says(game: str) -> None:
    found = referee("games", game, "--json").json[game]
    assert Path(found["rules"]).read_text().startswith("# ")
    assert Path(found["messages"]).read_text().startswith("# ")
    assert (Path(found["messages"]).parents[1] / "specification.md").is_file()


def test_another_folder(tmp_path: Path) -> None:
    ended = referee("bot", "new", "tao", "-l", "python", "--folder", "my bots/first one", cwd=tmp_path)
    assert ended.status == 0
    assert (tmp_path / "my bots/first one/bot.toml").exists()
    assert "referee match 'my bots/first one' builtin:random" in ended.out


@pytest.mark.parametrize("content", [{}, {".git/HEAD": "ref"}], ids=["empty", "a repository"])
def test_a_folder_without_files_of_ones_own_may_be_there_already(tmp_path: Path, content: dict[str, str]) -> None:
    (tmp_path / "tao").mkdir()
    for name, text in content.items():
        (tmp_path / "tao" / name).parent.mkdir()
        (tmp_path / "tao" / name).write_text(text)
    ended = referee("bot", "new", "tao", "--language", "python", cwd=tmp_path)
    assert ended.status == 0, ended.err
    assert (tmp_path / "tao/bot.py").exists()
    assert all((tmp_path / "tao" / name).read_text() == text for name, text in content.items())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "tao").mkdir()
    (tmp_path / "tao/notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("tao", "file"):
        ended = referee("bot", "new", name, "--language", "python", cwd=tmp_path)
        assert (ended.status, ended.out) == (2, "")
        assert f"{name} already exists, and nothing is ever overwritten" in ended.message
    assert [path.name for path in (tmp_path / "tao").iterdir()] == ["notes.txt"]
    assert (tmp_path / "file").read_text() == "mine"


NO_NAMES = [
    "",
    " ",
    "..",
    ".tao",
    "-tao",
    "a/b",
    "/tao",
    "ta o",
    "tao\n",
    "t'ao",
    'ta"o',
    "tao=1",
    "a" * 61,
    "t\u202eao",
]


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_that_no_bot_can_have(name: str) -> None:
    with pytest.raises(KitError, match="can't be the name of a bot: use letters, digits"):
        kit_files(name, "python")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ta/o\u202e", "--language", "python"), ["can't be the name of a bot: use letters, digits"]),
        (("tao", "--language", "perl"), ["no starter kit for 'perl'", "protocol/specification.md", *KITS]),
        (("tao",), ["say in which language", *KITS, *BRIDGES]),
        (("tao", "-l", "c", "--kit", "uci"), ["--kit and --language can't be combined"]),
        (("tao", "-l", "c", "--engine", "stockfish"), ["--engine needs --kit uci or --kit gtp"]),
        (("tao", "--kit", "xboard", "--engine", "x"), ["no kit 'xboard'; available: uci, gtp, searcher"]),
        (("tao", "--kit", "searcher", "--engine", "x"), ["--engine needs --kit uci or --kit gtp"]),
        (("tao", "--kit", "gtp"), ["say which engine with --engine, for example --engine 'gnugo --mode gtp'"]),
        (("tao", "--kit", "uci", "--engine", "x '"), ['the engine "x \'" is not a command line: No closing quotation']),
        (("t/o", "--kit", "uci", "--engine", "x"), ["can't be the name of a bot"]),
    ],
)
def test_such_a_name_and_a_language_without_a_kit_are_refused(
    arguments: tuple[str, ...], words: Iterable[str], tmp_path: Path
) -> None:
    ended = referee("bot", "new", *arguments, cwd=tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert all(each in ended.message for each in words)
    assert list(tmp_path.iterdir()) == []


def test_help_says_what_each_kit_needs() -> None:
    shown = " ".join(re.sub(r"[│╭╰─╮╯]", " ", referee("bot", "new", "--help").out).split())
    for name, kit in KITS.items():
        assert f"{name}: {kit.tools[0].source}" in shown


def test_other_names_of_a_language() -> None:
    for alias, language in ALIASES.items():
        assert kit_files("tao", alias.upper()) == kit_files("tao", language)


def test_a_tool_that_is_missing_is_named_with_where_it_comes_from(tmp_path: Path) -> None:
    ended = referee("bot", "new", "tao", "--language", "java", cwd=tmp_path, PATH=str(tmp_path))
    assert ended.status == 0
    assert "needs javac, which is not installed here: a JDK for Java 17 or newer: https://" in ended.message
    assert (tmp_path / "tao/bot.toml").exists()


def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = referee("bot", "new", "tao", "-l", "python", "--folder", "file/tao", cwd=tmp_path)
    assert (ended.status, ended.out) == (1, "")
    assert "can't write file/tao: Not a directory" in ended.message


@pytest.mark.parametrize("present", [True, False])
def test_after_an_error_the_folder_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, present: bool
) -> None:
    write = Path.write_bytes

    def full_disk(path: Path, data: bytes) -> int:
        if path.name == "wire.py":
            raise OSError(28, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    if present:
        (tmp_path / "tao/.git").mkdir(parents=True)
    with pytest.raises(OSError, match="No space left on device"):
        write_kit(kit_files("tao", "python"), tmp_path / "tao")
    assert [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path.rglob("*"))] == (
        ["tao", "tao/.git"] if present else []
    )
