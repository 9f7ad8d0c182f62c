"""Telling a recorded game in English: who played what, how it went, how it ended. The game itself tells its events."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from protocol.record import DecisionLine, FaultLine, GameLine, PlayerInfo, ResultLine
from referee.games import Event
from referee.printable import printable
from referee.record.reader import InvalidRecord, TruncatedRecord
from referee.record.replay import Replay

WIDTH: Final = 100
"""Lines that were put together from several are wrapped here, unless that is too wide to be shown."""
NARROWEST: Final = 40
"""Nor are they ever wrapped before this."""
MAX_NAME: Final = 40
MAX_MESSAGE: Final = 400
INDENT: Final = "    "
GOES_ON: Final = "…"
"""A line that begins so goes onto the line before."""


def tell(replay: Replay, width: int | None = None) -> Iterator[str]:
    """The lines of the story. Raises InvalidRecord after the last one if the record is wrong or breaks off.

    With `width` what is drawn is fitted into so many characters.
    """
    story = RecordRenderer(replay, width)
    yield from joined(story.lines(), story.wrap)
    if story.wrong is not None:
        raise story.wrong


class RecordRenderer:
    """The lines in the order of the record; some are yet to be joined. `wrong` is why it ended early."""

    def __init__(self, replay: Replay, width: int | None) -> None:
        self.wrong: InvalidRecord | None = None
        self.wrap = WIDTH if width is None else max(NARROWEST, min(WIDTH, width))
        """Where lines are wrapped."""
        self._fits = width
        self._replay = replay
        self._names = player_names(replay.header.players)
        self._width = max(map(len, self._names))
        self._told = 0
        """How much of the game's log is told."""
        self._failed: list[FaultLine] = []
        """Faults not yet told: what follows shows whether the game goes on."""
        self._thought: list[list[float]] = [[] for _ in self._names]
        """Milliseconds of each decision, by seat."""

    def lines(self) -> Iterator[str]:
        """The whole story."""
        yield from self._header()
        yield from self._narrate()
        try:
            for entry, _ in self._replay.steps():
                yield from self._line(entry.line)
        except InvalidRecord as wrong:
            self.wrong = wrong
            yield from self._faults()
            yield from self._narrate()  # a decision may be right, and only the draw after it missing
            yield from self._halt()
        yield from self._thinking_times()
        if self.wrong is not None:
            yield ""
            yield self._why_it_ends(self.wrong)

    def _line(self, line: Any) -> Iterator[str]:
        """What there is to tell of a line of the record."""
        if isinstance(line, FaultLine):
            self._failed.append(line)
            return
        yield from self._faults(goes_on=not isinstance(line, ResultLine))
        yield from self._narrate()
        if isinstance(line, DecisionLine) and line.ms is not UNSET:
            self._thought[line.seat].append(line.ms)
        if isinstance(line, ResultLine):
            yield from self._halt()
            yield from self._result(line)

    def _narrate(self) -> Iterator[str]:
        """What has happened since the last time, in the words of the game."""
        latest: Sequence[Event] = [] if self._replay.unstarted else self._replay.events()[self._told :]
        self._told += len(latest)
        if not latest:
            return
        yield from shown(self._replay.game.narrate(latest, self._names, self._fits))

    def _halt(self) -> Iterator[str]:
        """How things stand, where the game is not over."""
        if not self._replay.unstarted:
            yield from shown(self._replay.game.narrate_position(self._names, self._fits))

    def _header(self) -> Iterator[str]:
        """What is played, by whom."""
        header, config = self._replay.header, self._replay.config
        yield self._replay.game_type.title
        options = msgspec.structs.asdict(config)
        drawn = options if self._replay.unstarted else msgspec.structs.asdict(self._replay.game.public_config())
        told = [
            f"{spelled(name)} {in_words(drawn[name])}{drawn_note(options, drawn, name)}"
            for name in options
            if isinstance(drawn[name], str | int)  # else it is absent, or a whole file that another option names
        ]
        yield f"  {', '.join(told)}"
        for seat, player in enumerate(header.players):
            yield f"  seat {seat}: {self._names[seat]:{self._width}}{introduction(player)}".rstrip()
        yield f"  seed {printable(header.seed, MAX_MESSAGE)}{where_recorded(header)}"

    def _faults(self, *, goes_on: bool = False) -> Iterator[str]:
        """The faults since the last decision; `goes_on` if the game does."""
        for fault in self._failed:
            name = self._names[fault.seat]
            what = f"{spelled(fault.code)}: {printable(fault.message, MAX_MESSAGE)}"
            if fault.retry:
                told = f"{name} may try again: {what}"
            else:
                told = f"{name} is out: {what}{'; a substitute plays on' if goes_on else ''}"
            yield from wrapped(told, self.wrap)
        self._failed.clear()

    def _result(self, result: ResultLine) -> Iterator[str]:
        """Who won. Faults rank below all who had none."""
        yield ""
        if result.stopped is not UNSET:
            yield f"The game stops: {printable(result.stopped, MAX_MESSAGE)}"
        yield "Result"
        for seat in sorted(range(len(self._names)), key=lambda seat: result.ranks[seat]):
            fault = result.faults[seat]
            out = "" if fault is None else f", out for {spelled(fault)}"
            yield f"  {result.ranks[seat]}. {self._names[seat]:{self._width}}  {result.scores[seat]:4}{out}"

    def _thinking_times(self) -> Iterator[str]:
        """How long players took, where the record says so."""
        timed = [(name, spent) for name, spent in zip(self._names, self._thought, strict=True) if any(spent)]
        if not timed:
            return
        yield ""
        yield "Thinking times"
        for name, spent in timed:
            mean = sum(spent) / len(spent)
            yield f"  {name:{self._width}}  mean {mean:.1f} ms, max {max(spent):.1f} ms in {len(spent)} decisions"

    def _why_it_ends(self, wrong: InvalidRecord) -> str:
        """The last line of a story without an end."""
        if isinstance(wrong, TruncatedRecord):
            return f"The record breaks off here, after line {wrong.line}: the game is unfinished."
        return f"The record is wrong in line {wrong.line}: {printable(wrong.message, MAX_MESSAGE)}"


