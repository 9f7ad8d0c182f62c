"""The sample bot that asks language models: whatever the endpoint does, an answer in time, and nobody sees the key."""

import contextlib
import importlib
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from referee.games import new_game
from tests.cli.command import referee
from tests.games.test_seat_text import on_wire, start
from tests.pages.playing import whole_page
from tests.processes.sandboxed import needs_sandbox
from tests.sample_bots.model_endpoint import KEY, REASON, USAGE, Endpoint, endpoint
from tests.timeouts import TEST_TIMEOUT
from tournaments.event.file.tournament_file import read_tournament

LLM = Path(__file__).parents[2] / "bots/llm-python"
BUSY = 5.0
"""Seconds that a busy machine may need besides."""
PRICES = {"input": 1.0, "output": 10.0}
CALL_COST = (USAGE["prompt_tokens"] * PRICES["input"] + USAGE["completion_tokens"] * PRICES["output"]) / 1e6


@pytest.fixture(scope="module", autouse=True)
def _path() -> Iterator[None]:
    """The bot's folder is on the path, as it is when the bot runs."""
    sys.path.insert(0, str(LLM))
    yield
    sys.path.remove(str(LLM))


def part(name: str) -> Any:
    """A module of the bot."""
    return importlib.import_module(name)


@contextlib.contextmanager
def proxy(folder: Path, url: str, cap: float = 1.0, **settings: Any) -> Iterator[tuple[str, Any]]:
    """The socket of a model at that address, and the ledger."""
    folder.mkdir(exist_ok=True)
    (folder / "key").write_text(f"{KEY}\n")
    (folder / "key").chmod(0o600)
    entry = {"name": "small", "url": url, "model": "small-1", "key_file": "key", **PRICES, "cap": cap, **settings}
    lines = (f"{key} = {json.dumps(value)}" for key, value in entry.items())
    (folder / "models.toml").write_text("cap = 2.0\n[[model]]\n" + "\n".join(lines))
    models = part("models").read_models(folder / "models.toml")
    with (
        contextlib.closing(part("ledger").Ledger(models.ledger, models.cap)) as ledger,
        part("proxy").serve(models, ledger, folder / "sockets") as servers,
    ):
        stop = threading.Event()
        arguments = (folder / "models.toml", models, servers, ledger, stop)
        thread = threading.Thread(target=part("proxy").follow, args=arguments)
        thread.start()
        try:
            yield str(servers["small"].path), ledger
        finally:
            stop.set()
            thread.join()


class Seat:
    """The bot in a seat of a game of The Forbidden City, at its first decision."""

    def __init__(self, place: str | None, monkeypatch: pytest.MonkeyPatch, clock: Mapping[str, int] = {}) -> None:
        if place is None:
            monkeypatch.delenv("LLM_SOCKET", raising=False)
        else:
            monkeypatch.setenv("LLM_SOCKET", place)
        game = new_game("forbidden_city", "llm", players=2)
        assert game.turn is not None
        self.act = {
            "decision": game.turn.decision,
            "observation": on_wire(game.observe(0)),
            "legal": on_wire(game.legal_actions()),
            "events": on_wire(game.events_since(0)),
        }
        told = {**start(game, 0), "bot_seed": 1, "clock": clock}
        self.player = part("llm").Player(told, part("llm").Settings())

    def decide(self, limit: float = 20.0) -> tuple[int, dict[str, Any]]:
        """The index of its action and the info, which came within the limit, and fit into a record."""
        began = time.monotonic()
        index, info = self.player.decide({**self.act, "time_ms": round(1000 * limit)}, began)
        assert time.monotonic() - began < limit + BUSY
        assert 0 <= index < len(self.act["legal"])
        assert len(json.dumps(info)) < 4096
        assert KEY not in json.dumps(info)
        return index, info


def decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *script: str, limit: float = 20.0
) -> tuple[int, dict[str, Any], Endpoint]:
    """What the bot does at one decision if the endpoint answers like this."""
    with endpoint(*script) as server, proxy(tmp_path / "p", server.url) as (place, _):
        return *Seat(place, monkeypatch).decide(limit), server


