"""Fixtures of tests of the store: small tournaments of a very small game."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.game_runner.pebbles import registered_pebbles
from tests.tournaments.event.store.organiser import Organiser, tournament_file

SWISS = 'format = "swiss"\ngame = "pebbles"\nname = "Cup"\n[swiss]\nrounds = 3\n[options]\nheap = 5\n'
Begin = Callable[..., Organiser]


@pytest.fixture
def begin(tmp_path: Path, pebbles_known: None) -> Begin:
    """Begins a tournament in a new folder: by default a Swiss of four bots and three rounds."""

    def begin(text: str = SWISS, bots: str = "abcd", name: str = "cup") -> Organiser:
        return Organiser.begin(tournament_file(tmp_path, text, bots), tmp_path / name)

    return begin


@pytest.fixture(scope="session")
def two_rounds(tmp_path_factory: pytest.TempPathFactory) -> Organiser:
    """The first two rounds of three have been played."""
    folder = tmp_path_factory.mktemp("two_rounds")
    with registered_pebbles():
        organiser = Organiser.begin(tournament_file(folder, SWISS), folder / "cup")
        organiser.play_rounds(2)
    return organiser


@pytest.fixture
def cup(two_rounds: Organiser, tmp_path: Path, pebbles_known: None) -> Organiser:
    """A copy of the tournament of which two rounds of three have been played."""
    return two_rounds.copied_to(tmp_path / "cup")
