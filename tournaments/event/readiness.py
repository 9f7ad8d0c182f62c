"""Whether the bots of a tournament are ready: each is built and started, and plays a game, before the first one counts.

The games are played as those of the tournament: its game, options, clock, limits, environment and sandbox, and so many
at a time. Their deals are drawn anew, so nothing is learned of those of the tournament.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec import Struct

from protocol.messages import FaultCode
from referee.bots.bot_spec import BotSpec, BotSpecError, check_program
from referee.bots.build import BuildError, build
from referee.bots.crash import crash_advice
from referee.bots.preflight import building, choose_sandbox, cores, single_errors, would_see
from referee.outcome import Fault
from referee.players.clock import TimeControl, milliseconds
from referee.players.thinking_time import ThinkingSummary, ThinkingTime
from referee.processes.machine import provide_for
from referee.processes.sandbox import Sandbox, SandboxError
from referee.processes.supervisor import supervise
from referee.record.writer import Recorder
from referee.sample_bots import is_sample_bot
from referee.seeds import new_seed
from tournaments.competition.progress import PlannedGame
from tournaments.event.file.tournament_file import TournamentBot, TournamentSpec
from tournaments.event.round_schedule import RoundSchedule, exclusive_use
from tournaments.play.events import LiveEvent, Notice
from tournaments.play.executor import InProcess
from tournaments.play.measurements import Measurements
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame

CLOSE: Final = 0.5
"""The share of a time limit beyond which a bot that is ready gets a warning: the machine may be busier later."""
ADVICE: Final[Mapping[FaultCode, str]] = {
    "startup_timeout": 'if it needs more time to start, give it longer: startup = "…" in [clock]',
    "timeout": "if it needs more time, give it longer in [clock]; a lower concurrency in [run] helps a busy machine",
    "crash": "look at its standard error, and run its command by hand in its folder",
    "bad_message": "its answers are not as the protocol asks: see protocol/specification.md",
    "oversize": "its answers are longer than the protocol allows: see protocol/specification.md",
    "illegal_action": "it has to choose one of the legal actions that it is sent: see protocol/specification.md",
    "protocol_version": "get a version of this bot for the protocol that this referee speaks",
    "memory": "let it use less, or raise memory_mb: limits = { memory_mb = … } in its [[bot]] or in [run]",
}
SANDBOXED: Final = "; in the sandbox it sees its own folder and the system only: show = […] in [run] shows it more"


class Readiness(Struct, frozen=True, kw_only=True):
    """What the check of one bot found; an element of `bots` in the JSON of `referee tournament check`."""

    bot: str
    ready: bool
    problem: str | None = None
    """What is wrong."""
    advice: str | None = None
    """What to do about it. Of a bot that is ready: what may go wrong yet."""
    startup_ms: float | None = None
    """From its start to its `ready`; None for a built-in player, and for a bot that didn't get so far."""
    thinking_ms: ThinkingSummary | None = None
    """Its decisions in the game; None if it took none."""
    stderr: str = ""
    """Beginning and end of its standard error, or the end of its build's output, if it is not ready. Untrusted."""


class FailedBuild(Struct, frozen=True):
    """Why a bot could not be built, and the end of what the build wrote, which is untrusted."""

    problem: str
    output: str


NONE_FAILED: Final[Mapping[str, FailedBuild]] = MappingProxyType({})


def provide_for_games(spec: TournamentSpec, games: int | None = None) -> None:
    """Make sure that the machine can run a round of a tournament, of so many games if that is known.

    Raises MachineError, which says what to set.
    """
    at_a_time = min(spec.concurrency or cores(), games or math.inf)
    programs = sum(bot.spec.policy is None for bot in spec.bots)
    provide_for(int(at_a_time), min(spec.seats, programs), min(spec.workers, int(at_a_time)))


