"""A game of OpenSpiel behind the referee's interface. Each game of the library is an attribute of this module."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from random import Random
from typing import Any, ClassVar, Final, Self

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.adapters.open_spiel import catalogue
from referee.adapters.open_spiel.cards import CARD, CARD_GAMES, public_rows
from referee.adapters.open_spiel.chess import FEN_OPTION, problem_of
from referee.adapters.open_spiel.library import game_types, load
from referee.adapters.open_spiel.redraw import known_deal, redrawn_history
from referee.games.chance import Chance, DrawKey, Recorded, Seeded
from referee.games.interface import (
    ALL,
    NOBODY,
    Action,
    DecisionEvent,
    Event,
    Game,
    GameConfig,
    IllegalAction,
    OptionError,
    Ranking,
    Traits,
    Turn,
)
from referee.near_misses import did_you_mean

SOURCE_PREFIX: Final = "open_spiel"
PLAY: Final = "play"
DRAW_NAME: Final = "chance"
"""The name of every draw."""


class Play(Action, frozen=True, kw_only=True, eq=False):
    """An action by its number in the library. `text` is the library's name for it, which equality ignores."""

    action: int
    text: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Play) and self.action == other.action

    def __hash__(self) -> int:
        return hash(self.action)


class Moves(Event, frozen=True, kw_only=True, tag="moves"):
    """What all seats have decided at the same time, in the order of the seats; null for those that had no decision."""

    plays: list[Play | None]


class Over(Event, frozen=True, kw_only=True, tag="over"):
    """The game is over: its final position, with everything that was hidden."""

    position: str


class OpenSpielObservation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a seat sees, in the library's texts: the position, and everything that it has seen so far.

    `information` is absent in games without hidden information, and each is absent in games that don't have it.
    """

    seat: int
    turn: Turn | None
    observation: str = ""
    information: str = ""


class OpenSpielTensor(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The library's tensors of a seat, flat, in its order: of the position, and of everything that it has seen.

    `information` is absent in games without hidden information, and each is absent in games that don't have it.
    """

    observation: list[float] | UnsetType = UNSET
    information: list[float] | UnsetType = UNSET


