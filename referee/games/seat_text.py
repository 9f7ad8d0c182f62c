"""A game as text for a program in one seat that reads, such as a language model: its presenter's tables and menus.

The input is what a bot is sent, so nothing that is hidden from the seat can be in the text. The players are called
"player 0", "player 1" … by their seats, not by their names: strangers choose those, and a reader might obey them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from referee.games import find_game, find_presenter
from referee.games.narrator import SECTION, Said, join
from referee.games.options import config_of_start
from referee.games.presenter import Menu, Presenter
from referee.games.rule_texts import RuleText

TEXT_WIDTH: Final = 100
"""Maximum width of the lines of tables."""


class SeatDecision(Struct, frozen=True, kw_only=True):
    """A decision that is due, as text."""

    text: str
    """What has happened since the last decision, the table, and the question with its numbered answers."""
    indices: tuple[int, ...]
    """By the number of an answer, the index of its action in `legal`."""
    labels: tuple[str, ...]
    """By the same number, the text of the answer; below a heading several may have the same one."""


class SeatText:
    """One game in one seat, from the messages of the referee to the bot there.

    `start` is that message. Raises OptionError if its game is not known here.
    """

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.game = find_game(start["game"])
        self.seat: int = start["seat"]
        self.names = [f"player {seat}" for seat in range(len(start["players"]))]
        self._presenter: Presenter[Any] | None = None
        self._told: list[Said] = []
        presenter = find_presenter(self.game)
        if presenter is not None:
            self._presenter = presenter(config_of_start(self.game.Config, start), self.seat, self.names)

    @property
    def rules(self) -> Mapping[str, RuleText]:
        """The texts that explain the rules, by name. Empty for a game without a presenter."""
        return {} if self._presenter is None else self._presenter.rules

    def add_events(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Take in the events of a message, to be told with the next decision. They may not be left out."""
        if self._presenter is None:
            self._told += (Said(as_json(event), SECTION) for event in events)
        else:
            sent = [Raw(msgspec.json.encode(event)) for event in events]
            self._told += self._presenter.follow(sent, TEXT_WIDTH)

    def decision(self, act: Mapping[str, Any]) -> SeatDecision:
        """The decision that is due, whose events are added first."""
        self.add_events(act.get("events", ()))
        told, self._told = [said.indented.rstrip() for said in join(self._told)], []
        lines = ["What has happened since your last decision", *told, ""] if told else []
        answers: list[_Answer] = []
        if self._presenter is None:
            lines += [f"What you see: {as_json(act['observation'])}", "", f"Your decision: {act['decision']}"]
            answers += (_Answer("", as_json(action), index) for index, action in enumerate(act["legal"]))
        else:
            kind = self.game.actions[act["decision"]]
            legal = [msgspec.convert(action, kind) for action in act["legal"]]
            seen = msgspec.convert(act["observation"], self.game.Observation)
            menu = self._presenter.menu(seen, legal)
            lines += [*(line.rstrip() for line in self._presenter.table(seen, (), TEXT_WIDTH)), "", menu.question]
            answers += ordered(_answers(menu, legal))
        if any(answer.group for answer in answers):
            lines.append("(An answer below a heading means the heading and the answer together.)")
        group = ""
        for number, answer in enumerate(answers):
            if answer.group not in ("", group):
                lines.append(answer.group)
            group = answer.group
            lines.append(f"  {number}: {answer.label}")
        return SeatDecision(
            text="\n".join(lines),
            indices=tuple(answer.index for answer in answers),
            labels=tuple(answer.label for answer in answers),
        )


class _Answer(Struct, frozen=True):
    """An action as it is listed: below the `group` of those that belong together, and its index in `legal`."""

    group: str
    label: str
    index: int


def _answers(menu: Menu, legal: Sequence[Any]) -> Iterator[_Answer]:
    """The actions at the ends of all paths through a menu; those of the first menu's entries are groups."""
    for path, action in menu.paths():
        noted = [f"{entry.label} ({entry.note})" if entry.note else entry.label for entry in path]
        group = noted[0] if len(path) > 1 else path[0].heading
        label = ", ".join([*(entry.label for entry in path[1:-1]), noted[-1]])
        yield _Answer(group, label, legal.index(action))


def ordered(answers: Iterable[_Answer]) -> list[_Answer]:
    """Each action once, with those of one group together, in the order in which the groups begin."""
    groups: dict[str, list[_Answer]] = {}
    found: set[int] = set()
    for answer in answers:  # a menu may lead to an action in two ways, such as to a pair by either of its two
        if answer.index not in found:
            found.add(answer.index)
            groups.setdefault(answer.group, []).append(answer)
    return [answer for group in groups.values() for answer in group]


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
