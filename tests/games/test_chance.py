"""Replaying a record: draws that are missing from it, or impossible by the rules, are refused."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games import ChanceError, Recorded, Seeded
from referee.games.interface import ChanceEvent
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.games.year_of_the_dragon.config import DragonConfig
from referee.testing import finish

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
    assert (refusal.value.name, refusal.value.round_no, refusal.value.missing) == (*key, True)


@pytest.mark.parametrize(
    ("key", "spoil"),
    [
        (("events", None), lambda row: "peace"),
        (("events", None), lambda row: ["plague", *row[1:]]),
        (("events", None), lambda row: row[:11]),
        (("events", None), lambda row: [*row[:11], row[10]]),
        (("events", None), lambda row: [row[2], row[1], row[0], *row[3:]]),
        (("events", None), lambda row: [*row[:2], *sorted(row[2:])]),
        (("super_event", None), lambda chosen: "none"),
        (("super_event", None), lambda chosen: "picnic"),
        (("action_groups", 5), lambda groups: groups[:2]),
        (("action_groups", 5), lambda groups: [*groups, []]),
        (("action_groups", 5), lambda groups: [groups[0], groups[1], groups[1]]),
        (("action_groups", 5), lambda groups: [groups[0] + groups[1], [], groups[2]]),
        (("action_groups", 5), lambda groups: [groups[0], ["build_wall", groups[1][1]], groups[2]]),
    ],
)
def test_a_draw_that_the_rules_make_impossible_is_refused(
    key: tuple[str, int | None], spoil: Callable[[Any], object]
) -> None:
    values = draws()
    values[key] = spoil(values[key])
    with pytest.raises(ChanceError) as refusal:
        replay(values)
    assert (refusal.value.name, refusal.value.round_no, refusal.value.missing) == (*key, False)
