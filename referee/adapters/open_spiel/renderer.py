"""Draws the games of OpenSpiel: as a board, as cards, with dice, or else as the library's text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from msgspec import structs

from referee.adapters.open_spiel import catalogue
from referee.adapters.open_spiel.cards import CARD, CARD_GAMES, card
from referee.adapters.open_spiel.dice import DICE_GAMES, Around
from referee.adapters.open_spiel.games import KnownOpenSpielGame, OpenSpielGame, Play
from referee.adapters.open_spiel.grid_table import GRID_GAMES
from referee.adapters.open_spiel.grids import GridFacts, counts_of, ghost_of, move_of, notes_of, read_grids
from referee.adapters.open_spiel.library import load
from referee.adapters.open_spiel.sentences import labels, spoken, with_players
from referee.adapters.open_spiel.shown import OpenSpielNarrator
from referee.games.boards.cards import card_key, cards_panel
from referee.games.boards.grid import Grid, Grids, Place, Stroke
from referee.games.boards.pieces import BOARD_CSS, Piece
from referee.games.boards.seats import BOARD, BOARD_WIDTH, NO_STRIP, WORD_KEY, Side, Strip, seat_strip
from referee.games.interface import Game
from referee.games.renderer import Audience, Choice, Node, Panel
from referee.games.text_renderer import TextRenderer

UNSEEN: Final = "Nothing is known before the first decision of this seat."
SECRET: Final = "What all seats see is not known before the end."
"""The library has texts of what a seat sees, and none of what all see."""
WINS: Final = "1 for a win, −1 for a loss"
SCORES: Final = {
    **dict.fromkeys(("go", "pig", "quoridor"), WINS),
    **dict.fromkeys(("kuhn_poker", "leduc_poker", "universal_poker"), "chips won, or lost if it is negative"),
    "goofspiel": "1 for a win, −1 for a loss, shared where several win",
    "hearts": "26 minus the points taken",
    "crazy_eights": "minus the points of the cards left in hand",
    "oh_hell": "1 for each trick, and more for a bid that is met",
}
"""What the score of a game counts, where it isn't a win or a loss."""


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
    columns = 30

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
        self._rules: Any = None

    def draw(self, game: Game) -> Sequence[Panel]:
        assert isinstance(game, OpenSpielGame)
        self._fields, self._keys, self._standing = {}, set(), {}
        if isinstance(game, KnownOpenSpielGame) and not game.seen.strip():
            note = UNSEEN if isinstance(self.audience, int) else SECRET
            strip = self._strip(game, notes=[note])
            tall = strip.height
            return [Panel(key=BOARD, title="", top=-tall, width=BOARD_WIDTH, height=tall, sprites=strip.sprites)]
        return self.draw_board(game) or [self._with_seats(game, panel) for panel in super().draw(game)]

    def _with_seats(self, game: OpenSpielGame, panel: Panel) -> Panel:
        """A text below the seats, which it calls players; a short one larger, to fill its place."""
        words = [f"player {seat}" for seat in range(len(self.names))]
        scale = max(1, BOARD_WIDTH / panel.width)
        strip = self._strip(game, words=words, width=panel.width * scale)
        lines = [
            structs.replace(line, y=line.y * scale, shape=[Node("g", {"transform": f"scale({scale:g})"}, line.shape)])
            for line in panel.sprites
        ]
        return structs.replace(
            panel,
            title="",
            top=-strip.height,
            width=panel.width * scale,
            height=panel.height * scale + strip.height,
            sprites=[*strip.sprites, *lines],
        )

    def standing(self, game: Game) -> Sequence[str]:
        return [self._standing.get(seat, "") for seat in range(len(self.names))] if self._standing else ()

    def draw_board(self, game: OpenSpielGame) -> Sequence[Panel]:
        """The drawing of the game; empty if it has none, or if the library's text isn't as expected."""
        name = game.kind.short_name
        try:
            if name in GRID_GAMES:
                text = game.seen if isinstance(game, KnownOpenSpielGame) else str(game.state)
                return self._draw_grids(game, GRID_GAMES[name], text) if text.strip() else []
            if name in CARD_GAMES or name in DICE_GAMES:
                texts = self._texts(game)
                return self._draw_hands(game, texts) if texts else []
        except (ValueError, LookupError):  # a text that the table of facts doesn't know
            self._fields = {}
        return []

    def _texts(self, game: OpenSpielGame) -> Mapping[int, str]:
        """What seats see, by seat: that of the audience, or of all. The first's is the position if that is public."""
        if isinstance(game, KnownOpenSpielGame):
            return {self.audience: game.seen} if isinstance(self.audience, int) and game.seen.strip() else {}
        if game.is_public:
            return {0: str(game.state)}
        seen = [game.observe(seat) for seat in range(game.config.players)]
        return {seat: each.observation or each.information for seat, each in enumerate(seen)}

    def _draw_hands(self, game: OpenSpielGame, texts: Mapping[int, str]) -> Sequence[Panel]:
        """Cards, or dice."""
        name = game.kind.short_name
        if name in CARD_GAMES:
            facts = CARD_GAMES[name]
            note = self._score_note(game)
            strip = seat_strip([], [], note) if note else NO_STRIP
            rows = [*facts.rows(texts, self.names)]
            self._standing = {row.seat: row.title for row in rows if row.seat is not None}
            titled = [
                row._replace(title=": ".join(filter(None, (self.names[row.seat], row.title))))
                if row.seat is not None
                else row
                for row in rows
            ]
            panel = cards_panel(titled, strip, self._words(game, facts.words))
        else:
            dice = DICE_GAMES[name]
            self._standing = dict(enumerate(dice.standing(texts)))
            turn = None if game.turn is None else game.turn.seat
            strip = self._strip(game, dice.pieces, dice.side_words)
            drawn = dice.draw(texts, Around(self.names, turn, strip, self._words(game, dice.words)))
            if drawn is None:
                return []
            panel = drawn
        self._keys = {sprite.key for sprite in panel.sprites}
        return [panel]

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
        words = facts.side_words or facts.sides
        self._standing = dict(enumerate(counts_of(grids[0], facts)))
        strip = self._strip(
            game, pieces, words, notes=[with_players(note, self.names) for note in notes_of(text, facts)]
        )
        offered = self._words(game, facts.words) if facts.words and not isinstance(game, KnownOpenSpielGame) else None
        last = len(grids) - 1
        self._last = grids[last].key
        return [
            self._grids.draw(
                grid._replace(title=with_players(grid.title, self.names)),
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
        """Who plays which side, who begins, how it stands, and what the score counts."""
        seats = range(len(self.names))
        said = [
            ", ".join(filter(None, (words[seat] if seat < len(words) else "", self._standing.get(seat, ""))))
            for seat in seats
        ]
        first = self._first(game)
        sides = [
            Side(
                said[seat]
                if seat != first or self._standing
                else f"{said[seat]} (first)"
                if said[seat]
                else "moves first",
                pieces[seat] if seat < len(pieces) else None,
            )
            for seat in seats
        ]
        return seat_strip(self.names, sides, [*notes, *self._score_note(game)], width)

    def _score_note(self, game: OpenSpielGame) -> list[str]:
        """What the score counts, where that is known and isn't just who wins."""
        self.score = self.score or SCORES.get(game.kind.short_name, "")
        if not self.score:
            rules = self._loaded(game)
            if game.kind.short_name not in catalogue.SCALES and (rules.min_utility(), rules.max_utility()) == (-1, 1):
                self.score = WINS
        return [f"Score at the end: {self.score}"] if self.score not in ("", WINS) else []

    def _first(self, game: OpenSpielGame) -> int | None:
        """The seat that always begins."""
        first = self._loaded(game).new_initial_state().current_player()
        return first if first >= 0 else None

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
