"""Explains why a command can't start a bot, and what to write instead. The messages are not yet printable."""

import itertools
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from referee.bots.languages import (
    CPP,
    CSHARP,
    GO,
    JAVA,
    JAVASCRIPT,
    KOTLIN,
    LUA,
    PERL,
    PHP,
    PYTHON,
    RUBY,
    RUST,
    SWIFT,
    C,
    Language,
    R,
    is_interpreter,
    language_of_file,
    sources,
)
from referee.files import START_BYTES, find_program, is_folder, is_special, is_there, read_file, read_start

SHELL_WORDS: Final = ("&&", "||", "|", ";", "&", ">", ">>", "<", "2>", "2>&1", "&>")
SHELL_COMMANDS: Final = ("cd", "export", "source", ".", "set", "ulimit")
"""Shell commands that are not programs."""
PYTHON_PLACEHOLDER: Final = "{python}"
"""In a command, the Python that runs the referee, so that a bot can import the package `referee` as a simulator."""
KITS_PLACEHOLDER: Final = "{kits}"
"""In a command, the folder with the files of the starter kits, so that a bot can be built with those of a language."""
UNEXPANDED: Final = re.compile(r"^~(?=/|$)|(?<!\\)\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})")
"""What a shell replaces in a word."""
UNKNOWN_PLACEHOLDER: Final = re.compile(r"\{\w+\}")
ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][\w.+-]*")
SCRIPT_RUNNERS: Final = {
    PYTHON.name: "python3",
    JAVASCRIPT.name: "node",
    RUBY.name: "ruby",
    PERL.name: "perl",
    PHP.name: "php",
    LUA.name: "lua",
    R.name: "Rscript",
}
"""The program that runs a script, by its language."""
OTHER_RUNNERS: Final = {".kts": "kotlin", ".exe": "mono", ".sh": "sh"}
"""The program that runs a file, by its suffix, where the language doesn't say it."""
BUILD_COMMANDS: Final = {
    C.name: "cc -O2 -o {program} {source}",
    CPP.name: "c++ -O2 -o {program} {source}",
    GO.name: "go build -o {program}",
    RUST.name: "cargo build --release",
    SWIFT.name: "swiftc -O -o {program} {source}",
}
"""How a program is commonly compiled, by its language."""
BUILD_FILES: Final = {"CMakeLists.txt": "sh -c 'cmake -B build && cmake --build build'", "Makefile": "make"}
"""How a folder with such a file is commonly built."""
PROGRAM_STARTS: Final = (b"#!", b"\x7fELF", b"\xcf\xfa\xed\xfe")
"""How scripts begin, and compiled programs of Linux and macOS."""
SHELL: Final = re.compile(r"(ba|da|z|k)?sh")
MAX_BLANKS: Final = 4
"""Blanks in a path that are searched for, as each word more takes further looks at the disk."""
MAX_SCRIPT: Final = 4096
"""Bytes of a script that are searched for its first line that is not a comment."""
NOT_FOUND: Final = "is it installed, and is it executable?"
Explained = tuple[str, str]
"""Why a program can't be run, and what to do."""


def blank_in_path(words: Sequence[str], folder: Path) -> Explained | None:
    """An error if several of these words are together the path of a file or folder, or else None."""
    for first, last in itertools.combinations(range(len(words)), 2):
        path = " ".join(words[first : last + 1])
        if last - first <= MAX_BLANKS and is_there(folder / path):
            whole = shlex.join([*words[:first], path, *words[last + 1 :]])
            return f"{path} has a blank in its name, where a command is split", f'write "{whole}"'
    return None


def unquoted_command(texts: Sequence[str]) -> str | None:
    """An error if one of these BOTs is only the first word of a command, or of a path with blanks, or else None."""
    for text, following in itertools.pairwise(texts):
        name, equals, first = text.rpartition("=")
        path = f"{first} {following}"
        if not is_there(Path(text)) and is_there(Path(path)):
            bot = path if is_folder(Path(path)) else shlex.quote(path)  # a command is split into words, a folder isn't
            return f'{path} has a blank in its name: put it in quotes, as in "{name}{equals}{bot}"'
    for number, text in enumerate(texts):
        name, equals, program = text.rpartition("=")
        if not is_interpreter(program) or re.search(r"\s", text) or is_there(Path(text)):
            continue
        arguments = [text for text in texts[number + 1 : number + 2] if is_there(Path(text))]
        before = texts[number - 1 : number] if number and ASSIGNMENT.fullmatch(texts[number - 1]) else []
        command = shlex.join([*(["env", *before] if before else []), program, *arguments])
        command += "" if arguments else " …"
        return f'{text} alone is not a bot: put its whole command in quotes, as in {name}{equals}"{command}"'
    return None


