"""The specification of a match, and the check of its values."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, structs

from referee.errors import RefereeError
from referee.games import DEFAULT_GAME
from referee.players.clock import TimeControlError
from tournaments.play.conditions import Conditions, UnderConditions


class MatchError(RefereeError):
    """The match can't be played as specified. The text says what to change."""


class MatchSpec(UnderConditions, Struct, frozen=True, kw_only=True):
    """The specification of a match. Plain data that can be sent to another process."""

    bots: list[str]
    """As on the command line: a folder with a bot.toml, a command line, NAME= before either, or `builtin:random`."""
    field: list[str] = []
    """Opponents, as `bots`. If there are any, `bots` don't meet: each plays with the field, on the same deals."""
    vary: list[str] = []
    """NAME=VALUE,VALUE …: variants of the first of `bots` are played, and the others are the field."""
    game: str = DEFAULT_GAME
    options: dict[str, Any] = {}
    """Options of the game; values may be given as text, as on the command line."""
    deals: Annotated[int, Meta(ge=1)] = 10
    rotate: bool = True
    """Whether each deal is played in every rotation, or only once."""
    seed: str | None = None
    """Printable text from which all other seeds are derived. None: a random one."""
    only: str | None = None
    """The only game to play, such as `0007-2`: deal 7, rotation 2; with a field `0007-2-1`, the first of `bots`. Needs
    `seed`; `deals` has no meaning."""
    records: Path | None = None
    """The folder for records and standard error; it must not contain records yet. None: a new folder in `records`."""
    keep_records: bool = True
    traces: Path | None = None
    """The folder for traces of all lines to and from bots; it must not contain traces yet. None: no traces are kept."""

    def checked(self) -> "MatchSpec":
        """The same with values of the types of its fields. Raises MatchError for one that is not allowed.

        Structs don't check their fields when they are created.
        """
        try:
            spec = msgspec.convert(_as_given(self), MatchSpec, dec_hook=lambda kind, value: kind(value))
        except msgspec.ValidationError as error:
            raise MatchError(f"the match can't be played as specified: {error}") from None
        if spec.seed is not None and not spec.seed.isprintable():
            raise MatchError("the seed must be printable text")
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
