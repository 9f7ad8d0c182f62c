"""`referee match`: bots play deals of a game, each in all seat rotations."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from referee.cli.failure import FAULTED, USAGE, Failure
from referee.cli.output import say

if TYPE_CHECKING:
    from referee.players.bot_spec import BotSpec
    from referee.players.clock import TimeControl
    from referee.processes.sandbox import Sandbox
    from tournaments.runner import Plan

INTERRUPTED = 130
RECORDS = "records"
"""Where a match makes the folder for its records, if the organiser names none."""
LARGEST_FILE = 1024**2
"""Bytes that a file may have which an option names."""
LONGEST = 7 * 24 * 3600
"""Seconds that a limit of time may be."""


def duration(text: str) -> float:
    """Seconds in `250ms`, `1s`, `2m`."""
    from referee.players.clock import parse_duration

    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if seconds > LONGEST:
        raise typer.BadParameter(f"{text!r} is over a week; use --no-timeout to lift the limits")
    return seconds


Duration = typer.Option(parser=duration, metavar="TIME")


def match(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="A folder with a bot.toml, a command line in quotes, NAME= before either, "
            "builtin:random or builtin:first.",
            show_default=False,
        ),
    ],
    game: Annotated[str, typer.Option(help="The game to play; see `referee games`.")] = "year_of_the_dragon",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An option of the game; may be repeated.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Number of deals; each is played in every seat rotation.")] = 10,
    seed: Annotated[str | None, typer.Option(help="Makes everything reproducible; drawn and shown if absent.")] = None,
    rotate: Annotated[
        bool, typer.Option("--rotate/--no-rotate", help="Play each deal in every seat rotation, or only once.")
    ] = True,
    move_time: Annotated[
        float | None, typer.Option(parser=duration, metavar="TIME", help="Limit per decision; 1s if there is no bank.")
    ] = None,
    bank: Annotated[
        float | None, typer.Option(parser=duration, metavar="TIME", help="Time for all decisions of a game together.")
    ] = None,
    increment: Annotated[
        float, typer.Option(parser=duration, metavar="TIME", help="Added to the bank after each decision.")
    ] = "0s",  # type: ignore[assignment]
    startup_time: Annotated[
        float, typer.Option(parser=duration, metavar="TIME", help="Limit from the start of a bot to its ready.")
    ] = "10s",  # type: ignore[assignment]
    time_scale: Annotated[
        float, typer.Option(min=0.001, max=1000, help="Stretch every limit, for a slow machine.")
    ] = 1.0,
    no_timeout: Annotated[bool, typer.Option("--no-timeout", help="Enforce no time limit, for debugging.")] = False,
    retries: Annotated[
        int, typer.Option(min=0, help="Further tries per decision after an illegal action or a bad message.")
    ] = 0,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Games played at the same time.", show_default="number of cores")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for records and evidence.", show_default="a new one in records/"),
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Keep no records.")] = False,
    sandbox: Annotated[
        Literal["auto", "bwrap", "none"],
        typer.Option(help="Run bots in bubblewrap: where it works, or else fail, or never."),
    ] = "auto",
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=NUMBER", help="A limit for all bots, such as memory_mb=512; may be repeated."),
    ] = None,
    show: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Let bots in the sandbox read this folder too; may be repeated."),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=VALUE]", help="Pass this environment variable to bots; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
) -> None:
    """Let bots play a match and show who did how well.

    Exit status: 0 all is well, 1 something failed, 2 wrong usage, 3 a bot faulted, 130 interrupted.
    """
    import secrets

    from referee.cli.report import Report
    from referee.games import OptionError
    from referee.players.bot_spec import BotSpecError, parse_bots
    from referee.processes.environment import EnvironmentSettingError, parse_environment
    from referee.processes.limits import LimitError, parse_limits
    from tournaments.schedule import rotations

    try:
        limits = parse_limits(limit or [])
        environment = parse_environment(env or [])
        entrants = parse_bots(bots, limits)
        game_type, config = configuration(game, settings or [], len(bots))
    except LimitError as error:
        raise Failure(f"--limit {error}", USAGE) from None
    except EnvironmentSettingError as error:
        raise Failure(f"--env {error}", USAGE) from None
    except (BotSpecError, OptionError) as error:
        raise Failure(str(error), USAGE) from None
    if seed is not None and not seed.isprintable():
        raise Failure("--seed takes printable text", USAGE)
    if record is not None and no_record:
        raise Failure("--record and --no-record contradict each other", USAGE)
    control = time_control(move_time, bank, increment, startup_time, time_scale, enforced=not no_timeout)
    seed = secrets.token_hex(16) if seed is None else seed
    schedule = list(rotations(games, len(entrants), seed, rotate=rotate))
    check_all([entrant for entrant in entrants if not entrant.build])
    isolation = isolate(sandbox, entrants, show or [])
    records = None if no_record else record_folder(record, schedule[0].game_id)
    if isolation is not None and records is not None:
        isolation = isolation.hiding(records)
    if any(entrant.build for entrant in entrants):
        build_all(entrants, isolation, environment, None if record is not None else records)
    from tournaments.runner import Plan

    plan = Plan(
        game=game_type,
        config=config,
        entrants=entrants,
        control=control,
        concurrency=concurrency or cores(),
        retries=retries,
        records=records,
        sandbox=isolation,
        environment=environment,
    )
    report = Report(plan, schedule, seed, as_json=as_json)
    try:
        interrupted = run(plan, schedule, report)
    except Failure:
        report.show(interrupted=True)
        raise
    report.show(interrupted=interrupted)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if report.faulted:
        raise typer.Exit(FAULTED)


def configuration(name: str, settings: list[str], bots: int) -> tuple[Any, Any]:
    """The game and its Config. Raises OptionError."""
    from referee.games import OptionError, config_from, find_game

    game = find_game(name)
    given: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise OptionError(f"--set {setting}: write KEY=VALUE, for example --set players=3")
        key = key.strip()
        if key in given:
            raise OptionError(f"--set {key} is given twice: {key}={given[key]} and {key}={value.strip()}")
        given[key] = value.strip()
    try:
        config = config_from(game.Config, {"players": str(bots), **given}, from_text=True).with_files(read_text)
    except OptionError as error:
        hint = f" (bots given: {bots})" if "players" not in given and str(error).startswith("players=") else ""
        raise OptionError(f"{name}: {error}{hint}") from None
    if config.players != bots:
        raise OptionError(f"players={config.players} needs {config.players} bots, but {bots} are given")
    return game, config


def read_text(name: str) -> str:
    """The text of a file that an option names. Raises OptionError, which the option adds its name to."""
    from referee.files import IrregularFile, read_file
    from referee.games import OptionError

    try:
        content = read_file(Path(name), LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise OptionError(f"is over {LARGEST_FILE // 1024**2} MiB")
        return content.decode("utf-8-sig")  # some editors begin a file with a mark
    except IrregularFile as error:
        raise OptionError(str(error.strerror)) from None
    except OSError as error:
        raise OptionError(f"can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise OptionError("is not a text in UTF-8") from None


def time_control(
    move: float | None, bank: float | None, increment: float, startup: float, scale: float, *, enforced: bool
) -> "TimeControl":
    """The clock that the options describe: 1 s per decision unless there is a bank."""
    from referee.players.clock import TimeControl

    if move is None and bank is None:
        move = 1.0
    if increment and bank is None:
        raise Failure("--increment needs a --bank to go into", USAGE)
    if move == 0 or bank == 0 or startup == 0:
        raise Failure("a time limit of 0 leaves no time to answer; use --no-timeout to lift the limits", USAGE)
    control = TimeControl(move=move, bank=bank, increment=increment, startup=startup, enforced=enforced)
    return control.scaled(scale)


def cores() -> int:
    """Processors that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_all(entrants: list["BotSpec"]) -> None:
    """See that the programs of all bots are there."""
    from referee.players.bot_spec import BotSpecError, check

    try:
        for entrant in entrants:
            check(entrant)
    except BotSpecError as error:
        raise Failure(str(error), USAGE) from None


