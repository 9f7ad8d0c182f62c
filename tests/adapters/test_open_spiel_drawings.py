"""Each game of OpenSpiel that is said to have a drawing has it in every position, and clicks choose its actions."""

import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.games import find_source, new_game
from referee.games.boards.dice_and_tracks import Backgammon
from referee.games.boards.pieces import Piece, piece_shape
from referee.games.boards.seats import NO_STRIP
from referee.games.interface import DecisionEvent
from referee.games.renderer import Audience
from referee.pages.audience import AudienceView
from referee.pages.pools import Pools
from referee.pages.timeline import Timeline
from referee.record.replay import Replay

pytest.importorskip("pyspiel", reason="needs OpenSpiel: make open-spiel")
from referee.adapters.open_spiel import catalogue, dice
from referee.adapters.open_spiel.cards import CARD_GAMES
from referee.adapters.open_spiel.decided import won_by
from referee.adapters.open_spiel.dice import DICE_GAMES
from referee.adapters.open_spiel.games import KnownOpenSpielGame, known_class
from referee.adapters.open_spiel.grid_table import GRID_GAMES
from referee.adapters.open_spiel.grids import notes_of, read_grids
from referee.adapters.open_spiel.renderer import OpenSpielRenderer, texts_of_games
from referee.adapters.open_spiel.sentences import OpenSpielNarrator, predicate
from tests.adapters.open_spiel_table import PAGE, drawing
from tests.cases import some_in_ci
from tests.record.played import GamePlan

NAMES = ("ann", "bob", "cy", "di", "ed", "flo")
DECISIONS = 60
LONGEST = 2000
"""Decisions after which a game is not played to its end."""
DRAWN = sorted((*GRID_GAMES, *CARD_GAMES, *DICE_GAMES))
CLICKABLE = sorted(name for name, facts in GRID_GAMES.items() if facts.moves)
IN_CI = {
    *(
        "chess",
        "go",
        "othello",
        "connect_four",
        "tic_tac_toe",
        "hex",
        "checkers",
        "dark_hex",
        "phantom_ttt",
        "quoridor",
    ),
    *("hearts", "gin_rummy", "kuhn_poker", "leduc_poker", "tiny_hanabi", "backgammon", "pig", "liars_dice", "snake"),
}
"""Of each kind of drawing those that people know."""
UNSEEN = {
    *("battleship", "dark_hex", "dark_hex_ir", "kriegspiel", "pentago", "phantom_go", "phantom_ttt", "phantom_ttt_ir"),
    *("rbc", "ultimate_tic_tac_toe"),
}
"""Games in which an action may leave the fields that it names as they were."""


def renderer(game: Any, audience: Audience = "all") -> OpenSpielRenderer:
    return OpenSpielRenderer(NAMES[: game.config.players], audience)


def is_text(panels: Any) -> bool:
    return [panel.key for panel in panels] == ["table"]


def known_to(game: Any, seat: int) -> KnownOpenSpielGame:
    """The game as a seat knows it, which has no state of the library."""
    known = known_class(game.kind.short_name).new(game.config, game.chance)
    assert isinstance(known, KnownOpenSpielGame)
    known.reveal_observation(game.observe(seat))
    return known


def shown(panels: Any) -> dict[str, str]:
    """What is on the table, by `PANEL/KEY`."""
    return {f"{panel.key}/{sprite.key}": sprite.label for panel in panels for sprite in panel.sprites}


def test_most_games_that_people_know_are_drawn() -> None:
    assert len(set(DRAWN)) == len(DRAWN) >= 60
    assert set(DRAWN) <= set(find_source("open_spiel").names())
    assert len(CLICKABLE) >= 35