# -- the bot ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["good", "fenced", "in parts", "cut after the action"])
def test_the_action_of_the_model_is_taken_with_its_reason_tokens_and_cost(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, info, server = decided(tmp_path, monkeypatch, answer)
    assert index == Seat(None, monkeypatch).player.text.decision(Seat(None, monkeypatch).act).indices[1]
    assert info == {
        "tries": 1,
        "model": "small",
        "input_tokens": USAGE["prompt_tokens"],
        "output_tokens": USAGE["completion_tokens"],
        "cost": pytest.approx(CALL_COST),
        "reason": REASON,
    }
    [request] = server.requests
    assert (request["model"], request["key"]) == ("small-1", f"Bearer {KEY}")
    system, user = (message["content"] for message in request["messages"])
    assert "The Forbidden City as player 0. The others are player 1. Options: players = 2, start_tile = " in system
    assert "rotation: Quarter turns clockwise." in system
    assert "Where do you lay it?" in user
    assert "\n  0: " in user


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ("text", 'there is no JSON object with "action" in it'),
        ("out of range", "there is no action 9999: they are 0 to "),
        ("no number", '"action" is not a whole number'),
        ("refuses", "the model refused to answer"),
        ("filtered", "the model refused to answer"),
        ("too long", "the answer was too long and has been cut off"),
        ("two", "it has different actions: 1, 2"),
        ("half a number", '"action" is not a whole number but "?"'),
        ("not JSON", "status 502: the endpoint did not send a chat completion"),
        ("no choices", "status 502: the endpoint did not send a chat completion"),
        ("cut off", "status 502: the endpoint broke off"),
        ("drops", "status 502: the endpoint broke off"),
        ("429", "status 429: the endpoint answered with status 429"),
        ("500", "status 502: the endpoint answered with status 500"),
    ],
)
def test_what_goes_wrong_once_is_tried_again_and_twice_is_a_fallback(
    bad: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, info, server = decided(tmp_path, monkeypatch, bad, "good")
    assert (info["tries"], info["reason"]) == (2, REASON)
    assert problem in info["first_try"]
    if not problem.startswith("status"):
        assert problem.partition(":")[0] in server.requests[1]["messages"][-1]["content"]
        assert info["input_tokens"] == 2 * USAGE["prompt_tokens"]
    _, info, server = decided(tmp_path, monkeypatch, bad)
    assert (info["tries"], len(server.requests)) == (2, 2)
    assert problem in info["fallback"]
    assert "reason" not in info


def test_a_key_that_is_refused_is_not_tried_again_and_not_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint("401") as server, proxy(tmp_path, server.url, timeout=9) as (place, ledger):
        seat = Seat(place, monkeypatch)
        _, info = seat.decide()
        assert info["fallback"] == "status 424: the endpoint answered with status 401"
        assert ledger.spent == 0
    assert len(server.requests) == 1


@pytest.mark.parametrize("answer", ["half a pair", "emoji", "long number"])
def test_no_reason_or_number_of_a_model_is_a_fault_or_more_than_a_record_keeps(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, info, _ = decided(tmp_path, monkeypatch, answer, "good")
    msgspec.json.decode(json.dumps(info))  # as the referee reads it; Seat.decide checks the length


def test_an_endpoint_that_repeats_the_key_and_one_that_redirects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    _, info, _ = decided(tmp_path, monkeypatch, "echo")
    assert info["reason"] == "I was told Bearer [key]"
    _, info, _ = decided(tmp_path, monkeypatch, "302")
    assert info["fallback"] == "status 424: the endpoint answered with status 302"
    decided(tmp_path, monkeypatch, "401")
    assert "bad key Bearer [key]" in capfd.readouterr().err


@pytest.mark.parametrize("how", ["never", "byte by byte"])
@pytest.mark.slow
def test_an_endpoint_that_is_slow_costs_an_answer_and_not_the_game(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(how) as server, proxy(tmp_path, server.url, timeout=2.0) as (place, ledger):
        _, info = Seat(place, monkeypatch).decide(limit=0.7)
        assert info == {"tries": 1, "fallback": "no answer in time"}
        with pytest.raises(part("chat").AskError, match="the endpoint broke off"):  # the proxy gives up too
            part("chat").ask(place, {"messages": [{"role": "user", "content": "x"}]}, time.monotonic() + 20)
    assert ledger.spent > 0, "a call whose cost is not known counts as the most that it may have cost"


def test_an_endpoint_that_is_not_there_and_a_proxy_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint("good") as server:
        url = server.url
    with proxy(tmp_path, url) as (place, ledger):
        _, info = Seat(place, monkeypatch).decide()
        assert (info["tries"], info["fallback"]) == (2, "status 502: the endpoint is not there")
        assert ledger.spent == 0
    _, info = Seat(place, monkeypatch).decide()
    assert info == {"tries": 1, "fallback": "nothing answers at the socket: Connection refused"}
    _, info = Seat(str(tmp_path / "none"), monkeypatch).decide()
    assert info["fallback"] == "nothing answers at the socket: No such file or directory"


def test_without_a_socket_or_time_it_plays_at_random_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Seat(None, monkeypatch).decide()[1] == {"fallback": "no socket is shown to this bot"}
    assert Seat("/none", monkeypatch).decide(0.3)[1] == {"fallback": "too little time to ask: 300 ms"}
    first, second = (Seat(None, monkeypatch).decide()[0] for _ in range(2))
    assert first == second, "drawn from bot_seed"


def test_a_bank_is_not_used_up_by_one_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Seat(None, monkeypatch, {"bank_ms": 600_000, "increment_ms": 2000}).player.budget
    assert 25 < budget(600.0) < 32
    assert budget(1.0) < 1.0
    assert 18 < Seat(None, monkeypatch).player.budget(20.0) < 20


def test_a_mistake_in_telling_the_game_is_a_fallback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    seat = Seat("/none", monkeypatch)
    seat.act["observation"] = {}
    assert "a mistake in the bot: ValidationError" in seat.decide()[1]["fallback"]
    assert "Traceback" in capfd.readouterr().err


def test_the_only_socket_that_the_sandbox_shows_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = part("chat")
    monkeypatch.delenv("LLM_SOCKET", raising=False)
    places = [tmp_path / name for name in ("a b.sock", "c.sock", "file")]
    places[2].touch()
    with contextlib.ExitStack() as stack:
        for place in places[:2]:
            stack.enter_context(socket.socket(socket.AF_UNIX)).bind(str(place))
        mounts = [f"1 2 0:3 / {str(place).replace(' ', chr(92) + '040')} ro - ext4 x ro" for place in places]
        for shown, found in ((mounts[::2], str(places[0])), (mounts, None), (mounts[2:], None)):
            (tmp_path / "mounts").write_text("\n".join(shown))
            monkeypatch.setattr(chat, "MOUNTS", tmp_path / "mounts")
            assert chat.find_socket() == found


LABELS = ("draft monk", "draft healer", "draft farmer", "take 2 rice")
REPLY = '{"reason": "x", "action": 3}'


@pytest.mark.parametrize(
    "text",
    [
        REPLY,
        '{"action": "3", "reason": "x"}',
        '{"action": 3.0, "reason": "x", "action": 3}',
        '{"Action_Number": [3], "REASON": "x"}',
        # around it
        f"```json\n{REPLY}\n```",
        f"{REPLY} I hope this helps {{you}}.",
        f"Not {{this}}, nor {{0}}, but **{REPLY}**",
        f'Not {{"action": 0}}, but\n```\n{REPLY}\n```',
        f"{REPLY}\n{REPLY}",
        f"[{REPLY}]",
        f'{{"answer": {REPLY}}}',
        f'<tool_call>{{"name": "move", "arguments": {REPLY}}}</tool_call>',
        json.dumps({"name": "move", "arguments": REPLY}),
        json.dumps(REPLY),
        REPLY.replace('"', '\\"'),
        REPLY.replace('"', "&quot;"),
        # thinking
        f'<think>{{"action": 1}} is bad</think>{REPLY}',
        f'{{"action": 1}} is bad</think>{REPLY}',
        f"{REPLY}<thinking>{{}}",
        f'[THINK]{{"action": 1}}[/THINK]{REPLY}',
        f'<|channel|>analysis<|message|>{{"action": 1}}<|end|><|start|>assistant<|channel|>final<|message|>{REPLY}',
        # not quite JSON
        '{"reason": "x", "action": 3,}',
        "{'reason': 'x', 'action': 3, 'sure': None}",
        '{reason: "x", action: 3}',
        '{"reason" = "x"; "action" => 3}',
        "{“reason”: “x”, “action”: “3”}",
        "｛“reason”：“x”，“action”：３｝",
        '{"reason": "x", // not "action": 1\n "action": 3 /* 2 */ }',
        '{"reason": "x" "action": 3}',
        '{"reason": "x", "action": 03}',
        '"reason": "x", "action": 3}',
        '{"reason": "x", "action": 3]',
        # cut off
        '{"reason": "x", "action": 3',
        '{"action": 3, "reason": "x',
        '```json\n{"reason": "x", "action": 3\n```',
        # numbered choices
        '{"reason": "x", "action": "3: take 2 rice"}',
        '{"reason": "x", "action": 3: Take 2 rice}',
        '{"reason": "x", "action": "#3 (take 2 rice)"}',
        '{"reason": "x", "action": "take 2 rice"}',
        '{"reason": "x", "action": {"number": "Action 3"}}',
        '{"reason": "x", "action": NUMBER}\n' + REPLY,
    ],
)
def test_an_answer_with_one_meaning_is_read_however_it_is_written(text: str) -> None:
    assert part("answers").read_choice(text, 4, LABELS) == (3, "x")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ('{"reason": "two\nlines", "action": 3}', (3, "two\nlines")),
        ('{"reason": "the “best”, or "a", "b" and c", "action": 3,}', (3, 'the "best", or "a", "b" and c')),
        ("{'reason': 'It is {good}, isn't it?', 'action': 3}", (3, "It is , isn't it?")),
        ('{"action": 2.0, "reason": 7}', (2, "")),
        ("Action: 3", (3, "")),
        ("reason: I like it, a lot\n**action:** 3", (3, "")),
        ("<reason>so</reason><action>3</action>", (3, "")),
        ("3", (3, "")),
        ('{"action": {"index": 3, "text": "take 2 rice"}}', (3, "")),
        ('{"action": {"palace": 3}}', '"action" is not a whole number but [["palace", 3]]'),
        ('{"reason": "It is', "that can be read: Unterminated string starting at: '"),
        ("**0: draft monk**", (0, "")),
        ("", "the answer is empty"),
        ('<think>{"action": 1}', "there is nothing after the thinking"),
        ('{"action": 4}', "there is no action 4: they are 0 to 3"),
        ('{"action": -1}', "there is no action -1: they are 0 to 3"),
        ('{"action": true}', '"action" is not a whole number but true'),
        ('{"action": 1e400}', '"action" is not a whole number but Infinity'),
        ('{"action": "2 rice"}', '"action" is not a whole number but "2 rice"'),
        ('{"action": [1, 2]}', '"action" is not a whole number but [1, 2]'),
        ('{"action": 1-2}', '"action" is not a whole number but "1-2"'),
        ('{"action": 1.5}', '"action" is not a whole number but 1.5'),
        ('{"action": "1 or 2"}', '"action" is not a whole number but "1 or 2"'),
        ('{"action": "1: draft healer or 2"}', '"action" is not a whole number but'),
        ('{"action": "1: draft monk"}', "action 1 is not 'draft monk'"),
        ('{"action": 1}\n{"action": 2}', "it has different actions: 1, 2"),
        ('{"action": 1, "action": 2}', "it has different actions: 1, 2"),
        ("{'action': 1, 'action': 2}", "it has different actions: 1, 2"),
        ("action: 1\naction: 2", "it has different actions: 1, 2"),
        ('{"action": 1,234}', "that can be read: Expecting property name enclosed in double quotes: '234}'"),
        ('{"action": "1" or "2"}', """that can be read: Expecting ',' delimiter: 'or "2"}'"""),
        ('{"considered": [{"action": 1}], "final": 2}', "but one with 'considered', 'final'"),
        ("{'considered': {'action': 1}, 'final': 2}", "that can be read: Expecting property name"),
        ("{'reason': 'I take action: 2, as it pays', 'move': 3}", "that can be read: Expecting property name"),
        ("1. The monk is good, so 2", 'there is no JSON object with "action" in it'),
        ("I take action 3.", 'there is no JSON object with "action" in it'),
        ("Action: 3 would be bad, so 2", '"action" is not a whole number but "3 would be bad, so 2"'),
        pytest.param('{"a":' * 10_000, "there is no JSON object", id="nested"),
        pytest.param('{"a":' * 4000 + "1" + "}" * 4000, "there is no JSON object", id="nested and closed"),
    ],
)
def test_an_answer_without_one_meaning_is_not_guessed_and_what_is_wrong_is_said(
    text: str, choice: tuple[int, str] | str
) -> None:
    read = part("answers").read_choice
    if isinstance(choice, str):
        with pytest.raises(ValueError, match=re.escape(choice)):
            read(text, 4, LABELS)
    else:
        assert read(text, 4, LABELS) == choice


def test_a_number_is_that_of_an_action_also_where_the_actions_are_numbers() -> None:
    read, labels = part("answers").read_choice, ("1 rice", "2", "3", "0")
    for text in ('{"action": "2"}', "{action: 2}", '{"action": 2}', "2"):
        assert read(text, 4, labels) == (2, "")
    assert read('{"action": "1 rice"}', 4, labels) == (0, "")


def test_a_number_at_the_end_of_a_cut_answer_is_read_if_no_more_digits_can_follow() -> None:
    read, text = part("answers").read_choice, '{"reason": "x", "action": 1'
    assert read(text, 10) == read(text, 40, whole=True) == (1, "x")
    with pytest.raises(ValueError, match="ends within the number"):
        read(text, 40)


# -- in the sandbox ---------------------------------------------------------------------------------------------------

SCRIPT = ["good", "text", "good", "refuses", "refuses", "cut off", "echo", "500", "drops", "401", "too long", "good"]


@contextlib.contextmanager
def proxy_process(folder: Path, *urls: str) -> Iterator[list[str]]:
    """The sockets of models at these addresses, from a proxy that is started as the page says. Its key is in the
    environment of the referee, too."""
    folder.mkdir()
    entry = 'key_env = "SECRET_KEY"\ninput = 1.0\noutput = 10.0\ncap = 1.0\nmodel = "m"\n'
    entries = (f'[[model]]\nname = "m{number}"\nurl = "{url}"\n{entry}' for number, url in enumerate(urls))
    (folder / "models.toml").write_text("cap = 2.0\n" + "".join(entries))
    command = [
        sys.executable,
        "-S",
        *map(str, (LLM / "proxy.py", folder / "models.toml", "--sockets", folder / "sockets")),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "SECRET_KEY": KEY}) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(len(urls) + 1)]
            assert lines[-1] == "ready; Ctrl-C ends\n"
            yield [line.split()[1] for line in lines[:-1]]
            process.send_signal(signal.SIGINT)
            assert "m0 " in process.stdout.read()
            assert process.wait(TEST_TIMEOUT) == 0
        finally:
            process.kill()


