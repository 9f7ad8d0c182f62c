"""The narrator and the presenter of all games of OpenSpiel: what people say of decisions and draws, such as cards with
their suits, bids, and who takes a trick."""

import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from msgspec import UNSET

from referee.adapters.open_spiel.cards import CARD, CARD_GAMES, card, cards, go_fish_rank, poker_cards
from referee.adapters.open_spiel.dice import backgammon_text, latest_rolls, turn_of
from referee.adapters.open_spiel.games import KnownOpenSpielGame, Moves, OpenSpielGame, OpenSpielObservation, Over, Play
from referee.adapters.open_spiel.grid_table import GRID_GAMES
from referee.games.boards.cards import RANKS
from referee.games.interface import ChanceEvent, DecisionEvent, Event
from referee.games.narrator import DETAIL, HEADING, SECTION, Narrator, Said, format_count, readable
from referee.games.presenter import Menu, MenuEntry, Presenter

SUIT_SYMBOLS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
ORDER: Final = "23456789TJQKA"
PLAYER_BEFORE: Final = re.compile(
    r"^(?:Player: ?-?\d+ Action: ?|player=-?\d+ move=|Player \d+ |P[l\d]\d*: |p\d:|\[P\d+\]|[BW] (?=\w+$))"
)
"""The player that some games begin a text with."""
PLAYER_WITHIN: Final = re.compile(r"(?i)player[ _]?(\d+)")
"""A player within a text."""
VERBS: Final = {
    verb: f"{verb}s" for verb in ("fold", "call", "raise", "check", "bet", "knock", "roll", "stop", "continue", "agree")
} | {
    "pass": "passes",
    "allin": "goes all in",
    "draw": "draws a card",
    "draw upcard": "takes the up card",
    "draw stock": "draws from the stock",
    "liar": "calls Liar",
}
"""What is said of actions that are a verb."""
MANY_DRAWS: Final = 4
"""More of them between two decisions are not told one by one."""
PHRASES: Final = (
    (r"(?i)bid:? (\d+)", "bids {0}"),
    ("Nominate suit (.)", "calls for {0}"),
    ("Play (.*)", "plays {0}"),
    ("Offer: (.*)", "offers {0}"),
    (r"(?:[xo]\()?(\d+),(\d+)\)?", "marks row {0}, column {1}"),
    (r"([a-z]\d+)[-x]?([a-z]\d+)\*?", "moves from {0} to {1}"),
    (r"(\d[a-i])(\d[a-i])\+?", "moves from {0} to {1}"),
    (r"\w\((\d,\d)\)[-x]\((\d,\d)\)", "moves from {0} to {1}"),
    (r"\d+ - (\w+s(?: .*)?)", "{0}"),
)
"""What is said where an action's text fits a pattern: words with its groups."""
PHRASES_OF: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    "amazons": (
        (r". From (.*)", "takes the queen from {0}"),
        (r". To (.*)", "moves it to {0}"),
        (r". Shoot: (.*)", "shoots at {0}"),
    ),
    "battleship": (
        ("place ship (.*) with top-left corner in (.*)", "places a ship {0} from {1}"),
        ("shoot (.*)", "shoots {0}"),
    ),
    "connect_four": (("(column .*)", "drops a disc into {0}"),),
    "cribbage": ((r"Choose (\S+ .*)", "puts {0} into the crib"), ("Choose (.*)", "plays {0}")),
    "banqi": ((r"Flip\((\d),(\d)\)", "turns up row {0}, column {1}"),),
    "chinese_checkers": ((r"(\d+)=>(\d+)", "moves from {0} to {1}"),),
    "dots_and_boxes": (
        (r"P\d\(h,(\d+),(\d+)\)", "draws the horizontal line {0},{1}"),
        (r"P\d\(v,(\d+),(\d+)\)", "draws the vertical line {0},{1}"),
    ),
    "einstein_wurfelt_nicht": ((r"[BW](\d)-(.*)", "moves piece {0} {1}"),),
    "gin_rummy": (("(♠|♥|♦|♣)(10|.)", "discards {0}{1}"), ("((?:[♠♥♦♣].+){2,})", "lays down {0}")),
    **dict.fromkeys(("liars_dice", "liars_dice_ir"), ((r"(\d+)-(\d+)", "bids {0} showing {1}"),)),
    "mancala": ((r"(\d+)", "sows from pit {0}"),),
    "nim": ((r"pile:(\d+), take:(\d+);", "takes {1} from pile {0}"),),
    "nine_mens_morris": ((r"Point (\d+)", "chooses point {0}"), (r"Move (\d+) -> (\d+)", "moves from {0} to {1}")),
    "oh_hell": ((r"(\d+)", "bids {0}"),),
    "oware": ((r"(\w)", "sows from pit {0}"),),
    "quoridor": (
        (r"(\w\d+)h", "builds a wall below {0}"),
        (r"(\w\d+)v", "builds a wall to the right of {0}"),
        (r"(\w\d+)", "moves to {0}"),
    ),
    "skat": (("([a-z ]+)", "calls {0}"),),
    "tiny_bridge_2p": (
        (r"(\d)NT", "bids {0} no trump"),
        (r"(\d.)", "bids {0}"),
        ("Dbl", "doubles"),
        ("RDbl", "redoubles"),
    ),
    "ultimate_tic_tac_toe": ((r"Local board (\d): .\((\d),(\d)\)", "marks row {1}, column {2} of local board {0}"),),
    "yacht": (
        (r"Reroll dice: \d", "rolls one die again"),
        ("Reroll dice: .*", "rolls several dice again"),
        ("Keep all .*", "keeps all dice"),
        ("Score in (.*)", "scores in {0}"),
    ),
}
"""The same for single games, which comes first."""
LONGEST: Final = 90
"""Characters of a line that is not wrapped: boards drawn with characters have fewer."""
WRAPPED: Final = 64
WORDS_AT_END: Final = {
    ("chess", True): "Checkmate",
    ("chess", False): "A draw: by stalemate or repetition, or without enough pieces or progress",
    ("gin_rummy", False): "Nobody has knocked: the hand is a draw",
}
"""What is said of the end of a game that somebody has won, or nobody."""


