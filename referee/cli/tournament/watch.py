"""`referee tournament watch`: shows a tournament that another process plays, or has played, in a browser."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.failure import INTERRUPTED, reported
from referee.cli.options import with_groups
from referee.cli.output import echo
from referee.cli.tournament import app
from referee.cli.watch import WatchOptions, live_pages
from referee.live.messages import GameOver, GameRecorded
from referee.reports.broadcast import read_content, standings_shown
from referee.reports.game_list import format_result
from tournaments.competition.quick_standings import QuickStandings
from tournaments.event.store.errors import NoTournament
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load

if TYPE_CHECKING:
    from tournaments.play.interruption import Interruption

POLL_SECONDS: Final = 2.0


@app.command("watch")
@with_groups
def watch(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a tournament.")], live: WatchOptions
) -> None:
    """Show the finished games of a tournament in a browser, even while it runs in another terminal.

    Ends with the tournament. One that is finished already is shown until Ctrl-C.

    For example: referee tournament watch cup

    Exit status: 0 the tournament is finished, 1 failed, 2 wrong usage, or no tournament there, 130 interrupted.
    """
    import trio

    from tournaments.play.interruption import catch_signals

    live = WatchOptions(watch=True, listen=live.listen, show_hidden=live.show_hidden)
    live.check(needed=True)
    with reported(NoTournament), catch_signals() as interruption:
        finished = trio.run(show_folder, folder, live, interruption)
    if not finished:
        raise typer.Exit(INTERRUPTED)
    echo("the tournament is finished", err=True)


async def show_folder(folder: Path, live: WatchOptions, interruption: "Interruption") -> bool:
    """Serve pages until the tournament is finished (True) or a signal comes. Raises NoTournament, StoreError."""
    import trio

    from referee.exception_groups import single_errors

    shown: set[str] = set()
    manifest = TournamentFolder.open(folder).manifest
    finished_before = manifest.finished
    with interruption.scope(), single_errors():
        async with live_pages(live, manifest.regulations.name) as (pages, _, addresses):
            for line in addresses:
                echo(line, err=True)
            while True:
                store = TournamentFolder.open(folder)
                read = partial(load, store, repair=False)
                progress = (await trio.to_thread.run_sync(read, abandon_on_cancel=True)).progress
                for game in progress.games():
                    if game.game_id not in shown:
                        shown.add(game.game_id)
                        content = await trio.to_thread.run_sync(read_content, store.record(game.game_id))
                        if content is not None:
                            names = tuple(progress.entries[bot].name for bot in game.bots)
                            pages.send(GameRecorded(game.game_id, names, content))
                            pages.send(GameOver(game.game_id, format_result(progress, game)))
                pages.send(standings_shown(progress, QuickStandings().rows(progress), finished=store.manifest.finished))
                if store.manifest.finished:
                    if not finished_before:
                        return True
                    await trio.sleep_forever()
                await trio.sleep(POLL_SECONDS)
    return finished_before
