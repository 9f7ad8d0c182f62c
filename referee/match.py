"""One game between seats: asks the rules whose decision it is, asks that player, applies, records."""

import random
from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Raw, Struct

import referee
from protocol import codec
from protocol.messages import Result
from protocol.record import RECORD, DecisionLine, FaultLine, GameLine, ResultLine, Seat, ranks_with_faults
from referee.games import Action, Event, Game, Seeded
from referee.games.interface import ALL, NOBODY, ChanceEvent, DecisionEvent
from referee.players.clock import TimeControl
from referee.players.player import Choice, Fault, GameStart, Player
from referee.record.write import Recorder

ONE_LEFT = "only one bot was left without a fault"
NONE_LEFT = "no bot was left without a fault"


class GameSetup(Struct, frozen=True, kw_only=True):
    """What is played, by whom, from which seed."""

    game_id: str
    game: type[Game]
    config: Any
    seed: str
    names: list[str]
    bot_seeds: list[int]
    control: TimeControl


class Outcome(Struct, frozen=True, kw_only=True):
    """How a game ended: by seat scores, ranks (1 is best) and faults; how many decisions players were asked."""

    scores: list[int]
    ranks: list[int]
    faults: list[Fault | None]
    asked: int
    stopped: str | None = None


class Match:
    """A game in progress between players. A seat may hold a Fault: its bot failed before the game."""

    def __init__(
        self, setup: GameSetup, seats: Sequence[Player | Fault], says: Sequence[Seat], recorder: Recorder
    ) -> None:
        self.setup = setup
        self._recorder = recorder
        self._recorded: tuple[type[Event], ...] = (ChanceEvent, *setup.game.recorded)
        self._players: list[Player | None] = [None if isinstance(seat, Fault) else seat for seat in seats]
        self._faults: list[Fault | None] = [seat if isinstance(seat, Fault) else None for seat in seats]
        self._out: list[list[int]] = []
        """Seats in the order of their faults; those that failed before the first decision together."""
        self._says = says
        self._news: list[tuple[Raw, int | None]] = []
        """All that happened, encoded once for all seats, with its audience."""
        self._seen = [0] * len(seats)
        """How much of the news each seat has had."""
        self._decided = False
        """Whether the first decision has been taken."""
        self._substitutes: dict[int, random.Random] = {}
        self._asked = 0
        self._stopped: str | None = None
        """Why the game goes on no longer, if so."""

    async def play(self) -> Outcome:
        """Play the game to its end. Raises RecordError where it can't be recorded."""
        setup = self.setup
        self._recorder.write(
            GameLine(
                record=RECORD,
                game=setup.game.name,
                config=setup.config,
                seed=setup.seed,
                players=list(self._says),
                referee=referee.__version__,
                game_id=setup.game_id,
                clock=setup.control.on_wire(),
            )
        )
        game = setup.game.new(setup.config, Seeded(setup.seed))
        self._publish(game, 0)
        await self._begin(game)
        while game.turn is not None and self._stopped is None:
            await self._next_decision(game, game.turn.seat)
        return await self._end(game)

    async def _begin(self, game: Game) -> None:
        """Tell everyone that the game begins."""
        failed = [seat for seat, fault in enumerate(self._faults) if fault is not None]
        for seat, player in enumerate(self._players):
            if player is not None:
                start = GameStart(
                    game_id=self.setup.game_id,
                    game=self.setup.game,
                    config=game.public_config(),
                    seat=seat,
                    names=self.setup.names,
                    clock=self.setup.control.on_wire(),
                    bot_seed=self.setup.bot_seeds[seat],
                )
                try:
                    await player.begin(start)
                except Fault as fault:
                    self._faults[seat] = fault
                    failed.append(seat)
        for seat in sorted(failed):
            await self._put_out(seat)

    async def _put_out(self, seat: int) -> None:
        """Record the fault that puts a seat out of the game, and let its player know."""
        fault = self._faults[seat]
        assert fault is not None
        if self._out and not self._decided:
            self._out[0].append(seat)
        else:
            self._out.append([seat])
        self._recorder.write(FaultLine(seat=seat, code=fault.code, message=fault.message))
        player, self._players[seat] = self._players[seat], None
        if player is not None:
            await player.dismiss(fault)
        self._stop_if_too_few()

    def _stop_if_too_few(self) -> None:
        """The game can't go on with one bot, or none, that has no fault."""
        left = sum(player is not None for player in self._players)
        if left < 2:
            self._stopped = ONE_LEFT if left else NONE_LEFT

    async def _next_decision(self, game: Game, seat: int) -> None:
        """Have the decision that is due taken by its player, by force or by the substitute."""
        player = self._players[seat]
        if game.is_forced():
            self._take(game, game.legal_actions()[0], None, substitute=player is None)
        elif player is None:
            self._take(game, self._substitute(game, seat), None, substitute=True)
        else:
            self._asked += 1
            try:
                choice = await player.decide(game, self._news_for(seat))
            except Fault as fault:
                self._warn(seat, fault.warnings)
                self._faults[seat] = fault
                await self._put_out(seat)
            else:
                self._warn(seat, choice.warnings)
                self._take(game, choice.action, choice, substitute=False)

    def _warn(self, seat: int, warnings: Sequence[Fault]) -> None:
        """Record faults for which the bot got another try."""
        for fault in warnings:
            self._recorder.write(FaultLine(seat=seat, code=fault.code, message=fault.message, retry=True))

    def _substitute(self, game: Game, seat: int) -> Action:
        """A seeded random choice in place of a bot that is out."""
        if seat not in self._substitutes:
            self._substitutes[seat] = random.Random(f"{self.setup.seed}/substitute/{seat}")
        return self._substitutes[seat].choice(game.legal_actions())

    def _take(self, game: Game, action: Action, choice: Choice | None, *, substitute: bool) -> None:
        """Apply a decision, record it, and note what followed as news."""
        since = len(game.log)
        game.apply(action)
        self._decided = True
        event = game.log[since][0]
        assert isinstance(event, DecisionEvent)
        told = codec.encode_part(event)
        self._news.append((told, ALL))
        if choice is None and not substitute:
            self._recorder.write(told)  # forced: what the seats are told is the line of the record
        else:
            self._recorder.write(
                DecisionLine(
                    seat=event.seat,
                    decision=event.decision,
                    action=event.action,
                    forced=event.forced,
                    substitute=substitute,
                    ms=UNSET if choice is None else round(choice.seconds * 1000, 3),
                    info=UNSET if choice is None else choice.info,
                )
            )
        self._publish(game, since + 1)

    def _publish(self, game: Game, since: int) -> None:
        """Encode what happened since, as news for the seats and as lines of the record."""
        for event, audience in game.log[since:]:
            line = codec.encode_part(event)
            if audience != NOBODY:
                self._news.append((line, audience))
            if isinstance(event, self._recorded):
                self._recorder.write(line)

    def _news_for(self, seat: int) -> list[Raw]:
        """What the seat may know of what happened since it was last told."""
        since, self._seen[seat] = self._seen[seat], len(self._news)
        return [line for line, audience in self._news[since:] if audience is ALL or audience == seat]

    async def _end(self, game: Game) -> Outcome:
        """Rank the seats, complete the record and tell everyone."""
        standing = game.standing()
        outcome = Outcome(
            scores=standing.scores,
            ranks=ranks_with_faults(standing.ranks, self._out),
            faults=self._faults,
            asked=self._asked,
            stopped=self._stopped,
        )
        codes = [fault.code if fault else None for fault in self._faults]
        self._recorder.write(
            ResultLine(scores=outcome.scores, ranks=outcome.ranks, faults=codes, stopped=self._stopped or UNSET)
        )
        self._recorder.close()
        result = Result(scores=outcome.scores, ranks=outcome.ranks, faults=codes)
        for seat, player in enumerate(self._players):
            if player is not None:
                await player.end(self.setup.game_id, result, self._news_for(seat))
        return outcome
