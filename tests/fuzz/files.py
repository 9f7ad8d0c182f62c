"""Targets for files and arguments: a bot.toml, a BOT on the command line, a tournament, its manifest, a record."""

import contextlib
import io
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import typer

from protocol import codec
from referee.bots.bot_spec import BotSpec, BotSpecError, check_program, parse_bots
from referee.cli.failure import FAILED, Failure
from referee.cli.record import verify
from referee.cli.record_show import show
from referee.players.clock import RecordedClock, milliseconds
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from tests.fuzz.answers import temporary_folder
from tests.fuzz.wire import check_description
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.store.errors import StoreError
from tournaments.event.store.manifest import decode_manifest
from tournaments.event.store.validation import check_manifest
from tournaments.event.store.verification import VerifiedRounds
from tournaments.event.store.verified_results import Findings, Records
from tournaments.play.bot_replay import control_of, game_start

MAX_LINE_OF_TEXT = 100_000
"""Maximum length of a line that `referee record` prints: more than any game needs."""


def bot_file(data: bytes) -> None:
    """A folder with this bot.toml is a bot, or is refused with a description for people."""
    with tempfile.TemporaryDirectory(dir=temporary_folder()) as folder:
        Path(folder, "bot.toml").write_bytes(data)
        check_bots([folder, folder])


def bot_argument(data: bytes) -> None:
    """A BOT on the command line is a bot, or is refused with a description for people."""
    check_bots([os.fsdecode(data)])


def tournament_file(data: bytes) -> None:
    """A file with this content is a tournament, or is refused with a description for people."""
    with tempfile.TemporaryDirectory(dir=temporary_folder()) as folder:
        path = Path(folder, "cup.toml")
        path.write_bytes(data)
        try:
            spec = read_tournament(path)
        except TournamentFileError as error:
            check_description(str(error))
        else:
            assert 2 <= spec.regulations.seats <= len(spec.bots) == len({bot.spec.name for bot in spec.bots})
            check_description(spec.regulations.name)
            for bot in spec.bots:
                check_bot(bot.spec)


def check_bots(arguments: list[str]) -> None:
    """Everything that is done with a BOT before it is built and started."""
    try:
        for bot in parse_bots(arguments):
            check_bot(bot)
            check_program(bot)
    except BotSpecError as error:
        check_description(str(error))


def check_bot(bot: BotSpec) -> None:
    """Check that it has everything that a process needs, and a printable name."""
    assert bot.policy is not None or bot.argv[0]
    assert bot.limits.memory_mb > 0
    check_description(bot.name)


def record(data: bytes) -> None:
    """A file is verified and rendered as a record, or called invalid, in printable lines.

    If a game can be set up from it, `start` can be sent to a bot, with times that are numbers.
    """
    with tempfile.TemporaryDirectory(dir=temporary_folder()) as folder:
        path = Path(folder, "record.jsonl")
        path.write_bytes(data)
        invalid = run(lambda: verify([path]))
        assert run(lambda: show(path, seat="0", info=True)) == invalid, "verify and show disagree"
    with contextlib.suppress(InvalidRecord):
        replay = Replay(data)
        if replay.unstarted is None:
            codec.encode_json(game_start(replay, 0).config)
            assert milliseconds(RecordedClock(control_of(replay.header), limited=True).limits()[0]) >= 0


def run(command: Callable[[], None]) -> bool:
    """Whether the command failed, as it does for a wrong record."""
    failed = False
    with contextlib.redirect_stdout(io.StringIO()) as output:
        try:
            command()
        except typer.Exit as end:
            if end.exit_code != FAILED:
                raise
            failed = True
        except Failure as failure:
            check_description(str(failure))
            failed = True
    for line in output.getvalue().split("\n"):
        assert line.isprintable(), f"unprintable: {line!r}"
        assert len(line) <= MAX_LINE_OF_TEXT
    return failed


def manifest(data: bytes) -> None:
    """A manifest of a tournament without records is refused, or its first round is paired and found to be missing."""
    try:
        found = decode_manifest(data, "manifest.json")
        check_manifest(found)
    except StoreError as error:
        check_description(str(error))
        return
    VerifiedRounds(found, Records(), Findings()).rebuild("seed")
