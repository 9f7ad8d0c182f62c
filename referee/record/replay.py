"""Playing a record again by the rules alone, checking every line on the way."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from protocol.messages import FaultCode
from protocol.record import ChanceLine, DecisionLine, FaultLine, GameLine, ResultLine
from referee.games import Action, ChanceError, Event, Game, OptionError, Recorded, config_from, find_game
from referee.games.interface import ChanceEvent
from referee.outcome import Eliminations
from referee.record.reader import Entry, InvalidRecord, TruncatedRecord, read_record

Draw = tuple[str, int | None]


def draw_of(line: ChanceLine | ChanceEvent) -> Draw:
    """Which draw it is: there is at most one of that name in a game, or in a round."""
    return line.what, None if line.round is UNSET else line.round


def in_words(what: str, round_no: int | None) -> str:
    """A draw, for people."""
    return what if round_no is None else f"{what} of round {round_no}"


def as_json(value: Any) -> str:
    """A value as it stands in records. What differs in type differs here: `1`, `1.0` and `true`."""
    return msgspec.json.encode(value).decode()


class Replay:
    """A record, and the game as it is after the lines replayed so far."""

    game: Game

    def __init__(self, path: Path) -> None:
        """Read the record and set the game up, unless it breaks off before that. Raises InvalidRecord."""
        entries, self._whole = read_record(path)
        header = entries[0].line
        assert isinstance(header, GameLine)
        self.header = header
        self.lines = len(entries)
        self.result: ResultLine | None = None
        self.unstarted: TruncatedRecord | None = None
        """Why there is no `game`: the record breaks off before all is drawn that the game begins with."""
        self._entries = entries[1:]
        self._draws: dict[Draw, Entry] = {}
        self._drawn: dict[Draw, int] = {}
        """The draws that the game has made, and the number of the line that gave each."""
        self._faults: list[FaultCode | None] = [None] * len(header.players)
        self._eliminations = Eliminations(seats=len(header.players))
        self._missing: TruncatedRecord | None = None
        """The draw at which the record breaks off; what stands before it has yet to be checked."""
        self._due: list[dict[str, Any]] = []
        """Recorded events of the game, as JSON, that have not had their line yet."""
        self._collect_draws()
        self._set_up(header)

    def _collect_draws(self) -> None:
        """All chance lines, ahead of their use: a draw is made as soon as the decision before it is applied."""
        for entry in self._entries:
            if isinstance(entry.line, ChanceLine):
                self._draws.setdefault(draw_of(entry.line), entry)

    def _set_up(self, header: GameLine) -> None:
        try:
            self.game_type = game_type = find_game(header.game)
            if not isinstance(header.config, dict):
                raise OptionError("the config is no object")
            self.config = config = config_from(game_type.Config, header.config)
        except OptionError as error:
            raise InvalidRecord(1, str(error)) from None
        if len(header.players) != config.players:
            raise InvalidRecord(1, f"{len(header.players)} players are named in a game of {config.players}")
        values = {draw: entry.line.value for draw, entry in self._draws.items() if isinstance(entry.line, ChanceLine)}
        try:
            self.game = game_type.new(config, Recorded(values))
        except OptionError as error:
            raise InvalidRecord(1, str(error)) from None
        except ChanceError as error:
            wrong = self._bad_draw(1, error)
            if not isinstance(wrong, TruncatedRecord):
                raise wrong from None
            self.unstarted = wrong
        else:
            self._note_draws(0)

    def _note_draws(self, since: int) -> None:
        """Remember the draws in the log, from position `since` on."""
        for event, _ in self.game.log[since:]:
            if isinstance(event, ChanceEvent):
                draw = draw_of(event)
                self._drawn[draw] = self._draws[draw].number

    def _bad_draw(self, number: int, error: ChanceError) -> InvalidRecord:
        """An impossible draw is the mistake of its own line; a missing one shows at the line that needs it.

        It may yet have been to come, where nothing stands after that line but what followed from it.
        """
        if not error.missing:
            return InvalidRecord(self._draws[error.what, error.round_no].number, str(error))
        follows = self._entries[number - 1 :]
        if all(isinstance(entry.line, ChanceLine | dict) for entry in follows):
            draw = in_words(error.what, error.round_no)
            return TruncatedRecord(self.lines, f"the record breaks off here, before {draw} are drawn: unfinished")
        return InvalidRecord(number, f"after this line the game needs {error}")

    def events(self) -> list[Event]:
        """All events so far."""
        return [event for event, _ in self.game.log]

    def steps(self) -> Iterator[tuple[Entry, list[Event]]]:
        """Each line after the first with the events that followed from it. Raises InvalidRecord at the first wrong line."""
        if self.unstarted is not None:
            for entry in self._entries:
                self._replay(entry)
            raise self.unstarted
        for entry in self._entries:
            if self.result is not None:
                raise InvalidRecord(entry.number, "nothing may follow the result")
            since = len(self.game.log)
            self._replay(entry)
            yield entry, [event for event, _ in self.game.log[since:]]
        if self.result is None:
            raise self._missing or TruncatedRecord(self.lines, "the record breaks off here: unfinished")
        if not self._whole:
            raise InvalidRecord(self.lines + 1, "nothing may follow the result")

    def check(self) -> None:
        """Replay everything. Raises InvalidRecord."""
        for _ in self.steps():
            pass

    def _replay(self, entry: Entry) -> None:
        number, line = entry.number, entry.line
        match line:
            case ChanceLine():
                first = self._draws[draw_of(line)].number  # its value is checked when the game draws
                if first != number:
                    raise InvalidRecord(number, f"line {first} gives the same draw")
            case FaultLine():
                self._fault(number, line)
            case DecisionLine():
                self._nothing_missing(number)
                self._decide(number, line)
            case ResultLine():
                self._nothing_missing(number)
                self._finish(number, line)
            case dict():
                self._recorded_event(number, line)
            case GameLine():
                raise InvalidRecord(number, "a record has only one game line")

    def _decide(self, number: int, line: DecisionLine) -> None:
        """The decision is the one that is due, taken by who may take it, and legal."""
        turn = self.game.turn
        if turn is None:
            raise InvalidRecord(number, "the game is over: no decision is due")
        if self._eliminations.stopped:
            raise InvalidRecord(number, "the game has stopped: at most one bot is left without a fault")
        if (line.seat, line.decision) != (turn.seat, turn.decision):
            raise InvalidRecord(
                number, f"{turn.decision} of seat {turn.seat} is due, not {line.decision} of seat {line.seat}"
            )
        forced = self.game.is_forced()
        if line.forced != forced:
            raise InvalidRecord(
                number, "not forced: there is a choice" if line.forced else "forced: there is no choice"
            )
        out = self._faults[line.seat] is not None
        if line.substitute != out and not (forced and out):
            raise InvalidRecord(
                number, f"seat {line.seat} {'is out: a substitute decides' if out else 'decides itself'}"
            )
        self._eliminations.started = True
        try:
            action = msgspec.convert(line.action, self.game.actions[turn.decision])
        except msgspec.ValidationError as error:
            raise InvalidRecord(number, f"no action of {turn.decision}: {error}") from None
        self._apply(number, action)

    def _apply(self, number: int, action: Action) -> None:
        if not self.game.is_legal(action):
            raise InvalidRecord(number, f"{as_json(action)} is not legal here")
        since = len(self.game.log)
        try:
            self.game.apply(action)
        except ChanceError as error:
            wrong = self._bad_draw(number, error)
            if not isinstance(wrong, TruncatedRecord):
                raise wrong from None
            self._missing = wrong
        self._note_draws(since)
        self._due += [
            msgspec.json.decode(msgspec.json.encode(event))
            for event, _ in self.game.log[since:]
            if isinstance(event, self.game.recorded)
        ]

    def _fault(self, number: int, line: FaultLine) -> None:
        """Without another try the seat is out; seats that fail before the first decision fail together."""
        if not 0 <= line.seat < len(self._faults):
            raise InvalidRecord(number, f"there is no seat {line.seat}")
        if self._faults[line.seat] is not None:
            raise InvalidRecord(number, f"seat {line.seat} was out already")
        turn = self.game.turn
        if turn is None or (self._eliminations.started and self._eliminations.stopped):
            raise InvalidRecord(number, "no decision is due any more: the result should follow")
        if line.retry and (turn.seat != line.seat or self.game.is_forced()):
            raise InvalidRecord(number, f"seat {line.seat} was not asked: {turn.decision} of seat {turn.seat} is due")
        if line.retry:
            return
        self._faults[line.seat] = line.code
        self._eliminations.eliminate(line.seat)

    def _recorded_event(self, number: int, line: dict[str, Any]) -> None:
        """The line tells what the rules say, perhaps with further fields."""
        if not self._due:
            raise InvalidRecord(number, f"no line of type {line['type']} belongs here")
        due = self._due.pop(0)
        if any(as_json(line.get(name)) != as_json(value) for name, value in due.items()):
            raise InvalidRecord(number, f"the rules say {as_json(due)}")

    def _nothing_missing(self, number: int) -> None:
        """Everything that followed from the decision before has had its line."""
        if self._due:
            raise InvalidRecord(number, f"a line of type {self._due[0]['type']} is missing before this one")
        for (what, round_no), given in self._drawn.items():
            if given > number:
                draw = in_words(what, round_no)
                raise InvalidRecord(
                    number, f"before this line the game needs {draw}, which line {given} gives too late"
                )

    def _finish(self, number: int, line: ResultLine) -> None:
        """The result is the standing, with faults counted in, of a game that is over or was stopped."""
        if self.game.turn is not None and not self._eliminations.stopped:
            raise InvalidRecord(number, f"too early: {self.game.turn.decision} of seat {self.game.turn.seat} is due")
        for draw, entry in self._draws.items():
            if draw not in self._drawn:
                raise InvalidRecord(entry.number, "the game never draws this")
        if line.stopped is not UNSET and self.game.turn is None:
            raise InvalidRecord(number, "the game was not stopped: it came to its end")
        standing = self.game.ranking()
        right = {
            "scores": standing.scores,
            "ranks": self._eliminations.final_ranks(standing.ranks),
            "faults": self._faults,
        }
        for name, value in right.items():
            if getattr(line, name) != value:
                raise InvalidRecord(number, f"the {name} are {as_json(value)}, not {as_json(getattr(line, name))}")
        self.result = line
