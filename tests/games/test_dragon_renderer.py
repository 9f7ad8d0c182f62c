"""The drawing of In the Year of the Dragon: whole, stable, true to the rules, and without what nobody may see."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from referee.games import find_presenter, find_renderer, new_game
from referee.games.narrator import format_count
from referee.games.renderer import ATTRIBUTES, TAGS, Audience, Node, Panel, Sprite
from referee.games.year_of_the_dragon import YearOfTheDragon, tiles
from referee.games.year_of_the_dragon.action_phase import action_phase
from referee.games.year_of_the_dragon.drawing import PANEL_WIDTH, text_width
from referee.games.year_of_the_dragon.outlook import EVENT_EFFECTS, Prospect, format_prospect, format_when, look_ahead
from referee.games.year_of_the_dragon.renderer import DragonRenderer
from referee.games.year_of_the_dragon.table import EVENTS_AHEAD, format_taken_by, stakes
from referee.testing import fingerprint
from tests.cases import some_in_ci
from tests.games.dragon import DragonTable, palace
from tests.games.playing import SCRAMBLERS, Setup, option_setups, random_turns, seats

NAMES = ("steady", "mason", "a name of 20 letters", "WWWWWWWWWWWWWWWWWWWW", "名前がとても長いボット")
GAME = YearOfTheDragon.name
SETUPS = [
    *option_setups(GAME),
    *(
        Setup(GAME, {"players": 2 + n % 4, "great_wall": n % 2 == 0, "edition": "first", "super_event": event})
        for n, event in enumerate(tiles.SUPER_EVENTS)
    ),
]
every_setup = pytest.mark.parametrize("setup", some_in_ci(SETUPS, SETUPS[::4]), ids=str)
TURNS_PER_CHECK = 10
DECORATION = (
    "line",
    "waiting",
    "legend",
    "mark",
    "rank",
    "order",
    "no-palace",
    "cards",
)
"""Sprites that need no label of their own: headings, and texts that read for themselves."""


def renderer(game: YearOfTheDragon, audience: Audience = "all") -> DragonRenderer:
    return DragonRenderer(NAMES[: len(game.players)], audience)


def play(setup: Setup, every: int = TURNS_PER_CHECK) -> Iterator[YearOfTheDragon]:
    """Positions of a random game, and its end."""
    game = setup.begin("drawing")
    assert isinstance(game, YearOfTheDragon)
    for _ in random_turns(game, "drawing", every):
        yield game
    yield game


def drawn(panels: Sequence[Panel]) -> dict[str, Sprite]:
    """The sprites by `PANEL/KEY`."""
    return {f"{panel.key}/{sprite.key}": sprite for panel in panels for sprite in panel.sprites}


def nodes(shape: Sequence[Node | str]) -> Iterator[Node]:
    for node in shape:
        if isinstance(node, Node):
            yield node
            yield from nodes(node.children)


def extent(node: Node) -> tuple[float, float]:
    """Where a line of text begins and ends, as estimated."""
    x, classes = float(node.attributes["x"]), str(node.attributes.get("class", "")).split()
    size = 24 if "t24" in classes else 16 if "t16" in classes else 13
    width = sum(text_width(child, size) for child in node.children if isinstance(child, str))
    left = x - width if "end" in classes else x - width / 2 if "middle" in classes else x
    return left, left + width


@every_setup
def test_every_position_is_drawn_whole(setup: Setup) -> None:
    for game in play(setup):
        panels = renderer(game).draw(game)
        assert len({panel.key for panel in panels}) == len(panels)
        assert all(panel.title and panel.half and panel.width <= PANEL_WIDTH for panel in panels[1:])
        for panel in panels:
            assert len({sprite.key for sprite in panel.sprites}) == len(panel.sprites), panel.key
            for sprite in panel.sprites:
                plain = sprite.key.partition("-floor")[1] or "back" in sprite.key
                plain = plain or sprite.key.startswith(("built-", "spent-")) or sprite.key in DECORATION
                assert sprite.label or plain, f"{panel.key}/{sprite.key} has no label"
                assert panel.left <= sprite.x <= panel.width, sprite
                assert panel.top <= sprite.y <= panel.height, sprite
                for node in nodes(sprite.shape):
                    assert node.tag in TAGS
                    assert node.attributes.keys() <= ATTRIBUTES
                    if node.tag == "text":
                        left, right = extent(node)
                        assert sprite.x + left >= panel.left - 1, (panel.key, sprite)
                        assert sprite.x + right <= panel.width + 4, (panel.key, sprite)


@every_setup
def test_every_legal_action_has_its_own_words_and_its_place_on_the_table(setup: Setup) -> None:
    for game in play(setup):
        if game.turn is None:
            continue
        legal = game.legal_actions()
        for audience in ("all", game.turn.seat, "public"):
            shown: Audience = audience
            drawing = renderer(game, shown)
            panels = drawing.draw(game)
            sprites = drawn(panels)
            choices = drawing.choices(game, legal)
            assert len(choices) == len(legal)
            assert len({choice.label for choice in choices}) == len(legal), [choice.label for choice in choices]
            for choice in choices:
                missing = [target for target in choice.targets if target not in sprites]
                assert not missing, (choice, missing)
                # cards of the same type as nobody on the table stand for themselves, where they may be seen
                assert choice.targets or shown == "public"
                if choice.ghost is not None:
                    ghost, first = choice.ghost, sprites[choice.targets[0]]
                    assert choice.targets[0].startswith(f"{choice.panel}/")
                    assert f"{choice.panel}/{ghost.key}" not in sprites
                    hand = sprites[f"{choice.panel}/cards"]
                    assert 40 <= first.y + ghost.y < hand.y - 36, "outside of the palaces"


@every_setup
def test_drawing_changes_nothing_and_is_the_same_again(setup: Setup) -> None:
    for game in play(setup, every=20):
        before = fingerprint(game)
        drawing = renderer(game)
        panels = drawing.draw(game)
        if game.turn is not None:
            drawing.choices(game, game.legal_actions())
        assert fingerprint(game) == before
        assert renderer(game).draw(game.copy()) == panels


@pytest.mark.ci_only
@every_setup
def test_sprites_keep_their_keys(setup: Setup) -> None:
    """Between two decisions nobody's persons and palaces change their keys, except those who came or went."""
    kept: dict[tuple[int, int], set[str]] = {}
    for game in play(setup, every=1):
        sprites = drawn(renderer(game).draw(game))
        now: dict[tuple[int, int], set[str]] = {}
        for player in game.players:
            for home in player.palaces:
                prefix = f"mat{player.seat}/palace{home.id}-"
                rooms = {f"{prefix}floor{floor}" for floor in range(home.floors)}
                keys = {key for key in sprites if key.startswith(prefix)}
                assert rooms <= keys
                assert len(keys - rooms) == len(home.persons)
                now[player.seat, home.id] = keys - rooms
        for home_key in kept.keys() & now.keys():
            old, new = kept[home_key], now[home_key]
            assert old <= new or new <= old or len(old) == len(new)
        kept = now