def tournament_sandbox(
    spec: TournamentSpec, on_notice: Callable[[str], None], folder: Path | None = None
) -> Sandbox | None:
    """The sandbox for the bots of a tournament that is kept in `folder`, which none of them may see.

    Raises SandboxError, also where a bot needs a file in that folder.
    """
    bots = [bot.spec for bot in spec.bots]
    sandbox = choose_sandbox(
        spec.sandbox,
        bots,
        show=spec.show,
        hide=[] if folder is None else [folder],
        on_notice=on_notice,
        raise_limit="limits = {{ {name} = … }} in its [[bot]] or in [run]",
        others=[
            bot.name for bot in bots if bot.is_program and (bot.from_command_line or not is_sample_bot(bot.folder))
        ],
    )
    if sandbox is None:
        return None
    for bot in bots:
        if bot.policy is not None:
            continue
        visible = sandbox.visible(bot.argv, bot.folder, from_command_line=bot.from_command_line)
        seen = {path.resolve() for path in visible}
        inside = folder is not None and any(path.is_relative_to(folder.resolve()) for path in seen)
        if folder is not None and (inside or would_see(sandbox, folder, bot)):
            problem = "keeps the records and the seed, which no bot may see; put the files of the bot elsewhere"
            raise SandboxError(f"{bot.name} needs to see {folder}, but that {problem}")
        if spec.seed is not None and any(spec.path.resolve().is_relative_to(path) for path in seen):
            on_notice(f"{bot.name} can read the seed in {spec.path}: leave it out, or put the bot in a folder")
    return sandbox


async def build_bots(
    spec: TournamentSpec, sandbox: Sandbox | None, on_notice: Callable[[str], None]
) -> dict[str, FailedBuild]:
    """Run the build commands of all bots, one after another; those that failed, by name of the bot.

    Bots that have folder, build command and environment in common are built once.
    """
    failed: dict[str, FailedBuild] = {}
    built: dict[tuple[object, ...], FailedBuild | None] = {}
    to_build = [bot.spec for bot in spec.bots if bot.spec.build]
    if not to_build:
        return failed
    with single_errors():
        async with supervise(sandbox, spec.environment) as supervisor:
            for bot in to_build:
                key = (bot.folder, bot.build, tuple(bot.environment.items()))
                if key not in built:
                    on_notice(building(bot))
                    try:
                        await build(supervisor, bot)
                        built[key] = None
                    except BuildError as error:
                        problem = str(error).removeprefix(f"{bot.name}: ").rstrip(":")
                        built[key] = FailedBuild(problem, "\n".join(line.strip() for line in error.output))
                failure = built[key]
                if failure is not None:
                    failed[bot.name] = failure
    return failed


async def check_readiness(
    spec: TournamentSpec,
    sandbox: Sandbox | None,
    on_result: Callable[[Readiness], None],
    on_notice: Callable[[str], None],
    failed_builds: Mapping[str, FailedBuild] = NONE_FAILED,
) -> list[Readiness]:
    """Check every bot of a tournament whose bots are built; the results in the order of the file.

    `on_result` is called with each as it is there, `on_notice` with lines for the organiser, and `failed_builds` is
    what `build_bots` returned. All processes have ended when this returns or is cancelled. Raises MachineError.
    """
    found: dict[str, Readiness] = {}

    def add(result: Readiness) -> None:
        found[result.bot] = result
        on_result(result)

    programs: list[TournamentBot] = []
    for bot in spec.bots:
        result = without_game(bot.spec, failed_builds)
        if result is None:
            programs.append(bot)
        else:
            add(result)
    if programs:
        with single_errors():
            await _play(spec, programs, sandbox, add, on_notice)
    return [found[bot.spec.name] for bot in spec.bots]


def without_game(bot: BotSpec, failed_builds: Mapping[str, FailedBuild]) -> Readiness | None:
    """The result for a bot that needs no game for it; None if it does."""
    if bot.policy is not None:
        return Readiness(bot=bot.name, ready=True)
    failure = failed_builds.get(bot.name)
    if failure is not None:
        advice = f"run its build command by hand in {bot.folder}"
        return Readiness(bot=bot.name, ready=False, problem=failure.problem, advice=advice, stderr=failure.output)
    try:
        check_program(bot)
    except BotSpecError as error:
        problem = str(error).removeprefix(f"{bot.name}: ")
        advice = f"its command is looked for in {bot.folder} and on PATH"
        return Readiness(bot=bot.name, ready=False, problem=problem, advice=advice)
    return None


