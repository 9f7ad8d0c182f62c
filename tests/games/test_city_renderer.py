"""What pages show of The Forbidden City: every position of random games, for all and as far as a seat knows it."""

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from itertools import pairwise
from random import Random
from time import process_time
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import Recorded, Seeded, find_renderer
from referee.games.forbidden_city import ForbiddenCity
from referee.games.forbidden_city.board_panel import hand_key
from referee.games.forbidden_city.config import CityConfig
from referee.games.forbidden_city.known import KnownCity
from referee.games.forbidden_city.log import RoomSettled
from referee.games.forbidden_city.palette import TINTS, palette
from referee.games.forbidden_city.renderer import CityRenderer
from referee.games.forbidden_city.rooms import payments
from referee.games.forbidden_city.tile_set import MAX_COLOURS, TileSet
from referee.games.forbidden_city.tiles import OWNERS, Tile
from referee.games.renderer import Node, Panel, Sprite
from referee.games.year_of_the_dragon.renderer import DRAGON_CSS, EVENT_TINTS
from referee.pages.svg import write_svg
from referee.testing import finish
from tests.cases import some_in_ci
from tests.games.city import City
from tests.games.playing import Setup, option_setups, random_turns

NAMES = ("ada", "bob", "cleo", "dot")
SETUPS = option_setups("forbidden_city")
LARGE = ForbiddenCity.further_configs()["tile_set=large.toml"]
ODD_COLOURS = ("<b>", "Ω ω", "green tea", "green tee", "g&g", "blue", " spaces ", "x" * 40, "brown")


def renderer(game: ForbiddenCity, audience: Any = "all") -> CityRenderer:
    assert find_renderer(ForbiddenCity) is CityRenderer
    return CityRenderer(NAMES[: game.config.players], audience)


def odd_tiles() -> TileSet:
    """Every kind of tile there may be, in more colours than there are tints, with unusual names."""
    tiles = []
    random = Random("odd")
    for number, colour in enumerate(ODD_COLOURS):
        other = ODD_COLOURS[number - 1]
        for parts in ((colour,), (colour, other)):
            for picture, count in (("dragon", 1), ("advisors", 1), ("advisors", 2), ("none", 0)):
                edges = "".join(random.sample("wwaoo", 4))
                tiles.append(Tile(edges, parts, picture, count))  # type: ignore[arg-type]
    chosen = tuple(random.sample(tiles, 24))
    return TileSet(ODD_COLOURS, dict.fromkeys(OWNERS, chosen), dict.fromkeys(OWNERS, ()))


def odd_city() -> ForbiddenCity:
    return ForbiddenCity.new(CityConfig(players=4, tile_set="odd.toml", tiles=odd_tiles()), Seeded("odd"))


def city(setup: Setup) -> ForbiddenCity:
    game = setup.begin(f"drawn {setup}")
    assert isinstance(game, ForbiddenCity)
    return game


GAMES: Mapping[str, Callable[[], ForbiddenCity]] = {
    **{str(setup): lambda setup=setup: city(setup) for setup in SETUPS},  # type: ignore[misc]
    "odd": odd_city,
}
IN_CI = [GAMES["odd"], GAMES[str(SETUPS[1])]]
every_game = pytest.mark.parametrize("begin", some_in_ci(GAMES.values(), IN_CI), ids=GAMES.keys())


def positions(game: ForbiddenCity) -> Iterator[list[Panel]]:
    """The drawings of all positions of a game that is played at random."""
    drawing = renderer(game)
    for _ in random_turns(game, "drawn"):
        yield list(drawing.draw(game))
    yield list(drawing.draw(game))


def sprites(panels: list[Panel]) -> dict[str, Sprite]:
    """All sprites by PANEL/KEY."""
    return {f"{panel.key}/{sprite.key}": sprite for panel in panels for sprite in panel.sprites}


def texts(sprite: Sprite) -> list[str]:
    """The words in a sprite."""

    def inside(node: Node | str) -> Iterator[str]:
        if isinstance(node, str):
            yield node
        else:
            for child in node.children:
                yield from inside(child)

    return [text for node in sprite.shape for text in inside(node)]


def known_city(game: ForbiddenCity, seat: int | None) -> KnownCity:
    """A new game as far as a seat, or the public, knows it."""
    known = KnownCity.new(game.config, Recorded({}))
    show_hand(game, known, seat)
    return known


def show_hand(game: ForbiddenCity, known: KnownCity, seat: int | None) -> None:
    hand = None if seat is None else game.hands[seat]
    if seat is not None and hand is not None:
        known.hold(seat, hand)


