"""A player that is a person at the terminal, which several people may share."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import trio
from msgspec import Raw

from protocol.messages import Result, Start
from referee.games import Action, Game, find_game, find_narrator, find_presenter
from referee.games.narrator import HEADING, Said, format_score, readable
from referee.games.placed_names import place_names
from referee.games.presenter import Menu, Presenter
from referee.outcome import Fault
from referee.players.clock import TimeControl
from referee.players.human.dialogue import QUIT_WORDS, Dialogue
from referee.players.human.terminal import Terminal
from referee.players.person_clock import PersonClock
from referee.players.player import Choice
from referee.printable import printable
from referee.record.render import layout, wrap_line

MAX_SHOWN_NAME: Final = 20
"""Maximum length of a name on the table."""
MIN_WIDTH: Final = 40
RESERVED_LINES: Final = 8
"""Lines of the terminal that a page of a menu leaves for the question and what surrounds it."""


class HotSeat:
    """The people at one terminal, one after another.

    `stop` ends the match as Ctrl-C does. `control` is the time control for people; without it they have no clock.
    """

    def __init__(self, terminal: Terminal, stop: Callable[[], None], control: TimeControl | None = None) -> None:
        self.terminal = terminal
        self.control = control
        self._stop = stop
        self._game_id: str | None = None
        self._games = 0
        self._persons: list[HumanPlayer] = []
        """The people who play in the current game."""
        self._deciding: HumanPlayer | None = None
        """The person who took the latest decision."""
        self._ended: str | None = None

    def player(self, name: str) -> "HumanPlayer":
        return HumanPlayer(self, name)

    async def begin(self, person: "HumanPlayer", start: Start, introduction: Sequence[str]) -> None:
        """Add a person to a game. The first one is told which game it is."""
        if start.game_id == self._game_id:
            self._persons.append(person)
            return
        self._game_id = start.game_id
        self._games += 1
        self._persons = [person]
        self._deciding = None
        if self._games > 1:
            await self._pause(f"Press Enter to begin game {self._games}.")
        await self.terminal.show(introduction)

    async def hand_over(self, person: "HumanPlayer") -> None:
        """Before a decision: if somebody else sat here, clear what they saw, and wait until they have changed seats."""
        before, self._deciding = self._deciding, person
        if before is not person and len(self._persons) > 1:
            await self.terminal.clear()
            await self._pause(f"{person.name}, it is your turn. Press Enter when nobody else is looking.")

    async def is_first_to_end(self, game_id: str) -> bool:
        """Whether nobody here has been told yet how this game ended; then what several of them saw is cleared."""
        if self._ended == game_id:
            return False
        self._ended = game_id
        if len(self._persons) > 1:
            await self.terminal.clear()
        return True

    async def stop(self) -> None:
        """End the match. Never returns: it is cancelled."""
        self._stop()
        await trio.sleep_forever()

    async def _pause(self, request: str) -> None:
        while True:
            line = await self.terminal.ask(f"{request} ")
            if line is None or line.strip().casefold() in QUIT_WORDS:
                await self.stop()
            elif not line.strip():
                return


class HumanPlayer:
    """Plays one game by asking a person. The game's presenter shows only what the seat is sent."""

    def __init__(self, hot_seat: HotSeat, name: str) -> None:
        self.name = printable(name, MAX_SHOWN_NAME)
        self._hot_seat = hot_seat
        self._terminal = hot_seat.terminal
        self._clock = PersonClock(hot_seat.control)
        self._presenter: Presenter[Any] | None = None
        self._shown_names: list[str] = []
        self._names: list[str] = []
        """As they are placed in lines for the terminal."""
        self._confirmed: list[Action] = []
        """Actions for the next decisions, which the person has confirmed together with an earlier one."""
        self._recap: list[Said] = []
        """What has happened since the person was last asked."""

    @property
    def presenter(self) -> Presenter[Any]:
        assert self._presenter is not None
        return self._presenter

    async def begin(self, start: Start) -> None:
        """Show which game it is, who plays, and whether there is a clock."""
        self._game_type = find_game(start.game)
        presenter = find_presenter(self._game_type)
        assert presenter is not None, "the caller checks that people can play the game"
        self._shown_names = short_names(start.players)
        self._names, self.name = place_names(self._shown_names), self._shown_names[start.seat]
        self._presenter = presenter(start.config, start.seat, self._names)
        self._use_names()
        seats = (f"  seat {seat}: {name}" for seat, name in enumerate(self._names))
        help_line = "  Type ? for help, ? game for what the game is about, q to stop."
        introduction = ["", self._game_type.title, *seats, f"  {self._format_clock()}", help_line]
        await self._hot_seat.begin(self, start, introduction)

    def _use_names(self) -> None:
        """Names as this person was told them, which may be others than those for another person at the terminal."""
        self._terminal.use_names(self._shown_names, find_narrator(self._game_type))

    def _format_clock(self) -> str:
        if self._hot_seat.control is None or not self._hot_seat.control.enforced:
            return "No clock runs for a person: take your time."
        control = self._hot_seat.control
        limits = [] if control.move is None else [f"{control.move:g} s for each decision"]
        if control.bank is not None:
            increment = f" and {control.increment:g} s more after each" if control.increment else ""
            limits.append(f"{control.bank:g} s for all decisions of a game{increment}")
        return f"Your clock: {', '.join(limits)}."

    async def decide(self, game: Game, events: list[Raw]) -> Choice:
        """Show what has happened and the table, and ask until an action is confirmed. Raises PlayerFault (timeout)."""
        turn = game.turn
        assert turn is not None
        legal = game.legal_actions()
        self._hear(events)
        if self._confirmed and self._confirmed[0] in legal:
            await trio.lowlevel.checkpoint()
            return Choice(action=legal[legal.index(self._confirmed.pop(0))])
        self._confirmed.clear()
        observation = game.observe(turn.seat)
        await self._hot_seat.hand_over(self)
        dialogue, seconds = await self._clock.limit(
            turn.decision, lambda allowance: self._ask(observation, legal, allowance)
        )
        if dialogue.answer is None:
            await self._hot_seat.stop()
        assert dialogue.answer is not None
        action, *self._confirmed = dialogue.answer
        taken = game.canonical(action)
        assert taken is not None, "menus lead to legal actions"
        return Choice(action=taken, seconds=seconds)

    async def _ask(self, observation: Any, legal: Sequence[Any], allowance: float) -> Dialogue:
        self._use_names()
        presenter, width = self.presenter, self._width
        while self._recap and self._recap[-1].level == HEADING:
            self._recap.pop()  # the table has the same heading
        recap, self._recap = self._laid_out(self._recap), []

        def drawn() -> tuple[list[str], Menu]:
            return [*presenter.table(observation, legal, width)], presenter.menu(observation, legal)

        # in a thread, because drawing may take longer than the margin of a bot's clock and would be event loop lag
        table, menu = await trio.to_thread.run_sync(drawn, abandon_on_cancel=True)

        def further(actions: Sequence[Action]) -> Menu | None:
            after = presenter.position_after(actions)
            return None if after is None else presenter.menu(*after)

        dialogue = Dialogue(
            menu,
            presenter.rules,
            width=width,
            page_size=self._terminal.size[1] - RESERVED_LINES,
            table=lambda: table,
            events=lambda: recap,
            preview=lambda actions: [*presenter.preview(observation, actions[0], width)],
            further=further,
        )
        await self._terminal.show([*recap, ""] if presenter.continues else [*recap, "", *table, ""])
        text = dialogue.show()
        if allowance < math.inf:
            text.append(f"  You have {allowance:.0f} s.")
        while dialogue.answer is None and not dialogue.stopped:
            await self._terminal.show(text)
            text = dialogue.respond(await self._terminal.ask(dialogue.prompt))
        return dialogue

    @property
    def _width(self) -> int:
        return max(MIN_WIDTH, self._terminal.size[0])

    def _hear(self, events: Sequence[Raw]) -> None:
        self._recap += self.presenter.follow(events, self._width)

    def _laid_out(self, said: Sequence[Said]) -> list[str]:
        width = self._width
        return [
            part for line in layout(said, width) for part in (wrap_line(line, width) if len(line) > width else [line])
        ]

    async def dismiss(self, fault: Fault) -> None:
        await self._terminal.show(["", f"{self.name} is out of this game: {fault.message}"])

    async def end(self, game_id: str, result: Result, events: list[Raw]) -> None:
        """Show the end of the game, once for all persons."""
        if not await self._hot_seat.is_first_to_end(game_id):
            return
        self._use_names()
        self._hear(events)
        final = self.presenter.final_position(self._width)
        await self._terminal.show([*self._laid_out(self._recap), *final, *self._result(result)])

    def _result(self, result: Result) -> Iterator[str]:
        yield ""
        yield "The game is over"
        name_width = max(map(len, self._names))
        for seat in sorted(range(len(self._names)), key=lambda seat: result.ranks[seat]):
            fault = result.faults[seat]
            out = "" if fault is None else f", out for {readable(fault)}"
            score = format_score(self._game_type, result.scores[seat])
            yield f"  {result.ranks[seat]}. {self._names[seat]:{name_width}}  {score:>4}{out}"
        yield ""


def short_names(names: Sequence[str]) -> list[str]:
    """The names by seat, printable, short enough for a table, and unique."""
    short: list[str] = []
    for seat, name in enumerate(names):
        text = printable(name, MAX_SHOWN_NAME).strip() or f"seat {seat}"
        short.append(f"{text[: MAX_SHOWN_NAME - 5]}… ({seat})" if text in short else text)
    return short
