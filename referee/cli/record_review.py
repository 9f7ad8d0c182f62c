"""`referee record review`: what each decision of recorded games cost, by a search with the rules."""

import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from referee.cli.failure import FAILED, INTERRUPTED, USAGE, Failure, reported
from referee.cli.json_output import echo_json
from referee.cli.options import parser
from referee.cli.output import echo, ignore_broken_stderr
from referee.cli.record import find_seat, other_record
from referee.files import is_folder
from referee.games.narrator import format_count, readable
from referee.players.clock import parse_duration
from referee.processes.limits.machine import cores
from referee.record.reader import InvalidRecord, find_records
from referee.record.replay import Replay
from referee.record.review import Review, based_on, review_path, write_review
from referee.reports.formatting import format_duration
from referee.reports.review import (
    KindCost,
    Limits,
    RecordReview,
    ReviewedRecords,
    costs_by_kind,
    reviewing,
    worst_first,
)
from referee.search import why_unsearchable

app = typer.Typer(add_completion=False)


@app.command("review")
def review(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORD|FOLDER...", help="Game records (.jsonl, also gzipped), or folders with records."
        ),
    ],
    seat: Annotated[
        str | None, typer.Option(metavar="SEAT", help="Review only this seat: its number, or its bot.")
    ] = None,
    bot: Annotated[
        str | None, typer.Option(metavar="NAME", help="Review only this bot, in whichever seats it plays.")
    ] = None,
    worst: Annotated[int, typer.Option(min=1, metavar="N", help="Number of decisions to show.")] = 5,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time", metavar="TIME", parser=parser(parse_duration), help="For each record: 30s without --playouts."
        ),
    ] = None,
    playouts: Annotated[
        int | None,
        typer.Option(min=20, metavar="N", help="Playouts for each decision, on average; the same result anywhere."),
    ] = None,
    play_on: Annotated[
        str | None,
        typer.Option("--play-on", metavar="BOT", help="Confirm candidates by playing on with this bot in all seats."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """
    Every decision with a choice is searched with the rules, by what its seat knew. It is a candidate for a mistake if
    something else is better on average over several policies of playing on, by more than a threshold and by more than
    the interval, and a mistake if a bot that plays on confirms it (--play-on). The review is written beside the record,
    where `record view` finds it. Ctrl-C ends with what is known.
    """
    from referee.reports.futures import confirmed, most_games

    if seat is not None and bot is not None:
        raise Failure("--seat and --bot can't be combined", USAGE)
    if seconds is not None and seconds < 0.1:
        raise Failure("--time must be at least 100ms", USAGE)
    if seconds is None:
        seconds = 30.0 if playouts is None else math.inf
    limits = Limits(seconds=seconds, playouts=sys.maxsize if playouts is None else playouts)
    problems: list[str] = []
    files: list[Path] = []
    for path in paths:
        try:
            files += find_records(path) if is_folder(path) else [path]
        except InvalidRecord as error:
            problems.append(f"{path}: {error}")
    begun: list[RecordReview] = []
    for file in files:
        try:
            begun.append(begin(file, seat, bot, limits))
        except InvalidRecord as error:
            problems.append(f"{file}: {error}{other_record(file, error, 'record review')}")
    begun = [each for each in begun if each.due]
    if not begun:
        nothing = "nothing to review: this seat or bot has no decision with a choice"
        raise Failure(problems[0] if problems else nothing, details=problems[1:])
    if play_on is not None:
        check_bot(play_on, begun)
    for problem in problems:
        echo(problem, err=True)
    announce(begun, limits, 0 if play_on is None else most_games(worst))
    with reported():
        reviews, interrupted = run(begun)
        try:
            if play_on is not None and not interrupted:
                with progress_bar(1) as show_progress:
                    allowed = seconds * len(begun)  # as long as the search
                    reviews, interrupted = confirmed(reviews, play_on, worst, allowed, partial(show_progress, 0))
        finally:
            save(begun, reviews)  # once, as it merges; also if the bot can't play on
    if interrupted:
        echo("interrupted: this is what was found until then", err=True)
    if as_json:
        echo_json(ReviewedRecords.of(reviews, worst))
    else:
        show(reviews, worst)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if problems:
        raise typer.Exit(FAILED)


def begin(file: Path, seat: str | None, bot: str | None, limits: Limits) -> RecordReview:
    """Read a record. Raises InvalidRecord, and Failure if its game can't be searched."""
    replay = Replay(file)
    why = why_unsearchable(replay.game_type, replay.config, recorded=True)
    if why is not None:
        raise Failure(f"{file}: {replay.game_type.title} can't be reviewed: {why}")
    if seat is not None:
        seats = [find_seat(seat, replay, file)]
    else:
        seats = [number for number, player in enumerate(replay.header.players) if bot is None or player.name == bot]
    return RecordReview(file, replay, seats, limits)


def check_bot(bot: str, begun: Sequence[RecordReview]) -> None:
    """Raise Failure if a bot can't play on in these games."""
    from referee.bots.bot_spec import BotSpecError, parse_bot
    from referee.bots.preflight import Preflight
    from tournaments.play.conditions import Conditions

    with reported(BotSpecError):
        preflight = Preflight([parse_bot(bot)], **Conditions().isolation, on_notice=echo)
        for each in begun:
            preflight.check(each.game)


def announce(begun: Sequence[RecordReview], limits: Limits, games: int) -> None:
    """Say before it begins how long it will take. `games`: the most that are played then."""
    decisions = format_count(sum(len(each.due) for each in begun), "decisions")
    what = f"{decisions} of {format_count(len(begun), 'games')}" if len(begun) > 1 else decisions
    if limits.seconds < math.inf:
        how_long = format_duration(limits.seconds)
        if len(begun) > 1:
            how_long += f" for each game, {format_duration(limits.seconds * len(begun))} in all"
    else:
        needed = format_duration(begun[0].seconds_needed())
        how_long = f"{format_count(limits.playouts, 'playouts')} for each, about {needed} for each game"
    then = f", then up to {format_count(games, 'games')} from the worst positions" if games else ""
    if games and limits.seconds < math.inf:
        then += ", for at most the same time again"
    machine = format_count(cores(), "cores")
    echo(f"reviewing {what} on {machine}: {how_long}{then}; Ctrl-C ends it with what is known", err=True)


def run(begun: Sequence[RecordReview]) -> tuple[list[Review], bool]:
    """The reviews as far as they came, and whether they were interrupted. Raises Failure."""
    reviews: list[Review] = []
    with contextlib.suppress(KeyboardInterrupt), progress_bar(len(begun)) as show_progress, reviewing() as pool:
        for number, each in enumerate(begun):
            try:
                each.run(pool, partial(show_progress, number))
            except BrokenProcessPool:
                raise Failure("a process of the review was killed: there may be too little memory") from None
            finally:
                reviews.append(each.result())
    return reviews, len(reviews) < len(begun) or reviews[-1].interrupted


def save(begun: Sequence[RecordReview], reviews: Sequence[Review]) -> None:
    for each, review in zip(begun, reviews, strict=False):  # fewer after Ctrl-C
        try:
            write_review(each.record, review)
        except OSError as error:
            echo(f"can't write {review_path(each.record)}: {error.strerror}", err=True)


@contextlib.contextmanager
def progress_bar(games: int) -> Iterator[Callable[[int, float], None]]:
    """A bar with the time left on stderr, if that is a terminal: a function that is told how many games are done, and
    which part of the next one."""
    console = Console(stderr=True)
    bar = Progress(TextColumn("reviewing"), BarColumn(), TimeRemainingColumn(), console=console, transient=True)
    task = bar.add_task("", total=games)
    if not console.is_terminal:
        yield lambda done, part: None
        return
    with ignore_broken_stderr(), bar:
        yield lambda done, part: bar.update(task, completed=done + part)


def show(reviews: Sequence[Review], worst: int) -> None:
    """Print the worst decisions, what each kind of decision costs, and what all this is based on."""
    found = worst_first(reviews)
    for number, (review, each) in enumerate(found[:worst], 1):
        place = f"round {each.round}, " if each.round else ""
        where = f"{review.record}#{each.position}" if len(reviews) > 1 else f"#{each.position}"
        scores = " : ".join(f"{score:.10g}" for score in each.scores)
        echo(f"{number}. {where}, {place}{each.player} to {readable(each.decision)} at {scores}")
        echo(f"   {each.verdict or 'uncertain':9}  cost {format_cost(each.cost, each.low, each.high)}")
        echo(f"   taken      {each.taken_text}")
        echo(f"   better     {each.better_text}")
        echo(f"   {each.play_on}")
    if not found:
        echo("nothing found that seems to cost more than the threshold")
    elif len(found) > worst:
        echo(f"{len(found) - worst} more: --worst {len(found)}")
    echo("")
    show_kinds(costs_by_kind(reviews))
    echo("")
    for line in based_on(reviews):
        echo(line)


def show_kinds(kinds: Sequence[KindCost]) -> None:
    for bot in dict.fromkeys(kind.bot for kind in kinds):
        own = [kind for kind in kinds if kind.bot == bot]
        echo(f"cost a game to {bot} ({format_count(own[0].games, 'games')}), by kind of decision")
        width = max(len(readable(kind.decision)) for kind in own)
        for kind in own:
            named = {"mistakes": kind.mistakes, "candidates": kind.candidates}
            found = " and ".join(format_count(number, what) for what, number in named.items() if number)
            cost = format_cost(kind.cost, kind.low, kind.high)
            echo(f"  {readable(kind.decision):{width}}  {cost}, {found or 'none'} in {kind.decisions}")


def format_cost(cost: float, low: float | None, high: float | None) -> str:
    interval = "" if low is None or high is None else f" ({low:.2g} to {high:.2g})"
    return f"{cost:.2g}{interval}"