def words_of(text: str) -> str:
    """What an action or a draw is called, without the player that some games begin it with."""
    return PLAYER_BEFORE.sub("", text).strip()


def symbol(name: str) -> str:
    """`Ts` as `♠10`."""
    return f"{SUIT_SYMBOLS[name[-1]]}{name[:-1].replace('T', '10')}"


def spoken(game: str, seat: int, text: str) -> str:
    """The text of an action as the drawing has it: with symbols for suits, and points of backgammon as on the board."""
    words = words_of(text)
    if words == "PASS":
        return "pass"
    if game == "backgammon":
        return backgammon_text(words, seat)
    if game == "connect_four":
        return f"column {int(words[1:]) + 1}"
    if game == "dou_dizhu":  # whose actions have no suits
        return words.replace("(BWJ)", "☆").replace("(CJ)", "★")
    if game not in CARD_GAMES:
        return words
    if game in ("crazy_eights", "tiny_bridge_2p"):  # a suit alone
        words = re.sub(r"^(Nominate suit |\d)([SHDC])$", lambda found: found[1] + SUIT_SYMBOLS[found[2].lower()], words)
    if re.fullmatch("(?:[2-9TJQKA][shdc]){2,}", words):  # a meld
        return " ".join(map(symbol, cards(words)))
    return CARD.sub(lambda found: symbol(card(found[0])), words)


def predicate(game: OpenSpielGame, names: Sequence[str], seat: int, play: Play) -> str:
    """What a seat does, as the rest of a sentence about it."""
    name = game.kind.short_name
    words = spoken(name, seat, play.text) or str(play.action)
    if name == "cribbage" and game.config.players > 2 and words.startswith("Choose "):  # to play it, or for the crib
        return words.replace("Choose", "chooses")
    if name in ("hearts", "skat") and words[0] in SUIT_SYMBOLS.values() and _puts_away(game):
        return f"passes {words} on" if name == "hearts" else f"puts {words} into the skat"
    if name == "go_fish" and (asked := re.fullmatch(r"(\d)([a-m])", words)):
        rank = go_fish_rank(asked[2])
        return f"asks {names[int(asked[1])]} for {RANKS.get(rank, rank)}s"
    if words.lower() in VERBS:
        return VERBS[words.lower()]
    for pattern, said in (*PHRASES_OF.get(name, ()), *PHRASES):
        if found := re.fullmatch(pattern, words):
            return str(said.format(*found.groups()))
    words = readable(words).lower() if words.isupper() and "_" in words else words
    return f"plays {with_players(words, names)}"


