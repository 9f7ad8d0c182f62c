"""Which games of OpenSpiel are drawn on a card table, and how the texts that seats are sent are read.

Each function is given the texts by seat: that of one, or of all for those who see everything. What all see is read from
any of them, a hand from its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from referee.games.boards.cards import HIDDEN, HIDDEN_DIE, SUITS, TABLE_WIDTH, Row
from referee.games.narrator import format_count

Texts = Mapping[int, str]
HANDS_HIDDEN: Final = Row("Hands open at the end", ())
CARD: Final = re.compile(r"\b(?:[SHDC](?:[2-9TJQKA])|(?:[2-9TJQKA])[SHDCshdc])\b")
"""A card in the text of an action."""


class CardFacts(NamedTuple):
    """`rows` reads the texts, with the names of the players; those of seats are titled by what is said of the seat.

    `words`: what else an action is chosen by. `width`: of the table. `secret`: how titles begin that only
    one seat may know.
    """

    rows: Callable[[Texts, Sequence[str]], Iterator[Row]]
    words: str = ""
    plain: str = ""
    """A card without a suit in the text of an action."""
    width: float = TABLE_WIDTH
    secret: str = ""


def public_rows(name: str, texts: Sequence[str], *, shows_all: bool) -> list[Row]:
    """What all at the table see, from the texts of all seats: what is in hands is face down unless all is shown.

    Raises ValueError or LookupError for a text that is not as expected.
    """
    facts = CARD_GAMES[name]
    rows = [*facts.rows(dict(enumerate(texts)), [f"player {seat}" for seat in range(len(texts))])]
    return rows if shows_all else [HANDS_HIDDEN, *(_hidden(row, facts.secret) for row in rows)]


def _hidden(row: Row, secret: str) -> Row:
    """A row without what only one seat may know."""
    is_secret = bool(secret) and row.title.startswith(secret)
    if row.seat is None and not is_secret:
        return row
    held = [HIDDEN_DIE if each.startswith("die ") else HIDDEN for each in row.cards]
    return row._replace(cards=held, title="" if is_secret and row.seat is not None else row.title)


def card(token: str) -> str:
    """`SQ` or `QS` as `Qs`."""
    return token[:-1] + token[-1].lower() if token[-1].lower() in SUITS else token[1:] + token[0].lower()


def cards(tokens: str, pattern: str = r"[2-9TJQKA][shdcSHDC]|[SHDC][2-9TJQKA]") -> list[str]:
    return [card(token) for token in re.findall(pattern, tokens)]


def after(text: str, label: str, default: str = "") -> str:
    """What follows a label in its line."""
    found = re.search(f"{label}(.*)", text)
    return found[1].strip() if found else default


def any_of(texts: Texts) -> str:
    return next(iter(texts.values()))


def by_suit(text: str, pattern: str) -> list[str]:
    """Cards in lines of a suit each: `pattern` has a group for the suit, and one for the ranks."""
    return [
        rank + suit.lower() for suit, ranks in re.findall(pattern, text, re.MULTILINE) for rank in ranks if rank.strip()
    ]


def tricks(text: str, seats: int) -> Iterator[Row]:
    """The trick on the table, or the last one, from a table in which seats have columns of three characters."""
    lines = text.partition("Tricks:")[2].splitlines()[2:]
    played = [line for line in lines if re.fullmatch(r"(?: {3})*(?:\w\w ?)+ *", line)]
    if played:
        last = [(found.start() // 3 % seats, card(found[0])) for found in re.finditer(r"\w\w", played[-1])]
        yield Row(
            "Trick" if len(last) < seats else "Last trick",
            [each for _, each in last],
            owners=[seat for seat, _ in last],
        )


def hearts(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    text = any_of(texts)
    found = re.findall(r"^([NESW]): (\d+)$", text, re.MULTILINE)
    points = dict.fromkeys(range(4), "0") | {"NESW".index(seat): count for seat, count in found}
    if "Hand:" not in text and "Tricks:" not in text:  # the text of the end has the latter only
        raise ValueError("neither hands nor tricks")
    yield Row(f"Pass direction: {after(text, 'Pass Direction: ').lower()}", ())
    yield from tricks(text, 4)
    for seat in range(4):
        own = texts.get(seat, "").partition("Hand:")[2].partition("Passed")[0].replace("none", "")
        taken = format_count(int(points[seat]), "points")
        yield Row(f"{taken} taken", by_suit(own, r"^([SHDC]) (.*)$"), seat)
    if len(texts) == 1:
        for word in ("Passed", "Received"):
            if passed := cards(after(text, f"{word} Cards: ")):
                yield Row(word, passed)


def oh_hell(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    text = any_of(texts)
    bids, won = after(text, "Bids:").split(), after(text, "Tricks Won:").split()
    yield Row("Trump", cards(after(text, "Trump:")))
    yield from tricks(text, len(names))
    for seat in range(len(names)):
        bid = "no bid yet" if bids[seat] == "-1" else f"bid {bids[seat]}"
        hand = by_suit(texts.get(seat, ""), r"^ +([SHDC]): (.*)$")  # at the end all hands as they were dealt
        yield Row(f"{bid}, won {won[seat]}", [] if "GameOver" in text else hand, seat)


GIN_PHASES: Final = {
    "Deal": "The cards are dealt",
    "FirstUpcard": "{} may take the up card",
    "Draw": "{} is to draw",
    "Discard": "{} is to discard",
    "Knock": "{} lays down melds",
    "Layoff": "{} may lay off cards",
    "Wall": "{} may knock: the stock is used up",
    "GameOver": "The hand is over",
}
"""What is said of a phase, with the name of who is to decide."""


def gin_rummy(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    text = any_of(texts)
    stock = after(text, "Stock size: ").split()[0]
    player = after(text, "Current player: ")
    who = names[int(player)] if player.isdigit() and int(player) < len(names) else ""
    yield Row(GIN_PHASES.get(after(text, "Phase: "), "{}").format(who).strip(), ())
    yield Row(f"Who has at most {format_count(int(after(text, 'Knock card: ')), 'points')} may knock", ())
    yield Row(f"Up card; {stock} cards in the stock", cards(after(text, "Upcard: ")))
    yield Row("Discarded", cards(after(text, "Discard pile: ")))
    for seat, own in texts.items():
        block = own.partition(f"Player{seat}:")[2].partition("Player1:" if seat == 0 else "\0")[0].partition("Stock")[0]
        yield Row(f"deadwood {after(block, 'Deadwood=')}", cards(block), seat)


def crazy_eights(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    text = any_of(texts)
    suit = after(text, "Previous suit: ").lower()
    yield Row(f"To follow: {SUITS[suit][0]}" if suit in SUITS else "To follow", cards(after(text, "Previous card: ")))
    for seat, own in texts.items():
        counts = re.findall(r"\d+", after(own, "other players have:"))
        yield Row("", by_suit(own, r"^Suit ([SHDC]): (.*)$"), seat)
        if len(texts) == 1:
            for other, count in zip(range(1, len(names)), counts[1:], strict=False):
                yield Row("", [HIDDEN] * int(count), (seat + other) % len(names))


def poker(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    """Leduc and universal_poker: fields in brackets."""
    text = any_of(texts)
    fields = dict(re.findall(r"\[(\w+): ?([^\]]*)\]", text))
    if "Private" not in fields:
        raise ValueError("no private card")
    public = fields.get("Public", "")
    money = fields["Money"].split()
    paid = (fields.get("Ante") or fields.get("PlayerContribution", "")).split()
    # Not the text's own pot, which is all that could be paid into it.
    yield Row(f"Pot {sum(map(int, paid))}", poker_cards(public) if public else [])
    for seat in range(len(names)):
        own = re.search(r"\[Private: ?([^\]]*)\]", texts[seat]) if seat in texts else None
        put = f", {paid[seat]} in the pot" if seat < len(paid) else ""
        yield Row(f"{money[seat]} left{put}", poker_cards(own[1]) if own else [HIDDEN], seat)


def poker_cards(tokens: str) -> list[str]:
    """Cards as such, or as numbers: two of each rank, jacks first."""
    return ["JQKA23456789T"[int(tokens) // 2] + "sh"[int(tokens) % 2]] if tokens.isdigit() else cards(tokens)


def kuhn(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    text = any_of(texts)
    paid = text[1:]
    if not text.isdigit() or len(paid) != len(names):
        raise ValueError("not a card and what each has paid")
    ranks = "JQKA"[: len(names) + 1] if len(names) < 4 else "23456789TJQKA"[-len(names) - 1 :]
    yield Row(f"Pot {sum(map(int, paid))}", ())
    for seat in range(len(names)):
        yield Row(f"paid {paid[seat]}", [ranks[int(texts[seat][0])] + "s" if seat in texts else HIDDEN], seat)


def skat(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    fields = {
        key: value
        for seat, text in texts.items()
        for key, value in re.findall(r"([^|:(]+)(?:\([^)]*\))?:([^|]*)", text)
    }
    leader = re.search(r"CurrTrick\(Leader:(-?\d)\):([^|]*)", any_of(texts))
    solo = int(after(any_of(texts), "SoloPl:").partition("|")[0])
    yield Row(f"{fields['Phase'].capitalize()}, game: {fields['Game']}", ())
    if leader and (trick := symbols(leader[2])):
        yield Row("Trick", trick, owners=[(int(leader[1]) + n) % 3 for n in range(len(trick))])
    if lying := [each for text in texts.values() for each in symbols(after(text, "Skat:").partition("|")[0])]:
        yield Row("Skat", list(dict.fromkeys(lying)))
    for seat in range(len(names)):
        hand = symbols(after(texts.get(seat, ""), "Hand:").partition("|")[0])
        yield Row("plays alone" if seat == solo else "", hand, seat)


def symbols(text: str) -> list[str]:
    """Cards as single characters of Unicode."""
    codes = [ord(each) - 0x1F0A0 for each in text if ord(each) > 0x1F0A0]
    return ["?A23456789TJCQK"[code % 16] + "shdc"[code // 16] for code in codes]


def cribbage(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    text = any_of(texts)
    scores = after(text, "Scores: ").split()
    yield Row("Starter", cards(after(text, "Starter: ")))
    yield Row(f"Played, running total {after(text, 'Running total: ', '0')}", cards(after(text, "Played cards: ")))
    for seat in range(len(names)):
        yield Row(format_count(int(scores[seat]), "points"), cards(after(texts.get(seat, ""), "Hand: ?")), seat)


def go_fish_rank(letter: str) -> str:
    return ("A", *map(str, range(2, 11)), "J", "Q", "K")["abcdefghijklm".index(letter)]


def go_fish(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    counts = re.findall(r"player (\d+) cards (\d+) books (\d+)", any_of(texts))
    for number, count, books in counts:
        seat = int(number)
        found = re.findall(r"([a-m])(\d)", after(texts.get(seat, ""), "Your cards: "))
        own = [go_fish_rank(rank) for rank, held in found for _ in range(int(held))]
        yield Row(format_count(int(books), "books"), own if seat in texts else [HIDDEN] * int(count), seat)


def goofspiel(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    text = any_of(texts)
    points = after(text, "Points: ").split()
    yield Row("Prize", [after(text, "Current point card: ")])
    for seat in range(len(names)):
        hand = next((after(own, f"P{seat} hand: ").split() for own in texts.values() if f"P{seat} hand: " in own), [])
        yield Row(format_count(int(points[seat]), "points"), hand, seat)


BRIDGE_SUITS: Final = {"H": "hearts", "S": "spades", "NT": "no trump"}


def tiny_bridge(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    for seat, text in texts.items():
        found = re.match(r"((?:[SH][JQKA]){2}) ?(.*)", text)
        if found is None:
            raise ValueError("no hand")
        yield Row("", cards(found[1]), seat)
        bid = re.match(r"(\d)(\w+):(Us|Pd)", found[2])
        if bid is not None and seat == next(iter(texts)):
            bidder = seat if bid[3] == "Us" else 1 - seat
            yield Row(f"Last bid: {bid[1]} {BRIDGE_SUITS[bid[2]]} by player {bidder}", ())


def dou_dizhu(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    token = r"10|[2-9TJQKA]|\(\w+\)"
    jokers = {"(BWJ)": "☆", "(CJ)": "★", "T": "10"}
    for seat, text in texts.items():
        hand = re.findall(token, after(text, "My hand "))
        alone = "plays alone" if "My position from Dizhu: 0" in text else ""
        yield Row(alone, [jokers.get(each, each) for each in hand], seat)
    played = re.findall(token, after(any_of(texts), "Played cards "))
    yield Row("Played", [jokers.get(each, each) for each in played])


def liars_dice(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    bids, held = "", 0
    for seat, text in texts.items():
        found = re.fullmatch(r"(?:P\d )?([1-9]+)((?: \d+-\d+)*)(?: Liar)?\s*", text)
        if found is None:
            raise ValueError("neither dice nor bids")
        bids, held = found[2], len(found[1])
        yield Row("", [f"die {value}" for value in found[1]], seat)
    yield from (Row("", [HIDDEN_DIE] * held, seat) for seat in range(len(names)) if seat not in texts)
    made = re.findall(r"(\d+)-(\d+)", bids)
    yield Row(f"Last bid: {made[-1][0]} showing {made[-1][1]}" if made else "No bid yet", ())
    if made[1:]:
        yield Row(f"Before: {', '.join(f'{count} of {face}' for count, face in made[:-1])}", ())


YACHT: Final = {"4Kind": "Four of a kind", "Full": "Full house", "SmStr": "Small straight", "LgStr": "Large straight"}


def yacht(texts: Texts, names: Sequence[str]) -> Iterator[Row]:
    text = any_of(texts)
    dice = [f"die {value}" for value in after(text, "Dice: ").split()]
    turn = int(after(text, "Turn player: ", "-1"))
    rolling = f"player {turn}, roll" if 0 <= turn < len(names) else "Roll"
    yield Row(f"{rolling} {after(text, 'Roll: ')}", dice)
    for seat, total, scored in re.findall(r"^Player (\d+) \(total: (\d+)\):((?:\n  .*)*)", text, re.MULTILINE):
        yield Row(format_count(int(total), "points"), (), int(seat))
        categories = [(YACHT.get(name, name), points) for name, points in re.findall(r"  (\w+): (\d+)", scored)]
        for n in range(0, len(categories), 2):
            yield Row(", ".join(f"{name} {points}" for name, points in categories[n : n + 2]), (), int(seat))


BETS: Final = r"(Fold|Call|Raise|Check|Bet|AllIn|Pass|Continue)"
NARROW: Final = 300
"""Width of a table for hands of few cards."""
CARD_GAMES: Final[Mapping[str, CardFacts]] = {
    "crazy_eights": CardFacts(crazy_eights, "(Draw|Pass|suit [SHDC])"),
    "cribbage": CardFacts(cribbage, "(Pass)"),
    "dou_dizhu": CardFacts(dou_dizhu),
    "gin_rummy": CardFacts(gin_rummy, "(Draw upcard|Draw stock|Pass|Knock)", secret="deadwood"),
    "go_fish": CardFacts(go_fish),
    "goofspiel": CardFacts(goofspiel, plain=r"Bid: (\d+)"),
    "hearts": CardFacts(hearts, r"(Pass)"),
    "kuhn_poker": CardFacts(kuhn, BETS, width=NARROW),
    "leduc_poker": CardFacts(poker, BETS, width=NARROW),
    **dict.fromkeys(("liars_dice", "liars_dice_ir"), CardFacts(liars_dice, r"^(\d+-\d+|Liar)$", width=NARROW)),
    "oh_hell": CardFacts(oh_hell, r"^(\d+)$"),
    "skat": CardFacts(skat, secret="Skat"),
    "tiny_bridge_2p": CardFacts(tiny_bridge, "(.+)", width=NARROW),
    "universal_poker": CardFacts(poker, BETS, width=NARROW),
    "yacht": CardFacts(yacht),
}
"""The games that are drawn as cards."""
