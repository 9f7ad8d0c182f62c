"""Build commands, run before a bot plays."""

from pathlib import Path

import pytest

from referee.process.build import TAIL_LINES, BuildError, build
from tests.process.running import python


async def test_build_runs_in_the_folder_of_the_bot(tmp_path: Path) -> None:
    await build("bot", python("open('built', 'w').close(); print('fine')"), tmp_path)
    assert (tmp_path / "built").exists()


async def test_build_gets_no_input(tmp_path: Path) -> None:
    await build("bot", python("import sys; sys.exit(len(sys.stdin.read()))"), tmp_path)


async def test_failed_build_shows_the_end_of_its_output(tmp_path: Path) -> None:
    source = "import sys\nfor n in range(100): print('line', n, file=sys.stderr)\nsys.exit(2)"
    with pytest.raises(BuildError) as caught:
        await build("bot", python(source), tmp_path)
    first, *output = str(caught.value).splitlines()
    assert first == "bot: its build command ended with status 2:"
    assert output == [f"  line {number}" for number in range(100 - TAIL_LINES, 100)]


async def test_build_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"^bot: can't start its build command './make-it': No such file"):
        await build("bot", ["./make-it"], tmp_path)
