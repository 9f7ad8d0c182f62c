"""A replayed game as the data of a page, step by step: from a whole record, or from one that is still being written."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import UNSET, structs

from protocol.record import DecisionLine, FaultLine, GameLine, ResultLine
from referee import version
from referee.games.narrator import readable
from referee.games.renderer import Audience, Breakdown, Node, Panel, Sprite
from referee.games.rule_texts import RuleText
from referee.pages.document import (
    Addition,
    DecisionShown,
    Document,
    FaultShown,
    Ghost,
    LegalAction,
    Line,
    PanelChange,
    PanelFrame,
    ResultShown,
    Rule,
    Seat,
    Step,
    View,
)
from referee.pages.perspective import Perspective
from referee.pages.svg import check_node
from referee.printable import printable
from referee.record.reader import InvalidRecord, NumberedLine, TruncatedRecord
from referee.record.render import (
    MAX_NAME_CHARS,
    MAX_NOTE_CHARS,
    MAX_TEXT_CHARS,
    ROUND,
    format_introduction,
    format_option_value,
    player_names,
)
from referee.record.replay import Replay, as_json

MAX_EVALUATIONS: Final = 4
"""Maximum number of numbers of an `info` that are drawn as lines."""
T = TypeVar("T", bound=Hashable)


class Pool(Generic[T]):
    """Values that are stored once and referred to by their index."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._index: dict[Any, int] = {}

    def add(self, value: T, key: Hashable = None) -> int:
        """The index of a value. `key`, if given, stands for it: what is equal has equal keys."""
        key = value if key is None else key
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = len(self.values)
            self.values.append(value)
        return index


class Drawn:
    """What one audience has been shown last: panels by key, with the sprites in them."""

    def __init__(self, perspective: Perspective) -> None:
        self.perspective = perspective
        self.frames: dict[str, int] = {}
        self.sprites: dict[str, dict[str, int]] = {}
        self.order: list[int] = []
        self.scores: list[int] | None = None


