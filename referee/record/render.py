"""Rendering a recorded game as text: the players, the narrator's description, faults, the result."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

import msgspec
from msgspec import UNSET

from protocol.record import DecisionLine, FaultLine, PlayerInfo, ResultLine
from referee.errors import RefereeError
from referee.games import GameConfig, Narrator, find_narrator
from referee.games.narrator import (
    HEADING,
    SECTION,
    SENTENCE,
    Said,
    format_game_id,
    format_score,
    format_tie_breaks,
    join_texts,
    readable,
)
from referee.games.placed_names import printable_around
from referee.printable import printable
from referee.record.reader import InvalidRecord, NumberedLine, TruncatedRecord
from referee.record.replay import Replay, as_json, index_of

MAX_WRAP: Final = 100
"""Maximum width of sentences joined from several lines."""
MIN_WRAP: Final = 40
"""Minimum width at which they are wrapped, even on a narrower terminal."""
MAX_NAME_CHARS: Final = 40
"""Maximum length of a name or other short text from the record."""
MAX_TEXT_CHARS: Final = 400
"""Maximum length of a message or a seed from the record."""
MAX_NOTE_CHARS: Final = 5000
"""Maximum length of a note: longer than any `info` that this referee records."""
INDENT: Final = "    "
NOTE_INDENT: Final = "        "
END_OF_OPENING: Final = INDENT + "The opening ends here."
GOES_ON: Final = "… "
"""The prefix of a continuation that is not joined to its sentence, because something was written between them."""


def render(
    replay: Replay,
    width: int | None = None,
    *,
    round_no: int | None = None,
    seat: int | None = None,
    info: bool = False,
    names: Sequence[str] | None = None,
) -> Iterator[str]:
    """Replay the record and yield the game as lines of text. Drawings fit into `width` characters, if given.

    `round_no`: only the introduction and this round. `seat`: with each question to this seat, its answer, its time and
    its `info`. `info`: with the `info` of all seats. `names`: what is written for players, such as by `place_names`.

    Raises InvalidRecord after the last line if the record is wrong or truncated, and NoSuchRound.
    """
    renderer = RecordRenderer(replay, width, seat=seat, info=info, names=names)
    said = renderer.said() if round_no is None else only_round(renderer.said(), round_no)
    yield from layout(said, renderer.wrap_at)
    if renderer.error is not None:
        raise renderer.error


class NoSuchRound(RefereeError):
    """The record doesn't contain the requested round."""


class Note(str):
    """A line about a decision, shown below its sentence and the continuations of that sentence."""

    __slots__ = ()


class Inserted(str):
    """A line that no narrator says, which ends a sentence before it."""

    __slots__ = ()


Item = Said | Note | Inserted
END: Final = Inserted()