# -- every position -------------------------------------------------------------------------------------------


@pytest.mark.ci_only
@every_game
def test_every_position_can_be_drawn_with_unique_keys(begin: Callable[[], ForbiddenCity]) -> None:
    for panels in positions(begin()):
        assert len({panel.key for panel in panels}) == len(panels)
        assert len(sprites(panels)) == sum(len(panel.sprites) for panel in panels)
        ElementTree.fromstring(write_svg(panels, "a city", CityRenderer.css))  # raises for tags that are not allowed
        for panel in panels:
            for sprite in panel.sprites:
                assert panel.left <= sprite.x <= panel.left + panel.width, (panel.key, sprite)
                assert panel.top <= sprite.y <= panel.top + panel.height, (panel.key, sprite)


@every_game
def test_a_laid_tile_stays_as_it_is(begin: Callable[[], ForbiddenCity]) -> None:
    for before, after in pairwise(map(sprites, positions(begin()))):
        laid = {key: sprite for key, sprite in before.items() if re.match(r"board/(tile|ground|settled)", key)}
        assert all(after[key] == sprite for key, sprite in laid.items() if not sprite.quiet)


@pytest.mark.slow
def test_a_tile_keeps_its_key_from_the_hand_to_the_board() -> None:
    game = city(SETUPS[0])
    drawing = renderer(game)
    random = Random("glides")
    while game.turn is not None:
        action: Any = random.choice(game.legal_actions())
        hand = drawing.choices(game, [action])[0].targets[1]
        held = sprites(list(drawing.draw(game)))[hand]
        assert held.label.startswith(f"{NAMES[game.turn.seat]} holds a ")
        game.apply(action)
        laid = sprites(list(drawing.draw(game)))[hand]
        assert (laid.x, laid.y) == (action.x * 48, action.y * -48)
        assert laid.label.startswith(held.label.replace(" holds", ":").partition(" tile")[0])


@every_game
def test_the_table_is_described_in_words(begin: Callable[[], ForbiddenCity]) -> None:
    game = finish(begin(), "described")
    labels = {sprite.label for sprite in sprites(list(renderer(game).draw(game))).values()}
    for laid in game.rooms.tiles.values():
        assert any(f" at ({laid.x},{laid.y})" in label for label in labels)
    for seat, coins in enumerate(game.coins):
        assert any(label.startswith(f"{NAMES[seat]} has {coins} coin") for label in labels)


@every_game
def test_each_legal_action_has_words_a_place_to_click_and_a_ghost(begin: Callable[[], ForbiddenCity]) -> None:
    game = begin()
    for _ in random_turns(game, "chosen", every=5):
        legal: list[Any] = game.legal_actions()
        drawing = renderer(game)
        choices = drawing.choices(game, legal)
        there = sprites(list(drawing.draw(game)))
        assert len({choice.label for choice in choices}) == len(legal)
        for choice, action in zip(choices, legal, strict=True):
            assert all(target in there for target in choice.targets)
            cell = there[choice.targets[0]]
            assert (cell.x, cell.y) == (action.x * 48, action.y * -48)
            assert choice.panel == "board"
            assert choice.ghost is not None
            assert choice.label.startswith(f"({action.x},{action.y}) ")
        ghosts = Panel(
            key="", title="", width=1, height=1, sprites=[choice.ghost for choice in choices if choice.ghost]
        )
        write_svg([ghosts], "")  # raises for tags that are not allowed


# -- what an audience may see ---------------------------------------------------------------------------------


@pytest.mark.ci_only
@every_game
@pytest.mark.parametrize("seat", [None, 1], ids=["public", "seat"])
def test_a_known_game_shows_all_but_the_hands_of_others(begin: Callable[[], ForbiddenCity], seat: int | None) -> None:
    game = begin()
    known = known_city(game, seat)
    random = Random("known")
    for_all, for_seat = renderer(game), renderer(game, "public" if seat is None else seat)
    while game.turn is not None:
        seen, true = sprites(list(for_seat.draw(known))), sprites(list(for_all.draw(game)))
        others = [other for other, hand in enumerate(game.hands) if other != seat and hand is not None]
        hidden = {f"board/{hand_key(game, other)}" for other in others}
        assert seen.keys() == true.keys()
        assert {key for key in true if seen[key] != true[key]} == hidden
        for key in hidden:
            assert seen[key].label.endswith("holds a tile that is not known")
        action: Any = random.choice(game.legal_actions())
        if game.turn.seat == seat:
            assert for_seat.choices(known, [action]) == for_all.choices(game, [action])
        else:
            assert for_seat.choices(known, [action])[0].ghost is None
        since = len(game.log)
        game.apply(action)
        known.reveal([event for event, _ in game.log[since:]])
        known.apply(action)
        show_hand(game, known, seat)
    assert for_seat.draw(known) == for_all.draw(game)
    assert for_seat.breakdown(known) == for_all.breakdown(game)


