"""Puts the questions of a recorded game to a bot again, and compares its answers with those of the record."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec
import trio
from msgspec import UNSET, Raw, Struct

from protocol import codec
from protocol.messages import Result, Start
from protocol.record import DecisionLine, FaultLine, GameLine, ResultLine
from referee.bots.bot_spec import BotSpec, parse_bot
from referee.bots.policies import POLICIES
from referee.bots.preflight import Preflight
from referee.bots.shown import show_to
from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.games import Action, Game
from referee.games.interface import ALL
from referee.outcome import Fault
from referee.players.bot import BotPlayer
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import MAX_DURATION, RecordedClock, TimeControl
from referee.players.connect import listen_for, process_connector
from referee.players.player import Player, PlayerFault
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.supervisor import supervise
from referee.record.reader import NumberedLine, TruncatedRecord, read_unpacked
from referee.record.replay import Replay
from tournaments.play.conditions import UnderConditions
from tournaments.play.interruption import Interruption
from tournaments.play.pool import Lease, Pool
from tournaments.play.runner import STDERR_TIMEOUT

RecordedBy = Literal["player", "substitute", "nobody"]
"""The source of a recorded decision. "nobody": the game ended with the fault of the bot that was asked."""


class Question(Struct, frozen=True, kw_only=True):
    """A question of the recorded game, and the bot's answer to it now."""

    line: int
    """The line of the record: the decision, or the fault in place of one."""
    act: int
    """The id of the question in this replay, from 1."""
    decision: str
    recorded_by: RecordedBy
    recorded: Action | None
    recorded_fault: str | None = None
    """The code of the fault that the recorded bot committed here."""
    answer: Action | None = None
    """None: the bot committed a fault."""
    ms: float | None = None
    """Milliseconds until the bot's answer now."""
    recorded_ms: float | None = None

    @property
    def same(self) -> bool | None:
        """Whether the bot answered as the recorded player did; None where no player's answer is in the record."""
        if self.recorded_by != "player":
            return None
        return self.answer is not None and self.answer == self.recorded


class ReplaySpec(UnderConditions, Struct, frozen=True, kw_only=True):
    """The record, the bot, and how it is run. The time control is that of the record."""

    record: Path
    seat: int
    bot: str
    """As on the command line."""
    built: bool = False
    """Whether its folder has what its build makes, so that it is not run."""
    enforced: bool = True
    """Whether the time limits of the recorded game are enforced, if they were then."""


class BotReplay(Struct, frozen=True, kw_only=True):
    questions: list[Question]
    unasked: int
    """Questions of the record that were not put to the bot, because of its fault."""
    fault: Fault | None
    stderr: str
    """The end of the bot's standard error if it committed a fault. Untrusted."""
    unfinished: str | None
    """Why the record ends before the game, if it does."""

    @property
    def different(self) -> int:
        return sum(question.same is False for question in self.questions)


class ReplayInterrupted(RefereeError):
    """A signal ended the replay."""


async def replay_bot(
    spec: ReplaySpec,
    interruption: Interruption,
    *,
    on_start: Callable[[Replay, BotSpec], None] = lambda replay, bot: None,
    on_question: Callable[[Question], None] = lambda question: None,
    on_notice: Callable[[str], None] = lambda notice: None,
) -> BotReplay:
    """Put the questions of one seat to the bot, with the messages of the recorded game, and apply the recorded answers.

    The bot is asked where a bot was asked then, and where a substitute decided in its place. It is sent what it would
    have been sent in that seat: the same observations, events, names, `game_id` and `bot_seed`, and in `time_ms` the
    time that the recorded answers left. Its first fault ends the questions; an answer that differs does not.

    Raises InvalidRecord, BotSpecError, SandboxError, BuildError, ListenError, MachineError, ReplayInterrupted, and
    RefereeError for a seat that the game does not have.
    """
    with interruption.scope():
        # Verified by replaying it once.
        content = read_unpacked(spec.record)
        with contextlib.suppress(TruncatedRecord):
            Replay(content).check()
        replay = Replay(content)
        if replay.unstarted is not None:
            raise replay.unstarted
        if not 0 <= spec.seat < len(replay.header.players):
            last = len(replay.header.players) - 1
            raise RefereeError(f"the game of {spec.record} has no seat {spec.seat}: its seats are 0 to {last}")
        bot = parse_bot(spec.bot)
        conditions = spec.conditions
        [bot] = show_to([bot], conditions.show_to)
        build = () if spec.built else bot.build
        bot = msgspec.structs.replace(bot, limits=conditions.limits.lowered(bot.requested), build=build)
        preflight = Preflight([bot], **conditions.isolation, on_notice=on_notice)
        preflight.check(replay.game_type)
        preflight.choose_sandbox()
        await preflight.build()
        on_start(replay, bot)
        if replay.header.bot_seeds is UNSET:
            on_notice("the record doesn't say which bot_seed the bot was told; it gets 0")
        asking = _QuestionPlayer(replay, spec.seat, on_question)
        with single_errors():
            return await asking.run(bot, preflight.sandbox, spec, on_notice)
    raise ReplayInterrupted("interrupted")


