"""What was meant by a name that doesn't exist: asked where it is clear, and never where nothing is near."""

import pytest

from referee.near_misses import did_you_mean, nearest

GAMES = ("year_of_the_dragon", "forbidden_city", "open_spiel:chess")


@pytest.mark.parametrize(
    ("given", "names", "meant"),
    [
        ("Forbidden City", GAMES, "forbidden_city"),
        ("FORBIDDEN-CITY", GAMES, "forbidden_city"),
        ("forbiden_cty", GAMES, "forbidden_city"),
        ("dragon", GAMES, "year_of_the_dragon"),
        ("fc", GAMES, "forbidden_city"),
        ("chess", GAMES, "open_spiel:chess"),
        ("quit", ("ending.quit_alone", "ending.quit"), "ending.quit"),
        ("idx", ("id", "index"), "index"),
        ("msg_id", ("id", "index"), "id"),
        ("BUCHHOLZ", ("wins", "buchholz"), "buchholz"),
        ("tarock", GAMES, None),
        ("x", ("xyz",), None),
        ("", GAMES, None),
        ("?!", GAMES, None),
        ("x" * 100_000, ("y",), None),
        ("any", (), None),
    ],
)
def test_the_nearest_name_is_the_one_that_was_meant(given: str, names: tuple[str, ...], meant: str | None) -> None:
    assert nearest(given, names) == meant


def test_a_question_or_else_all_names_end_an_error() -> None:
    assert did_you_mean("randm", ("random", "first"), prefix="builtin:") == "; did you mean 'builtin:random'?"
    assert did_you_mean("x", ("random", "first"), prefix="b:") == "; available: b:random, b:first"
    assert did_you_mean("x", ("a", "b"), "the bots are") == "; the bots are a, b"
    assert did_you_mean("x", ("a", "b"), "") == did_you_mean("x", ()) == ""
