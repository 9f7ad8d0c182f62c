"""Records written by earlier versions of the referee stay valid, and can still be shown.

`earlier_versions/VERSION` holds records as that version wrote them. They are never renewed.
"""

from pathlib import Path

import pytest

from referee.record.render import render
from referee.record.replay import Replay

FOLDER = Path(__file__).parent / "earlier_versions"
RECORDS = sorted(FOLDER.rglob("*.jsonl.gz"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_record_of_an_earlier_version_is_valid_and_rendered_to_its_end(path: Path) -> None:
    replay = Replay(path)
    replay.check()
    assert replay.result is not None
    assert replay.header.referee == path.parent.name
    text = list(render(Replay(path)))
    assert "Result" in text
    assert all(any(str(score) in line for line in text) for score in replay.result.scores)


def test_there_are_records_of_both_games_with_retries_substitutes_and_an_early_end() -> None:
    replays = [Replay(path) for path in RECORDS]
    assert {replay.header.game for replay in replays} == {"year_of_the_dragon", "forbidden_city"}
    lines = [line for replay in replays for line, _ in replay.steps()]
    kinds = {type(numbered.line).__name__ for numbered in lines}
    assert {"ChanceLine", "DecisionLine", "FaultLine", "ResultLine"} <= kinds
    for mark in ("retry", "substitute", "forced", "ms", "info", "stopped"):
        assert any(getattr(numbered.line, mark, None) for numbered in lines), mark