@every_setup
def test_nobody_sees_the_hands_of_others(setup: Setup) -> None:
    scramble = SCRAMBLERS[GAME]
    assert scramble is not None
    random = Random("hands")
    for game in play(setup, every=11):
        for seat in seats(game):
            other = game.copy()
            scramble(other, seat, random, deciding=False)
            assert renderer(game, seat).draw(game) == renderer(game, seat).draw(other)
        nothing_known = game.copy()
        for seat, hand in enumerate(nothing_known.hands):
            nothing_known.hands[seat] = random.sample(tiles.HAND, len(hand))
        assert renderer(game, "public").draw(game) == renderer(game, "public").draw(nothing_known)


def test_a_seat_sees_its_own_hand_and_everybody_together_all_hands() -> None:
    game = new_game(GAME, 1, players=2)
    assert isinstance(game, YearOfTheDragon)
    hands = {
        audience: {key.partition("/")[0] for key in drawn(renderer(game, audience).draw(game)) if "/hand-" in key}
        for audience in ("all", 0, 1, "public")
    }
    assert hands == {"all": {"mat0", "mat1"}, 0: {"mat0"}, 1: {"mat1"}, "public": set()}


@every_setup
def test_the_breakdown_adds_up_to_the_scores(setup: Setup) -> None:
    for game in play(setup, every=50):
        breakdown = renderer(game).breakdown(game)
        if game.turn is not None:
            assert breakdown is None
            continue
        assert breakdown is not None
        assert len(set(breakdown.sources)) == len(breakdown.sources) == len(breakdown.points)
        assert [sum(column) for column in zip(*breakdown.points, strict=True)] == game.ranking().scores


@every_setup
def test_an_event_is_marked_when_it_strikes(setup: Setup) -> None:
    game = setup.begin("marks")
    assert isinstance(game, YearOfTheDragon)
    drawing = renderer(game)
    marked = 0
    since = len(game.log)
    for turn in random_turns(game, "marks"):
        marked += bool(drawing.marks([event for event, _ in game.log[since:]]))
        since = len(game.log)
        assert turn is game.turn
    marked += bool(drawing.marks([event for event, _ in game.log[since:]]))
    assert marked == tiles.ROUNDS + (game.super_event != "none") - together(game)


def together(game: YearOfTheDragon) -> int:
    """1 if the super event struck by the same decision as the event before it."""
    decisions = 0
    struck: list[int] = []
    for event, _ in game.log:
        kind = type(event).__name__
        decisions += kind == "DecisionEvent"
        if kind == "EventStrikes":
            struck.append(decisions)
    return len(struck) - len(set(struck)) - (game.super_event == "solar_eclipse")


# -- what the next event would bring -------------------------------------------------------------------------


def prospects(table: DragonTable, event: tiles.EventTile, round_no: int = 4) -> list[Prospect]:
    table.game.round = round_no
    table.game.event_row[round_no - 1] = event
    outlook = look_ahead(table.run(action_phase).game)
    assert outlook is not None
    assert (outlook.event, outlook.round) == (event, round_no)
    return [*outlook.prospects]


