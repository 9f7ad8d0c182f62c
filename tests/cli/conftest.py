"""Fixtures of the tests of the command line: bots, and records of what they played."""

from pathlib import Path

import pytest

from tests.cli.bots import make_bot
from tests.cli.command import Run, referee


@pytest.fixture(scope="session")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a bot that plays at random."""
    return make_bot(tmp_path_factory.mktemp("bots") / "random")


@pytest.fixture(scope="session")
def played(bot: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A match of that bot against a built-in player: how the command ended, and the folder of its records."""
    records = tmp_path_factory.mktemp("played") / "records"
    arguments = ["--time-scale", "30", "--games", "2", "--seed", "played", "--record", str(records), "--json"]
    return referee("match", bot, "builtin:random", *arguments), records


@pytest.fixture(autouse=True)
def _forked_modules(forked_modules: None) -> None:
    """Workers of commands import nothing here; in `tests/hostile/test_poisoned_folders.py` they do."""
