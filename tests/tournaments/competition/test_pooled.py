"""One fit over several events."""

import pytest

from referee.reports.ratings import format_ratings_notes
from referee.reports.winner import ratings_leader
from tournaments.competition.pooled import GameRatings, PooledGame, PooledRatings, Version, pool, rank_over_games

OLD, NEW, OTHER = Version("a", "1"), Version("a", "2"), Version("b", None)


def game(event: str, deal: str, *groups: Version, line: str = "") -> PooledGame:
    return PooledGame(
        event=event, deal=deal, groups=tuple((bot,) for bot in groups), seating=groups, decisions_hash=line
    )


def pooled(*games: PooledGame, join: bool = False, latest: bool = False) -> PooledRatings:
    return pool(games, game="g", events=["x", "y"], conditional=False, join=join, latest=latest).table


def test_one_deal_in_two_events_counts_once() -> None:
    found = pooled(game("x", "1", OLD, OTHER), game("y", "1", OLD, OTHER), game("y", "2", OTHER, OLD))
    assert (found.games, found.deals) == (3, 2)
    assert [(row.name, row.deals, row.events) for row in found.ratings] == [("a", 2, 2), ("b", 2, 2)]


def test_versions_are_bots_of_their_own_unless_joined() -> None:
    games = [game("x", "1", NEW, OLD), game("x", "2", OTHER, OLD)]
    assert sorted(row.files_sha256 or "" for row in pooled(*games).ratings) == ["", "1", "2"]
    joined = pooled(*games, join=True)
    assert [(row.name, row.versions, row.games) for row in joined.ratings] == [("b", 1, 1), ("a", 1, 1)]
    assert joined.games == 1, "a bot is not rated against itself"


def test_a_newest_version_is_rated_by_its_own_games_with_the_older_ones_as_opponents() -> None:
    """Three weak nights, and a strong one against the same field and the version before."""
    games = [game("x", f"x{deal}", OTHER, OLD) for deal in range(30)]
    games += [game("x", f"lucky{deal}", OLD, OTHER) for deal in range(4)]
    games += [game("y", f"y{deal}", NEW, OTHER) for deal in range(10)]
    games += [game("y", f"unlucky{deal}", OTHER, NEW) for deal in range(4)]
    games += [game("y", f"again{deal}", NEW, OLD) for deal in range(8)]
    every, latest = pooled(*games), pooled(*games, latest=True)
    assert [(row.name, row.files_sha256, row.place) for row in latest.ratings] == [("a", "2", 1), ("b", None, 2)]
    assert {row.name: row.rating for row in latest.ratings} == {
        row.name: row.rating for row in every.ratings if row.files_sha256 != "1"
    }, "the fit is the same"
    first, second = latest.ratings
    assert first.difference_to_next is not None
    assert first.difference_to_next.elo == pytest.approx(first.rating.elo - second.rating.elo, abs=0.1)
    assert (latest.games, latest.latest, first.games) == (56, True, 22)
    again = pooled(*games, game("z", "z1", OLD, OTHER), latest=True)
    assert {row.files_sha256 for row in again.ratings} == {"1", None}, "the older one plays again"
    for playing, shown in (("1", "1"), ("never met", "2")):
        set_aside = pool(games, game="g", events="xy", conditional=False, latest=True, playing={"a": playing}).table
        assert {row.files_sha256 for row in set_aside.ratings} == {shown, None}


def test_what_never_met_is_said() -> None:
    found = pooled(game("x", "1", OLD, OTHER), game("y", "2", NEW, Version("c", None)))
    assert sorted(map(sorted, found.unconnected)) == [["a", "b"], ["a", "c"]]
    apart = pooled(
        game("x", "1", OLD, OTHER), game("x", "3", OLD, OTHER), game("y", "2", Version("c", None), Version("d", None))
    )
    assert ratings_leader(apart) == (
        "a has the highest rating. a has met c neither directly nor through others, so nothing compares the two."
    )
    assert all(row.rating.low is None for row in found.ratings)