def test_a_tribute_that_is_too_dear() -> None:
    table = DragonTable()
    table.player(["monk", "healer"], yuan=2)
    assert prospects(table, "imperial_tribute") == [
        Prospect(paid=2, leaving=2, missing=2),
        Prospect(paid=4),
        Prospect(paid=4),
    ]


def test_a_drought_takes_one_person_from_each_palace_without_rice() -> None:
    table = DragonTable()
    table.player(palaces=[palace(2, "monk", "healer"), palace(1, "farmer"), palace(2)], rice=1)
    found = prospects(table, "drought")
    assert found[0] == Prospect(paid=1, leaving=1, missing=1)
    assert format_prospect("drought", found[0]) == "short of 1 rice, 1 person leaves"
    assert found[1] == Prospect()


def test_no_more_persons_leave_than_there_are() -> None:
    table = DragonTable()
    table.player(["monk"])
    table.player(["healer", "old healer"])
    found = prospects(table, "contagion")
    assert [prospect.leaving for prospect in found] == [1, 0, 0]
    assert format_prospect("contagion", found[1]) == "nobody leaves"


def test_a_festival_brings_points() -> None:
    table = DragonTable()
    for fireworks in (3, 3, 2):
        table.player(fireworks=fireworks)
    assert [prospect.points for prospect in prospects(table, "dragon_festival")] == [6, 6, 3]


def test_mongols_score_the_wall_too() -> None:
    table = DragonTable(great_wall=True)
    anna = table.player(["warrior", "monk"])
    table.player(["old warrior", "monk"])
    table.player(["monk", "monk"])
    table.build_wall(anna, anna, anna)
    found = prospects(table, "mongol_invasion", round_no=3)
    assert [prospect.points for prospect in found] == [4, 2, 0]
    assert [prospect.leaving for prospect in found] == [0, 0, 1]
    found = prospects(table, "mongol_invasion", round_no=4)
    assert [prospect.points for prospect in found] == [1, 2, 0]
    assert [prospect.leaving for prospect in found] == [0, 1, 2]


@every_setup
def test_the_outlook_skips_peace_and_what_has_struck(setup: Setup) -> None:
    for game in play(setup, every=1):
        outlook = look_ahead(game)
        due = 0 if game.turn is None or game.turn.decision in ("choose_action", "play_card") else 1
        if game.turn is None or outlook is None:
            assert not [event for event in game.event_row[game.round :] if event != "peace"]
        else:
            assert game.round <= outlook.round <= tiles.ROUNDS
            between = game.event_row[max(game.round - 1 + due, 0) : outlook.round - 1]
            assert set(between) <= {"peace"}
            when = {0: "this round", 1: "next round"}.get(outlook.round - game.round, f"in round {outlook.round}")
            assert format_when(game, outlook) == when


@every_setup
def test_a_terminal_states_the_same_losses_as_a_page(setup: Setup) -> None:
    """One reckons from what the seat sees, and the other lets the event strike a copy of the game."""
    compared = 0
    for game in play(setup, every=3):
        outlook = look_ahead(game)
        if game.turn is None or outlook is None or outlook.event not in ("imperial_tribute", "drought", "contagion"):
            continue
        when = "this round" if outlook.round == game.round else f"round {outlook.round}"
        for seat, prospect in enumerate(outlook.prospects):
            said = [
                each for each in stakes(game.observe(seat), NAMES[: len(game.players)]) if each.startswith(f"{when}, ")
            ]
            assert said or outlook.round >= max(game.round, 1) + EVENTS_AHEAD
            leaving = "nobody leaves" if prospect.leaving == 0 else f"{format_count(prospect.leaving, 'persons')} would"
            assert all(f": {leaving}" in each for each in said[:1])
            compared += len(said)
    assert compared > 10


def test_a_terminal_ranks_the_players_for_fireworks_and_helmets() -> None:
    table = DragonTable()
    for fireworks, persons in ((1, ["warrior"]), (4, ["old warrior"]), (2, ["monk"])):
        table.player(persons, fireworks=fireworks)
    table.game.round = 1
    table.game.event_row[:3] = ["dragon_festival", "mongol_invasion", "peace"]
    festival, invasion, *_ = stakes(table.game.observe(0), "abc")
    assert festival == "this round, dragon festival: most fireworks score 6, second most 3: b 4, c 2, a 1"
    assert invasion.endswith("fewest loses a person: b 2, a 1, c 0")


def test_a_terminal_names_who_has_taken_a_group_of_actions() -> None:
    assert format_taken_by((), "abc") == ""
    assert format_taken_by((2, 0), "abc") == " (c, a)"


def test_every_event_is_explained() -> None:
    assert set(EVENT_EFFECTS) == {*tiles.EVENT_TILES} - {"peace"}


def test_the_renderer_is_found_and_explains_the_rules_like_the_presenter() -> None:
    presenter = find_presenter(YearOfTheDragon)
    assert find_renderer(YearOfTheDragon) is DragonRenderer
    assert presenter is not None
    assert DragonRenderer.rules is presenter.rules
