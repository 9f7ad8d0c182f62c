"""Options that are given as NAME=VALUE and may be repeated."""

from referee.cli.failure import USAGE, Failure
from referee.processes.environment import EnvironmentSettingError, parse_environment
from referee.processes.limits import LimitError, ProcessLimits, parse_limits


def limits_from(settings: list[str] | None) -> ProcessLimits:
    """The limits that `--limit` sets. Raises Failure."""
    try:
        return parse_limits(settings or [])
    except LimitError as error:
        raise Failure(f"--limit {error}", USAGE) from None


def environment_from(settings: list[str] | None) -> dict[str, str]:
    """The environment variables that `--env` sets. Raises Failure."""
    try:
        return parse_environment(settings or [])
    except EnvironmentSettingError as error:
        raise Failure(f"--env {error}", USAGE) from None