# -- what it tells --------------------------------------------------------------------------------------------


def test_a_room_shows_what_it_would_pay_and_what_it_paid() -> None:
    table = City().draw("""
        g/woow:AA  g/wwao:d
        *          p/aoww
    """)
    before = sprites(list(renderer(table.game).draw(table.game)))
    room = next(room for room in table.game.rooms.by_id.values() if room.advisors == [2, 0])
    assert texts(before[f"board/pay{room.id}-0"]) == [str(table.game.rooms.value(room))]
    assert f"board/settled{room.id}" not in before
    table.lay("g/owww:B")
    after = sprites(list(renderer(table.game).draw(table.game)))
    assert texts(after[f"board/pay{room.id}-0"]) == ["7"]
    assert texts(after[f"board/pay{room.id}-1"]) == ["3"]
    assert after[f"board/settled{room.id}"].label == "closed green room, worth 7: ada 7 coins, bob 3 coins"
    assert after[f"closed/room{room.id}"].label.endswith("worth 7, paid ada 7 coins, bob 3 coins")


@every_game
def test_every_payment_is_written_in_its_room(begin: Callable[[], ForbiddenCity]) -> None:
    game = begin()
    drawing = renderer(game)
    for _ in random_turns(game, "paid", every=10):
        pass
    shown = sprites(list(drawing.draw(game)))
    paid = [0] * game.config.players
    for key, sprite in shown.items():
        if found := re.fullmatch(r"board/pay\d+-(\d)", key):
            paid[int(found[1])] += int(texts(sprite)[0])
    events = [event for event, _ in game.log if isinstance(event, RoomSettled)]
    assert paid == [sum(event.paid[seat] for event in events) for seat in range(game.config.players)]
    assert sum(key.startswith("board/settled") for key in shown) == len(events)


def test_open_rooms_would_bring_what_the_seats_are_told() -> None:
    game = city(SETUPS[0])
    for _ in random_turns(game, "open"):
        shown = sprites(list(renderer(game).draw(game)))
        opened = [room for room in game.rooms.by_id.values() if room.open_edges]
        for seat in range(game.config.players):
            bring = sum(payments(game.rooms.value(room), room.advisors)[seat] for room in opened)
            assert texts(shown[f"seat{seat}/open"])[0].endswith(f", +{bring} in open rooms")


def test_who_is_ahead_is_taken_from_the_places_in_which_bots_that_are_out_come_last() -> None:
    game = ForbiddenCity.new(CityConfig(players=3), Seeded("places"))
    drawing = renderer(game)
    for coins, places, standing in (
        ([0, 0, 0], [], ["level", "level", "level"]),
        ([10, 30, 5], [2, 1, 3], ["20 behind", "leads by 20", "25 behind"]),
        ([10, 30, 5], [1, 3, 2], ["leads by 5", "place 3", "5 behind"]),
        ([10, 10, 30], [1, 1, 3], ["level", "level", "place 3"]),
        ([10, 30, 0], [1, 2, 3], ["leads", "place 2", "10 behind"]),
    ):
        game.coins, drawing.places = coins, places
        shown = sprites(list(drawing.draw(game)))
        said = [texts(shown[f"seat{seat}/open"])[0].partition(",")[0] for seat in range(3)]
        assert said == standing


def test_only_the_last_tile_is_outlined() -> None:
    game = city(SETUPS[0])
    for _ in random_turns(game, "marked"):
        shown = sprites(list(renderer(game).draw(game)))
        laid = game.rooms.laid[-1]
        if laid.seat in range(game.config.players):
            assert (shown["board/last"].x, shown["board/last"].y) == (laid.x * 48, laid.y * -48)


def test_readers_can_jump_to_settlements() -> None:
    game = city(SETUPS[0])
    drawing = renderer(game)
    random = Random("jump")
    found = set()
    while game.turn is not None:
        since = len(game.log)
        game.apply(random.choice(game.legal_actions()))
        events = [event for event, _ in game.log[since:]]
        closed = any(isinstance(event, RoomSettled) for event in events)
        assert list(drawing.marks(events)) == (["settlement"] if closed else [])
        found.add(closed)
    assert found == {True, False}


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from(["garden", "advanced"]))
def test_the_breakdown_sums_up_to_the_scores(seed: int, players: int, start_tile: Any) -> None:
    game = ForbiddenCity.new(CityConfig(players=players, start_tile=start_tile), Seeded(seed))
    drawing = renderer(game)
    assert drawing.breakdown(game) is None
    finish(game, str(seed))
    breakdown = drawing.breakdown(game)
    assert breakdown is not None
    assert len(breakdown.sources) == len(breakdown.points)
    assert [sum(column) for column in zip(*breakdown.points, strict=True)] == game.ranking().scores


