"""The cost of a line for the referee is linear in its length, whatever it contains.

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
from referee.bots.crash import cause_of_crash, crash_advice, stderr_lines
from referee.bots.diagnosis import explain_line
from referee.games import Game, new_game
from referee.players.bot import BotPlayer, kept_info, resolve
from referee.players.player import PlayerFault
from referee.players.session import BotSession
from referee.processes.keeper.link import READ_SIZE
from referee.processes.stderr_log import HEAD_BYTES, STDERR_EXCERPT_BYTES
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay
from tests.cases import some_in_ci
from tests.fuzz.answers import LIMITS, UNLIMITED
from tests.fuzz.hostile import HOSTILE_LINES, LineBuilder
from tests.fuzz.mutate import ANSWER
from tests.fuzz.targets import CORPUS
from tests.memory_connection import Written

pytestmark = pytest.mark.slow

LARGE: Final = MAX_LINE - 8_000
GROWTH: Final = 8
MAX_COST_GROWTH: Final = 3 * GROWTH
"""Maximum factor in cost for GROWTH times the size: caches and allocators are not linear either."""
SHORT: Final = 20_000
"""The length of a line that shows of which kind it is. Every process of the tests makes one of each kind."""
ROUNDS: Final = 12


@pytest.fixture(autouse=True, scope="module")
def garbage_of_other_tests_is_not_collected() -> None:
    """The garbage collector must scan only what the measured work makes, not what earlier tests have left."""
    gc.collect()
    gc.freeze()


def seconds(work: Callable[[], object]) -> float:
    """CPU time of a run."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def assert_linear(work: Callable[[bytes], object], build: LineBuilder, large: int = LARGE) -> None:
    """Check that the cost grows no faster than the size."""
    few, many = build(large // GROWTH), build(large)
    work(few)
    small, big = float("inf"), float("inf")
    for _ in range(ROUNDS):
        small = min(small, *(seconds(lambda: work(few)) for _ in range(3)))
        big = min(big, seconds(lambda: work(many)))
        if big < MAX_COST_GROWTH * small:
            return
    pytest.fail(
        f"{GROWTH} times the size costs {big / small:.0f} times as much: {small * 1000:.2f} and {big * 1000:.2f} ms"
    )


# -- answers ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def game() -> Game:
    """A game in which a draft is due."""
    return new_game("year_of_the_dragon", seed=1, players=2)


@pytest.mark.parametrize("build", HOSTILE_LINES.values(), ids=HOSTILE_LINES)
def test_decoding_and_resolving_an_answer_is_linear(build: LineBuilder, game: Game) -> None:
    def handle(line: bytes) -> None:
        with contextlib.suppress(BadMessage, PlayerFault):
            message = decode(line)
            if isinstance(message, Answer):
                if message.info is not UNSET:
                    kept_info(message.info)
                resolve(message, game, line)

    assert_linear(handle, build)


WRONG_LINES: Final[dict[str, LineBuilder]] = {
    **HOSTILE_LINES,
    "brackets before spaces": lambda size: b"]" * (size // 2) + b" " * (size // 2) + b"x",
    "spaces before brackets": lambda size: b" " * (size // 2) + b"]" * (size // 2) + b"x",
    "a long field": lambda size: b'{"type":"action","%s":1}' % (b"idx" * (size // 3)),
    "many fields": lambda size: b'{"type":"action"%s}' % b"".join(b',"x%d":1' % n for n in range(size // 12)),
    "single quotes": lambda size: b" " * (size // 2) + b"{" + b" " * (size // 2) + b"'",
}


@pytest.mark.ci_only
@pytest.mark.parametrize("build", WRONG_LINES.values(), ids=WRONG_LINES)
def test_explaining_what_is_wrong_with_a_line_is_linear(build: LineBuilder) -> None:
    assert_linear(lambda line: explain_line(line, Answer, None), build)


LINES_OF_STDERR: Final[dict[str, Callable[[int], str]]] = {
    "colons": lambda size: ": " * (size // 2),
    "parentheses": lambda size: ": a (" * (size // 5),
    "names": lambda size: "a." * (size // 2),
    "quotes": lambda size: "can't open file '" * (size // 17),
    "lines": lambda size: "KeyError: 1\n" * (size // 12),
}


@pytest.mark.parametrize("build", LINES_OF_STDERR.values(), ids=LINES_OF_STDERR)
def test_what_is_kept_of_standard_error_is_searched_in_no_time(build: Callable[[int], str]) -> None:
    text = build(HEAD_BYTES + STDERR_EXCERPT_BYTES)
    assert seconds(lambda: (stderr_lines(text), cause_of_crash(text), crash_advice(text, sandboxed=True))) < 0.2


def with_info(line: bytes) -> Answer | None:
    """The answer in a line, if it has an info."""
    with contextlib.suppress(BadMessage):
        message = decode(line)
        if isinstance(message, Answer) and message.info is not UNSET:
            return message
    return None


@pytest.mark.parametrize("name", [name for name, build in HOSTILE_LINES.items() if with_info(build(SHORT))])
def test_keeping_an_info_costs_about_as_much_as_reading_its_line(name: str) -> None:
    line = HOSTILE_LINES[name](LARGE)
    message = with_info(line)
    assert message is not None
    info = message.info
    assert info is not UNSET
    reading, keeping = float("inf"), float("inf")
    for _ in range(ROUNDS):
        reading = min(reading, seconds(lambda: decode(line)))
        keeping = min(keeping, seconds(lambda: kept_info(info)))
        if keeping < 4 * reading:
            return
    pytest.fail(f"reading takes {reading * 1000:.2f} ms, keeping {keeping * 1000:.2f} ms")


def test_dropping_answers_to_older_questions_is_linear(game: Game) -> None:
    def ask(stream: bytes) -> None:
        trio.run(BotPlayer(BotSession(Written(stream), UNLIMITED, LIMITS)).decide, game, [])

    assert_linear(ask, lambda size: ANSWER % (0, 0) * (size // 35) + ANSWER % (1, 0))


# -- framing ----------------------------------------------------------------------------------------------------------

STREAMS: Final[dict[str, LineBuilder]] = {
    "a line": lambda size: b"x" * (size - 1) + b"\n",
    "no end of a line": lambda size: b"x" * size,
    "lines of one byte": lambda size: b"x\n" * (size // 2),
    "empty lines": lambda size: b"\n" * size,
    "carriage returns": lambda size: b"\r" * size + b"\n",
}


def pieces(stream: bytes, size: int) -> Iterator[bytes]:
    """The stream in chunks."""
    return (stream[start : start + size] for start in range(0, len(stream), size))


@pytest.mark.ci_only
@pytest.mark.parametrize(
    "chunk", some_in_ci((1, 100, READ_SIZE), (1, READ_SIZE)), ids=["bytes", "chunks", "large chunks"]
)
@pytest.mark.parametrize("build", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("eager", [True, False], ids=["lines taken at once", "lines that wait"])
def test_splitting_a_stream_into_lines_is_linear(build: LineBuilder, chunk: int, eager: bool) -> None:
    def read(stream: bytes) -> None:
        buffer = LineBuffer()
        for piece in pieces(stream, chunk):
            buffer.feed(piece)
            while eager and buffer.pop() is not None:
                pass
        while buffer.pop() is not None:
            pass

    assert_linear(read, build, 100_000 if chunk == 1 else LARGE // 4)


def test_discarding_a_line_over_the_limit_is_linear(game: Game) -> None:
    def read(stream: bytes) -> None:
        buffer = LineBuffer(limit=10)
        for piece in pieces(stream, 100):
            with contextlib.suppress(Oversize):
                buffer.feed(piece)

    assert_linear(read, STREAMS["no end of a line"])


# -- records ----------------------------------------------------------------------------------------------------------

START: Final = b"".join((CORPUS / "record" / "faults-at-the-start").read_bytes().splitlines(keepends=True)[:2])
"""The first lines of a record, up to the first decision."""
RECORDS: Final[dict[str, Callable[[int], bytes]]] = {
    "draws": lambda size: b"".join(
        b'{"type":"chance","what":"%06d","value":0}\n' % number for number in range(size // 40)
    ),
    "lines without a game": lambda size: b'{"type":"x"}\n' * (size // 13),
    "a long line": lambda size: b'{"type":"x","y":"' + b"\\n" * (size // 2) + b'"}\n',
    "retries": lambda size: (
        b'{"type":"fault","seat":0,"code":"bad_message","message":"","retry":true}\n' * (size // 72)
    ),
}


@pytest.mark.parametrize("build", RECORDS.values(), ids=RECORDS)
def test_verifying_a_record_is_linear(build: LineBuilder, tmp_path: Path) -> None:
    path = tmp_path / "record.jsonl"

    def verify(record: bytes) -> None:
        path.write_bytes(START + record)
        with contextlib.suppress(InvalidRecord):
            Replay(path).check()

    assert_linear(verify, build)
