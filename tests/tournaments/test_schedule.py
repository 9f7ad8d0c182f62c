"""Schedules as pure functions: seats, deals, and the seeds of everything."""

import itertools
from collections import Counter

import pytest

from tournaments.schedule import BOT_SEED_BITS, ScheduledGame, derive, rotations

SIZES = [(deals, entrants) for deals in (1, 3, 7) for entrants in (2, 3, 4, 5)]


@pytest.mark.parametrize(("deals", "entrants"), SIZES)
def test_each_entrant_sits_in_each_seat_equally_often(deals: int, entrants: int) -> None:
    sat = Counter(
        (seat, entrant) for game in rotations(deals, entrants, "s") for seat, entrant in enumerate(game.seating)
    )
    assert sat == dict.fromkeys(itertools.product(range(entrants), repeat=2), deals)


@pytest.mark.parametrize(("deals", "entrants"), SIZES)
def test_each_deal_is_played_once_in_every_rotation(deals: int, entrants: int) -> None:
    games = list(rotations(deals, entrants, "s"))
    assert len(games) == deals * entrants
    assert [(game.deal, game.rotation) for game in games] == [
        (deal, rotation) for deal in range(1, deals + 1) for rotation in range(entrants)
    ]
    for game in games:
        assert game.seating == tuple((seat + game.rotation) % entrants for seat in range(entrants))


@pytest.mark.parametrize(("deals", "entrants"), SIZES)
def test_without_rotation_each_deal_is_played_once_in_the_order_given(deals: int, entrants: int) -> None:
    games = list(rotations(deals, entrants, "s", rotate=False))
    assert [game.seating for game in games] == [tuple(range(entrants))] * deals
    rotated = {game.game_id: game for game in rotations(deals, entrants, "s")}
    assert all(rotated[game.game_id] == game for game in games)


def test_games_of_a_deal_share_its_seed_and_deals_do_not() -> None:
    games = list(rotations(50, 3, "s"))
    seeds = {(game.deal, game.seed) for game in games}
    assert len(seeds) == len({seed for _, seed in seeds}) == 50
    assert all(len(game.seed) == 32 for game in games)


def test_bot_seeds_differ_per_seat_and_game_and_have_53_bits() -> None:
    seeds = [seed for game in rotations(200, 4, "s") for seed in game.bot_seeds]
    assert len(seeds) == len(set(seeds)) == 200 * 4 * 4
    assert all(0 <= seed < 2**BOT_SEED_BITS for seed in seeds)
    assert BOT_SEED_BITS == 53
    assert max(seeds).bit_length() == 53


def test_bot_seeds_do_not_contain_the_seed_of_the_game() -> None:
    for game in rotations(20, 2, "s"):
        for seed in game.bot_seeds:
            assert f"{seed:x}" not in game.seed
            assert game.seed[-13:] != f"{seed:x}"[-13:]


def test_schedule_is_reproducible_from_its_seed_and_another_seed_gives_another() -> None:
    def seeds(games: list[ScheduledGame]) -> set[object]:
        return {game.seed for game in games} | {seed for game in games for seed in game.bot_seeds}

    first, again, other = (list(rotations(5, 3, seed)) for seed in ("s", "s", "t"))
    assert first == again
    assert not seeds(first) & seeds(other)


def test_more_deals_leave_the_first_ones_as_they_are() -> None:
    assert list(rotations(9, 3, "s"))[: 4 * 3] == list(rotations(4, 3, "s"))


def test_game_ids_are_distinct_and_sort_in_the_order_of_play() -> None:
    ids = [game.game_id for game in rotations(120, 5, "s")]
    assert len(set(ids)) == len(ids)
    assert sorted(ids) == ids
    assert ids[0] == "0001-1"


def test_seed_of_one_purpose_is_not_that_of_another() -> None:
    seeds = [derive("s", "deal", 1), derive("s", "deal", 11), derive("s", "bot", 1), derive("t", "deal", 1)]
    assert len(set(seeds)) == 4
    assert all(len(seed) == 64 for seed in seeds)