# -- lines ----------------------------------------------------------------------------------------------------


def shown(told: Iterable[str]) -> Iterator[str]:
    """What a game tells, fit for a terminal, with an empty line before each heading."""
    for line in told:
        if is_heading(line):
            yield ""
        yield printable(line, len(line))


def is_heading(line: str) -> bool:
    """Whether a line stands at the margin."""
    return line[:1] not in ("", " ", GOES_ON)


def joined(lines: Iterable[str], width: int) -> Iterator[str]:
    """Lines with those that go on put onto the ones before, unless a heading or a fault has come between."""
    held: list[str] = []
    for line in lines:
        if line.startswith(GOES_ON) and held and not is_heading(held[0]):
            held.append(line.removeprefix(GOES_ON).lstrip())
            continue
        yield from together(held, width)
        held = [INDENT + line if line.startswith(GOES_ON) else line]
    yield from together(held, width)


def together(parts: Sequence[str], width: int) -> Iterator[str]:
    """Parts of a sentence as lines; a line on its own stays as the game made it."""
    if len(parts) < 2:
        yield from parts
        return
    first, *others = parts
    yield from wrapped(f"{first}{' ' if first.endswith(':') else '; '}{'; '.join(others)}", width)


def wrapped(line: str, width: int) -> Iterator[str]:
    """A line that may be long, as several."""
    indent = line[: len(line) - len(line.lstrip())]
    yield from textwrap.wrap(line, width, subsequent_indent=indent + INDENT, break_on_hyphens=False)


# -- words ----------------------------------------------------------------------------------------------------


def player_names(players: Sequence[PlayerInfo]) -> list[str]:
    """The names by seat, fit to be shown and told apart."""
    names: list[str] = []
    for seat, player in enumerate(players):
        name = printable(player.name, MAX_NAME).strip() or f"seat {seat}"
        names.append(f"{name} (seat {seat})" if name in names else name)
    return names


def spelled(name: str) -> str:
    """A name from the wire as people write it."""
    return name.replace("_", " ")


def in_words(value: object) -> str:
    """The value of an option."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return spelled(printable(str(value), MAX_NAME))


def drawn_note(options: dict[str, Any], drawn: dict[str, Any], name: str) -> str:
    """What was asked for, where chance decided it."""
    return "" if options[name] == drawn[name] else f" ({in_words(options[name])})"


def introduction(player: PlayerInfo) -> str:
    """What a bot says of itself."""
    said = [
        f"{label}{printable(value, MAX_NAME)}"
        for label, value in (("", player.bot), ("version ", player.version), ("by ", player.author))
        if value is not UNSET
    ]
    return f"  ({', '.join(said)})" if said else ""


def where_recorded(header: GameLine) -> str:
    """Which game this is, and by which referee."""
    game = "" if header.game_id is UNSET else f", game {printable(header.game_id, MAX_NAME)}"
    return f"{game}, recorded by referee {printable(header.referee, MAX_NAME)}"