async def _play(
    spec: TournamentSpec,
    programs: Sequence[TournamentBot],
    sandbox: Sandbox | None,
    add: Callable[[Readiness], None],
    on_notice: Callable[[str], None],
) -> None:
    """Play a game with each of these bots in seat 0 and built-in players in the other ones."""
    opponents = [BotSpec(name="random", policy="random")] * (spec.seats - 1)
    plan = GamePlan(
        game=spec.game,
        config=spec.config,
        anonymous=spec.anonymous,
        bots=[*(bot.spec for bot in programs), *opponents],
        control=spec.control,
        concurrency=spec.concurrency or cores(),
        retries=spec.retries,
        ponder=spec.ponder,
        sandbox=sandbox,
        environment=spec.environment,
    )
    measured = Measurements(plan)

    async def over(played: PlayedGame, recorder: Recorder) -> None:
        bot = played.game.seating[0]
        fault, stderr, startup = played.outcome.faults[0], played.stderr[0], played.startup[0]
        sandboxed = sandbox is not None
        result = judged(plan.bots[bot].name, fault, spec.control, startup, measured.thinking[bot], sandboxed=sandboxed)
        if fault is not None and stderr is not None:
            advice = crash_advice(stderr.text, sandboxed=sandboxed) if fault.code == "crash" else None
            result = msgspec.structs.replace(result, stderr=stderr.text, advice=advice or result.advice)
        add(result)

    def tell(event: LiveEvent) -> None:
        if isinstance(event, Notice):
            on_notice(event.text)

    others = tuple(range(len(programs), len(plan.bots)))
    games = [
        PlannedGame(game_id=f"check-{number}", round=0, table=number, deal=number, rotation=1, bots=(bot, *others))
        for bot, number in enumerate(range(1, len(programs) + 1))
    ]
    schedule = RoundSchedule(
        games,
        new_seed(),
        exclusive=exclusive_use(programs),
        is_ending=lambda: False,
    )
    await InProcess(tell).play(plan, schedule, over, measured)


def judged(
    bot: str,
    fault: Fault | None,
    control: TimeControl,
    startup: float | None,
    thinking: ThinkingTime,
    *,
    sandboxed: bool,
) -> Readiness:
    """The result for a bot that has played its game."""
    result = Readiness(
        bot=bot,
        ready=fault is None,
        problem=None if fault is None else str(fault),
        startup_ms=None if startup is None else round(startup * 1000, 1),
        thinking_ms=thinking.summary(bot),
    )
    if fault is None:
        return msgspec.structs.replace(result, advice=close_to_limit(control, startup or 0.0, thinking))
    advice = ADVICE[fault.code]
    if sandboxed and fault.code == "crash":
        advice += SANDBOXED
    if fault.referee_late:
        late = milliseconds(fault.referee_late)
        advice = (
            f"this machine was busy, the referee was {late} ms late itself: lower concurrency in [run]; or {advice}"
        )
    return msgspec.structs.replace(result, advice=advice)


def close_to_limit(control: TimeControl, startup: float, thinking: ThinkingTime) -> str | None:
    """A warning for a bot that came close to a limit of time."""
    if not control.enforced:
        return None
    if startup > CLOSE * control.startup:
        return f"it took {startup:.1f} s to start, and at most {control.startup:g} s are allowed (startup in [clock])"
    if control.move is not None and thinking.worst > CLOSE * control.move:
        worst, limit = milliseconds(thinking.worst), milliseconds(control.move)
        return f"it thought for {worst} ms once, and at most {limit} ms are allowed (move in [clock])"
    if control.bank is not None:
        bank = control.bank + control.increment * thinking.decisions
        if thinking.total > CLOSE * bank:
            return f"it thought for {thinking.total:.1f} s in all, and {bank:.1f} s were allowed (bank in [clock])"
    return None
