"""What may be imported from `referee`: these names and no others, each loaded when it is first used."""

import doctest
import subprocess
import sys

import pytest

import referee
import tournaments.play.match
import tournaments.play.match_spec
from referee.bots.bot_spec import BotSpecError
from referee.bots.build import BuildError
from referee.errors import RefereeError
from referee.games import IllegalAction, OptionError
from referee.processes.sandbox.bubblewrap import SandboxError
from referee.record.reader import InvalidRecord

NAMES = [
    "Conditions",
    "MatchFailed",
    "MatchResult",
    "MatchSpec",
    "PlayedGame",
    "RefereeError",
    "Replay",
    "TimeControl",
    "__version__",
    "new_game",
    "play_match",
]


def test_public_names_are_these_and_can_all_be_imported() -> None:
    assert referee.__all__ == NAMES
    for name in NAMES:
        assert getattr(referee, name) is not None
    assert referee.play_match is tournaments.play.match.play_match


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'play'"):
        referee.play  # noqa: B018


def test_import_of_the_package_loads_neither_trio_nor_the_rules() -> None:
    program = (
        "import referee, sys; print([name for name in ('trio', 'msgspec', 'referee.games') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "error",
    [
        BotSpecError,
        BuildError,
        IllegalAction,
        InvalidRecord,
        OptionError,
        SandboxError,
        tournaments.play.match_spec.MatchError,
        tournaments.play.match.MatchFailed,
        tournaments.play.match.MatchInterrupted,
        tournaments.play.match_folders.RecordFolderError,
    ],
)
def test_every_error_of_the_public_functions_is_a_referee_error(error: type[Exception]) -> None:
    assert issubclass(error, RefereeError)


def test_example_in_the_docstring_runs() -> None:
    assert doctest.testmod(referee).failed == 0