def shell_syntax(command: str, words: Sequence[str]) -> str | None:
    """An error if only a shell can run this command, or else None."""
    shell = f'write "sh -c {shlex.quote(command)}"'
    lexer = shlex.shlex(command, posix=False)  # which leaves quotes, so that quoted text isn't taken for something else
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        typed = list(lexer)
    except ValueError:  # quotes that only a shell understands
        typed = []
    word = next((word for word in typed if word in SHELL_WORDS), None)
    if words[0] in SHELL_COMMANDS:
        folder = ", or give that folder, with a bot.toml in it: its command runs there" if words[0] == "cd" else ""
        return f"{words[0]} is a shell command, and no shell runs this: {shell}{folder}"
    if word is not None:
        return f"{word} is shell syntax, and no shell runs this: {shell}"
    windows = next((word for number, word in enumerate(typed) if is_windows_path(word, is_first=not number)), None)
    if windows is not None:
        slashes = windows.replace("\\", "/")
        return f"the backslashes of {windows} are lost, as in a shell, when the command is split: write {slashes}"
    for word in typed[1:]:
        if not {'"', "'"} & {*word} and (found := UNEXPANDED.search(word)) is not None:
            return (
                f"no shell expands {found[0]} in {word}: write {'the whole path' if found[0] == '~' else 'its value'}"
            )
    if ASSIGNMENT.fullmatch(words[0]) and len(words) > 1:
        return f'{words[0]} is not a program: to set a variable, write "env {command}"'
    return None


def is_windows_path(typed: str, *, is_first: bool) -> bool:
    """Whether a word of a command, as typed, has unquoted backslashes between the parts of a path."""
    if typed[:1] in ("'", '"') or re.search(r"\\\w", typed) is None:
        return False
    return is_first or re.search(r"\.\w{1,5}$", typed) is not None


def variable_instead_of_name(text: str) -> bool:
    """Whether the apparent NAME= before a BOT is a variable before a command, as in `X=1 python3 bot.py`."""
    if not ASSIGNMENT.match(text):
        return False
    try:
        _, value, *rest = re.split(r"=|\s+", text, maxsplit=2)
        program = next(word for word in shlex.split(" ".join(rest)) if not ASSIGNMENT.fullmatch(word))
    except (ValueError, StopIteration):
        return False
    is_bot = find_program(value, Path()) is not None or os.path.isfile(value)  # noqa: PTH113 (never raises)
    return not is_bot and find_program(program, Path()) is not None


def split_name(text: str, prefixes: tuple[str, ...]) -> tuple[str, str] | None:
    """The name and the rest of NAME=BOT; None if the text has no name before it.

    A name with blanks or signs is one only where a BOT follows and no command begins with it, as in `env X=1 ./bot`.
    `prefixes` begin a BOT that is neither a folder nor a command.
    """
    name, equals, bot = text.partition("=")
    if not equals or is_there(Path(text)):
        return None
    if PLAIN_NAME.fullmatch(name):
        return name, bot
    if not name.strip() or find_program(name.split()[0], Path()) is not None:
        return None
    follows = bot.startswith(prefixes) or is_there(Path(bot))
    return (name, bot) if follows or find_program([*bot.split(), ""][0], Path()) is not None else None


def never_replaced(word: str) -> str | None:
    """What to do about a word of a command that is not a file, if it has something that looks as if it were replaced;
    None if it has not."""
    if (found := UNEXPANDED.search(word)) is not None:
        return f"no shell expands {found[0]}; write the whole path"
    if (found := UNKNOWN_PLACEHOLDER.match(word)) is not None:
        return f"unknown placeholder {found[0]}; available: {PYTHON_PLACEHOLDER}, {KITS_PLACEHOLDER}"
    return None


def missing_program(program: str, folder: Path, build: Sequence[str], *, from_command_line: bool) -> Explained:
    """An error for a program that was not found."""
    place, missing = folder / program, f"program {program!r} not found"
    if (unchanged := never_replaced(program)) is not None:
        return missing, unchanged
    if is_folder(place) or is_special(place):
        return f"{program} is a {'folder' if is_folder(place) else 'pipe or device'}", "write the name of a program"
    runner = script_runner(place)
    if is_there(place):
        compiled = not_a_program(program, from_command_line=from_command_line)
        if compiled is not None:
            return compiled
        if runner is None and not read_start(place).startswith(PROGRAM_STARTS):
            return f"{program} is not a program, nor a script with a #! line", "write the name of one"
        run = "" if runner is None else f"{runner} {program}"
        if "/" not in program:
            here = f"{program} is a file in {folder}, not a program on PATH"
            return here, f"write {run or './' + program}"
        or_run = f", or write {run}" if run else ""
        return f"{program} is not executable", f"allow it with chmod +x {shlex.quote(program)}{or_run}"
    if build:
        return f"{missing} in {folder}", f"the build command ({shlex.join(build)}) has not created it"
    if "/" in program or from_command_line:
        for source in sources(program, folder, all_files=not from_command_line):
            command = compile_command(program, source.relative_to(folder))
            if command is not None and from_command_line:
                return missing, f"compile {source.name} first, as with {command}"
            if command is not None:
                return missing, f'have {source.name} compiled, as with build = "{command}" in bot.toml'
    if "/" in program and not from_command_line:
        made = next((command for name, command in BUILD_FILES.items() if is_there(folder / name)), "…")
        return f"{missing} in {folder}", f'if it must be compiled, write how: build = "{made}" in bot.toml'
    return missing, NOT_FOUND


