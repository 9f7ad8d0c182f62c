"""The interface of a game, `Game`, and the value types that all games share.

A game is a sequence of decisions. It says which decision is due (`turn`), lists the legal actions (`legal_actions`),
and continues after an action (`apply`) until no further decision is due. It is pure: no I/O, no clock, no global
state; random values come from a `Chance`. Text and drawings belong to the narrator that is registered beside the game.
"""

import abc
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, Self, TypeVar

from msgspec import UNSET, Struct, UnsetType

from referee.errors import RefereeError
from referee.games.chance import Chance, ChanceError, DrawKey, Seeded

T = TypeVar("T")

ALL = None
"""Audience of an event: every seat."""
NOBODY = -1
"""Audience of an event: only the record."""


class IllegalAction(RefereeError, ValueError):
    """An action that the rules do not allow at this point."""


class OptionError(RefereeError, ValueError):
    """An unknown game, an unknown option or a value that is not allowed. The message lists what is allowed."""


class GameConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a game. Every game has `players`; the type of each field defines the allowed values."""

    players: int

    def with_files(self, read: Callable[[str], str]) -> Self:
        """The config with the contents of the files named in its options. Raises OptionError.

        The rules themselves read no files: `read` returns the text of the file of that name.
        """
        return self


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A decision that is due: its seat and its kind. Games add fields for its context."""

    seat: int
    decision: str