@needs_sandbox
@pytest.mark.ci_only
def test_two_models_play_in_the_sandbox_without_a_fault_and_without_a_key_in_any_file(tmp_path: Path) -> None:
    with (
        endpoint(*SCRIPT) as bad,
        endpoint("good") as good,
        proxy_process(tmp_path / "p", bad.url, good.url) as (first, second),
    ):
        options = ["--no-rotate", "--games", "1", "--game", "forbidden_city", "--move-time", "20s", "--json"]
        shown = ["--show", f"small={first}", "--show", f"large={second}"]
        folders = ["--record", str(tmp_path / "records"), "--trace", str(tmp_path / "traces")]
        bots = [f"small={LLM}", f"large={LLM}"]
        ended = referee("match", *bots, *options, *shown, *folders, cwd=tmp_path, SECRET_KEY=KEY)
    assert ended.status == 0, ended.err
    assert ended.json["games"][0]["faults"] == [None, None]
    record = tmp_path / "records" / "0001-1.jsonl"
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    infos = [[line["info"] for line in lines if line.get("seat") == seat and "info" in line] for seat in (0, 1)]
    assert all(info["reason"] == REASON and info["tries"] == 1 for info in infos[1])
    assert [info.get("fallback", "").split(":")[0] for info in infos[0]][:8] == [
        *("", "", "the model's answer can't be used", "", "status 502", "status 424", "", ""),
    ]
    assert infos[0][3]["reason"] == "I was told Bearer [key]"
    for file in [*tmp_path.rglob("*")]:
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file
    page = msgspec.json.encode(whole_page(record))
    assert REASON.encode() in page
    assert b"status 424: the endpoint answered with status 401" in page


