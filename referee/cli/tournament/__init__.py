"""`referee tournament`: many bots in one event, from a file."""

from typing import Final

from referee.cli.lazy import CommandModule, command_group

app = command_group("Run tournaments between many bots, from a file.")

HERE: Final = "referee.cli.tournament"
COMMANDS: Final = {
    "check": CommandModule(
        f"{HERE}.check",
        "Build and start every bot of a tournament and play one game with each, against random play on other deals.",
    ),
    "init": CommandModule(
        f"{HERE}.plan", "Write an example tournament file with comments, which can be played as it is."
    ),
    "plan": CommandModule(
        f"{HERE}.plan",
        "Show what a tournament will play: rounds, tables, games, how often bots meet. Nothing is started.",
    ),
    "standings": CommandModule(
        f"{HERE}.results", "Show the standings: places, points, tie-breaks, and ratings with their intervals."
    ),
    "games": CommandModule(
        f"{HERE}.results", "List every finished game in the order of play, even while the tournament runs."
    ),
    "pairings": CommandModule(
        f"{HERE}.pairings",
        "Show the tables and byes of every round with their results, even while the tournament runs.",
    ),
    "export": CommandModule(
        f"{HERE}.results", 'Write the results as a FIDE tournament report (TRF). Two seats and points = "table" only.'
    ),
    "report": CommandModule(
        f"{HERE}.report",
        "Write a tournament as pages for browsers: standings, plots, bots, games, rulings, and how to verify it.",
    ),
    "run": CommandModule(
        f"{HERE}.run",
        "Build and test every bot, then play a tournament; everything that is finished is kept in a folder.",
    ),
    "resume": CommandModule(
        f"{HERE}.run", "Resume a tournament after an interruption or a pause. Nothing is built again."
    ),
    "add": CommandModule(
        f"{HERE}.run",
        "Add a bot to a tournament before its next round, even while it runs. The bot is built and tested first.",
    ),
    "withdraw": CommandModule(
        f"{HERE}.run",
        "Withdraw a bot after the round in progress, even while the tournament runs. Its results stay.",
    ),
    "replay": CommandModule(
        f"{HERE}.run",
        "Play a game of a finished round again, for example because a machine failed. The old result is struck out.",
    ),
    "archive": CommandModule(
        f"{HERE}.archive",
        "Write a tournament to one file, with its bots as they were built, the referee and the versions of everything.",
    ),
    "extend": CommandModule(
        f"{HERE}.archive",
        "Play a new bot against the bots of a finished tournament, on new deals.",
    ),
    "rule": CommandModule(f"{HERE}.rulings", "Set or void the result of a game, even after the end."),
    "penalty": CommandModule(f"{HERE}.rulings", "Give a bot a penalty or a bonus in points, even after the end."),
    "disqualify": CommandModule(
        f"{HERE}.rulings",
        "Disqualify a bot: it plays no more and is placed behind all others. Also possible after the end.",
    ),
    "reinstate": CommandModule(f"{HERE}.rulings", "Reinstate a withdrawn bot from the next round on."),
    "bye": CommandModule(f"{HERE}.rulings", "Give a bot a bye in a round, at its request."),
    "end": CommandModule(
        f"{HERE}.rulings",
        "End a tournament before its last round: after the round in progress, or at once. The seed is published.",
    ),
    "pause": CommandModule(f"{HERE}.rulings", "Stop after the round in progress; `resume` continues."),
    "status": CommandModule(
        f"{HERE}.rulings", "Show the round, the games, their rate and when the tournament will end, for scripts too."
    ),
    "watch": CommandModule(
        f"{HERE}.watch",
        "Show a tournament in a browser, even while another terminal runs it: finished games, and a list of those"
        " running.",
    ),
    "verify": CommandModule(
        f"{HERE}.verify",
        "Recompute a tournament from its manifest, seed and records, and report every difference.",
    ),
}
