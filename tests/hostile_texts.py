"""Texts that must not reach a terminal as they are, and what makes a text unfit to be shown."""

import re
import unicodedata
from typing import Final

HOSTILE: Final = {
    "colour and clear": "\x1b[31mred\x1b[2J\x1b[1;1H",
    "window title": "\x1b]0;owned\x07\x1b\\",
    "controls of eight bits": "\x9b31mred\x85\x90q\x9c",
    "backspaces": "good\x08\x08\x08\x08evil\x7f\x00",
    "lines": "one\ntwo\r\nreferee: three\rfour\x0b\x0c",
    "direction": "a\u202etxt.exe\u202c\u2066b\u2069\u200f\u061c",
    "separators": "one\u2028two\u2029three\xa0four",
    "unseen": "in\u200bvi\u200dsi\ufeffble\u3164\u2800\ufe0f\u115f\u034f\U000e0041\U000e0101",
    "piled up": "\u0301Z" + "\u0335\u0300" * 40 + "algo",
    "markup": "[red]x[/red] [link=http://evil]y[/link] [/] :skull: {task.description} %s",
    "unassigned": "\ue000\uffff\U0010ffff\u0378",
    "long": "ab " * 3000,
}
EVERYTHING: Final = (
    "\x1b[2J\x9b1m\x07\r\nreferee: three\x85\u202ea\u2066\u2028\u200b\ufeff\u3164\U000e0041\ue000"
    "\x08\x7fz\u0335\u0335\u0335\u0335\xa0\u061c"
)
"""A bit of each, short enough for the name of a file."""
INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def flaws(text: str) -> list[str]:
    """What there is in a text, apart from the ends of its lines, that is not plainly visible."""
    found = [char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")]
    marks = "".join("m" if unicodedata.category(char) in ("Mn", "Me") else "." for char in text)
    return [ascii(char) for char in found if char != "\n"] + INVISIBLE.findall(text) + re.findall("mmmm+", marks)
