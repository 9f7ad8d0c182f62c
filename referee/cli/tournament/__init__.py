"""`referee tournament`: many bots in one event, from a file."""

from typing import Final

from referee.cli.lazy import command_group, command_modules

app = command_group()
TOURNAMENT_COMMANDS: Final = {
    "check": {
        "check": "Build and start every bot of a tournament and play one game with each, against random play on "
        "other deals.",
    },
    "plan": {
        "init": "Write an example tournament file with comments, which can be played as it is.",
        "plan": "Show what a tournament will play: rounds, tables, games, how often bots meet. Nothing is started.",
    },
    "results": {
        "standings": "Show the standings: places, points, tie-breaks, and ratings with their intervals.",
        "games": "List every finished game in the order of play, even while the tournament runs.",
        "export": 'Write the results as a FIDE tournament report (TRF). Two seats and points = "table" only.',
    },
    "pairings": {
        "pairings": "Show the tables and byes of every round with their results, even while the tournament runs.",
    },
    "report": {
        "report": "Write a tournament as pages for browsers: standings, plots, bots, games, rulings, and how to "
        "verify it.",
    },
    "run": {
        "run": "Build and test every bot, then play a tournament; everything that is finished is kept in a folder.",
        "resume": "Resume a tournament after an interruption or a pause. Nothing is built again.",
        "add": "Add a bot to a tournament before its next round, even while it runs. The bot is built and tested "
        "first.",
        "withdraw": "Withdraw a bot after the round in progress, even while the tournament runs. Its results stay.",
        "replay": "Play a game of a finished round again, for example because a machine failed. The old result "
        "is struck out.",
    },
    "archive": {
        "archive": "Write a tournament to one file, with its bots as they were built, the referee and the "
        "versions of everything.",
        "extend": "Play a new bot against the bots of a finished tournament, on new deals.",
    },
    "rulings": {
        "rule": "Set or void the result of a game, even after the end.",
        "penalty": "Give a bot a penalty or a bonus in points, even after the end.",
        "disqualify": "Disqualify a bot: it plays no more and is placed behind all others. Also possible after "
        "the end.",
        "reinstate": "Reinstate a withdrawn bot from the next round on.",
        "bye": "Give a bot a bye in a round, at its request.",
        "end": "End a tournament before its last round: after the round in progress, or at once. The seed is "
        "published.",
        "pause": "Stop after the round in progress; `resume` continues.",
        "status": "Show the round, the games, their rate and when the tournament will end, for scripts too.",
    },
    "watch": {
        "watch": "Show a tournament in a browser, even while another terminal runs it: finished games, and a "
        "list of those running.",
    },
    "verify": {"verify": "Recompute a tournament from its manifest, seed and records, and report every difference."},
}
COMMANDS: Final = command_modules("referee.cli.tournament", TOURNAMENT_COMMANDS)
