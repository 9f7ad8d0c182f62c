"""`referee record show`: a game in English, or step by step as one seat knew it, also for programs."""

import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from referee.cli.failure import USAGE, Failure
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.cli.record import find_seat, other_record
from referee.games import Narrator, find_narrator
from referee.games.placed_names import place_names, with_names
from referee.record.reader import InvalidRecord
from referee.record.render import NoSuchRound, player_names, render
from referee.record.replay import Replay

app = typer.Typer(add_completion=False)


@app.command("show")
def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game record.")],
    round_no: Annotated[
        int | None, typer.Option("--round", min=1, metavar="N", help="Show only this round of the game.")
    ] = None,
    seat: Annotated[
        str | None,
        typer.Option(metavar="SEAT", help="Show each question to this seat with its answer, time and info."),
    ] = None,
    info: Annotated[bool, typer.Option("--info", help="Show what bots sent as info with their answers.")] = False,
    as_seat: Annotated[
        str | None,
        typer.Option(
            "--as-seat", metavar="SEAT", help="Show step by step only what this seat may see: its number, or its bot."
        ),
    ] = None,
    first: Annotated[
        int | None,
        typer.Option("--from", min=0, metavar="N", help="Show the steps from this position, counted as on the page."),
    ] = None,
    last: Annotated[
        int | None, typer.Option("--to", min=0, metavar="M", help="Show the steps up to the one from this position.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the steps as one JSON object.")] = False,
    color: Annotated[
        Literal["auto", "always", "never"],
        typer.Option(help="Use colours: on a terminal (unless NO_COLOR is set), also elsewhere, or not at all."),
    ] = "auto",
) -> None:
    """On a terminal a board that is too wide is split; in a pipe it is not: `--color always FILE | less -RS`.

    A step is a decision or a fault. With --json it has the observation and the legal actions that its seat was sent.

    referee record show records/latest/0001-1.jsonl --as-seat 0 --from 20 --to 30

    A record that is wrong or unfinished is shown up to there.
    """
    by_steps = as_json or any(each is not None for each in (as_seat, first, last))
    if by_steps and (info or seat is not None or round_no is not None):
        raise Failure("--round, --seat and --info can't be combined with --as-seat, --from, --to or --json", USAGE)
    terminal = sys.stdout.isatty()
    try:
        replay = Replay(file)
        if by_steps:
            show_steps(file, replay, as_seat, first or 0, last, as_json=as_json)
            return
        number = None if seat is None else find_seat(seat, replay, file)
        names = player_names(replay.header.players)
        write = line_writer(names, find_narrator(replay.game_type), color, terminal=terminal)
        width = shutil.get_terminal_size().columns if terminal else None
        for line in render(replay, width, round_no=round_no, seat=number, info=info, names=place_names(names)):
            write(line)
    except NoSuchRound as error:
        raise Failure(f"{file}: {error}", USAGE) from None
    except InvalidRecord as error:
        raise Failure(f"{file}: {error}{other_record(file, error, 'record show')}") from None


def show_steps(file: Path, replay: Replay, as_seat: str | None, first: int, last: int | None, *, as_json: bool) -> None:
    """Print the steps from position `first` to `last`. Raises Failure."""
    from referee.reports.positions import format_steps, show_record

    number = None if as_seat is None else find_seat(as_seat, replay, file)
    if last is not None and last < first:
        raise Failure(f"--to {last} comes before --from {first}", USAGE)
    shown = show_record(file, replay, number, first, last)
    if first > shown.positions:
        raise Failure(f"{file} has no position #{first}: its positions are #0 to #{shown.positions}", USAGE)
    if as_json:
        echo_json(shown)
    else:
        for line in format_steps(shown):
            echo(line)
    if shown.unfinished is not None:
        raise Failure(f"{file}: {shown.unfinished}")


def line_writer(
    names: Sequence[str], narrator: type[Narrator[Any]], color: Literal["auto", "always", "never"], *, terminal: bool
) -> Callable[[str], None]:
    """Writes lines in which names are placed to stdout; in colour, with bold headings and the narrator's styles."""
    if color == "never" or (color == "auto" and not terminal):
        return lambda line: echo(with_names(line, names))
    from rich.console import Console

    from referee.record.styled import styled

    if color == "auto":
        console = Console(highlight=False)
    else:
        console = Console(highlight=False, force_terminal=True, color_system="256", no_color=False)
    return lambda line: console.print(styled(line, names, narrator), soft_wrap=True)