class RecordRenderer:
    """Says what is in a record, in its order. `error`: set if it ended early."""

    def __init__(
        self,
        replay: Replay,
        width: int | None,
        *,
        seat: int | None = None,
        info: bool = False,
        names: Sequence[str] | None = None,
    ) -> None:
        self.error: InvalidRecord | None = None
        self.wrap_at = MAX_WRAP if width is None else max(MIN_WRAP, min(MAX_WRAP, width))
        self._replay = replay
        self._names = names or player_names(replay.header.players)
        self._name_width = max(map(len, self._names))
        self._narrator: Narrator[Any] | None = None
        """None if the record ends before the game is set up."""
        if not replay.unstarted:
            self._narrator = find_narrator(replay.game_type)(replay.game, self._names, width)
        self._pending: list[FaultLine] = []
        """Faults not yet rendered, because only the next line shows whether the game continues."""
        self._seat = seat
        self._info = info
        self._asked = 0
        """Questions to `seat` so far."""
        self._in_opening = False
        self._notes: list[Note] = []
        """Notes on the latest decision, to be shown below its sentence."""
        self._times: list[list[float]] = [[] for _ in self._names]
        """Milliseconds of each decision, by seat."""

    def said(self) -> Iterator[Item]:
        """Everything from the header to the thinking times. Sets `error`."""
        yield from map(Inserted, self._header())
        yield from self._latest_events()
        try:
            for numbered in self._replay.rest:
                self._note(numbered)
                self._replay.step()
                yield from self._line(numbered.line)
            self._replay.check_end()
        except InvalidRecord as error:
            self.error = error
            yield from self._faults()
            yield from self._latest_events()  # the decision may have been applied, with only the next draw missing
            yield from self._position()
        yield from self._thinking_times()
        if self.error is not None:
            yield Said(format_error(self.error), HEADING)

    def _line(self, line: Any) -> Iterator[Item]:
        if isinstance(line, FaultLine):
            self._pending.append(line)
            return
        yield from self._faults(continues=not isinstance(line, ResultLine))
        if isinstance(line, DecisionLine | ResultLine):
            before, self._in_opening = self._in_opening, isinstance(line, DecisionLine) and line.opening
            if before and not self._in_opening:
                yield Inserted(END_OF_OPENING)
        yield from self._latest_events()
        if isinstance(line, DecisionLine) and line.ms is not UNSET:
            self._times[line.seat].append(line.ms)
        if isinstance(line, ResultLine):
            yield from self._position()
            yield from self._result(line)

    def _latest_events(self) -> Iterator[Item]:
        """The narration of the events since the last call, with the notes on the decision after its sentence."""
        if self._narrator is None:
            return
        latest = [event for event, _ in self._replay.latest()]
        if not latest:
            return
        notes, self._notes = self._notes, []
        for said in self._narrator.narrate(latest):
            yield said
            if said.level >= SENTENCE:
                yield from notes
                notes = []
        yield from notes

    def _note(self, numbered: NumberedLine) -> None:
        """Prepare the notes on a decision, before it is replayed."""
        line = numbered.line
        if not isinstance(line, DecisionLine) or self._replay.unstarted is not None:
            return
        mine = line.seat == self._seat
        if mine:
            asked = line.ms is not UNSET
            self._asked += asked
            question = self._question(line, self._asked if asked else None)
            self._notes.append(Note(f"{question} (#{self._replay.position}, line {numbered.number})"))
        if (mine or self._info) and line.info is not UNSET:
            self._notes.append(Note(f"info: {bytes(line.info).decode(errors='replace')}"))

    def _question(self, line: DecisionLine, act: int | None) -> str:
        legal = self._replay.game.legal_actions()
        place = index_of(line.action, legal)
        which = (
            f"one of {len(legal)} legal, written differently"
            if place is None
            else f"index {place} of {len(legal)} legal"
        )
        choice = f"{as_json(line.action)}, {which}"
        if act is not None:
            return f"act {act}, {line.decision}: {choice}, {line.ms} ms"
        by = "of the opening" if line.opening else "by a substitute" if line.substitute else "forced"
        return f"{line.decision}: {choice}, {by}"

    def _position(self) -> Iterator[Said]:
        if self._narrator is not None:
            yield from self._narrator.narrate_position()

    def _header(self) -> Iterator[str]:
        header, config = self._replay.header, self._replay.config
        yield self._replay.game_type.title
        drawn = config if self._replay.unstarted else self._replay.game.public_config()
        yield f"  {format_options(config, drawn)}"
        for seat, player in enumerate(header.players):
            yield f"  seat {seat}: {self._names[seat]:{self._name_width}}{format_introduction(player)}".rstrip()
        game = "" if header.game_id is UNSET else f", {format_game_id(printable(header.game_id, MAX_NAME_CHARS))}"
        recorded = f"recorded by referee {printable(header.referee, MAX_NAME_CHARS)}"
        yield f"  seed {printable(header.seed, MAX_TEXT_CHARS)}{game}, {recorded}"
        if header.opening is not UNSET:
            yield f"  opening: {printable(header.opening, MAX_TEXT_CHARS)}"

    def _faults(self, *, continues: bool = False) -> Iterator[Inserted]:
        """The pending faults. `continues`: the game continues with substitutes for the eliminated seats."""
        for fault in self._pending:
            name = self._names[fault.seat]
            what = f"{readable(fault.code)}: {printable(fault.message, MAX_TEXT_CHARS)}"
            if fault.retry:
                sentence = f"{name} may try again: {what}"
            else:
                sentence = f"{name} is out: {what}{'; a substitute plays on' if continues else ''}"
            yield from map(Inserted, wrap_line(sentence, self.wrap_at))
        self._pending.clear()

    def _result(self, result: ResultLine) -> Iterator[Item]:
        if result.stopped is not UNSET:
            yield Said(f"The game stops: {printable(result.stopped, MAX_TEXT_CHARS)}", HEADING)
            yield Inserted("Result")
        else:
            yield Said("Result", HEADING)
        for seat in sorted(range(len(self._names)), key=lambda seat: result.ranks[seat]):
            fault = result.faults[seat]
            out = "" if fault is None else f", out for {readable(fault)}"
            score = format_score(self._replay.game_type, result.scores[seat])
            yield Said(f"{result.ranks[seat]}. {self._names[seat]:{self._name_width}}  {score:>4}{out}", SECTION)
        for line in format_tie_breaks(self._replay.game_type, self._names, result.scores, result.ranks, result.faults):
            yield Said(line, SECTION)

    def _thinking_times(self) -> Iterator[Said]:
        """The mean and the longest time of each player, if times were recorded."""
        timed = [(name, times) for name, times in zip(self._names, self._times, strict=True) if any(times)]
        if not timed:
            return
        yield Said("Thinking times", HEADING)
        for name, times in timed:
            mean, longest = sum(times) / len(times), max(times)
            times_text = f"mean {mean:.1f} ms, max {longest:.1f} ms in {len(times)} decisions"
            yield Said(f"{name:{self._name_width}}  {times_text}", SECTION)


