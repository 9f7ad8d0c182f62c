"""`make fuzz` reports a finding, its input and how to run it again, and fails; or says why it can't run."""

import importlib.util
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz import __main__ as command
from tests.fuzz.targets import TARGETS

FOUND = b"RecursionError: too deep\nTest unit written to .fuzz/decode-crash-1\nstat::number_of_executed_units: 8\n"
QUIET = b"stat::number_of_executed_units: 4000\n"


def run_with(log: bytes, status: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit status of a run in which every harness ends like this."""

    def harness(argv: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        assert argv[1:3] == ["-m", "tests.fuzz.harness"]
        return subprocess.CompletedProcess(argv, status, stdout=log)

    monkeypatch.chdir(folder)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(subprocess, "run", harness)
    return command.main(["run", "--seconds", "6"])


def test_a_run_without_a_finding_says_how_many_inputs_each_target_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_with(QUIET, 0, tmp_path, monkeypatch) == 0
    output = capsys.readouterr().out
    assert sorted(line.split()[:3] for line in output.splitlines()[:-1]) == [
        [name, "4000", "inputs,"] for name in sorted(TARGETS)
    ]
    assert output.endswith(f"no finding in {len(TARGETS)} s\n")


def test_a_finding_fails_the_run_and_says_where_its_input_is_and_how_to_run_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_with(FOUND, 77, tmp_path, monkeypatch) == 1
    output = capsys.readouterr().out
    assert "    RecursionError: too deep\n" in output
    assert "the input lies in .fuzz/decode-crash-1; to run it again:\n" in output
    assert "-m tests.fuzz replay decode .fuzz/decode-crash-1\n" in output
    assert (tmp_path / ".fuzz" / "decode.log").read_bytes() == FOUND


def test_an_input_is_run_again_without_atheris(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"{}")
    assert command.main(["replay", "decode", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: decode keeps its promise\n"

    def broken(data: bytes) -> None:
        raise KeyError(data)

    monkeypatch.setitem(TARGETS, "decode", broken)
    with pytest.raises(KeyError):
        command.main(["replay", "decode", str(path)])