class Action(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer to a decision, with the fields that it has on the wire. Compares by value."""


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", gc=False):
    """Something that happened, as it is sent to seats and, for some types, written to the record."""


class ChanceEvent(Event, frozen=True, kw_only=True, tag="chance"):
    """A draw that was made: its name, its round (where there is one per round), and its value."""

    what: str
    round: int | UnsetType = UNSET
    value: Any


class DecisionEvent(Event, frozen=True, kw_only=True, tag="decision"):
    """A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening, likewise."""

    seat: int
    decision: str
    action: Any
    forced: bool = False
    opening: bool = False


class Ranking(Struct, frozen=True, kw_only=True):
    """Scores and ranks by seat, by the rules of the game. Rank 1 is best; equal ranks are a tie."""

    scores: list[int]
    ranks: list[int]


class Traits(Struct, frozen=True, kw_only=True):
    """What a game declares of itself, for the conformance suite (`referee.testing`) and for authors of bots."""

    hidden: bool = False
    """Whether something is hidden from a seat."""
    searchable: bool = True
    """Whether `determinize` and `reconstruct` work."""
    draws_depend_on_decisions: bool = False
    """Whether other decisions lead to other draws with the same seed, or to another number of them."""
    forced_opening: bool = False
    """Whether the first decision may have only one legal action."""
    hides_forced: bool = False
    """Whether players are asked even if only one action is legal: that there was no choice would tell others what is
    hidden."""
    chance: bool = True
    """Whether anything is drawn. In a game without chance the decisions alone make the game, so bots that repeat their
    decisions play the same game in every deal."""


class Game(abc.ABC):
    """A game in progress.

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
    """The types of events that a record holds in addition to draws and decisions, checked on replay."""
    traits: ClassVar[Traits] = Traits()
    hides_decisions: ClassVar[bool] = False
    """Whether `decision_audience` hides decisions from some seats."""
    cooperative: ClassVar[bool] = False
    """Whether all seats win or lose together, so that they always tie: such a game is not for tournaments."""
    score_scale: ClassVar[int] = 1
    """How many units of the scores in rankings, on the wire and in records make one point of the rules."""
    tie_break: ClassVar[str] = ""
    """What decides between equal scores, if anything does, such as `the order of play`."""

    config: Any
    chance: Chance
    turn: Turn | None
    """The decision that is due; None when the game is over."""
    log: list[tuple[Event, int | None]]
    """Every event so far with its audience: ALL, one seat, or NOBODY."""
    _legal: list[Action] | None

    def __init__(self, config: GameConfig, chance: Chance) -> None:
        self.config = config
        self.chance = chance
        self.turn = None
        self.log = []
        self._legal = None

    # -- implemented by every game ------------------------------------------------------------------------

    @classmethod
    @abc.abstractmethod
    def new(cls, config: Any, chance: Chance) -> Self:
        """A new game, played up to its first decision."""

    @abc.abstractmethod
    def _list_legal(self) -> list[Action]:
        """Every legal action of the decision that is due, each distinct one once, in a stable order."""

    @abc.abstractmethod
    def _carry_out(self, turn: Any, action: Any) -> None:
        """Carry out a legal answer to `turn`, and continue to the next decision or to the end of the game."""

    @abc.abstractmethod
    def observe(self, seat: int) -> Struct:
        """Everything that `seat` may see, and nothing else, ready for encoding.

        It may share objects with the game, so encode it before the next `apply`, or observe a copy of the game.
        """

    def observation_to_send(self, seat: int) -> Struct:
        """The observation for a message, to be encoded only. A game overrides this if it keeps parts of it as JSON."""
        return self.observe(seat)

    @abc.abstractmethod
    def ranking(self) -> Ranking:
        """The current scores and ranks. Once the game is over they are its result."""

    @abc.abstractmethod
    def copy(self, chance: Chance | None = None) -> Self:
        """An independent copy, cheap enough for search. `chance`, if given, answers the draws that the copy makes."""

    def _copy_common(self, chance: Chance | None) -> Self:
        """What `copy` begins with: a copy of what all games have."""
        twin = object.__new__(type(self))
        twin.config = self.config
        twin.chance = self.chance if chance is None else chance
        twin.turn = self.turn
        twin.log = self.log[:]
        twin._legal = self._legal
        return twin

    def public_config(self) -> GameConfig:
        """The options as bots see them, as given by default. Overridden by a game that leaves options to chance."""
        config: GameConfig = self.config
        return config

    # -- overridden by games with hidden information --------------------------------------------------------

    @classmethod
    def is_searchable(cls, config: Any) -> bool:
        """Whether `determinize` works with these options; the trait is about the usual ones."""
        return cls.traits.searchable

    def determinize(self, seat: int, random: Random) -> Self:
        """A copy in which `random` has drawn everything that `seat` doesn't know, consistent with what it was sent.

        Its observation, its events and its legal actions stay the same. Everything else is drawn with the probability
        that it has by the rules alone, whatever it was in the original: what others hold, hidden events of the log,
        and all future draws. A game without hidden information has only future draws. The log has every draw and
        decision from which the copy can be replayed.
        """
        return self.copy(chance=Seeded(random.getrandbits(64)))

    @classmethod
    def hidden_draws(
        cls, config: Any, seat: int, observation: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
    ) -> dict[DrawKey, Any]:
        """A value for each draw that this seat was not sent, consistent with what it was sent.

        `observation` and `events`, all since the start of the game, are as on the wire. Any such values will do, as
        `reconstruct` determinizes the game afterwards. A game without hidden draws returns an empty dict.
        """
        return {}

    def decision_audience(self, turn: Any, action: Any) -> int | None:
        """Who is sent the event of a decision: ALL, or only its own seat for one that is hidden from the others.

        For example cards that are passed on face down, or a move that others make at the same time. What the others
        may know of it (that it was taken; later, what it was) is for events of the game. The record has every decision.
        """
        return ALL

    def take_hidden(self, following: Sequence[Event]) -> None:
        """Take the decisions that are due and that the audience of this game was not sent, as far as is known.

        For the class that is registered as `known`, of a game that `hides_decisions`. Called as long as the next of the
        `following` events is another decision than the one that is due, and once with events that have no decision.
        Raises IllegalAction by default: then pages only list what the audience was sent.
        """
        raise IllegalAction("a decision that is hidden from this audience comes before this one")

    def shows_decision(self, event: DecisionEvent) -> bool:
        """Whether spectators see a decision whose event only its own seat is sent, as people around the table would."""
        return False

    def observe_public(self) -> Any:
        """What spectators see of the position, as an observation of no seat; None: only what events for ALL tell."""
        return None

    def reveal(self, following: Sequence[Event]) -> None:  # noqa: B027 (nothing to do in most games)
        """Add what the events after a decision reveal, before it is applied; events of later decisions may follow.

        For the class that is registered as `known`: the game as far as an audience knows it, in which what is hidden
        has a value that stands for it. Such a class makes no draw that its audience may not see. A game without hidden
        information is known as it is.
        """

    def reveal_observation(self, observation: Any) -> None:  # noqa: B027
        """Add what an observation of a seat or of spectators reveals, and no event, to what they know."""

    # -- overridden by games that have tensors --------------------------------------------------------------

    def tensor(self, seat: int) -> Any:
        """What `seat` may see as numbers, ready for encoding: sent beside `observe` to bots that ask for it.

        UNSET, and not sent, in games that have no such numbers.
        """
        return UNSET

    # -- optional, for options whose values can't be listed ------------------------------------------------

    @classmethod
    def further_configs(cls) -> Mapping[str, GameConfig]:
        """Configurations that bots are checked with besides every listed value of every option, by `OPTION=VALUE`.

        Those are of options whose values are files, for example, and that make lines longer or names unusual.
        """
        return {}

    # -- shared by all games ------------------------------------------------------------------------------

    def legal_actions(self) -> list[Action]:
        """Every legal action of the decision that is due; empty when the game is over. Do not change the list."""
        if self._legal is None:
            self._legal = self._list_legal() if self.turn is not None else []
        return self._legal

    def legal_at(self, index: int) -> Action | None:
        """The action at this place of `legal_actions`, from 0; None if there is none. A game overrides this if it can
        tell without listing all."""
        legal = self.legal_actions()
        return legal[index] if 0 <= index < len(legal) else None

    def canonical(self, action: Action) -> Action | None:
        """The action as it is recorded and shown: the legal one that `action` equals; None if it is not legal.

        So nothing that a bot adds to an action gets into a record. A game overrides this if comparing with every
        legal action takes long, and `_canonical_unlisted` if it accepts actions that are not listed.
        """
        legal = self.legal_actions()
        try:
            return legal[legal.index(action)]
        except ValueError:
            return self._canonical_unlisted(action)

    def _canonical_unlisted(self, action: Action) -> Action | None:
        """What `canonical` returns for an action that equals no listed one: by default None, as it is not legal.

        A game overrides this if it accepts actions that are not listed, such as one with its parts in another order,
        and then returns a value that it made itself.
        """
        return None

    def legal_to_send(self) -> Any:
        """The legal actions for a message, to be encoded only. A game overrides this if it keeps parts of them as JSON.

        What it returns has the encoding of `legal_actions()`, byte for byte.
        """
        return self.legal_actions()

    def is_legal(self, action: Action) -> bool:
        return self.canonical(action) is not None

    def apply(self, action: Action, *, opening: bool = False) -> None:
        """Take the decision that is due, by the canonical form of `action`. `opening`: without asking a player.

        Raises IllegalAction, and changes nothing, if `action` is not legal.
        """
        turn = self.turn
        if turn is None:
            raise IllegalAction("the game is over: no decision is due")
        taken = self.canonical(action)
        if taken is None:
            raise IllegalAction(f"{action!r} is not a legal {turn.decision} for seat {turn.seat}")
        self.take(taken, forced=self.is_forced(), opening=opening)

    def take(self, action: Action, *, forced: bool, opening: bool = False) -> None:
        """The same for a caller who knows `is_forced`, and that `action` is legal and in its canonical form."""
        turn = self.turn
        assert turn is not None
        event = DecisionEvent(seat=turn.seat, decision=turn.decision, action=action, forced=forced, opening=opening)
        self.emit(event, self.decision_audience(turn, action))
        self.turn = None
        self._legal = None
        self._carry_out(turn, action)

    def draw(
        self,
        name: str,
        sample: Callable[[Random], T],
        value_type: Any,
        validate: Callable[[T], str | None],
        *,
        round_no: int | None = None,
        audience: int | None = ALL,
    ) -> T:
        """A random value from the game's `chance`, emitted to `audience` and to the record.

        A game makes a draw with this `name` only once, or once per round with `round_no`. `sample` produces a value
        from a generator, `value_type` is its type, and `validate` returns the reason why a value is impossible
        by the rules, or None. Raises ChanceError for a value that is missing or invalid.
        """
        value = self.chance.draw(name, sample, value_type, round_no)
        problem = validate(value)
        if problem is not None:
            raise ChanceError(name, round_no, problem)
        self.emit(ChanceEvent(what=name, round=UNSET if round_no is None else round_no, value=value), audience)
        return value

    def emit(self, event: Event, audience: int | None = ALL) -> None:
        """Add an event to the log: for ALL seats, for one seat, or for NOBODY (only the record)."""
        self.log.append((event, audience))

    def events_since(self, seat: int, since: int = 0) -> list[Event]:
        """The events that `seat` may see, from position `since` of the log on."""
        return [event for event, audience in self.log[since:] if audience is ALL or audience == seat]

    def is_forced(self) -> bool:
        """Whether the decision that is due has exactly one legal action, so that no player is asked.

        Never in a game that `hides_forced`: there it would tell others what is hidden from them.
        """
        return not self.traits.hides_forced and self.legal_at(1) is None and self.legal_at(0) is not None
