"""`referee bot`: what authors of bots need."""

from typing import Final

from referee.cli.lazy import command_group, command_modules

app = command_group()
BOT_COMMANDS: Final = {
    "check": {"check": "Check a bot against the protocol, with a deliberately difficult referee."},
    "connect": {
        "connect": "Start a bot yourself, in your terminal or under a debugger, for a match that waits for it.",
    },
    "new": {
        "new": "Write a starter kit: a folder with a bot that plays every game and needs only the language's own "
        "tools.",
    },
    "replay": {"replay": "Ask a bot the questions of a recorded game, and show where it answers differently."},
}
COMMANDS: Final = command_modules("referee.cli.bot", BOT_COMMANDS)
