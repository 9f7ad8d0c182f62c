"""The steps of a recorded game for programs: what a seat was asked, what it did, and what came of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, to_builtins
from msgspec.json import decode

from protocol.record import DecisionLine, FaultLine
from referee.games.narrator import in_points
from referee.pages.audience import AudienceView, known_players
from referee.pages.pools import Pools
from referee.printable import printable
from referee.record.reader import InvalidRecord
from referee.record.render import MAX_TEXT_CHARS, format_error, player_names
from referee.record.replay import Replay, as_json
from referee.reports.formatting import format_path
from referee.reports.next_steps import NextStep, after_show


class StepFault(Struct, frozen=True, kw_only=True):
    """A fault of a bot."""

    code: str
    message: str | None
    """None if it is that of another seat."""
    retry: bool
    """Whether the bot is asked again."""


class RecordedStep(Struct, frozen=True, kw_only=True):
    """A decision or a fault: the step from its position to the next one. What another seat was asked is None."""

    position: int
    """As in `match --from RECORD#N`, and on the page of the game."""
    seat: int
    player: str
    decision: str | None
    """The kind of decision; None at a fault."""
    observation: Any
    """As the seat was sent it, or would have been."""
    legal: list[Any] | None
    """The legal actions."""
    action: Any
    """The action taken."""
    forced: bool
    """Whether the referee took it, because there was only one."""
    opening: bool
    """Whether it belongs to the opening, of which nobody is asked anything."""
    substitute: bool
    """Whether it was taken in place of a bot that was out of the game."""
    ms: float | None
    """The milliseconds that the player took, if one was asked."""
    info: Any
    """What the bot sent along."""
    fault: StepFault | None
    told: list[str]
    """What happened, in sentences."""
    scores: list[float]
    """By seat, after the step, as far as they are known."""


class RecordedResult(Struct, frozen=True, kw_only=True):
    """The result by seat."""

    scores: list[float]
    """In points of the rules."""
    ranks: list[int]
    faults: list[str | None]


class ShownRecord(Struct, frozen=True, kw_only=True):
    """What `referee record show --json` prints."""

    record: str
    game: str
    config: Any
    """The options of the game as bots were told them; None if the record ends before the game is set up."""
    game_id: str | None
    players: list[str]
    """By seat."""
    as_seat: int | None
    """The seat whose knowledge this is; None: with everything that was hidden."""
    positions: int
    """The number of the last position; the first one is 0."""
    steps: list[RecordedStep]
    result: RecordedResult | None
    unfinished: str | None
    """Why the record ends before the game."""
    next: list[NextStep]


def show_record(file: Path, replay: Replay, seat: int | None, first: int, last: int | None) -> ShownRecord:
    """The steps from position `first` to `last` (None: the end) of a record that has not been replayed yet.

    `seat`: only what this seat may know. A record that is wrong or unfinished is shown up to there.
    """
    header = replay.header
    names = player_names(known_players(header, seat))
    steps: list[RecordedStep] = []
    unfinished = config = None
    try:
        if replay.unstarted is not None:
            raise replay.unstarted
        config = to_builtins(replay.game.public_config())
        view = SeatView(replay, names, seat)
        for numbered in replay.rest:
            line, position = numbered.line, replay.position
            if not isinstance(line, DecisionLine | FaultLine):
                replay.step()
                continue
            is_shown = first <= position and (last is None or position <= last)
            asked = view.asked(line) if is_shown else {}
            replay.step()
            known, told = view.tell()
            if is_shown and (known or isinstance(line, FaultLine)):
                steps.append(view.step(line, position, asked, told))
        replay.check_end()
    except InvalidRecord as error:
        unfinished = format_error(error, quotes=seat is None)
    result, end = replay.result, replay.position
    return ShownRecord(
        record=str(format_path(file)),
        game=header.game,
        config=config,
        game_id=None if header.game_id is UNSET else printable(header.game_id, MAX_TEXT_CHARS),
        players=names,
        as_seat=seat,
        positions=end,
        steps=steps,
        result=None
        if result is None
        else RecordedResult(
            scores=[in_points(replay.game_type, score) for score in result.scores],
            ranks=result.ranks,
            faults=list(result.faults),
        ),
        unfinished=unfinished,
        next=list(after_show(file, replay, seat, end if last is None else min(last, end), end)),
    )


class SeatView:
    """Follows a replay as a seat knows it; None: with everything that is hidden from others."""

    def __init__(self, replay: Replay, names: list[str], seat: int | None) -> None:
        self._replay = replay
        self._names = names
        self._view = AudienceView(replay.game, "all" if seat is None else seat, names, Pools())
        self.tell()

    def tell(self) -> tuple[bool, list[str]]:
        """Whether the seat was sent a decision since the last call, and what happened in sentences."""
        latest = self._replay.latest()
        said, _ = self._view.advance(latest, breaks_off=self._replay.is_cut_off)
        return self._view.is_sent_decision(latest), self._view.texts(said)

    def asked(self, line: DecisionLine | FaultLine) -> dict[str, Any]:
        """The question to the seat of this line that is due, if it may be seen."""
        game = self._replay.game
        if game.turn is None or game.turn.seat != line.seat or not self._view.may_see(line.seat):
            return {}
        return {"observation": to_builtins(game.observe(line.seat)), "legal": to_builtins(game.legal_actions())}

    def step(
        self, line: DecisionLine | FaultLine, position: int, asked: dict[str, Any], told: list[str]
    ) -> RecordedStep:
        """The step of a line that has been replayed."""
        is_own = self._view.may_see(line.seat)
        taken = line if isinstance(line, DecisionLine) else None
        message = printable(line.message, MAX_TEXT_CHARS) if is_own and isinstance(line, FaultLine) else None
        info = UNSET if taken is None else taken.info
        return RecordedStep(
            position=position,
            seat=line.seat,
            player=self._names[line.seat],
            decision=None if taken is None else taken.decision,
            observation=asked.get("observation"),
            legal=asked.get("legal"),
            action=None if taken is None else taken.action,
            forced=taken is not None and taken.forced,
            opening=taken is not None and taken.opening,
            substitute=taken is not None and taken.substitute,
            ms=None if taken is None or taken.ms is UNSET else taken.ms,
            info=decode(info) if is_own and info is not UNSET else None,
            fault=StepFault(code=line.code, message=message, retry=line.retry) if isinstance(line, FaultLine) else None,
            told=told,
            scores=self._view.scores(),
        )


def format_steps(shown: ShownRecord) -> Iterator[str]:
    """The same as text. Not yet printable."""
    for step in shown.steps:
        head = f"#{step.position} {step.player}"
        if step.fault is not None:
            yield f"{head}: {step.fault.code}" + ("" if step.fault.message is None else f": {step.fault.message}")
        else:
            which = "" if step.legal is None else f", one of {len(step.legal)} legal"
            time = "" if step.ms is None else f", {step.ms} ms"
            yield f"{head}, {step.decision}: {as_json(step.action)}{which}{time}"
        yield from (f"    {line}" for line in step.told)
    if shown.unfinished is not None:
        yield shown.unfinished
    elif shown.result is not None:
        ranking = sorted(zip(shown.result.ranks, shown.players, shown.result.scores, strict=True))
        yield "Result: " + ", ".join(f"{rank}. {name} {score:.10g}" for rank, name, score in ranking)
