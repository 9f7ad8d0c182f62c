"""A seat of a match for a program that may be slow: connects to `tcp:PORT`, describes the game, and takes the actions
that it is told to take. Imports the package `referee`, and nothing besides."""

import json
import socket
import sys
import threading
import time
from typing import Any

from referee.connections.token_file import HOST, TokenError, read_token
from referee.games import OptionError
from referee.games.rule_texts import find_texts
from referee.games.seat_text import SeatDecision, SeatText

Json = dict[str, Any]

CONNECT_TIMEOUT = 10.0
MAX_REASON = 1000
"""Characters of a reason that are sent with an action."""
MAX_WAIT = 50.0
"""Seconds that `look` waits at most: many clients give up after 60."""
WAITING = "It is not your turn yet: the others are thinking, or the next game is about to begin. Call look again."


class SeatError(Exception):
    """A call can't be carried out. The text says why, and what to do."""


class Seat:
    """The seat on a port. Any thread may call its methods; a call waits for the one before."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._changed = threading.Condition()
        self._link: socket.socket | None = None
        self._text: SeatText | None = None
        self._act: Json = {}
        self._decision: SeatDecision | None = None
        self._limited = False
        self._deadline: float | None = None
        self._news: list[str] = []

    def look(self, seconds: float = 20.0) -> str:
        """The decision that is due, and what came before it, as soon as there is one; waits up to this many seconds.

        Connects to the referee if that is necessary. Raises SeatError.
        """
        with self._changed:
            self._connect()
            self._changed.wait_for(
                lambda: self._decision is not None or self._link is None, min(max(0.0, seconds), MAX_WAIT)
            )
            news, self._news = self._news, []
            decision = self._decision
            if decision is None:
                return "\n\n".join([*news, *([] if self._link is None else [WAITING])])
            left = [] if self._deadline is None else [f"You have {max(0.0, self._deadline - time.monotonic()):.0f} s."]
            return "\n\n".join([*news, decision.text, *left])

    def play(self, action: int, reason: str = "", seconds: float = 20.0) -> str:
        """Take the action with that number; then as `look`. Raises SeatError, and plays nothing, if there is none."""
        with self._changed:
            if self._decision is None:
                raise SeatError("no decision of yours is due: call look")
            count = len(self._decision.indices)
            if not 0 <= action < count:
                raise SeatError(f"there is no action {action}: they are 0 to {count - 1}. Call play again")
            index = self._decision.indices[action]
            info = {"info": {"reason": reason[:MAX_REASON]}} if reason else {}
            self._decision = None
            self._send({"type": "action", "id": self._act["id"], "index": index, **info})
        return self.look(seconds)

    def rules(self, name: str = "") -> str:
        """The texts about a name in the rules, or about all."""
        with self._changed:
            if self._text is None:
                raise SeatError("no game has begun yet: call look")
            texts = self._text.rules
        found = find_texts(texts, name) if name.strip() else [*texts.values()]
        if not found:
            return f"The rules have nothing about that. They have: {', '.join(rule.title for rule in texts.values())}"
        return "\n\n".join(f"{rule.title}: {' '.join(rule.text.split())}" for rule in found)

    def close(self) -> None:
        with self._changed:
            if self._link is not None:
                self._link.shutdown(socket.SHUT_RDWR)

    # -- the connection -------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        """Connect if there is no connection and all news of the last one has been shown. Raises SeatError."""
        if self._link is not None or self._news:
            return
        try:
            token = read_token(self._port)
            link = socket.create_connection((HOST, self._port), CONNECT_TIMEOUT)
            link.settimeout(None)
            link.sendall(f"{token}\n".encode())
        except TokenError as error:
            raise SeatError(str(error)) from None
        except OSError as error:
            raise SeatError(f"the referee on port {self._port} can't be reached: {error.strerror or error}") from None
        self._link = link
        threading.Thread(target=self._listen, args=(link,), daemon=True).start()

    def _listen(self, link: socket.socket) -> None:
        """Read what the referee sends, until it closes the connection."""
        try:
            with link, link.makefile("rb") as lines:
                for line in lines:
                    message = json.loads(line)
                    with self._changed:
                        self._take(message)
                        self._changed.notify_all()
        except (OSError, ValueError, SeatError) as error:
            print(f"seat: {error}", file=sys.stderr, flush=True)
        finally:
            with self._changed:
                self._link = self._decision = None
                self._news.append("The referee has closed the connection. Call look to join another match.")
                self._changed.notify_all()

    def _take(self, message: Json) -> None:
        match message["type"]:
            case "hello":
                self._send({"type": "ready", "protocol": 1, "name": "mcp"})
            case "start":
                self._begin(message)
            case "act":
                if self._text is not None:
                    self._decision = self._text.decision(message)
                    self._act = message
                    self._deadline = time.monotonic() + message["time_ms"] / 1000 if self._limited else None
            case "fault":
                self._decision = None
                self._news.append(f"You are out of this game: {message['code']}: {message['message']}")
            case "end":
                self._decision = None
                self._news.append(self._result(message["result"]))
            case _:
                pass

    def _begin(self, start: Json) -> None:
        """Join a game. Without its rules there would be nothing to tell, so the connection is closed."""
        try:
            self._text = text = SeatText(start)
        except OptionError as error:
            self._news.append(str(error))
            self.close()
            return
        self._limited = bool({"move_ms", "bank_ms"} & start["clock"].keys())
        me = text.names[text.seat]
        self._news.append(f"A game of {text.game.title} begins. You are {me}; there are {len(text.names)} players.")

    def _result(self, result: Json) -> str:
        names = [] if self._text is None else self._text.names
        lines = (
            f"{name}: rank {rank}, score {score}"
            for name, rank, score in zip(names, result["ranks"], result["scores"], strict=False)
        )
        return "\n".join(["The game is over.", *lines])

    def _send(self, message: Json) -> None:
        if self._link is not None:
            try:
                self._link.sendall(json.dumps(message).encode() + b"\n")
            except OSError as error:
                raise SeatError(f"the referee is gone: {error.strerror or error}") from None
