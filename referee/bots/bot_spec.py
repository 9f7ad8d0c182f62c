"""Parsing a BOT of the command line.

A BOT is a folder with a `bot.toml`, a command line, `name=` before either, `builtin:POLICY`, `tcp:PORT`, or a person:
`human` or `human@web`.
"""

import re
import shlex
import sys
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, field

from referee.bots.command_line import (
    KITS_PLACEHOLDER,
    NOT_FOUND,
    PYTHON_PLACEHOLDER,
    Explained,
    blank_in_path,
    missing_program,
    never_replaced,
    shell_syntax,
    split_name,
    unquoted_command,
    unusable_script,
    variable_instead_of_name,
    windows_script,
)
from referee.bots.policies import POLICIES
from referee.errors import RefereeError
from referee.files import find_program, is_there, read_file
from referee.games import Game, OptionError, find_game, game_names
from referee.given_paths import hint
from referee.near_misses import did_you_mean, nearest
from referee.printable import displayed_name, sanitise
from referee.processes.launch import Command
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits
from referee.processes.sandbox.visibility import KIT_TEMPLATES
from referee.toml import MAX_TOML, TomlError, parse_toml

BUILTIN: Final = "builtin:"
HUMAN: Final = "human"
"""A person at the terminal, as a BOT and as a policy."""
BROWSER: Final = f"{HUMAN}@web"
"""A person in a browser, likewise."""
TCP: Final = re.compile(r"tcp:(\d{1,5})", re.ASCII)
"""A bot that is started manually and connects to this port."""
MAX_PORT: Final = 65535
SCRIPT: Final = re.compile(r"\.(py|js|mjs|cjs|ts|rb|pl|lua|php|[Rr]|kts|jl|sh|jar|class|java|exe|dll)$")
NOT_BY_HAND: Final = "{}: a bot that is started manually can only play in `referee match`, not in a tournament"
ONLY_IN_MATCHES: Final = (
    f"{HUMAN} is a person at the terminal, who can only play in `referee match`"
    f" (give a folder as ./{HUMAN} if you mean one)"
)
NUL_BYTE: Final = "the name of a program or file can't contain a NUL byte"
QUOTED_PART: Final = re.compile(r"'([^']*)'")
TYPE_NAMES: Final = {"str": "text", "array": "a list", "int": "a whole number", "object": "a table"}
"""Names of msgspec's types for authors of a bot.toml."""
BOT_FILE: Final = "bot.toml"
MAX_BOT_FILE: Final = 4 * MAX_TOML + 1
MAX_ERROR: Final = 600


class BotSpecError(RefereeError):
    """A BOT can't play. The text says which, why, and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(sanitise(message, MAX_ERROR))  # it may quote a bot.toml, which is untrusted


class ProgramError(BotSpecError):
    """The program of a bot, or of its build, can't be run."""

    def __init__(self, bot: str, explained: Explained) -> None:
        self.problem, self.advice = (sanitise(text, MAX_ERROR) for text in explained)
        super().__init__(f"{bot}: {': '.join(explained)}")


class BotFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of a bot.toml."""

    command: str | list[str]
    name: str | None = None
    build: str | list[str] | None = None
    limits: ProcessLimits = DEFAULT
    games: list[str] | None = None


class BotSpec(Command, frozen=True, kw_only=True):
    """A bot as specified by a BOT: a program to start, a built-in policy, a port to which a program connects, or a
    person."""

    name: str
    policy: str | None = None
    port: int | None = None
    """The port to which the bot, started manually, connects; 0: any free port. It stays the same for all games."""
    place: Path = Path()
    """The folder as it was given, as an absolute path; links in it are not resolved."""
    build: tuple[str, ...] = ()
    limits: ProcessLimits = DEFAULT
    environment: dict[str, str] = field(default_factory=dict)
    """Environment variables of this bot, besides those of all bots."""
    requested: dict[str, int] = field(default_factory=dict)
    """The limits that its bot.toml requests."""
    games: tuple[str, ...] = ()
    """The names of the games that its bot.toml says it plays. Empty: it doesn't say."""

    @property
    def is_program(self) -> bool:
        return self.policy is None and self.port is None

    @property
    def is_person(self) -> bool:
        return self.policy in (HUMAN, BROWSER)


