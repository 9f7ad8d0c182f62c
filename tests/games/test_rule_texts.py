"""Every name in the rules has an explanation, with the numbers of the rules, and an entry in every table."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from referee.games import Game, find_game, find_presenter
from referee.games.forbidden_city import tiles as city
from referee.games.narrator import readable
from referee.games.options import options
from referee.games.rule_texts import RuleText, find_texts, rule_texts
from referee.games.tables import check_complete
from referee.games.year_of_the_dragon import tiles as dragon
from tests.games.playing import games_for_people

PHASES = ("action_phase", "person_phase", "event_phase", "scoring_phase", "decay", "final_scoring", "replenish")
NAMES: dict[str, set[str]] = {
    "year_of_the_dragon": {
        name
        for names in (dragon.PersonType, dragon.Age, dragon.Card, dragon.ActionCard, dragon.EventTile)
        for name in get_args(names)
    }
    | set(get_args(dragon.SuperEvent)) - {"none"}
    | set(get_args(dragon.WallTile))
    | set(get_args(dragon.PrivilegeSize))
    | set(PHASES),
    "forbidden_city": {
        *get_args(city.Picture),
        *city.OWNERS,
        *city.SIDE_NAMES,
        *("green", "pink", "white", "open", "wall", "archway", "passage", "room", "garden", "temple", "diagonal tile"),
        *("laid", "settled", "shown", "coins", "value", "payment", "hand"),
    },
}
"""Names in the rules of each game, besides decisions and options."""


def texts(game: str) -> dict[str, RuleText]:
    presenter = find_presenter(find_game(game))
    assert presenter is not None
    return dict(presenter.rules)


def words_of_options(game: type[Game]) -> Iterator[str]:
    """The names of the options and of the values that they take."""
    hints = get_type_hints(game.Config, include_extras=True)
    for option in options(game.Config):
        yield option.name
        for kind in get_args(hints[option.name]):
            if "Literal" in str(get_origin(kind)):
                yield from get_args(kind)


def names_in(game: str) -> set[str]:
    special: set[Any] = {"none", "random"}  # values of an option that stand for no rule
    return (NAMES.get(game, set()) | set(find_game(game).actions) | set(words_of_options(find_game(game)))) - special


@pytest.mark.parametrize("game", games_for_people())
def test_every_name_in_the_rules_is_explained(game: str) -> None:
    known = texts(game)
    for name in sorted(names_in(game)):
        found = find_texts(known, name)
        assert len(found) == 1, name
        assert readable(name) in {readable(word) for word in (found[0].name, *found[0].also)}


@pytest.mark.parametrize("game", games_for_people())
def test_texts_are_short_and_no_name_is_explained_twice(game: str) -> None:
    known = texts(game)
    names = [readable(word) for rule in known.values() for word in (rule.name, *rule.also)]
    assert len(names) == len(set(names))
    for rule in known.values():
        assert 20 < len(rule.text.strip()) < 500, rule.name
        assert rule.text.strip().endswith("."), rule.name


def test_a_text_is_found_by_beginnings_of_words_by_other_words_and_whatever_the_case() -> None:
    known = texts("year_of_the_dragon")
    for words in ("contagion", "Contagion", "conta", "plague", " CONTAGION "):
        assert [rule.name for rule in find_texts(known, words)] == ["contagion"]
    assert {rule.name for rule in find_texts(known, "ph")} >= {"action_phase", "person_phase"}
    assert find_texts(known, "no such thing") == []
    assert find_texts(known, "   ") == []


def test_the_texts_on_persons_have_the_numbers_of_their_tiles() -> None:
    known = rule_texts(dragon.__file__)
    for person, ages in dragon.FACTS.items():
        text = " ".join(known[person].text.split())
        if "old" in ages:
            for age, facts in ages.items():
                assert f"{age.capitalize()}: value {facts.value}, {facts.symbols} " in text
        else:
            assert f"Value {ages['young'].value}." in text


def test_the_texts_on_cards_and_events_have_the_numbers_of_the_rules() -> None:
    known = {name: " ".join(rule.text.split()) for name, rule in texts("year_of_the_dragon").items()}
    for card, symbols in dragon.CARD_SYMBOLS.items():
        assert str(symbols) in known[card]
    prices = dragon.PRIVILEGE_PRICE
    for price in (prices["first"]["small"], prices["first"]["large"], prices["anniversary"]["large"]):
        assert f"{price} yuan" in known["privilege"] or f"({price} in" in known["privilege"]
    assert f"pays {dragon.TRIBUTE} yuan" in known["imperial_tribute"]
    first, second = dragon.FESTIVAL_POINTS
    assert f"score {first} points, second most {second}" in known["dragon_festival"]
    assert f"until you have {dragon.REPLENISH_TO} yuan" in known["replenish"]
    assert f"costs {dragon.OCCUPIED_GROUP_PRICE} yuan" in known["choose_action"]
    assert f"round {dragon.SUPER_EVENT_ROUND}" in known["super_event"]


PARTIAL = {
    "year_of_the_dragon.action_phase.CARDS",
    "year_of_the_dragon.outlook.EVENT_EFFECTS",
    "year_of_the_dragon.presenter.GAINS",
    "year_of_the_dragon.presenter.PLURALS",
    "year_of_the_dragon.shapes.WALL_FORMS",
    "year_of_the_dragon.tiles.CARD_SYMBOLS",
}
"""Tables that leave out names on purpose."""


def tables_of(game: str) -> Iterator[tuple[str, Mapping[str, Any], set[str]]]:
    """The tables in the modules of a game whose keys are values of a Literal: name, table, and these values."""
    package = import_module(f"referee.games.{game}")
    for found in iter_modules(package.__path__, f"{package.__name__}."):
        module = import_module(found.name)
        for name, hint in get_type_hints(module).items():
            mapping = get_args(hint)[0] if get_args(hint) else hint  # of a Final
            keys = next(iter(get_args(mapping)), None)
            table = getattr(module, name, None)
            if get_origin(keys) is Literal and isinstance(table, Mapping):
                yield f"{found.name.removeprefix('referee.games.')}.{name}", table, set(get_args(keys))


@pytest.mark.parametrize(("game", "least"), [("year_of_the_dragon", 15), ("forbidden_city", 6)])
def test_tables_of_names_are_complete_but_for_those_that_leave_out_some_on_purpose(game: str, least: int) -> None:
    tables = list(tables_of(game))
    assert len(tables) >= least
    incomplete = {name for name, table, values in tables if set(table) != values}
    assert incomplete == {name for name in PARTIAL if name.startswith(game)}


@pytest.mark.parametrize(("names", "but", "problem"), [("abc", "", "lacks c"), ("ab", "b", "has unknown b")])
def test_a_table_that_is_not_complete_is_refused_with_what_is_wrong(names: str, but: str, problem: str) -> None:
    check_complete("abc", {"a": 1, "b": 2}, but="c")
    with pytest.raises(TypeError, match=problem):
        check_complete(names, {"a": 1, "b": 2}, but=but)
