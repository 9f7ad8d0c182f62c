"""Who plays in a match: bots that meet each other, or bots that are compared by what they do against a field."""

from collections.abc import Sequence

from msgspec import Struct

from referee.bots.bot_spec import BotSpec, parse_bots
from referee.bots.shown import show_to
from referee.bots.variants import VariationError, make_variants
from tournaments.play.conditions import Conditions
from tournaments.play.match_spec import MatchError
from tournaments.play.schedule import Tables


class LineUp(Struct, frozen=True):
    """The bots of a match. Each BOT of its specification is parsed once, when this is made."""

    bots: list[BotSpec]
    field: int = 0
    """The number of bots, the last ones, that are the field; each other one has a table of its own with them. 0: all
    bots meet."""

    @property
    def tables(self) -> Tables:
        """One table of all bots; or, with a field, one for each bot under comparison."""
        bots = range(len(self.bots))
        compared = len(bots) - self.field
        return [(bot, *bots[compared:]) for bot in bots[:compared]] if self.field else [tuple(bots)]

    @property
    def seats(self) -> int:
        """The number of bots at a table."""
        return len(self.tables[0])

    @property
    def persons(self) -> dict[str, str]:
        """By the name of a person, where they play: HUMAN or BROWSER."""
        return {bot.name: bot.policy for bot in self.bots if bot.is_person and bot.policy is not None}


def line_up(bots: Sequence[str], field: Sequence[str], vary: Sequence[str], conditions: Conditions) -> LineUp:
    """The bots of a match, as MatchSpec has them. Raises BotSpecError and MatchError."""
    if vary and field:
        raise MatchError("with --vary the BOTs after the first one are the field: give them there, without --field")
    if vary and len(bots) < 2:
        raise MatchError("variants need an opponent: add it after the BOT that is varied, such as builtin:random")
    found = show_to(parse_bots([*bots, *field], conditions.limits), conditions.show_to)
    if vary:
        try:
            found[:1] = make_variants(found[0], vary)
        except VariationError as error:
            raise MatchError(f"--vary: {error}") from None
    in_field = len(bots) - 1 if vary else len(field)
    for bot in found if in_field else ():
        if bot.is_person:
            raise MatchError(f"{bot.name} is a person, who can't play the same deals several times")
    for bot in found[len(found) - in_field :]:
        if bot.port is not None and len(found) - in_field > 1:
            raise MatchError(
                f"{bot.name} can't be in the field: a bot that is started manually has one process, and the field sits"
                " at several tables"
            )
    return LineUp(found, in_field)
