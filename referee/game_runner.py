"""Runs one game between players: asks the player whose decision is due, applies the decision, and records it."""

import random
from collections.abc import Sequence, Set
from typing import Any, Final

from msgspec import UNSET, Raw, Struct, structs

from protocol import codec
from protocol.messages import Start
from protocol.record import RECORD, FaultLine, GameLine, PlayerInfo, ResultLine
from referee import version
from referee.games import Action, Event, Game, Seeded
from referee.games.interface import ALL, ChanceEvent, DecisionEvent
from referee.games.opening import OpenedGame
from referee.games.registry import rules_version
from referee.outcome import Eliminations, Fault, Outcome, hash_of_decisions
from referee.players.clock import TimeControl
from referee.players.player import Choice, Player, PlayerFault
from referee.record.writer import NoRecord, Recorder
from referee.seeds import substitute_random


class GameSetup(Struct, frozen=True, kw_only=True):
    """What is played, by whom, and from which seed."""

    game_id: str
    """In the record."""
    public_id: str
    """The `game_id` that bots see: it says nothing of deal, rotation, round or table."""
    game: type[Game]
    config: Any
    seed: str
    names: list[str]
    bot_seeds: list[int]
    control: TimeControl
    opened: OpenedGame | None = None
    """The game after its opening, if it has one."""
    banks: Sequence[float] | None = None
    """By seat the seconds that are left of the bank, if it is not a full one."""


BOT_BYTES: Final = 12 * 1024**2
"""The bytes of a record that bots may fill with `info` and with faults before another try, shared out evenly. The rest
of MAX_RECORD is enough for the longest game."""
FULL: Final = "nothing further is kept: this bot has filled its share of the record"


