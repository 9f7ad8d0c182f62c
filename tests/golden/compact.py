"""JSON as compact text: no quotes around plain words, and the differences between two values."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import msgspec

WORD = re.compile(r'(?<!\\)"(?!(?:true|false|null)")([A-Za-z_]\w*)"')
"""A string that can't be taken for anything else without its quotes."""


def compact(value: Any) -> str:
    """The JSON of a value without unnecessary quotes. Different values give different texts."""
    return WORD.sub(r"\1", msgspec.json.encode(value).decode())


def plain(value: Any) -> Any:
    """A value as plain JSON types."""
    return msgspec.json.decode(msgspec.json.encode(value))


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """The assignments that turn `old` into `new`: `path = value`, or `path[1:3] = […]` if an array's length changes."""
    if type(old) is type(new) is dict:
        for key in old.keys() | new.keys():
            if key not in new:
                yield f"{path}.{key} is gone"
            elif key not in old:
                yield f"{path}.{key} = {compact(new[key])}"
            else:
                yield from differences(old[key], new[key], f"{path}.{key}")
    elif type(old) is type(new) is list and len(old) == len(new):
        for place, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, f"{path}.{place}")
    elif type(old) is type(new) is list:
        head = common(old, new)
        tail = common(old[head:][::-1], new[head:][::-1])
        yield f"{path}[{head}:{len(old) - tail}] = {compact(new[head : len(new) - tail])}"
    elif old != new or type(old) is not type(new):
        yield f"{path} = {compact(new)}"


def common(one: list[Any], other: list[Any]) -> int:
    """The number of elements that two arrays share at their start."""
    return sum(1 for _ in takewhile(lambda pair: compact(pair[0]) == compact(pair[1]), zip(one, other, strict=False)))
