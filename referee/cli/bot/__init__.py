"""`referee bot`: what authors of bots need."""

from typing import Final

from referee.cli.lazy import CommandModule, command_group

app = command_group("Create a bot, check it, and ask it recorded questions.")

COMMANDS: Final = {
    "check": CommandModule(
        "referee.cli.bot.check", "Check a bot against the protocol, with a deliberately difficult referee."
    ),
    "connect": CommandModule(
        "referee.cli.bot.connect",
        "Start a bot yourself, in your terminal or under a debugger, for a match that waits for it.",
    ),
    "new": CommandModule(
        "referee.cli.bot.new",
        "Write a starter kit: a folder with a bot that plays every game and needs only the language's own tools.",
    ),
    "replay": CommandModule(
        "referee.cli.bot.replay",
        "Ask a bot the questions of a recorded game, and show where it answers differently.",
    ),
}
