"""The preflight of bots that play under some conditions."""

from collections.abc import Callable, Sequence
from typing import Any

from referee.bots.bot_spec import BotSpec
from referee.bots.preflight import Preflight
from tournaments.play.conditions import Conditions


def preflight_under(
    conditions: Conditions, bots: Sequence[BotSpec], on_notice: Callable[[str], None], **options: Any
) -> Preflight:
    """A preflight with the sandbox, and what it shows, that the conditions ask for. `options`: others of Preflight."""
    return Preflight(
        bots,
        mode=conditions.sandbox,
        show=conditions.show,
        files=conditions.files,
        environment=conditions.environment,
        on_notice=on_notice,
        **options,
    )