class Timeline:
    """The steps of a game for some audiences. `begin` once, then `take` every line; `document` at any time.

    `replay` is at its start, and is advanced by `take`. Its game must be set up.
    """

    def __init__(self, replay: Replay, audiences: Sequence[Audience], *, live: bool = False) -> None:
        """`live`: each step also says which decision is due after it."""
        self.replay = replay
        self.audiences = audiences
        self.names = player_names(replay.header.players)
        self.steps: list[Step] = []
        self.error = ""
        self._frames: Pool[Any] = Pool()
        self._sprites: Pool[Any] = Pool()
        self._texts: Pool[str] = Pool()
        self._drawn = [Drawn(Perspective(replay, audience, self.names)) for audience in audiences]
        self._cursor = 0
        """The position in the log up to which events have been told."""
        self._round = 0
        self._live = live
        self._sent = (0, 0, 0, 0)
        """How many frames, sprites, texts and steps `update` has returned so far."""

    # -- advancing --------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Add the position after the setup."""
        self._add_step("setup")

    def take(self, numbered: NumberedLine, replay_line: Callable[[], Any]) -> None:
        """Replay a line, by calling `replay_line`, and add its step if it has one. Raises what `replay_line` raises."""
        line = numbered.line
        match line:
            case DecisionLine():
                decisions = [self._decision(drawn.perspective, line) for drawn in self._drawn]
                try:
                    replay_line()
                finally:
                    if len(self.replay.game.log) > self._cursor:  # also if only a later draw is missing
                        self._add_decision(line.seat, decisions)
            case FaultLine():
                replay_line()
                self._add_step(
                    "fault", line.seat, faults=[self._fault(drawn.perspective, line) for drawn in self._drawn]
                )
            case ResultLine():
                replay_line()
                self._add_step("result")
            case _:
                replay_line()

    def read_all(self) -> None:
        """Add the steps of the whole record. If it is wrong or breaks off, `error` says so after the last step."""
        self.begin()
        steps = self.replay.steps()
        try:
            for numbered in self.replay.rest:
                self.take(numbered, lambda: next(steps))
            next(steps, None)
        except InvalidRecord as error:
            self.fail(error)

    def fail(self, error: InvalidRecord) -> None:
        """The record is wrong, or breaks off."""
        if isinstance(error, TruncatedRecord):
            self.error = f"The record breaks off after line {error.line}: the game is unfinished."
        else:
            self.error = f"The record is wrong in line {error.line}: {printable(error.message, MAX_TEXT_CHARS)}"
        self._add_step("broken off")

    # -- steps ------------------------------------------------------------------------------------------------

    def _add_decision(self, seat: int, decisions: Sequence[DecisionShown]) -> None:
        """Add the step of a decision. Only those whom the log tells of it see who has decided what."""
        _, audience = self.replay.game.log[self._cursor]
        sees = [drawn.perspective.may_see(audience) for drawn in self._drawn]
        shown = [decision if seen else None for decision, seen in zip(decisions, sees, strict=True)]
        self._add_step("decision", seat if any(sees) else None, decisions=shown)

    def _add_step(
        self,
        kind: Any,
        seat: int | None = None,
        *,
        decisions: Sequence[DecisionShown | None] | None = None,
        faults: Sequence[FaultShown | None] | None = None,
    ) -> None:
        nothing = [None] * len(self._drawn)
        batch = self.replay.game.log[self._cursor :]
        self._cursor += len(batch)
        views = [
            self._view(drawn, batch, decision, fault)
            for drawn, decision, fault in zip(self._drawn, decisions or nothing, faults or nothing, strict=True)
        ]
        self.steps.append(Step(kind=kind, round=self._round, seat=seat, views=views))

    def _view(
        self, drawn: Drawn, batch: Sequence[Any], decision: DecisionShown | None, fault: FaultShown | None
    ) -> View:
        perspective = drawn.perspective
        news = bool(batch) or not self.steps
        lines = perspective.advance(batch) if news else []
        for line in lines:
            if line.level == 0 and (number := ROUND.match(line.text)) is not None:
                self._round = int(number[1])
        scores, before = perspective.scores(), drawn.scores
        drawn.scores = scores
        order, changes = self._changes(drawn, perspective.panels()) if news else (None, [])
        return View(
            lines=[Line(text=self._texts.add(line.text), level=line.level, continues=line.continues) for line in lines],
            fault=fault,
            marks=list(perspective.marks(batch)),
            decision=decision,
            changes=changes,
            order=order,
            scores=None if scores == before else scores,
            due=self._due(perspective) if self._live else None,
        )

    def _changes(self, drawn: Drawn, panels: Sequence[Panel]) -> tuple[list[int] | None, list[PanelChange]]:
        """The differences of the panels to those drawn last: their order, if it is another one, and their sprites."""
        changes: list[PanelChange] = []
        order: list[int] = []
        for panel in panels:
            frame = self._frames.add(frame_of(panel))
            order.append(frame)
            known = drawn.sprites.get(panel.key, {})
            now = {sprite.key: self._sprite(sprite) for sprite in panel.sprites}
            put = [index for key, index in now.items() if known.get(key) != index]
            gone = [key for key in known if key not in now]
            if put or gone or drawn.frames.get(panel.key) != frame:
                changes.append(PanelChange(frame=frame, put=put, gone=gone))
            drawn.frames[panel.key], drawn.sprites[panel.key] = frame, now
        same = order == drawn.order
        drawn.order = order
        return None if same else order, changes

    def _sprite(self, sprite: Sprite) -> int:
        key = msgspec.json.encode(sprite)
        known = len(self._sprites.values)
        index = self._sprites.add(sprite, key)
        if index == known:
            check_shape(sprite.shape)
        return index

    # -- decisions --------------------------------------------------------------------------------------------

    def _decision(self, perspective: Perspective, line: DecisionLine) -> DecisionShown:
        """A decision that is about to be replayed."""
        game = self.replay.game
        turn = game.turn
        owns = turn is not None and turn.seat == line.seat and perspective.owns(line.seat)
        info: Any = line.info if owns else UNSET
        legal: list[LegalAction] = []
        taken = None
        if owns and not line.forced:
            legal = self._legal(perspective)
            action = as_json(line.action)
            taken = next((index for index, other in enumerate(game.legal_actions()) if as_json(other) == action), None)
        return DecisionShown(
            kind=readable(line.decision),
            seat=line.seat,
            legal=legal,
            taken=taken,
            forced=line.forced,
            substitute=line.substitute,
            ms=None if line.ms is UNSET else line.ms,
            info=None if info is UNSET else self._texts.add(format_info(info)),
            numbers={} if info is UNSET else evaluations(info),
        )

    def _legal(self, perspective: Perspective) -> list[LegalAction]:
        return [
            LegalAction(
                label=self._texts.add(printable(choice.label, MAX_TEXT_CHARS)),
                targets=list(choice.targets),
                ghost=None if choice.ghost is None else Ghost(panel=choice.panel, sprite=self._sprite(choice.ghost)),
            )
            for choice in perspective.choices()
        ]

    def _due(self, perspective: Perspective) -> DecisionShown | None:
        """The decision that is due, with its legal actions if the audience is to choose."""
        turn = self.replay.game.turn
        if turn is None or self.replay.result is not None or self.replay.game.is_forced():
            return None
        legal = self._legal(perspective) if perspective.audience == turn.seat else []
        return DecisionShown(kind=readable(turn.decision), seat=turn.seat, legal=legal)

    def _fault(self, perspective: Perspective, line: FaultLine) -> FaultShown:
        """A fault. Its message, which may quote what the bot wrote, is not shown to other seats."""
        message = self._texts.add(printable(line.message, MAX_TEXT_CHARS)) if perspective.owns(line.seat) else None
        return FaultShown(seat=line.seat, code=readable(line.code), message=message, retry=line.retry)

    def panels_at(self, number: int, audience: int = 0) -> list[Panel]:
        """The panels of a step, put together from the differences. `audience`: index in `audiences`."""
        order: list[int] = []
        frames: dict[str, PanelFrame] = {}
        sprites: dict[str, dict[str, Sprite]] = {}
        for step in self.steps[: number + 1]:
            view = step.views[audience]
            order = order if view.order is None else view.order
            for change in view.changes:
                frame = self._frames.values[change.frame]
                frames[frame.key] = frame
                inside = sprites.setdefault(frame.key, {})
                for key in change.gone:
                    del inside[key]
                for index in change.put:
                    sprite = self._sprites.values[index]
                    inside[sprite.key] = sprite
        shown = (frames[self._frames.values[index].key] for index in order)
        return [Panel(**structs.asdict(frame), sprites=list(sprites[frame.key].values())) for frame in shown]

    # -- the document -----------------------------------------------------------------------------------------

    @property
    def css(self) -> str:
        """Rules for the classes of the game's own drawing."""
        return self._drawn[0].perspective.css

    def update(self) -> Addition:
        """What has been added since the last call."""
        before = self._sent
        self._sent = (
            len(self._frames.values),
            len(self._sprites.values),
            len(self._texts.values),
            len(self.steps),
        )
        steps = self.steps[before[3] :]
        over = self.replay.result is not None and any(step.kind == "result" for step in steps)
        return Addition(
            frames=self._frames.values[before[0] :],
            sprites=self._sprites.values[before[1] :],
            texts=self._texts.values[before[2] :],
            steps=steps,
            result=self._result() if over else None,
            breakdown=self._breakdown() if over else None,
            error=self.error,
        )

    def _result(self) -> ResultShown | None:
        result = self.replay.result
        if result is None:
            return None
        return ResultShown(
            scores=result.scores,
            ranks=result.ranks,
            faults=[None if code is None else readable(code) for code in result.faults],
            stopped="" if result.stopped is UNSET else printable(result.stopped, MAX_TEXT_CHARS),
        )

    def _breakdown(self) -> Breakdown | None:
        """The final scoring by source, if the game was played to its end."""
        result = self.replay.result
        return None if result is None or result.stopped is not UNSET else self._drawn[0].perspective.breakdown()

    def document(self, stderr: Sequence[str] = (), **more: Any) -> Document:
        """The page's data for all steps so far. `stderr`: by seat. `more`: further fields."""
        replay = self.replay
        everything = "all" in self.audiences
        first = self._drawn[0].perspective
        config = structs.asdict(replay.game.public_config())
        options = [
            f"{readable(name)} {format_option_value(value)}"
            for name, value in config.items()
            if isinstance(value, str | int)
        ]
        fields: dict[str, Any] = {
            "referee": version.__version__,
            "game": replay.header.game,
            "title": replay.game_type.title,
            "game_id": "" if replay.header.game_id is UNSET else printable(replay.header.game_id, MAX_NAME_CHARS),
            "options": ", ".join(options),
            "seed": printable(replay.header.seed, MAX_TEXT_CHARS) if everything else "",
            "move_ms": move_limit(replay.header),
            "seats": [
                Seat(name=name, introduction=format_introduction(player).strip(" ()"))
                for name, player in zip(self.names, replay.header.players, strict=True)
            ],
            "audiences": [str(audience) for audience in self.audiences],
            "css": self.css,
            "frames": self._frames.values,
            "sprites": self._sprites.values,
            "texts": self._texts.values,
            "steps": self.steps,
            "stderr": list(stderr),
            "result": self._result(),
            "breakdown": self._breakdown(),
            "error": self.error,
            "rules": rules_of(first),
        }
        return Document(**fields, **more)


