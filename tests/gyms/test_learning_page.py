"""The examples of docs/learning.md run as shown."""

import doctest
import importlib.util
from pathlib import Path
from typing import Any

import pytest
import trio

REASON = "the packages of the extra gym are not installed (make test-gym)"
pytest.importorskip("pettingzoo", reason=REASON)
pytest.importorskip("gymnasium", reason=REASON)

from referee import TimeControl, play_match  # noqa: E402
from referee.games import find_codec, find_game  # noqa: E402
from referee.reports.decisions import DecisionRow  # noqa: E402
from tests.docs.code_blocks import blocks  # noqa: E402
from tests.games.playing import games_for_learners  # noqa: E402
from tests.playing import match_of  # noqa: E402

PAGE = (Path(__file__).parents[2] / "docs" / "learning.md").read_text(encoding="utf-8")


def test_every_python_block_of_the_page_runs() -> None:
    names: dict[str, Any] = {}
    runner = doctest.DocTestRunner()
    found = blocks(PAGE, "python")
    for number, block in enumerate(found):
        example = doctest.DocTestParser().get_doctest(block, names, f"learning.md block {number}", None, None)
        runner.run(example, clear_globs=False)
        names.update(example.globs)
    assert len(found) > 5
    if importlib.util.find_spec("pyspiel") is not None:
        (block,) = blocks(PAGE, "python open_spiel")
        runner.run(doctest.DocTestParser().get_doctest(block, {}, "learning.md open_spiel", None, None))
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.slow
def test_the_bot_of_the_page_plays(tmp_path: Path) -> None:
    (block,) = blocks(PAGE, "python bot")
    (tmp_path / "bot.py").write_text(block)
    (tmp_path / "bot.toml").write_text('command = "{python} bot.py"\n')
    for game in games_for_learners():
        spec = match_of(
            str(tmp_path),
            "builtin:random",
            game=game,
            deals=1,
            sandbox="none",
            control=TimeControl(move=60.0, startup=60.0),
        )
        assert [played.outcome.faults for played in trio.run(play_match, spec).games] == [[None, None]] * 2


def test_the_page_names_every_codec_with_its_size_and_every_column() -> None:
    for game in games_for_learners():
        codec = find_codec(find_game(game))
        assert f"| `{codec.id()}` | {codec.size:,} |" in PAGE
    assert [name for name in DecisionRow.__struct_fields__ if f"`{name}`" not in PAGE] == []
