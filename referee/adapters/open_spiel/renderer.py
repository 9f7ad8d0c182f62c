"""Draws the games of OpenSpiel: as a board, as cards, with dice, or else as the library's text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import structs

from referee.adapters.open_spiel import catalogue
from referee.adapters.open_spiel.cards import CARD, CARD_GAMES, card
from referee.adapters.open_spiel.decided import captures, counts_of, latest_field, won_by
from referee.adapters.open_spiel.dice import DICE_GAMES, dice_told
from referee.adapters.open_spiel.games import KnownOpenSpielGame, OpenSpielGame, Play
from referee.adapters.open_spiel.grid_table import GRID_GAMES
from referee.adapters.open_spiel.grids import GridFacts, ghost_of, move_of, notes_of, read_grids
from referee.adapters.open_spiel.library import load
from referee.adapters.open_spiel.sentences import OpenSpielNarrator, labels, spoken, with_players
from referee.games.boards.cards import CardTable, Row, card_key
from referee.games.boards.grid import Grid, Grids, Place, Stroke
from referee.games.boards.pieces import BOARD_CSS, Piece
from referee.games.boards.seats import BOARD, BOARD_WIDTH, WORD_KEY, Side, Strip, seat_strip
from referee.games.interface import Game
from referee.games.renderer import Audience, Choice, Panel
from referee.games.text_renderer import TextRenderer
from referee.toml import parse_toml

UNSEEN: Final = "Nothing is known before the first decision of this seat."
SECRET: Final = "What each side sees is secret; the position is shown at the end."
GOAL_OPTIONS: Final = ("anti", "connect", "x_in_row")
"""Options with which a game is won in another way than the sentence about it says."""
WINS: Final = "1 for a win, −1 for a loss"


@cache
def texts_of_games() -> Mapping[str, Mapping[str, str]]:
    """By game, in `goal` how it is won, and in `score` what its score counts where that isn't a win or a loss."""
    text = Path(__file__).with_name("games.toml").read_text(encoding="utf-8")
    return parse_toml(text)


def word_of(play: Any, pattern: str) -> str:
    """The word below the board that an action has; empty if it has none."""
    found = re.search(pattern, play.text) if pattern else None
    return found[1] if found else ""


@lru_cache(maxsize=8)
def read_boards(name: str, text: str) -> Sequence[Grid] | None:
    """The boards of a game: of what all may see, each position is drawn for each audience."""
    return read_grids(text, GRID_GAMES[name])


