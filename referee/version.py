"""The version of the referee and how it is installed, in a module that imports nothing."""

from typing import Final

__version__: Final = "0.1.0"
DISTRIBUTION: Final = "tabletop-referee"
"""Its name on the Python Package Index, where `referee` is another program."""


def install_extra(name: str) -> str:
    """The commands that install an extra, for messages."""
    return f"pip install '{DISTRIBUTION}[{name}]', or in a checkout pip install -e '.[{name}]'"
