"""The same seed and bots give the same records, byte for byte except milliseconds; and all records are valid."""

import re
from pathlib import Path

import pytest

from referee.bots.bot_spec import BotSpec, parse_bots
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.record.replay import Replay
from tests.game_runner.harness import RANDOM, Harness, lines_of
from tournaments.play.runner import PlayedGame

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[2] / "bots" / "random-python"


async def records(
    harness: Harness, bots: list[BotSpec], seed: str = "seed"
) -> tuple[list[PlayedGame], dict[str, bytes]]:
    """The games, and their records without milliseconds; all records are verified."""
    games = await harness.play(
        *bots,
        deals=2,
        rotate=True,
        seed=seed,
        concurrency=2,
        game=YearOfTheDragon,
        great_wall=True,
        super_event="random",
    )
    found = {}
    for played in games:
        assert played.record is not None
        Replay(played.record).check()
        data = played.record.read_bytes()
        found[played.record.name], timed = re.subn(rb',"ms":[0-9.e-]+', b"", data)
        assert timed == played.outcome.asked - sum(fault is not None for fault in played.outcome.faults)
    return games, found


async def test_sample_bots_play_the_same_games_again(harness: Harness) -> None:
    bots = parse_bots([str(SAMPLE), str(SAMPLE)])
    games, first = await records(harness, bots)
    assert all(played.outcome.faults == [None, None] for played in games)
    assert len(first) == 4
    assert first == (await records(harness, bots))[1]


async def test_another_seed_gives_other_games(harness: Harness) -> None:
    bots = [RANDOM, RANDOM]
    first, second = (await records(harness, bots))[1], (await records(harness, bots, "another seed"))[1]
    assert first.keys() == second.keys()
    assert all(first[name] != second[name] for name in first)


async def test_games_with_a_bot_that_fails_are_the_same_again(harness: Harness) -> None:
    failing = harness.bot("ready(); play(9); answer(receive('act'), index=-1)", name="failing")
    sample, *_ = parse_bots([str(SAMPLE)])
    games, first = await records(harness, [sample, failing, RANDOM])
    assert all(sum(fault is not None for fault in played.outcome.faults) == 1 for played in games)
    assert any(line.get("substitute") for line in lines_of(games[0], "decision"))
    assert first == (await records(harness, [sample, failing, RANDOM]))[1]


async def test_bot_seed_differs_per_seat_and_game(harness: Harness) -> None:
    bot = harness.bot("""
        ready()
        for message in messages():
            if message["type"] == "start":
                report(str(message["bot_seed"]))
            elif message["type"] == "act":
                answer(message)
    """)
    games = await harness.play(bot, bot, bot, deals=3, rotate=True, heap=6)
    seeds = [int(line) for line in harness.all_reported()]
    assert sorted(seeds) == sorted(seed for played in games for seed in played.game.bot_seeds)
    assert len(seeds) == len(set(seeds)) == 27


@pytest.mark.parametrize("players", [2, 3, 4, 5])
async def test_records_are_valid_for_any_number_of_players(harness: Harness, players: int) -> None:
    _, found = await records(harness, [RANDOM] * players)
    assert len(found) == 2 * players