def test_the_table_of_all_games_says_which_drawing_each_has() -> None:
    playable = find_source("open_spiel").names()
    text = PAGE.read_text()
    written = dict(re.findall(r"^\| `(\w+)`\S* \|.*\| ([\w, ]+) \|$", text, re.MULTILINE))
    for drawn, names in re.findall(r"^- (grid, clicks|grid|dice|cards|text): (.*)$", text, re.MULTILINE):
        written |= dict.fromkeys(re.findall(r"`(\w+)`", names), drawn)
    assert {name: written.get(name) for name in playable} == {name: drawing(name) for name in playable}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("go", {"board_size": 9}),
        ("connect_four", {"rows": 8, "columns": 9}),
        ("kuhn_poker", {"players": 4}),
        ("quoridor", {"players": 4}),
        ("dots_and_boxes", {"num_rows": 4, "num_cols": 5}),
        ("chinese_checkers", {"players": 6}),
    ],
)
def test_games_with_other_options_are_drawn_too(name: str, options: dict[str, int]) -> None:
    game: Any = new_game(f"open_spiel:{name}", 5, **options)
    random = Random(2)
    for _ in range(20):
        assert not is_text(renderer(game).draw(game)), str(game.state)
        if game.turn is not None:
            game.apply(random.choice(game.legal_actions()))


@pytest.mark.parametrize("name", some_in_ci(DRAWN, IN_CI))
def test_positions_of_a_drawn_game_are_drawn_for_everybody_and_so_is_its_end(name: str) -> None:
    game: Any = new_game(f"open_spiel:{name}", 2)
    random = Random(7)
    for decision in range(LONGEST):
        if decision < DECISIONS or game.turn is None:
            assert not is_text(renderer(game).draw(game)), str(game.state)
            if not game.is_public:
                for seat in range(game.config.players):
                    known = known_to(game, seat)
                    assert not is_text(renderer(known, seat).draw(known)), known.seen
        if game.turn is None:
            break
        game.apply(random.choice(game.legal_actions()))


@pytest.mark.ci_only
@pytest.mark.parametrize("name", some_in_ci(CLICKABLE, IN_CI))
def test_clicks_choose_each_legal_action_and_it_changes_what_was_clicked(name: str) -> None:
    game: Any = new_game(f"open_spiel:{name}", 3)
    random, drawer = Random(5), renderer(game)
    changed = tried = 0
    for _ in range(DECISIONS):
        if game.turn is None:
            break
        before = shown(drawer.draw(game))
        legal = game.legal_actions()
        choices = drawer.choices(game, legal)
        assert len({choice.label for choice in choices}) == len(legal)
        targets = Counter(frozenset(choice.targets) for choice in choices if choice.targets)
        assert targets.most_common(1)[0][1] == 1, (
            [(choice.label, choice.targets) for choice in choices],
            str(game.state),
        )
        for choice in choices:
            assert choice.targets or name == "hive", "it lists the same move by several names"
            assert set(choice.targets) <= set(before), choice
        place = random.randrange(len(legal))
        game.apply(legal[place])
        if game.turn is not None and choices[place].targets and "word" not in choices[place].targets[0]:
            tried += 1
            after = shown(drawer.draw(game))
            changed += any(before[target] != after.get(target) for target in choices[place].targets)
    assert changed == tried or name in UNSEEN


@pytest.mark.parametrize("name", ["hearts", "oh_hell", "gin_rummy", "crazy_eights", "kuhn_poker", "leduc_poker"])
def test_cards_in_the_hand_of_the_seat_that_decides_are_clicked(name: str) -> None:
    game: Any = new_game(f"open_spiel:{name}", 4)
    random = Random(6)
    for _ in range(DECISIONS):
        if game.turn is None:
            break
        drawer, legal = renderer(game), game.legal_actions()
        before = shown(drawer.draw(game))
        for choice in drawer.choices(game, legal):
            assert choice.targets, choice
            assert set(choice.targets) <= set(before)
        known = known_to(game, game.turn.seat)
        own = renderer(known, game.turn.seat)
        assert {key for key in shown(own.draw(known)) if "/card" in key and "?" not in key} <= set(before)
        game.apply(random.choice(legal))


def test_a_seat_is_shown_no_card_that_its_text_does_not_have() -> None:
    game: Any = new_game("open_spiel:hearts", 4)
    hands = []
    for seat in range(4):
        known = known_to(game, seat)
        hands.append({key for key in shown(renderer(known, seat).draw(known)) if "/card" in key})
    assert [len(hand) for hand in hands] == [13] * 4
    assert len(set.union(*hands)) == 52
    nobody = known_class("hearts").new(game.config, game.chance)
    (panel,) = renderer(nobody, "public").draw(nobody)
    assert {sprite.key for sprite in panel.sprites} == {"seat0", "seat1", "seat2", "seat3", "note0"}