class _QuestionPlayer:
    def __init__(self, replay: Replay, seat: int, on_question: Callable[[Question], None]) -> None:
        self._replay = replay
        self._seat = seat
        self._on_question = on_question
        self._control = control_of(replay.header)
        self._clock = RecordedClock(self._control, limited=False)
        self._player: Player | None = None
        self._questions: list[Question] = []
        self._unasked = 0
        self._fault: Fault | None = None
        self._events: list[Raw] = []
        """The events since the last question that the seat may see."""
        self._cursor = 0
        self._asked_at = -1
        """The length of the game's log at the last question."""

    async def run(
        self, bot: BotSpec, sandbox: Sandbox | None, spec: ReplaySpec, on_notice: Callable[[str], None]
    ) -> BotReplay:
        enforced = spec.enforced and self._control.enforced
        control = msgspec.structs.replace(self._control, enforced=enforced)
        self._clock = RecordedClock(self._control, bank_of(self._replay.header, self._seat), limited=enforced)
        with listen_for([bot], on_notice) as listeners:
            async with supervise(sandbox, spec.conditions.environment) as supervisor:
                pool = Pool([bot], process_connector(supervisor, listeners), control, on_notice=on_notice)
                lease = await self._begin(bot, pool)
                unfinished = await self._replay_all()
                stderr = "" if lease is None else await self._release(lease, pool)
                await pool.close()
        return BotReplay(
            questions=self._questions, unasked=self._unasked, fault=self._fault, stderr=stderr, unfinished=unfinished
        )

    async def _begin(self, bot: BotSpec, pool: Pool) -> Lease | None:
        """Start the bot, or note its fault. The lease of its process, if it is a program."""
        if bot.policy is not None:
            self._player = BuiltinPlayer(POLICIES[bot.policy])
            return None
        lease = await pool.lend(0, 0, 0, None, table=0, trace=None)
        await pool.start(lease)
        self._fault = lease.fault
        if lease.fault is None:
            self._player = BotPlayer(lease.session, clock=self._clock)
        return lease

    async def _release(self, lease: Lease, pool: Pool) -> str:
        """Give the process back. The end of its standard error, if it has committed a fault."""
        stderr = ""
        if self._fault is not None and lease.connection is not None:
            with trio.move_on_after(STDERR_TIMEOUT):
                await lease.connection.closed.wait()
            stderr = lease.connection.stderr_excerpt().tail
        pool.release(lease, failed=self._fault is not None, needed=False)
        return stderr

    async def _replay_all(self) -> str | None:
        """Replay all lines, and ask each question before the line with its answer.

        Returns why the record ends before the game, if it does.
        """
        replay = self._replay
        try:
            if self._player is not None:
                await self._player.begin(game_start(replay, self._seat))
        except PlayerFault as error:
            await self._dismiss(error.fault)
        self._note_events()
        try:
            for numbered in replay.rest:
                await self._ask_before(numbered)
                replay.step()
                self._note_events()
                if isinstance(numbered.line, ResultLine) and self._player is not None:
                    await self._player.end(
                        public_id(replay.header),
                        Result(scores=numbered.line.scores, ranks=numbered.line.ranks, faults=numbered.line.faults),
                        self._take_events(),
                    )
            replay.check_end()
        except TruncatedRecord as error:
            return str(error)
        return None

    async def _ask_before(self, numbered: NumberedLine) -> None:
        """Ask the question that this line answers, if it is for the seat and has not been asked yet."""
        line, game = numbered.line, self._replay.game
        if not isinstance(line, DecisionLine | FaultLine) or line.seat != self._seat:
            return
        if (line.retry or not line.started) if isinstance(line, FaultLine) else line.opening:
            return
        turn = game.turn
        if turn is None or turn.seat != self._seat or game.is_forced():
            return
        asked_before = self._asked_at == len(game.log)  # at the fault for which a substitute has decided here
        if asked_before or self._player is None:
            self._unasked += not asked_before
            self._asked_at = len(game.log)
            return
        self._asked_at = len(game.log)
        await self._ask(numbered.number, line, game, turn.decision)

    async def _ask(self, number: int, line: DecisionLine | FaultLine, game: Game, decision: str) -> None:
        assert self._player is not None
        ms = line.ms if isinstance(line, DecisionLine) and line.ms is not UNSET else None
        self._clock.recorded = 0.0 if ms is None else ms / 1000
        answer: Action | None = None
        began = trio.current_time()
        try:
            answer = (await self._player.decide(game, self._take_events())).action
        except PlayerFault as error:
            await self._dismiss(error.fault)
        question = Question(
            line=number,
            act=len(self._questions) + 1,
            decision=decision,
            recorded_by="nobody" if isinstance(line, FaultLine) else "substitute" if line.substitute else "player",
            recorded=msgspec.convert(line.action, game.actions[decision]) if isinstance(line, DecisionLine) else None,
            recorded_fault=line.code if isinstance(line, FaultLine) else None,
            answer=answer,
            ms=round((trio.current_time() - began) * 1000, 3),
            recorded_ms=ms,
        )
        self._questions.append(question)
        self._on_question(question)

    async def _dismiss(self, fault: Fault) -> None:
        player, self._player, self._fault = self._player, None, fault
        if player is not None:
            await player.dismiss(fault)

    def _note_events(self) -> None:
        """Encode the events at once: some of their values are part of the state of the game, which changes."""
        log = self._replay.game.log
        self._events += [
            Raw(codec.encode_json(event)) for event, audience in log[self._cursor :] if audience in (ALL, self._seat)
        ]
        self._cursor = len(log)

    def _take_events(self) -> list[Raw]:
        events, self._events = self._events, []
        return events


