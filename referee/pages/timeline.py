"""The steps of a recorded game as the data of a page, for the audiences that may see it."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, structs

from protocol.messages import FaultCode
from protocol.record import DecisionLine, FaultLine, ResultLine
from referee.games import find_presenter, find_renderer
from referee.games.narrator import Said, format_game_id, format_tie_breaks, in_points, readable
from referee.games.placed_names import place_names
from referee.games.renderer import Audience, Breakdown
from referee.pages.audience import AudienceView, known_players
from referee.pages.document import (
    Addition,
    DecisionShown,
    Document,
    FaultShown,
    ResultShown,
    ReviewShown,
    Rule,
    Seat,
    Step,
    View,
    in_runs,
)
from referee.pages.pools import Pools
from referee.printable import printable
from referee.record.reader import InvalidRecord, read_stderr
from referee.record.render import (
    MAX_NAME_CHARS,
    MAX_NOTE_CHARS,
    MAX_TEXT_CHARS,
    format_error,
    format_introduction,
    format_options,
    player_names,
)
from referee.record.replay import Replay, as_json, index_of
from referee.record.review import Review, based_on, read_review

MAX_NUMBERS: Final = 4
"""Numbers of an `info` that are drawn."""


def all_audiences(players: int) -> list[Audience]:
    """Everybody's secrets, each seat, the public."""
    return ["all", *range(players), "public"]