def with_players(text: str, names: Sequence[str]) -> str:
    """A text of the library with the names of those whom it calls players."""
    return PLAYER_WITHIN.sub(lambda found: names[int(found[1])] if int(found[1]) < len(names) else found[0], text)


def _played(game: OpenSpielGame) -> list[tuple[int, str]]:
    """The cards that seats have chosen so far, as far as they are known."""
    decisions = (event for event, _ in game.log if isinstance(event, DecisionEvent))
    chosen = ((each.seat, each.action.text if isinstance(each.action, Play) else "") for each in decisions)
    return [(seat, card(text)) for seat, text in chosen if CARD.fullmatch(text)]


def _puts_away(game: OpenSpielGame) -> bool:
    """Whether the latest decision passed a card to another seat, or put it into the skat."""
    if not isinstance(game, KnownOpenSpielGame):
        latest = next(event for event, _ in reversed(game.log) if isinstance(event, DecisionEvent))
        return not game.shows_decision(latest)
    if game.kind.short_name == "skat":
        return f"SoloPl:{game.seat}|" in game.seen and len(_played(game)) <= 2
    return game.seat >= 0 and "No Pass" not in game.seen and len(_played(game)) <= 3


def trick(game: OpenSpielGame, names: Sequence[str]) -> Iterator[str]:
    """Who takes the trick that the latest decision ended, as everybody sees it."""
    name = game.kind.short_name
    known = game if isinstance(game, KnownOpenSpielGame) else None
    if name not in ("hearts", "oh_hell", "skat"):
        return
    if known is not None and name != "oh_hell" and (name == "skat" or known.seat >= 0):
        return
    away = 0 if known else {"hearts": 12 * (game.draws[0] != "No Pass"), "skat": 2}.get(name, 0)
    played = _played(game)[away:]
    seats = game.config.players
    if not played or len(played) % seats:
        return
    last = played[-seats:]
    if game.turn is not None:
        winner = game.turn.seat
    elif name == "skat":  # whose last trick is by its own order of cards
        return
    else:
        text = known.seen if known else str(game.state)
        trump = "".join(cards(text.partition("Trump")[2])[:1])[-1:] if name == "oh_hell" else ""
        led = last[0][1][-1]
        winner, _ = max(last, key=lambda play: (play[1][-1] == trump, play[1][-1] == led, ORDER.index(play[1][0])))
    points = sum(13 if each == "Qs" else each[-1] == "h" for _, each in last)
    if getattr(game.config, "jd_bonus", False) and any(each == "Jd" for _, each in last):
        points -= 10
    count = f" ({format_count(points, 'points')})" if name == "hearts" and points else ""
    yield f"{names[winner]} takes the trick{count}"