class GameRunner:
    """A game in progress between players.

    `seats` has the player of each seat, or the fault of a bot that failed before the game; `infos` the description of
    each player for the record.
    """

    def __init__(
        self, setup: GameSetup, seats: Sequence[Player | Fault], infos: Sequence[PlayerInfo], recorder: Recorder
    ) -> None:
        self.setup = setup
        self.outcome: Outcome | None = None
        """How the game ended. Set once its record is complete, before the players are sent the result."""
        self._recorder = recorder
        self._recorded: Set[type[Event]] = (
            set() if isinstance(recorder, NoRecord) else {ChanceEvent, *setup.game.recorded}
        )
        """The events that are recorded as they are published; none where nobody keeps the record."""
        self._players: list[Player | None] = [None if isinstance(seat, Fault) else seat for seat in seats]
        self._faults: list[Fault | None] = [seat if isinstance(seat, Fault) else None for seat in seats]
        self._unstarted = {seat for seat, fault in enumerate(seats) if isinstance(fault, Fault)}
        self._eliminations = Eliminations(seats=len(seats))
        self._infos = infos
        self._events: list[list[Raw]] = [[] for _ in seats]
        """By seat, the events since the last message to it that it may see; those of one decision are one part."""
        self._stderr = [0] * len(seats)
        """By seat, the bytes of the file with its standard error at its last decision."""
        self._room = [BOT_BYTES // len(seats)] * len(seats)
        """By seat, the bytes of the record that it may still fill; below 0 if it has tried to fill more."""
        self._substitutes: dict[int, random.Random] = {}
        self._hashed: list[bytes] | None = None if setup.game.traits.chance and setup.opened is None else []
        """The decisions and draws as JSON, where the game can be equal to another one."""
        self._opening: list[bytes] = []
        """Of these the decisions of the opening, after the configuration."""
        self._asked = 0
        self._stopped: str | None = None
        """Why the game ends early, if it does."""

    async def play(self) -> Outcome:
        """Play the game to its end. Raises RecordWriteError."""
        setup, opened = self.setup, self.setup.opened
        game = setup.game.new(setup.config, Seeded(setup.seed)) if opened is None else opened.game
        self._recorder.write(
            GameLine(
                record=RECORD,
                game=setup.game.name,
                config=game.config,
                seed=setup.seed,
                players=list(self._infos),
                referee=version.__version__,
                game_id=setup.game_id,
                clock=setup.control.on_wire(),
                enforced=setup.control.enforced,
                public_id=setup.public_id,
                bot_seeds=setup.bot_seeds,
                shown_names=UNSET if setup.names == [info.name for info in self._infos] else setup.names,
                rules=rules_version(setup.game) or UNSET,
                opening=UNSET if opened is None else opened.source,
                banks_ms=UNSET if setup.banks is None else [bank * 1000 for bank in setup.banks],
            )
        )
        self._publish_beginning(game)
        await self._begin(game)
        while game.turn is not None and self._stopped is None:
            seat = game.turn.seat
            player = self._players[seat]
            if game.is_forced():
                self._take(game, game.legal_actions()[0], None, substitute=player is None)
            elif player is None:
                self._take(game, self._substitute(game, seat), None, substitute=True)
            else:
                await self._ask(game, seat, player)
        return await self._end(game)

    async def _begin(self, game: Game) -> None:
        """Start the game for all players, and eliminate the seats whose bots failed."""
        failed = [seat for seat, fault in enumerate(self._faults) if fault is not None]
        for seat, player in enumerate(self._players):
            if player is not None:
                start = Start(
                    game_id=self.setup.public_id,
                    game=self.setup.game.name,
                    config=game.public_config(),
                    seat=seat,
                    players=self.setup.names,
                    clock=self.setup.control.on_wire(None if self.setup.banks is None else self.setup.banks[seat]),
                    bot_seed=self.setup.bot_seeds[seat],
                )
                try:
                    await player.begin(start)
                except PlayerFault as error:
                    self._faults[seat] = error.fault
                    failed.append(seat)
        for seat in sorted(failed):
            await self._eliminate(seat)

    async def _eliminate(self, seat: int) -> None:
        """Record the fault that eliminates a seat, and dismiss its player."""
        fault = self._faults[seat]
        assert fault is not None
        self._eliminations.eliminate(seat)
        self._recorder.write(
            FaultLine(seat=seat, code=fault.code, message=fault.message, started=seat not in self._unstarted)
        )
        player, self._players[seat] = self._players[seat], None
        if player is not None:
            await player.dismiss(fault)
        self._stopped = self._eliminations.stopped

    async def _ask(self, game: Game, seat: int, player: Player) -> None:
        """Take the decision that is due as its player chooses, or eliminate the seat."""
        self._asked += 1
        try:
            choice = await player.decide(game, self._take_events(seat))
        except PlayerFault as error:
            self._record_retries(seat, error.retried)
            self._faults[seat] = error.fault
            await self._eliminate(seat)
        else:
            self._record_retries(seat, choice.retried)
            self._take(game, choice.action, choice, substitute=False)

    def _record_retries(self, seat: int, faults: Sequence[Fault]) -> None:
        """Record faults after which the bot got another try."""
        for fault in faults:
            line = FaultLine(seat=seat, code=fault.code, message=fault.message, retry=True)
            fits = self._fits(seat, codec.encode_json(line))
            if fits is not False:
                self._recorder.write(line if fits else structs.replace(line, message=FULL))

    def _fits(self, seat: int, part: bytes) -> bool | None:
        """Whether what a bot has sent fits into its share of the record. None: no, and that has not been said."""
        before, self._room[seat] = self._room[seat], self._room[seat] - len(part)
        return True if self._room[seat] >= 0 else None if before >= 0 else False

    def _substitute(self, game: Game, seat: int) -> Action:
        """A seeded random choice for an eliminated seat."""
        if seat not in self._substitutes:
            self._substitutes[seat] = substitute_random(self.setup.seed, seat)
        return self._substitutes[seat].choice(game.legal_actions())

    def _take(self, game: Game, action: Action, choice: Choice | None, *, substitute: bool) -> None:
        """Apply a decision, record it, and publish the events that follow. `choice`: None if no player was asked."""
        since = len(game.log)
        game.take(action, forced=choice is None and game.is_forced())
        self._eliminations.started = True
        new = encoded(game.log[since:])
        event, _, part = new[0]
        assert isinstance(event, DecisionEvent)
        if self._recorded:
            self._record(event, part, choice, substitute=substitute)
        self._publish(new, self._recorded)

    def _record(self, event: DecisionEvent, part: bytes, choice: Choice | None, *, substitute: bool) -> None:
        """Record a decision as its event is published; what was noted of the answer comes last in a DecisionLine."""
        line = part[:-1]
        if substitute:
            line += b',"substitute":true'
        if choice is not None:
            line += b',"ms":' + encode_ms(choice.seconds)
            if choice.info is not UNSET and (fits := self._fits(event.seat, choice.info)) is not False:
                line += b',"info":' + (bytes(choice.info) if fits else codec.encode_json(FULL))
            if choice.stderr != self._stderr[event.seat]:
                line += b',"stderr":%d' % choice.stderr
                self._stderr[event.seat] = choice.stderr
        self._recorder.write(line + b"}")

    def _publish_beginning(self, game: Game) -> None:
        """Record and publish the setup of the game, and its opening, whose decisions have the same form in a record."""
        self._publish(encoded(game.log), self._recorded | {DecisionEvent})
        if self.setup.opened is not None and self._hashed is not None:
            decisions = [event for event, _ in game.log if isinstance(event, DecisionEvent)]
            self._opening = [codec.encode_json(part) for part in (game.config, *decisions)]

    def _publish(self, log: Sequence[tuple[Event, int | None, bytes]], recorded: Set[type[Event]]) -> None:
        """Keep events for the seats that may see them, and record those of some types."""
        public = [part for _, to, part in log if to is ALL]
        common = Raw(b",".join(public)) if len(public) == len(log) else None
        for seat, events in enumerate(self._events):
            if common:  # neither hidden in part nor empty
                events.append(common)
            elif seen := [part for _, to, part in log if to is ALL or to == seat]:
                events.append(Raw(b",".join(seen)))
        for event, _, part in log:
            if type(event) in recorded:
                self._recorder.write(part)
            if self._hashed is not None and isinstance(event, DecisionEvent | ChanceEvent):
                self._hashed.append(part)

    def _take_events(self, seat: int) -> list[Raw]:
        """The events since the last message to the seat that it may see."""
        events, self._events[seat] = self._events[seat], []
        return events

    async def _end(self, game: Game) -> Outcome:
        """Rank the seats, complete the record, and send the result to all players."""
        ranking = game.ranking()
        outcome = Outcome(
            scores=ranking.scores,
            ranks=self._eliminations.final_ranks(ranking.ranks),
            faults=self._faults,
            asked=self._asked,
            stopped=self._stopped,
            unstarted=sorted(self._unstarted),
            decisions_hash="" if self._hashed is None else hash_of_decisions(self._hashed, self._opening),
        )
        result = outcome.result()
        self._recorder.write(
            ResultLine(scores=result.scores, ranks=result.ranks, faults=result.faults, stopped=self._stopped or UNSET)
        )
        self._recorder.close()
        self.outcome = outcome
        for seat, player in enumerate(self._players):
            if player is not None:
                await player.end(self.setup.public_id, result, self._take_events(seat))
        return outcome


def encoded(log: Sequence[tuple[Event, int | None]]) -> list[tuple[Event, int | None, bytes]]:
    """Events with their JSON: all at once, as some of their values are part of the state of the game, which changes."""
    return [(event, to, codec.encode_json(event)) for event, to in log]


def encode_ms(seconds: float) -> bytes:
    """The JSON of a time with three decimals. As `repr` of the rounded number, in a third of its time."""
    text = (b"%.3f" % (seconds * 1000)).rstrip(b"0")
    return text + b"0" if text.endswith(b".") else text
