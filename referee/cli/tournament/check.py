"""`referee tournament check`: checks before the event that every bot is ready."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import FAULTED, INTERRUPTED, Failure, exit_statuses, reported
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.tables import echo_table
from referee.cli.tournament import app
from referee.games.narrator import format_count
from referee.reports.formatting import format_duration
from referee.reports.plan import beside_hook, format_certainty, format_problem, format_readiness, readiness_table
from tournaments.event.check_results import CheckResults, Readiness, keep_results
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.plan import forecast


@app.command("check", epilog=exit_statuses(FAULTED, faulted="a bot is not ready"))
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A tournament file (TOML).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
) -> None:
    """For example: referee tournament check cup.toml"""
    import trio

    from tournaments.event.readiness import check_readiness, provide_for_games, tournament_preflight
    from tournaments.play.interruption import catch_signals

    with reported(TournamentFileError):
        spec = read_tournament(file)
    results: list[Readiness] = []
    notice = partial(echo, err=True)

    def add(result: Readiness) -> None:
        results.append(result)
        notice(f"{format_readiness(result)} ({len(results)} of {len(spec.bots)})")

    async def check_bots() -> None:
        with interruption.scope():
            provide_for_games(spec)
            await check_readiness(spec, tournament_preflight(spec, notice, collect=True), add, notice)

    with reported(), catch_signals(ignore_afterwards=True) as interruption:
        trio.run(check_bots)
    names = [bot.spec.name for bot in spec.bots]
    results.sort(key=lambda result: names.index(result.bot))
    regulations = spec.regulations
    found = CheckResults(
        tournament=regulations.name,
        game=regulations.game,
        seats=regulations.seats,
        ready=len(results) == len(names) and all(result.ready for result in results),
        interrupted=interruption.requested,
        bots=results,
    )
    kept = keep_results(file, found)
    if as_json:
        echo_json(found)
    else:
        show_readiness(results, len(names))
        seconds = forecast(spec, regulations.format_settings.plan(regulations.format_context(spec.seed or "")), results)
        if seconds is not None:
            where = "" if kept is None else f"; `plan` shows it too ({kept.name})"
            echo(f"forecast: about {format_duration(seconds)} for the whole tournament{beside_hook(spec)}{where}")
    if interruption.requested:
        raise Failure("interrupted before all bots were checked", INTERRUPTED)
    if not all(result.ready for result in results):
        raise typer.Exit(FAULTED)


def show_readiness(results: Sequence[Readiness], bots: int) -> None:
    """Print the results for people; `bots` is the expected number."""
    if results:
        echo_table(readiness_table(results))
    for result in results:
        for line in format_problem(result):
            echo(line)
    ready = sum(result.ready for result in results)
    certainty = format_certainty(results)
    if certainty is not None:
        echo(certainty)
    unchecked = f"; {bots - len(results)} not checked" if len(results) < bots else ""
    echo(f"{ready} of {format_count(bots, 'bots')} {'is' if bots == 1 else 'are'} ready{unchecked}")
