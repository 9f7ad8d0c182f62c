"""`referee tournament run`, `resume`, `add`, `withdraw` and `replay`: the commands that play games or change the
participants."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from referee.bots.bot_spec import parse_bot
from referee.cli.failure import FAULTED, INTERRUPTED, USAGE, Failure, exit_statuses
from referee.cli.json_output import echo_json
from referee.cli.options import OptionsOf, with_groups
from referee.cli.output import echo
from referee.cli.tournament import app
from referee.cli.tournament.results import Folder, read_folder, show_standings
from referee.cli.watch import WatchOptions, broadcasting
from referee.games.narrator import format_score
from referee.reports.standings import format_conditions
from referee.reports.state import round_names
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.progress import Progress
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.store.folder import TournamentFolder, resume_command
from tournaments.event.store.load import load
from tournaments.play.conditions import Conditions
from tournaments.play.events import Observer

if TYPE_CHECKING:
    from tournaments.event.service import TournamentResult
    from tournaments.play.interruption import Interruption

AsJson = Annotated[bool, typer.Option("--json", help="Print the standings as one JSON object at the end.")]
AcceptChanged = Annotated[
    bool, typer.Option("--accept-changed-bots", help="Continue although files of bots have changed; this is recorded.")
]
PLAYED: Final = exit_statuses(FAULTED, faulted="all is done, but a bot was withdrawn as it could not be started")


@app.command("run", epilog=PLAYED)
@with_groups
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A tournament file (TOML).")],
    run_options: Annotated[dict[str, Any], OptionsOf(Conditions, "tournament run")],
    live: WatchOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The folder to make.", show_default="the file's name without .toml, beside it"
        ),
    ] = None,
    without_unready: Annotated[
        bool, typer.Option("--without-unready", help="Begin without the bots that are not ready; this is recorded.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """For example: referee tournament run cup.toml

    Ctrl-C once lets running games finish and stops; twice, or SIGTERM, stops at once. `resume` continues from there.
    """
    from referee.cli.tournament.live_view import supervised
    from tournaments.event.service import run_tournament

    folder = out or file.absolute().parent / file.stem

    async def play(observer: Observer, interruption: "Interruption") -> "TournamentResult":
        async with broadcasting(live, folder, lambda: read_tournament(file).regulations.name, observer) as told:
            return await run_tournament(
                file,
                out,
                told,
                interruption,
                run_options=run_options,
                without_unready=without_unready,
                watched=live.watch,
            )

    live.check(needed=live.watch)
    show_result(supervised(play, folder, timed=True), as_json=as_json)


@app.command("resume", epilog=PLAYED)
@with_groups
def resume(
    folder: Folder,
    run_options: Annotated[dict[str, Any], OptionsOf(Conditions, "tournament resume")],
    live: WatchOptions,
    accept_changed_bots: AcceptChanged = False,
    as_json: AsJson = False,
) -> None:
    """For example: referee tournament resume cup"""
    from referee.cli.tournament.live_view import supervised
    from tournaments.event.service import resume_tournament

    async def play(observer: Observer, interruption: "Interruption") -> "TournamentResult":
        async with broadcasting(
            live, folder, lambda: TournamentFolder.open(folder).manifest.regulations.name, observer
        ) as told:
            return await resume_tournament(
                folder,
                told,
                interruption,
                accept_changed_bots=accept_changed_bots,
                watched=live.watch,
                run_options=run_options,
            )

    live.check(needed=live.watch)
    show_result(supervised(play, timed=True), as_json=as_json)


@app.command("add")
def add(
    folder: Folder,
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT",
            help="As in `referee match`: a folder, a command in quotes, NAME= before either, builtin:random.",
        ),
    ],
    owner: Annotated[str | None, typer.Option(help="Bots of one owner are kept apart where that is possible.")] = None,
) -> None:
    """For example: referee tournament add cup late=bots/late"""
    from referee.cli.tournament.live_view import supervised
    from tournaments.event.service import add_bot

    joined = supervised(partial(add_bot, folder, bot, owner))
    report_effect(joined, f"{parse_bot(bot).name} has joined, and plays from the next round on", folder)


@app.command("withdraw")
def withdraw(
    folder: Folder,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The name of the bot.")],
    reason: Annotated[str, typer.Option(help="Shown to its opponents in the standings.")] = "by the organiser",
) -> None:
    """For example: referee tournament withdraw cup dice"""
    from referee.cli.tournament.live_view import supervised
    from tournaments.event.service import withdraw_bot

    withdrawn = supervised(partial(withdraw_bot, folder, bot, reason))
    report_effect(withdrawn, f"{bot} is withdrawn, and plays no further round", folder)


@app.command("replay")
def replay(
    folder: Folder,
    game: Annotated[str, typer.Argument(metavar="GAME", help="The id of a game, as `games` lists it.")],
    reason: Annotated[str, typer.Option(help="Why; it is recorded.", show_default=False)],
) -> None:
    """
    For example: referee tournament replay cup r01-t002-d01-s2 --reason "the disk was full"
    """
    from referee.cli.tournament.live_view import supervised
    from tournaments.event.service import replay_game

    if not reason.strip():
        raise Failure("--reason: say why the game is played again; it is recorded", USAGE)
    replacement = supervised(partial(replay_game, folder, game, reason))
    if replacement is None:
        raise Failure("interrupted before the game was over; the old result stays", INTERRUPTED)
    _, progress = read_folder(folder)
    scores = ", ".join(format_score(progress.regulations.game_type, score) for score in replacement.scores)
    echo(f"{game} is struck out; {replacement.game_id} counts instead, with scores {scores}")


def show_result(result: "TournamentResult", *, as_json: bool) -> None:
    from tournaments.event.director import TournamentEnding

    loaded = load(TournamentFolder.open(result.folder), repair=False)
    if as_json:
        echo_json(result.standings)
    else:
        show_standings(result.standings, round_names(loaded.progress))
        for line in format_conditions(loaded.manifest):
            echo(line)
    resume_hint = f"to resume: {resume_command(result.folder)}"
    if result.ending is TournamentEnding.INTERRUPTED:
        raise Failure(f"interrupted; everything that was finished is kept; {resume_hint}", INTERRUPTED)
    if result.ending is TournamentEnding.STOPPED:
        echo(f"stopped at the time of stop_at; {resume_hint}", err=True)
    elif result.problem is not None:
        raise Failure(f"paused: {result.problem}", details=ways_on(result.folder, loaded.progress))
    elif result.ending is TournamentEnding.PAUSED:
        echo(f"paused after the round; {resume_hint}", err=True)
    elif result.withdrawn:
        raise typer.Exit(FAULTED)


def ways_on(folder: Path, progress: Progress) -> list[str]:
    """What an organiser can do about a round that can't be paired."""
    where = quote(str(folder))
    number, settings, context = progress.next_number, progress.regulations.format_settings, progress.format_context()
    back = [
        f"{'disqualify --undo' if entry.disqualified else 'reinstate'} {where} {quote(entry.name)}"
        for entry in context.entries
        if entry.withdrawn is not None and settings.refuses_return(context, entry, number) is None
    ]
    absent = [
        f"bye {where} {quote(entry.name)} --round {number} --undo"
        for entry in context.entries
        if entry.belongs(number) and not entry.plays(number)
    ]
    commands = [*back[:1], *absent[:1]]
    with suppress(FormatError):
        progress.check_late_entry("BOT")
        commands.append(f"add {where} BOT")
    return [
        *(f"to continue: referee tournament {command}, then resume {where}" for command in commands),
        f'to end it as it is: referee tournament end {where} --reason "…"',
    ]


def report_effect(now: bool, done: str, folder: Path) -> None:
    if now:
        echo(done)
        echo(f"to resume the tournament: {resume_command(folder)}", err=True)
    else:
        echo("the tournament is running: this takes effect before its next round")
