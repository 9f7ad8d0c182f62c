"""`referee tournament report`: writes a tournament as pages for browsers."""

import webbrowser
from pathlib import Path
from typing import Annotated, Literal

import typer

from referee.cli.failure import reported
from referee.cli.lazy import import_quickly
from referee.cli.options import WithPaths
from referee.cli.output import echo
from referee.cli.progress_bar import drawing
from referee.cli.tournament import app
from referee.cli.tournament.results import Folder
from referee.reports.needed import MAKER, ReportError, check_installed
from tournaments.event.store.errors import NoTournament

Replays = Literal["none", "public", "all"]


@app.command("report")
def report(
    folder: Folder,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER|FILE.html",
            help="A folder, by default DIR-report beside DIR; or one HTML file.",
        ),
    ] = None,
    replays: Annotated[
        Replays | None,
        typer.Option(
            help="Games to include: none, what all seats may see (public), or everything in the records (all).",
            show_default="public after the end, none before it",
        ),
    ] = None,
    with_paths: WithPaths = False,
    open_page: Annotated[bool, typer.Option("--open", help="Open it in the browser of this machine.")] = False,
) -> None:
    """As a folder for any web server or as one file; also while it runs. An
    earlier report in the folder is replaced, and only new games are drawn.

    For example: referee tournament report cup -o site/cup --open
    """
    with reported(ReportError):
        check_installed()
    with reported(NoTournament), drawing() as progress:
        path = import_quickly(MAKER).report_of_tournament(
            folder,
            output or beside(folder),
            replays,
            progress.notice,
            drawn=progress.drawn,
            with_paths=with_paths,
        )
    echo(str(path))
    if open_page and not webbrowser.open(path.resolve().as_uri()):
        echo(f"no browser could be started here: open {path} in one", err=True)


def beside(folder: Path) -> Path:
    """Where a report goes by default. Raises ReportError."""
    named = folder if folder.name else folder.resolve()
    found = named.parent / f"{named.name}-report"
    if found.is_symlink():  # perhaps not the organiser's
        raise ReportError(f"{found} is a link; name the folder for the report with -o")
    return found
