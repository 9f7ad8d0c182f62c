"""A bot that asks a language model: any endpoint with the chat completions of the OpenAI API, for any game.

For each decision the model gets the rules, what has happened, the table and the numbered actions as text, and answers
with a number and a reason as JSON. An answer that can't be used is asked for once more. If there is still none, or the
time is up, the bot takes a legal action at random, so that it never commits a fault. `info` says what happened: the
reason, tokens and cost, or why there was a fallback.

The sandbox has no network. The bot asks through a Unix socket of a proxy (proxy.py), which knows the key; the organiser
shows it that socket. docs/bots/language-models.md says how. Settings are environment variables:

LLM_SOCKET       the socket; by default the only one that the sandbox shows
LLM_TOKENS       maximum number of tokens of an answer (400)
LLM_TEMPERATURE  the temperature; by default the endpoint's own
LLM_FORMAT       how an answer is asked for: json_schema, json_object or text (json_schema)
LLM_RULES        whether the rules are sent with each question: 1 or 0 (1)
"""

import contextlib
import json
import math
import os
import sys
import time
import traceback
from collections.abc import Sequence
from random import Random
from typing import Any

from answers import NoChoiceError, read_choice, without_halves
from chat import AskError, Json, Reply, ask, find_socket

try:
    from referee.games import OptionError
    from referee.games.seat_text import SeatDecision, SeatText
except ModuleNotFoundError as error:
    sys.exit(
        f"llm: {error}. It needs the package `referee`, so run it with the Python that has it: in bot.toml"
        ' command = "{python} llm.py", or start it with .venv/bin/python llm.py after make setup'
    )

RESERVE = 0.08
"""The fraction of a limit that is kept in reserve."""
MIN_RESERVE = 0.15
"""The same in seconds, for a busy machine."""
MIN_WAIT = 0.3
"""Seconds of waiting below which the model is not asked at all."""
BANK_SHARE = 0.05
"""The fraction of the bank that one decision may use, besides the increment."""
MAX_REASON = 300
"""Characters of a reason that are kept: the record keeps 4096 bytes of an `info`, and JSON has up to 12 for each."""
MAX_QUOTED = 2000
"""Characters of a wrong answer that the model is shown again."""
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "action": {"type": "integer"}},
    "required": ["reason", "action"],
    "additionalProperties": False,
}
FORMATS: dict[str, Json] = {
    "json_schema": {
        "response_format": {"type": "json_schema", "json_schema": {"name": "move", "strict": True, "schema": SCHEMA}}
    },
    "json_object": {"response_format": {"type": "json_object"}},
    "text": {},
}
TASK = """\
You play the board game {title} as {me}. The others are {others}. Options: {options}. Play to win.
At each of your decisions you are told what has happened, how the table stands, and your legal actions with their
numbers. Answer with a JSON object and nothing else: {{"reason": "one or two short sentences", "action": NUMBER}}"""
AGAIN = """\
That can't be used: {problem}. Answer with a JSON object and nothing else, with a short reason:
{{"reason": "...", "action": NUMBER}}, where NUMBER is from 0 to {last}."""


class Settings:
    """What the environment variables say. Raises ValueError."""

    def __init__(self) -> None:
        get = os.environ.get
        self.place = find_socket()
        self.rules = get("LLM_RULES", "1") != "0"
        name = get("LLM_FORMAT", "json_schema")
        if name not in FORMATS:
            raise ValueError(f"LLM_FORMAT={name}: it is one of {', '.join(FORMATS)}")
        temperature = get("LLM_TEMPERATURE")
        self.request: Json = {
            **FORMATS[name],
            **({} if temperature is None else {"temperature": number("LLM_TEMPERATURE", temperature)}),
            "max_tokens": int(number("LLM_TOKENS", get("LLM_TOKENS", "400"))),
        }


def number(name: str, value: str) -> float:
    """The value of an environment variable that is a number. Raises ValueError."""
    with contextlib.suppress(ValueError):
        if 0 <= float(value) < math.inf:
            return float(value)
    raise ValueError(f"{name}={value}: it is a number of at least 0")


