"""A person is shown only what the seat may see, and every legal action once, in 80 columns."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from msgspec import UNSET, Raw

from referee.games import Action, Game, find_presenter
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.board import LayTile
from referee.games.forbidden_city.outcomes import placement_outcome
from referee.games.presenter import Menu, Presenter
from referee.games.year_of_the_dragon import YearOfTheDragon, tiles
from referee.testing import encode
from tests.cases import some_in_ci
from tests.games.playing import SCRAMBLERS, Setup, games_for_people, option_setups, random_turns, seats

WIDTH = 80
NAMES = ("human", "steady", "mason", "a name of 20 letters", "first")
SETUPS = [
    *(setup for name in games_for_people() for setup in option_setups(name) if "tile_set" not in str(setup.options)),
    *(Setup("year_of_the_dragon", {"players": 3, "super_event": event}) for event in ("flood", "tornado")),
]
TURNS_PER_CHECK = 7
"""One turn in this number is checked, so that all kinds of decisions occur in all games together."""


class Follower:
    """A presenter that is told what its seat is sent."""

    def __init__(self, game: Game, seat: int) -> None:
        kind = find_presenter(type(game))
        assert kind is not None
        self.seat = seat
        self.presenter: Presenter[Any] = kind(game.public_config(), seat, NAMES[: len(seats(game))])
        self._since = 0

    def follow(self, game: Game) -> list[str]:
        """The description of the events since the last call."""
        events = game.events_since(self.seat, self._since)
        self._since = len(game.log)
        return [said.text for said in self.presenter.follow([Raw(encode(event)) for event in events], WIDTH)]

    def shown(self, game: Game) -> list[str]:
        """Everything that it shows at a decision of its seat."""
        legal, observation = game.legal_actions(), game.observe(self.seat)
        return [*self.presenter.table(observation, legal, WIDTH), *lines(self.presenter.menu(observation, legal))]


def lines(menu: Menu) -> Iterator[str]:
    """All texts of a menu and its submenus."""
    yield menu.question
    yield from menu.drawing
    for entry in menu.entries:
        yield f"{entry.heading}: {entry.label} {entry.note}"
        if isinstance(entry.leads_to, Menu):
            yield from lines(entry.leads_to)


def actions(menu: Menu) -> Iterator[Action]:
    """The actions at the ends of a menu."""
    labels = [entry.label for entry in menu.entries]
    assert len(labels) == len(set(labels)), labels
    assert labels
    for entry in menu.entries:
        if isinstance(entry.leads_to, Menu):
            yield from actions(entry.leads_to)
        else:
            yield entry.leads_to


def begin(name: str, **given: Any) -> tuple[Game, Sequence[Follower]]:
    game = Setup(name, given).begin("presenters")
    return game, [Follower(game, seat) for seat in seats(game)]


@pytest.mark.parametrize("setup", some_in_ci(SETUPS, [*SETUPS[:3], *SETUPS[-2:]]), ids=str)
def test_every_legal_action_is_in_the_menus_and_the_table_fits(setup: Setup) -> None:
    game = setup.begin("menus")
    followers = [Follower(game, seat) for seat in seats(game)]
    for turn in random_turns(game, "menus", every=TURNS_PER_CHECK):
        follower, legal = followers[turn.seat], game.legal_actions()
        follower.follow(game)
        observation = game.observe(turn.seat)
        table = [*follower.presenter.table(observation, legal, WIDTH)]
        assert max(map(len, table)) <= WIDTH
        found = [*actions(follower.presenter.menu(observation, legal))]
        if turn.decision == "draft":  # the two persons may be named in either order
            assert len(found) == 2 * len(legal)
        else:
            assert len(found) == len(legal)
        assert set(found) == set(legal)


@pytest.mark.parametrize("setup", some_in_ci(SETUPS, [*SETUPS[:3], *SETUPS[-2:]]), ids=str)
def test_the_known_game_is_what_the_seat_observes(setup: Setup) -> None:
    game = setup.begin("known")
    followers = [Follower(game, seat) for seat in seats(game)]
    for _ in random_turns(game, "known", every=3 * TURNS_PER_CHECK):
        for follower in followers:
            follower.follow(game)
            known: Any = follower.presenter.known
            if isinstance(game, ForbiddenCity):
                known = known.copy()
                known.hands[follower.seat] = game.hands[follower.seat]
            assert encode(known.observe(follower.seat)) == encode(game.observe(follower.seat))
    for follower in followers:
        follower.follow(game)
        assert follower.presenter.known is not None
        assert follower.presenter.known.ranking() == game.ranking()


@pytest.mark.parametrize("name", games_for_people())
def test_what_a_person_is_shown_does_not_depend_on_what_is_hidden(name: str) -> None:
    game, followers = begin(name)
    scramble, random = SCRAMBLERS[name], Random("scramble")
    assert scramble is not None
    different = 0
    for turn in random_turns(game, "hidden", every=TURNS_PER_CHECK):
        follower = followers[turn.seat]
        other = game.copy()
        scramble(other, turn.seat, random, deciding=True)
        follower.follow(game)
        assert follower.shown(other) == follower.shown(game)
        different += encode([game.observe(seat) for seat in seats(game)]) != encode(
            [other.observe(seat) for seat in seats(other)]
        )
    assert different, "nothing was scrambled"


@pytest.mark.parametrize("name", games_for_people())
def test_the_recaps_tell_the_whole_game_and_the_end_has_its_scores(name: str) -> None:
    game, followers = begin(name)
    told: list[str] = []
    for turn in random_turns(game, "told"):
        if turn.seat == 0:
            told += followers[0].follow(game)
    told += [*followers[0].follow(game), *followers[0].presenter.final_position(WIDTH)]
    text = "\n".join(told)
    for number in range(1, tiles.ROUNDS + 1):
        assert f"Round {number} of " in text
    for score in game.ranking().scores:
        assert str(score) in text
    assert "Final" in text


def test_a_gain_in_the_menu_is_what_the_action_brings() -> None:
    game, followers = begin("year_of_the_dragon", players=3)
    checked = 0
    for turn in random_turns(game, "gains"):
        if turn.decision != "choose_action":
            continue
        follower, legal = followers[turn.seat], game.legal_actions()
        follower.follow(game)
        for entry in follower.presenter.menu(game.observe(turn.seat), legal).entries:
            if entry.label in ("taxes", "harvest", "research"):
                before, after = game, game.copy()
                assert not isinstance(entry.leads_to, Menu)
                after.apply(entry.leads_to)
                what = {"taxes": "yuan", "harvest": "rice", "research": "score"}[entry.label]
                price = 3 if what == "yuan" and "costs you 3 yuan" in entry.heading else 0
                assert isinstance(before, YearOfTheDragon)
                assert isinstance(after, YearOfTheDragon)
                gain = getattr(after.players[turn.seat], what) - getattr(before.players[turn.seat], what)
                assert entry.note.startswith(f"{gain + price} ")
                checked += 1
    assert checked > 20


@pytest.mark.slow
def test_coins_in_the_menu_are_what_the_tile_brings_at_once() -> None:
    game, followers = begin("forbidden_city")
    checked = 0
    for turn in random_turns(game, "coins", every=3):
        follower, legal = followers[turn.seat], game.legal_actions()
        follower.follow(game)
        assert isinstance(game, ForbiddenCity)
        for place in follower.presenter.menu(game.observe(turn.seat), legal).entries:
            best = max(coins(game, turn.seat, action) for action in actions(Menu("", [place])))
            promised = f"up to {best} coin" if best else "up to"
            assert (promised in place.note) == bool(best)
            checked += bool(best)
    assert checked > 20


def test_what_a_tile_does_to_rooms_that_stay_open_is_what_is_said_of_it() -> None:
    game, _ = begin("forbidden_city")
    sizes = Counter[int]()
    for turn in random_turns(game, "rooms", every=4):
        assert isinstance(game, ForbiddenCity)
        tile = game.hands[turn.seat]
        assert tile is not None
        for action in game.legal_actions()[::5]:
            assert isinstance(action, LayTile)
            note = placement_outcome(game, NAMES[:2], turn.seat, tile, action).note
            after = game.copy()
            after.lay_tile(turn.seat, action)
            for room in (after.rooms.room_of((action.x, action.y, part)) for part in range(len(tile.parts))):
                if room.value is UNSET:
                    size = len(room.cells)
                    begins, joins = (
                        f"begins {room.colour}, {room.open_edges} open",
                        f"joins {room.colour}: {size} tiles",
                    )
                    assert (begins if size == 1 else joins) in note
                    sizes[size] += 1
    assert min(sizes[1], sizes[2], sizes[3]) > 5


def coins(game: ForbiddenCity, seat: int, action: Action) -> int:
    """The gain of an action for its seat, before the end of the game."""
    after = game.copy()
    after.hands = [None] * len(after.hands)
    after.hands[seat] = game.hands[seat]
    after.lay_tile(seat, action)  # type: ignore[arg-type]
    return after.coins[seat] - game.coins[seat]


def test_the_places_have_the_numbers_of_the_menu_on_the_board() -> None:
    game, followers = begin("forbidden_city")
    followers[0].follow(game)
    legal, observation = game.legal_actions(), game.observe(0)
    table = [*followers[0].presenter.table(observation, legal, WIDTH)]
    menu = followers[0].presenter.menu(observation, legal)
    on_board = [
        int(word) for line in table for word in line.partition("┊")[2].replace("┃", " ").split() if is_mark(word, line)
    ]
    assert sorted(on_board) == [*range(len(menu.entries))]
    rows = {line.split()[0]: line for line in table if line.partition("┊")[0].strip()}
    for number, entry in enumerate(menu.entries):
        assert f" {number} " in f"{rows[entry.label.strip('()').split(',')[1]].partition('┊')[2]} "


def is_mark(word: str, line: str) -> bool:
    """Whether a word of a drawing is the number of a place: only rows of cells have a coordinate before the margin."""
    return word.isdecimal() and bool(line.partition("┊")[0].strip())


def test_decisions_of_one_turn_belong_together_until_chance_or_somebody_else_decides() -> None:
    game, followers = begin("year_of_the_dragon", players=3)
    chained = 0
    for turn in random_turns(game, "turns"):
        follower = followers[turn.seat]
        follower.follow(game)
        if game.is_forced():
            continue
        for action in game.legal_actions()[:3]:
            after = follower.presenter.position_after([action])
            twin = game.copy()
            twin.apply(action)
            while twin.turn is not None and twin.turn.seat == turn.seat and twin.is_forced():
                twin.apply(twin.legal_actions()[0])
            if after is not None:
                chained += 1
                assert twin.turn is not None
                assert twin.turn.seat == turn.seat
                assert encode(after[0]) == encode(twin.observe(turn.seat))
                assert after[1] == twin.legal_actions()
    assert chained > 50
