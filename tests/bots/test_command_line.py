"""A command that can't start a bot is refused with the cause and with what to write instead."""

import os
import re
from pathlib import Path

import pytest

from referee.bots.bot_spec import BotSpecError, check_build_program, check_program, parse_bots
from referee.bots.languages import SUFFIXES, language_of

ELF = b"\x7fELF\x02\x01\x01\0"


def refusal(*texts: str) -> str:
    """Why these BOTs can't play."""
    with pytest.raises(BotSpecError) as caught:
        check(*texts)
    return str(caught.value)


def check(*texts: str) -> None:
    """Check these BOTs as a match does. Raises BotSpecError."""
    for bot in parse_bots(list(texts)):
        check_program(bot)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a few files."""
    monkeypatch.chdir(tmp_path)
    for name in ("bot.py", "bot.js", "bot.c", "notes.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "first").write_bytes(ELF)
    return tmp_path


QUOTES = "put its whole command in quotes, as in "
MISTAKES = {
    "no quotes": (["python3", "bot.py", "builtin:first"], f'python3 alone is not a bot: {QUOTES}"python3 bot.py"'),
    "no quotes, named": (["a=python3", "bot.py"], f'a=python3 alone is not a bot: {QUOTES}a="python3 bot.py"'),
    "an interpreter before another BOT": (["sh", "builtin:first"], f'sh alone is not a bot: {QUOTES}"sh …"'),
    "nothing but the interpreter": (["builtin:first", "ruby"], f'ruby alone is not a bot: {QUOTES}"ruby …"'),
    "no quotes after a variable": (
        ["X=1", "python3", "bot.py"],
        f'python3 alone is not a bot: {QUOTES}"env X=1 python3 bot.py"',
    ),
    "a variable": (
        ["X=1 python3 bot.py"],
        'X=… before a BOT is its name: to set a variable, write "env X=1 python3 bot.py"',
    ),
    "a path as a variable": (["PYTHONPATH=/lib python3 bot.py"], 'write "env PYTHONPATH=/lib python3 bot.py"'),
    "cd": (
        ["cd x && python3 bot.py"],
        "write \"sh -c 'cd x && python3 bot.py'\", or give that folder, with a bot.toml in it",
    ),
    "a pipe": (["python3 bot.py | tee log"], "| is shell syntax, and no shell runs this: write \"sh -c '"),
    "a redirection": (["python3 bot.py 2> log"], "2> is shell syntax, and no shell runs this"),
    "a home": (["~/bot.py --fast"], "program '~/bot.py' not found: no shell expands ~; write the whole path"),
    "a home among the arguments": (["python3 ~/bot.py"], "no shell expands ~ in ~/bot.py: write the whole path"),
    "a variable of a shell": (["python3 $HOME/bot.py"], "no shell expands $HOME in $HOME/bot.py: write its value"),
    "a variable in the program": (
        ["${HOME}/bot x"],
        "program '${HOME}/bot' not found: no shell expands ${HOME}; write",
    ),
    "a variable in quotes": (['python3 "$HOME/bot.py"'], "file '$HOME/bot.py' not found in "),
    "what to do about a variable in quotes": (
        ['python3 "$HOME/bot.py"'],
        ": no shell expands $HOME; write the whole path",
    ),
    "a wrong placeholder": (["{pyton} bot.py"], "unknown placeholder {pyton}; available: {python}, {kits}"),
    "a wrong placeholder in a path": (
        ["python3 {kit}/bot.py"],
        "unknown placeholder {kit}; available: {python}, {kits}",
    ),
    "backslashes": ([".\\build\\bot.exe -x"], r"the backslashes of .\build\bot.exe are lost, as in a shell, when the"),
    "backslashes, what to write": (["python3 src\\bot.py"], "write src/bot.py"),
    "a script by its name": (["bot.py"], "not a program on PATH: write python3 bot.py"),
    "a script that is not executable": (["./bot.py"], "allow it with chmod +x ./bot.py, or write python3 ./bot.py"),
    "a program that is not executable": (["./first"], "./first is not executable: allow it with chmod +x ./first"),
    "a file that is no script": (["./notes.txt"], "./notes.txt is not a program, nor a script with a #! line: write"),
    "a file that is no script, by its name": (["notes.txt"], "notes.txt is not a program, nor a script with a #!"),
    "nothing after a name": (["mine="], "mine=: write a BOT after the name, a folder or a command"),
    "nothing of that name": (["missing"], "missing: no such folder"),
    "another case of a person": (["human@Web"], "no such folder or program; did you mean 'human@web'?"),
    "another case of a port": (["TCP:9000"], "no such folder or program; did you mean 'tcp:9000'?"),
    "a built-in player by its name": (["mine=Random"], "no such folder or program; did you mean 'builtin:random'?"),
    "an unknown built-in player": (["builtin:unknown"], "'builtin:unknown'; available: builtin:random, builtin:first"),
    "nearly a built-in player": (["builtin:Rand"], "'builtin:Rand'; did you mean 'builtin:random'?"),
    "a file of a folder": (["missing/bot.toml"], "there is no folder missing"),
    "no such program": (["none --fast"], "program 'none' not found: is it installed, and is it executable?"),
    "a device": (["/dev/null"], "/dev/null is a pipe or device: write the name of a program"),
    "no such script": (["python3 missing.py"], "missing: file 'missing.py' not found in "),
    "nothing": ([""], "a BOT is empty; give a folder, a command in quotes, or builtin:random"),
    "half a quote": (["python3 'half a quote"], "can't be split into words: "),
    "not compiled": (["./bot --fast"], "program './bot' not found: compile bot.c first, as with cc -O2 -o bot bot.c"),
}


@pytest.mark.parametrize(("texts", "words"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.usefixtures("folder")
def test_a_mistake_in_a_command_line(texts: list[str], words: str) -> None:
    assert words in refusal(*texts)


SOURCES = {
    "ten/first.c": 'as with cc -O2 -o ten/first ten/first.c, and write "ten/first"',
    "segv.c": 'as with cc -O2 -o segv segv.c, and write "./segv"',
    "./segv.cpp": 'as with c++ -O2 -o segv segv.cpp, and write "./segv"',
    "first.rs": 'as with rustc -O -o first first.rs, and write "./first"',
    "first.go": 'as with go build -o first first.go, and write "./first"',
    "First.java": 'as with javac First.java, and write "java -cp . First"',
    "Bot.cs": 'as with dotnet build, and write "dotnet Bot.dll"',
    "ten/First.class": 'ten/First.class is not a program by itself: write "java -cp ten First"',
    "bot.jar": 'bot.jar is not a program by itself: write "java -jar bot.jar"',
}


@pytest.mark.parametrize("mode", [0o644, 0o755])
@pytest.mark.parametrize(("file", "words"), SOURCES.items(), ids=SOURCES)
def test_a_file_that_must_be_compiled_is_not_a_program(file: str, words: str, mode: int, folder: Path) -> None:
    (folder / "ten").mkdir()
    (folder / file).write_text("int main;\n")
    (folder / file).chmod(mode)
    assert words in refusal(file)


def test_source_code_as_the_command_of_a_folder(folder: Path) -> None:
    (folder / "bot.toml").write_text('command = "bot.c"')
    assert refusal(".").endswith(
        'bot.c is source code: write build = "cc -O2 -o bot bot.c" and command = "./bot" in bot.toml'
    )


@pytest.mark.usefixtures("folder")
def test_java_without_its_source() -> None:
    assert "file 'First.java' not found in " in refusal("java First.java")
    assert refusal("first.py").endswith("first.py: no such folder or program"), "and nothing like builtin:first"


@pytest.mark.parametrize(
    "text",
    [
        "env X=1 python3 bot.py",
        "sh -c 'python3 bot.py | tee log'",
        "python3 bot.py --eq=1",
        "x.y+z-1=python3 bot.py",
        r"python3 bot.py my\ book \$x '~/x' 'a\b.txt' \d+",
        "python3 -c 'print(1);' \"|\" '&&' a\\'s",
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_the_messages_propose_is_accepted(text: str) -> None:
    check(text)


@pytest.mark.usefixtures("folder")
def test_a_file_of_the_name_of_an_interpreter_is_a_bot(folder: Path) -> None:
    (folder / "node").mkdir()
    (folder / "node" / "bot.toml").write_text('command = "python3 ../bot.py"')
    assert parse_bots(["node"])[0].name == "node"


def test_a_program_of_a_folder_that_was_not_compiled(folder: Path) -> None:
    (folder / "bot.toml").write_text('command = "./bot"')
    assert refusal(".").endswith(
        "program './bot' not found: have bot.c compiled, as with build = \"cc -O2 -o bot bot.c\" in bot.toml"
    )
    (folder / "bot.toml").write_text('command = "bin/engine"')
    (folder / "bot.c").rename(folder / "engine.rs")
    assert refusal(".").endswith('as with build = "rustc -O -o bin/engine engine.rs" in bot.toml')
    (folder / "engine.rs").rename(folder / "engine.go")
    assert refusal(".").endswith('have engine.go compiled, as with build = "go build -o bin/engine" in bot.toml')
    (folder / "engine.go").unlink()
    assert refusal(".").endswith('if it must be compiled, write how: build = "…" in bot.toml')
    (folder / "Makefile").touch()
    assert refusal(".").endswith('if it must be compiled, write how: build = "make" in bot.toml')
    (folder / "bot.toml").write_text('command = "./bot"\nbuild = "cc bot.c"')
    assert refusal(".").endswith("the build command (cc bot.c) has not created it")
    (folder / "bot.toml").write_text(r'command = ".\\bot.exe"')
    assert refusal(".").endswith(
        r"the backslashes of .\bot.exe are lost, as in a shell, when the command is split: write ./bot.exe"
    )
    (folder / "bot.toml").write_text('command = "X=1 ./bot"')
    assert refusal(".").endswith('X=1 is not a program: to set a variable, write "env X=1 ./bot"')
    (folder / "bot.toml").write_text('command = "python3 bot.py"\nbuild = "cmake . && make"')
    assert "&& is shell syntax, and no shell runs this: write \"sh -c 'cmake . && make'\"" in refusal(".")


SCRIPTS = {
    "a Windows line end": (
        b"#!/usr/bin/env python3\r\nx = 1\r\n",
        r"the #! line of ./run.py ends with a Windows line end (CR LF), so the system looks for a program 'python3\r': "
        r"convert it with sed -i 's/\r$//' run.py",
    ),
    "a byte order mark": (b"\xef\xbb\xbf#!/usr/bin/env python3\n", "begins with a byte order mark"),
    "no #! line": (b"import json\n", "has no #! line: begin it with #!/usr/bin/env python3, or write python3 ./run.py"),
    "no such interpreter": (b"#!/usr/bin/no-python\n", "names /usr/bin/no-python, which isn't there"),
}


@pytest.mark.parametrize(("content", "words"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_script_that_the_system_can_not_start(content: bytes, words: str, folder: Path) -> None:
    script = folder / "run.py"
    script.write_bytes(content)
    script.chmod(0o755)
    assert words in refusal("./run.py")


def test_a_script_with_windows_line_ends_is_named_as_seen_from_the_current_folder(folder: Path) -> None:
    (folder / "winbot").mkdir()
    script = folder / "winbot" / "run.sh"
    script.write_bytes(b"#!/bin/sh\r\n\r\nexec python3 bot.py\r\n")
    script.chmod(0o755)
    for command in ("./run.sh", "bash run.sh"):
        (folder / "winbot" / "bot.toml").write_text(f'command = "{command}"')
        assert refusal("winbot").endswith(rf"convert it in {folder / 'winbot'} with sed -i 's/\r$//' run.sh")
    assert "winbot/run.sh has Windows line ends (CR LF), which bash takes" in refusal("bash winbot/run.sh")
    script.write_bytes(b"#!/bin/sh\n# a comment\r\nexec python3 bot.py\n")
    check("bash winbot/run.sh")


@pytest.mark.parametrize("content", [b"#!/usr/bin/env python3\n", b"#! /bin/sh\n", ELF])
def test_a_program_that_the_system_can_start(content: bytes, folder: Path) -> None:
    script = folder / "run.py"
    script.write_bytes(content)
    script.chmod(0o755)
    check("./run.py")


def test_a_byte_order_mark_in_a_bot_toml_is_accepted(folder: Path) -> None:
    (folder / "bot.toml").write_bytes(b'\xef\xbb\xbfname = "windows"\r\ncommand = "python3 bot.py"\r\n')
    assert parse_bots(["."])[0].name == "windows"


LANGUAGE_OF = {
    "C": ("./bot", {"bot.c": ""}),
    "C++": ("./build/bot", {"src/bot.cpp": "", "notes.md": ""}),
    "Python": ("./run", {"run": "#!/usr/bin/env python3\n"}),
    "Java": ("java -cp classes Main", {}),
    "JavaScript": ("node --use-strict bot.mjs", {}),
    "Rust": ("./target/release/bot", {"src/main.rs": "", "Cargo.toml": ""}),
    "Go": ("./bot", {"bot.go": ""}),
    "C#": ("dotnet bot.dll", {}),
    "Ruby": ("sh -c 'ruby bot.rb'", {}),
    "Perl": ("perl bot.pl", {}),
    "PHP": ("php -n bot.php", {}),
    "Lua": ("lua5.4 bot.lua", {}),
    "R": ("Rscript bot.R", {}),
    "Swift": ("./bot", {"bot.swift": ""}),
    "Kotlin": ("kotlin bot.main.kts", {}),
}


@pytest.mark.parametrize("name", sorted({language.name for language in SUFFIXES.values()}))
def test_the_language_is_guessed_from_command_and_files(name: str, tmp_path: Path) -> None:
    command, files = LANGUAGE_OF[name]
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(content)
        (tmp_path / path).chmod(0o755)
    (tmp_path / "bot.toml").write_text(f'command = "{command}"')
    [bot] = parse_bots([str(tmp_path)])
    found = language_of(bot.argv, bot.folder)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("bot.pl", "perl ./bot.pl"),
        ("bot.php", "php ./bot.php"),
        ("bot.lua", "lua ./bot.lua"),
        ("bot.R", "Rscript ./bot.R"),
        ("bot.main.kts", "kotlin ./bot.main.kts"),
        ("bot.sh", "sh ./bot.sh"),
        ("bot", "as in perl ./bot"),
    ],
)
def test_a_script_that_sh_would_run_is_refused_with_the_right_command(name: str, right: str, folder: Path) -> None:
    (folder / name).write_text("use strict;\nmy $x = foo(bar\n")
    (folder / name).chmod(0o755)
    [bot] = parse_bots([f"./{name}"])
    with pytest.raises(BotSpecError, match=f"{re.escape(right)}$"):
        check_program(bot)


def test_a_program_for_mono_is_refused_with_the_right_command(folder: Path) -> None:
    (folder / "bot.exe").write_bytes(b"MZ\x90\0\x03\0")
    (folder / "bot.exe").chmod(0o755)
    [bot] = parse_bots(["./bot.exe"])
    with pytest.raises(BotSpecError, match=r"write mono \./bot\.exe$"):
        check_program(bot)


def test_a_bot_run_by_an_interpreter_has_the_name_of_its_script(folder: Path) -> None:
    for name in ("first.R", "first.main.kts", "first.cjs", "first.jl"):
        (folder / name).touch()
        [bot] = parse_bots([f"interpreter {name}"])
        assert bot.name == Path(name).stem


def test_a_missing_program_of_a_build_is_named_before_anything_is_built(folder: Path) -> None:
    (folder / "bot.toml").write_text('command = "./bin/bot"\nbuild = "no-compiler -o bin"')
    [bot] = parse_bots(["."])
    with pytest.raises(
        BotSpecError, match=r"'no-compiler' of its build command \(no-compiler -o bin\) not found in PATH"
    ):
        check_build_program(bot)


BLANKS = {
    "python3 my bots/bot.py --fast": "python3 'my bots/bot.py' --fast",
    "my bots/bot.py": "'my bots/bot.py'",
    "./my bots/bot.py": "'./my bots/bot.py'",
}


@pytest.mark.parametrize(("command", "right"), BLANKS.items(), ids=BLANKS)
def test_a_blank_in_a_path_is_named_with_the_quotes_that_it_needs(command: str, right: str, folder: Path) -> None:
    (folder / "my bots").mkdir()
    (folder / "my bots/bot.py").write_text("#!/usr/bin/env python3\n")
    (folder / "my bots/bot.py").chmod(0o755)
    [bot] = parse_bots([command])
    with pytest.raises(BotSpecError, match=f'has a blank in its name.*: write "{re.escape(right)}"$'):
        check_program(bot)
    check_program(parse_bots([right])[0])


def test_a_path_with_a_blank_that_a_shell_has_split_is_named_in_quotes(folder: Path) -> None:
    (folder / "my bots").mkdir()
    (folder / "my bots/bot.py").touch()
    for texts, right in (
        (["my", "bots", "builtin:first"], "my bots"),
        (["a=my", "bots"], "a=my bots"),
        (["my", "bots/bot.py"], "'my bots/bot.py'"),
    ):
        with pytest.raises(BotSpecError, match=f'put it in quotes, as in "{right}"$'):
            parse_bots(texts)
    with pytest.raises(BotSpecError, match=r"as in \"python3 'my bots/bot\.py'\"$"):
        parse_bots(["python3", "my bots/bot.py"])


def test_the_language_is_guessed_from_the_build_command(tmp_path: Path) -> None:
    for build, name in (("g++ -O3 main.x", "C++"), ("gcc-12 main.x", "C"), ("cargo build", "Rust"), ("make", None)):
        found = language_of(["./main"], tmp_path, build.split())
        assert (found and found.name) == name
    os.mkfifo(tmp_path / "main")
    assert language_of(["./main"], tmp_path) is None
