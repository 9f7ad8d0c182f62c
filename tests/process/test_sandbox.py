"""What the sandbox keeps from a bot, tried from inside it."""

import subprocess
import sys
from pathlib import Path

import pytest

from referee.process import sandbox

pytestmark = pytest.mark.skipif(sandbox.why_not() is not None, reason=f"no sandbox here: {sandbox.why_not()}")


def inside(code: str, folder: Path, hidden: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python code as a bot in `folder` would run."""
    command = sandbox.wrap([sys.executable, "-c", code], folder, hidden)
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_bot_reads_its_own_folder_even_in_tmp(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("openings")
    assert inside("print(open('book.txt').read())", tmp_path).stdout == "openings\n"


def test_a_bot_writes_nothing_but_its_private_tmp(tmp_path: Path) -> None:
    assert "Read-only" in inside("open('log', 'w')", tmp_path).stderr
    assert inside("open('/tmp/scratch', 'w').write('x')", tmp_path).returncode == 0
    assert not Path("/tmp/scratch").exists()


def test_a_bot_sees_no_record_of_its_match(tmp_path: Path) -> None:
    records, folder = tmp_path / "records", tmp_path / "bot"
    records.mkdir()
    folder.mkdir()
    (records / "0001-1.jsonl").write_text("seed")
    assert inside(f"import os; print(os.listdir({str(records)!r}))", folder, records).stdout == "[]\n"


def test_a_bot_has_no_network(tmp_path: Path) -> None:
    code = "import socket; print([name for _, name in socket.if_nameindex() if name != 'lo'])"
    assert inside(code, tmp_path).stdout == "[]\n"


def test_a_bot_sees_no_process_of_others(tmp_path: Path) -> None:
    code = "import os; print(max(int(name) for name in os.listdir('/proc') if name.isdigit()) < 10)"
    assert inside(code, tmp_path).stdout == "True\n"


def test_the_exit_status_comes_through(tmp_path: Path) -> None:
    assert inside("raise SystemExit(7)", tmp_path).returncode == 7