def test_a_text_that_does_not_fit_is_drawn_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = new_game("open_spiel:connect_four", 1)
    for text in ("", "nothing", "...z...\n" * 6, "\x00", "|" * 1000):
        monkeypatch.setattr(game, "state", text)
        drawer = renderer(game)
        for panel in drawer.draw(game):
            lines = [sprite.shape[0] for sprite in panel.sprites if sprite.key.startswith("line")]
            assert all(line.attributes == {"class": "mono"} for line in lines), "as large as other text of the page"


def test_pieces_keep_their_keys_when_they_move() -> None:
    game: Any = new_game("open_spiel:chess", 1)
    drawer = renderer(game)

    def pieces() -> dict[str, tuple[float, float]]:
        (panel,) = drawer.draw(game)
        return {sprite.key: (sprite.x, sprite.y) for sprite in panel.sprites if sprite.key.startswith("piece")}

    before = pieces()
    game.apply(next(action for action in game.legal_actions() if action.text == "e4"))
    after = pieces()
    assert before.keys() == after.keys()
    assert sum(before[key] != after[key] for key in before) == 1


def test_backgammon_has_all_checkers_also_ten_and_more_on_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    boards: list[Backgammon] = []
    monkeypatch.setattr(dice, "backgammon_panel", lambda board, *_: boards.append(board))
    random, high = Random(13), set[bool]()
    game: Any = new_game("open_spiel:backgammon", 13, players=2)
    while game.turn is not None:
        game.apply(random.choice(game.legal_actions()))
        dice.backgammon(game, NAMES[:2], NO_STRIP, ())
    for board in boards:
        for seat in range(2):
            on_points = sum(count for owner, count in board.points.values() if owner == seat)
            assert on_points + board.bar[seat] + board.off[seat] == 15
        high |= {point > 12 for point, (_, count) in board.points.items() if count >= 10}
    assert high == {True, False}  # in both halves of the text


def told(name: str, seed: int = 2, **options: Any) -> tuple[Any, list[tuple[int | None, list[str]]]]:
    """A game of random players at its end, and what the narrator says: of the setup, and by seat of each decision."""
    game: Any = new_game(f"open_spiel:{name}", seed, **options)
    narrator = OpenSpielNarrator(game, NAMES[: game.config.players])
    narrator.drawings = False
    random, seat, told_of = Random(seed), None, 0
    said: list[tuple[int | None, list[str]]] = []
    while True:
        latest = [event for event, _ in game.log[told_of:]]
        told_of = len(game.log)
        said.append((seat, [line.text for line in narrator.narrate(latest)]))
        if game.turn is None:
            return game, said
        seat = game.turn.seat
        game.apply(random.choice(game.legal_actions()))


@pytest.mark.parametrize("name", sorted(CARD_GAMES))
def test_card_games_are_told_in_sentences_with_suits_as_symbols(name: str) -> None:
    _, said = told(name)
    for seat, lines in said:
        assert seat is None or lines[0].startswith(f"{NAMES[seat]} "), lines
        for line in (re.sub(r" for \w+s$", "", line) for line in lines):  # ranks of Go Fish
            assert re.search(r"\b([2-9TJQKA][SHDCshdc]|[SHDC][2-9TJQKA])\b|[Pp]layer|chance|move=", line) is None, line


def test_the_points_of_the_tricks_that_seats_of_hearts_are_said_to_take_are_their_score() -> None:
    for seed in range(8):
        game, said = told("hearts", seed, jd_bonus=seed > 3)
        taken = dict.fromkeys(NAMES[:4], 0)
        for line in (line for _, lines in said for line in lines):
            if found := re.fullmatch(r"(\w+) takes the trick(?: \((-?\d+) points?\))?", line):
                taken[found[1]] += int(found[2] or 0)
        shot = {26, 16} & {*taken.values()}
        assert [26 - points for points in taken.values()] == game.ranking().scores or shot
        passed = [line for _, lines in said for line in lines if re.fullmatch(r"\w+ passes [♠♥♦♣]\w+ on", line)]
        assert len(passed) == (0 if game.draws[0] == "No Pass" else 12)


