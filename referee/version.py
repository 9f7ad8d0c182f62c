"""The version of the referee, in a module that imports nothing."""

from typing import Final

__version__: Final = "0.1.0"
