"""How long a tournament will take, from the times of its bots in the check."""

from pathlib import Path
from typing import Any

import pytest

from referee.players.thinking_time import ThinkingSummary
from tournaments.event.check_results import Readiness
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.plan import PHASE_SECONDS, forecast

BOTS = 8
DECISIONS = 100


def forecast_of(folder: Path, text: str, seconds: list[float], **results: Any) -> float:
    """The forecast for bots that think so long in a game."""
    (folder / "cup.toml").write_text(
        f'game = "year_of_the_dragon"\n{text}\n'
        + "".join(f'[[bot]]\nbuiltin = "random"\nname = "{bot}"\n' for bot in range(BOTS))
    )
    spec = read_tournament(folder / "cup.toml")
    plan = spec.regulations.format_settings.plan(spec.regulations.format_context(""))
    ready = [
        Readiness(
            bot=str(bot),
            ready=True,
            startup_ms=0.0,
            thinking_ms=ThinkingSummary(
                bot=str(bot), decisions=DECISIONS, mean=1000 * own / DECISIONS, p99=0.0, worst=0.0
            ),
            **results,
        )
        for bot, own in enumerate(seconds)
    ]
    found = forecast(spec, plan, ready)
    assert found is not None
    return found


@pytest.mark.parametrize("text", ['format = "round_robin"', 'format = "swiss"\n[swiss]\nrounds = 7'])
def test_all_tables_wait_for_the_slowest_bot_in_every_rotation(tmp_path: Path, text: str) -> None:
    """7 rounds of two rotations, in each of which one table of four takes 16 s."""
    slow = forecast_of(tmp_path, text + "\n[run]\nconcurrency = 4", [16.0, *[0.1] * (BOTS - 1)])
    assert slow == pytest.approx(14 * (16.1 + PHASE_SECONDS), rel=0.05)
    # With room for one game at a time the other three tables come before or after it.
    alone = forecast_of(tmp_path, text + "\n[run]\nconcurrency = 1", [16.0, *[0.1] * (BOTS - 1)])
    assert alone == pytest.approx(14 * (16.7 + PHASE_SECONDS), rel=0.05)


def test_a_bot_that_played_again_in_the_check_takes_as_long_as_one_game(tmp_path: Path) -> None:
    text = 'format = "round_robin"\n[run]\nconcurrency = 4'
    once = forecast_of(tmp_path, text, [4.0] * BOTS)
    assert forecast_of(tmp_path, text, [4.0] * BOTS, games=2) < 0.6 * once
