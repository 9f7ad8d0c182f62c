"""How further processes of the referee itself are started: with its own Python, which ignores the current folder.

That may be the folder of a stranger's bot or tournament, with a `json.py`. A variable (PYTHONSAFEPATH) would not do:
bots would inherit it, and they import the files beside them.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext

_spawning: Final = threading.Lock()


def module_command(module: str, *arguments: int | str) -> list[str]:
    """A command that runs `main` of a module with the modules of this process."""
    # Not as PYTHONPATH: names of folders may contain the character that separates them there. `ascii` quotes any name.
    paths = ascii(list(map(os.path.abspath, sys.path)))
    call = f"main({', '.join(map(ascii, arguments))})"
    return [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {paths}; from {module} import main; {call}"]


@contextlib.contextmanager
def spawning() -> "Iterator[SpawnContext]":
    """What starts processes with `multiprocessing`. To be left when they have been started."""
    from multiprocessing import get_context, util  # noqa: PLC0415 (most commands need no such process)

    with _spawning:  # it has no option for this
        flags = util._args_from_interpreter_flags  # type: ignore[attr-defined]
        util._args_from_interpreter_flags = lambda: ["-P", *flags()]  # type: ignore[attr-defined]
        try:
            yield get_context("spawn")
        finally:
            util._args_from_interpreter_flags = flags  # type: ignore[attr-defined]
