"""`referee tournament`: many bots in one event, from a file."""

from typing import Final

from referee.cli.lazy import Place
from referee.cli.tournament.app import app

__all__ = ["COMMANDS", "app"]

HERE: Final = "referee.cli.tournament"
COMMANDS: Final = {
    "check": Place(
        f"{HERE}.check",
        "Build and start every bot of a tournament and play one game with each, against random play on other deals.",
    ),
    "init": Place(f"{HERE}.plan", "Write an example tournament file with comments, which can be played as it is."),
    "plan": Place(
        f"{HERE}.plan",
        "Show what a tournament will play: rounds, tables, games, who meets whom how often. Nothing is started.",
    ),
    "standings": Place(
        f"{HERE}.results", "Show the standings: places, points, tie-breaks, and ratings with their intervals."
    ),
    "games": Place(f"{HERE}.results", "List every finished game in the order of play, also while the tournament runs."),
    "pairings": Place(
        f"{HERE}.results", "Show the tables and byes of every round with their results, also while the tournament runs."
    ),
    "export": Place(
        f"{HERE}.results", 'Write the results as a FIDE tournament report (TRF). Two seats and points = "table" only.'
    ),
    "run": Place(
        f"{HERE}.run",
        "Build and try every bot, then play a tournament; everything that is finished is kept in a folder.",
    ),
    "resume": Place(
        f"{HERE}.run", "Go on with a tournament after an interruption, or after an event. Nothing is built again."
    ),
    "add": Place(
        f"{HERE}.run",
        "Let a bot join a tournament before its next round, also while it runs. The bot is built and tried first.",
    ),
    "withdraw": Place(
        f"{HERE}.run",
        "Let a bot play no more after the round in progress, also while the tournament runs. Its results stay.",
    ),
    "replay": Place(
        f"{HERE}.run",
        "Play a game of a finished round again, for example because a machine failed. The old result is struck out.",
    ),
    "verify": Place(
        f"{HERE}.verify",
        "Compute a tournament again from its manifest, seed and records, and name everything that differs.",
    ),
}