def test_as_many_tricks_are_told_as_seats_of_oh_hell_have_won() -> None:
    for seed in range(4):
        game, said = told("oh_hell", seed)
        takers = Counter(line.split()[0] for _, lines in said for line in lines if line.endswith("takes the trick"))
        won = re.search(r"Tricks Won: +([\d ]+)", str(game.state))
        assert won is not None
        assert [takers[name] for name in NAMES[: game.config.players]] == [*map(int, won[1].split())]


def test_the_public_and_each_seat_of_oh_hell_are_told_who_takes_a_trick() -> None:
    audiences: tuple[Audience, ...] = ("all", "public", 0, 1, 2)
    for seed in range(6):
        game: Any = new_game("open_spiel:oh_hell", seed)
        views = [AudienceView(game, each, NAMES[: game.config.players], Pools(with_paths=False)) for each in audiences]
        random, cursor, tricks = Random(seed), 0, 0
        while True:
            latest = game.log[cursor:]
            cursor = len(game.log)
            said = [[line.text for line in view.advance(latest, breaks_off=False)[0]] for view in views]
            taken = [[line for line in lines if line.endswith("takes the trick")] for lines in said]
            assert all(each == taken[0] for each in taken)
            tricks += len(taken[0])
            if game.turn is None:
                break
            game.apply(random.choice(game.legal_actions()))
        assert tricks


def test_the_points_in_a_move_of_backgammon_are_those_of_the_board() -> None:
    game: Any = new_game("open_spiel:backgammon", 13)
    random = Random(3)
    for _ in range(40):
        board = dice.read_backgammon(game.observe(0).observation)
        assert board is not None
        assert game.turn is not None
        seat, legal = game.turn.seat, game.legal_actions()
        for choice in renderer(game).choices(game, legal):
            first = re.match(r"(\d+)/", choice.label)
            assert first is None or board.points[int(first[1])][0] == seat, choice.label
        game.apply(random.choice(legal))


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        *(
            (name, "moves from")
            for name in ("checkers", "breakthrough", "lines_of_action", "xiangqi", "shogi", "clobber")
        ),
        *((name, "marks row") for name in ("tic_tac_toe", "gomoku", "ultimate_tic_tac_toe")),
        ("dots_and_boxes", "draws the"),
    ],
)
def test_moves_on_boards_are_told_in_words(name: str, verb: str) -> None:
    _, said = told(name)
    words = [lines[0].partition(" ")[2] for seat, lines in said if seat is not None]
    assert sum(each.startswith(verb) for each in words) > 0.6 * len(words), words


@pytest.mark.parametrize("name", ["backgammon", "pig", "yacht"])
def test_dice_are_told_as_those_of_the_seat_that_has_rolled_them(name: str) -> None:
    _, said = told(name)
    rolls = [(seat, said[place + 1][0], line) for place, (seat, lines) in enumerate(said[:-1]) for line in lines[1:]]
    assert rolls
    for own, following, line in rolls:
        roller = own if name == "pig" else following
        assert roller is not None
        assert re.fullmatch(rf"{NAMES[roller]} rolls \d(-\d)*", line), line


def test_actions_of_go_are_told_and_listed_without_the_colour() -> None:
    _, said = told("go")
    lines = {line.partition(" ")[2] for _, lines in said for line in lines}
    assert "passes" in lines
    assert not any(re.search("PASS|[BW] ", line) for line in lines)
    game: Any = new_game("open_spiel:go", 1)
    labels = {choice.label for choice in renderer(game).choices(game, game.legal_actions())}
    assert {"c7", "pass"} < labels


