"""Schedules as pure functions: seats, deals, and the seeds of everything."""

import itertools
import re
import tracemalloc
from collections import Counter

import pytest

from referee.seeds import BOT_SEED_BITS
from tournaments.play.schedule import (
    FIRST_BATCH,
    LARGEST_BATCH,
    Phases,
    ScheduledGame,
    batches,
    deriving,
    rotations,
)

MATCHES = [(deals, bots) for deals in (1, 3, 7) for bots in (2, 3, 4, 5)]


@pytest.mark.parametrize(("deals", "bots"), MATCHES)
def test_each_deal_is_played_once_in_every_rotation(deals: int, bots: int) -> None:
    games = list(rotations(deals, bots, "s"))
    assert len(games) == deals * bots
    assert {(game.deal, game.rotation) for game in games} == {
        (deal, rotation) for deal in range(1, deals + 1) for rotation in range(bots)
    }
    for game in games:
        assert game.seating == tuple((seat + game.rotation) % bots for seat in range(bots))


@pytest.mark.parametrize(("deals", "bots"), MATCHES)
def test_without_rotation_each_deal_is_played_once_in_the_order_given(deals: int, bots: int) -> None:
    games = list(rotations(deals, bots, "s", rotate=False))
    assert [game.seating for game in games] == [tuple(range(bots))] * deals
    rotated = {game.game_id: game for game in rotations(deals, bots, "s")}
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
    def games(deals: int) -> dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]]:
        return {game.game_id: (game.seed, game.seating, game.bot_seeds) for game in rotations(deals, 3, "s")}

    many = games(90)
    assert all(many[game_id] == game for game_id, game in games(4).items())


def test_the_game_id_that_bots_see_says_nothing_of_deal_and_rotation() -> None:
    games = list(rotations(9, 4, "s"))
    assert len({game.public_id for game in games}) == len(games)
    assert all(re.fullmatch("[0-9a-f]{16}", game.public_id) for game in games)


def test_game_ids_are_distinct_and_name_deal_and_rotation() -> None:
    games = list(rotations(120, 5, "s"))
    assert len({game.game_id for game in games}) == len(games)
    assert all(game.game_id == f"{game.deal:04}-{game.rotation + 1}" for game in games)


# -- phases -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deals", [1, 7, 8, 15, 16, 17, 100, 1000])
@pytest.mark.parametrize("first", [1, 8, 64, 200])
def test_batches_hold_every_deal_once_in_order_and_are_of_bounded_size(deals: int, first: int) -> None:
    found = list(batches(deals, first))
    assert [deal for batch in found for deal in batch] == list(range(1, deals + 1))
    sizes = [len(batch) for batch in found]
    assert all(size >= min(first, deals) for size in sizes)
    assert max(sizes) < 2 * max(first, LARGEST_BATCH)


def test_match_of_the_default_size_is_one_batch() -> None:
    assert len(list(batches(10, FIRST_BATCH))) == 1


def test_games_of_a_phase_share_their_rotation_and_no_deal_comes_back_in_it() -> None:
    games = list(rotations(100, 4, "s"))
    assert [game.phase for game in games] == sorted(game.phase for game in games)
    for _, group in itertools.groupby(games, key=lambda game: game.phase):
        phase = list(group)
        assert len({game.rotation for game in phase}) == 1
        assert len({game.deal for game in phase}) == len(phase)


def test_a_batch_begins_with_the_processes_with_which_the_one_before_ends() -> None:
    rotation_of_phase = {game.phase: game.rotation for game in rotations(100, 3, "s")}
    assert rotation_of_phase == {0: 0, 1: 1, 2: 2, 3: 1, 4: 0, 5: 1, 6: 2}  # of batches of 16, 32 and 52 deals


@pytest.mark.slow
def test_finished_deals_come_early_in_a_long_match() -> None:
    """At any time at most two batches of deals are unfinished."""
    seen: Counter[int] = Counter()
    for game in rotations(2000, 5, "s"):
        seen[game.deal] += 1
        assert sum(count < 5 for count in seen.values()) <= 2 * LARGEST_BATCH


def test_phase_begins_after_the_one_before_has_finished() -> None:
    schedule = Phases(rotations(2, 2, "s"))
    first, second = schedule.next_game(), schedule.next_game()
    assert first is not None
    assert second is not None
    assert (first.rotation, second.rotation) == (0, 0)
    assert schedule.next_game() is None
    schedule.finished(second)
    assert schedule.next_game() is None
    schedule.finished(first)
    third = schedule.next_game()
    assert third is not None
    assert third.rotation == 1


def test_where_no_process_could_meet_a_deal_twice_phases_need_not_be_apart() -> None:
    games = [*rotations(deals=3, seats=2, seed="s")]
    schedule = Phases(iter(games), apart=False)
    assert [schedule.next_game() for _ in games] == games
    assert schedule.next_game() is None


def test_schedule_of_500_million_games_takes_little_memory() -> None:
    tracemalloc.start()
    schedule = Phases(rotations(100_000_000, 5, "s"))
    for _ in range(100):
        game = schedule.next_game()
        assert game is None or game.deal <= 100
        if game is not None:
            schedule.finished(game)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_seed_of_one_purpose_is_not_that_of_another() -> None:
    seeds = [deriving("s")("deal/1"), deriving("s")("deal/11"), deriving("s")("bot/1"), deriving("t")("deal/1")]
    assert len(set(seeds)) == 4
    assert all(len(seed) == 64 for seed in seeds)