# -- the proxy --------------------------------------------------------------------------------------------------------


def test_no_call_is_made_that_could_exceed_a_cap_also_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint("good") as server:
        with proxy(tmp_path, server.url, cap=0.025, max_tokens=100) as (place, ledger):
            seat = Seat(place, monkeypatch)
            while "fallback" not in (info := seat.decide()[1]):
                assert ledger.spent <= 0.025
            assert info["fallback"] == "status 402: what may be spent has been spent"
            asked, spent = len(server.requests), ledger.spent
            assert asked > 3
            assert spent == pytest.approx(asked * CALL_COST)
            with pytest.raises(part("ledger").LedgerError, match="another proxy writes to"):
                part("ledger").Ledger(tmp_path / "ledger.jsonl", 1.0)
        with proxy(tmp_path, server.url, cap=0.025, max_tokens=100) as (place, ledger):
            assert ledger.spent == pytest.approx(spent)
            assert Seat(place, monkeypatch).decide()[1]["fallback"] == info["fallback"]
        assert len(server.requests) == asked
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert len(lines) == 2 * asked
    assert set(lines[0]) == {"time", "model", "begun", "max_cost"}
    assert set(lines[1]) == {"time", "model", "call", "input", "output", "cost", "ms", "result"}
    assert f"{asked:8} {asked * 1000:12}" in "\n".join(
        part("proxy").report(part("models").read_models(tmp_path / "models.toml"), ledger)
    )


