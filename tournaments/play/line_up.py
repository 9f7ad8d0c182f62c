"""Who plays in a match: bots that meet each other, or bots that are compared by what they do against a field."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from referee.bots.bot_spec import BotSpec, parse_bots
from referee.bots.shown import show_to
from referee.bots.variants import VariationError, make_variants
from referee.errors import RefereeError
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits

NOTHING_SHOWN: Final[Mapping[str, Sequence[Path]]] = MappingProxyType({})


class LineUpError(RefereeError):
    """These bots can't be compared. The text says what to change."""


def line_up(
    bots: Sequence[str],
    field: Sequence[str],
    vary: Sequence[str],
    limits: ProcessLimits = DEFAULT,
    shown: Mapping[str, Sequence[Path]] = NOTHING_SHOWN,
) -> tuple[list[BotSpec], int]:
    """The bots of a match, and the number of those, the last ones, that are the field; 0: all bots meet.

    With `vary` variants of the first bot are compared, and the others are the field. `shown`: by name, the paths that
    only this bot is shown. Raises BotSpecError and
    LineUpError.
    """
    if vary and field:
        raise LineUpError("with --vary the BOTs after the first one are the field: give them there, without --field")
    if vary and len(bots) < 2:
        raise LineUpError("variants need an opponent: add it after the BOT that is varied, such as builtin:random")
    found = show_to(parse_bots([*bots, *field], limits), shown)
    if vary:
        try:
            found[:1] = make_variants(found[0], vary)
        except VariationError as error:
            raise LineUpError(f"--vary: {error}") from None
    in_field = len(bots) - 1 if vary else len(field)
    for bot in found if in_field else ():
        if bot.is_person:
            raise LineUpError(f"{bot.name} is a person, who can't play the same deals several times")
    for bot in found[len(found) - in_field :]:
        if bot.port is not None and len(found) - in_field > 1:
            raise LineUpError(
                f"{bot.name} can't be in the field: a bot that is started manually has one process, and the field sits"
                " at several tables"
            )
    return found, in_field