class OpenSpielGame(Game):
    """A game of OpenSpiel in progress. Subclasses, one for each game, are made by `game_class`."""

    __slots__ = ("draws", "pending", "spiel", "state")

    kind: ClassVar[Any]
    """The library's description of the game."""
    is_public: ClassVar[bool]
    Observation = OpenSpielObservation
    actions = {PLAY: Play}  # noqa: RUF012 (declared ClassVar in Game)
    events = (Moves, Over)
    recorded = ()

    spiel: Any
    state: Any
    """The library's position, without the decisions in `pending`."""
    pending: dict[int, int]
    """The decisions, by seat, of a simultaneous move that is not complete."""
    draws: list[str]
    """The library's texts of the draws so far."""

    @classmethod
    def new(cls, config: GameConfig, chance: Chance) -> Self:
        """A new game. Raises OptionError if the library can't play it with these options."""
        game = cls(config, chance)
        game.spiel = load(cls.kind.short_name, catalogue.parameters_from(cls.kind, config))
        seats = game.spiel.num_players()
        if seats != config.players:
            raise OptionError(f"players={config.players}: with these options {cls.title} has {seats} players")
        game.state = _initial_state(game.spiel, config)
        game.pending, game.draws = {}, []
        game._continue()
        return game

    def _continue(self) -> None:
        state = self.state
        while not state.is_terminal():
            if state.is_chance_node():
                self._draw_outcome()
                continue
            if not state.is_simultaneous_node():
                self.turn = Turn(seat=state.current_player(), decision=PLAY)
                return
            for seat in range(self.config.players):
                if seat not in self.pending and state.legal_actions(seat):
                    self.turn = Turn(seat=seat, decision=PLAY)
                    return
            self._move_together()
        self.emit(Over(position=str(state)))

    def _draw_outcome(self) -> None:
        outcomes = self.state.chance_outcomes()
        values, weights = [value for value, _ in outcomes], [*accumulate(chance for _, chance in outcomes)]

        def sample(random: Random) -> int:
            return int(random.choices(values, cum_weights=weights)[0])

        value = self.draw(
            DRAW_NAME,
            sample,
            int,
            lambda value: None if value in values else f"{value} is not among the {len(values)} outcomes",
            round_no=len(self.draws) + 1,
            audience=ALL if self.is_public else NOBODY,
        )
        self.draws.append(self.state.action_to_string(self.state.current_player(), value))
        self.state.apply_action(value)

    def _move_together(self) -> None:
        plays = [
            Play(action=self.pending[seat], text=self.state.action_to_string(seat, self.pending[seat]))
            if seat in self.pending
            else None
            for seat in range(self.config.players)
        ]
        self.state.apply_actions([0 if play is None else play.action for play in plays])
        self.pending = {}
        if not catalogue.has_secrets(self.spiel.get_type()):  # which may depend on options
            self.emit(Moves(plays=plays))

    def decision_audience(self, turn: Turn, action: Any) -> int | None:
        return turn.seat if self.hides_decisions else ALL

    def shows_decision(self, event: DecisionEvent) -> bool:
        """See `Game.shows_decision`. The cards that are chosen first in Hearts and Skat are passed on or put away.

        In Cribbage with three or four players a card that goes into the crib is chosen in the words of one that is
        played: none is shown, and the public sees what was played on the table.
        """
        name, text = self.kind.short_name, event.action.text
        if name == "cribbage" and self.config.players > 2:
            return False
        if re.fullmatch(catalogue.SHOWN_DECISIONS.get(name, "(?!)"), text) is None:
            return False
        hidden = {"hearts": 12 * (self.draws[:1] != ["No Pass"]), "skat": 2}.get(name, 0)
        decisions = (each for each, _ in self.log if isinstance(each, DecisionEvent))
        chosen = [each for each in decisions if CARD.fullmatch(each.action.text)][:hidden] if hidden else []
        return not any(each is event for each in chosen)

    @property
    def has_cards(self) -> bool:
        """Whether it is drawn as cards. The library's text of dice of ten sides and more doesn't tell them apart."""
        return self.kind.short_name in CARD_GAMES and getattr(self.config, "dice_sides", 6) < 10

    def observe_public(self) -> OpenSpielObservation | None:
        """See `Game.observe_public`: rows of cards as JSON, or the library's text of the position."""
        if self.is_public:
            return None
        name, text = self.kind.short_name, str(self.state)
        shows_all = self.state.is_terminal() or not catalogue.has_secrets(self.spiel.get_type())
        if self.has_cards:
            seen = [self._texts(self.state, seat) for seat in range(self.config.players)]
            try:
                rows = public_rows(name, [observed or known for observed, known in seen], shows_all=shows_all)
            except (ValueError, LookupError):  # a text that the table of facts doesn't know
                return None
            text = msgspec.json.encode(rows).decode()
        elif not shows_all and name == "battleship":
            boards = text.partition("Full history")[0]
            text = re.sub(r"\|.*\|", lambda row: re.sub("[A-Z]", "#", re.sub("[a-z]", " ", row[0])), boards)
        elif not shows_all:
            return None
        return OpenSpielObservation(seat=-1, turn=self.turn, observation=text)

    @classmethod
    def hidden_draws(
        cls, config: Any, seat: int, observation: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
    ) -> dict[DrawKey, Any]:
        """See `Game.hidden_draws`: the deal of Oh Hell."""
        if cls.kind.short_name not in catalogue.OPEN_DECISIONS:
            return {}
        decisions = [(event["seat"], event["action"]["action"]) for event in events if event["type"] == "decision"]
        spiel = load(cls.kind.short_name, catalogue.parameters_from(cls.kind, config))
        draws = known_deal(spiel, seat, observation["turn"], observation["information"], decisions)
        return {(DRAW_NAME, number): value for number, value in enumerate(draws, 1)}

    def _list_legal(self) -> list[Action]:
        assert self.turn is not None
        seat, name = self.turn.seat, self.state.action_to_string
        return [Play(action=action, text=name(seat, action)) for action in self.state.legal_actions(seat)]

    def _carry_out(self, turn: Turn, action: Play) -> None:
        if self.state.is_simultaneous_node():
            self.pending[turn.seat] = action.action
        else:
            self.state.apply_action(action.action)
        self._continue()

    def observe(self, seat: int) -> OpenSpielObservation:
        observation, information = self._texts(self.state, seat)
        return OpenSpielObservation(seat=seat, turn=self.turn, observation=observation, information=information)

    def _texts(self, state: Any, seat: int) -> tuple[str, str]:
        """What a seat sees of a position, and everything that it has seen."""
        kind = self.kind
        needs_information = not (kind.provides_observation_string and self.is_public)
        return (
            state.observation_string(seat) if kind.provides_observation_string else "",
            state.information_state_string(seat)
            if kind.provides_information_state_string and needs_information
            else "",
        )

    def tensor(self, seat: int) -> Any:
        """The library's tensors for this seat; UNSET in a game without them, or whose tensors may tell secrets."""
        kind, state = self.kind, self.state
        if not (self.is_public or kind.short_name in catalogue.TENSORS):
            return UNSET
        needs_information = not (kind.provides_observation_tensor and self.is_public)
        tensor = OpenSpielTensor(
            observation=state.observation_tensor(seat) if kind.provides_observation_tensor else UNSET,
            information=state.information_state_tensor(seat)
            if kind.provides_information_state_tensor and needs_information
            else UNSET,
        )
        return UNSET if tensor == OpenSpielTensor() else tensor

    def ranking(self) -> Ranking:
        """Most points first. Scores are in units, see `score_scale`."""
        returns = self.state.returns()
        ranks = [1 + sum(other > own for other in returns) for own in returns]
        return Ranking(scores=[round(each * self.score_scale) for each in returns], ranks=ranks)

    def copy(self, chance: Chance | None = None) -> Self:
        """An independent copy. Without its own `chance` it makes the same draws as the original."""
        twin = self._copy_common(chance)
        twin.spiel, twin.state = self.spiel, self.state.clone()
        twin.pending, twin.draws = dict(self.pending), self.draws[:]
        return twin

    @classmethod
    def is_searchable(cls, config: Any) -> bool:
        """Also without an option that hides what is open as a rule, such as `imp_info` of goofspiel."""
        if not cls.traits.searchable or catalogue.has_secrets(cls.kind):
            return cls.traits.searchable
        spiel = load(cls.kind.short_name, catalogue.parameters_from(cls.kind, config))
        return not catalogue.has_secrets(spiel.get_type())

    def determinize(self, seat: int, random: Random) -> Self:
        """See `Game.determinize`. What others have decided at the same time and is not shown yet is drawn evenly.

        Raises IllegalAction in a game that is not searchable.
        """
        if not self.is_searchable(self.config):
            raise IllegalAction(f"what a seat of {self.title} doesn't know can't be drawn again")
        future = Seeded(random.getrandbits(64))
        openings = [event.opening for event, _ in self.log if isinstance(event, DecisionEvent)]
        if self.turn is None or not catalogue.has_secrets(self.kind):
            twin = self.copy(chance=future)
        else:
            history = redrawn_history(self.state, seat, lambda state: self._texts(state, seat), random)
            values = [action for player, action in history if player < 0]
            drawn: dict[DrawKey, Any] = {(DRAW_NAME, number): value for number, value in enumerate(values, 1)}
            twin = self.new(self.config, Recorded(drawn))
            taken = [action for player, action in history if player >= 0]
            for action, opening in zip(taken, openings, strict=False):
                twin.apply(Play(action=action), opening=opening)
            twin.chance = future
        if twin.pending:
            del twin.log[-len(twin.pending) :]
            twin.pending, twin._legal = {}, None
            twin._continue()
        for (own, action), opening in zip(self.pending.items(), openings[-len(self.pending) :], strict=False):
            twin.apply(Play(action=action) if own == seat else random.choice(twin.legal_actions()), opening=opening)
        return twin


