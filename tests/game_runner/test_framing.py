"""Lines in any form and any volume, in whole games with real processes: no side waits for the other for ever."""

import pytest

from tests.game_runner.harness import FIRST, Harness, lines_of

MB = 1_000_000
OLD_ANSWER = 'old_answer = json.dumps({"type": "action", "id": 0, "index": 77}).encode() + b"\\n"'

RIGHT_ANSWER = 'right_answer = b\'{"type":"action","id":%d,"index":1}\' % act["id"]'

FORMS = {
    "byte by byte": f"{RIGHT_ANSWER}\n    for byte in right_answer + b'\\n': send_bytes(bytes([byte]))",
    "after an old answer in the same write": (
        f"{RIGHT_ANSWER}; {OLD_ANSWER}; send_bytes(old_answer + right_answer + b'\\n')"
    ),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_answer_is_accepted_as_a_line(harness: Harness, form: str) -> None:
    bot = harness.bot(f"ready()\nwhile True:\n    act = receive('act')\n    {form}")
    played = await harness.play_one(bot, FIRST, heap=12)
    assert played.outcome.faults == [None, None]
    own = [line for line in lines_of(played, "decision") if line["seat"] == 0]
    assert [line["action"]["count"] for line in own] == [2] * 4


VOLUMES = {
    "old answers after ready, before it reads": (f"{OLD_ANSWER}; ready(); send_bytes(old_answer * 60_000)", 0),
    "old answers before each answer": (
        f"{OLD_ANSWER}\nready()\nwhile True: act = receive('act'); send_bytes(old_answer * 60_000); answer(act)",
        0,
    ),
    "old answers while a long question is under way": (f"{OLD_ANSWER}; ready(); send_bytes(old_answer * 60_000)", MB),
    "long infos to long questions": (
        "ready()\nwhile True: answer(receive('act'), index=0, info='x' * 1_000_000)",
        MB,
    ),
    "stderr before ready": ("sys.stderr.write('x' * 10_000_000); ready()", 0),
    "stderr while a long question is under way": ("ready(); sys.stderr.write('x' * 10_000_000)", MB),
    "stderr and old answers": (
        f"{OLD_ANSWER}; ready()\n"
        f"while True: act = receive('act'); sys.stderr.write('x' * {MB}); send_bytes(old_answer * 30_000); answer(act)",
        MB,
    ),
}


@pytest.mark.ci_only
@pytest.mark.parametrize(("source", "filler"), VOLUMES.values(), ids=VOLUMES)
async def test_game_goes_on_through_megabytes(harness: Harness, source: str, filler: int) -> None:
    played = await harness.play_one(harness.bot(source), harness.bot(), heap=8, filler=filler)
    assert played.outcome.faults == [None, None]
    assert sum(played.outcome.scores) == 8


@pytest.mark.ci_only
async def test_games_with_megabytes_do_not_block_each_other(harness: Harness) -> None:
    bot = harness.bot(
        f"{OLD_ANSWER}\nready()\nwhile True: act = receive('act'); send_bytes(old_answer * 30_000); answer(act)"
    )
    games = await harness.play(bot, bot, deals=2, concurrency=2, filler=MB)
    assert [played.outcome.faults for played in games] == [[None, None]] * 2
