"""The interface of a presenter, which shows a game to the person in one seat: the table, and the actions as menus.

Like a narrator it is registered beside the rules, which do not depend on it. Its only input is what the seat is sent
(configuration, events, observations, legal actions), never the game itself, so it can't show anything else.
"""

import abc
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Raw, Struct

from referee.games.interface import Action, Event, Game
from referee.games.known import KnownGame
from referee.games.narrator import Narrator, Said
from referee.games.rule_texts import RuleText

G = TypeVar("G", bound=Game)


class MenuEntry(Struct, frozen=True):
    """A line of a menu, which takes an action or leads to another menu.

    `label` is unique in its menu; `note` gives the effect of the choice; entries with the same `heading` are listed
    together.
    """

    label: str
    leads_to: "Action | Menu"
    note: str = ""
    heading: str = ""


class Menu(Struct, frozen=True):
    """A question and its numbered answers in order, with an optional drawing."""

    question: str
    entries: Sequence[MenuEntry]
    drawing: Sequence[str] = ()

    def paths(self) -> Iterator[tuple[Sequence[MenuEntry], Action]]:
        """Every action at the end of a menu, with the entries that lead to it."""
        for entry in self.entries:
            if isinstance(entry.leads_to, Menu):
                yield from (([entry, *path], action) for path, action in entry.leads_to.paths())
            else:
                yield [entry], entry.leads_to


class Presenter(abc.ABC, Generic[G]):
    """Shows one game to the person in `seat`. `names` are the players' names by seat.

    `known` is the game as far as this seat knows it. It is None before the first events.
    """

    game: ClassVar[type[Game]]
    """The rules that `known` is built with."""
    narrator: ClassVar[type[Narrator[Any]]]
    """The narrator of what has happened since the last decision."""
    rules: ClassVar[Mapping[str, RuleText]]
    """The texts that explain the rules, by name."""

    def __init__(self, config: Any, seat: int, names: Sequence[str]) -> None:
        self.config = config
        self.seat = seat
        self.names = names
        self.continues = False
        """True if the latest events are only the seat's own decisions, which its next decision continues."""
        self._followed: KnownGame[Any] = KnownGame(self.game, config)

    @property
    def known(self) -> G | None:
        return self._followed.game

    def follow(self, sent: Sequence[Raw], width: int | None = None) -> Iterator[Said]:
        """Describe the events sent to the seat since the last call, as a narrator does.

        Exhaust the iterator: it brings `known` up to date.
        """
        events = self._followed.decode(sent)
        self.continues = bool(events) and self._continues(events)
        for latest in self._followed.follow(events):
            assert self._followed.game is not None
            narrator = self.narrator(self._followed.game, self.names, width)
            narrator.drawings = False
            yield from narrator.narrate(latest)

    def _continues(self, events: Sequence[Event]) -> bool:
        """Whether these events are only direct effects of the seat's decisions; False if unknown."""
        return False

    @abc.abstractmethod
    def table(self, observation: Any, legal: Sequence[Any], width: int) -> Iterator[str]:
        """Draw the table as the seat sees it, with the scores and the stakes.

        Lines fit into `width` where possible. Headings are not indented, all other lines are. `legal` are the legal
        actions, if they are to be marked in the drawing with their numbers in the menu.
        """

    @abc.abstractmethod
    def menu(self, observation: Any, legal: Sequence[Any]) -> Menu:
        """The menus for the decision that is due; every legal action is at the end of exactly one path."""

    def position_after(self, actions: Sequence[Any]) -> tuple[Any, Sequence[Any]] | None:
        """The observation and the legal actions of the seat's next decision after these actions.

        None if the next decision is another seat's, depends on chance, or is independent of these.
        """
        return None

    def preview(self, observation: Any, action: Any, width: int) -> Iterator[str]:
        """Draw the effect of the chosen action, before it is confirmed."""
        return iter(())

    def final_position(self, width: int) -> Iterator[str]:
        """Draw what `follow` has not described of the table at the end."""
        return iter(())
