"""Many games at a time."""

import signal
from typing import Any

import pytest

REASON = "the packages of the extra gym are not installed (make test-gym)"
pytest.importorskip("pettingzoo", reason=REASON)
pytest.importorskip("gymnasium", reason=REASON)

import numpy as np  # noqa: E402

from referee.errors import RefereeError  # noqa: E402
from referee.games import OptionError, find_codec, find_game  # noqa: E402
from referee.gyms import Batch, NotOffered, NotWhole, batch_env  # noqa: E402
from referee.gyms.episode import Episode  # noqa: E402
from tests.games.playing import NOT_WHOLE, games_for_learners  # noqa: E402

every_game = pytest.mark.parametrize("game", games_for_learners())


def play(batch: Batch, steps: int) -> list[Any]:
    """Everything that a batch shows in this number of steps, by the last index that is legal."""
    shown = []
    for _ in range(steps):
        arrays = (batch.observations, batch.action_masks, batch.seats, batch.rewards, batch.finished)
        shown.append([array.tobytes() for array in arrays])
        batch.step(batch.action_masks.shape[1] - 1 - batch.action_masks[:, ::-1].argmax(axis=1))
    return shown


@pytest.mark.slow
def test_a_batch_shows_the_same_games_in_further_processes_and_closing_ends_them() -> None:
    shown = []
    for processes in (0, 2):
        with batch_env("forbidden_city", games=3, processes=processes, seed=9) as batch:
            workers = [worker for worker, _ in batch._workers]
            shown.append(play(batch, 25))
        batch.close()
    assert shown[0] == shown[1]
    assert [worker.exitcode for worker in workers] == [0, 0]


@every_game
def test_a_batch_shows_what_single_games_show(game: str) -> None:
    codec = find_codec(find_game(game))(find_game(game).Config(players=2))
    with batch_env(game, players=2, games=2, seed=5) as batch:
        for number in range(2):
            episode = Episode(codec, f"5/{number}/1")
            assert batch.seats[number] == episode.seat
            assert batch.observations[number].tobytes() == episode.vector(episode.seat or 0)
            assert batch.action_masks[number].nonzero()[0].tolist() == sorted(episode.offers)


@every_game
def test_after_the_end_of_a_game_the_next_one_begins(game: str) -> None:
    with batch_env(game, players=2, games=1, seed=3) as batch:
        first = {batch.observations.tobytes()}
        ended = 0
        for _ in range(300):
            batch.step(batch.action_masks.argmax(axis=1))
            if batch.finished[0]:
                ended += 1
                assert batch.rewards[0].sum() == 0
                assert set(batch.rewards[0].tolist()) in ({0}, {1, -1})
                first.add(batch.observations.tobytes())
                assert batch.action_masks.any()
            else:
                assert not batch.rewards.any()
        assert ended >= 2
        assert len(first) > 1


def test_an_index_that_is_not_legal_is_refused_with_its_game_and_nothing_changes() -> None:
    with batch_env("year_of_the_dragon", games=3) as batch:
        legal = batch.action_masks.argmax(axis=1)
        before = [batch.observations.tobytes(), batch.seats.tobytes()]
        for wrong in (-1, batch.action_masks.shape[1], int(batch.action_masks[1].argmin())):
            with pytest.raises(NotOffered, match=f"game 1: index {wrong} is not legal"):
                batch.step([legal[0], wrong, legal[2]])
        with pytest.raises(NotOffered, match="3 indices are needed"):
            batch.step(legal[:2])
        assert [batch.observations.tobytes(), batch.seats.tobytes()] == before


@pytest.mark.parametrize("value", NOT_WHOLE, ids=repr)
def test_what_is_no_index_is_refused_in_lists_and_arrays(value: object) -> None:
    with batch_env("year_of_the_dragon", games=2) as batch:
        legal = int(batch.action_masks[0].argmax())
        before = batch.observations.tobytes()
        with pytest.raises(NotWhole, match="must be a whole number"):
            batch.step([legal, value])  # type: ignore[list-item]
        for array in (np.array([legal, legal], float), np.array([True, True]), np.array(["3", "3"])):
            with pytest.raises(NotWhole, match="indices must be whole numbers, not "):
                batch.step(array)
        assert batch.observations.tobytes() == before
        batch.step(batch.action_masks.argmax(axis=1).astype(np.uint8))
    with pytest.raises(NotWhole, match="games must be a whole number"):
        batch_env("year_of_the_dragon", games=value)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_process_that_dies_is_an_error_and_no_hang() -> None:
    batch = batch_env("forbidden_city", games=2, processes=2)
    worker = batch._workers[1][0]
    worker.kill()
    worker.join()
    with pytest.raises(RefereeError, match=f"exit status -{int(signal.SIGKILL)}"):
        batch.step(batch.action_masks.argmax(axis=1))
    with pytest.raises(RefereeError, match="closed"):
        batch.step(batch.action_masks.argmax(axis=1))


@pytest.mark.parametrize(("games", "processes"), [(0, 0), (2, 3), (2, -1)])
def test_a_process_without_a_game_is_refused(games: int, processes: int) -> None:
    with pytest.raises(OptionError, match="give at least a game to each process"):
        batch_env("forbidden_city", games=games, processes=processes)
