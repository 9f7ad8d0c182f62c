"""Starter kits: folders to begin a bot from, one per language."""

from referee.kits.kit import KitError, find_language, kit_files, missing_tools, write_kit
from referee.kits.languages import ALIASES, LANGUAGES, Language, Tool

__all__ = [
    "ALIASES",
    "LANGUAGES",
    "KitError",
    "Language",
    "Tool",
    "find_language",
    "kit_files",
    "missing_tools",
    "write_kit",
]
