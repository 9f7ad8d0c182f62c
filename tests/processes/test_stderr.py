"""Standard error is kept beside the record up to a limit, and never delays a game."""

import os
from pathlib import Path

import pytest

from referee.processes.stderr_log import MAX_STDERR, STDERR_EXCERPT_BYTES, StderrLog
from tests.game_runner.harness import FIRST, Harness, record

NO_MORE = b"\n[the referee keeps no more of this]\n"


async def test_bot_that_writes_megabytes_to_stderr_before_each_answer_plays_on(harness: Harness) -> None:
    noisy = harness.bot("""
        ready()
        while True:
            act = receive("act")
            for _ in range(64):
                sys.stderr.write("noise " * 10_000 + "\\n")
            answer(act)
    """)
    played = await harness.play_one(noisy, FIRST, heap=8)
    assert played.outcome.faults == [None, None]
    assert played.stderr[0] is not None
    assert played.stderr[0].path is not None
    kept = played.stderr[0].path.read_bytes()
    assert kept.startswith(b"noise noise ")
    assert kept.endswith(NO_MORE)
    assert len(kept) == MAX_STDERR + len(NO_MORE)


async def test_stderr_is_kept_in_a_file_beside_the_record(harness: Harness) -> None:
    loud = harness.bot("sys.stderr.write('hello from ' + 'me'); sys.stderr.flush(); ready()")
    quiet = harness.bot()
    played = await harness.play_one(quiet, loud)
    assert played.record is not None
    quietly, loudly = played.stderr
    assert quietly is not None
    assert loudly is not None
    assert quietly.path is None
    assert loudly.path == played.record.with_name("0001-1.seat1.stderr")
    assert loudly.path.read_text() == loudly.tail == "hello from me"
    assert record(played)[-1]["type"] == "result"


async def test_each_game_of_a_process_has_a_file_of_its_own(harness: Harness) -> None:
    bot = harness.bot("""
        receive("hello")
        send("ready", protocol=1, name="bot")
        while True:
            seed = receive("start")["bot_seed"]
            sys.stderr.write(f"seed {seed}")
            sys.stderr.flush()
            play(1)
    """)
    games = await harness.play(bot, FIRST, deals=3, heap=3)
    for played in games:
        assert played.record is not None
        kept = played.record.with_name(f"{played.game.game_id}.seat0.stderr")
        assert kept.read_text() == f"seed {played.game.bot_seeds[0]}"


def test_log_of_nothing_makes_no_file(tmp_path: Path) -> None:
    log = StderrLog(tmp_path / "log")
    log.close()
    assert log.excerpt().path is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [1, 9, 10, 11, 100])
def test_log_keeps_the_beginning_up_to_the_limit_and_the_end_in_memory(tmp_path: Path, size: int) -> None:
    written = b"".join(b"%04d" % number for number in range(1000))
    log = StderrLog(tmp_path / "log", limit=10)
    for at in range(0, len(written), size):
        log.write(written[at : at + size])
    log.close()
    assert (tmp_path / "log").read_bytes() == written[:10] + NO_MORE
    assert log.tail == written[-STDERR_EXCERPT_BYTES:]
    assert log.excerpt().path == tmp_path / "log"


def test_log_that_cannot_be_written_is_kept_as_an_excerpt_only(tmp_path: Path) -> None:
    log = StderrLog(tmp_path / "no" / "such" / "folder")
    log.write(b"words")
    log.write(b" and more")
    assert log.tail == b"words and more"
    assert log.excerpt().path is None


def test_log_follows_no_link_and_does_not_block_on_a_pipe(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("gold")
    link.symlink_to(target)
    os.mkfifo(pipe)
    for path in (link, pipe):
        log = StderrLog(path)
        log.write(b"lead")
        log.close()
        assert log.tail == b"lead"
    assert target.read_text() == "gold"


async def test_each_decision_is_recorded_with_the_stderr_that_was_written_before_it(harness: Harness) -> None:
    talker = harness.bot("""
        ready()
        for number in range(1, 100):
            act = receive("act")
            if number % 3:
                sys.stderr.write(f"before answer {number} \N{DRAGON}\\n")
                sys.stderr.flush()
            answer(act)
    """)
    played = await harness.play_one(talker, FIRST, heap=40)
    assert played.stderr[0] is not None
    assert played.stderr[0].path is not None
    kept = played.stderr[0].path.read_bytes()
    begin, pieces = 0, []
    for line in record(played):
        if line["type"] == "decision" and line["seat"] == 0 and "ms" in line:
            pieces.append(kept[begin : line.get("stderr", begin)].decode())
            begin = line.get("stderr", begin)
        elif line["type"] == "decision":
            assert "stderr" not in line
    assert len(pieces) > 5
    assert pieces == [
        f"before answer {number} \N{DRAGON}\n" if number % 3 else "" for number in range(1, len(pieces) + 1)
    ]