# -- economy --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_decision_changes_little_of_the_drawing() -> None:
    game = ForbiddenCity.new(CityConfig(players=4), Seeded("economy"))
    frames, changed = [], []
    before: dict[str, Sprite] = {}
    for panels in positions(game):
        frames.append([(panel.title, panel.left, panel.top, panel.width, panel.height) for panel in panels])
        now = sprites(panels)
        changed.append(sum(before.get(key) != sprite for key, sprite in now.items()) if before else 0)
        before = now
    assert sum(changed) / len(changed) < 25
    assert sum(one != other for one, other in pairwise(frames)) < 16


@pytest.mark.slow
def test_a_board_of_120_tiles_is_drawn_fast() -> None:
    game = ForbiddenCity.new(LARGE, Seeded("fast"))
    drawing = renderer(game)
    random = Random("fast")
    begin = process_time()
    while len(game.rooms.laid) < 120:
        drawing.draw(game)
        legal: list[Any] = game.legal_actions()
        drawing.choices(game, legal)
        game.apply(random.choice(legal))
    assert process_time() - begin < 10


# -- colours --------------------------------------------------------------------------------------------------


def relative_luminance(colour: str) -> float:
    """That of `#RRGGBB`, from 0 to 1."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def lightness(colour: str) -> float:
    """The lightness of `#RRGGBB` from 0 to 100 (CIE L*)."""
    luminance = relative_luminance(colour)
    return 116 * luminance ** (1 / 3) - 16 if luminance > 216 / 24389 else luminance * 24389 / 27


SEATS = [f"seat{seat}" for seat in range(5)]
WRITTEN = [
    *(("ink", ground) for ground in ("paper", "raised", *(f"tint-{tint}" for tint in TINTS))),
    *(("ink", ground) for ground in ("young", "old", "tray", "stone", *EVENT_TINTS)),
    *(("muted", ground) for ground in ("paper", "raised", "tray")),
    *(("accent", ground) for ground in ("paper", "raised", "dragon_festival", "contagion")),
    *(("paper", ground) for ground in SEATS),
    *((seat, "paper") for seat in SEATS),
]
"""The colours of text and of what it is written on, in drawings of our two games."""


@pytest.mark.parametrize("paper", ["light", "dark"])
def test_text_can_be_read_on_what_it_is_written_on(paper: str) -> None:
    css = (resources.files("referee.pages") / "scene.css").read_text() + CityRenderer.css + DRAGON_CSS
    rules = re.findall(r"([^{}]+)\{([^}]*)\}", css)
    own = [body for selector, body in rules if (".dark" in selector) == (paper == "dark")]
    colours = dict(re.findall(r"--([\w-]+):\s*(#\w{6})", " ".join(own)))
    for text, ground in WRITTEN:
        darker, lighter = sorted(relative_luminance(colours[name]) for name in (text, ground))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, f"{text} on {ground}: too little contrast for WCAG AA"


def test_tints_differ_in_lightness_on_both_papers() -> None:
    assert len(TINTS) == 7
    for paper in (0, 1):
        for lighter, darker in pairwise(shades[paper] for shades in TINTS.values()):
            assert lightness(lighter) - lightness(darker) > 4


def test_every_colour_of_a_tile_set_has_letters_of_its_own() -> None:
    for colours in ([f"colour {n}" for n in range(MAX_COLOURS)], ["a", "A", "aa", "AA"], ODD_COLOURS, TINTS):
        drawn = palette(list(colours))
        assert {"green", "pink", "white", *colours} == drawn.keys()
        assert len({colour.letters for colour in drawn.values()}) == len(drawn)
        assert all(len(colour.letters) <= 2 for colour in drawn.values())


def test_the_colours_of_the_game_have_the_tints_of_their_names() -> None:
    drawn = palette(["green", "pink", "white", "ochre", "violet"])
    assert [drawn[colour].css_class for colour in ("green", "pink", "white", "violet")] == [
        "tint-green",
        "tint-pink",
        "tint-white",
        "tint-violet",
    ]
    assert drawn["ochre"].css_class == "tint-yellow"