def test_a_cap_that_is_raised_counts_at_once_and_a_file_that_is_wrong_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "models.toml"
    said: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(part("proxy"), "CHECK_INTERVAL", 0.01)
    monkeypatch.setattr(part("proxy"), "print", lambda text, **_: said.put(text), raising=False)
    with endpoint("good") as server, proxy(tmp_path, server.url, cap=0.0) as (place, _):
        seat = Seat(place, monkeypatch)
        written = file.read_text()
        file.write_text("cap = ")
        assert said.get(timeout=TEST_TIMEOUT).startswith("not reloaded")
        assert "fallback" in seat.decide()[1]
        file.write_text(written.replace("cap = 0.0", "cap = 1.0"))
        while "has been read again" not in said.get(timeout=TEST_TIMEOUT):
            pass
        assert "fallback" not in seat.decide()[1]


def test_the_last_report_of_a_proxy_has_the_caps_of_the_file_as_it_is_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "models.toml"
    monkeypatch.setattr(part("proxy"), "print", lambda text, **_: None, raising=False)
    with proxy(tmp_path, "http://127.0.0.1:9/v1", cap=0.25) as (_, ledger):
        models = part("models").read_models(file)
        changed = threading.Event()

        def stops(_: float) -> bool:
            """At the first call change the file, at the second one stop."""
            if changed.is_set():
                return True
            file.write_text(file.read_text().replace("0.25", "0.125"))
            changed.set()
            return False

        stop = SimpleNamespace(wait=stops)
        (model,) = part("proxy").follow(file, models, {}, ledger, stop).models
    assert model.cap == 0.125