def parse_bots(texts: list[str], limits: ProcessLimits = DEFAULT) -> list[BotSpec]:
    """The bots of a match. Bots with the same name are told apart by their folders, or else numbered `#2`, `#3` …

    `limits` are the organiser's; a bot.toml may lower them. Raises BotSpecError.
    """
    unquoted = unquoted_command(texts)
    if unquoted is not None:
        raise BotSpecError(unquoted)
    bots: list[BotSpec] = []
    for bot in told_apart([parse_bot(text, persons=True) for text in texts]):
        taken = {other.name for other in bots}
        name, number = bot.name, 2
        while name in taken:
            name, number = f"{bot.name}#{number}", number + 1
        bots.append(msgspec.structs.replace(bot, name=name, limits=limits.lowered(bot.requested)))
    return bots


def told_apart(bots: list[BotSpec]) -> list[BotSpec]:
    """The bots, in which those with the same name but different folders have the names of these too."""
    folders: dict[str, set[Path]] = {}
    for bot in bots:
        if bot.is_program:
            folders.setdefault(bot.name, set()).add(own_folder(bot))
    names = [
        f"{bot.name} ({ending(own_folder(bot), folders[bot.name])})"
        if bot.is_program and len(folders[bot.name]) > 1
        else bot.name
        for bot in bots
    ]
    return [msgspec.structs.replace(bot, name=name_from(name)) for bot, name in zip(bots, names, strict=True)]


def own_folder(bot: BotSpec) -> Path:
    """The folder with a bot: that of its bot.toml, or that of the script or program in its command."""
    if not bot.from_command_line:
        return bot.folder
    script = next((word for word in bot.argv if SCRIPT.search(word)), bot.argv[0])
    return (bot.folder / script).resolve().parent if "/" in script else bot.folder


def ending(folder: Path, folders: set[Path]) -> str:
    """The shortest end of a path that no other one of these has."""
    ends = ["/".join(folder.parts[-number:]) for number in range(1, len(folder.parts))]
    others = [f"/{'/'.join(other.parts[1:])}" for other in folders - {folder}]
    return next((end for end in ends if not any(other.endswith(f"/{end}") for other in others)), str(folder))


def parse_bot(text: str, *, persons: bool = False) -> BotSpec:
    """The bot that a BOT specifies. Raises BotSpecError, also for a person unless `persons` may play."""
    named = split_name(text, (BUILTIN, "tcp:", HUMAN))
    if named is not None:
        name, bot = named
        if not bot.strip():
            raise BotSpecError(f"{text}: write a BOT after the name, a folder or a command")
        if variable_instead_of_name(text):
            raise BotSpecError(f'{name}=… before a BOT is its name: to set a variable, write "env {text}"')
        return msgspec.structs.replace(parse_bot(bot, persons=persons), name=name_from(name))
    if text in (HUMAN, BROWSER):
        if not persons:
            raise BotSpecError(ONLY_IN_MATCHES)
        return BotSpec(name=HUMAN, policy=text)
    if text.startswith(BUILTIN):
        policy = text.removeprefix(BUILTIN)
        if policy not in POLICIES:
            raise BotSpecError(f"unknown built-in player {text!r}{did_you_mean(policy, POLICIES, prefix=BUILTIN)}")
        return BotSpec(name=policy, policy=policy)
    if text.startswith("tcp:"):
        port = TCP.fullmatch(text)
        if port is None or int(port[1]) > MAX_PORT:
            raise BotSpecError(
                f"invalid port in {text}: write tcp:9000, a number up to {MAX_PORT}, or tcp:0 for any free port"
            )
        return BotSpec(name="tcp", port=int(port[1]))
    if not text.strip():
        raise BotSpecError("a BOT is empty; give a folder, a command in quotes, or builtin:random")
    if "\0" in text:
        raise BotSpecError(f"{text}: {NUL_BYTE}")
    path = Path(text)
    if is_there(path) and path.is_dir():
        return from_file(path / "bot.toml")
    if path.name == "bot.toml":
        return from_file(path)
    return from_command(text)


