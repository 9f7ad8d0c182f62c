"""JSON that is written piece by piece is what it would be in one piece."""

import json

import pytest

from referee.cli.json_output import WRITTEN_TOGETHER, echo_json, echo_json_object


@pytest.mark.parametrize("items", [0, 1, WRITTEN_TOGETHER, 2 * WRITTEN_TOGETHER + 1])
def test_an_iterator_is_written_as_an_array(items: int, capsys: pytest.CaptureFixture[str]) -> None:
    games = [{"id": number, "by": "a\u202eb"} for number in range(items)]
    echo_json({"before": None, "games": games, "after": [1.5, "x"]})
    at_once = capsys.readouterr().out
    echo_json_object({"before": None, "games": iter(games), "after": [1.5, "x"]})
    assert capsys.readouterr().out == at_once
    assert json.loads(at_once)["games"] == games


def test_an_object_may_be_empty(capsys: pytest.CaptureFixture[str]) -> None:
    echo_json_object({})
    assert capsys.readouterr().out == "{}\n"
