"""Short explanations of the rules for people, looked up by name, in a file `rule_texts.toml` beside the rules."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from referee.games.narrator import readable
from referee.toml import parse_toml

RULE_TEXTS_FILE: Final = "rule_texts.toml"
MAX_FILE_CHARS: Final = 256 * 1024
"""Maximum length of such a file, which is part of the program."""


class RuleText(Struct, frozen=True, forbid_unknown_fields=True):
    """The explanation of a name in the rules. `also`: other words for it; `kind`: the heading it is listed under;
    `drawn`: how it looks in drawings of text, which pages don't have.
    """

    name: str
    kind: str
    text: str
    also: tuple[str, ...] = ()
    drawn: str = ""

    @property
    def title(self) -> str:
        return readable(self.name)


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    rule: list[RuleText]


@cache
def rule_texts(module: str) -> Mapping[str, RuleText]:
    """The texts beside the file of a module, by name, in the order of the file."""
    text = Path(module).with_name(RULE_TEXTS_FILE).read_text(encoding="utf-8")
    content: Any = msgspec.convert(parse_toml(text, MAX_FILE_CHARS), _File)
    return {rule.name: rule for rule in content.rule}


def find_texts(texts: Mapping[str, RuleText], words: str) -> Sequence[RuleText]:
    """The texts that a person may mean by `words`, from the first of these that matches.

    The text with exactly that name or other word; those with a name in which each of `words` begins a word; those with
    a name that contains `words`.
    """
    wanted = readable(words.casefold()).split()
    if not wanted:
        return []
    named = {
        rule.name: [readable(name).casefold().split() for name in (rule.name, *rule.also)] for rule in texts.values()
    }
    tests = (
        lambda name: name == wanted,
        lambda name: all(any(part.startswith(word) for part in name) for word in wanted),
        lambda name: " ".join(wanted) in " ".join(name),
    )
    for test in tests:
        found = [texts[rule] for rule, names in named.items() if any(map(test, names))]
        if found:
            return found
    return []
