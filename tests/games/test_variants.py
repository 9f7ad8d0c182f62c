"""A variant of a game by others, which allows less: what is listed is what is sent, forced and accepted."""

from typing import Any

import msgspec
import pytest

from referee.games import Action, Game, Seeded, find_game
from referee.games.forbidden_city import ForbiddenCity
from referee.games.year_of_the_dragon import YearOfTheDragon


class FirstCell(ForbiddenCity):
    """Only the first placement is allowed."""

    __slots__ = ()

    def _list_legal(self) -> list[Action]:
        return super()._list_legal()[:1]


class FirstCellToo(FirstCell, ForbiddenCity):
    """Inherits it."""

    __slots__ = ()


class OwnTexts(FirstCell):
    """Answers with what it lists in another way, which stays."""

    __slots__ = ()

    def legal_to_send(self) -> Any:
        return [{"sent": len(self.legal_actions())}]

    def _list_legal(self) -> list[Action]:
        return super()._list_legal()[:1]


class FirstCard(YearOfTheDragon):
    """Only the first action is allowed."""

    __slots__ = ()

    def legal_actions(self) -> list[Action]:
        return super().legal_actions()[:1]


@pytest.mark.parametrize(
    ("variant", "original"), [(FirstCell, ForbiddenCity), (FirstCellToo, ForbiddenCity), (FirstCard, YearOfTheDragon)]
)
def test_what_a_variant_lists_is_sent_and_forced(variant: type[Game], original: type[Game]) -> None:
    config: Any = find_game(original.name).Config(players=2)
    game = variant.new(config, Seeded("variant"))
    for _ in range(12):
        assert game.is_forced()
        sent = msgspec.json.decode(msgspec.json.encode(game.legal_to_send()))
        assert sent == msgspec.json.decode(msgspec.json.encode(game.legal_actions()))
        assert len(sent) == 1
        assert game.is_forced()  # whoever has listed the actions before
        game.apply(game.legal_actions()[0])


def test_what_a_variant_does_not_list_is_not_legal() -> None:
    config: Any = YearOfTheDragon.Config(players=2)
    allowed = YearOfTheDragon.new(config, Seeded("variant")).legal_actions()
    game = FirstCard.new(config, Seeded("variant"))
    assert [game.is_legal(action) for action in allowed] == [True] + [False] * (len(allowed) - 1)


def test_a_variant_keeps_how_it_sends_what_it_lists() -> None:
    game = OwnTexts.new(ForbiddenCity.Config(players=2), Seeded("variant"))
    assert game.legal_to_send() == [{"sent": 1}]
