"""The version of the referee and how it is installed, in a module that imports nothing."""

from typing import Final

__version__: Final = "0.1.0"


def install_extra(name: str) -> str:
    """The commands that install an extra, for messages. No version of the referee is on the Python Package Index."""
    return f"pip install -e '.[{name}]' in a checkout, or pip install 'WHEEL[{name}]' with the path of the wheel"
