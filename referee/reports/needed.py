"""Whether reports can be made here, and where one is written. Imports nothing that only reports need."""

import importlib.util
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.version import install_extra

NEEDED_PACKAGE: Final = "jinja2"
"""The package of the extra `report`."""
MAKER: Final = "referee.reports.make"
"""The module that makes reports, which imports that package."""
FILE_SUFFIXES: Final = (".html", ".htm")


class ReportError(RefereeError):
    """A report can't be made or written. The text says what to do."""


def check_installed() -> None:
    """Raise ReportError if the package that reports need is missing."""
    if importlib.util.find_spec(NEEDED_PACKAGE) is None:
        raise ReportError(
            f"a report needs the package {NEEDED_PACKAGE}, which comes with an extra: {install_extra('report')}"
        )


def is_one_file(path: Path) -> bool:
    return path.suffix.lower() in FILE_SUFFIXES


def check_report_file(path: Path) -> None:
    """Raise ReportError, before anything is played, if a report can't be made here, or not as one file of this name."""
    check_installed()
    if not is_one_file(path):
        raise ReportError(f"--report {path}: the name of the file has to end with .html")
    if not path.absolute().parent.is_dir():
        raise ReportError(f"--report {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise ReportError(f"--report {path} is a folder: give a file")
