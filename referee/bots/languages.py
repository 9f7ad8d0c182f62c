"""Guesses the programming language of a bot from its command and files, for the advice in messages."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.files import find_program, script_words

MAX_SEARCHED_FILES: Final = 200
"""Maximum number of files examined in a bot's folder."""


class Language(Struct, frozen=True, kw_only=True):
    """A language, and how its programs do what the protocol requires."""

    name: str
    flush: str
    """Writes what standard output has buffered."""
    read_line: str
    """Reads standard input a line at a time."""
    log: str
    """Writes to standard error."""
    empty_line: str | None = None
    """Where empty lines come from that nobody wrote; None: from nothing special to the language."""


C: Final = Language(name="C", flush="fflush(stdout)", read_line="fgets or getline", log="fprintf(stderr, …)")
CPP: Final = Language(
    name="C++", flush="std::cout << std::flush", read_line="std::getline(std::cin, line)", log="std::cerr << …"
)
PYTHON: Final = Language(
    name="Python", flush="print(…, flush=True)", read_line="for line in sys.stdin", log="print(…, file=sys.stderr)"
)
JAVA: Final = Language(
    name="Java", flush="System.out.flush()", read_line="BufferedReader.readLine()", log="System.err.println(…)"
)
JAVASCRIPT: Final = Language(
    name="JavaScript",
    flush="console.log(…) does it",
    read_line='readline.createInterface({ input: process.stdin }).on("line", …)',
    log="console.error(…)",
)
RUST: Final = Language(
    name="Rust", flush="std::io::stdout().flush()", read_line="std::io::stdin().lines()", log="eprintln!(…)"
)
GO: Final = Language(
    name="Go", flush="Flush() of the bufio.Writer", read_line="bufio.Scanner", log="fmt.Fprintln(os.Stderr, …)"
)
CSHARP: Final = Language(
    name="C#", flush="Console.Out.Flush()", read_line="Console.ReadLine()", log="Console.Error.WriteLine(…)"
)
RUBY: Final = Language(name="Ruby", flush="$stdout.sync = true", read_line="$stdin.gets", log="warn(…)")
PERL: Final = Language(name="Perl", flush="$| = 1", read_line="while (my $line = <STDIN>)", log="print STDERR …")
PHP: Final = Language(
    name="PHP",
    flush="fflush(STDOUT)",
    read_line="fgets(STDIN)",
    log="fwrite(STDERR, …)",
    empty_line="json_encode returns false for NAN and INF; warnings go to standard error with -d display_errors=stderr",
)
LUA: Final = Language(name="Lua", flush="io.stdout:flush()", read_line='io.read("l")', log="io.stderr:write(…)")
R: Final = Language(
    name="R",
    flush="flush(stdout())",
    read_line='readLines(con, n = 1) with con <- file("stdin", "r")',
    log="message(…)",
)
KOTLIN: Final = Language(name="Kotlin", flush="System.out.flush()", read_line="readLine()", log="System.err.println(…)")
SWIFT: Final = Language(
    name="Swift", flush="fflush(nil)", read_line="readLine()", log="FileHandle.standardError.write(…)"
)

