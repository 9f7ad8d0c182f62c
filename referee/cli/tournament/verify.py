"""`referee tournament verify`: verifies that a tournament was played as its manifest says."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import FAILED, USAGE, Failure
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.tournament.app import app
from tournaments.event.store.errors import NoTournament, StoreError
from tournaments.event.store.verification import Verification
from tournaments.event.store.verification import verify as verify_tournament


@app.command("verify")
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a tournament, also a copy of it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as one JSON object.")] = False,
) -> None:
    """Compute a tournament again from its manifest, seed and records, and name everything that differs.

    Every game is replayed by the rules; every deal is computed from the seed; so
    are pairings, results, standings and the chain of hashes. Then the database is
    compared. Nothing is written.

    For example: referee tournament verify cup

    Exit status: 0 nothing differs, 1 something does, or can't be read, 2 wrong usage, or DIR is not a tournament.
    """
    try:
        found = verify_tournament(folder)
    except NoTournament as error:
        raise Failure(str(error), USAGE) from None
    except StoreError as error:
        raise Failure(str(error)) from None
    if as_json:
        echo_json(found)
    else:
        show(found)
    if not found.ok:
        raise typer.Exit(FAILED)


def show(found: Verification) -> None:
    """Print the findings for people."""
    for difference in found.differences:
        echo(f"{difference.where}: {difference.problem}")
    if found.more:
        echo(f"and {found.more} more")
    for what in found.unchecked:
        echo(f"not checked: {what}")
    count = len(found.differences) + found.more
    echo(
        f"{found.tournament}: {found.records} record(s) and {found.rounds} round(s) verified;"
        f" {'nothing differs' if found.ok else f'{count} difference(s)'}{'' if found.finished else ' so far'}"
    )
    echo(f"head of the chain of records: {found.head}")
