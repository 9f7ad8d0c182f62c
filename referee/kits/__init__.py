"""Starter kits: folders to begin a bot from, one per language."""

from referee.kits.kits import ALIASES, KITS, Kit, Tool
from referee.kits.writing import KitError, find_language, kit_files, missing_tools, write_kit

__all__ = [
    "ALIASES",
    "KITS",
    "Kit",
    "KitError",
    "Tool",
    "find_language",
    "kit_files",
    "missing_tools",
    "write_kit",
]
