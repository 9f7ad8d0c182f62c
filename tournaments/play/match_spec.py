"""The specification of a match, and the bots that it names."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, structs

from referee.bots.bot_spec import BotSpec, parse_bots
from referee.bots.shown import show_to
from referee.bots.variants import VariationError, make_variants
from referee.errors import RefereeError
from referee.games import DEFAULT_GAME
from referee.players.clock import TimeControlError
from tournaments.play.conditions import Conditions, Option, UnderConditions
from tournaments.play.schedule import Tables

MAX_PLIES: Final = 1000


class MatchError(RefereeError):
    """The match can't be played as specified. The text says what to change."""


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
        return len(self.tables[0])

    @property
    def persons(self) -> dict[str, str]:
        """By the name of a person, where they play: HUMAN or BROWSER."""
        return {bot.name: bot.policy for bot in self.bots if bot.is_person and bot.policy is not None}


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """The options of the game from KEY=VALUE. Raises MatchError."""
    options: dict[str, str] = {}
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise MatchError(f"{setting}: write KEY=VALUE, for example --set players=3")
        if key in options:
            raise MatchError(f"{key} is given twice: {key}={options[key]} and {key}={value}")
        options[key] = value
    return options


class MatchSpec(UnderConditions, Struct, frozen=True, kw_only=True):
    """The specification of a match. Plain data that can be sent to another process."""

    bots: list[str]
    """As on the command line: a folder with a bot.toml, a command line, NAME= before either, or `builtin:random`."""
    field: Annotated[
        list[str],
        Option("An opponent; each BOT then plays only with the field. May be repeated.", metavar="BOT", parse_all=list),
    ] = []
    vary: Annotated[
        list[str],
        Option(
            "Compare variants of the first BOT against the others: {NAME} in its command, or else an environment"
            " variable. May be repeated.",
            metavar="NAME=VALUE,…",
            parse_all=list,
        ),
    ] = []
    game: Annotated[
        str | None,
        Option(
            "The game to play; see `referee games`.", shown_default=f"{DEFAULT_GAME}, or with --from that of RECORD"
        ),
    ] = None
    """None: DEFAULT_GAME, or the one that is played on."""
    options: Annotated[
        dict[str, Any],
        Option("An option of the game; may be repeated.", flag="set", metavar="KEY=VALUE", parse_all=parse_settings),
    ] = {}
    """Values may be given as text, as on the command line."""
    deals: Annotated[
        int,
        Meta(ge=1),
        Option(
            "Number of deals; each is played in every seat rotation.",
            flag="games",
            default=None,
            shown_default="10, or 1 if a person plays; with --sprt at most 10,000 games",
        ),
    ] = 10
    rotate: Annotated[
        bool,
        Option(
            "Play each deal in every seat rotation, or only once.",
            default=None,
            shown_default="rotate, unless a person plays",
        ),
    ] = True
    seed: Annotated[str | None, Option("Makes everything reproducible; drawn and shown if absent.")] = None
    """Printable text from which all other seeds are derived."""
    only: Annotated[
        str | None,
        Option("Play only this game again, such as 0007-2, with the --seed of its match.", metavar="GAME"),
    ] = None
    """Deal 7, rotation 2; with a field 0007-2-1, the first of `bots`. `deals` has no meaning then."""
    opening: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_PLIES)] | None,
        Option(
            "Begin each game with this many random decisions, the same in all rotations of a deal.", metavar="PLIES"
        ),
    ] = None
    openings: Annotated[
        Path | None,
        Option(
            "Begin each game with an opening of this file, the same in all rotations of a deal; with --opening only its"
            " first decisions.",
            metavar="FILE",
        ),
    ] = None
    played_on: Annotated[
        str | None,
        Option(
            "Play on from this position of a recorded game, numbered as on its page; --games is the number of futures.",
            flag="from",
            metavar="RECORD[#N]",
        ),
    ] = None
    """Without a number: from where an unfinished record ends."""
    redraw: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Option("With --from: draw again in each future what this seat, counted from 0, can't know.", metavar="SEAT"),
    ] = None
    take: Annotated[
        str | None,
        Option("With --from: an action that is taken there in every future, as JSON or as a word.", metavar="ACTION"),
    ] = None
    clock: Annotated[
        Literal["full", "recorded"],
        Option("With --from: a full clock, or the time control of the record and what was left then."),
    ] = "full"
    records: Annotated[
        Path | None,
        Option(
            "Folder for records and standard error.",
            flag="record",
            metavar="DIR",
            shown_default="a new one in records/",
        ),
    ] = None
    """It must not contain records yet."""
    keep_records: Annotated[bool, Option("Keep no records.", flag="no-record")] = True
    traces: Annotated[
        Path | None,
        Option("Folder for traces: all lines to and from each bot, with times.", flag="trace", metavar="DIR"),
    ] = None
    """It must not contain traces yet."""

    def line_up(self) -> LineUp:
        """The bots, parsed. Raises BotSpecError and MatchError."""
        compared, field = self.bots, self.field
        if self.vary:
            if field:
                raise MatchError(
                    "with --vary the BOTs after the first one are the field: give them there, without --field"
                )
            if len(compared) < 2:
                raise MatchError(
                    "variants need an opponent: add it after the BOT that is varied, such as builtin:random"
                )
            compared, field = compared[:1], compared[1:]
        conditions = self.conditions
        found = show_to(parse_bots([*compared, *field], conditions.limits), conditions.show_to)
        if self.vary:
            try:
                found[:1] = make_variants(found[0], self.vary)
            except VariationError as error:
                raise MatchError(f"--vary: {error}") from None
        for bot in found if field else ():
            if bot.is_person:
                raise MatchError(f"{bot.name} is a person, who can't play the same deals several times")
        for bot in found[len(found) - len(field) :]:
            if bot.port is not None and len(found) - len(field) > 1:
                raise MatchError(
                    f"{bot.name} can't be in the field: a bot that is started manually has one process, and the field"
                    " sits at several tables"
                )
        return LineUp(found, len(field))

    def checked(self) -> "MatchSpec":
        """The same with values of the types of its fields. Raises MatchError for one that is not allowed.

        Structs don't check their fields when they are created.
        """
        try:
            spec = msgspec.convert(_as_given(self), MatchSpec, dec_hook=lambda kind, value: kind(value))
        except msgspec.ValidationError as error:
            raise MatchError(f"the match can't be played as specified: {error}") from None
        if spec.seed is not None and not (spec.seed and spec.seed.isprintable()):
            raise MatchError("the seed must be printable text, and not empty")
        try:
            spec.conditions.control.check()
        except TimeControlError as error:
            raise MatchError(f"the time control: {error}") from None
        for path in spec.conditions.show:
            if not path.exists():
                raise MatchError(f"{path} can't be shown to bots: there is no such file or folder")
        return spec


def _as_given(spec: MatchSpec | Conditions) -> dict[str, Any]:
    """The values of all fields, by their names in JSON."""
    values = {each.encode_name: getattr(spec, each.name) for each in structs.fields(spec)}
    return {name: _as_given(value) if isinstance(value, Conditions) else value for name, value in values.items()}
