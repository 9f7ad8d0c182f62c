"""The examples of docs/statistics.md are what the program computes."""

import doctest
from pathlib import Path
from typing import Any

from tests.docs.code_blocks import blocks

PAGE = Path(__file__).parents[3] / "docs" / "statistics.md"


def test_examples_of_the_page_about_the_numbers() -> None:
    names: dict[str, Any] = {}
    runner = doctest.DocTestRunner()
    found = blocks(PAGE.read_text(encoding="utf-8"), "python")
    for number, block in enumerate(found, 1):
        example = doctest.DocTestParser().get_doctest(block, names, f"statistics.md block {number}", None, None)
        runner.run(example, clear_globs=False)
        names.update(example.globs)
    assert len(found) == 8
    assert runner.summarize(verbose=False).failed == 0
