"""Variants of a bot: the same program with other values of its settings, each as a bot of its own."""

import re
from collections.abc import Sequence
from itertools import product
from typing import Final

from msgspec import structs

from referee.bots.bot_spec import BotSpec
from referee.errors import RefereeError

SETTING: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.ASCII | re.DOTALL)
VALUE_PLACE: Final = re.compile(r"\{([A-Za-z_]\w*)\}", re.ASCII)
MAX_VARIANTS: Final = 32


class VariationError(RefereeError):
    """Variants that can't be made. The text says what to change."""


def parse_variation(text: str) -> tuple[str, tuple[str, ...]]:
    """A setting of a bot and the values to try, from `NAME=VALUE,VALUE …`. Raises VariationError."""
    setting = SETTING.fullmatch(text)
    values = () if setting is None else tuple(value.strip() for value in setting[2].split(","))
    if setting is None or not all(values) or not text.isprintable():
        raise VariationError(f"{text!r}: write NAME=VALUE,VALUE, for example depth=1,2,4")
    if len(set(values)) < len(values):
        raise VariationError(f"{text}: a value is given twice")
    return setting[1], values


def make_variants(bot: BotSpec, texts: Sequence[str]) -> list[BotSpec]:
    """The variants of a bot: one for each combination of the values, named after them.

    A word of its command that contains {NAME} gets the value there; if there is none, the environment variable NAME
    does. A bot with a build command is built once, for the first variant. Raises VariationError.
    """
    variations = dict(map(parse_variation, texts))
    if len(variations) < len(texts):
        raise VariationError("a setting is varied twice; give all its values together, as in depth=1,2,4")
    if not bot.is_program:
        raise VariationError(f"{bot.name} has nothing to vary: only programs that the referee starts have settings")
    placeholders = {name for word in bot.argv for name in VALUE_PLACE.findall(word)}
    if (unfilled := placeholders - variations.keys()) and not placeholders & variations.keys():
        raise VariationError(
            f"the command of {bot.name} has {{{min(unfilled)}}}, and no --vary gives {min(unfilled)}: one of the two is"
            " misspelt"
        )
    combinations = list(product(*variations.values()))
    if len(combinations) > MAX_VARIANTS:
        raise VariationError(f"that makes {len(combinations)} variants; at most {MAX_VARIANTS}")
    return [
        _variant(bot, dict(zip(variations, values, strict=True)), built=bool(number))
        for number, values in enumerate(combinations)
    ]


def _variant(bot: BotSpec, values: dict[str, str], *, built: bool) -> BotSpec:
    argv, environment = list(bot.argv), dict(bot.environment)
    for name, value in values.items():
        placeholder = f"{{{name}}}"
        if any(placeholder in word for word in argv):
            argv = [word.replace(placeholder, value) for word in argv]
        else:
            environment[name] = value
    return structs.replace(
        bot,
        name=" ".join([bot.name, *(f"{name}={value}" for name, value in values.items())]),
        argv=tuple(argv),
        environment=environment,
        build=() if built else bot.build,
    )