# -- what the record says -------------------------------------------------------------------------------------


def control_of(header: GameLine) -> TimeControl:
    """The time control of a recorded game. Not enforced if the record has none."""
    clock = header.clock
    if clock is UNSET or clock.move_ms is clock.bank_ms is UNSET:
        return TimeControl(enforced=False)
    move, bank, increment = (
        None if ms is UNSET else max(0, min(ms, MAX_DURATION * 1000)) / 1000
        for ms in (clock.move_ms, clock.bank_ms, clock.increment_ms)
    )
    return TimeControl(move=move, bank=bank, increment=increment or 0.0, enforced=header.enforced)


def bank_of(header: GameLine, seat: int) -> float | None:
    """What a seat's bank had left at the start of a recorded game, if that was not a full one."""
    if header.banks_ms is UNSET or header.clock is UNSET or header.clock.bank_ms is UNSET:
        return None
    return max(-MAX_DURATION, min(header.banks_ms[seat] / 1000, MAX_DURATION))


def public_id(header: GameLine) -> str:
    """The `game_id` that bots were told, or "recorded" if the record doesn't say."""
    return "recorded" if header.public_id is UNSET else header.public_id


def game_start(replay: Replay, seat: int) -> Start:
    """The `start` message of the bot in a seat of a recorded game."""
    header = replay.header
    names = [player.name for player in header.players] if header.shown_names is UNSET else header.shown_names
    return Start(
        game_id=public_id(header),
        game=header.game,
        config=replay.game.public_config(),
        seat=seat,
        players=names,
        clock=control_of(header).on_wire(bank_of(header, seat)),
        bot_seed=0 if header.bot_seeds is UNSET else header.bot_seeds[seat],
    )
