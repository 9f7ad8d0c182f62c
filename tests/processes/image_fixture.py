"""A small image of files for sandboxes: a shell, Perl, Python with its library, and what they load."""

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest

from referee.processes.sandbox import bubblewrap
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.sandbox.image import FileImage, make_image, why_no_images
from referee.processes.sandbox.visibility import SYSTEM_PATHS
from tests.processes.sandboxed import WORKING

PYTHON: Final = "/usr/bin/python3"
MISSING: Final = why_no_images() or ("" if Path(PYTHON).exists() else "there is no /usr/bin/python3")
needs_images: Final = pytest.mark.skipif(
    WORKING is None or bool(MISSING), reason=f"needs the sandbox and file systems for each bot: {MISSING}"
)
LIST: Final = "import _ctypes, sys; print(_ctypes.__file__, *sys.path)"
"""Prints a module with a library of its own, and where Python looks for modules."""


def image_paths() -> list[str]:
    """The programs that tests run in a sandbox, and what these load."""
    names = ("sh", "setpriv", "perl", "env", "cat", "true", PYTHON)
    programs = [str(found) for name in names if (found := shutil.which(name, path="/usr/bin")) is not None]
    listed = subprocess.run([PYTHON, "-IS", "-c", LIST], capture_output=True, text=True, check=True).stdout.split()
    own = [path for path in listed if Path(path).is_dir()]
    linked = subprocess.run(["ldd", *programs, listed[0]], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"/\S+", linked)
    extra = [f"/usr{path}" for path in libraries if not path.startswith("/usr") and Path(f"/usr{path}").exists()]
    files = {path.rstrip(":") for path in (*programs, *libraries, *extra)}
    return sorted({*(path for path in files if path.startswith("/usr/")), *own})


@contextlib.contextmanager
def small_system(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sandboxes show nothing of the system but /usr."""
    monkeypatch.setattr(
        bubblewrap, "SYSTEM_PATHS", ("/usr", *(name for name in SYSTEM_PATHS if Path(name).is_symlink()))
    )
    bubblewrap._system.cache_clear()
    bubblewrap._view.cache_clear()
    try:
        yield
    finally:
        bubblewrap._system.cache_clear()
        bubblewrap._view.cache_clear()


def imaged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A sandbox whose files come from an image with this folder; removed afterwards."""
    assert WORKING is not None
    with small_system(monkeypatch):
        image: FileImage = make_image([*image_paths(), str(folder)])
        try:
            yield msgspec.structs.replace(WORKING, image=image)
        finally:
            image.remove()
