"""A record with one error: the message names the first wrong line and what is expected there."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.record.reader import InvalidRecord
from tests.golden.files import FOLDER
from tests.record.mutations import CASES, Case, change, turn
from tests.record.played import Line, first_error, lines_of, write


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_first_wrong_line_is_named_with_what_is_wrong(case: Case, lines: list[Line], path: Path) -> None:
    number = case.mutation(lines)
    found = first_error(write(path, lines))
    assert type(found) is InvalidRecord
    assert re.search(case.words, found.message), found.message
    assert found.line == number
    assert str(found) == f"line {number}: {found.message}"
    assert found.message.isprintable()
    assert len(found.message) < 700


CITY = FOLDER / "records" / "city.jsonl"


@pytest.mark.parametrize(
    ("kind", "retyped"),
    [
        ("settled", lambda line: {**line, "value": float(line["value"])}),
        ("settled", lambda line: {**line, "paid": [*map(float, line["paid"])]}),
        ("settled", lambda line: {**line, "paid": [*map(bool, line["paid"])]}),
        ("settled", lambda line: {**line, "cells": [[x, float(y)] for x, y in line["cells"]]}),
        ("settled", lambda line: {**line, "seat": bool(line["seat"])}),
        ("settled", lambda line: {**line, "value": str(line["value"])}),
        ("decision", lambda line: {**line, "seat": float(line["seat"])}),
        ("decision", lambda line: {**line, "action": {**line["action"], "x": float(line["action"]["x"])}}),
        ("result", lambda line: {**line, "scores": [*map(float, line["scores"])]}),
        ("result", lambda line: {**line, "ranks": [rank == 1 or rank for rank in line["ranks"]]}),
    ],
)
def test_a_number_of_another_type_is_wrong_even_if_python_takes_them_for_equal(
    kind: str, retyped: Callable[[Line], Line], path: Path
) -> None:
    lines = lines_of(CITY)
    number = next(
        number
        for number, line in enumerate(lines, start=1)
        if line["type"] == kind and (kind != "settled" or max(line["paid"]) == 1)
    )
    lines[number - 1] = retyped(lines[number - 1])
    found = first_error(write(path, lines))
    assert found is not None
    assert found.line == number


# -- truncated records -----------------------------------------------------------------------------------------


def test_a_record_that_is_invalid_and_truncated_is_invalid(lines: list[Line], path: Path) -> None:
    number = change(lines, turn(lines, "play_card"), action={"card": "wild"})
    found = first_error(write(path, lines[:-40]))
    assert type(found) is InvalidRecord
    assert found.line == number


def test_a_line_cut_off_in_the_middle_of_a_record_is_wrong(lines: list[Line], path: Path) -> None:
    number = turn(lines, "play_card")
    content = write(path, lines).read_bytes().split(b"\n")
    content[number - 1] = content[number - 1][:-5]
    path.write_bytes(b"\n".join(content))
    found = first_error(path)
    assert type(found) is InvalidRecord
    assert found.line == number
    assert re.search(": '.*'", found.message), "it quotes the line"
