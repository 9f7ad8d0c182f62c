"""Bots as opponents in an environment: their processes are in the care of a thread with an event loop of its own."""

import contextlib
import threading
import warnings
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, TypeVar

import trio
from msgspec import Raw, Struct

from protocol import codec
from protocol.messages import Result, Start
from referee.bots.bot_spec import BotSpec, parse_bots
from referee.bots.preflight import Preflight
from referee.connections import ConnectError
from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.games import Action, Game
from referee.outcome import Fault
from referee.players.bot import BotPlayer
from referee.players.clock import TimeControl
from referee.players.connect import Connect, process_connector, session_over
from referee.players.event_loop_lag import EventLoopLag
from referee.players.player import PlayerFault
from referee.players.session import BotSession
from referee.processes.limits.machine import provide_for
from referee.processes.sandbox.choice import Mode
from referee.processes.supervisor import supervise
from referee.seeds import bot_seed, keyed, public_id

T = TypeVar("T")
LEARNER: Final = "learner"
"""The name under which bots meet the learner."""


class BotSettings(Struct, frozen=True, kw_only=True):
    """How bots are started and timed: as by `referee match`."""

    control: TimeControl = TimeControl()
    sandbox: Mode = "auto"


class BotSeats:
    """The seats of bots. All methods block. `close` ends the processes; so does the end of the program."""

    def __init__(self, game: type[Game], config: Any, bots: Mapping[int, str], settings: BotSettings) -> None:
        """`bots`: a BOT by seat. Raises BotSpecError, SandboxError, BuildError and MachineError."""
        specs = parse_bots(list(bots.values()))
        for spec in specs:
            if not spec.is_program:
                raise RefereeError(f"{spec.name} is not a program: opponents are built-in players, functions and bots")
        self._game = game
        self._config = config
        self._bots = dict(zip(bots, specs, strict=True))
        self._settings = settings
        self._sessions: dict[int, BotSession] = {}
        self._seated: dict[int, BotPlayer] = {}
        """Those in the current game."""
        self._sent: dict[int, int] = {}
        """By seat, the position in the log after the last event that it was sent."""
        self._faults: dict[int, Fault] = {}
        """In the current game, by seat."""
        self._game_id = ""
        self._lag = EventLoopLag(settings.control.margin)
        self._connect: Connect
        self._token: trio.lowlevel.TrioToken
        self._stop: trio.Event
        self._error: BaseException | None = None
        self._started: Future[str] = Future()
        """What there is to warn of, if anything, once bots can be started."""
        # A daemon, so that a program that forgets to close its environment can end. Its bots end with it, since the
        # process that started them ends.
        self._thread = threading.Thread(target=self._run, name="referee bots", daemon=True)
        self._thread.start()
        if warning := self._started.result():  # or what `_serve` has raised
            warnings.warn(warning, stacklevel=3)  # of who calls `single_env`

    # -- in the thread of the environment -------------------------------------------------------------------------

    def begin(self, seed: str, game: Game) -> dict[int, Fault]:
        """Begin a game for all bots; the faults of those that could not be started, by seat."""
        return self._call(self._begin, seed, game)

    def decide(self, seat: int, game: Game) -> Action:
        """The action of the bot in this seat, whose decision is due. Raises PlayerFault."""
        return self._call(self._decide, seat, game)

    def end(self, game: Game) -> None:
        self._call(self._end, game)

    def close(self) -> None:
        if self._thread.is_alive():
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(self._stop.set)
            self._thread.join()

    def _call(self, function: Callable[..., Awaitable[T]], *args: Any) -> T:
        try:
            return trio.from_thread.run(function, *args, trio_token=self._token)
        except trio.RunFinishedError:
            raise RefereeError(f"the bots of this environment have ended: {self._error or 'it is closed'}") from None

    # -- in the thread of the bots --------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            trio.run(self._serve)
        except BaseException as error:  # raised again in the thread of the environment
            self._error = error
            if not self._started.done():
                self._started.set_exception(error)

    async def _serve(self) -> None:
        specs = list(self._bots.values())
        provide_for(1, len(specs))
        preflight = Preflight(specs, mode=self._settings.sandbox, environment={}, on_notice=lambda text: None)
        preflight.check(self._game)
        preflight.choose_sandbox()
        warned = [f"{name}: {doubt}" for name, doubt in preflight.doubts.items()]
        if preflight.sandbox is None and self._settings.sandbox == "auto":
            warned.append(preflight.in_force)
        await preflight.build()
        self._token = trio.lowlevel.current_trio_token()
        self._stop = trio.Event()
        with single_errors():
            async with supervise(preflight.sandbox) as supervisor:
                self._connect = process_connector(supervisor)
                self._started.set_result("; ".join(warned))
                await self._stop.wait()
                for session in self._sessions.values():
                    session.connection.close()

    async def _player(self, seat: int, spec: BotSpec) -> BotPlayer:
        """The bot in this seat: a process plays many games until it fails or exits. Raises PlayerFault."""
        session = self._sessions.get(seat)
        if session is None or session.connection.ended.is_set() or session.connection.is_exhausted():
            return BotPlayer(await self._start(seat, spec))
        session.connection.begin_game(None)
        return BotPlayer(session, replace=partial(self._start, seat, spec))

    async def _start(self, seat: int, spec: BotSpec) -> BotSession:
        """A new process for this seat, in place of an earlier one. Raises PlayerFault."""
        self._drop(seat)
        try:
            connection = await self._connect(spec)
        except ConnectError as error:
            raise PlayerFault(Fault("crash", str(error))) from None
        session = session_over(spec, connection, self._settings.control, self._lag)
        connection.begin_game(None)
        try:
            await session.greet()
        except PlayerFault as error:
            await session.dismiss(error.fault)
            raise
        self._sessions[seat] = session
        return session

    def _drop(self, seat: int) -> None:
        session = self._sessions.pop(seat, None)
        if session is not None:
            session.connection.close()

    async def _begin(self, seed: str, game: Game) -> dict[int, Fault]:
        self._seated, self._sent, self._faults = {}, {}, {}
        derive = keyed(seed)
        self._game_id = public_id(derive, seed)
        names = [self._bots[seat].name if seat in self._bots else LEARNER for seat in range(self._config.players)]
        for seat, spec in self._bots.items():
            try:
                player = await self._player(seat, spec)
                await player.begin(
                    Start(
                        game_id=self._game_id,
                        game=self._game.name,
                        config=game.public_config(),
                        seat=seat,
                        players=names,
                        clock=self._settings.control.on_wire(),
                        bot_seed=bot_seed(derive, seed, seat),
                    )
                )
            except PlayerFault as error:
                self._faults[seat] = error.fault
                self._drop(seat)
            else:
                self._seated[seat] = player
        return dict(self._faults)

    async def _decide(self, seat: int, game: Game) -> Action:
        try:
            return (await self._seated[seat].decide(game, self._events(seat, game))).action
        except PlayerFault as error:
            self._faults[seat] = error.fault
            await self._seated.pop(seat).dismiss(error.fault)
            self._drop(seat)  # it has a moment to exit, and must not be asked to play in that time
            raise

    async def _end(self, game: Game) -> None:
        ranking = game.ranking()
        codes = [self._faults[seat].code if seat in self._faults else None for seat in range(len(ranking.ranks))]
        result = Result(scores=ranking.scores, ranks=ranking.ranks, faults=codes)
        for seat, player in self._seated.items():
            await player.end(self._game_id, result, self._events(seat, game))

    def _events(self, seat: int, game: Game) -> list[Raw]:
        """The events since the last message to the seat that it may see."""
        events = [Raw(codec.encode_json(event)) for event in game.events_since(seat, self._sent.get(seat, 0))]
        self._sent[seat] = len(game.log)
        return events
