"""A player that is a person in a browser, where the page shows what the seat may know. An index comes back."""

from collections.abc import Callable, Sequence
from typing import Any

import trio
from msgspec import Raw

from protocol.messages import Result, Start
from referee.games import Game
from referee.live.client import LivePages
from referee.live.messages import ActionChosen, EndRequested, FromServer, QuestionAsked, QuestionOver
from referee.outcome import Fault
from referee.players.clock import TimeControl
from referee.players.person_clock import PersonClock
from referee.players.player import Choice


class BrowserSeats:
    """The people who play in browsers. `stop` ends the match; `control` is their time control, None for no clock."""

    def __init__(self, pages: LivePages, stop: Callable[[], None], control: TimeControl | None = None) -> None:
        self.pages = pages
        self.control = control
        self._stop = stop
        self._answers: dict[int, trio.MemorySendChannel[int]] = {}
        self._asked = 0
        pages.handle = self._receive

    async def ask(self, game_id: str, seat: int, choices: int) -> int:
        """The index of the action that a person chooses. The question is withdrawn if this is cancelled."""
        self._asked += 1
        number = self._asked
        answer, answered = trio.open_memory_channel[int](1)
        self._answers[number] = answer
        self.pages.send(QuestionAsked(game_id, seat, number, choices))
        try:
            return await answered.receive()
        except trio.Cancelled:
            self.pages.send(QuestionOver(game_id, seat))
            raise
        finally:
            del self._answers[number]

    def _receive(self, message: FromServer) -> None:
        match message:
            case ActionChosen(number=number, index=index) if number in self._answers:
                self._answers[number].send_nowait(index)  # the server takes one answer to each question
            case EndRequested():
                self._stop()


class BrowserPlayer:
    """Plays one game by asking a person in a browser."""

    def __init__(self, seats: BrowserSeats) -> None:
        self._seats = seats
        self._clock = PersonClock(seats.control)
        self._game_id = ""

    async def begin(self, start: Start) -> None:
        """Remember which game it is: the page has been told by the lines of its record."""
        self._game_id = start.game_id
        await trio.lowlevel.checkpoint()

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Ask until an action is confirmed. Raises PlayerFault (timeout)."""
        turn = game.turn
        assert turn is not None
        legal: Sequence[Any] = game.legal_actions()

        async def ask(allowance: float) -> int:
            return await self._seats.ask(self._game_id, turn.seat, len(legal))

        index, seconds = await self._clock.limit(turn.decision, ask)
        return Choice(action=legal[index], seconds=seconds)

    async def dismiss(self, fault: Fault) -> None:
        """The page shows the fault, which is in the record."""
        await trio.lowlevel.checkpoint()

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """The page shows the result, which is in the record."""
        await trio.lowlevel.checkpoint()