def test_a_cycle_of_bots_is_named_by_what_tells_them_apart() -> None:
    third = Version("c", "3")
    ring = [(OLD, OTHER), (OTHER, third), (third, NEW), (NEW, OLD)]
    games = [game("x", f"{one}{other}{deal}", one, other) for one, other in ring for deal in range(12)]
    found = pooled(*games)
    assert [cycle.bots for cycle in found.cycles] == [["a (1)", "b", "c", "a (2)"]]
    assert [misfit.share for misfit in found.misfits] == [1.0] * 4
    assert pooled(*games, latest=True).cycles == [], "older versions are not ranked"


def test_deals_that_are_repeated_in_two_events_count_once_until_two_of_them_differ() -> None:
    games = [game("x", "1", OLD, OTHER, line="e4 e5"), game("y", "2", OLD, OTHER, line="e4 e5")]
    found = pooled(*games)
    assert (found.games, found.deals) == (2, 2)
    assert [row.deals for row in found.ratings] == [1, 1]
    assert found.repeated_deals is not None
    assert found.repeated_deals.distinct == 1
    assert "2 deals, 1 distinct: g has no chance" in "\n".join(format_ratings_notes(found))
    found = pooled(*games, game("y", "3", OLD, OTHER, line="d4 d5"), game("y", "4", NEW, OTHER, line="e4 e5"))
    assert {(row.name, row.files_sha256): row.deals for row in found.ratings} == {
        ("a", "1"): 3,
        ("a", "2"): 1,
        ("b", None): 4,
    }


def ring(name: str, *bots: Version) -> GameRatings:
    """A game in which each bot wins twelve deals against the next one, and the last against the first."""
    games = [
        game("x", f"{one}{deal}", one, other)
        for one, other in zip(bots, (*bots[1:], bots[0]), strict=True)
        for deal in range(12)
    ]
    return pool(games, game=name, events=["x"], conditional=False)


def test_over_games_names_are_ranked_and_their_cycles_named_in_words() -> None:
    third, fourth = Version("c", "3"), Version("d", "4")
    both = rank_over_games([ring("one", OLD, OTHER, third), ring("two", NEW, OTHER, third)])
    assert [(row.name, row.place, row.in_games) for row in both.ratings] == [(name, 1, [0.0, 0.0]) for name in "abc"]
    assert [(row.rating.elo, row.deals) for row in both.ratings] == [(0.0, 24)] * 3
    assert list(format_ratings_notes(both)) == [
        "Cycle: a over b over c over a (100 : 0, 100 : 0, 100 : 0), beyond chance",
        "Misfit: a 100 : 0 b, where the ranking says 50 : 50",
        "Misfit: b 100 : 0 c, where the ranking says 50 : 50",
        "Misfit: c 100 : 0 a, where the ranking says 50 : 50",
    ]
    opposite = rank_over_games([ring("one", OLD, OTHER, third), ring("two", third, OTHER, OLD)])
    assert (opposite.cycles, opposite.misfits) == ([], []), "over both games they are even"
    lacking = rank_over_games([ring("one", OLD, OTHER, third), ring("two", fourth, OTHER, third)])
    assert {row.name: row.in_games for row in lacking.ratings if None in row.in_games} == {
        "a": [0.0, None],
        "d": [None, 0.0],
    }
    assert lacking.cycles == [], "a and d have not met the others in each game"
    assert next(format_ratings_notes(lacking)).startswith("Bots with fewer than 2 games are compared in those")


def test_a_name_that_has_met_only_older_versions_is_not_compared() -> None:
    third, fourth = Version("c", "3"), Version("d", "4")
    games = [game("x", f"x{deal}", OLD, OTHER) for deal in range(9)]
    games += [game("y", f"y{deal}", NEW, third) for deal in range(9)]
    first = pool(games, game="one", events=["x", "y"], conditional=False)
    found = rank_over_games([first, ring("two", NEW, third, fourth)])
    assert found.unconnected == [["a", "c", "d"], ["b"]]
    assert {row.name: (row.deals, row.rating.low) for row in found.ratings}["b"] == (0, None)
