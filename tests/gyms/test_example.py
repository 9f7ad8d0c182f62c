"""The example of a learner, shortened: what docs/learning.md says about it is true."""

import re
import tomllib
from pathlib import Path

import pytest
import trio

REASON = "the packages of the extra gym are not installed (make test-gym)"
pytest.importorskip("pettingzoo", reason=REASON)
pytest.importorskip("gymnasium", reason=REASON)

from referee import TimeControl, play_match  # noqa: E402
from referee.gyms.example.__main__ import main  # noqa: E402
from tests.playing import match_of  # noqa: E402


@pytest.mark.check_all
def test_a_hundred_games_make_a_bot_that_beats_random_players(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.gyms.example.__main__.TRIAL", 30)
    folder = tmp_path / 'the "best" learner'
    main([str(folder), "--games", "100", "--seed", "1"])
    printed = capsys.readouterr().out
    found = re.search(r"mean reward against random players: (-?\d\.\d\d)\n", printed)
    assert found is not None
    assert float(found[1]) > 0.5
    assert f"referee match '{folder}' builtin:random builtin:random" in printed
    assert tomllib.loads((folder / "bot.toml").read_text())["name"] == folder.name
    spec = match_of(
        str(folder),
        "builtin:random",
        "builtin:random",
        deals=3,
        seed="learner",
        sandbox="none",
        control=TimeControl(move=60.0, startup=60.0),
    )
    result = trio.run(play_match, spec)
    own = [played.game.seating.index(0) for played in result.games]
    ranks = [played.outcome.ranks[seat] for played, seat in zip(result.games, own, strict=True)]
    assert [played.outcome.faults for played in result.games] == [[None] * 3] * 9
    assert sum(rank == 1 for rank in ranks) > 5  # of 9; the best of three would be 3 by chance


def test_a_wrong_number_of_players_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path / "x"), "--players", "9"])
    assert "players is 2 to 5" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_said_before_the_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_text("a file")
    with pytest.raises(SystemExit):
        main([str(tmp_path / "x")])  # trains for minutes
    assert "File exists" in capsys.readouterr().err