class OpenSpielRenderer(TextRenderer):
    """One drawing for each game that has one. A text that doesn't fit is drawn as it is."""

    css = BOARD_CSS
    columns = 43

    def __init__(self, names: Sequence[str], audience: Audience) -> None:
        super().__init__(names, audience, OpenSpielNarrator)
        self._grids = Grids()
        self._fields: dict[str, Place | Stroke] = {}
        """What clicks can choose, by name."""
        self._panels: dict[str, str] = {}
        """The panel in which it is."""
        self._keys: set[str] = set()
        """The same where cards or dice are drawn."""
        self._last = BOARD
        """The panel with the words to click."""
        self._standing: dict[int, str] = {}
        """What the drawing says of seats, which readers see beside the scores too."""
        self._table: CardTable | None = None
        self._rules: Any = None

    def draw(self, game: Game) -> Sequence[Panel]:
        assert isinstance(game, OpenSpielGame)
        self._fields, self._keys, self._standing = {}, set(), {}
        usual = game.kind.parameter_specification
        is_usual = all(getattr(game.config, each, usual.get(each)) == usual.get(each) for each in GOAL_OPTIONS)
        self.goal = texts_of_games()["goal"].get(game.kind.short_name.removesuffix("_ir"), "") if is_usual else ""
        self.score = self.score or self._score(game)
        if isinstance(game, KnownOpenSpielGame) and not game.seen.strip():
            note = UNSEEN if isinstance(self.audience, int) else SECRET
            strip = self._strip(game, notes=[note])
            tall = strip.height
            return [Panel(key=BOARD, title="", top=-tall, width=BOARD_WIDTH, height=tall, sprites=strip.sprites)]
        return self.draw_board(game) or [self._with_seats(game, panel) for panel in super().draw(game)]

    def _with_seats(self, game: OpenSpielGame, panel: Panel) -> Panel:
        """A text below the seats, which it calls players."""
        words = [f"player {seat}" for seat in range(len(self.names))]
        strip = self._strip(game, words=words, width=panel.width)
        height, sprites = panel.height + strip.height, [*strip.sprites, *panel.sprites]
        return structs.replace(panel, title="", top=-strip.height, height=height, sprites=sprites)

    def standing(self, game: Game) -> Sequence[str]:
        return [self._standing.get(seat, "") for seat in range(len(self.names))] if self._standing else ()

    def draw_board(self, game: OpenSpielGame) -> Sequence[Panel]:
        """The drawing of the game; empty if it has none, or if the library's text isn't as expected."""
        name = game.kind.short_name
        try:
            if name in GRID_GAMES:
                text = game.seen if isinstance(game, KnownOpenSpielGame) else str(game.state)
                return self._draw_grids(game, GRID_GAMES[name], text) if text.strip() else []
            if game.has_cards:
                return self._draw_cards(game)
            if name in DICE_GAMES:
                return self._draw_dice(game)
        except (ValueError, LookupError):  # a text that the table of facts doesn't know
            self._fields = {}
        return []

    def _draw_cards(self, game: OpenSpielGame) -> Sequence[Panel]:
        facts = CARD_GAMES[game.kind.short_name]
        players = [f"player {seat}" for seat in range(len(self.names))]  # a bot may be called player1: named at the end
        if isinstance(game, KnownOpenSpielGame) and game.seat < 0:
            rows = msgspec.json.decode(game.seen, type=list[Row])
        elif isinstance(game, KnownOpenSpielGame):
            rows = [*facts.rows({game.seat: game.seen}, players)]
        else:
            seen = [game.observe(seat) for seat in range(game.config.players)]
            rows = [*facts.rows({each.seat: each.observation or each.information for each in seen}, players)]
        rows = [row._replace(title=with_players(row.title, self.names)) for row in rows]
        self._standing = {row.seat: row.title for row in reversed(rows) if row.seat is not None}
        first = self.audience if isinstance(self.audience, int) else 0
        self._table = self._table or CardTable(self.names, facts.width, first)
        panel = self._table.draw(rows, self._words(game, facts.words))
        self._keys = {sprite.key for sprite in panel.sprites}
        return [panel]

    def _draw_dice(self, game: OpenSpielGame) -> Sequence[Panel]:
        dice = DICE_GAMES[game.kind.short_name]
        self._standing = dict(enumerate(dice.standing(str(game.state))))
        strip = self._strip(game, dice.pieces, dice.side_words)
        panel = dice.draw(game, self.names, strip, self._words(game, dice.words))
        self._keys = {sprite.key for sprite in panel.sprites} if panel else set()
        return [panel] if panel else []

    def _draw_grids(self, game: OpenSpielGame, facts: GridFacts, text: str) -> Sequence[Panel]:
        grids = read_boards(game.kind.short_name, text)
        if grids is None:
            return []
        fields: list[tuple[str, str, Place | Stroke]] = []
        for grid in grids:
            fields += [(stroke.key, grid.key, stroke) for stroke in grid.strokes if stroke.key]
            fields += [(place.name, grid.key, place) for place in grid.places]
        self._fields = {name: field for name, _, field in fields}
        self._panels = {name: key for name, key, _ in fields}
        pieces = [facts.pieces.get(side) for side in facts.sides]
        is_known = isinstance(game, KnownOpenSpielGame)
        if not is_known or not facts.area:
            self._standing = dict(enumerate(counts_of(grids[0], facts, game)))
        notes = [with_players(note, self.names) for note in notes_of(text, facts)]
        if facts.area and facts.moves:
            notes.append(captures(grids[0], facts, game))
        if facts.die:
            notes.append(dice_told(game, self.names))
        strip = self._strip(game, pieces, facts.side_words, notes=notes)
        # Where stones or discs beside the one that was put change too, it has a mark of its own.
        marked = not is_known and (facts.area or facts.counted == "{} discs") and facts.moves
        latest = latest_field(facts, game, self._fields) if marked else ""
        won = () if is_known else won_by(grids[0], facts, game, self._fields)
        offered = self._words(game, facts.words) if facts.words and not is_known else None
        last = len(grids) - 1
        self._last = grids[last].key
        return [
            self._grids.draw(
                grid._replace(title=with_players(grid.title, self.names), won=won, latest=latest),
                strip if number == 0 else Strip((), strip.height),
                offered if number == last else None,
            )
            for number, grid in enumerate(grids)
        ]

    def _strip(
        self,
        game: OpenSpielGame,
        pieces: Sequence[Piece | None] = (),
        words: Sequence[str] = (),
        width: float = BOARD_WIDTH,
        notes: Sequence[str] = (),
    ) -> Strip:
        """Who plays which side, and how it stands or who begins."""
        first = self._loaded(game).new_initial_state().current_player()
        sides = []
        for seat in range(len(self.names)):
            begins = "begins" if seat == first and not self._standing else ""
            said = [words[seat] if seat < len(words) else "", self._standing.get(seat, begins)]
            sides.append(Side(", ".join(filter(None, said)), pieces[seat] if seat < len(pieces) else None))
        return seat_strip(self.names, sides, notes, width)

    def _score(self, game: OpenSpielGame) -> str:
        """What the score counts; empty if that is not known."""
        name, rules = game.kind.short_name, self._loaded(game)
        wins = name not in catalogue.SCALES and (rules.min_utility(), rules.max_utility()) == (-1, 1)
        return texts_of_games()["score"].get(name, WINS if wins else "")

    def _loaded(self, game: OpenSpielGame) -> Any:
        """The library's rules, which a game as far as it is known doesn't have."""
        if self._rules is None:
            self._rules = load(game.kind.short_name, catalogue.parameters_from(game.kind, game.config))
        return self._rules

    def _words(self, game: OpenSpielGame, pattern: str) -> list[str]:
        """The words to click, in the order of the legal actions."""
        if game.turn is None or not pattern:
            return []
        return list(dict.fromkeys(word for play in game.legal_actions() if (word := word_of(play, pattern))))

    def choices(self, game: Game, legal: Sequence[Play]) -> Sequence[Choice]:
        assert isinstance(game, OpenSpielGame)
        name = game.kind.short_name
        facts = GRID_GAMES.get(name)
        seat = -1 if game.turn is None else game.turn.seat
        shown = labels([spoken(name, seat, play.text) for play in legal], legal)
        if facts is None or not facts.moves or not self._fields:
            chosen = [
                [f"{BOARD}/{key}" for key in self._keys_of(name, play, seat) if key in self._keys] for play in legal
            ]
            return [Choice(label=label, targets=targets) for label, targets in zip(shown, chosen, strict=True)]
        found: list[Choice] = []
        clicked: set[Sequence[str]] = set()
        for play, label in zip(legal, shown, strict=True):
            choice = self._choice(facts, play, seat, label)
            # Hive lists a move by each neighbour that it can be named by: clicks choose the first.
            found.append(Choice(label=label) if choice.targets in clicked else choice)
            clicked.add(choice.targets)
        return found

    def _keys_of(self, name: str, play: Play, seat: int) -> Iterator[str]:
        """The sprites that an action of a game with cards or dice is chosen by."""
        if name in CARD_GAMES:
            yield from (card_key(card(found)) for found in CARD.findall(play.text))
            if CARD_GAMES[name].plain and (bid := re.search(CARD_GAMES[name].plain, play.text)):
                yield card_key(bid[1], seat)
            yield WORD_KEY + word_of(play, CARD_GAMES[name].words)
        elif name in DICE_GAMES:
            moves = DICE_GAMES[name].moves
            yield from moves(play.text, seat) if moves is not None else ()
            yield WORD_KEY + word_of(play, DICE_GAMES[name].words)

    def _choice(self, facts: GridFacts, play: Play, seat: int, label: str) -> Choice:
        try:
            names = move_of(play, seat, facts, self._fields)
        except (ValueError, LookupError, StopIteration):  # an action that the table of facts doesn't know
            return Choice(label=label)
        word = word_of(play, facts.words)
        key = self._panels[names[-1]] if names else BOARD
        piece = ghost_of(play, seat, facts, [self._fields[name] for name in names])
        return self._grids.choice(label, names, piece, key, [f"{self._last}/{WORD_KEY}{word}"] if word else [])