def _initial_state(spiel: Any, config: GameConfig) -> Any:
    """The library's position at the start. Raises OptionError."""
    fen = getattr(config, FEN_OPTION, "")
    if not fen:
        return spiel.new_initial_state()
    problem = problem_of(fen)
    if problem is None:
        try:
            state = spiel.new_initial_state(fen)
            if all(state.action_to_string(action) for action in state.legal_actions()) and not state.is_terminal():
                return state
            problem = "the game is over"
        except RuntimeError:
            problem = "the library can't play from it; is the side in check that is not to move?"
    raise OptionError(f"{FEN_OPTION}={fen}: {problem}")


class KnownOpenSpielGame(OpenSpielGame):
    """A game with hidden information as far as an audience knows it: what its seat sees, in the library's words."""

    __slots__ = ("seat", "seen")

    seat: int
    """Whose knowledge it is; -1 for the public."""
    seen: str
    """The latest observation; empty if there is none."""

    @classmethod
    def new(cls, config: GameConfig, chance: Chance) -> Self:
        """Nothing is known yet."""
        game = cls(config, chance)
        game.seat, game.seen = -1, ""
        return game

    def canonical(self, action: Action) -> Action | None:
        """The action as it was sent."""
        return action

    def take_hidden(self, following: Sequence[Event]) -> None:
        """The position comes with the next observation: only whose decision follows is noted."""
        for event in following:
            if isinstance(event, DecisionEvent):
                self.turn = Turn(seat=event.seat, decision=event.decision)
                return
            self.emit(event)

    def apply(self, action: Action, *, opening: bool = False) -> None:
        """Note the decision of the seat itself."""
        assert self.turn is not None
        self.emit(DecisionEvent(seat=self.turn.seat, decision=self.turn.decision, action=action, opening=opening))
        self.turn = None

    def reveal(self, following: Sequence[Event]) -> None:
        """Note what follows the decision."""

    def reveal_observation(self, observation: OpenSpielObservation) -> None:
        self.seat, self.seen = observation.seat, observation.observation or observation.information
        self.turn, self._legal = observation.turn, None

    def _list_legal(self) -> list[Action]:
        return []

    def ranking(self) -> Ranking:
        """The points are not known before the end."""
        return Ranking(scores=[0] * self.config.players, ranks=[1] * self.config.players)


