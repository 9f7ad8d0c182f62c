"""Variants of a bot: which there are, what they are called, and how each gets its values."""

from pathlib import Path

import pytest
from msgspec import structs

from referee.bots.bot_spec import BotSpec
from referee.bots.variants import MAX_VARIANTS, VariationError, make_variants

BOT = BotSpec(name="mine", argv=("bot", "--depth={depth}"), build=("make",), folder=Path("/bots/mine"))


def test_a_word_of_the_command_gets_the_value_or_else_the_environment_does() -> None:
    shallow, deep = make_variants(BOT, ["depth=1,2"])
    assert (shallow.name, shallow.argv, shallow.environment) == ("mine depth=1", ("bot", "--depth=1"), {})
    assert (deep.name, deep.argv) == ("mine depth=2", ("bot", "--depth=2"))
    assert make_variants(BOT, ["depth=1, 2"]) == [shallow, deep]
    plain = structs.replace(BOT, argv=("bot", "{}"))
    slow, fast = make_variants(plain, ["SPEED=slow,fast"])
    assert (slow.argv, slow.environment, fast.environment) == (plain.argv, {"SPEED": "slow"}, {"SPEED": "fast"})


def test_several_settings_make_all_combinations_and_one_build() -> None:
    variants = make_variants(BOT, ["depth=1,2", "X=a,b"])
    assert [variant.name for variant in variants] == [
        "mine depth=1 X=a", "mine depth=1 X=b", "mine depth=2 X=a", "mine depth=2 X=b",
    ]  # fmt: skip
    assert [bool(variant.build) for variant in variants] == [True, False, False, False]


@pytest.mark.parametrize(
    ("bot", "texts", "problem"),
    [
        (BOT, ["depth"], "'depth': write NAME=VALUE,VALUE"),
        (BOT, ["2=1"], "write NAME=VALUE,VALUE"),
        (BOT, ["depth=1,,2"], "write NAME=VALUE,VALUE"),
        (BOT, ["depth=1\0"], "write NAME=VALUE,VALUE"),
        (BOT, ["depth=1,1"], "depth=1,1: a value is given twice"),
        (BOT, ["depth=1", "depth=2"], "a setting is varied twice"),
        (BOT, [f"depth={','.join(map(str, range(MAX_VARIANTS + 1)))}"], f"that makes {MAX_VARIANTS + 1} variants"),
        (
            structs.replace(BOT, argv=("bot", "--depth={dpeth}")),
            ["depth=1,2"],
            r"the command of .* has \{dpeth\}, and no --vary gives dpeth",
        ),
        (BotSpec(name="random", policy="random"), ["depth=1,2"], "random has nothing to vary"),
    ],
)
def test_what_makes_no_variants_is_refused(bot: BotSpec, texts: list[str], problem: str) -> None:
    with pytest.raises(VariationError, match=problem):
        make_variants(bot, texts)
