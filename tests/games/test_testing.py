"""The published conformance suite: games of every kind pass it, and each broken one fails."""

from random import Random
from typing import Any

import pytest

from referee.cli.games import describe
from referee.conformance.variants import variants
from referee.games import Action, Chance, Game, Seeded
from referee.games.forbidden_city import ForbiddenCity
from referee.games.interface import ALL, Ranking, Traits, Turn
from referee.testing import GameTests, check_game
from tests.games.sealed_bids import Bid, SealedBids
from tests.games.third_game import ROUNDS, HighCard
from tests.games.third_game.package import PACKAGE
from tests.registered import registered


class TestHighCard(GameTests):
    """A package's tests, as its author writes them."""

    game = HighCard

    def test_it_has_hidden_cards(self) -> None:
        """A test of its own."""
        assert HighCard.traits.hidden


class TestSealedBids(GameTests):
    """A game that hides decisions."""

    game = SealedBids


@pytest.mark.check_all
def test_a_game_with_a_set_of_tiles_from_a_file_passes() -> None:
    files = ForbiddenCity.further_configs()
    found = [variant for variant in variants(ForbiddenCity) if variant.name in files]
    assert found  # the others pass test_conformance.py
    suite = type("WithFiles", (GameTests,), {"game": ForbiddenCity, "variants": lambda self: found})()
    for name in dir(suite):
        if name.startswith("test_"):
            getattr(suite, name)()


def test_the_record_of_a_package_is_shown() -> None:
    with registered(HighCard, narrator=str(PACKAGE.narrator)):
        tests = type("Shown", (GameTests,), {"game": HighCard, "package": PACKAGE})()
        tests.test_the_record_of_a_game_can_be_shown()
        tests.test_the_narrator_says_lines_that_name_every_player_and_changes_nothing()


class SpelledOut(SealedBids):
    """Records whatever a bot wrote."""

    def canonical(self, action: Action) -> Action | None:
        return action if self.turn is not None and action in self.legal_actions() else None


class Announced(SealedBids):
    """Hides decisions and doesn't say so."""

    hides_decisions = False


class WrongRanks(SealedBids):
    """The lowest score wins."""

    def ranking(self) -> Ranking:
        ranks = [1 + sum(other < score for other in self.scores) for score in self.scores]
        return Ranking(scores=self.scores[:], ranks=ranks)


class SharedCopy(SealedBids):
    """A copy changes its original."""

    def copy(self, chance: Chance | None = None) -> Any:
        twin = super().copy(chance)
        twin.scores = self.scores
        return twin


class OtherFuture(HighCard):
    """Copies draw alike, and differently from their original."""

    def copy(self, chance: Chance | None = None) -> Any:
        return super().copy(chance or Seeded("of copies"))


class Random2(SealedBids):
    """Has randomness of its own."""

    def _list_legal(self) -> list[Action]:
        return [Bid(action=Random().randrange(10**6)), Bid(action=-1)]


class ForcedOpening(SealedBids):
    """Has one action at first."""

    def _list_legal(self) -> list[Action]:
        legal = super()._list_legal()
        return legal[:1] if len(self.bids) == 1 else legal


class Asking(ForcedOpening):
    """Asks players who have no choice, and doesn't say so."""

    traits = Traits(hidden=True, searchable=False, forced_opening=True)

    def is_forced(self) -> bool:
        return False


class Misnamed(SealedBids):
    """Has a name that no game may have."""

    name = "Sealed Bids"


class DrawsByDecisions(HighCard):
    """Deals further cards to those who bet."""

    def _carry_out(self, turn: Turn, action: Any) -> None:
        if action.stakes:
            self.draw(
                f"extra_{turn.seat}", lambda random: 1, int, lambda value: None, round_no=self.round, audience=ALL
            )
        super()._carry_out(turn, action)


class NoChance(HighCard):
    """Denies that cards are drawn."""

    traits = Traits(hidden=True, chance=False)


class Peeking(HighCard):
    """Shows a seat another one's card."""

    def observe(self, seat: int) -> Any:
        seen = super().observe(seat)
        return type(seen)(**{name: getattr(seen, name) for name in seen.__struct_fields__} | {"card": self.cards[-1]})


class Unveiling(HighCard):
    """Adds cards that were hidden to the events that others were sent before."""

    def pay(self) -> None:
        super().pay()
        self.log = [(event, ALL) for event, _ in self.log]


class Emptied(HighCard):
    """Its samples lead to positions without a legal action."""

    def determinize(self, seat: int, random: Random) -> Any:
        twin = super().determinize(seat, random)
        twin.round = ROUNDS + 1
        return twin

    def _list_legal(self) -> list[Action]:
        return [] if self.round > ROUNDS else super()._list_legal()


class Forgetful(HighCard):
    """Its samples have other cards than the draws in their logs."""

    def determinize(self, seat: int, random: Random) -> Any:
        twin = super().determinize(seat, random)
        twin.log = [(event, audience) for (event, audience) in self.log]
        return twin


@pytest.mark.parametrize(
    ("game", "promise"),
    [
        (Unveiling, "test_a_game_can_be_played_on_from_any_position"),
        (Emptied, "test_a_determinized_copy_can_be_played_to_its_end_and_replayed_from_its_log"),
        (Forgetful, "test_a_determinized_copy_can_be_played_to_its_end_and_replayed_from_its_log"),
    ],
)
def test_a_game_that_can_not_be_played_on_fails(game: type[Game], promise: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        getattr(type("Broken", (GameTests,), {"game": game})(), promise)()


@pytest.mark.ci_only
@pytest.mark.parametrize(
    "game",
    [
        SpelledOut,
        Announced,
        WrongRanks,
        SharedCopy,
        OtherFuture,
        Random2,
        ForcedOpening,
        Asking,
        Misnamed,
        DrawsByDecisions,
        NoChance,
        Peeking,
    ],
)
def test_a_broken_game_fails(game: type[Game]) -> None:
    with pytest.raises(AssertionError):
        check_game(game)


@pytest.mark.slow
def test_what_a_game_declares_of_itself_lets_it_pass() -> None:
    class Declared(DrawsByDecisions):
        traits = Traits(hidden=True, draws_depend_on_decisions=True)

    class Opening(ForcedOpening):
        traits = Traits(searchable=False, forced_opening=True)

    class Asked(ForcedOpening):
        traits = Traits(hidden=True, searchable=False, hides_forced=True)

    for game in (Declared, Opening, Asked):
        check_game(game)


def test_referee_games_says_which_games_have_no_chance() -> None:
    assert describe(SealedBids)["chance"] is False
    assert "chance" not in describe(HighCard)
