"""`referee record`: verifies game records; its other commands are in modules of their own."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

import typer
from msgspec import Struct

from referee.cli.failure import FAILED, USAGE, Failure
from referee.cli.json_output import echo_json
from referee.cli.lazy import command_group, command_modules
from referee.cli.output import echo
from referee.files import is_folder, is_there
from referee.games.narrator import format_score
from referee.given_paths import hint
from referee.record.reader import LATEST_LINK, InvalidRecord, TruncatedRecord, find_records, finished_record
from referee.record.render import player_names
from referee.record.replay import Replay
from referee.reports.formatting import format_path
from tournaments.play.match_folders import RECORDS

app = command_group()
RECORD_COMMANDS: Final = {
    "record_show": {
        "show": "Show a game in English, round by round, with the final scoring broken down; or some of its steps.",
    },
    "record_view": {"view": "Write a recorded game as one HTML file to view in a browser, even offline."},
    "record_review": {
        "review": "Say what each decision of recorded games cost, and what would have been better, by a search.",
    },
    "record_export": {
        "export": "Write the decisions of games as a table, games of chess as PGN, or games of Go as SGF.",
    },
}
COMMANDS: Final = command_modules("referee.cli", RECORD_COMMANDS)


Verdict = Literal["ok", "UNFINISHED", "WRONG"]


class VerifiedRecord(Struct, frozen=True):
    """The verdict on a record, or on a folder without records."""

    record: str
    verdict: Verdict
    details: str
    """The number of lines and the scores, or what is wrong and in which line."""


class VerifiedRecords(Struct, frozen=True):
    """What `referee record verify --json` prints."""

    ok: bool
    """Whether there are records, all finished and right."""
    records: list[VerifiedRecord]


@app.command("verify")
def verify(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|FOLDER...", help="Game records (.jsonl, also gzipped), or folders with records."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
) -> None:
    """Verify records by replaying them with the rules; report the first line that is wrong (exit status 1).

    Of a folder all records are verified, also those in its folder `records`.
    """
    found = []
    for each in verdicts_on(paths):
        found.append(each)
        if not as_json:
            echo(f"{each.record}: {each.verdict}: {each.details}")
    counts = Counter(each.verdict for each in found)
    ok = counts["ok"] == len(found)
    if as_json:
        echo_json(VerifiedRecords(ok, found))
    elif len(found) > 1:
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in get_args(Verdict) if counts[verdict])
        echo(f"{len(found)} records: {verdicts}")
    if not ok:
        raise typer.Exit(FAILED)


def verdicts_on(paths: Iterable[Path]) -> Iterator[VerifiedRecord]:
    for path in paths:
        try:
            files = find_records(path) if is_folder(path) else [path]
        except InvalidRecord as error:
            yield VerifiedRecord(f"{format_path(path)}", "WRONG", str(error))
        else:
            yield from map(verdict_on, files)


def verdict_on(file: Path) -> VerifiedRecord:
    record, replay = f"{format_path(file)}", None
    try:
        replay = Replay(file)
        replay.check()
    except InvalidRecord as error:
        details = str(error).removesuffix(": unfinished") + ("" if replay is None else format_other_rules(replay))
        return VerifiedRecord(record, "UNFINISHED" if isinstance(error, TruncatedRecord) else "WRONG", details)
    result = replay.result
    assert result is not None
    names = player_names(replay.header.players)
    points = [format_score(replay.game_type, score) for score in result.scores]
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, points, strict=True))
    return VerifiedRecord(record, "ok", f"{replay.lines} lines; {scores}{format_other_rules(replay)}")


def format_other_rules(replay: Replay) -> str:
    """A warning if the record was written with another version of the rules; otherwise nothing."""
    if replay.other_rules is None:
        return ""
    here, there = replay.other_rules
    return f"; warning: played by the rules {there}, verified by {here}"


def find_seat(given: str | None, replay: Replay, file: Path) -> int:
    """The seat with this number, from 0, or of the bot with this name. Raises Failure, which names all of them."""
    names = player_names(replay.header.players)
    if given is not None and given.isdecimal() and len(given) < 4 and int(given) < len(names):
        return int(given)
    found = [seat for seat, name in enumerate(names) if given in (name, replay.header.players[seat].name)]
    if len(found) == 1:
        return found[0]
    problem = f"{given} has {len(found)} seats of {file}" if found else f"{file} has no seat {given}"
    seats = ", ".join(f"{seat} ({name})" for seat, name in enumerate(names))
    raise Failure(f"{'which --seat?' if given is None else problem + ':'} its seats are {seats}", USAGE)


def other_record(file: Path, error: InvalidRecord, command: str) -> str:
    """What to do, with this command, instead of showing a folder, a missing file, a file that is not a record, or a
    record in which nothing has happened yet. Empty if the problem is a different one.
    """
    is_missing = not is_there(file)
    if is_missing and hint(file):  # the error has it
        return ""
    in_latest = RECORDS / LATEST_LINK / f"{file}.jsonl"
    if is_missing and is_there(in_latest):
        return f"; did you mean {in_latest}?"
    if is_folder(file):
        folder, found = file, "show one of the games in it"
    elif is_missing or error.line == 1 or (isinstance(error, TruncatedRecord) and not error.line):
        folder, found = file.parent, "a finished game beside it"
    else:
        return ""
    try:
        other = finished_record(folder)
    except InvalidRecord as none:
        return f"; it {none}" if folder == file and str(none) != str(error) else ""
    if other is None:
        interrupted = f"; no game in {folder} is finished: its match was interrupted, or is under way"
        return "" if error.line == 1 else interrupted
    return f"; {found}: referee {command} {shlex.quote(str(other))}"
