"""What a line costs the referee is linear in its length, whatever is in it.

Measured in CPU time of this thread, the best of several runs at one size and at eight times the size. A referee that
is linear passes as soon as one round of measurements shows it, so a busy machine can't fail these tests; one that is
quadratic is at 64 times the cost in every round.
"""

import contextlib
import gc
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
import trio
from msgspec import UNSET

from protocol.codec import BadMessage, decode
from protocol.framing import MAX_LINE, LineBuffer, Oversize
from protocol.messages import Answer
from referee.games import Game, new_game
from referee.players.bot import BotPlayer, kept_info, resolve
from referee.players.player import PlayerFault
from referee.players.session import BotSession
from referee.processes.process import READ_SIZE
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from tests.fuzz.answers import LIMITS, UNLIMITED, ByteStream
from tests.fuzz.hostile import FAMILIES, Family
from tests.fuzz.mutate import ANSWER
from tests.fuzz.targets import CORPUS

LARGE: Final = MAX_LINE - 8_000
TIMES: Final = 8
MOST: Final = 3 * TIMES
"""How many times the cost is let pass for so many times the size: caches and allocators are not linear either."""
ROUNDS: Final = 12


@pytest.fixture(autouse=True, scope="module")
def _objects_of_other_tests_do_not_count() -> Iterator[None]:
    """The garbage collector looks through what the work makes, not through all that the tests have made."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def seconds(work: Callable[[], object]) -> float:
    """CPU time of a run."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def assert_linear(work: Callable[[bytes], object], family: Family, large: int = LARGE) -> None:
    """The cost grows with the size, and not faster."""
    few, many = family(large // TIMES), family(large)
    work(few)
    small, big = float("inf"), float("inf")
    for _ in range(ROUNDS):
        small = min(small, *(seconds(lambda: work(few)) for _ in range(3)))
        big = min(big, seconds(lambda: work(many)))
        if big < MOST * small:
            return
    pytest.fail(
        f"{TIMES} times the size costs {big / small:.0f} times as much: {small * 1000:.2f} and {big * 1000:.2f} ms"
    )


# -- answers --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def game() -> Game:
    """A game in which a draft is due."""
    return new_game("year_of_the_dragon", seed=1, players=2)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_decoding_a_line_and_what_it_answers(family: Family, game: Game) -> None:
    def handle(line: bytes) -> None:
        with contextlib.suppress(BadMessage, PlayerFault):
            message = decode(line)
            if isinstance(message, Answer):
                kept_info(message.info)
                resolve(message, game)

    assert_linear(handle, family)


def with_info(line: bytes) -> Answer | None:
    """The answer in a line, if it has an info."""
    with contextlib.suppress(BadMessage):
        message = decode(line)
        if isinstance(message, Answer) and message.info is not UNSET:
            return message
    return None


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if with_info(family(LARGE))])
def test_keeping_an_info_costs_about_as_much_as_reading_its_line(name: str) -> None:
    line = FAMILIES[name](LARGE)
    message = with_info(line)
    assert message is not None
    reading, keeping = float("inf"), float("inf")
    for _ in range(ROUNDS):
        reading = min(reading, seconds(lambda: decode(line)))
        keeping = min(keeping, seconds(lambda: kept_info(message.info)))
        if keeping < 4 * reading:
            return
    pytest.fail(f"reading takes {reading * 1000:.2f} ms, keeping {keeping * 1000:.2f} ms")


def test_answers_to_older_questions(game: Game) -> None:
    def ask(stream: bytes) -> None:
        trio.run(BotPlayer(BotSession(ByteStream(stream, late=False), UNLIMITED, LIMITS)).decide, game, [])

    assert_linear(ask, lambda size: ANSWER % (0, 0) * (size // 35) + ANSWER % (1, 0))


# -- framing --------------------------------------------------------------------------------------------------

STREAMS: Final[dict[str, Family]] = {
    "a line": lambda size: b"x" * (size - 1) + b"\n",
    "no end of a line": lambda size: b"x" * size,
    "lines of one byte": lambda size: b"x\n" * (size // 2),
    "empty lines": lambda size: b"\n" * size,
    "carriage returns": lambda size: b"\r" * size + b"\n",
}


def pieces(stream: bytes, size: int) -> Iterator[bytes]:
    """The stream in chunks."""
    return (stream[start : start + size] for start in range(0, len(stream), size))


@pytest.mark.parametrize("chunk", [1, 100, READ_SIZE], ids=["bytes", "chunks", "large chunks"])
@pytest.mark.parametrize("family", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("eager", [True, False], ids=["lines taken at once", "lines that wait"])
def test_cutting_a_stream_into_lines(family: Family, chunk: int, eager: bool) -> None:
    def read(stream: bytes) -> None:
        buffer = LineBuffer()
        for piece in pieces(stream, chunk):
            buffer.feed(piece)
            while eager and buffer.pop() is not None:
                pass
        while buffer.pop() is not None:
            pass

    assert_linear(read, family, 100_000 if chunk == 1 else LARGE // 4)


def test_a_flood_that_is_not_read_any_more(game: Game) -> None:
    def read(stream: bytes) -> None:
        buffer = LineBuffer(limit=10)
        for piece in pieces(stream, 100):
            with contextlib.suppress(Oversize):
                buffer.feed(piece)

    assert_linear(read, STREAMS["no end of a line"])


# -- records --------------------------------------------------------------------------------------------------

START: Final = b"".join((CORPUS / "record" / "faults-at-the-start").read_bytes().splitlines(keepends=True)[:2])
"""The first lines of a record, up to the first decision."""
RECORDS: Final[dict[str, Callable[[int], bytes]]] = {
    "draws": lambda size: b"".join(
        b'{"type":"chance","what":"%06d","value":0}\n' % number for number in range(size // 40)
    ),
    "lines of no game": lambda size: b'{"type":"x"}\n' * (size // 13),
    "a long line": lambda size: b'{"type":"x","y":"' + b"\\n" * (size // 2) + b'"}\n',
    "further tries": lambda size: (
        b'{"type":"fault","seat":0,"code":"bad_message","message":"","retry":true}\n' * (size // 72)
    ),
}


@pytest.mark.parametrize("family", RECORDS.values(), ids=RECORDS)
def test_verifying_a_record(family: Family, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"

    def verify(record: bytes) -> None:
        path.write_bytes(START + record)
        with contextlib.suppress(InvalidRecord):
            Replay(path).check()

    assert_linear(verify, family)