@pytest.mark.parametrize("setting", ["LLM_TOKENS=many", "LLM_TOKENS=-5", "LLM_TEMPERATURE=nan", "LLM_TEMPERATURE="])
def test_a_setting_that_is_no_number_is_named(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*setting.split("="))
    with pytest.raises(ValueError, match=f"{setting}: it is a number of at least 0"):
        part("llm").Settings()


def test_a_call_that_a_killed_proxy_has_begun_counts_the_most_after_a_restart(tmp_path: Path) -> None:
    before = part("ledger").Ledger(tmp_path / "ledger.jsonl", 1.0)
    with before.call("small", 0.3, 1.0) as ended:
        ended.cost = 0.1
    before.close()
    before = part("ledger").Ledger(tmp_path / "other.jsonl", 1.0)
    with before.call("small", 0.3, 1.0):
        killed = (tmp_path / "other.jsonl").read_bytes()  # what is there if it is killed now
    before.close()
    with (tmp_path / "ledger.jsonl").open("ab") as file:
        file.write(killed)
    with contextlib.closing(part("ledger").Ledger(tmp_path / "ledger.jsonl", 1.0)) as ledger:
        assert ledger.spent == pytest.approx(0.4)
        assert ledger.totals["small"].calls == 2
        with pytest.raises(part("ledger").CapReached), ledger.call("small", 0.7, 1.0):
            pass


def test_no_call_is_made_whose_cost_cannot_be_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    with endpoint("good") as server, proxy(tmp_path, server.url) as (place, _):
        seat = Seat(place, monkeypatch)
        monkeypatch.setattr(part("ledger").os, "write", full)
        assert seat.decide()[1]["fallback"] == "status 424: the costs can't be written down"
        assert not server.requests


