"""The state of a run that is shown live: its games, its results so far, and who may see what."""

import contextlib
import math
import time
from collections.abc import AsyncGenerator, Callable, Sequence

import trio
from msgspec import Struct

from referee.games.renderer import Audience
from referee.live import messages
from referee.live.games import LiveGame

MAX_KEPT_GAMES = 200
"""Maximum number of finished games whose records are kept in memory, about 40 kB each; the oldest are dropped."""
MAX_CARDS = 6
"""Maximum number of games whose newest positions are drawn on the page of the run."""
MAX_LATEST = 3
"""Of these, finished games."""
PREVIEW_INTERVAL = 2.0
"""Seconds between two drawings of one of them, at least."""
PREVIEW_PAUSE = 4.0
"""Pause after a drawing, as a multiple of its CPU time: drawing takes at most a fifth of a core, once each game has a
picture."""

PLAYED_AGAIN = "It was broken off, and is played again from its beginning: reload this page to follow that."
"""Of a game whose worker was lost."""


class Person(Struct):
    """Somebody who plays. `game_id`: the latest game that the person plays in."""

    name: str
    token: str
    game_id: str = ""


class LiveRun:
    """What the server knows of the run. `changed` is set, and replaced, when the list of games or results change."""

    def __init__(self, shown: messages.RunShown, spectators: str, send: Callable[[messages.FromServer], None]) -> None:
        self.title = shown.title
        self.whole_games = shown.whole_games
        self.spectators = spectators
        """The secret part of the address for everybody else."""
        self.persons = {seat.token: Person(seat.name, seat.token) for seat in shown.tokens}
        self.games: dict[str, LiveGame] = {}
        self.cards: Sequence[LiveGame] = ()
        """Those whose newest positions are on the page: being played, then the latest ones."""
        self.standings = messages.StandingsShown(())
        self.changed = trio.Event()
        self.index = b""
        """What is inside `main` on the page for spectators, if it has been written since the last change."""
        self.ended: str | None = None
        """Once the run is over: how."""
        self._audience: Audience = "all" if shown.hidden else "public"
        self.send = send
        self._drawing = trio.CapacityLimiter(1)
        """For spectators: a person may be on the clock meanwhile."""
        self._next_preview = -math.inf
        self._streams = 0
        self._taken = trio.Event()

    # -- what readers ask for ---------------------------------------------------------------------------------

    def game(self, game_id: str, person: Person | None) -> LiveGame | None:
        """A game that a person may see, who sees those with an own seat, or a spectator (None)."""
        game = self.games.get(game_id)
        return None if game is not None and person is not None and person.token not in game.seats else game

    def audience(self, person: Person | None, game: LiveGame) -> Audience:
        """As whom a person or a spectator (None) sees a game."""
        return self._audience if person is None else game.seats.index(person.token)

    async def choose(self, person: Person, game_id: str, step: int, action: int) -> str:
        """Take a decision for a person. Returns what is wrong, or an empty string.

        `game_id`: of the page. The person may have opened it for a game before, whose steps have the same numbers.
        """
        game = self.game(game_id, person)
        if game is None or not game.has_begun:
            return "There is no such game, or it is no longer kept here.\n"
        if game.over:
            return "This game is over.\n"
        seat = game.seats.index(person.token)
        if step != await game.last_step(seat):
            return "This decision has already been taken.\n"
        asked = game.question(seat)
        if asked is None:
            return "It is not your turn.\n"
        if not 0 <= action < asked.choices:
            return "There is no such action.\n"
        game.close_question(seat)
        self.send(messages.ActionChosen(asked.number, action))
        return ""

    # -- the page of the run ----------------------------------------------------------------------------------

    async def update_previews(self) -> None:
        """Draw the newest position of one game for the page of the run, if it is time to: called while somebody looks
        at that page. Of games being played, and if these are few of the latest ones. At the end of the run, all."""
        ended = self.ended is not None
        if trio.current_time() < self._next_preview and not ended:
            return
        begun = [game for game in self.games.values() if game.has_begun]
        running, over = [game for game in begun if not game.over], [game for game in reversed(begun) if game.over]
        wanted = [*running, *over[:MAX_LATEST]][:MAX_CARDS]
        stale = [game for game in wanted if not game.is_previewed]
        stale.sort(key=lambda game: (not game.over, game.previewed_at))
        if not stale:
            return
        self._next_preview = math.inf
        used = time.process_time()  # and not how long it takes: on a busy machine others go first
        try:
            for game in stale if ended else stale[:1]:
                await game.update_preview(self._audience)
        finally:
            pause = max(PREVIEW_INTERVAL / len(stale), PREVIEW_PAUSE * (time.process_time() - used))
            filling = len(self.cards) < len(wanted)  # at first there are none at all
            self._next_preview = trio.current_time() + (0 if filling else pause)
        self.cards = [game for game in wanted if game.preview is not None]
        for game in begun:
            if game not in wanted:
                game.drop_preview()
        self._notify()

    # -- what the referee says --------------------------------------------------------------------------------

    def receive(self, message: messages.ToServer) -> None:
        news = not isinstance(message, messages.LinesWritten | messages.QuestionAsked | messages.QuestionOver)
        match message:
            case messages.GameShown(game_id, names, seats):
                self._begin(LiveGame(game_id, names, seats, self._drawing))
            case messages.GameRecorded(game_id, names, content):
                self._begin(LiveGame(game_id, names, spectators=self._drawing))
                self.games[game_id].add_record(content)
            case messages.LinesWritten(game_id, lines):
                if (game := self.games.get(game_id)) is not None:
                    news = not game.has_begun
                    game.add_lines(lines)
                    if news:  # the page of the game needs its first line
                        for token in filter(None, game.seats):
                            if (person := self.persons.get(token)) is not None:
                                person.game_id = game.game_id
            case messages.GameOver(game_id, result):
                if (game := self.games.get(game_id)) is not None:
                    game.over = result
                    game.notify()
            case messages.QuestionAsked(public_id):
                for game in self._running(public_id):
                    game.ask(message)
            case messages.QuestionOver(public_id, seat):
                for game in self._running(public_id):
                    game.close_question(seat)
            case messages.StandingsShown():
                self.standings = message
            case messages.RunEnded(text):
                self.end(text)
        about = self.games.get(getattr(message, "game_id", ""))
        if news or (about is not None and about.over):
            self._notify()

    def end(self, text: str = "The referee has ended.") -> None:
        """The run is over, or the referee has ended. The first text stays."""
        self.ended = self.ended or text
        for game in self.games.values():
            game.notify()
        self._notify()

    async def streamed(self, content: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        """What a browser is being sent, noting each part that it takes."""
        self._streams += 1
        try:
            async with contextlib.aclosing(content):
                async for part in content:
                    yield part
                    self._taken.set()
        finally:
            self._streams -= 1
            self._taken.set()

    async def wait_until_taken(self, patience: float) -> None:
        """Wait until no browser is being sent anything, or none has taken anything for `patience` seconds.

        Seconds in which pages are drawn don't count: on a busy machine that takes long, as others go first.
        """
        while self._streams:
            self._taken = trio.Event()
            with trio.move_on_after(patience) as waiting:
                await self._taken.wait()
            if waiting.cancelled_caught and not any(game.is_being_drawn for game in self.games.values()):
                return

    def _running(self, public_id: str) -> list[LiveGame]:
        """The running game that bots know by this id."""
        return [game for game in self.games.values() if game.public_id == public_id and not game.over]

    def _begin(self, game: LiveGame) -> None:
        finished = [other for other, kept in self.games.items() if kept.over]
        for game_id in finished[: max(0, len(finished) + 1 - MAX_KEPT_GAMES)]:
            del self.games[game_id]
        earlier = self.games.get(game.game_id)
        self.games[game.game_id] = game
        if earlier is not None:  # its worker was lost: open pages of it end
            earlier.over = PLAYED_AGAIN
            earlier.notify()
            self.cards = [card for card in self.cards if card is not earlier]

    def _notify(self) -> None:
        self.index = b""
        self.changed.set()
        self.changed = trio.Event()
