"""Same seed and same bots: the same records, byte for byte but for the milliseconds; and all of them right."""

import re
from pathlib import Path

import pytest

from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.players.entrant import Entrant, parse_entrants
from referee.record.replay import Replay
from tests.match.arena import RANDOM, Arena, lines_of
from tournaments.runner import Played

SAMPLE = Path(__file__).parents[2] / "bots" / "random-python"


async def records(arena: Arena, entrants: list[Entrant], seed: str = "seed") -> tuple[list[Played], dict[str, bytes]]:
    """The games, and their records without milliseconds, all of which the rules confirm."""
    games = await arena.play(
        *entrants,
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


async def test_sample_bots_play_the_same_games_again(arena: Arena) -> None:
    entrants = parse_entrants([str(SAMPLE), str(SAMPLE)])
    games, first = await records(arena, entrants)
    assert all(played.outcome.faults == [None, None] for played in games)
    assert len(first) == 4
    assert first == (await records(arena, entrants))[1]


async def test_another_seed_gives_other_games(arena: Arena) -> None:
    entrants = [RANDOM, RANDOM]
    first, second = (await records(arena, entrants))[1], (await records(arena, entrants, "another seed"))[1]
    assert first.keys() == second.keys()
    assert all(first[name] != second[name] for name in first)


async def test_games_with_a_bot_that_fails_are_the_same_again(arena: Arena) -> None:
    failing = arena.bot("ready(); play(9); answer(hear('act'), index=-1)", name="failing")
    sample, *_ = parse_entrants([str(SAMPLE)])
    games, first = await records(arena, [sample, failing, RANDOM])
    assert all(sum(fault is not None for fault in played.outcome.faults) == 1 for played in games)
    assert any(line.get("substitute") for line in lines_of(games[0], "decision"))
    assert first == (await records(arena, [sample, failing, RANDOM]))[1]


async def test_bot_seed_differs_per_seat_and_game(arena: Arena) -> None:
    bot = arena.bot("""
        ready()
        for message in messages():
            if message["type"] == "start":
                tell(str(message["bot_seed"]))
            elif message["type"] == "act":
                answer(message)
    """)
    games = await arena.play(bot, bot, bot, deals=3, rotate=True, heap=6)
    told = [int(line) for line in arena.all_told()]
    assert sorted(told) == sorted(seed for played in games for seed in played.game.bot_seeds)
    assert len(told) == len(set(told)) == 27


@pytest.mark.parametrize("players", [2, 3, 4, 5])
async def test_records_are_right_for_any_number_of_players(arena: Arena, players: int) -> None:
    _, found = await records(arena, [RANDOM] * players)
    assert len(found) == 2 * players
