"""A seat for programs that take their time, and the same as an MCP server, with the client of the SDK."""

import importlib
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_tcp import Waiting, waiting
from tests.timeouts import TEST_TIMEOUT

MCP = Path(__file__).parents[2] / "bots/mcp-python"
CITY = ("--game", "forbidden_city", "--games", "1", "--no-rotate", "--move-time", "5m", "--sandbox", "none")
SKIPPED = "needs the package mcp (make test-mcp)"


@pytest.fixture(scope="module", autouse=True)
def _path() -> Iterator[None]:
    """The folder is on the path, as it is when the server runs."""
    sys.path.insert(0, str(MCP))
    yield
    sys.path.remove(str(MCP))


@pytest.fixture
def match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Waiting, int]]:
    """A referee that waits for a bot at a port, for one game."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with waiting(tmp_path, "match", "me=tcp:0", "builtin:first", *CITY, "--record", tmp_path / "records") as waits:
        yield waits, int(waits.announced()[0])


def seat(port: int) -> Any:
    """The seat at that port."""
    return importlib.import_module("seat").Seat(port)


def error() -> Any:
    """What a seat raises."""
    return importlib.import_module("seat").SeatError


def infos(folder: Path) -> list[Any]:
    """What the record has of what the seat said."""
    lines = (folder / "records" / "0001-1.jsonl").read_text().splitlines()
    return [line.get("info") for line in map(json.loads, lines) if line.get("seat") == 0 and "action" in line]


@pytest.mark.slow
def test_a_seat_plays_a_game_by_numbers_and_nothing_wrong_is_sent(match: tuple[Waiting, int], tmp_path: Path) -> None:
    waits, port = match
    mine = seat(port)
    with pytest.raises(error(), match="no game has begun yet: call look"):
        mine.rules()
    with pytest.raises(error(), match="no decision of yours is due: call look"):
        mine.play(0)
    shown = mine.look(TEST_TIMEOUT)
    assert shown.startswith("A game of The Forbidden City begins. You are player 0; there are 2 players.")
    assert "Where do you lay it?" in shown
    assert re.search(r"\n\nYou have (300|29\d) s\.$", shown)
    assert mine.look().rpartition("\n\n")[0] in shown, "looking again changes nothing"
    assert mine.rules("rotation").startswith("rotation: Quarter turns clockwise.")
    assert "The rules have nothing about that. They have: game, " in mine.rules("castling")
    last = max(int(number) for number in re.findall(r"^  (\d+): ", shown, re.MULTILINE))
    for wrong in (-1, last + 1):
        with pytest.raises(error(), match=f"there is no action {wrong}: they are 0 to {last}"):
            mine.play(wrong)
    moves = 0
    while "The game is over." not in shown:
        shown = mine.play(0, f"move {moves}", TEST_TIMEOUT)
        moves += 1
    assert re.search(r"player 0: rank [12], score \d+\nplayer 1: rank", shown)
    if "has closed the connection" not in shown:
        assert "has closed the connection. Call look" in mine.look(TEST_TIMEOUT)
    assert waits.finish()[0] == 0
    assert infos(tmp_path) == [{"reason": f"move {number}"} for number in range(moves)]
    with pytest.raises(error(), match=f"none of your referees is waiting for a bot on port {port}"):
        mine.look()


@pytest.mark.slow
def test_a_seat_that_leaves_ends_its_game(match: tuple[Waiting, int]) -> None:
    waits, port = match
    mine = seat(port)
    mine.look(TEST_TIMEOUT)
    mine.close()
    status, out, _ = waits.finish()
    assert status == 3
    assert "me: crash: closed the connection" in out


@pytest.mark.slow
def test_a_seat_whose_time_is_up_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    quick = ("--games", "1", "--no-rotate", "--no-record", "--sandbox", "none", "--move-time", "100ms")
    with waiting(tmp_path, "match", "me=tcp:0", "builtin:first", *quick) as waits:
        mine = seat(int(waits.announced()[0]))
        told = mine.look(TEST_TIMEOUT)
        assert waits.finish()[0] == 3
    if "You are out" not in told:  # as it is on a busy machine, where its time is up before it looks
        told = mine.look(TEST_TIMEOUT)
    assert "You are out of this game: timeout: " in told


@pytest.mark.slow
def test_without_the_package_it_says_what_to_install() -> None:
    program = f"import sys; sys.modules['mcp'] = None; sys.path.insert(0, {str(MCP)!r}); import server"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TEST_TIMEOUT)
    assert done.returncode == 1
    assert "Install the extra: pip install -e '.[mcp]'" in done.stderr


@pytest.mark.ci_only
@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason=SKIPPED)
def test_the_client_of_the_sdk_starts_the_server_and_plays_a_game(match: tuple[Waiting, int], tmp_path: Path) -> None:
    anyio, mcp = importlib.import_module("anyio"), importlib.import_module("mcp")
    waits, port = match

    async def play() -> int:
        server = mcp.StdioServerParameters(
            command=sys.executable, args=[str(MCP / "server.py"), str(port)], env={"XDG_CACHE_HOME": str(tmp_path)}
        )
        async with mcp.Client(mcp.stdio_client(server)) as client:

            async def call(tool: str, **arguments: object) -> tuple[str, bool]:
                result = await client.call_tool(tool, arguments)
                return result.content[0].text, result.is_error

            assert {tool.name for tool in (await client.list_tools()).tools} == {"look", "play", "rules"}
            text, failed = await call("look", seconds=50)
            assert "Where do you lay it?" in text
            assert not failed
            assert (await call("rules", name="rotation"))[0].startswith("rotation: ")
            refused, failed = await call("play", action=9999)
            assert failed
            assert "there is no action 9999: they are 0 to" in refused
            moves = 0
            while "The game is over." not in text:
                text, failed = await call("play", action=0, reason="Why not?", seconds=50)
                assert not failed
                moves += 1
            return moves

    moves = anyio.run(play)
    assert waits.finish()[0] == 0
    assert infos(tmp_path) == [{"reason": "Why not?"}] * moves