def test_a_hand_of_gin_rummy_in_which_nobody_knocks_is_told_as_a_draw_and_drawn_in_words() -> None:
    game, said = next(
        each for each in (told("gin_rummy", seed) for seed in range(20)) if not any(each[0].state.returns())
    )
    assert said[-1][1][-1] == "Nobody has knocked: the hand is a draw"
    labels = [sprite.label for panel in renderer(game).draw(game) for sprite in panel.sprites]
    assert "The hand is over" in labels
    assert "Who has at most 10 points may knock" in labels
    begun: Any = new_game("open_spiel:gin_rummy", 1)
    labels = [sprite.label for panel in renderer(begun).draw(begun) for sprite in panel.sprites]
    assert f"{NAMES[begun.turn.seat]} may take the up card" in labels
    for drawn in (begun, known_to(begun, 0)):
        panels = OpenSpielRenderer(["player1", "player0"], "all").draw(drawn)
        assert f"player{1 - begun.turn.seat} may take the up card" in shown(panels).values()


def test_rights_to_castle_are_told_in_words() -> None:
    for rights, words in (
        ("KQkq", "Both sides may castle"),
        ("Kkq", "White may castle kingside, Black may castle"),
        ("Q", "White may castle queenside"),
        ("-", ""),
    ):
        notes = notes_of(f"r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1", GRID_GAMES["chess"])
        assert notes == [words]


def test_nearly_all_drawn_games_say_in_a_sentence_how_they_are_won() -> None:
    goals = texts_of_games()["goal"]
    assert goals.keys() <= set(find_source("open_spiel").names())
    assert len(goals.keys() & set(DRAWN)) >= 60
    game: Any = new_game("open_spiel:hearts", 1)
    drawer = renderer(game)
    drawer.draw(game)
    assert (drawer.goal, drawer.score) == (goals["hearts"], "26 minus the points taken")
    for name, options, is_said in (
        ("gomoku", {"size": 7, "wrap": True}, True),
        ("gomoku", {"anti": True}, False),
        ("gomoku", {"connect": 4}, False),
        ("connect_four", {"rows": 7}, True),
        ("connect_four", {"x_in_row": 3}, False),
        ("mnk", {"k": 3}, True),
    ):
        game = new_game(f"open_spiel:{name}", 1, **options)
        drawer = renderer(game)
        drawer.draw(game)
        assert drawer.goal == (goals[name] if is_said else "")


def ended(name: str, seed: int, **options: int) -> tuple[Any, list[Any]]:
    """A game of random players at its end, and its drawing."""
    game: Any = new_game(f"open_spiel:{name}", seed, **options)
    random, drawer = Random(seed), renderer(game)
    while game.turn is not None:
        if random.random() < 0.1:
            assert not any(sprite.key == "won" for sprite in drawer.draw(game)[0].sprites)
        game.apply(random.choice(game.legal_actions()))
    return game, [sprite for sprite in drawer.draw(game)[0].sprites if sprite.key == "won"]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("connect_four", {}),
        ("connect_four", {"x_in_row": 3}),
        ("tic_tac_toe", {}),
        ("mnk", {"m": 5, "n": 5, "k": 4}),
        ("gomoku", {"size": 7, "connect": 4}),
        ("gomoku", {"size": 5, "connect": 4, "wrap": True}),
        ("pentago", {}),
        ("hex", {"board_size": 5}),
        ("y", {"board_size": 5}),
        ("havannah", {"board_size": 4}),
        ("lines_of_action", {}),
    ],
)
def test_what_won_a_game_on_a_board_is_marked_at_its_end(name: str, options: dict[str, int]) -> None:
    for seed in range(4):
        game, marked = ended(name, seed, **options)
        is_won = len(set(game.ranking().ranks)) > 1
        assert len(marked) == is_won, str(game.state)


def test_a_line_across_the_edge_of_gomoku_is_drawn_beyond_it_on_both_sides() -> None:
    game: Any = new_game("open_spiel:gomoku", 1, size=5, connect=3, wrap=True)
    facts = GRID_GAMES["gomoku"]
    for row, column in ((0, 4), (2, 2), (0, 0), (3, 2), (0, 1)):  # black's are in the first row, around the edge
        game.apply(next(play for play in game.legal_actions() if play.text == f"{row},{column}"))
    assert game.turn is None
    [grid] = read_grids(str(game.state), facts) or ()
    links = won_by(grid, facts, game, {place.name: place for place in grid.places})
    y = links[0][1]
    assert set(links) == {(4, y, 4.5, y), (-0.5, y, 0, y), (0, y, 1, y)}


