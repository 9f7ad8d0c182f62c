"""Lines in any form and any volume, in whole games with real processes: nobody ever waits for the other for ever."""

import pytest

from tests.game_runner.harness import FIRST, Harness, lines_of

MB = 1_000_000
STALE = 'stale = json.dumps({"type": "action", "id": 0, "index": 77}).encode() + b"\\n"'

MINE = 'mine = b\'{"type":"action","id":%d,"index":1}\' % act["id"]'

FORMS = {
    "CR LF": f"{MINE}; send_bytes(mine + b'\\r\\n')",
    "byte by byte": f"{MINE}\n    for byte in mine + b'\\n': send_bytes(bytes([byte]))",
    "with a late answer before it": f"{STALE}; send_bytes(stale); answer(act, index=1)",
    "with a late answer in the same write": f"{MINE}; {STALE}; send_bytes(stale + mine + b'\\n')",
    "twice": "answer(act, index=1); answer(act, index=0)",
    "as long as allowed": f"{MINE}; send_bytes(mine.ljust(2**20) + b'\\n')",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_answer_is_accepted_as_a_line(harness: Harness, form: str) -> None:
    bot = harness.bot(f"ready()\nwhile True:\n    act = receive('act')\n    {form}")
    played = await harness.play_one(bot, FIRST, heap=12)
    assert played.outcome.faults == [None, None]
    own = [line for line in lines_of(played, "decision") if line["seat"] == 0]
    assert [line["action"]["count"] for line in own] == [2] * 4


VOLUMES = {
    "old answers after ready, before it reads": (f"{STALE}; ready(); send_bytes(stale * 60_000)", 0),
    "old answers before each answer": (
        f"{STALE}\nready()\nwhile True: act = receive('act'); send_bytes(stale * 60_000); answer(act)",
        0,
    ),
    "old answers while a long question is under way": (f"{STALE}; ready(); send_bytes(stale * 60_000)", MB),
    "long infos to long questions": (
        "ready()\nwhile True: answer(receive('act'), index=0, info='x' * 1_000_000)",
        MB,
    ),
    "stderr before ready": ("sys.stderr.write('x' * 10_000_000); ready()", 0),
    "stderr while a long question is under way": ("ready(); sys.stderr.write('x' * 10_000_000)", MB),
    "stderr and old answers": (
        f"{STALE}; ready()\nwhile True: a = receive('act'); sys.stderr.write('x' * {MB}); send_bytes(stale * 30_000); answer(a)",
        MB,
    ),
}


@pytest.mark.parametrize(("source", "filler"), VOLUMES.values(), ids=VOLUMES)
async def test_megabytes_stop_nobody(harness: Harness, source: str, filler: int) -> None:
    played = await harness.play_one(harness.bot(source), harness.bot(), heap=8, filler=filler)
    assert played.outcome.faults == [None, None]
    assert sum(played.outcome.scores) == 8


async def test_two_games_with_megabytes_do_not_hold_up_each_other(harness: Harness) -> None:
    bot = harness.bot(f"{STALE}\nready()\nwhile True: act = receive('act'); send_bytes(stale * 30_000); answer(act)")
    games = await harness.play(bot, bot, deals=3, concurrency=3, filler=MB)
    assert [played.outcome.faults for played in games] == [[None, None]] * 3
