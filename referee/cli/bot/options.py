"""Options that say how the one bot of a command is run."""

from pathlib import Path
from typing import Annotated, Literal

import typer

SandboxOption = Annotated[
    Literal["auto", "bwrap", "none"],
    typer.Option(help="Run the bot in bubblewrap: where it works, or else fail, or never."),
]
LimitOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=NUMBER", help="A limit for the bot, such as memory_mb=512; may be repeated."),
]
ShowOption = Annotated[
    list[Path] | None,
    typer.Option(metavar="PATH", help="Let the bot in the sandbox read this folder too; may be repeated."),
]
EnvOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME[=VALUE]", help="Pass this environment variable to the bot; may be repeated."),
]