class Player:
    """One seat in one game."""

    def __init__(self, start: Json, settings: Settings) -> None:
        self.settings = settings
        self.random = Random(start["bot_seed"])
        self.clock: Json = start["clock"]
        self.text: SeatText | None = None
        self.task = ""
        try:
            self.text = text = SeatText(start)
        except OptionError as error:
            print(f"llm: {error}", file=sys.stderr, flush=True)
            return
        others = [name for seat, name in enumerate(text.names) if seat != text.seat]
        given = start["config"].items()
        options = ", ".join(f"{name} = {value}" for name, value in given if isinstance(value, str | int))
        names = {"me": text.names[text.seat], "others": ", ".join(others) or "nobody"}
        task = TASK.format(title=text.game.title, options=options or "none", **names)
        rules = [f"{rule.title}: {' '.join(rule.text.split())}" for rule in text.rules.values()]
        self.task = "\n\n".join([task, "The rules", *rules]) if settings.rules and rules else task

    def decide(self, act: Json, received: float) -> tuple[int, Json]:
        """The index of an action, and what the record keeps about it."""
        info: Json = {}
        budget = self.budget(act["time_ms"] / 1000)
        try:
            if self.text is None:
                raise AskError("this game is not known here")
            if self.settings.place is None or budget < MIN_WAIT:
                self.text.add_events(act.get("events", ()))
                short = f"too little time to ask: {act['time_ms']} ms"
                raise AskError("no socket is shown to this bot" if self.settings.place is None else short)
            return self.asked(self.text.decision(act), received + budget, info), info
        except AskError as error:
            info["fallback"] = str(error)
        except Exception as error:  # a bug in describing the game costs this answer, and not the game
            traceback.print_exc()
            info["fallback"] = f"a mistake in the bot: {error!r}"[:MAX_REASON]
        return self.random.randrange(len(act["legal"])), info

    def budget(self, limit: float) -> float:
        """The seconds for this decision: its limit, less a reserve; with a bank, only a part of that."""
        if "bank_ms" in self.clock:
            limit = min(limit, BANK_SHARE * limit + self.clock.get("increment_ms", 0) / 1000)
        return limit - max(MIN_RESERVE, RESERVE * limit)

    def asked(self, decision: SeatDecision, deadline: float, info: Json) -> int:
        """The index of the action that the model takes, at its first or second answer. Raises AskError."""
        info["tries"] = 0
        first = [{"role": "system", "content": self.task}, {"role": "user", "content": decision.text}]
        messages: list[Json] = first
        while True:
            info["tries"] += 1
            last_try = info["tries"] > 1
            began = time.monotonic()
            try:
                reply = ask(str(self.settings.place), {**self.settings.request, "messages": messages}, deadline)
            except AskError as error:
                rest = deadline - time.monotonic() - error.pause
                if last_try or not error.again or rest < MIN_WAIT:
                    raise
                info["first_try"] = str(error)
                time.sleep(error.pause)
                continue
            count(info, reply)
            try:
                number, reason = self.chosen(reply, decision.labels)
            except ValueError as error:
                problem = without_halves(str(error))
                # another answer will hardly take less time than this one
                if last_try or deadline - time.monotonic() < max(MIN_WAIT, time.monotonic() - began):
                    raise AskError(f"the model's answer can't be used: {problem}") from None
                info["first_try"] = problem
                again = AGAIN.format(problem=problem, last=len(decision.indices) - 1)
                quoted = [{"role": "assistant", "content": reply.text[:MAX_QUOTED]}] if reply.text else []
                messages = [*first, *quoted, {"role": "user", "content": again}]
                continue
            info["reason"] = reason[:MAX_REASON]
            return decision.indices[number]

    @staticmethod
    def chosen(reply: Reply, labels: Sequence[str]) -> tuple[int, str]:
        """The number of an action and the reason for it. Raises ValueError."""
        try:
            return read_choice(reply.text, len(labels), labels, whole=reply.finish == "stop")
        except NoChoiceError as problem:
            if reply.refusal or reply.finish == "content_filter":
                raise ValueError("the model refused to answer") from None
            if reply.finish == "length":
                raise ValueError("the answer was too long and has been cut off") from None
            raise problem from None


def count(info: Json, reply: Reply) -> None:
    """Add the tokens and the cost of an answer."""
    info["model"] = reply.model[:60]
    info["input_tokens"] = info.get("input_tokens", 0) + reply.input
    info["output_tokens"] = info.get("output_tokens", 0) + reply.output
    info["cost"] = round(info.get("cost", 0.0) + reply.cost, 9)


def main() -> None:
    """Answer line by line until the referee says quit or closes the input."""
    try:
        settings = Settings()
    except ValueError as error:
        sys.exit(f"llm: {error}")
    if settings.place is None:
        print("llm: no socket of a model is shown to this bot, so it plays at random", file=sys.stderr, flush=True)
    player: Player | None = None
    for line in sys.stdin:
        received = time.monotonic()
        message: dict[str, Any] = json.loads(line)
        match message["type"]:
            case "hello":
                send({"type": "ready", "protocol": 1, "name": "llm"})
            case "start":
                player = Player(message, settings)
            case "act":
                assert player is not None, "an act came before any start"
                index, info = player.decide(message, received)
                send({"type": "action", "id": message["id"], "index": index, "info": info})
            case "quit":
                return


def send(message: Json) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
