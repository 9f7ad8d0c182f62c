"""Tables that must have a value for every name of the rules: a mapping's type can't say so."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any


def check_complete(names: Iterable[str], table: Mapping[Any, Any], *, but: Collection[str] = ()) -> None:
    """Raise TypeError if the keys of a table are not all of these names except `but`.

    Called beside the table, so that a module with a table that lacks a name can't be imported.
    """
    wanted = set(names).difference(but)
    for problem, found in (("lacks", wanted - table.keys()), ("has unknown", table.keys() - wanted)):
        if found:
            raise TypeError(f"this table {problem} {', '.join(sorted(found))}")
