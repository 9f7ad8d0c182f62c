"""Kits as an author gets them: written by the command, built as bot.toml says, in their own folders."""

import json
import shlex
import subprocess
import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from referee.kits.kits import KITS
from referee.kits.writing import missing_tools
from tests.cli.command import ENVIRONMENT, referee
from tests.protocol.bad_lines import CASES, written
from tests.timeouts import COMPILER_TIMEOUT

ROOT: Final = Path(__file__).parents[2]
TEMPLATES: Final = ROOT / "referee/kits/templates"
TO_BOT: Final = ("hello", "start", "act", "fault", "end", "quit")


class Kit(NamedTuple):
    """A kit in its folder."""

    language: str
    folder: Path

    @property
    def bot_file(self) -> dict[str, Any]:
        """What its bot.toml says."""
        return tomllib.loads((self.folder / "bot.toml").read_text("utf-8"))

    def run(self, command: str, lines: bytes = b"", *, check: bool = True) -> subprocess.CompletedProcess[bytes]:
        """Run a command in its folder to its end; unless it may fail, its exit status must be 0."""
        done = subprocess.run(
            shlex.split(command) if isinstance(command, str) else command,
            cwd=self.folder,
            env=ENVIRONMENT,
            input=lines,
            capture_output=True,
            timeout=COMPILER_TIMEOUT,
            check=False,
        )
        assert done.returncode == 0 or not check, (done.stdout + done.stderr).decode(errors="replace")
        return done

    def answers(self, lines: bytes) -> list[Any]:
        """What the bot writes when it is given these lines, and then the end of its input."""
        return [json.loads(line) for line in self.run(self.bot_file["command"], lines).stdout.splitlines()]


INTERPRETED: Final = ("python", "javascript")
"""Languages whose kits need no compiler."""


def every_language(*names: str, in_ci: Collection[str] = KITS) -> pytest.MarkDecorator:
    """A case for each language, or for these; what is built for one is used by all tests of it. `in_ci`: others are
    left to `make check-all`."""
    cases = [pytest.param(each, marks=marks(each, in_ci)) for each in names or KITS]
    return pytest.mark.parametrize("language", cases)


def marks(language: str, in_ci: Collection[str]) -> list[pytest.MarkDecorator]:
    """One worker has all tests of a language, as it builds once; those that take a compiler run in CI only."""
    found = [pytest.mark.xdist_group(f"kit {language}")]
    if language not in INTERPRETED:
        found.append(pytest.mark.ci_only)
    if language not in in_ci:
        found.append(pytest.mark.check_all)
    return found


def skip_without_tools(language: str) -> None:
    """Skip the test if a program that the language needs is not installed, and say which."""
    missing = [f"{tool.program}: {tool.source}" for tool in missing_tools(KITS[language])]
    if missing:
        pytest.skip(f"needs {'; '.join(missing)}")


def new_kit(language: str, name: str, parent: Path) -> Kit:
    """What `referee bot new` writes."""
    ended = referee("bot", "new", name, "--language", language, cwd=parent)
    assert ended.status == 0, ended.err
    return Kit(language, parent / name)


# -- lines to a bot --------------------------------------------------------------------------------------------------


@cache
def all_games() -> bytes:
    """All transcripts in one session: games of all numbers of players with all expansions."""
    found = []
    for path in sorted(ROOT.glob("protocol/transcripts/*.to-bot.jsonl")):
        found += [line for line in path.read_bytes().splitlines(keepends=True) if b'"quit"' not in line]
    return b"".join(found)


@cache
def bad_lines() -> bytes:
    """The lines of bad-lines.json, except those that mean something to a bot: none of them needs an answer."""
    return b"".join(line + b"\n" for line in map(written, CASES) if not _is_to_bot(line))


def _is_to_bot(line: bytes) -> bool:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("type") in TO_BOT


def interleaved(lines: bytes, others: bytes) -> bytes:
    """The lines, with the others spread between them."""
    between = others.splitlines(keepends=True)
    *first, last = lines.splitlines(keepends=True)
    share = -(-len(between) // len(first))
    found = []
    for index, line in enumerate(first):
        found += [line, *between[index * share : (index + 1) * share]]
    return b"".join([*found, last])
