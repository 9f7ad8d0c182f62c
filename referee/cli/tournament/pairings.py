"""`referee tournament pairings`: shows the rounds, and pairs the next one by hand."""

import tomllib
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec import UNSET, Struct, structs

from referee.cli.failure import USAGE, Failure
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.tables import echo_csv, line_width
from referee.cli.tournament import app
from referee.cli.tournament.results import (
    AsCsv,
    AsJson,
    Folder,
    OfBot,
    OfRound,
    check_asked,
    one_form,
    read_folder,
)
from referee.cli.tournament.rulings import GIVEN_LATER, give
from referee.files import read_file
from referee.reports.game_list import format_round_row, tables_table
from tournaments.competition.changes import PairedByHand
from tournaments.competition.game_list import RoundRow, pairings

MAX_TABLES_FILE = 1 << 20


class SetTables(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of `--set`."""

    tables: tuple[tuple[str, ...], ...] = ()
    byes: tuple[str, ...] = ()


@app.command("pairings")
def show_pairings(
    folder: Folder,
    round_number: OfRound = None,
    bot: OfBot = None,
    to_set: Annotated[
        Path | None,
        typer.Option("--set", metavar="FILE", help="Pair the next round, which --round names, by hand: a TOML file."),
    ] = None,
    reason: Annotated[
        str | None, typer.Option(help="The reason for --set or --undo; it is published.", show_default=False)
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only check what --set or --undo would do.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Undo --set before the round is paired.")] = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """For example: referee tournament pairings cup --round 2 --bot dice

    With --set, the next round has the tables and byes of a file such as

    \b
    tables = [["a", "b"], ["c", "d"]]
    byes = ["e"]

    in the order of the seats in the first rotation.
    """
    one_form(as_json, as_csv)
    if to_set is not None or undo:
        if round_number is None or reason is None or (to_set is not None and undo) or bot is not None:
            raise Failure("give --round and --reason with --set or with --undo, and nothing else", USAGE)
        given = SetTables() if to_set is None else read_tables(to_set)
        ruling = PairedByHand(
            round=GIVEN_LATER, at="", number=round_number, tables=given.tables, byes=given.byes, reason=reason
        )
        give(folder, "pairings", ruling, f"round {round_number}", dry_run=dry_run, undo=undo)
        return
    if reason is not None or dry_run:
        raise Failure("--reason and --dry-run belong to --set and --undo", USAGE)
    _, progress = read_folder(folder)
    check_asked(progress, round_number, bot)
    found = pairings(progress)
    found = structs.replace(
        found,
        rounds=[of_bot(row, bot) for row in found.rounds if round_number in (None, row.round)],
    )
    if as_json:
        echo_json(found)
    elif as_csv:
        echo_csv(tables_table(found.rounds, found.seats))
    else:
        width = line_width()
        for row in found.rounds:
            for line in format_round_row(row, found.bye, width):
                echo(line)


def read_tables(path: Path) -> SetTables:
    """The tables and byes in a file. Raises Failure."""
    try:
        return msgspec.convert(tomllib.loads(read_file(path, MAX_TABLES_FILE).decode("utf-8-sig")), SetTables)
    except OSError as error:
        raise Failure(f"can't read {path}: {error.strerror}", USAGE) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise Failure(f'{path}: {error}; write tables = [["a", "b"]] and byes = ["c"]', USAGE) from None


def of_bot(row: RoundRow, bot: str | None) -> RoundRow:
    """A round with the tables and byes of one bot, if one is named."""
    if bot is None:
        return row
    return structs.replace(
        row,
        tables=[table for table in row.tables if bot in table.bots],
        byes=tuple(name for name in row.byes if name == bot),
        absent=UNSET if row.absent is UNSET else tuple(name for name in row.absent if name == bot) or UNSET,
    )