def read_bot_file(path: Path) -> str:
    """The text of a bot.toml. Raises BotSpecError."""
    try:
        return read_file(path, MAX_BOT_FILE).decode("utf-8-sig")  # Windows editors add a byte order mark
    except FileNotFoundError:
        if not is_there(path.parent):
            raise BotSpecError(f"there is no folder {path.parent}{hint(path.parent)}") from None
        write_one = '; write one with name = "…" and command = "…", or give a command instead of the folder'
        raise BotSpecError(f"{path.parent} has no bot.toml{hint(path.parent) or write_one}") from None
    except OSError as error:
        raise BotSpecError(f"can't read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BotSpecError(f"{path} is not valid TOML: {error}; save it as UTF-8") from None


def from_file(path: Path, text: str | None = None) -> BotSpec:
    """The bot that a bot.toml describes. `text`: what that file held when it was read before. Raises BotSpecError."""
    folder = path.parent
    try:
        table = parse_toml(read_bot_file(path) if text is None else text)
        bot = msgspec.convert(table, BotFile)
    except TomlError as error:
        raise BotSpecError(f"{path} is {error}") from None
    except msgspec.ValidationError as error:
        raise BotSpecError(f"{path}: {describe_error(error)}") from None
    place, folder = Path.cwd() / folder, folder.resolve()
    return BotSpec(
        name=name_from(bot.name, folder.name),
        place=place,
        argv=split(bot.command, f"the command in {path}"),
        folder=folder,
        build=() if bot.build is None else split(bot.build, f"the build command in {path}"),
        requested={name: getattr(bot.limits, name) for name in table.get("limits", ())},
        games=known_games(bot.games, path),
    )


def known_games(names: list[str] | None, path: Path) -> tuple[str, ...]:
    """The games that a bot.toml lists, each once; none if it doesn't say. Raises BotSpecError."""
    if names is None:
        return ()
    if not names:
        available = ", ".join(game_names())
        raise BotSpecError(f"{path}: games is empty; list what the bot plays, or leave it out (available: {available})")
    for name in names:
        try:
            find_game(name)
        except OptionError as error:
            raise BotSpecError(f"{path}: games: {error}") from None
    return tuple(dict.fromkeys(names))


def check_game(bot: BotSpec, game: type[Game]) -> None:
    """Check that a bot plays a game, if it says which ones it plays. Raises BotSpecError."""
    if bot.games and game.name not in bot.games:
        listed = ", ".join(f'"{name}"' for name in bot.games)
        raise BotSpecError(f"{bot.name} doesn't play {game.title} ({game.name}): its bot.toml says games = [{listed}]")


def describe_error(error: msgspec.ValidationError) -> str:
    problem, _, place = str(error).replace("`", "'").partition(" - at '$")
    key = place.strip("'.")
    if "unknown field" in problem:
        known = (ProcessLimits if key == "limits" else BotFile).__struct_fields__
        hint = did_you_mean(problem.split("'")[1], known)
        return f"{problem.replace('Object contains', (key or 'it') + ' has an')}{hint}"
    if "missing" in problem:
        return 'it has no command; write how the bot is started, for example command = "python3 bot.py"'
    kinds = QUOTED_PART.sub(
        lambda kind: " or ".join(TYPE_NAMES.get(name, name) for name in kind[1].split(" | ") if name != "null"), problem
    )
    return f"{key}: {kinds.replace('Expected', 'expected')}"


def from_command(text: str | list[str], folder: Path | None = None) -> BotSpec:
    """The bot that a command line starts, in that folder or the current one. Raises BotSpecError."""
    folder = folder or Path.cwd()
    argv = split(text, "the command")
    if TCP.fullmatch(argv[0]):
        raise BotSpecError(NOT_BY_HAND.format(argv[0]))
    if argv == (HUMAN,):
        raise BotSpecError(ONLY_IN_MATCHES)
    if find_program(argv[0], folder) is None:
        if len(argv) == 1 and not is_there(folder / argv[0]):
            reason = missing_program(argv[0], folder, (), from_command_line=True)
            not_found = f"no such folder or program{meant_bot(argv[0])}"
            raise BotSpecError(f"{text}: {not_found if reason[1] == NOT_FOUND else ': '.join(reason)}")
        if len(argv) == 1 and (more := hint(Path(argv[0]))):
            raise BotSpecError(f"{argv[0]} is not a bot{more}")
    script = next((word for word in argv if SCRIPT.search(word)), argv[0])
    return BotSpec(name=name_from(Path(script).stem), argv=argv, folder=folder, place=folder, from_command_line=True)


def meant_bot(word: str) -> str:
    """The end of an error about a BOT that is not there: the one that was probably meant; else nothing."""
    if "/" in word:
        return hint(Path(word))
    known = {path.name: str(path) for folder in ("bots", ".") for path in Path(folder).glob("*/")}
    known |= {
        HUMAN: HUMAN,
        BROWSER: BROWSER,
        "builtin": f"{BUILTIN}random",
        **({} if "." in word else {name: BUILTIN + name for name in POLICIES}),  # it is a file
    }
    if TCP.fullmatch(word.lower()):
        known[word] = word.lower()
    meant = nearest(word, known)
    return "" if meant is None else f"; did you mean {known[meant]!r}?"


def name_from(*texts: str | None) -> str:
    """The first of these texts that is visible when printed, or else "bot"."""
    return next((name for name in map(displayed_name, texts) if name is not None), "bot")


def split(command: str | list[str], where: str) -> tuple[str, ...]:
    """The words of a command, split by the quoting rules of a shell. `where` is for errors. Raises BotSpecError."""
    try:
        words = shlex.split(command) if isinstance(command, str) else command
        argv = tuple(
            sys.executable if word == PYTHON_PLACEHOLDER else word.replace(KITS_PLACEHOLDER, str(KIT_TEMPLATES))
            for word in words
        )
    except ValueError as error:
        raise BotSpecError(f"{where}: {command!r} can't be split into words: {error}") from None
    if not argv or not argv[0]:
        raise BotSpecError(f"{where} is empty")
    if any("\0" in word for word in argv):
        raise BotSpecError(f"{where}: {NUL_BYTE}")
    problem = shell_syntax(command, argv) if isinstance(command, str) else None
    if problem is not None:
        raise BotSpecError(f"{where}: {problem}")
    return argv


def check_build_program(bot: BotSpec) -> None:
    """Check that the program of a bot's build command is there. Raises ProgramError."""
    program = bot.build[0]
    if find_program(program, bot.folder) is None:
        runs = "its folder" if "/" in program else "PATH"
        problem = f"program {program!r} of its build command ({shlex.join(bot.build)}) not found in {runs}"
        raise ProgramError(bot.name, (problem, never_replaced(program) or NOT_FOUND))


def check_program(bot: BotSpec) -> None:
    """Check that the program of a bot can be run, and that the scripts in its command exist. Raises ProgramError."""
    if not bot.is_program:
        return
    program, *arguments = bot.argv
    found = find_program(program, bot.folder)
    if found is None:
        problem = blank_in_path(bot.argv, bot.folder) or missing_program(
            program, bot.folder, bot.build, from_command_line=bot.from_command_line
        )
        raise ProgramError(bot.name, problem)
    unusable = unusable_script(found, program, bot.folder)
    if unusable is not None:
        raise ProgramError(bot.name, unusable)
    for word in arguments:
        script = SCRIPT.search(word) and not word.startswith("-") and not re.search(r"\s", word)
        if script and not is_there(bot.folder / word):
            missing = f"file {word!r} not found in {bot.folder}", never_replaced(word) or "check the path"
            raise ProgramError(bot.name, blank_in_path(bot.argv, bot.folder) or missing)
        windows = windows_script(program, word, bot.folder) if script else None
        if windows is not None:
            raise ProgramError(bot.name, windows)
