"""`referee tournament verify`: verifies that a tournament was played as its manifest says."""

import re
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.failure import FAILED, USAGE, Failure, reported
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.tournament import app
from referee.games.narrator import format_count
from referee.reports.standings import format_begun_again
from tournaments.event.extensions import verify as verify_tournament
from tournaments.event.store.errors import NoTournament
from tournaments.event.store.verification import Verification
from tournaments.season.folder import tournaments_in

HEAD: Final = re.compile("[0-9a-f]{64}")


@app.command("verify")
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a tournament, also a copy of it.")],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="HEAD", help="A head that was published, also of an earlier round: the chain must have it."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was found as JSON, of a season as a list.")
    ] = False,
) -> None:
    """Every game is replayed by the rules; every deal is computed from the seed; so
    are pairings, results, standings and the chain of hashes. Then the database is
    compared. Nothing is written. A folder that was forged as a whole is consistent
    too: compare it with a head that you kept while it was played.

    For example: referee tournament verify cup --against 0f12…9a

    DIR may also be the folder of a season: then each of its events is verified.
    """
    if against is not None and HEAD.fullmatch(against.lower()) is None:
        raise Failure("--against: a head has 64 hexadecimal digits", USAGE)
    folders = tournaments_in(folder)
    if against is not None and folders != [folder]:
        raise Failure("--against: give the folder of the event that has this head", USAGE)
    with reported(NoTournament):
        found = [verify_tournament(each, against=None if against is None else against.lower()) for each in folders]
    if as_json:
        echo_json(found[0] if folders == [folder] else found)
    else:
        for each in found:
            show(each)
    if not all(each.ok for each in found):
        raise typer.Exit(FAILED)


def show(found: Verification) -> None:
    for difference in found.differences:
        echo(f"{difference.where}: {difference.problem}")
    if found.more:
        echo(f"and {found.more} more")
    for number, games in found.begun_again.items():
        echo(f"round {number}: {format_begun_again(games)}")
    for what in found.unchecked:
        echo(f"not checked: {what}")
    if found.extensions:
        echo(f"with {format_count(found.extensions, 'bots')} added after the end")
    verified = f"{format_count(found.records, 'records')} and {format_count(found.rounds, 'rounds')} verified"
    differences = "nothing differs" if found.ok else format_count(len(found.differences) + found.more, "differences")
    echo(f"{found.tournament}: {verified}; {differences}{'' if found.finished else ' so far'}")
    echo(f"head of the chain of records: {found.head}")
    if found.against is not None:
        echo(f"the head given with --against is the one after {found.against}")
