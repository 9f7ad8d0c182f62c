"""Openings: the decisions at the start of a game that nobody is asked for.

`Openings` is plain data: what is sent to the processes that play games. Its `opener` gives the games of one
configuration, each at the first decision that somebody is asked for.
"""

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct, structs

from referee.errors import RefereeError
from referee.games.chance import Recorded, Seeded
from referee.games.interface import Action, DecisionEvent, Game, IllegalAction, OptionError
from referee.games.options import config_from
from referee.printable import excerpt

MAX_LEGAL_SHOWN: Final = 12
"""Legal actions that an error lists."""
NO_LEGAL_OPENING: Final = "no opening of the file is legal here"
CHECK_MARKS: Final = "+#"
"""Of moves in chess that give check or mate."""


class OpeningError(RefereeError):
    """An opening can't be played. The message says where it is from, and what could be played instead."""


class OpenedGame(NamedTuple):
    """A game whose opening has been played."""

    game: Game
    source: str
    """What the opening is taken from, for the record."""


class Opener(NamedTuple):
    """Gives games of one configuration after their openings."""

    begin: Callable[[int, str], OpenedGame]
    """A new game with the opening of this number, from 0, and with draws from a seed, that of its deal. Raises
    OpeningError if a recorded position can't be drawn again, or its given action is not legal there."""


class DrawnOpenings(Struct, frozen=True, kw_only=True, tag="drawn"):
    """Openings of random legal actions, which leave at least one decision with a choice.

    In a game without chance no two openings are equal before all that exist have been used; then they begin again. In
    a game with chance each follows from the seed of its deal.
    """

    plies: int
    """The number of decisions, forced ones included; there are fewer where the game would end otherwise."""
    seed: str

    def opener(self, game: type[Game], config: Any) -> Opener:
        def drawn(number: int, seed: str) -> OpenedGame:
            openings = _all_openings(game.new(config, Seeded(seed)), self.plies, Random(f"{seed}/opening"))
            return OpenedGame(next(openings), self.source)

        if game.traits.chance:
            return Opener(drawn)
        found: list[Game] = []
        rest = _all_openings(game.new(config, Seeded(self.seed)), self.plies, Random(self.seed))

        def distinct(number: int, seed: str) -> OpenedGame:
            while number >= len(found) and (opened := next(rest, None)) is not None:
                found.append(opened)
            return OpenedGame(found[number % len(found)].copy(chance=Seeded(seed)), self.source)

        return Opener(distinct)

    @property
    def source(self) -> str:
        return f"{self.plies} drawn decisions"


class ListedOpening(Struct, frozen=True, kw_only=True):
    """An opening of a file."""

    source: str
    """The name of the file, and the line."""
    actions: Sequence[Any] = ()
    """Each as JSON, or as a word that stands for the only legal action in which it is a text."""
    options: dict[str, Any] = {}
    """Options of the game with other values: the position in which it begins, for example."""

    def begin(self, game: type[Game], config: Any, seed: str) -> Game:
        """The game after this opening. Raises OpeningError."""
        try:
            if self.options:
                config = config_from(game.Config, msgspec.to_builtins(config) | self.options)
            begun = game.new(config, Seeded(seed))
        except OptionError as error:
            raise OpeningError(f"{self.source}: {error}") from None
        for number, given in enumerate(self.actions, 1):
            if begun.turn is None:
                raise OpeningError(f"{self.source}: the game ends with decision {number - 1} of this opening")
            action = find_action(begun, given)
            if action is None:
                where = f"decision {number} ({begun.turn.decision} of seat {begun.turn.seat})"
                legal = begun.legal_actions()
                shown = ", ".join(map(format_action, legal[:MAX_LEGAL_SHOWN]))
                more = f" and {len(legal) - MAX_LEGAL_SHOWN} more" if len(legal) > MAX_LEGAL_SHOWN else ""
                wrong = f"{excerpt(_as_given(given))} is not legal as {where}"
                raise OpeningError(f"{self.source}: {wrong}; legal are {shown}{more}")
            begun.apply(action, opening=True)
        if not has_choices(begun):
            what = "the game is over" if begun.turn is None else "nobody has a choice left"
            raise OpeningError(f"{self.source}: {what} after this opening; leave its last decisions out")
        return begun


class ListedOpenings(Struct, frozen=True, kw_only=True, tag="listed"):
    """The openings of a file, in a random order; when all have been used they begin again.

    One that is not legal in a deal, as that may depend on its draws, gives its place to the next one that is. Where
    none is, the game begins without an opening.
    """

    listed: Sequence[ListedOpening]
    """All different."""
    seed: str

    @property
    def source(self) -> str:
        count = len(self.listed)
        return f"{count} {'opening' if count == 1 else 'openings'} of {self.listed[0].source.rpartition(':')[0]}"

    def opener(self, game: type[Game], config: Any) -> Opener:
        order = [*self.listed]
        Random(self.seed).shuffle(order)

        def begin(number: int, seed: str) -> OpenedGame:
            for following in range(len(order)):
                listed = order[(number + following) % len(order)]
                with contextlib.suppress(OpeningError):
                    return OpenedGame(listed.begin(game, config, seed), listed.source)
            return OpenedGame(game.new(config, Seeded(seed)), NO_LEGAL_OPENING)

        return Opener(begin)