@cache
def game_class(name: str) -> type[OpenSpielGame]:
    """The rules of a game of the library. Raises OptionError, which says why it can't be played."""
    kind = game_types().get(name)
    if kind is None:
        meant = did_you_mean(name, game_types(), "", f"{SOURCE_PREFIX}:")
        lists = f"; `referee games {SOURCE_PREFIX}:` lists all"
        raise OptionError(f"unknown game {SOURCE_PREFIX}:{name}{meant or lists}")
    reason = catalogue.refusal(kind)
    if reason is not None:
        raise OptionError(f"{SOURCE_PREFIX}:{name} can't be played: {reason}")
    public = catalogue.is_public(kind)
    attributes: dict[str, Any] = {
        "__doc__": kind.long_name,
        "__module__": __name__,
        "__slots__": (),
        "__qualname__": name,
        "name": f"{SOURCE_PREFIX}:{name}",
        "title": kind.long_name,
        "kind": kind,
        "is_public": public,
        "hides_decisions": not (public or name in catalogue.OPEN_DECISIONS),
        "traits": Traits(
            hidden=not public,
            searchable=not catalogue.has_secrets(kind) or name in catalogue.SEARCHABLE,
            draws_depend_on_decisions=True,
            forced_opening=True,
            hides_forced=name in catalogue.OPEN_DECISIONS,
            chance=kind.chance_mode != type(kind).ChanceMode.DETERMINISTIC,
        ),
        "cooperative": kind.utility == type(kind).Utility.IDENTICAL,
        "score_scale": catalogue.score_scale(kind),
        "Config": catalogue.config_type(kind),
    }
    return type(name, (OpenSpielGame,), attributes)


@cache
def known_class(name: str) -> type[OpenSpielGame]:
    """The rules of a game as far as an audience knows it."""
    game = game_class(name)
    return game if game.is_public else type(f"Known_{name}", (KnownOpenSpielGame, game), {"__slots__": ()})


def __getattr__(name: str) -> type[OpenSpielGame]:
    """The rules of a game by its name, as processes that play games are sent it."""
    try:
        return game_class(name)
    except OptionError as error:
        raise AttributeError(str(error)) from None
