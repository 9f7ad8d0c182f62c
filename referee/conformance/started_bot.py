"""One process of the bot that is checked, and the games that it plays."""

from collections.abc import Callable, Sequence
from typing import Final

import trio
from msgspec import Struct

from protocol.record import PlayerInfo
from referee.bots.advice import advice_on, problem_of
from referee.bots.bot_spec import BotSpec
from referee.conformance.alterations import AlteredConnection
from referee.conformance.finding import Finding, ShownLine, Status
from referee.conformance.players import Decision, LongestAnswer, ObservedPlayer, Opponent
from referee.conformance.variants import Variant
from referee.conformance.wire import Wire
from referee.connections.pipe import PipeConnection
from referee.game_runner import GameRunner, GameSetup
from referee.games.interface import DecisionEvent, Event
from referee.games.opening import DrawnOpenings
from referee.outcome import Fault
from referee.players.clock import TimeControl
from referee.players.player import Player
from referee.players.session import BotSession
from referee.record.writer import NoRecord
from referee.seeds import bot_seed, keyed, public_id

FINDING_STDERR_LINES: Final = 8
EXIT_GRACE: Final = 0.3
"""Seconds that a process has to exit if its exit is not what is checked."""
SENT_BEFORE: Final = "; the lines marked -> were sent to it before"


class Played(Struct, frozen=True, kw_only=True):
    variant: Variant
    fault: Fault | None
    """Why the bot was put out of it."""
    asked: str
    """The kind of the last decision that it was asked for; empty if there was none."""
    decisions: Sequence[Decision]
    seat: int
    log: Sequence[tuple[Event, int | None]]
    """Of the whole game."""
    longest: int
    """Bytes of the longest `act`."""
    longest_answer: LongestAnswer | None
    """None without a decision."""
    surplus: int
    """The number of lines beyond one answer to each question."""
    wire: Callable[[], Sequence[ShownLine]]
    """The end of the game, or what led to the fault."""

    @property
    def kinds(self) -> set[str]:
        return {decision.kind for decision in self.decisions}

    @property
    def at_the_table(self) -> list[DecisionEvent]:
        """The decisions of all seats."""
        return [event for event, _ in self.log if isinstance(event, DecisionEvent)]


class StartedBot:
    """A process of the candidate that is ready."""

    def __init__(
        self,
        spec: BotSpec,
        session: BotSession,
        connection: AlteredConnection,
        wire: Wire,
        pipe: PipeConnection | None,
        *,
        sandboxed: bool,
    ) -> None:
        self._spec = spec
        self._sandboxed = sandboxed
        self.session = session
        self.connection = connection
        self.wire = wire
        self.startup = 0.0
        """Seconds from the start of the process to `ready`."""
        self.pipe = pipe
        """The inner connection; None if it is not a pipe to a process."""
        self.games = 0
        self.spent = False
        """Whether no other check can use it."""
        self._stderr_before = ""

    async def play(
        self,
        variant: Variant,
        seed: str,
        player: type[ObservedPlayer],
        control: TimeControl,
        *,
        seat: int = 0,
        opponents_fail_after: int | None = None,
        opening: int = 0,
    ) -> Played:
        """Play a game with the bot in this seat and random players in the others, which may fail after some decisions.
        `opening`: the number of decisions at its start that nobody is asked for.
        """
        self.games += 1
        surplus, self.wire.longest = self.surplus(), 0
        self._stderr_before = self.stderr()
        self.connection.begin_game(None)
        usual, self.session.control = self.session.control, control
        try:
            observed = player(self.session, self.wire)
            seats: list[Player | Fault] = [Opponent(opponents_fail_after) for _ in range(variant.config.players)]
            seats[seat] = observed
            infos = [PlayerInfo(name=f"seat {number}") for number in range(len(seats))]
            derive = keyed(seed)
            deal = derive("deal/0/0")
            openings = DrawnOpenings(plies=opening, seed=seed)
            setup = GameSetup(
                game_id=seed,
                public_id=public_id(derive, "check"),
                game=variant.game,
                config=variant.config,
                seed=deal,
                opened=openings.opener(variant.game, variant.config).begin(0, deal) if opening else None,
                names=[info.name for info in infos],
                bot_seeds=[bot_seed(derive, "check", number) for number in range(len(seats))],
                control=control,
            )
            outcome = await GameRunner(setup, seats, infos, NoRecord()).play()
        finally:
            self.session.control = usual
        fault = outcome.faults[seat]
        if fault is not None:
            self.spent = True
            await self.wait_for_stderr()
        return Played(
            variant=variant,
            fault=fault,
            asked=observed.asked,
            decisions=observed.decisions,
            seat=seat,
            log=() if observed.game is None else observed.game.log,
            longest=self.wire.longest,
            longest_answer=observed.longest_answer,
            surplus=self.surplus() - surplus,
            wire=self.wire.excerpt(),
        )

    def surplus(self) -> int:
        """The number of lines so far beyond `ready` and one for each question."""
        return self.wire.answers - self.session.last_id - 1

    def can_go_on(self) -> bool:
        """Whether another check can use it: it has answered each question once, and is waiting."""
        if not self.is_over():
            self.spent = self.surplus() != 0 or self.wrote_more()
        return not self.is_over()

    def is_over(self) -> bool:
        """Whether it can play no further game."""
        return self.spent or self.connection.ended.is_set() or self.connection.is_exhausted()

    def wrote_more(self) -> bool:
        """Whether it has written something that nobody has received; that can be shown, but no longer received."""
        return self.connection.take_unreceived() != [b""]

    async def wait_for_stderr(self) -> None:
        """Give the process a moment to end, so that its standard error is complete."""
        with trio.move_on_after(EXIT_GRACE):
            await self.connection.closed.wait()

    def stderr(self) -> str:
        """The last lines of its standard error. Untrusted. It may have written them just before the game began."""
        lines = self.connection.stderr_excerpt().tail.splitlines()[-FINDING_STDERR_LINES:]
        return "\n".join(lines) or self._stderr_before

    async def end(self) -> None:
        """End the process as a match does, but kill it sooner."""
        self.connection.close()
        await self.wait_for_stderr()
        if self.pipe is not None and not self.connection.closed.is_set():
            self.pipe.process.kill()
            await self.wait_for_stderr()

    def failed(self, message: str, advice: str, *, status: Status = "fail") -> Finding:
        """A finding with the latest lines of this process and its standard error."""
        wire = self.wire.excerpt()()
        return Finding(status=status, message=message, advice=advice, wire=wire, stderr=self.stderr())

    def faulted(self, played: Played, where: str = "", advice: str = "") -> Finding:
        assert played.fault is not None
        return self.failed(
            f"{format_fault(played.fault, self.stderr())}{where}", advice or self.advice_on(played.fault)
        )

    def advice_on(self, fault: Fault) -> str:
        """What to do about a fault, beside the lines that the report shows with it."""
        advice = advice_on(fault.code, fault.message, self.stderr(), self._spec, sandboxed=self._sandboxed)
        return advice + (SENT_BEFORE if fault.code == "crash" else "")


def format_fault(fault: Fault, stderr: str) -> str:
    """A fault of a bot with this standard error, with the referee's own lag, if any."""
    late = f" (the referee itself was {fault.referee_late * 1000:.0f} ms late)" if fault.referee_late else ""
    return f"{fault.code}: {problem_of(fault.code, fault.message, stderr)}{late}"
