"""`referee tournament rule`, `penalty`, `disqualify`, `reinstate`, `bye` and `end`, which change what was played or who
plays by an event with a reason; `pause` and `status`.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.failure import USAGE, Failure, reported
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.tournament import app
from referee.cli.tournament.results import AsJson, Folder, show_standings
from referee.reports.state import format_status, round_names
from tournaments.competition.changes import (
    AnyRuling,
    ByeGranted,
    Disqualified,
    Ended,
    Penalised,
    Reinstated,
    Ruled,
)
from tournaments.competition.progress import Progress
from tournaments.competition.ruling_checks import THE_END, InvalidValue
from tournaments.event.status import status
from tournaments.event.store.errors import NoTournament
from tournaments.event.store.folder import TournamentFolder, resume_command
from tournaments.event.store.load import load

Bot = Annotated[str, typer.Argument(metavar="BOT", help="The name of the bot.")]
Reason = Annotated[str, typer.Option(help="Why; it is published.", show_default=False)]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Change nothing; show the standings before and after the ruling.")
]
Undo = Annotated[bool, typer.Option("--undo", help="Undo the last such ruling, which is an event too.")]
GIVEN_LATER: Final = 0
"""The round and time of a ruling are those at which it is applied."""


@app.command("rule")
def rule(
    folder: Folder,
    game: Annotated[str, typer.Argument(metavar="GAME", help="The id of a game, as `games` lists it.")],
    reason: Reason,
    ranks: Annotated[
        str | None, typer.Option(metavar="1,2", help="The ranks that count, in the order of the seats; 1,1 is a tie.")
    ] = None,
    void: Annotated[bool, typer.Option("--void", help="The game counts for nobody.")] = False,
    dry_run: DryRun = False,
    undo: Undo = False,
) -> None:
    """
    For example: referee tournament rule cup r01-t002-d01-s2 --void --reason "a table of the machine's memory was bad"
    """
    if (ranks is not None) + void + undo != 1:
        raise Failure("give one of --ranks, --void and --undo", USAGE)
    values = None
    if ranks is not None:
        try:
            values = tuple(int(word) for word in ranks.split(","))
        except ValueError:
            raise Failure(f"--ranks: {ranks!r} should be numbers by seat, such as 1,2", USAGE) from None
    ruling = Ruled(round=GIVEN_LATER, at="", game_id=game, ranks=values, reason=reason)
    give(folder, "rule", ruling, game, dry_run=dry_run, undo=undo)


@app.command("penalty")
def penalty(
    folder: Folder,
    bot: Bot,
    reason: Reason,
    points: Annotated[float | None, typer.Option(help="Below 0 for a penalty, above 0 for a bonus.")] = None,
    dry_run: DryRun = False,
    undo: Undo = False,
) -> None:
    """
    For example: referee tournament penalty cup dice --points -0.5 --reason "it was built too late"
    """
    if (points is None) != undo:
        raise Failure("give either --points or --undo", USAGE)
    ruling = Penalised(round=GIVEN_LATER, at="", bot=bot, points=points or 0.0, reason=reason)
    give(folder, "penalty", ruling, bot, dry_run=dry_run, undo=undo)


@app.command("disqualify")
def disqualify(folder: Folder, bot: Bot, reason: Reason, dry_run: DryRun = False, undo: Undo = False) -> None:
    """Its results stay, but for a bot that has played less than half of its tables of a round robin.

    For example: referee tournament disqualify cup dice --reason "it shares its code with steady"
    """
    ruling = Disqualified(round=GIVEN_LATER, at="", bot=bot, reason=reason)
    give(folder, "disqualify", ruling, bot, dry_run=dry_run, undo=undo)


@app.command("reinstate")
def reinstate(
    folder: Folder,
    bot: Bot,
    reason: Annotated[str, typer.Option(help="Why; it is published.")] = "by the organiser",
    dry_run: DryRun = False,
) -> None:
    """For example: referee tournament reinstate cup dice"""
    give(folder, "reinstate", Reinstated(round=GIVEN_LATER, at="", bot=bot, reason=reason), bot, dry_run=dry_run)


@app.command("bye")
def bye(
    folder: Folder,
    bot: Bot,
    round_number: Annotated[int, typer.Option("--round", metavar="N", help="The round.", show_default=False)],
    points: Annotated[
        float | None, typer.Option(help="What it is worth.", show_default="as a bye of the format")
    ] = None,
    reason: Annotated[str, typer.Option(help="Why; it is published.")] = "at its request",
    dry_run: DryRun = False,
    undo: Undo = False,
) -> None:
    """For example: referee tournament bye cup dice --round 3"""
    if points is None:
        points = float(_load(folder).regulations.format_settings.bye)
    ruling = ByeGranted(round=GIVEN_LATER, at="", bot=bot, number=round_number, points=points, reason=reason)
    give(folder, "bye", ruling, bot, dry_run=dry_run, undo=undo)


@app.command("end")
def end(folder: Folder, reason: Reason, undo: Undo = False) -> None:
    """
    For example: referee tournament end cup --reason "too few bots are left"
    """
    give(folder, "end", Ended(round=GIVEN_LATER, at="", reason=reason), THE_END, dry_run=False, undo=undo)


@app.command("pause")
def pause(folder: Folder) -> None:
    """For example: referee tournament pause cup"""
    from tournaments.event.service import pause_tournament

    with reported(NoTournament):
        pause_tournament(folder)
    echo(f"it stops after the round in progress; to continue: {resume_command(folder)}")


@app.command("status")
def show_status(folder: Folder, as_json: AsJson = False) -> None:
    """For example: referee tournament status cup --json"""
    with reported(NoTournament):
        found = status(folder)
    if as_json:
        echo_json(found)
    else:
        echo(format_status(found))


def give(folder: Path, command: str, ruling: AnyRuling, subject: str, *, dry_run: bool, undo: bool = False) -> None:
    """Give or undo a ruling and say what follows, or show what it would change."""
    from referee.cli.tournament.live_view import supervised
    from tournaments.event.service import give_ruling, preview_ruling, undo_of

    with reported(NoTournament, InvalidValue):
        given = undo_of(folder, type(ruling), subject, ruling.reason) if undo else ruling
        previewed = preview_ruling(folder, given) if dry_run else None
    if previewed is not None:
        names = round_names(_load(folder))
        for when, standings in zip(("Before:", "After:"), previewed, strict=True):
            echo(when)
            show_standings(standings, names)
            echo("")
        echo("Nothing has been changed (--dry-run)")
        return
    if supervised(partial(give_ruling, folder, command, given)):
        echo(effect(folder))
    else:
        echo("the tournament is running: this takes effect before its next round")


def effect(folder: Path) -> str:
    """What the last ruling of a tournament has changed, and from when on."""
    progress = _load(folder)
    ruling = progress.events[-1]
    assert isinstance(ruling, AnyRuling)
    finished = TournamentFolder.open(folder).manifest.finished
    if isinstance(ruling, Ended):
        if finished:
            return "The tournament is over: its seed and the final standings are in the manifest"
        return "Before that the round in progress is played: `resume` continues it"
    if finished:
        return "The final standings in the manifest have been replaced"
    begun = progress.next_number - 1
    if progress.regulations.format_settings.settled_rounds(progress.format_context(), begun):
        return f"The bracket stays as it was played; this counts from round {ruling.round} on"
    return f"What was paired stays; this counts from the pairing of round {ruling.round} on"


def _load(folder: Path) -> Progress:
    with reported(NoTournament):
        return load(TournamentFolder.open(folder), repair=False).progress