class Timeline:
    """The steps of a game, for these audiences; by default for all.

    For a single audience other than "all" it is made from what that audience may know, and from nothing else.
    `stderr`: what each seat's bot wrote to its standard error. `with_paths`: absolute paths in texts are kept.
    `review`: what decisions cost.

        timeline = Timeline(Replay(path))
        timeline.finish()
        document = timeline.document()

    Of a game that is still being played: extend the replay, `advance`, and send `addition` to the pages.
    """

    def __init__(
        self,
        replay: Replay,
        audiences: Sequence[Audience] | None = None,
        stderr: Sequence[bytes] | None = None,
        *,
        with_paths: bool = False,
        review: Review | None = None,
    ) -> None:
        players = replay.config.players
        self.audiences = list(all_audiences(players) if audiences is None else audiences)
        self._replay = replay
        self._own = self.audiences[0] if len(self.audiences) == 1 and self.audiences[0] != "all" else None
        """The audience for which this is cut; None for a page that has everything."""
        self._infos = known_players(replay.header, self._own)
        self._names = player_names(self._infos)
        self._pools = Pools(with_paths=with_paths)
        self._steps: list[Step] = []
        self._sent = (0, 0, 0, 0, 0)
        self._error = ""
        self._stderr = [b"" for _ in range(players)] if stderr is None else list(stderr)
        self._stderr_cursor = [0] * players
        self._review = review
        self._reviewed = {} if review is None else {each.position: each for each in review.decisions}
        self._views: list[AudienceView] = []
        if replay.unstarted is None:
            self._views = [AudienceView(replay.game, audience, self._names, self._pools) for audience in self.audiences]
        self._add_step("setup")

    # -- steps --------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Add the steps of all lines of the record that have not been replayed. Raises InvalidRecord."""
        for numbered in self._replay.rest[self._replay.replayed :]:
            line = numbered.line
            taken = review = None
            if isinstance(line, DecisionLine) and self._views:
                taken, review = self._taken(line), self._review_of(line)
            self._replay.step()
            match line:
                case DecisionLine() if self._views:
                    self._add_step("decision", line=line, taken=taken, review=review)
                case FaultLine():
                    self._add_step("fault", fault=line)
                case ResultLine():
                    self._add_step("result")

    def finish(self) -> None:
        """`advance`, and end the page where the record does or goes wrong."""
        try:
            self.advance()
            self._replay.check_end()
        except InvalidRecord as error:
            self._error = format_error(error, quotes=self._own is None)
            self._add_step("broken off")

    def _taken(self, line: DecisionLine) -> list[tuple[list[int], int | None]]:
        """For each audience the legal actions of the decision in this line, which is due, and the one it takes."""
        turn = self._replay.game.turn
        if turn is None or turn.seat != line.seat:
            return [([], None) for _ in self._views]  # the record is wrong
        place = index_of(line.action, self._replay.game.legal_actions())
        shown = [view.legal() for view in self._views]
        return [(actions, place if actions else None) for actions in shown]

    def _review_of(self, line: DecisionLine) -> ReviewShown | None:
        """What a review says of the decision in this line, which is due; None if it is of another decision."""
        found = self._reviewed.get(self._replay.position)
        if found is None or (found.seat, as_json(found.taken)) != (line.seat, as_json(line.action)):
            return None
        return ReviewShown(
            cost=round(found.cost, 3),
            low=None if found.low is None else round(found.low, 3),
            high=None if found.high is None else round(found.high, 3),
            better=index_of(found.better, self._replay.game.legal_actions()),
            verdict=found.verdict,
        )

    def _add_step(
        self,
        kind: Any,
        line: DecisionLine | None = None,
        taken: list[tuple[list[int], int | None]] | None = None,
        fault: FaultLine | None = None,
        review: ReviewShown | None = None,
    ) -> None:
        latest = self._replay.latest() if self._views else []
        if self._own is not None and kind == "decision" and not any(self._views[0].is_sent(*sent) for sent in latest):
            return  # it may not even know that there was a decision
        written = None if line is None else self._written(line)
        breaks_off = kind == "broken off" or self._replay.is_cut_off
        views = []
        for number, view in enumerate(self._views):
            narrated, marks = view.advance(latest, breaks_off=breaks_off)
            lines = view.lines([*narrated, *self._said(kind, fault)])
            decision = None
            if line is not None and taken is not None and view.is_sent_decision(latest):
                decision = self._decision(view, line, *taken[number], written, review)
                if decision.review is not None and decision.review.verdict:
                    marks.append(decision.review.verdict)
            places = view.show_places(self._replay)
            result = self._result()  # of which all are told the scores
            changes, order = view.changes()
            views.append(
                View(
                    lines=lines,
                    fault=None if fault is None else self._fault(view, fault),
                    marks=list(dict.fromkeys(marks)),
                    decision=decision,
                    changes=changes,
                    order=order,
                    scores=view.changed("scores", view.scores() if result is None else [*result.scores]),
                    places=view.changed("places", places),
                    standing=view.changed("standing", view.standing()),
                )
            )
        seat = fault.seat if fault is not None else line.seat if line is not None else None
        if self._own is not None and views and views[0].decision is None and fault is None:
            seat = None
        self._steps.append(Step(kind=kind, round=self._views[0].round if self._views else 0, seat=seat, views=views))

    def _said(self, kind: str, fault: FaultLine | None) -> Iterator[Said]:
        """What is said of a fault and of the end, which no narrator tells."""
        if fault is not None:
            name, code = place_names(self._names)[fault.seat], readable(fault.code)
            on = "; the referee plays for it from now on" if self._replay.plays_on else ""
            yield Said(f"{name} may try again: {code}" if fault.retry else f"{name} is out: {code}{on}")
        elif kind == "result":
            result = self._replay.result
            assert result is not None
            if result.stopped is not UNSET:
                yield Said(f"The game stops: {printable(result.stopped, MAX_TEXT_CHARS)}")
            winners = [name for name, rank in zip(place_names(self._names), result.ranks, strict=True) if rank == 1]
            apart = not (self._replay.game_type.cooperative or any(result.faults))
            if apart and len(winners) == len(result.ranks) == 2:
                yield Said("The game is a draw")
            else:
                yield Said(f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the first rank'}")
            decided = format_tie_breaks(
                self._replay.game_type, place_names(self._names), result.scores, result.ranks, result.faults
            )
            yield from map(Said, decided)
            yield from map(Said, format_placed_last(place_names(self._names), result.ranks, result.faults))
        elif kind == "broken off":
            yield Said(self._error)

    def _decision(
        self,
        view: AudienceView,
        line: DecisionLine,
        legal: list[int],
        taken: int | None,
        written: str | None,
        review: ReviewShown | None,
    ) -> DecisionShown:
        own = view.may_see(line.seat)
        # That there was no choice, as also a missing time tells, says something of what is hidden.
        is_timed = own or not self._replay.game.hides_decisions
        info = None if line.info is UNSET or not own else bytes(line.info).decode(errors="replace")
        return DecisionShown(
            kind=readable(line.decision),
            seat=line.seat,
            legal=in_runs(legal),
            taken=taken,
            forced=line.forced and is_timed,
            substitute=line.substitute,
            ms=line.ms if is_timed and line.ms is not UNSET else None,
            info=None if info is None else self._pools.text(printable(info, MAX_NOTE_CHARS)),
            numbers={} if info is None else numbers_in(info),
            stderr=self._pools.text(written) if own and written else None,
            review=review if own and legal else None,
        )

    def _fault(self, view: AudienceView, fault: FaultLine) -> FaultShown:
        message = printable(fault.message, MAX_TEXT_CHARS)
        return FaultShown(
            seat=fault.seat,
            code=readable(fault.code),
            message=self._pools.text(message) if view.may_see(fault.seat) else None,
            retry=fault.retry,
        )

    def _written(self, line: DecisionLine) -> str | None:
        """The standard error of the seat up to this decision, where the record says how far that is."""
        if line.stderr is UNSET or not 0 <= line.seat < len(self._stderr):
            return None
        begin, end = self._stderr_cursor[line.seat], line.stderr
        self._stderr_cursor[line.seat] = max(begin, end)
        return format_stderr(self._stderr[line.seat][begin : max(begin, end)])

    # -- the page -----------------------------------------------------------------------------------------

    def document(self) -> Document:
        replay, header = self._replay, self._replay.header
        steps = self._with_due(self._steps[:])  # first, because it adds to the pools
        self._sent = self._sizes()
        drawn = replay.config if replay.unstarted else replay.game.public_config()
        game_id = "" if header.game_id is UNSET else printable(header.game_id, MAX_NAME_CHARS)
        limit = header.clock.move_ms if header.clock is not UNSET and header.enforced else UNSET
        return Document(
            referee=printable(header.referee, MAX_NAME_CHARS),
            game=replay.game_type.name,
            title=replay.game_type.title,
            game_id=game_id,
            name=format_game_id(game_id),
            options=format_options(replay.config if self._own is None else drawn, drawn),
            seed=printable(header.seed, MAX_TEXT_CHARS) if self._own is None else "",
            score=self._views[0].renderer.score if self._views else "",
            goal=self._views[0].renderer.goal if self._views else "",
            review="" if self._review is None else " ".join(based_on([self._review])),
            move_ms=None if limit is UNSET else limit,
            seats=[
                Seat(name=name, introduction=self._pools.cut(format_introduction(info).strip(" ()")))
                for name, info in zip(self._names, self._infos, strict=True)
            ],
            audiences=[str(audience) for audience in self.audiences],
            css=self._views[0].renderer.css if self._views else "",
            frames=self._pools.frames[:],
            sprites=self._pools.sprites[:],
            texts=self._pools.texts[:],
            actions=self._pools.actions[:],
            steps=steps,
            stderr=self._rest_of_stderr(),
            result=self._result(),
            breakdown=self._breakdown(),
            error=self._pools.cut(self._error),
            rules=self._rules(),
        )

    def addition(self) -> Addition:
        """What has come since the last call of this or of `document`."""
        frames, sprites, texts, actions, steps = self._sent
        latest = self._with_due(self._steps[steps:])
        self._sent = self._sizes()
        return Addition(
            frames=self._pools.frames[frames:],
            sprites=self._pools.sprites[sprites:],
            texts=self._pools.texts[texts:],
            actions=self._pools.actions[actions:],
            steps=latest,
            result=self._result(),
            breakdown=self._breakdown(),
            error=self._pools.cut(self._error),
        )

    def _sizes(self) -> tuple[int, int, int, int, int]:
        pools = self._pools
        return len(pools.frames), len(pools.sprites), len(pools.texts), len(pools.actions), len(self._steps)

    def _with_due(self, steps: list[Step]) -> list[Step]:
        """The steps, the last of them with the decision that is due after it, for each audience."""
        if not steps or not self._views or self._replay.result is not None:
            return steps
        views = []
        for shown, view in zip(steps[-1].views, self._views, strict=True):
            turn = None if view.game is None else view.game.turn
            due = None
            if turn is not None:
                due = DecisionShown(kind=readable(turn.decision), seat=turn.seat, legal=view.legal())
            views.append(msgspec.structs.replace(shown, due=due))
        return [*steps[:-1], msgspec.structs.replace(steps[-1], views=views)]

    def _result(self) -> ResultShown | None:
        result = self._replay.result
        if result is None:
            return None
        return ResultShown(
            scores=[in_points(self._replay.game_type, score) for score in result.scores],
            ranks=result.ranks,
            faults=[None if fault is None else readable(fault) for fault in result.faults],
            stopped="" if result.stopped is UNSET else self._pools.cut(printable(result.stopped, MAX_TEXT_CHARS)),
        )

    def _breakdown(self) -> Breakdown | None:
        """The final scoring, once the game has been played to its end."""
        view = self._views[0] if self._views and self._replay.result is not None else None
        if view is None or view.game is None or view.game.turn is not None:
            return None
        return view.renderer.breakdown(view.game)

    def _rules(self) -> list[Rule]:
        """The explanations of the rules, which the renderer has, or else the presenter."""
        kind = self._replay.game_type
        source = find_renderer(kind) or find_presenter(kind)
        texts = {} if source is None else source.rules
        return [
            Rule(title=rule.title, kind=rule.kind, text=rule.text, words=list(rule.also)) for rule in texts.values()
        ]

    def _rest_of_stderr(self) -> list[str]:
        """By seat what follows the last decision with a place in it; nothing of seats that may not be shown."""
        rest = [
            self._pools.cut(format_stderr(text[cursor:])) if self._own is None or self._own == seat else ""
            for seat, (text, cursor) in enumerate(zip(self._stderr, self._stderr_cursor, strict=True))
        ]
        return rest if any(rest) else []


def format_placed_last(names: Sequence[str], ranks: Sequence[int], faults: Sequence[FaultCode | None]) -> Iterator[str]:
    """Why bots with faults have their ranks, all by seat."""
    for seat in sorted(range(len(names)), key=lambda seat: ranks[seat]):
        fault = faults[seat]
        if fault is not None and ranks[seat] > 1:
            did = "crashed" if fault == "crash" else f"is out for {readable(fault)}"
            where = "last" if ranks[seat] == max(ranks) else "below all bots without a fault"
            yield f"{names[seat]} {did} and is placed {where}"


def numbers_in(info: str) -> dict[str, float]:
    """The first numbers at the top of an `info`, by name."""
    try:
        value = msgspec.json.decode(info)
    except (msgspec.DecodeError, RecursionError):
        return {}
    named = value if isinstance(value, dict) else {"info": value}
    numbers = [
        (printable(name, MAX_NAME_CHARS), float(number))
        for name, number in named.items()
        if isinstance(number, int | float) and not isinstance(number, bool) and abs(number) <= sys.float_info.max
    ]
    return dict(numbers[:MAX_NUMBERS])


def whole_game(
    replay: Replay,
    record: Path,
    audiences: Sequence[Audience] | None = None,
    *,
    with_paths: bool = False,
    note: str = "",
) -> Document:
    """All of a recorded game, with the review and the standard error that are kept beside its record. `note`: why its
    result doesn't count as it was played."""
    stderr, review = read_stderr(record, replay.config.players), read_review(record)
    timeline = Timeline(replay, audiences, stderr, with_paths=with_paths, review=review)
    timeline.finish()
    return structs.replace(timeline.document(), record=record.name, note=note)


def format_stderr(data: bytes) -> str:
    """What a bot wrote, line by line printable."""
    return "\n".join(printable(line) for line in data.decode(errors="replace").split("\n"))
