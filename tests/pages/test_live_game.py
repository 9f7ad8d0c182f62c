"""A running game in the process that serves its pages."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import trio

from referee.live.games import LiveGame, LivePage
from tests.cli.command import referee

pytest.importorskip("h11", reason="the package of the extra web is not installed")
process = pytest.importorskip("referee.live.process")


@pytest.mark.slow
def test_the_latest_step_counts_lines_that_came_while_it_was_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--game", "forbidden_city", "--games", "1", "--record", str(tmp_path)]
    assert referee("match", "builtin:first", "builtin:random", *options).status == 0
    lines = next(tmp_path.glob("*.jsonl")).read_bytes().splitlines()
    game, whole = LiveGame("a", "a"), LiveGame("b", "b")
    coming = [lines[-5:-1]]
    add_lines = LivePage.add_lines

    def take_while_more_come(page: LivePage, some: Sequence[bytes]) -> None:
        add_lines(page, some)
        if coming:
            trio.from_thread.run_sync(game.add_lines, coming.pop())

    async def steps() -> None:
        game.add_lines(lines[:-9])
        whole.add_lines(lines[:-1])
        expected = await whole.last_step(0)
        await game.last_step(0)
        monkeypatch.setattr(LivePage, "add_lines", take_while_more_come)
        game.add_lines(lines[-9:-5])
        assert await game.last_step(0) == expected

    trio.run(steps)


def test_an_invalid_host_name_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="is not a valid host name"):
        process.open_listener("a" * 70, 0)