INTERPRETERS: Final = (
    (re.compile(r"(python|pypy)[\d.]*"), PYTHON),
    (re.compile(r"node(js)?|deno|bun|npx|tsx|ts-node"), JAVASCRIPT),
    (re.compile(r"java"), JAVA),
    (re.compile(r"ruby[\d.]*"), RUBY),
    (re.compile(r"dotnet|mono"), CSHARP),
    (re.compile(r"go"), GO),
    (re.compile(r"cargo"), RUST),
    (re.compile(r"perl[\d.]*"), PERL),
    (re.compile(r"php[\d.]*"), PHP),
    (re.compile(r"lua(jit)?[\d.]*"), LUA),
    (re.compile(r"Rscript"), R),
    (re.compile(r"swift"), SWIFT),
    (re.compile(r"kotlin"), KOTLIN),
)
OTHER_INTERPRETERS: Final = re.compile(r"(ba|da|z|k)?sh|julia|racket|wine|env|uv")
COMPILERS: Final = (
    (re.compile(r"(\S*-)?(g\+\+|clang\+\+|c\+\+)(-[\d.]+)?"), CPP),
    (re.compile(r"(\S*-)?(gcc|clang|cc|tcc)(-[\d.]+)?"), C),
    (re.compile(r"cargo|rustc"), RUST),
    (re.compile(r"javac"), JAVA),
    (re.compile(r"kotlinc"), KOTLIN),
    (re.compile(r"swiftc?"), SWIFT),
    (re.compile(r"go"), GO),
    (re.compile(r"dotnet|csc|mcs"), CSHARP),
    (re.compile(r"tsc|npm|esbuild"), JAVASCRIPT),
)
SUFFIXES: Final = {
    ".py": PYTHON,
    ".js": JAVASCRIPT,
    ".mjs": JAVASCRIPT,
    ".cjs": JAVASCRIPT,
    ".ts": JAVASCRIPT,
    ".java": JAVA,
    ".jar": JAVA,
    ".class": JAVA,
    ".rb": RUBY,
    ".pl": PERL,
    ".php": PHP,
    ".lua": LUA,
    ".R": R,
    ".r": R,
    ".swift": SWIFT,
    ".kts": KOTLIN,
    ".kt": KOTLIN,
    ".rs": RUST,
    ".go": GO,
    ".cs": CSHARP,
    ".csproj": CSHARP,
    ".dll": CSHARP,
    ".cpp": CPP,
    ".cc": CPP,
    ".cxx": CPP,
    ".c": C,
}


def is_interpreter(word: str) -> bool:
    """Whether a word of a command is a program that runs another one, such as `python3`."""
    name = Path(word).name
    return any(pattern.fullmatch(name) for pattern in (OTHER_INTERPRETERS, *(known for known, _ in INTERPRETERS)))


def language_of_file(path: Path) -> Language | None:
    """The language of a source file or script, by its name; None if unknown."""
    return SUFFIXES.get(path.suffix)


def language_of(argv: Sequence[str], folder: Path, build: Sequence[str] = ()) -> Language | None:
    """The language of the bot that this command starts in `folder`, where `build` has built it; None if unknown."""
    return next(_guesses(argv, folder, build), None) if argv else None


def _guesses(argv: Sequence[str], folder: Path, build: Sequence[str]) -> Iterator[Language]:
    program = argv[0]
    yield from _by_name(program, INTERPRETERS)
    yield from _by_suffix(argv)
    found = find_program(program, folder)
    for word in () if found is None else script_words(found)[:2]:
        yield from _by_name(word, INTERPRETERS)
    for word in argv[1:]:
        yield from _by_name(word, INTERPRETERS)
    yield from _by_suffix(build)
    for word in build:
        yield from _by_name(word, COMPILERS)
    yield from _by_suffix(source.name for source in sources(program, folder, all_files=bool(build)))


def _by_name(word: str, known: Iterable[tuple[re.Pattern[str], Language]]) -> Iterator[Language]:
    name = Path(word).name
    return (language for pattern, language in known if pattern.fullmatch(name))


def _by_suffix(words: Iterable[str]) -> Iterator[Language]:
    return (SUFFIXES[suffix] for word in words if (suffix := Path(word).suffix) in SUFFIXES)


def sources(program: str, folder: Path, *, all_files: bool) -> Iterator[Path]:
    """The source files that a program may have been compiled from: those with its name, or all in `folder`."""
    stem = Path(program).stem.lower()
    if Path(program).parts[:1] == ("target",):  # where Cargo puts programs
        yield folder / "src" / "main.rs"
    for place in (folder, folder / "src"):
        try:
            with os.scandir(place) as entries:
                names = sorted(entry.name for entry in islice(entries, MAX_SEARCHED_FILES))
        except OSError:
            continue
        for name in names:
            path = place / name
            if path.suffix in SUFFIXES and (all_files or path.stem.lower() == stem):
                yield path
