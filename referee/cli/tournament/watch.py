"""`referee tournament watch`: shows a tournament that another process plays, or has played, in a browser."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.cli.failure import INTERRUPTED, reported
from referee.cli.options import with_groups
from referee.cli.output import echo
from referee.cli.tournament import app
from referee.cli.watch import WatchOptions, live_pages
from referee.live.messages import GameOver, GameRecorded, GameShown
from referee.reports.broadcast import final_shown, read_content, standings_shown
from referee.reports.game_list import format_result
from tournaments.competition.progress import Progress
from tournaments.competition.quick_standings import QuickStandings
from tournaments.competition.results import planned_rounds, tournament_standings
from tournaments.event.store.begun import BegunGames
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
    """Ends with the tournament. One that is finished already is shown until Ctrl-C.

    For example: referee tournament watch cup
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
    running: set[str] = set()
    manifest = TournamentFolder.open(folder).manifest
    finished_before = manifest.finished
    with interruption.scope(), single_errors():
        async with live_pages(live, manifest.regulations.name, whole_games=True) as (pages, _, addresses):
            for line in addresses:
                echo(line, err=True)
            while True:
                store = TournamentFolder.open(folder)
                progress, begun = await trio.to_thread.run_sync(read_state, store, abandon_on_cancel=True)
                names = [entry.name for entry in progress.entries]
                for game in progress.games():
                    if game.game_id not in shown:
                        shown.add(game.game_id)
                        content = await trio.to_thread.run_sync(read_content, store.record(game.game_id))
                        if content is not None:
                            pages.send(GameRecorded(game.game_id, tuple(names[bot] for bot in game.bots), content))
                        pages.send(GameOver(game.game_id, format_result(progress, game)))
                for game_id in running - shown - begun.keys():
                    pages.send(GameOver(game_id, "broken off, to be played again"))
                for game_id, bots in begun.items():
                    if game_id not in running:
                        pages.send(GameShown(game_id, tuple(names[bot] for bot in bots)))
                running = {*begun}
                if store.manifest.finished:
                    standings = await trio.to_thread.run_sync(tournament_standings, progress, True)
                    pages.send(final_shown(standings, progress))
                    if not finished_before:
                        return True
                    await trio.sleep_forever()
                pages.send(standings_shown(progress, QuickStandings().rows(progress), planned_rounds(progress, False)))
                await trio.sleep(POLL_SECONDS)
    return finished_before


def read_state(store: TournamentFolder) -> tuple[Progress, dict[str, Sequence[int]]]:
    """The state of a tournament, and the running games of the round in progress with their bots by seat.

    Raises StoreError.
    """
    begun = BegunGames(store.begun).game_ids  # first: a game that ends meanwhile is then found as finished
    progress, runs = load(store, repair=False).progress, store.manifest.sessions
    if progress.current is None or not runs or runs[-1].ended is not None:
        return progress, {}
    return progress, {game.game_id: game.bots for game in progress.current.missing() if game.game_id in begun}