# -- lines ----------------------------------------------------------------------------------------------------


def layout(items: Iterable[Item], wrap_at: int) -> Iterator[str]:
    """Printable lines: headings after an empty line, continuations joined to their sentences and wrapped, notes below.

    A sentence without continuations is not wrapped.
    """
    sentence: Said | None = None
    more: list[str] = []
    notes: list[Note] = []
    for item in chain(items, (END,)):
        if isinstance(item, Note):
            notes.append(item)
            continue
        if isinstance(item, Said) and item.joined and sentence is not None:
            more.append(item.text)
            continue
        if sentence is not None:
            text = printable_around(join_texts(sentence.indented, *more))
            yield from wrap_line(text, wrap_at) if more else [text]
        for note in notes:  # they may quote bots
            yield from wrap_line(NOTE_INDENT + printable(note, MAX_NOTE_CHARS), wrap_at)
        sentence, more, notes = None, [], []
        if item is END:
            return
        if isinstance(item, Inserted):
            yield item
        elif item.level == HEADING:
            yield from ("", printable_around(item.text))
        else:
            sentence = msgspec.structs.replace(item, text=GOES_ON + item.text) if item.joined else item


def only_round(items: Iterable[Item], number: int) -> Iterator[Item]:
    """What comes before the first heading, and from the heading of a round up to the next heading.

    Raises NoSuchRound after the last item.
    """
    rounds: list[int] = []
    shown = True
    for item in items:
        if isinstance(item, Said) and item.level == HEADING:
            shown = item.round == number
            if item.round is not None:
                rounds.append(item.round)
        if shown:
            yield item
    if number not in rounds:
        last = f"the last one is round {rounds[-1]}" if rounds else "it has no rounds"
        raise NoSuchRound(f"round {number} is not in this record: {last}")


def wrap_line(line: str, wrap_at: int) -> Iterator[str]:
    """A line wrapped at `wrap_at`, with continuation lines indented."""
    indent = line[: len(line) - len(line.lstrip())]
    yield from textwrap.wrap(line, wrap_at, subsequent_indent=indent + INDENT, break_on_hyphens=False)


# -- text -----------------------------------------------------------------------------------------------------


def format_error(error: InvalidRecord, *, quotes: bool = True) -> str:
    """The last line of a text that ends before the game does. `quotes`: whether it may quote what is hidden."""
    if isinstance(error, TruncatedRecord):
        return f"The record breaks off here, after line {error.line}: the game is unfinished."
    if not quotes:
        return f"The record is wrong in line {error.line}."
    return f"The record is wrong in line {error.line}: {printable(error.message, MAX_TEXT_CHARS)}"


def player_names(players: Sequence[PlayerInfo]) -> list[str]:
    """The players' names by seat, made printable, non-empty and unique."""
    names: list[str] = []
    for seat, player in enumerate(players):
        name = printable(player.name, MAX_NAME_CHARS).strip() or f"seat {seat}"
        names.append(f"{name} (seat {seat})" if name in names else name)
    return names


def format_options(config: GameConfig, public: GameConfig) -> str:
    """The options of a game as bots saw them, with those as given in brackets where chance decided."""
    given, drawn = msgspec.structs.asdict(config), msgspec.structs.asdict(public)
    return ", ".join(
        f"{readable(name)} {format_option_value(drawn[name])}"
        + ("" if value == drawn[name] else f" ({format_option_value(value)})")
        for name, value in given.items()
        if isinstance(drawn[name], str | int | float)  # otherwise it is absent, or the contents of a file
    )


def format_option_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return readable(printable(str(value), MAX_NAME_CHARS)) if value != "" else "none"


def format_introduction(player: PlayerInfo) -> str:
    """The name, version and author that a bot gave in `ready`, in brackets."""
    details = [
        f"{label}{printable(value, MAX_NAME_CHARS)}"
        for label, value in (("", player.bot), ("version ", player.version), ("by ", player.author))
        if value is not UNSET
    ]
    return f"  ({', '.join(details)})" if details else ""