def test_the_chain_of_hex_leads_from_edge_to_edge() -> None:
    for seed in range(4):
        game: Any = new_game("open_spiel:hex", seed, board_size=6)
        random, drawer = Random(seed), renderer(game)
        while game.turn is not None:
            game.apply(random.choice(game.legal_actions()))
        drawer.draw(game)
        [grid], facts = read_grids(str(game.state), GRID_GAMES["hex"]) or (), GRID_GAMES["hex"]
        links = won_by(grid, facts, game, {place.name: place for place in grid.places})
        on_chain = {spot for link in links for spot in (link[:2], link[2:])}
        winner = game.ranking().ranks.index(1)
        chain = [place for place in grid.places if (place.x, place.y) in on_chain]
        assert {place.piece for place in chain} == {facts.pieces["xo"[winner]]}
        rows = {place.name[1:] if winner == 0 else place.name[0] for place in chain}
        assert len(rows) == 6


@pytest.mark.slow
def test_points_komi_and_captures_of_go_are_those_of_the_library() -> None:
    game: Any = new_game("open_spiel:go", 1, board_size=5, komi=1.5)
    drawer = renderer(game)

    def notes() -> set[str]:
        return {sprite.label for panel in drawer.draw(game) for sprite in panel.sprites}

    for move in ("a2", "a1", "b1"):
        game.apply(next(action for action in game.legal_actions() if action.text.endswith(move)))
    assert "Area, and 1.5 komi for White; captured by Black 1, by White 0" in notes()
    assert drawer.standing(game) == ["25 points", "1.5 points"]
    placed = {sprite.key: (sprite.x, sprite.y) for sprite in drawer.draw(game)[0].sprites}
    assert placed["latest"] == placed["b1"]
    for handicap in range(4):
        game = new_game("open_spiel:go", 1, board_size=19, handicap=handicap, komi=1.5)
        drawer = renderer(game)
        assert "Area, and 1.5 komi for White; captured by Black 0, by White 0" in notes()
    for seed in range(6):
        game = new_game("open_spiel:go", seed, board_size=5)
        random = Random(seed)
        while game.turn is not None:
            game.apply(random.choice(game.legal_actions()))
        drawer = renderer(game)
        drawer.draw(game)
        black, white = (float(said.split()[0]) for said in drawer.standing(game))
        assert (black > white) == (game.state.returns()[0] > 0)


def test_backgammon_shows_the_dice_of_the_move_as_its_player_s_and_those_of_the_next_one() -> None:
    game: Any = new_game("open_spiel:backgammon", 5)
    random, drawer, due = Random(5), renderer(game), ("", -1)
    while game.turn is not None:
        thrown = {sprite.key: sprite for sprite in drawer.draw(game)[0].sprites if sprite.key.startswith("throw")}
        played, following = thrown.get("throw1"), thrown["throw0"]
        assert due == ("", -1) or (played is not None and (played.label.split(": ")[1], played.seat) == due)
        assert following.seat == game.turn.seat
        due = following.label.split(": ")[1], game.turn.seat
        game.apply(random.choice(game.legal_actions()))


@pytest.mark.parametrize("name", ["maedn", "einstein_wurfelt_nicht"])
def test_above_a_board_stands_whose_die_shows_what(name: str) -> None:
    game, random, before = new_game(f"open_spiel:{name}", 4), Random(4), ""
    while game.turn is not None:
        [note] = (sprite.label for sprite in renderer(game).draw(game)[0].sprites if sprite.key == "note0")
        moved, _, following = note.rpartition(", ")
        assert moved == before.replace("has rolled", "moved by")
        assert re.fullmatch(rf"{NAMES[game.turn.seat]} has rolled a \d", following)
        before = following
        game.apply(random.choice(game.legal_actions()))


