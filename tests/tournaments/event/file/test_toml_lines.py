"""Every key of a TOML text is found in its line."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments.event.file.toml_source import KeyPath, line_of

TRAPS = (
    '''# [[bot]] in a comment
a = """
[[bot]]
b = 1
""" # c = 2
"quoted key" = 'it = "is"'
list = [ # [x]
  "]", '[',
  { p = "}" },
]
dotted . inner = 1

[[bot]]
path = "#"
  [bot.env]
  X = "a = b"
[[bot]]
env = { Y = """]""" }
limits.memory_mb = 5
[last]
'''
    + f'dots = ["{"." * 101}", """\n{"." * 101}""", {"1.5, " * 101}] # {"." * 101}\n'
)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("a",), 2),
        (("b",), None),
        (("quoted key",), 6),
        (("list",), 7),
        (("list", 1, "p"), 7),
        (("dotted", "inner"), 11),
        (("bot", 0), 13),
        (("bot", 0, "path"), 14),
        (("bot", 0, "env", "X"), 16),
        (("bot", 1, "path"), 17),
        (("bot", 1, "env", "Y"), 18),
        (("bot", 1, "limits", "memory_mb"), 19),
        (("bot",), 13),
        (("last", "missing"), 20),
    ],
)
def test_a_key_is_found_in_its_line_or_its_table_is(place: KeyPath, line: int | None, ends: str) -> None:
    text = TRAPS.replace("\n", ends)
    tomllib.loads(text)
    assert line_of(text, place) == line


@settings(derandomize=True)
@given(st.text("ab.[]{}=\"'\n #1,\\", max_size=80))
def test_every_key_of_toml_is_found(text: str) -> None:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    for key in table:
        line = line_of(text, (key,))
        assert line is not None
        assert key[:1] in text.split("\n")[line - 1]
