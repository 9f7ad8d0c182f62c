"""`referee tournament archive` and `extend`: a tournament that is kept with its bots, and played on after its end."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec import UNSET

from referee.cli.failure import INTERRUPTED, Failure, reported
from referee.cli.output import echo
from referee.cli.tables import echo_table
from referee.cli.tournament import app
from referee.cli.tournament.results import Folder
from referee.cli.tournament.run import AcceptChanged
from referee.games.narrator import format_count
from referee.reports.ratings import extension_lines, ratings_table
from tournaments.event.archive import ArchiveExists, write_archive
from tournaments.event.extensions import read_extensions
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.store.errors import NoTournament


@app.command("archive")
def archive(
    folder: Folder,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE.tar.gz", help="The file to write, which must not exist.")
    ],
    skip_changed: Annotated[
        bool,
        typer.Option("--skip-changed", help="Leave out and list bots whose files are not the ones that played."),
    ] = False,
) -> None:
    """Unpacked anywhere, it can be verified, resumed and extended with those bots.

    For example: referee tournament archive cup -o cup.tar.gz
    """
    with reported(NoTournament, ArchiveExists, TournamentFileError):
        index = write_archive(folder, output, skip_changed=skip_changed)
    echo(f"{output} is written, with the files of {format_count(len(index.bots), 'bots')}")
    for name, problem in index.without.items():
        echo(f"without {name}: {problem}", err=True)
    for name, bot in index.bots.items():
        if bot.outside is not UNSET and bot.outside:
            files = ", ".join(bot.outside)
            echo(f"{name} is a command, and these files of it are not in the archive: {files}", err=True)


@app.command("extend")
def extend(
    folder: Folder,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="As in `add`.")],
    owner: Annotated[str | None, typer.Option(help="Its author.")] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="How often to meet every other bot.",
            show_default="as many tables as the others had, and enough deals for an interval",
        ),
    ] = None,
    old_deals: Annotated[
        bool,
        typer.Option("--old-deals", help="Use the tournament's own deals, which the bot may know; this is shown."),
    ] = False,
    accept_changed_bots: AcceptChanged = False,
) -> None:
    """The standings stay as they are. Given again after an interruption, it continues.

    For example: referee tournament extend cup otter=bots/otter
    """
    from referee.cli.tournament.live_view import supervised
    from tournaments.event.director import TournamentEnding
    from tournaments.event.extension import extend_tournament

    play = partial(
        extend_tournament,
        folder,
        bot,
        owner,
        rounds=rounds,
        old_deals=old_deals,
        accept_changed_bots=accept_changed_bots,
    )
    result = supervised(play, timed=True)
    if result.ending is TournamentEnding.INTERRUPTED:
        raise Failure("interrupted; give the same command again to continue", INTERRUPTED)
    with reported():
        found = read_extensions(folder)
    if found is not None:
        if found.ratings is not None:
            echo_table(ratings_table(found.ratings))
        for line in extension_lines(found):
            echo(line)