def draws(game: OpenSpielGame, texts: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """What chance has decided between two decisions."""
    name = game.kind.short_name
    is_dice, is_cards = name.startswith("liars_dice"), name in CARD_GAMES
    if len(texts) > (1 if is_dice or is_cards else MANY_DRAWS):
        yield "The dice are rolled" if is_dice else "The cards are dealt" if is_cards else "Chance sets up the game"
        return
    for text in texts:
        words = spoken(name, 0, text) if is_cards else words_of(text)
        words = re.sub("^(?:(?i:chance outcome):? ?|Deal:? ?)", "", words)
        rolled = re.search(r"(?i)\broll:? ([\d,]+)", words)
        if rolled:
            dice = [*rolled[1]] if name == "backgammon" else rolled[1].split(",")
            # In Pig those of the seat that has decided to roll, else of the one that decides with them.
            seat = latest_rolls(game).seat if name == "pig" else turn_of(game)
            yield f"{'The dice show' if seat is None else f'{names[seat]} rolls'} {'-'.join(dice)}"
        elif name == "goofspiel":
            yield f"The prize is {words}"
        elif name == "leduc_poker":
            yield f"{symbol(poker_cards(words)[0])} is turned up"
        elif name == "banqi":
            yield f"It is a {GRID_GAMES[name].pieces[words[-1]].words}"
        elif is_cards:
            shown = go_fish_rank(words) if name == "go_fish" else words
            yield f"{shown} is {'turned up' if name in ('cribbage', 'universal_poker') else 'drawn'}"
        else:
            yield f"Chance: {readable('; '.join(words.split(chr(10))).strip('()'))}"


def labels(words: Sequence[str], legal: Sequence[Any]) -> list[str]:
    """The words of each action, all different."""
    return [
        said if said and words.count(said) == 1 else f"{said} ({play.action})".strip()
        for said, play in zip(words, legal, strict=True)
    ]


class OpenSpielNarrator(Narrator[OpenSpielGame]):
    """Says what was drawn and decided."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """A line per decision and common move, and for what was drawn after it; at the end the position."""
        drawn = [event.round for event in events if isinstance(event, ChanceEvent) and event.round is not UNSET]
        for event in events:
            match event:
                case DecisionEvent(seat=seat, action=action):
                    play = action if isinstance(action, Play) else Play(**action)
                    yield Said(f"{self.names[seat]} {predicate(self.game, self.names, seat, play)}")
                    yield from (Said(line, DETAIL) for line in trick(self.game, self.names))
                case Moves(plays=plays) if isinstance(self.game, KnownOpenSpielGame):  # else each has been told
                    made = [(seat, play) for seat, play in enumerate(plays) if play is not None]
                    told = (f"{self.names[seat]} {predicate(self.game, self.names, seat, play)}" for seat, play in made)
                    yield Said("; ".join(told))
                case ChanceEvent(round=int(number)) if number == drawn[-1]:
                    texts = [self.game.draws[each - 1] for each in drawn]
                    yield from (Said(line, DETAIL) for line in draws(self.game, texts, self.names))
                case Over(position=position):
                    known = self.game if isinstance(self.game, KnownOpenSpielGame) else None
                    is_won = known is None and any(self.game.state.returns())
                    if known is None and (said := WORDS_AT_END.get((self.game.kind.short_name, is_won))):
                        yield Said(said, DETAIL)
                    if known and known.seat < 0 and not any(isinstance(each, DecisionEvent) for each in events):
                        yield Said("The game is over: what was hidden is shown")
                    if self.drawings or (known and known.seat >= 0):  # the public is shown it on the table
                        yield Said("The final position", HEADING)
                        yield from (Said(line, SECTION) for line in position.expandtabs().splitlines())

    def narrate_position(self) -> Iterator[Said]:
        if self.game.turn is not None:
            yield Said("The position", HEADING)
            yield from (Said(line, SECTION) for line in self.draw())

    def draw(self) -> Iterator[str]:
        """The position as far as the game is known, with long lines wrapped."""
        text = self.game.seen if isinstance(self.game, KnownOpenSpielGame) else str(self.game.state)
        for line in re.sub(r"(?m)^Terminal\? .*\n?", "", text.expandtabs()).splitlines():
            yield from wrap(line, WRAPPED) if len(line) > LONGEST else [line.rstrip()]


class OpenSpielPresenter(Presenter[OpenSpielGame]):
    """Shows a seat its observation, and its actions as a list."""

    narrator = OpenSpielNarrator
    rules = {}  # noqa: RUF012 (declared ClassVar in Presenter)

    def table(self, observation: OpenSpielObservation, legal: Sequence[Any], width: int) -> Iterator[str]:
        yield f"You are {self.names[self.seat]}, player {self.seat} of OpenSpiel"
        for line in (observation.observation or observation.information).expandtabs().splitlines():
            yield f"  {line}"

    def menu(self, observation: OpenSpielObservation, legal: Sequence[Play]) -> Menu:
        entries = [
            MenuEntry(label, play)
            for label, play in zip(labels([words_of(play.text) for play in legal], legal), legal, strict=True)
        ]
        return Menu("What do you play?", entries)