def frame_of(panel: Panel) -> PanelFrame:
    """A panel without its sprites."""
    return PanelFrame(
        key=panel.key,
        title=panel.title,
        left=panel.left,
        top=panel.top,
        width=panel.width,
        height=panel.height,
        half=panel.half,
    )


def format_info(info: Any) -> str:
    """The `info` of a decision as text."""
    return printable(bytes(info).decode(errors="replace"), MAX_NOTE_CHARS)


def evaluations(info: Any) -> dict[str, float]:
    """The numbers at the top of an `info`."""
    try:
        value = msgspec.json.decode(info)
    except msgspec.DecodeError:
        return {}
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = {"info": value}
    if not isinstance(value, dict):
        return {}
    numbers = {
        printable(name, MAX_NAME_CHARS): float(number)
        for name, number in value.items()
        if isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    }
    return dict(list(numbers.items())[:MAX_EVALUATIONS])


def rules_of(perspective: Perspective) -> list[Rule]:
    """The explanations of the rules."""
    texts: Iterator[RuleText] = iter(perspective.rules.values())
    return [
        Rule(
            title=text.title, kind=text.kind, text=" ".join(text.text.split()), words=[readable(text.name), *text.also]
        )
        for text in texts
    ]


def check_shape(shape: Sequence[Node | str]) -> None:
    """Raises ValueError if a drawing may not contain these elements, their children included."""
    for node in shape:
        if not isinstance(node, str):
            check_node(node)
            check_shape(node.children)


def move_limit(header: GameLine) -> float | None:
    """The time limit of each decision in milliseconds, if there is one."""
    clock = header.clock
    return None if clock is UNSET or not header.enforced or clock.move_ms is UNSET else clock.move_ms
