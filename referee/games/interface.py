"""What every game implements: `Game`, and the few value types that all games share.

A game is a script of decisions. The engine says whose turn it is and of which kind (`turn`), lists what is
allowed (`legal_actions`), and goes on after a choice (`apply`) until nobody is asked any more. It is pure:
no I/O, no clock, no global state; randomness comes in as a `Chance`.
"""

import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Self, TypeVar

from msgspec import UNSET, Struct, UnsetType

from referee.games.chance import Chance, ChanceError

T = TypeVar("T")

ALL = None
"""Audience of a log entry: every seat may know."""
NOBODY = -1
"""Audience of a log entry: only the record may know."""


class IllegalAction(ValueError):
    """An action that the rules don't allow at this point."""


class OptionError(ValueError):
    """An unknown game, an unknown option or a value that is not allowed; says what would be."""


class GameConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a game. Every game has `players`; each field has a type that says what is allowed."""

    players: int

    def with_files(self, read: Callable[[str], str]) -> Self:
        """The config with every file that an option names read by `read`. Raises OptionError.

        The rules themselves read no files.
        """
        return self


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A decision that is due: whose it is and of which kind. Games add the context of their decisions."""

    seat: int
    decision: str


class Action(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A choice in a decision, in the shape it has on the wire. Compares by value."""


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", gc=False):
    """Something that happened, as told to seats and, for some types, to the record."""


class ChanceEvent(Event, frozen=True, kw_only=True, tag="chance"):
    """A draw that was made: `what`, in which round (where there is one per round), and its value."""

    what: str
    round: int | UnsetType = UNSET
    value: Any


class DecisionEvent(Event, frozen=True, kw_only=True, tag="decision"):
    """A decision that was taken. `forced`: there was only one legal action, so nobody was asked."""

    seat: int
    decision: str
    action: Any
    forced: bool = False


class Ranking(Struct, frozen=True, kw_only=True):
    """Points and places as the table shows them, by seat. Rank 1 is best."""

    scores: list[int]
    ranks: list[int]


class Game(abc.ABC):
    """A game in progress: a value with pure steps.

    >>> from referee.games import new_game
    >>> game = new_game("year_of_the_dragon", seed=1, players=2)
    >>> game.turn.seat, game.turn.decision
    (0, 'draft')
    """

    __slots__ = ("_legal", "chance", "config", "log", "turn")

    name: ClassVar[str]
    """The name in the registry, on the wire and on the command line."""
    title: ClassVar[str]
    Config: ClassVar[type[GameConfig]]
    """The type of its configuration, with its ranges and defaults."""
    Observation: ClassVar[type[Struct]]
    """The type of what `observe` returns."""
    actions: ClassVar[Mapping[str, type[Action]]]
    """The type of action of each kind of decision."""
    events: ClassVar[Sequence[type[Event]]]
    """Every type of event in the log."""
    recorded: ClassVar[tuple[type[Event], ...]]
    """The types of events that a record holds besides chance and decisions, to be checked on replay."""
    seat_styles: ClassVar[Sequence[str]] = ("cyan", "yellow", "green", "magenta", "blue", "red")
    """Where `narrate` is read on a terminal: the colour of each seat's name."""
    styles: ClassVar[Sequence[tuple[str, str]]] = ()
    """The same for other things in its lines: regular expressions, each with a style such as `bold green`."""

    config: Any
    chance: Chance
    turn: Turn | None
    """The decision that is due; None when the game is over."""
    log: list[tuple[Event, int | None]]
    """All that happened, each with its audience: ALL, one seat, or NOBODY."""
    _legal: list[Action] | None

    def __init__(self, config: GameConfig, chance: Chance) -> None:
        self.config = config
        self.chance = chance
        self.turn = None
        self.log = []
        self._legal = None

    # -- what a game package provides ---------------------------------------------------------------------

    @classmethod
    @abc.abstractmethod
    def new(cls, config: Any, chance: Chance) -> Self:
        """A new game, played up to its first decision."""

    @abc.abstractmethod
    def _list_legal(self) -> list[Action]:
        """Every allowed action of the decision that is due, each distinct one once, in a stable order."""

    @abc.abstractmethod
    def _carry_out(self, turn: Any, action: Any) -> None:
        """Do what a legal answer to `turn` says and go on to the next decision, or to the end."""

    @abc.abstractmethod
    def observe(self, seat: int) -> Struct:
        """All that `seat` may see, and nothing else, ready to be encoded.

        It may share parts with the game: encode it, or copy the game first, before the next `apply`.
        """

    @abc.abstractmethod
    def ranking(self) -> Ranking:
        """Scores and ranks from the table as it is now; the result once the game is over."""

    @abc.abstractmethod
    def public_config(self) -> GameConfig:
        """The configuration as bots see it, with every option that chance decides resolved."""

    @abc.abstractmethod
    def copy(self, chance: Chance | None = None) -> Self:
        """An independent copy, cheap enough for search; `chance` replaces the source of future draws."""

    @abc.abstractmethod
    def narrate(self, events: Sequence[Event], names: Sequence[str], width: int | None = None) -> Iterator[str]:
        """Tell people in English the latest `events` of the log; `names` are those of the seats.

        Called with what followed from the setup and then from each decision, this being the game right after it.
        Yields lines: a heading stands at the margin, all else is indented, and a line that begins with "…" goes
        onto the line before. What is drawn should fit into `width` characters, if that is given.
        """

    def narrate_position(self, names: Sequence[str], width: int | None = None) -> Iterator[str]:
        """Tell people how things stand where a story ends before the game does, as far as `narrate` hasn't."""
        return iter(())

    # -- what all games share -----------------------------------------------------------------------------

    def legal_actions(self) -> list[Action]:
        """Every allowed action of the decision that is due (empty when the game is over). Don't change it."""
        if self._legal is None:
            self._legal = self._list_legal() if self.turn is not None else []
        return self._legal

    def is_legal(self, action: Action) -> bool:
        """Whether `action` is allowed now. Games override it where two spellings mean the same."""
        return action in self.legal_actions()

    def apply(self, action: Action) -> None:
        """Take the decision that is due. Raises IllegalAction, and leaves the game as it was, if not allowed."""
        turn = self.turn
        if turn is None:
            raise IllegalAction("the game is over: no decision is due")
        if not self.is_legal(action):
            raise IllegalAction(f"{action!r} is not a legal {turn.decision} for seat {turn.seat}")
        forced = len(self.legal_actions()) == 1
        self.emit(DecisionEvent(seat=turn.seat, decision=turn.decision, action=action, forced=forced))
        self.turn = None
        self._legal = None
        self._carry_out(turn, action)

    def draw(
        self,
        what: str,
        deal: Callable[[Random], T],
        shape: Any,
        check: Callable[[T], str | None],
        *,
        round_no: int | None = None,
        audience: int | None = ALL,
    ) -> T:
        """A random value from outside, told to `audience` and to the record.

        `deal` makes it from a generator, `shape` is its type, and `check` says what makes a value impossible.
        Raises ChanceError for an impossible one.
        """
        value = self.chance.draw(what, deal, shape, round_no)
        problem = check(value)
        if problem is not None:
            raise ChanceError(what, round_no, problem)
        self.emit(ChanceEvent(what=what, round=UNSET if round_no is None else round_no, value=value), audience)
        return value

    def emit(self, event: Event, audience: int | None = ALL) -> None:
        """Add to the log what happened, for all seats, for one seat, or for NOBODY but the record."""
        self.log.append((event, audience))

    def events_since(self, seat: int, since: int = 0) -> list[Event]:
        """What `seat` may know of what happened, from position `since` of the log on."""
        return [event for event, audience in self.log[since:] if audience is ALL or audience == seat]

    def is_forced(self) -> bool:
        """Whether the decision that is due has exactly one legal action."""
        return len(self.legal_actions()) == 1