def not_a_program(file: str, *, from_command_line: bool) -> Explained | None:
    """How to run a file that is source code, or is run by another program; None if it is neither."""
    path = Path(file)
    language = language_of_file(path)
    if language is None or script_runner(path) is not None:
        return None
    run = run_command(path, language)
    if path.suffix in (".class", ".jar", ".dll"):
        return f"{file} is not a program by itself", f'write "{run}"'
    match language.name:
        case JAVA.name:
            compiler = f"javac {shlex.quote(file)}"
        case CSHARP.name:
            compiler = "dotnet build"
        case KOTLIN.name:
            compiler = f"kotlinc {shlex.quote(file)} -include-runtime -d {shlex.quote(str(path.with_suffix('.jar')))}"
        case GO.name:
            compiler = f"go build -o {shlex.quote(str(path.with_suffix('')))} {shlex.quote(file)}"
        case _:
            compiler = str(compile_command(str(path.with_suffix("")), path))
    if from_command_line:
        return f"{file} is source code", f'compile it, as with {compiler}, and write "{run}"'
    return f"{file} is source code", f'write build = "{compiler}" and command = "{run}" in bot.toml'


def script_runner(path: Path) -> str | None:
    """The program that runs a script, by its name; None if it is not known to be a script."""
    language = language_of_file(path)
    return OTHER_RUNNERS.get(path.suffix, None if language is None else SCRIPT_RUNNERS.get(language.name))


def run_command(path: Path, language: Language) -> str:
    """How the program of a source file, or a compiled file that is not a program by itself, is commonly run."""
    if path.suffix == ".jar":
        return f"java -jar {shlex.quote(str(path))}"
    if language is JAVA:
        return f"java -cp {shlex.quote(str(path.parent))} {path.stem}"
    if language is KOTLIN:
        return f"java -jar {shlex.quote(str(path.with_suffix('.jar')))}"
    if language is CSHARP:
        return f"dotnet {shlex.quote(str(path.with_suffix('.dll')))}"
    program = path.with_suffix("")
    return shlex.quote(str(program) if program.is_absolute() or len(program.parts) > 1 else f"./{program}")


def compile_command(program: str, source: Path) -> str | None:
    """How a program is commonly compiled from this source; None if it is not in a compiled language."""
    language = language_of_file(source)
    command = None if language is None else BUILD_COMMANDS.get(language.name)
    if language is RUST and Path(program).parts[0] != "target":
        command = "rustc -O -o {program} {source}"
    if command is None:
        return None
    return command.format(program=shlex.quote(str(Path(program))), source=shlex.quote(str(source)))


def unusable_script(path: Path, word: str, folder: Path) -> Explained | None:
    """An error if the first line of a script that is run by itself, as `word` in `folder`, is invalid, or else None."""
    try:
        start = read_file(path, START_BYTES)
    except OSError:
        return None
    runner = script_runner(path)
    if start.startswith(b"\xef\xbb\xbf#!"):
        return f"{word} begins with a byte order mark, so the system doesn't see its #! line", "save it without one"
    if not start.startswith(b"#!"):
        if b"\0" not in start and (compiled := not_a_program(word, from_command_line=True)) is not None:
            return compiled
        if b"\0" in start:
            return (f"{word} is not a program of this system", f"write mono {word}") if runner == "mono" else None
        # The system runs such a file with sh, whose first error would be about a word in the middle of the script.
        if runner is not None:
            return f"{word} has no #! line", f"begin it with #!/usr/bin/env {runner}, or write {runner} {word}"
        return (
            f"{word} is a script without a #! line",
            "begin it with one, such as #!/usr/bin/env python3, or write the "
            f"program that runs it before its name, as in perl {word}",
        )
    line, end, _ = start[2:].partition(b"\n")
    words = line.decode(errors="replace").split()
    if end and line.endswith(b"\r") and words:
        return (
            f"the #! line of {word} ends with a Windows line end (CR LF), so the system looks for a program"
            f" {words[-1] + chr(13)!r}",
            unix_line_ends(word, folder),
        )
    if words and not is_there(folder / words[0]):
        return f"the #! line of {word} names {words[0]}, which isn't there", "install it, or name one that is"
    return None


def windows_script(program: str, word: str, folder: Path) -> Explained | None:
    """An error if a script that a shell runs as `word` has Windows line ends, or else None."""
    if SHELL.fullmatch(Path(program).name) is None:
        return None
    lines = read_start(folder / word, MAX_SCRIPT).split(b"\n")[:-1]
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith(b"#")), b"")
    if not first.endswith(b"\r"):
        return None
    problem = f"{word} has Windows line ends (CR LF), which {program} takes for a part of its commands"
    return problem, unix_line_ends(word, folder)


def unix_line_ends(word: str, folder: Path) -> str:
    """How to convert a script of the bot in this folder."""
    where = "" if folder.resolve() == Path.cwd() else f" in {folder}"
    return f"convert it{where} with sed -i 's/\\r$//' {shlex.quote(str(Path(word)))}"
