"""Whatever a BOT or its bot.toml holds, it is a bot or is refused in words for people, in little time and memory."""

import shlex
import sys
from pathlib import Path

import pytest

from referee.bots.bot_spec import (
    BotSpecError,
    check_game,
    check_program,
    from_command,
    parse_bot,
    parse_bots,
)
from referee.games.forbidden_city import ForbiddenCity
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.toml import MAX_TOML


def refusal(toml: str, folder: Path) -> str:
    """Why a folder with this bot.toml can't play."""
    (folder / "bot.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(BotSpecError) as caught:
        check_program(parse_bot(str(folder)))
    return str(caught.value).replace(str(folder), "FOLDER")


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("x = " + "[" * 10_000, "FOLDER/bot.toml is not valid TOML: nested too deeply"),
        ("x = " + "{a=" * 5_000, "FOLDER/bot.toml is not valid TOML: nested too deeply"),
        ("x = " + "9" * 5_000, "FOLDER/bot.toml is not valid TOML: "),
        ("# " + "x" * MAX_TOML, f"FOLDER/bot.toml is too long: at most {MAX_TOML} characters are read"),
        ("a." * 1_000_000 + "a = 1", f"FOLDER/bot.toml is too long: at most {MAX_TOML} characters are read"),
        ("a." * 7_900 + "a = 1", "FOLDER/bot.toml is not valid here: a key in line 1 has more than 100 parts"),
        ('"\\u001b[2J\\n" = 1', "has an unknown field '\ufffd[2J\ufffd'; available: "),
        ('command = "x"\nlimits = {memory_mb = 9999999999}', "limits.memory_mb: expected a whole number <= 1073741824"),
        ('command = "x"\nlimits = {memory_mb = 0x' + "f" * 5000 + "}", "expected a whole number <= 1073741824"),
        ('command = "' + "x" * 9_000 + '"', "program 'xxx"),
        ('command = ["sh", "' + "x" * 300 + '.sh"]', "file 'xxx"),
        ('nmae = "x"\ncommand = "python3 bot.py"', "unknown field 'nmae'; did you mean 'name'?"),
        ('command = "x"\n[limits]\nmemory = 3', "limits has an unknown field 'memory'; did you mean 'memory_mb'?"),
        ('command = "x"\n[limits]\nmemory_mb = 0', "limits.memory_mb: expected a whole number >= 1"),
        ('command = "x"\nlimits = "none"', "limits: expected a table, got text"),
        ('name = "x"', 'it has no command; write how the bot is started, for example command = "python3 bot.py"'),
        ("command = 7", "command: expected text or a list, got a whole number"),
        ('command = ["python3", 3]', "command[1]: expected text, got a whole number"),
        ('name = 5\ncommand = "x"', "name: expected text, got a whole number"),
        ('command = ""', "the command in FOLDER/bot.toml is empty"),
        ('command = "x"\nshow = ["/etc"]', "unknown field 'show'; available: command, name, build, limits"),
        ("command = python3 bot.py", "not valid TOML: Invalid value: put text in quotes (at line 1, column 11)"),
        ("command = ['a', b]", "not valid TOML: Invalid value: put text in quotes (at line 1, column 17)"),
        ("x = 1s", "not valid TOML: Expected newline or end of document after a statement: put text in quotes (at"),
        ("x = True", "not valid TOML: Invalid value: write true and false in small letters (at line 1, column 5)"),
        ("x = = 1", "not valid TOML: Invalid value (at line 1, column 5)"),
        ("\ufeffname = 'a'\nname = 'b'", "FOLDER/bot.toml is not valid TOML: name is given twice (at end"),
        ("[limits]\n[limits] # again", "FOLDER/bot.toml is not valid TOML: [limits] is given twice (at line 2, column"),
        ('command = ["sh", "\\u0000.sh"]', "FOLDER/bot.toml: the name of a program or file can't contain a NUL byte"),
    ],
)
def test_a_wrong_bot_toml_is_refused_with_a_short_printable_message(toml: str, words: str, tmp_path: Path) -> None:
    message = refusal(toml, tmp_path)
    assert words in message
    assert message.isprintable()
    assert len(message) < 650


def test_a_bot_toml_may_be_as_long_as_it_says(tmp_path: Path) -> None:
    toml = 'command = "sh"\n# '
    (tmp_path / "bot.toml").write_text(toml + "x" * (MAX_TOML - len(toml)))
    assert parse_bot(str(tmp_path)).argv == ("sh",)


@pytest.mark.parametrize("words", ["x" * 300, "y " * 3_000], ids=["one long word", "many words"])
def test_a_command_in_quotes_may_be_longer_than_the_name_of_a_file(words: str) -> None:
    bot = parse_bot(f"mine=sh -c '{words}'")
    assert (bot.name, bot.argv) == ("mine", ("sh", "-c", words))
    check_program(bot)


@pytest.mark.parametrize("bot", ["x" * 300, "x/" * 3_000, "a=" * 300 + "b", "\0", "\0/bot.toml", "\ud800", "/" * 5_000])
def test_a_bot_that_can_not_be_a_file_is_refused(bot: str) -> None:
    with pytest.raises(BotSpecError) as caught:
        parse_bot(bot)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 650


