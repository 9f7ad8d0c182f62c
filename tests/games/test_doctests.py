"""The examples in the docstrings of the rules work as shown."""

import doctest
import importlib
import pkgutil

import pytest

import referee.games

MODULES = ["referee.games", *(found.name for found in pkgutil.walk_packages(referee.games.__path__, "referee.games."))]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_run(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


@pytest.mark.parametrize("module", ["referee.games", "referee.games.interface"])
def test_a_module_that_users_read_first_has_an_example(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).attempted > 0
