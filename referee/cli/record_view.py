"""`referee record view`: writes a recorded game as a page for a browser, or one of its positions as SVG."""

import re
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.failure import FAILED, USAGE, Failure, writing
from referee.cli.options import WithPaths
from referee.cli.output import STDOUT, echo
from referee.cli.record import find_seat, other_record
from referee.files import write_file
from referee.games.renderer import Audience
from referee.pages.html import write_page
from referee.pages.svg import panels_at, write_svg
from referee.pages.timeline import whole_game
from referee.record.reader import InvalidRecord, stem
from referee.record.replay import Replay

app = typer.Typer(add_completion=False)


@app.command("view")
def view(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game record.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Where to write it, by default beside the record; - for stdout."
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open it in the browser of this machine.")] = False,
    as_seat: Annotated[
        str | None,
        typer.Option("--as-seat", metavar="SEAT", help="Write only what this seat may see: its number, or its bot."),
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="Write only what every spectator may see.")] = False,
    with_paths: WithPaths = False,
    svg: Annotated[
        str | None,
        typer.Option(metavar="#N", help="Write this position as SVG instead, counted as in addresses of the page."),
    ] = None,
) -> None:
    """
    Every decision is drawn and told. The file contains everything in the record, and what bots wrote to their standard
    error if that is kept beside it; with --as-seat or --public what is hidden from this audience is not in it.

    A record that is wrong or unfinished is written up to there.
    """
    if as_seat is not None and public:
        raise Failure("--as-seat and --public can't be combined", USAGE)
    if open_page and output == STDOUT:
        raise Failure("--open needs a file: leave out -o -", USAGE)
    wanted = None if svg is None else position_number(svg)
    try:
        replay = Replay(file)
    except InvalidRecord as error:
        raise Failure(f"{file}: {error}{other_record(file, error, 'record view')}") from None
    seat = None if as_seat is None else find_seat(as_seat, replay, file)
    audiences: list[Audience] | None = None
    if seat is not None:
        audiences = [seat]
    elif public:
        audiences = ["public"]
    elif wanted is not None:
        audiences = ["all"]
    document = whole_game(replay, file, audiences, with_paths=with_paths)
    if wanted is None:
        suffix, content = ".html", write_page(document)
    else:
        if wanted >= len(document.steps):
            raise Failure(
                f"{file} has no position #{wanted}: its positions are #0 to #{len(document.steps) - 1}", USAGE
            )
        names = ", ".join(each.name for each in document.seats)
        title = f"{document.title}, {names}: position {wanted}"
        suffix, content = f"-{wanted}.svg", write_svg(panels_at(document, wanted), title, document.css)
    audience = "-public" if public else "" if seat is None else f"-seat{seat}"
    path = output or file.with_name(f"{stem(file)}{audience}{suffix}")
    if path == STDOUT:
        sys.stdout.buffer.write(content.encode())
        sys.stdout.flush()
    else:
        write(path, content, file, beside=output is None)
        echo(path)
    if open_page and not webbrowser.open(path.resolve().as_uri()):
        echo(f"no browser could be started here: open {path} in one", err=True)
    if document.error:
        echo(f"{file}: {document.error}", err=True)
        raise typer.Exit(FAILED)


def position_number(given: str) -> int:
    """The number of a position that is written as in an address: `#42`, or `42`."""
    number = re.fullmatch(r"#?([0-9]{1,9})", given)
    if number is None:
        raise Failure(
            f"invalid position {given}: expected a number as in the address of the page, such as '#42'", USAGE
        )
    return int(number[1])


def write(path: Path, content: str, record: Path, *, beside: bool) -> None:
    """Write the file, also over an earlier one, but not over the record. `beside` it, in a folder that may be somebody
    else's, nothing is followed."""
    with writing(path, "; choose a place with -o"):
        if path.exists() and path.samefile(record):
            raise Failure(f"{path} is the record itself: write the page to another file", USAGE)
        if beside:
            write_file(path, content.encode())
        else:
            path.write_text(content, encoding="utf-8")
