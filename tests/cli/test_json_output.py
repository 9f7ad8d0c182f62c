"""JSON that is written piece by piece is what it would be in one piece."""

import json
from typing import Any

import pytest
from msgspec import Struct

from referee.cli.json_output import WRITTEN_TOGETHER, echo_json, echo_json_object


class Games(Struct):
    """An object with a list that may be long."""

    games: Any
    before: None = None
    after: tuple[float, str] = (1.5, "x")


@pytest.mark.parametrize("items", [0, 1, WRITTEN_TOGETHER, 2 * WRITTEN_TOGETHER + 1])
def test_an_iterator_is_written_as_an_array(items: int, capsys: pytest.CaptureFixture[str]) -> None:
    games = [{"id": number, "by": "a\u202eb"} for number in range(items)]
    echo_json(Games(games))
    at_once = capsys.readouterr().out
    echo_json_object(Games(iter(games)))
    assert capsys.readouterr().out == at_once
    assert json.loads(at_once)["games"] == games
