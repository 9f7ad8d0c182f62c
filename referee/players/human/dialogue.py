"""The dialogue in which a person takes one decision: lines of input in, lines of text out. Pure.

A menu is shown with numbers from 0, like those of palaces, groups and seats. A number chooses, and so does a part of a
name that only one entry has; a part that several have narrows the list. A choice leads to another menu, or is shown to
be confirmed by an empty line. Everything can be taken back until then.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from referee.games import Action
from referee.games.presenter import Menu, MenuEntry
from referee.games.rule_texts import RuleText, find_texts
from referee.printable import printable

Lines = Callable[[], Sequence[str]]

MAX_INPUT: Final = 200
"""Maximum length of a line of input; the rest is ignored."""
MAX_QUOTED: Final = 24
"""Characters of it that are quoted in an answer."""
MAX_LABEL: Final = 34
"""Maximum width of labels beside which notes are aligned."""
MIN_NOTE: Final = 20
"""Minimum width of a note beside its label; if there is less room it is written below."""
MAX_FOUND: Final = 20
"""Maximum number of rules listed if several match a name."""

HELP: Final = (
    "What you can type",
    "  7                a number chooses from the list",
    "  farm             so does a part of a name; if several have it, the list narrows",
    "  Enter            confirms a choice; before, it shows the list again",
    "  u                takes back the last step, until you have confirmed it",
    "  n, p             the next page of a long list, the one before",
    "  t                the table again",
    "  l                what has happened since your last decision, again",
    "  ? NAME, ? 7      what the rules say about a name, or a number in the list: ? {example}",
    "  q                stops the match; finished games are kept",
)
QUIT_WORDS: Final = ("q", "quit", "exit", "stop")
UNDO: Final = ("u", "undo", "back")
STOP_QUESTION: Final = (
    "Stop the match? The game in progress will not count; finished games are kept.",
    "  q stops the match, anything else continues it.",
)


class _State(Struct, frozen=True):
    """A step of the dialogue, to which `u` returns."""

    menu: Menu
    shown: tuple[int, ...]
    """The numbers of the entries that are listed, from 0."""
    path: tuple[str, ...] = ()
    """The labels of the choices that led here."""
    page: int = 0
    actions: tuple[Action, ...] = ()
    """The actions chosen so far, for decisions that belong together."""
    complete: bool = False
    """Whether everything has been chosen, so that the actions can be confirmed."""
    note: str = ""
    """The effect of the last of them."""


class Dialogue:
    """One decision, and those that belong to it. `show` has the first lines; `respond` takes a line of input and
    returns what to show then.

    `answer` is set once the actions have been confirmed, `stopped` once the person wants to stop the match. `further`
    is the menu of the decision that belongs to actions, if there is one: all are confirmed together. `table` and
    `events` are what `t` and `l` show; `preview` draws what was chosen.
    """

    def __init__(
        self,
        menu: Menu,
        rules: Mapping[str, RuleText],
        *,
        width: int,
        page_size: int,
        table: Lines = tuple,
        events: Lines = tuple,
        preview: Callable[[Sequence[Action]], Sequence[str]] = lambda actions: (),
        further: Callable[[Sequence[Action]], Menu | None] = lambda actions: None,
    ) -> None:
        self.answer: tuple[Action, ...] | None = None
        self.stopped = False
        self._rules = rules
        self._width = width
        self._page_size = max(3, page_size)
        self._table = table
        self._events = events
        self._preview = preview
        self._further = further
        self._asked_to_stop = False
        self._states = [self._open(menu, (), ())]

    @property
    def prompt(self) -> str:
        if self._asked_to_stop:
            return "stop? > "
        return "confirm? > " if self._states[-1].complete else "> "

    def show(self) -> list[str]:
        """The menu, or the choice that is to be confirmed."""
        state = self._states[-1]
        return self._confirmation(state) if state.complete else [*self._listing(state)]

    def respond(self, line: str | None) -> list[str]:
        """Take a line of input; None is its end (Ctrl-D)."""
        text = "" if line is None else " ".join(printable(line, MAX_INPUT).split())
        command = text.casefold()
        if self._asked_to_stop:
            return self._stop(sure=line is None or command in (*QUIT_WORDS, "y", "yes"))
        if line is None or command in QUIT_WORDS:
            self._asked_to_stop = True
            return [*STOP_QUESTION]
        if command in UNDO:
            if len(self._states) == 1:
                return ["  There is nothing to take back: what was confirmed has been played.", *self.show()]
            self._states.pop()
            return self.show()
        if command[:1] == "?" or command in ("h", "help"):
            return [*self._help(text.lstrip("?").strip() if command[:1] == "?" else "")]
        if command in ("t", "table"):
            return [*self._table(), *self.show()]
        if command in ("l", "log"):
            return [*(self._events() or ["  Nothing has happened since your last decision."]), *self.show()]
        state = self._states[-1]
        if state.complete:
            return self._confirm(state, text)
        if command in ("n", "p") and self._pages(state) > 1:
            return self._turn_page(state, 1 if command == "n" else -1)
        return self._pick(state, text) if text else self.show()

    # -- steps --------------------------------------------------------------------------------------------

    def _open(self, menu: Menu, path: tuple[str, ...], actions: tuple[Action, ...]) -> _State:
        """The state at the beginning of a menu; if it has a single entry, the state after its choice."""
        if len(menu.entries) == 1:
            return self._follow(menu.entries[0], path, actions)
        return _State(menu=menu, shown=tuple(range(len(menu.entries))), path=path, actions=actions)

    def _follow(self, entry: MenuEntry, path: tuple[str, ...], actions: tuple[Action, ...]) -> _State:
        path = (*path, entry.label)
        if isinstance(entry.leads_to, Menu):
            return self._open(entry.leads_to, path, actions)
        actions = (*actions, entry.leads_to)
        menu = self._further(actions)
        if menu is not None:
            return self._open(menu, path, actions)
        return _State(menu=Menu("", ()), shown=(), path=path, actions=actions, complete=True, note=entry.note)

    def _choose(self, entry: MenuEntry, state: _State) -> list[str]:
        self._states.append(self._follow(entry, state.path, state.actions))
        return self.show()

    def _confirm(self, state: _State, text: str) -> list[str]:
        if not text:
            self.answer = state.actions
            return []
        sentence = f"Enter confirms “{' > '.join(state.path)}”, u takes it back."
        return textwrap.wrap(sentence, self._width, initial_indent="  ", subsequent_indent="  ")

    def _stop(self, *, sure: bool) -> list[str]:
        self._asked_to_stop = False
        self.stopped = sure
        return [] if sure else ["  You play on.", *self.show()]

    def _turn_page(self, state: _State, by: int) -> list[str]:
        pages = self._pages(state)
        page = state.page + by
        if not 0 <= page < pages:
            return [f"  There is no {'next' if by > 0 else 'previous'} page."]
        self._states[-1] = replace(state, page=page)
        return self.show()

    def _pick(self, state: _State, text: str) -> list[str]:
        """Choose by number or by a part of a name, or narrow the list."""
        entries = state.menu.entries
        if text.isdecimal():
            number = int(text)
            if number >= len(entries):
                last = len(entries) - 1
                return [f"  There is no number {printable(text, MAX_QUOTED)}: the list has 0 to {last}."]
            return self._choose(entries[number], state)
        found = matching([(index, entries[index]) for index in state.shown], text)
        if not found:
            return [f"  No entry matches “{printable(text, MAX_QUOTED)}”; Enter shows the list, ? helps."]
        if len(found) == 1:
            return self._choose(entries[found[0]], state)
        if len(found) < len(state.shown):
            self._states.append(replace(state, shown=tuple(found), page=0))
        return self.show()

    # -- text ---------------------------------------------------------------------------------------------

    def _pages(self, state: _State) -> int:
        return -(-len(state.shown) // self._page_size)

    def _listing(self, state: _State) -> Iterator[str]:
        yield from textwrap.wrap(state.menu.question, self._width)
        yield from state.menu.drawing
        first = state.page * self._page_size
        page = [(index, state.menu.entries[index]) for index in state.shown[first : first + self._page_size]]
        label_width = min(MAX_LABEL, max(len(entry.label) for _, entry in page))
        heading = ""
        for index, entry in page:
            if entry.heading != heading:
                heading = entry.heading
                yield f"  {heading}"
            yield from self._line(index, entry, label_width)
        narrowed = len(state.shown) < len(state.menu.entries)
        pages = self._pages(state)
        if pages > 1:
            yield f"  page {state.page + 1} of {pages}, {len(state.shown)} entries; n: next page, p: previous page"
        if narrowed:
            yield f"  {len(state.shown)} of {len(state.menu.entries)}; u: the whole list"

    def _line(self, number: int, entry: MenuEntry, label_width: int) -> Iterator[str]:
        """An entry with its note, which is wrapped."""
        start = f"{number:>5}  {entry.label:{label_width}}"
        indent = " " * (label_width + 9)
        if not entry.note or len(indent) > self._width - MIN_NOTE or len(start) + 2 > len(indent):
            yield from textwrap.wrap(start, self._width, subsequent_indent=" " * 9, break_on_hyphens=False)
            start = indent = " " * 9
        if not entry.note:
            return
        yield from textwrap.wrap(
            entry.note,
            max(self._width, len(indent) + MIN_NOTE),
            initial_indent=start.ljust(len(indent)),
            subsequent_indent=indent,
            break_on_hyphens=False,
        )

    def _confirmation(self, state: _State) -> list[str]:
        """The choice, and how to confirm it."""
        chosen = textwrap.wrap(f"You choose: {' > '.join(state.path)}", self._width, subsequent_indent="  ")
        if state.note:
            chosen += textwrap.wrap(state.note, self._width, initial_indent="  ", subsequent_indent="  ")
        back = ", u takes it back" if len(self._states) > 1 else ""
        return [*chosen, *self._preview(state.actions), f"  Enter confirms it{back}."]

    def _help(self, words: str) -> Iterator[str]:
        """The text for a rule, or everything that can be typed or asked."""
        if not words:
            yield from (line.format(example=next(iter(self._rules), "game")) for line in HELP)
            for kind in dict.fromkeys(rule.kind for rule in self._rules.values()):
                names = ", ".join(rule.title for rule in self._rules.values() if rule.kind == kind)
                yield from textwrap.wrap(
                    f"{kind}: {names}", self._width, initial_indent="  ", subsequent_indent="      "
                )
            return
        found = find_texts(self._rules, words) or self._texts_on_entry(words)
        if not found:
            yield f"  No rule matches “{printable(words, MAX_QUOTED)}”; ? lists all."
        elif len(found) > 1 and not words.isdecimal():
            names = ", ".join(rule.title for rule in found[:MAX_FOUND])
            yield from textwrap.wrap(
                f"Several rules match: {names}", self._width, initial_indent="  ", subsequent_indent="      "
            )
        else:
            for rule in found:
                yield f"{rule.title[:1].upper()}{rule.title[1:]}"
                text = " ".join(f"{rule.text} {rule.drawn}".split())
                yield from textwrap.wrap(text, self._width, initial_indent="  ", subsequent_indent="  ")

    def _texts_on_entry(self, number: str) -> list[RuleText]:
        """The texts for the names in the label of the entry with this number, the longest names first."""
        entries = self._states[-1].menu.entries
        if not number.isdecimal() or int(number) >= len(entries):
            return []
        label = " ".join(words_of(entries[int(number)].label))
        found = []
        for rule in sorted(self._rules.values(), key=lambda rule: -len(rule.title)):
            if re.search(rf"\b{re.escape(rule.title)}\b", label):
                found.append(rule)
                label = label.replace(rule.title, "")
        return found


def matching(entries: Sequence[tuple[int, MenuEntry]], text: str) -> list[int]:
    """The numbers of the entries that a person may mean by `text`.

    The first of these that matches any: entries with this label; with all its words; with words that begin with them;
    with all of them somewhere in the label or heading.
    """
    wanted = words_of(text)
    if not wanted:
        return []
    tests: tuple[Callable[[MenuEntry], bool], ...] = (
        lambda entry: words_of(entry.label) == wanted,
        lambda entry: set(wanted) <= set(words_of(f"{entry.label} {entry.heading}")),
        lambda entry: all(
            any(word.startswith(part) for word in words_of(f"{entry.label} {entry.heading}")) for part in wanted
        ),
        lambda entry: all(part in f"{entry.label} {entry.heading}".casefold() for part in wanted),
    )
    for test in tests:
        found = [index for index, entry in entries if test(entry)]
        if found:
            return found
    return []


def words_of(text: str) -> list[str]:
    """The words of a text without punctuation; coordinates are one word."""
    return re.findall(r"[^\s(){}:;]*[^\s(){}:;,.?!]", text.casefold())
