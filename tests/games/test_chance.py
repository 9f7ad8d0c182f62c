"""A record replayed: draws that it doesn't hold, or that the rules make impossible, are refused."""

from typing import Any

import pytest

from referee.games import ChanceError, Recorded, Seeded
from referee.games.interface import ChanceEvent
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.games.year_of_the_dragon.config import DragonConfig
from tests.games.playing import finish

CONFIG = DragonConfig(players=3, super_event="random")


def draws() -> dict[tuple[str, int | None], Any]:
    """The draws of a whole game, as a record holds them."""
    game = finish(YearOfTheDragon.new(CONFIG, Seeded("recorded")), "recorded")
    return {
        (event.what, event.round if isinstance(event.round, int) else None): event.value
        for event, _ in game.log
        if isinstance(event, ChanceEvent)
    }


def replay(values: dict[tuple[str, int | None], Any]) -> YearOfTheDragon:
    """The same game with these draws."""
    game = YearOfTheDragon.new(CONFIG, Recorded(values))
    finish(game, "recorded")
    return game


def test_the_recorded_draws_give_the_game_that_was_recorded() -> None:
    values = draws()
    game = replay(values)
    assert game.event_row == values["events", None]
    assert game.super_event == values["super_event", None]
    assert [group.cards for group in game.action_groups] == values["action_groups", 12]


@pytest.mark.parametrize("key", [("events", None), ("super_event", None), ("action_groups", 5)])
def test_a_draw_that_the_record_does_not_hold_is_named(key: tuple[str, int | None]) -> None:
    values = draws()
    del values[key]
    with pytest.raises(ChanceError) as refusal:
        replay(values)
    assert (refusal.value.what, refusal.value.round_no, refusal.value.missing) == (*key, True)


ROW = draws()["events", None]
GROUPS = draws()["action_groups", 5]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (("events", None), "peace"),
        (("events", None), ["plague", *ROW[1:]]),
        (("events", None), ROW[:11]),
        (("events", None), [*ROW[:11], ROW[10]]),
        (("events", None), [ROW[2], ROW[1], ROW[0], *ROW[3:]]),
        (("events", None), ["peace", "peace", *sorted(ROW[2:])]),
        (("super_event", None), "none"),
        (("super_event", None), "picnic"),
        (("action_groups", 5), GROUPS[:2]),
        (("action_groups", 5), [*GROUPS, []]),
        (("action_groups", 5), [GROUPS[0], GROUPS[1], GROUPS[1]]),
        (("action_groups", 5), [[*GROUPS[0], *GROUPS[1]], [], GROUPS[2]]),
        (("action_groups", 5), [GROUPS[0], [*GROUPS[1][:1], "build_wall"], GROUPS[2]]),
    ],
)
def test_a_draw_that_the_rules_make_impossible_is_refused(key: tuple[str, int | None], value: object) -> None:
    with pytest.raises(ChanceError) as refusal:
        replay(draws() | {key: value})
    assert (refusal.value.what, refusal.value.round_no, refusal.value.missing) == (*key, False)
