"""The real `referee match` with hostile bots: its exit status, and who is charged with what."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.command import Run, referee
from tests.hostile.cleanup import no_processes_left
from tests.hostile.hostile_harness import BOTS, PRELUDE

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def no_process_of_a_bot_is_left(tmp_path: Path) -> Iterator[None]:
    """No process of these bots survives its match."""
    with no_processes_left(tmp_path):
        yield


def add_bot(folder: Path, bot: str) -> Path:
    """A folder with a bot of tests/hostile/bots and a bot.toml."""
    bot_folder = folder / bot
    bot_folder.mkdir()
    for part in (bot, *PRELUDE):
        shutil.copy(BOTS / f"{part}.py", bot_folder)
    command = json.dumps([sys.executable, "-ESB", f"{bot}.py"])
    (bot_folder / "bot.toml").write_text(f"command = {command}\n")
    return bot_folder


def match(folder: Path, *arguments: str | Path) -> Run:
    """A match of a few games with clocks for a busy machine."""
    return referee("match", *arguments, "--games", "2", "--no-rotate", "--time-scale", "30", cwd=folder)


def test_name_of_a_megabyte_is_cut_short(tmp_path: Path) -> None:
    ended = match(tmp_path, add_bot(tmp_path, "megabyte_name"), "builtin:first", "--record", "kept", "--json")
    assert ended.status == 0
    assert len(ended.out) < 5000
    first = json.loads((tmp_path / "kept" / "0001-1.jsonl").read_text().splitlines()[0])
    assert (first["players"][0]["name"], first["players"][0]["bot"]) == ("megabyte_name", "N" * 60)


FAULTING: Final = {
    "exits_mid_game": r"crash: exited with status 5 at act 2",
    "endless_spaces": r"oversize: a line of over 1048576 bytes without an end at act 1",
    "daemonises_and_exits": r"crash: exited with status 7 at act 1",
    "speaks_protocol_2": r"protocol_version: speaks protocol 2; this referee speaks 1",
}


def test_game_of_five_in_which_all_but_one_are_hostile(tmp_path: Path) -> None:
    bots = [add_bot(tmp_path, bot) for bot in ("well_behaved", *FAULTING)]
    ended = match(tmp_path, *bots, "--record", "kept", "--json")
    assert ended.status == 3
    found: dict[str, Any] = ended.json
    winner = found["standings"][0]
    assert (winner["name"], winner["wins"]["mean"]) == ("well_behaved", 1.0)
    assert len(found["faults"]) == 2 * len(FAULTING)
    for fault in found["faults"]:
        assert re.fullmatch(FAULTING[fault["bot"]], f"{fault['code']}: {fault['message']}")
    records = sorted((tmp_path / "kept").glob("*.jsonl"))
    assert len(records) == 2
    assert referee("record", "verify", *records).status == 0
