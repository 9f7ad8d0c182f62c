"""`referee bot replay`: puts the questions of a recorded game to a bot again."""

import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer
from msgspec import UNSET

from referee.bots.bot_spec import BotSpec, BotSpecError
from referee.cli.bot import app
from referee.cli.failure import FAULTED, INTERRUPTED, USAGE, Failure, exit_statuses, reported
from referee.cli.json_output import echo_json
from referee.cli.options import OptionsOf, with_groups
from referee.cli.output import echo
from referee.cli.record import find_seat, other_record
from referee.games.narrator import format_game_id
from referee.record.reader import InvalidRecord
from referee.record.replay import Replay, as_json
from tournaments.play.conditions import ClockLimits, Conditions

if TYPE_CHECKING:
    from tournaments.play.bot_replay import BotReplay, Question

REPLAY_STDERR_LINES: Final = 10
"""Lines of the end of a bot's standard error that are shown with its fault."""


@app.command("replay", epilog=exit_statuses(FAULTED))
@with_groups
def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="The record of a game, also of a tournament.")],
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT", help="A folder with a bot.toml, a command line in quotes, a built-in player or tcp:PORT."
        ),
    ],
    seat: Annotated[
        str | None, typer.Option(metavar="SEAT", help="Seat to replay, counted from 0, or its bot.", show_default=False)
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show all answers, not only those that differ.")] = False,
    *,
    clock: Annotated[dict[str, Any], OptionsOf(ClockLimits, "bot replay")],
    how: Annotated[dict[str, Any], OptionsOf(Conditions, "bot replay")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """The bot gets the messages that the bot in that seat got, `bot_seed` included;
    the game continues with the answers of the record, whatever the bot says. Where
    a substitute decided then, the bot is asked too, but nothing is compared.

    referee bot replay records/latest/0007-2.jsonl --seat 1 ./my-bot
    """
    import trio

    from referee.bots.build import BuildError
    from tournaments.play.bot_replay import ReplayInterrupted, ReplaySpec, replay_bot
    from tournaments.play.interruption import catch_signals

    if bot.endswith((".jsonl", ".jsonl.gz")):
        raise Failure(f"the record comes before the bot: referee bot replay {shlex.join((bot, str(record)))}", USAGE)
    try:
        number = find_seat(seat, Replay(record), record)
    except InvalidRecord as error:
        raise Failure(f"{record}: {error}{other_record(record, error, 'bot replay')}") from None
    spec = ReplaySpec(record=record, seat=number, bot=bot, **clock, conditions=Conditions(**how))
    about: dict[str, Any] = {"record": str(record), "seat": number}

    def start(replay: Replay, bot: BotSpec) -> None:
        game_id = None if replay.header.game_id is UNSET else replay.header.game_id
        about.update(game=replay.header.game, game_id=game_id, bot=bot.name)
        if not as_json:
            game = replay.game_type.title + ("" if game_id is None else f", {format_game_id(game_id)}")
            echo(f"{game}: questions to {bot.name}")

    def asked(question: "Question") -> None:
        is_news = question.answer is None or question.same is False or question.recorded_by == "nobody"
        if not as_json and (is_news or show_all):
            show_question(question)

    with reported(BotSpecError):
        try:
            with catch_signals(ignore_afterwards=True) as interruption:
                ask = partial(replay_bot, on_start=start, on_question=asked)
                result = trio.run(partial(ask, spec, interruption, on_notice=partial(echo, err=True)))
        except InvalidRecord as error:
            raise Failure(f"{record}: {error}") from None
        except BuildError as error:
            raise Failure(str(error), details=error.output) from None
        except ReplayInterrupted as error:
            raise Failure(str(error), INTERRUPTED) from None
    if as_json:
        echo_json(about | in_json(result))
    else:
        show_end(result)
    if result.different or result.fault is not None:
        raise typer.Exit(FAULTED)


def show_question(question: "Question") -> None:
    echo(f"act {question.act}: {question.decision} (line {question.line} of the record)")
    if question.same:
        echo(f"  the same: {as_json(question.answer)}")
        return
    echo(f"  recorded: {format_recorded(question)}")
    if question.answer is not None:
        echo(f"  now:      {as_json(question.answer)}")


def show_end(result: "BotReplay") -> None:
    if result.fault is not None:
        answered = bool(result.questions) and result.questions[-1].answer is not None
        echo(f"  now:      {result.fault}" if result.questions and not answered else f"fault: {result.fault}")
        for line in result.stderr.splitlines()[-REPLAY_STDERR_LINES:]:
            echo(f"    {line}")
    for line in format_replay_summary(result):
        echo(line)


def in_json(result: "BotReplay") -> dict[str, Any]:
    fault = result.fault
    return {
        "same": sum(question.same is True for question in result.questions),
        "different": result.different,
        "unasked": result.unasked,
        "fault": None if fault is None else {"code": fault.code, "message": fault.message},
        "stderr": result.stderr,
        "unfinished": result.unfinished,
        "questions": [{**msgspec.structs.asdict(question), "same": question.same} for question in result.questions],
    }


def format_recorded(question: "Question") -> str:
    if question.recorded is None:
        return f"{question.recorded_fault}, which ended the game for this bot"
    by = " (by a substitute; not compared)" if question.recorded_by == "substitute" else ""
    return as_json(question.recorded) + by


def format_replay_summary(result: "BotReplay") -> Iterator[str]:
    """The number of equal answers, and of questions that are not counted in it."""
    compared = [question for question in result.questions if question.same is not None]
    same = len(compared) - result.different
    yield f"{same} of {len(compared)} answers are the same" + (
        f", {result.different} differ" if result.different else ""
    )
    others = len(result.questions) - len(compared)
    if others:
        yield f"{others} not compared: there the record has a fault, or the choice of a substitute"
    if result.unasked:
        yield f"{result.unasked} not put to the bot because of its fault"
    if result.unfinished is not None:
        yield f"the record ends before the game does: {result.unfinished}"
