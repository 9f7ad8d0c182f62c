"""The code on pages of the documentation."""

import re


def blocks(page: str, language: str) -> list[str]:
    """The contents of the code blocks of a language, which may be two words."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
