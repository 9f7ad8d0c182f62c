"""Groups of options: a command gets one value for all options of a group. Groups shared by several commands are
here."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from msgspec import Struct

from referee.bots.bot_spec import BotSpecError
from referee.bots.shown import parse_shown
from referee.cli.failure import USAGE, Failure
from referee.players.clock import TimeControl, TimeControlError, parse_duration
from referee.processes.environment import EnvironmentSettingError, parse_environment
from referee.processes.limits.process_limits import LimitError, ProcessLimits, parse_limits

LIMIT_OPTIONS: Final = {
    "move": "--move-time",
    "bank": "--bank",
    "increment": "--increment",
    "startup": "--startup-time",
}
"""By field of TimeControl, the option that sets it, if its name differs."""


class OptionGroup(Struct, frozen=True):
    """Options of a command. Its fields are annotated as parameters of a command are."""


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a function with parameters that are groups into one for Typer, which has the options in their places."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[OptionGroup]] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, OptionGroup):
            groups[name] = kind
            parameters += inspect.signature(kind).parameters.values()
        else:
            parameters.append(parameter)

    def run(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{field: values.pop(field) for field in kind.__struct_fields__})
        command(**values)

    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    run.__doc__ = command.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


class BotOptions(OptionGroup, frozen=True):
    """Options for running all bots of a command."""

    sandbox: Annotated[
        Literal["auto", "bwrap", "none"],
        typer.Option(help="Run bots in bubblewrap if it works (auto), always (bwrap) or never (none)."),
    ] = "auto"
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=NUMBER", help="A limit for all bots, such as memory_mb=512; may be repeated."),
    ] = None
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]PATH",
            help="Let bots in the sandbox read this folder too, or only the bot NAME; may be repeated.",
        ),
    ] = None
    env: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=VALUE]", help="Pass this environment variable to bots; may be repeated."),
    ] = None

    def shown(self) -> tuple[list[Path], dict[str, list[Path]]]:
        """The paths that `--show` shows to all bots, and by name those for one bot. Raises Failure."""
        try:
            return parse_shown(self.show or [])
        except BotSpecError as error:
            raise Failure(f"--show: {error}", USAGE) from None

    def limits(self) -> ProcessLimits:
        """The limits that `--limit` sets. Raises Failure."""
        try:
            return parse_limits(self.limit or [])
        except LimitError as error:
            raise Failure(f"--limit {error}", USAGE) from None

    def environment(self) -> dict[str, str]:
        """The environment variables that `--env` sets. Raises Failure."""
        try:
            return parse_environment(self.env or [])
        except EnvironmentSettingError as error:
            raise Failure(f"--env {error}", USAGE) from None


class OneBotOptions(BotOptions, frozen=True):
    """Options for running the only bot of a command."""

    sandbox: Annotated[
        Literal["auto", "bwrap", "none"],
        typer.Option(help="Run the bot in bubblewrap if it works (auto), always (bwrap) or never (none)."),
    ] = "auto"
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=NUMBER", help="A limit for the bot, such as memory_mb=512; may be repeated."),
    ] = None
    show: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]PATH", help="Let the bot in the sandbox read this folder too; may be repeated."),
    ] = None
    env: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=VALUE]", help="Pass this environment variable to the bot; may be repeated."),
    ] = None


def duration(text: str) -> float:
    """Parse the value of an option: `250ms`, `1s`, `2m`, in seconds."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def time_control(scale: float, *, hint: str = "", **limits: Any) -> TimeControl:
    """The time control that options set, as fields of TimeControl, multiplied by `scale`.

    `hint`: added to the message about a limit that is too low or too high. Raises Failure.
    """
    try:
        return TimeControl.of(**limits).scaled(scale)
    except TimeControlError as error:
        hint = "" if error.limit == "increment" else hint
        raise Failure(f"{LIMIT_OPTIONS.get(error.limit, f'--{error.limit}')}: {error.problem}{hint}", USAGE) from None