def isolate(mode: Literal["auto", "bwrap", "none"], entrants: list["BotSpec"], show: list[Path]) -> "Sandbox | None":
    """The sandbox for bots; says on stderr, once, what is in force, where there is anybody to run in it."""
    from referee.processes.sandbox import SandboxError, choose

    if all(entrant.policy is not None for entrant in entrants):
        return None
    for path in show:
        if not path.exists():
            raise Failure(f"--show {path}: there is no such file or folder", USAGE)
    folders = [entrant.folder for entrant in entrants if entrant.policy is None]
    try:
        sandbox, in_words = choose(mode, [path.resolve() for path in show], [*folders, Path(RECORDS).resolve()])
    except SandboxError as error:
        raise Failure(str(error)) from None
    say(in_words, err=True)
    for entrant in entrants:
        if sandbox is not None and entrant.policy is None:
            advice = sandbox.advice(entrant.argv, entrant.folder, typed=entrant.typed)
            if advice is not None:
                say(f"{entrant.name}: {advice}", err=True)
        for name, value in entrant.wanted.items():
            in_force = getattr(entrant.limits, name)
            if value > in_force:
                say(
                    f"{entrant.name} asks for {name}={value}; {in_force} is in force (raise it with --limit {name}=…)",
                    err=True,
                )
    return sandbox


