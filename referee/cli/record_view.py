"""`referee record view`: writes a game as a page for a browser, or one position as SVG."""

import re
import webbrowser
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.failure import USAGE, Failure
from referee.cli.output import echo
from referee.cli.record import other_record
from referee.games.renderer import Audience
from referee.pages.html import BundleError, write_page
from referee.pages.svg import write_svg
from referee.pages.timeline import Timeline
from referee.printable import printable
from referee.record.reader import RECORD_SUFFIXES, InvalidRecord
from referee.record.replay import Replay

POSITION: Final = re.compile(r"#?(\d{1,9})")

STDERR_FOLDER: Final = "stderr"
"""Where tournaments keep standard error, beside their folder of records."""
MAX_STDERR_SHOWN: Final = 64 * 1024
"""Bytes of standard error per seat that a page holds."""

app = typer.Typer(add_completion=False)


@app.command("view")
def view(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game record.")],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="The file to write.", show_default="FILE.html beside it"),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
    as_seat: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Write only what this seat may know: nothing else is in the file."),
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Write only what all seats may know: nothing else is in the file.")
    ] = False,
    svg: Annotated[
        str | None,
        typer.Option(metavar="#STEP", help="Write the position of this step as SVG instead; quote it: '#42'."),
    ] = None,
) -> None:
    """Write a game as one page for a browser, which needs nothing else and works offline.

    For example: referee record view records/latest/0001-1.jsonl --open

    Exit status: 0 written, 1 the record is wrong or unfinished, and is shown up to there, 2 wrong usage.
    """
    if public and as_seat is not None:
        raise Failure("--public and --as-seat contradict each other", USAGE)
    try:
        replay = Replay(file)
    except InvalidRecord as error:
        raise Failure(f"{file}: {error}{other_record(file, error)}") from None
    seats = len(replay.header.players)
    if as_seat is not None and as_seat >= seats:
        raise Failure(f"{file} has no seat {as_seat}: its seats are 0 to {seats - 1}", USAGE)
    if replay.unstarted is not None:
        raise Failure(f"{file}: {replay.unstarted}: there is nothing to show{other_record(file, replay.unstarted)}")
    audiences: list[Audience] = ["all", *range(seats), "public"]
    if public:
        audiences = ["public"]
    elif as_seat is not None:
        audiences = [as_seat]
    timeline = Timeline(replay, audiences[:1] if svg is not None else audiences)
    timeline.read_all()
    if svg is not None:
        path = out or beside(file, ".svg")
        content = position_as_svg(timeline, svg).encode()
    else:
        path = out or beside(file, ".html")
        stderr = [read_stderr(file, seat) if audiences[0] in ("all", seat) else "" for seat in range(seats)]
        try:
            content = write_page(timeline.document(stderr))
        except BundleError as missing:
            raise Failure(str(missing)) from None
    path.write_bytes(content)
    echo(str(path))
    if open_it and not webbrowser.open(path.resolve().as_uri()):
        echo(f"no browser could be opened; open {path} yourself", err=True)
    if timeline.error:
        raise Failure(f"{file}: {timeline.error}")


def position_as_svg(timeline: Timeline, text: str) -> str:
    """A position as SVG. Raises Failure."""
    given = POSITION.fullmatch(text)
    if given is None:
        raise Failure(f"--svg {text}: expected the number of a step, such as '#42'", USAGE)
    number, last = int(given[1]), len(timeline.steps) - 1
    if number > last:
        raise Failure(f"--svg {text}: the last step of this game is #{last}", USAGE)
    title = f"{timeline.replay.game_type.title}: {', '.join(timeline.names)}, step {number}"
    return write_svg(timeline.panels_at(number), title, timeline.css)


def beside(file: Path, suffix: str) -> Path:
    """The file beside a record, with its name and this suffix."""
    name = file.name
    for known in RECORD_SUFFIXES[::-1]:
        name = name.removesuffix(known)
    return file.with_name(name + suffix)


def read_stderr(record: Path, seat: int) -> str:
    """The standard error of a seat in the game of a record, if it was kept: beside it, or as tournaments keep it."""
    stem = beside(record, "").name
    for folder in (record.parent, record.parent.parent / STDERR_FOLDER):
        try:
            return printable_text((folder / f"{stem}.seat{seat}.stderr").read_bytes()[:MAX_STDERR_SHOWN])
        except OSError:
            continue
    return ""


def printable_text(content: bytes) -> str:
    """Text with control characters but line ends replaced."""
    return "\n".join(printable(line, len(line)) for line in content.decode(errors="replace").splitlines())