@pytest.mark.parametrize(
    "name", [*sorted(set(CARD_GAMES) & catalogue.SEARCHABLE), "battleship", "skat", "cribbage", "goofspiel", "snake"]
)
def test_spectators_see_the_table_but_nothing_that_a_seat_does_not_know(name: str) -> None:
    game: Any = new_game(f"open_spiel:{name}", 3)
    random, steps, shown_decisions = Random(3), 0, 0
    view = AudienceView(game, "public", NAMES[: game.config.players], Pools(with_paths=False))
    cursor = 0
    while True:
        latest = game.log[cursor:]
        cursor = len(game.log)
        view.advance(latest, breaks_off=False)
        assert not view.is_lost
        shown_decisions += view.is_sent_decision(latest)
        assert view.game is not None
        panels = view.renderer.draw(view.game)
        assert not is_text(panels)
        drawn = shown(panels).values()
        if game.turn is None:
            break
        steps += 1
        if name in CARD_GAMES and name != "goofspiel":
            assert not [
                label
                for label in drawn
                if label.endswith("in hand") and "face down" not in label and "hidden" not in label
            ]
        if game.traits.searchable and steps % 5 == 1:
            for seat in range(game.config.players):
                assert game.determinize(seat, random).observe_public() == game.observe_public()
        game.apply(random.choice(game.legal_actions()))
    assert steps
    assert shown_decisions > 0 or name in ("goofspiel", "snake")


def test_the_public_sees_no_card_that_goes_into_the_crib_of_three_players() -> None:
    game: Any = new_game("open_spiel:cribbage", 3, players=3)
    for _ in range(20):
        play = game.legal_actions()[0]
        seat = game.turn.seat
        game.apply(play)
        latest = next(event for event, _ in reversed(game.log) if isinstance(event, DecisionEvent))
        assert not game.shows_decision(latest)
        if play.text != "Pass":
            assert re.fullmatch(r"chooses [♠♥♦♣]\w+", predicate(game, NAMES[:3], seat, play))


def test_dice_whose_numbers_run_together_are_not_drawn_for_seats_nor_told_to_the_public() -> None:
    for sides, is_drawn in ((9, True), (12, False)):
        for seed in range(6):
            game: Any = new_game("open_spiel:liars_dice", seed, dice_sides=sides, numdice=2)
            assert (game.observe_public() is not None) == is_drawn
            assert is_text(renderer(game).draw(game)) != is_drawn
            known = known_to(game, 0)
            assert is_text(renderer(known, 0).draw(known)) != is_drawn


def test_seats_are_told_apart_without_their_colours() -> None:
    for shape in ("disc", "small disc", "crowned disc", "pawn", "queen", "A"):
        drawn = {re.sub("seat[01]", "", str(piece_shape(Piece(shape, f"seat{seat}", ""), 44))) for seat in range(2)}
        assert len(drawn) == 2, shape


def test_the_edges_of_hex_have_the_colours_of_those_who_connect_them() -> None:
    game: Any = new_game("open_spiel:hex", 1, board_size=5)
    [grid] = read_grids(str(game.state), GRID_GAMES["hex"]) or ()
    ends: dict[str, list[float]] = {}
    for stroke in grid.strokes:
        ends.setdefault(stroke.classes[-5:], []).extend((stroke.y1, stroke.y2))
    assert all(y < 0 or y > 3.46 for y in ends["seat0"])
    assert len(ends["seat1"]) > 2 * 4


def test_the_head_of_a_page_says_who_is_ahead_where_scores_come_only_at_the_end() -> None:
    for name, words in (("hearts", "points taken"), ("othello", "discs"), ("pig", "points"), ("backgammon", "pips")):
        game: Any = new_game(f"open_spiel:{name}", 1)
        drawer = renderer(game)
        drawer.draw(game)
        assert [words in said for said in drawer.standing(game)] == [True] * game.config.players


def test_equal_ranks_of_two_seats_are_told_as_a_draw(tmp_path: Path) -> None:
    record = GamePlan("open_spiel:gin_rummy", {"players": "2"}).record(tmp_path / "record.jsonl")
    timeline = Timeline(Replay(record), ["all"])
    timeline.finish()
    texts = [text.strip() for text in timeline.document().texts]
    assert "Nobody has knocked: the hand is a draw" in texts
    assert "The game is a draw" in texts