def build_all(
    entrants: list["BotSpec"], sandbox: "Sandbox | None", environment: dict[str, str], fresh: Path | None
) -> None:
    """Build all bots, and see that their programs are there then; if that fails, the fresh folder isn't needed."""
    import contextlib

    try:
        run_builds(entrants, sandbox, environment)
        check_all(entrants)
    except (Failure, typer.Exit):
        if fresh is not None:
            with contextlib.suppress(OSError):  # a build outside the sandbox may have put something there
                fresh.rmdir()
        raise


def run_builds(entrants: list["BotSpec"], sandbox: "Sandbox | None", environment: dict[str, str]) -> None:
    """Run the build commands of all bots."""
    import trio

    from referee.processes.build import BuildError, build
    from referee.processes.supervisor import supervise

    async def build_each() -> None:
        with trio.open_signal_receiver(*ending_signals()) as signals:
            async with trio.open_nursery() as nursery:

                async def watch() -> None:
                    async for _ in signals:
                        raise KeyboardInterrupt

                nursery.start_soon(watch)
                async with supervise(sandbox, environment) as supervisor:
                    for entrant in entrants:
                        if entrant.build:
                            await build(supervisor, entrant.name, entrant.build, entrant.folder, entrant.limits)
                nursery.cancel_scope.cancel()

    try:
        trio.run(build_each)
    except BaseExceptionGroup as group:
        error = first_of(group)
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(INTERRUPTED) from None
        if isinstance(error, BuildError):
            message, *output = str(error).split("\n")
            raise Failure(message, more=output) from None
        raise


def record_folder(wanted: Path | None, first_id: str) -> Path:
    """The folder for records, made if need be. Never one that already holds records: they would be lost."""
    folder = wanted or Path(RECORDS)
    try:
        if wanted is None:
            folder = fresh_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if next(folder.glob("*.jsonl"), None) is not None:
            raise Failure(f"{folder} already holds game records; give another folder with --record")
        probe = folder / f"{first_id}.jsonl.part"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise Failure(
            f"can't write records to {folder}: {error.strerror}; give another folder with --record, or use --no-record"
        ) from None
    return folder


def fresh_folder(parent: Path) -> Path:
    """A new folder named after the time, also where another match begins in the same second. Raises OSError."""
    import time

    now = time.strftime("%Y-%m-%dT%H-%M-%S")
    folder, number = parent / now, 1
    while True:
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            if not folder.exists():
                raise
            number += 1
            folder = parent / f"{now}#{number}"
        else:
            return folder


def run(plan: "Plan", schedule: list[Any], report: Any) -> bool:
    """Play the games; whether that was interrupted. Raises Failure where records can't be written.

    After the first signal to end, further ones change nothing: an impatient Ctrl-C must not cost the results.
    """
    import contextlib
    import gc
    import signal

    import trio

    from referee.record.writer import RecordWriteError
    from tournaments.runner import Runner

    interrupted = False
    playing = trio.CancelScope()
    token: trio.lowlevel.TrioToken | None = None
    signals = ending_signals()

    def end(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        for number in signals:
            signal.signal(number, signal.SIG_IGN)
        with contextlib.suppress(trio.RunFinishedError):
            if token is not None:
                token.run_sync_soon(playing.cancel)

    async def main() -> None:
        nonlocal token
        token = trio.lowlevel.current_trio_token()
        if interrupted:
            return
        with playing:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(report.refresh)
                await Runner(plan, report.add, report.delay).run(schedule)
                nursery.cancel_scope.cancel()

    before = {number: signal.signal(number, end) for number in signals}
    gc.freeze()  # what was imported stays; the collector need not look at it during every game
    with report.progress():
        try:
            trio.run(main)
        except BaseExceptionGroup as group:
            error = first_of(group)
            if isinstance(error, RecordWriteError):
                raise Failure(str(error)) from None
            if isinstance(error, OSError):
                raise Failure(f"the match can't go on: {error.strerror or error}") from None
            raise
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_IGN if interrupted else handler)
    return interrupted


def ending_signals() -> list[int]:
    """What ends a match early: Ctrl-C, a polite kill, a terminal that goes away unless `nohup` says to play on."""
    import signal

    hangup = [] if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hangup]


def first_of(error: BaseException) -> BaseException:
    """The first error in a group of groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