def test_a_bot_in_a_folder_that_is_closed_to_us_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path) -> bool:
        raise PermissionError

    monkeypatch.setattr(Path, "exists", closed)
    with pytest.raises(BotSpecError, match="no such folder or program"):
        parse_bot("/root/bot")


def test_a_name_given_with_the_bot_is_as_short_as_any_other() -> None:
    assert parse_bot("x" * 5_000 + "=builtin:random").name == "x" * 60
    assert parse_bot("a\u3164\uffa0=builtin:random").name == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("name", ["Otter 2", "Otter (v3)", "-a", "Ötter, the 2nd"])
@pytest.mark.parametrize("bot", ["builtin:first", "sh -c 'exit 1'", ".", "tcp:9000"])
def test_a_name_before_a_bot_may_be_any_that_a_tournament_file_allows(
    name: str, bot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.toml").write_text('command = "sh"')
    assert parse_bot(f"{name}={bot}").name == name


@pytest.mark.parametrize("command", ["sh bot.sh --depth=3", "env X=1 sh bot.sh", "sh 2=builtin:first"])
def test_a_command_may_have_an_equals_sign(command: str) -> None:
    assert parse_bot(command).argv == tuple(shlex.split(command))


def test_a_bot_in_a_folder_with_an_unprintable_name_is_called_bot(tmp_path: Path) -> None:
    folder = tmp_path / "\x1b\x07"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = ""\ncommand = "sh"')
    assert parse_bot(str(folder)).name == "bot"


def test_bots_of_one_name_are_told_apart_by_their_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("v1", "v2", "a/bot", "b/bot"):
        Path(folder).mkdir(parents=True)
        (Path(folder) / "bot.toml").write_text('name = "mine"\ncommand = "python3 bot.py"')

    def names(*bots: str) -> list[str]:
        return [bot.name for bot in parse_bots([*bots])]

    assert names("v1", "v2", "builtin:random") == ["mine (v1)", "mine (v2)", "random"]
    assert names("a/bot", "b/bot", "a/bot") == ["mine (a/bot)", "mine (b/bot)", "mine (a/bot)#2"]
    assert names("v1", "other=v2") == ["mine", "other"]
    assert names("v1", "v1") == ["mine", "mine#2"]
    assert names("python3 v1/bot.py", "python3 v2/bot.py", "python3 bot.py") == [
        "bot (v1)",
        "bot (v2)",
        f"bot ({tmp_path.name})",
    ]
    assert names("mine=builtin:first", "v1") == ["mine", "mine#2"]


def test_python_in_braces_is_the_python_that_runs_the_referee(tmp_path: Path) -> None:
    (tmp_path / "bot.py").touch()
    (tmp_path / "bot.toml").write_text('command = "{python} -u bot.py"\nbuild = ["{python}", "{python}.py"]')
    bot = parse_bot(str(tmp_path))
    check_program(bot)
    assert bot.argv == (sys.executable, "-u", "bot.py")
    assert bot.build == (sys.executable, "{python}.py")
    assert parse_bot("{python} bot.py").argv == (sys.executable, "bot.py")


def test_a_command_names_the_files_of_the_kits_wherever_the_referee_is_installed(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = "build/bot"\nbuild = "make KIT={kits}/cpp"')
    make, kit = parse_bot(str(tmp_path)).build
    assert (make, (Path(kit.removeprefix("KIT=")) / "wire.hpp").is_file()) == ("make", True)


@pytest.mark.parametrize(
    ("games", "words"),
    [
        ('["ludo"]', "games: unknown game 'ludo'; available: year_of_the_dragon, forbidden_city"),
        ("[]", "games is empty; list what the bot plays, or leave it out"),
        ('"forbidden_city"', "games: expected a list, got text"),
    ],
)
def test_games_of_a_bot_toml_are_names_of_games(games: str, words: str, tmp_path: Path) -> None:
    assert words in refusal(f'command = "sh"\ngames = {games}', tmp_path)


def test_a_bot_says_which_games_it_plays(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "mine"\ncommand = "sh"\ngames = ["forbidden_city"]')
    bot = parse_bot(str(tmp_path))
    check_game(bot, ForbiddenCity)
    with pytest.raises(BotSpecError) as caught:
        check_game(bot, YearOfTheDragon)
    assert str(caught.value) == (
        "mine doesn't play In the Year of the Dragon (year_of_the_dragon): "
        'its bot.toml says games = ["forbidden_city"]'
    )


def test_a_person_plays_in_matches_only() -> None:
    assert [(bot.name, bot.is_person) for bot in parse_bots(["human", "ann=human", "human"])] == [
        ("human", True),
        ("ann", True),
        ("human#2", True),
    ]
    words = "human is a person at the terminal, who can only play in `referee match`"
    for text in ("human", "ann=human"):
        with pytest.raises(BotSpecError, match=words):
            parse_bot(text)
    with pytest.raises(BotSpecError, match=words):
        from_command("human")


def test_a_folder_that_is_called_human_is_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "human").mkdir()
    (tmp_path / "human" / "bot.toml").write_text('command = "sh"')
    monkeypatch.chdir(tmp_path)
    assert parse_bot("./human").argv == ("sh",)
    assert parse_bots(["human"])[0].is_person