class PlayedOn(Struct, frozen=True, kw_only=True, tag="played_on"):
    """The position of a recorded game: each deal is another future of it.

    What chance decided before stays as it was, and what it decides afterwards is drawn from the seed of the deal.
    """

    position: str
    """The recorded game, and the number of the position."""
    draws: Sequence[tuple[str, int | None, Any]]
    """Name, round and value of each draw up to the position."""
    actions: Sequence[Any]
    """As JSON."""
    redraw: int | None = None
    """The seat for which what it doesn't know is drawn again in each future; None: it stays as it was."""
    take: Any = None
    """An action that is taken at the position in every future, as JSON or as a word; None: a player is asked."""

    @property
    def source(self) -> str:
        redrawn = "" if self.redraw is None else f", drawn again for seat {self.redraw}"
        return f"{self.position}{redrawn}" + ("" if self.take is None else ", after a given action")

    def opener(self, game: type[Game], config: Any) -> Opener:
        at = game.new(config, Recorded({(name, round_no): value for name, round_no, value in self.draws}))
        for action in self.actions:
            assert at.turn is not None
            at.apply(msgspec.convert(action, at.actions[at.turn.decision]), opening=True)

        def begin(number: int, seed: str) -> OpenedGame:
            begun = at.copy(chance=Seeded(seed)) if self.redraw is None else self._redrawn(at, self.redraw, seed)
            if self.take is not None:
                action = find_action(begun, self.take)
                if action is None:
                    raise OpeningError(f"{excerpt(_as_given(self.take))} is not legal at {self.position}")
                begun.apply(action, opening=True)
            return OpenedGame(begun, self.source)

        return Opener(begin)

    def _redrawn(self, at: Game, seat: int, seed: str) -> Game:
        """The position with other values for what a seat doesn't know. Raises OpeningError."""
        try:
            game = at.determinize(seat, Random(f"{seed}/redraw")).copy(chance=Seeded(seed))
        except IllegalAction as error:
            raise OpeningError(
                f"what seat {seat} can't know can't be drawn again from {self.position}: {error}"
            ) from None
        game.log = [
            (structs.replace(event, opening=True) if isinstance(event, DecisionEvent) else event, audience)
            for event, audience in game.log
        ]
        return game


GivenOpenings = DrawnOpenings | ListedOpenings
"""What a match or a tournament is given; a recorded position is for matches only."""
Openings = GivenOpenings | PlayedOn


def count_openings(openings: GivenOpenings, game: type[Game], config: Any, most: int) -> int:
    """How many of these openings of a game without chance differ, up to `most`."""
    if isinstance(openings, ListedOpenings):
        return min(most, len(openings.listed))
    found = _all_openings(game.new(config, Seeded("")), openings.plies, Random(""))
    return sum(1 for _ in islice(found, most))


def _all_openings(game: Game, plies: int, random: Random) -> Iterator[Game]:
    """The game after each opening of this many decisions, in a random order, in which openings that follow each other
    differ early. An opening is shorter where each further action leaves no choice until the end of the game."""
    untried = game.legal_actions()[:] if plies else []
    random.shuffle(untried)
    begun: deque[Iterator[Game]] = deque()
    found = False
    while untried or begun:
        if untried:
            following = game.copy()
            following.apply(untried.pop(), opening=True)
            if not has_choices(following):
                continue
            rest = _all_openings(following, plies - 1, random)
        else:
            rest = begun.popleft()
        opened = next(rest, None)
        if opened is not None:
            found = True
            yield opened
            begun.append(rest)
    if not found:
        yield game


def has_choices(game: Game) -> bool:
    """Whether a decision with several legal actions is still to come, if nothing but forced ones are taken before."""
    while game.turn is not None and game.is_forced():
        game = game.copy()
        game.apply(game.legal_actions()[0])
    return game.turn is not None


def find_action(game: Game, given: Any) -> Action | None:
    """The legal action that is meant by its JSON, or by a word: the only one in which it is a text, where a mark for
    check or mate may be left out. None: there is no such action."""
    legal = game.legal_actions()
    if not isinstance(given, str):
        assert game.turn is not None
        try:
            return game.canonical(msgspec.convert(given, game.actions[game.turn.decision]))
        except msgspec.ValidationError:
            return None
    found = [action for action in legal if given in _texts(action)]
    plain = given.rstrip(CHECK_MARKS)
    found = found or [action for action in legal if plain in (text.rstrip(CHECK_MARKS) for text in _texts(action))]
    return found[0] if len(found) == 1 else None


def format_action(action: Action) -> str:
    """An action as it can be written in a file of openings: its only text, or JSON."""
    texts = _texts(action)
    word = texts[0] if len(texts) == 1 and len(action.__struct_fields__) <= 2 else ""
    return word if word and not set(word) & set(' \t"#[{') else msgspec.json.encode(action).decode()


def _texts(action: Action) -> list[str]:
    values = (getattr(action, name) for name in action.__struct_fields__)
    return [value for value in values if isinstance(value, str)]


def _as_given(given: Any) -> bytes:
    return given.encode() if isinstance(given, str) else msgspec.json.encode(given)