def test_a_model_that_is_taken_out_of_the_file_answers_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "models.toml"
    said: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(part("proxy"), "CHECK_INTERVAL", 0.01)
    monkeypatch.setattr(part("proxy"), "print", lambda text, **_: said.put(text), raising=False)
    with endpoint("good") as server, proxy(tmp_path, server.url) as (place, _):
        seat = Seat(place, monkeypatch)
        written = file.read_text()
        file.write_text(written.replace('"small"', '"another"'))
        while "has been read again" not in said.get(timeout=TEST_TIMEOUT):
            pass
        assert seat.decide()[1]["fallback"] == "status 404: this model has been removed"
        assert not server.requests
        file.write_text(written)
        while "has been read again" not in said.get(timeout=TEST_TIMEOUT):
            pass
        assert "fallback" not in seat.decide()[1]


def test_a_key_at_the_end_of_what_is_shown_of_an_error_is_not_shown_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    decided(tmp_path, monkeypatch, "long 401")
    told = capfd.readouterr().err
    assert "status 401" in told
    assert KEY[:8] not in told


def test_tokens_that_an_endpoint_does_not_count_cost_the_most_that_they_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint("no usage") as server, proxy(tmp_path, server.url, max_tokens=100) as (place, _):
        _, info = Seat(place, monkeypatch).decide()
        assert info["reason"] == REASON
        assert info["cost"] > 100 * PRICES["output"] / 1e6


def test_input_that_an_endpoint_knew_has_its_own_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with endpoint("cached") as server, proxy(tmp_path, server.url, cached=0.1) as (place, _):
        assert Seat(place, monkeypatch).decide()[1]["cost"] == pytest.approx(CALL_COST - 800 * 0.9 / 1e6)


def test_only_text_and_a_few_settings_are_passed_on(tmp_path: Path) -> None:
    chat = part("chat")
    text = [{"role": "user", "content": "hello", "name": "x"}]
    with endpoint("good") as server, proxy(tmp_path, server.url, max_tokens=100) as (place, _):
        asked = {"messages": text, "model": "dear", "tools": [1], "max_tokens": 9999, "stream": True, "temperature": 0}
        chat.ask(place, asked, time.monotonic() + 20)
        requests: list[dict[str, Any]] = [
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x"}}]}]},
            {"messages": [{"role": "tool", "content": "x"}]},
            {"messages": []},
            {"messages": text, "max_tokens": "many"},
            {"messages": [{"role": "user", "content": "x" * 600_000}]},
        ]
        for wrong in requests:
            with pytest.raises(chat.AskError, match=r"status 4|connection broke") as refused:
                chat.ask(place, wrong, time.monotonic() + 20)
            assert "status 5" not in str(refused.value)
    [request] = server.requests
    del request["key"]
    assert request == {
        "messages": [{"role": "user", "content": "hello"}],
        "model": "small-1",
        "max_tokens": 100,
        "temperature": 0,
        "path": "/v1/chat/completions",
    }


