"""A game that is begun again is a change of the tournament, with why."""

from pathlib import Path

import pytest

from tournaments.event.store.begun import AFTER_A_LOSS, AFTER_A_STOP, BegunGames
from tournaments.event.store.errors import StoreError

ONE, TWO = "r01-t001-d01-s1", "r01-t001-d01-s2"


def test_a_game_that_begins_once_is_not_begun_again(tmp_path: Path) -> None:
    begun = BegunGames(tmp_path / "begun")
    begun.begin([ONE, TWO])
    assert begun.again([ONE, TWO]) == {}
    assert BegunGames(tmp_path / "begun").again([ONE, TWO]) == {}


def test_each_further_time_has_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "begun"
    begun = BegunGames(path)
    begun.begin([ONE, TWO])
    begun.begin([ONE])
    resumed = BegunGames(path)
    resumed.discard(TWO, "its record has disappeared")
    resumed = BegunGames(path)  # stopped before it was played
    resumed.begin([ONE])
    resumed.begin([TWO])
    assert BegunGames(path).again([ONE, TWO, "r01-t002-d01-s1"]) == {
        ONE: [AFTER_A_LOSS, AFTER_A_STOP],
        TWO: ["its record has disappeared"],
    }
    assert resumed.again([TWO]) == {TWO: ["its record has disappeared"]}


def test_games_that_are_over_are_forgotten_and_no_others(tmp_path: Path) -> None:
    begun = BegunGames(tmp_path / "begun")
    for _ in range(2):
        begun.begin([ONE, TWO])
    begun.forget([ONE])
    for again in (begun, BegunGames(tmp_path / "begun")):
        assert again.again([ONE, TWO]) == {TWO: [AFTER_A_LOSS]}
    begun.forget([TWO])
    assert not (tmp_path / "begun").exists()


def test_a_line_that_was_cut_off_is_ignored_and_the_next_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "begun"
    BegunGames(path).begin([ONE])
    with path.open("ab") as file:
        file.write(b'["beg')
    BegunGames(path).begin([ONE])
    begun = BegunGames(path)
    begun.begin([ONE])
    assert begun.again([ONE]) == {ONE: [AFTER_A_STOP, AFTER_A_STOP]}


def test_a_file_that_can_not_be_read_or_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "begun").mkdir()
    with pytest.raises(StoreError, match="begun"):
        BegunGames(tmp_path / "begun")
    with pytest.raises(StoreError, match="missing/begun"):
        BegunGames(tmp_path / "missing" / "begun").begin([ONE])