def test_calls_wait_for_their_minute_and_are_refused_if_it_comes_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, now, slept = part("proxy"), [1000.0], list[float]()
    monkeypatch.setattr(proxy.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(proxy.time, "sleep", slept.append)
    rate = proxy.Rate(2)
    for begin, waits in ((1000.0, 0), (1010.0, 0), (1020.0, 40), (1080.0, 0)):
        now[0] = begin
        rate.wait(begin + 45)
        assert slept.pop() == waits
    now[0] = 1090.0
    with pytest.raises(proxy.Refused) as refused:
        rate.wait(1100.0)
    assert (refused.value.status, refused.value.answer["error"]["retry_after"]) == (429, 30)


def test_a_bot_that_asks_too_often_does_not_reach_the_endpoint(tmp_path: Path) -> None:
    chat, request = part("chat"), {"messages": [{"role": "user", "content": "hello"}]}
    with endpoint("good") as server, proxy(tmp_path, server.url, per_minute=1) as (place, _):
        chat.ask(place, request, time.monotonic() + 20)
        with pytest.raises(chat.AskError, match="too many questions a minute"):
            chat.ask(place, request, time.monotonic() + 20)
    assert len(server.requests) == 1


def test_a_bot_that_keeps_connections_open_keeps_out_itself_alone(tmp_path: Path) -> None:
    chat, request = part("chat"), {"messages": [{"role": "user", "content": "hello"}]}
    with endpoint("good") as server, proxy(tmp_path, server.url) as (place, _):
        deadline = time.monotonic() + TEST_TIMEOUT
        with contextlib.ExitStack() as stack:
            for _ in range(part("proxy").MAX_CONNECTIONS):
                stack.enter_context(socket.socket(socket.AF_UNIX)).connect(place)
            with pytest.raises(chat.AskError, match=r"connection broke|cut off"):
                chat.ask(place, request, deadline)
        reply = None
        while reply is None:  # until the proxy has noticed that they are closed
            with contextlib.suppress(chat.AskError):
                reply = chat.ask(place, request, deadline)
            assert time.monotonic() < deadline
        assert reply.cost == pytest.approx(CALL_COST)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": "../x"}, "a name has up to 40 letters"),
        ({"url": "ftp://x/v1"}, "invalid url"),
        ({"url": "http://example.com/v1"}, "the key would be sent unencrypted"),
        ({"price": 1}, "unknown key 'price'; available: name, url"),
        ({"input": -1}, "input must be a number of at least 0"),
        ({"cap": True}, "cap must be a number"),
        ({"max_tokens": 0}, "max_tokens must be a whole number of at least 1"),
        ({"model": 3}, "model must be a text"),
        ({"key_file": "none"}, "can't read the key in"),
        ({"cached": 2.0}, "cached must not be more than input"),
        ({"key_file": "models.toml"}, "others can read"),
        ({"key_env": "NO_KEY", "key_file": None}, "the environment variable NO_KEY is not set"),
        ({"key_env": "NO_KEY"}, "use only one of key_file and key_env"),
        ({"tokens_field": "n"}, "tokens_field is one of max_tokens, max_completion_tokens"),
    ],
)
def test_a_file_of_models_that_is_wrong_says_what_to_change(
    changes: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    models = part("models")
    entry = {"name": "a", "url": "https://x/v1", "model": "m", "key_file": "key", **PRICES, "cap": 1, **changes}
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o600)
    lines = (f"{key} = {json.dumps(value)}" for key, value in entry.items() if value is not None)
    (tmp_path / "models.toml").write_text("cap = 1\n[[model]]\n" + "\n".join(lines))
    (tmp_path / "models.toml").chmod(0o644)
    with pytest.raises(models.ModelsError, match=problem) as error:
        models.read_models(tmp_path / "models.toml")
    assert KEY not in str(error.value)


def test_the_files_on_the_page_are_read_as_they_stand(tmp_path: Path) -> None:
    page = (LLM.parents[1] / "docs/bots/language-models.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"```toml (\w+)\n(.*?)```", page, re.DOTALL))
    (tmp_path / "example.key").write_text(KEY)
    (tmp_path / "example.key").chmod(0o600)
    (tmp_path / "models.toml").write_text(blocks["models"])
    assert [model.name for model in part("models").read_models(tmp_path / "models.toml").models] == ["small", "local"]
    for name in ("small", "local"):
        (tmp_path / f"{name}.sock").touch()
    text = blocks["tournament"].replace("/home/me/llm", str(tmp_path)).replace('"bots/', f'"{LLM.parent}/')
    (tmp_path / "ten.toml").write_text(text)
    shown = [bot.spec.show for bot in read_tournament(tmp_path / "ten.toml").bots]
    assert shown == [(tmp_path / f"{name}.sock",) for name in ("small", "local")]


def test_a_folder_that_others_can_enter_is_refused_and_a_key_is_in_no_text(tmp_path: Path) -> None:
    (tmp_path / "sockets").mkdir()
    (tmp_path / "sockets").chmod(0o755)
    closed = pytest.raises(part("models").ModelsError, match=r"only you may be able to enter this folder \(chmod 700\)")
    with closed, proxy(tmp_path, "https://x/v1"):
        pass
    assert KEY not in repr(part("models").read_models(tmp_path / "models.toml"))
    (tmp_path / "ledger.jsonl").write_text("{}\n")
    with pytest.raises(part("ledger").LedgerError, match="line 1 is not a line of a ledger"):
        part("ledger").Ledger(tmp_path / "ledger.jsonl", 1.0)
