"""The check before a tournament that its bots are ready: each is built and started, and plays a game that doesn't
count.

The games are played as in the tournament: with its game, options, clock, limits, environment, sandbox and concurrency.
Their deals are drawn separately and reveal nothing about those of the tournament.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from referee.bots.advice import Reader, advice_on, problem_of
from referee.bots.bot_spec import BotSpec
from referee.bots.preflight import Preflight
from referee.exception_groups import single_errors
from referee.outcome import Fault
from referee.players.clock import TimeControl, milliseconds
from referee.players.thinking_time import ThinkingTime
from referee.processes.limits.machine import cores, provide_for
from referee.processes.sandbox.bubblewrap import Sandbox, SandboxError
from referee.record.writer import Recorder
from referee.sample_bots import is_sample_bot
from referee.seeds import new_seed
from tournaments.competition.games import PlannedGame
from tournaments.event.check_results import Readiness
from tournaments.event.file.tournament_spec import TournamentBot, TournamentSpec
from tournaments.event.round_schedule import RoundSchedule, exclusive_use
from tournaments.event.store.records import tournament_openings
from tournaments.play.events import LiveEvent, Notice
from tournaments.play.local import InProcess
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, PlayedGame

WARNING_SHARE: Final = 0.5
"""The share of a time limit beyond which a bot that is ready gets a warning: the machine may be busier later."""

GAMES: Final = 3
"""The most that a bot plays in the check: it plays again after a fault, as one game says little about a rare fault, and
is not ready if all have one."""

MISSING_PART: Final = "give it the part that is missing: a file or socket with show, a setting with env in its [[bot]]"
"""Advice for a bot that takes all its decisions at random."""


def provide_for_games(spec: TournamentSpec, games: int | None = None) -> None:
    """Make sure that the machine can run a round of a tournament, of `games` games if that is known.

    Raises MachineError, which says what to set.
    """
    at_a_time = int(min(spec.conditions.games_at_a_time, games or math.inf))
    programs = sum(bot.spec.policy is None for bot in spec.bots)
    workers = min(spec.conditions.workers or cores(), at_a_time)
    provide_for(at_a_time, min(spec.regulations.seats, programs), workers)


def tournament_preflight(
    spec: TournamentSpec, on_notice: Callable[[str], None], folder: Path | None = None, *, collect: bool = False
) -> Preflight:
    """The bots of a tournament with their sandbox, not built yet. None of them may see the `folder` where it is kept.

    Raises SandboxError, also where a bot needs a file in that folder; with `collect` (see Preflight) only for errors
    about the sandbox as a whole.
    """
    bots = [bot.spec for bot in spec.bots]
    programs = [bot for bot in bots if bot.is_program]
    preflight = Preflight(
        bots,
        **spec.conditions.isolation,
        on_notice=on_notice,
        raise_limit="limits = {{ {name} = … }} in its [[bot]] or in [run]",
        others=[
            bot.name for bot in programs if bot.from_command_line or bot.environment or not is_sample_bot(bot.folder)
        ],
        collect=collect,
    )
    preflight.choose_sandbox()
    if folder is not None:
        why = f"{folder}, but that keeps the records and the seed, which no bot may see"
        where = "put the files of the bot elsewhere"
        preflight.hide(folder, lambda bot: SandboxError(f"{bot.name} needs to see {why}; {where}"), inside=True)
    for bot in programs if spec.seed is not None else ():
        if preflight.shows(bot, spec.path):
            on_notice(f"{bot.name} can read the seed in {spec.path}: leave it out, or put the bot in a folder")
    return preflight


async def check_readiness(
    spec: TournamentSpec,
    preflight: Preflight,
    on_result: Callable[[Readiness], None],
    on_notice: Callable[[str], None],
    *,
    without_games: bool = False,
    reader: Reader = "organiser",
) -> list[Readiness]:
    """Build every bot of a tournament, and let it play a game unless `without_games`; the results in the order of the
    file.

    `preflight` collects problems. `on_result` is called with each result as soon as it is known, `on_notice` with
    lines for the organiser. `reader`: whom the results advise. All processes have ended when this returns or is
    cancelled. Raises MachineError and SandboxError.
    """
    found: dict[str, Readiness] = {}

    def add(result: Readiness) -> None:
        found[result.bot] = result
        on_result(result)

    if not spec.conditions.ponder:
        await preflight.check_suspending()
    await preflight.build()
    to_play: list[TournamentBot] = []
    for bot in spec.bots:
        name, problem = bot.spec.name, preflight.problems.get(bot.spec.name)
        if problem is not None:
            add(Readiness(bot=name, ready=False, problem=problem.text, advice=problem.advice, stderr=problem.output))
        elif bot.spec.policy is not None or without_games:
            add(Readiness(bot=name, ready=True))
        else:
            to_play.append(bot)
    if to_play:
        with single_errors():
            await _play(spec, to_play, preflight.sandbox, add, on_notice, reader)
    return [found[bot.spec.name] for bot in spec.bots]


async def _play(
    spec: TournamentSpec,
    programs: Sequence[TournamentBot],
    sandbox: Sandbox | None,
    add: Callable[[Readiness], None],
    on_notice: Callable[[str], None],
    reader: Reader,
) -> None:
    """Play a game with each of these bots in seat 0 and built-in players in the other ones; again after a fault."""
    regulations, seed = spec.regulations, new_seed()
    opponents = [BotSpec(name="random", policy="random")] * (regulations.seats - 1)
    plan = GamePlan(
        game=regulations.game_type,
        config=regulations.full_config,
        openings=tournament_openings(regulations, spec.openings, seed),
        anonymous=regulations.anonymous,
        bots=[*(bot.spec for bot in programs), *opponents],
        conditions=msgspec.structs.replace(spec.conditions, files="shared", watched=False),
        sandbox=sandbox,
    )
    measured = Measurements(plan)
    control = spec.conditions.control
    faults: list[list[Fault]] = [[] for _ in programs]
    again: list[int] = []

    async def over(played: PlayedGame, recorder: Recorder) -> None:
        bot = played.game.seating[0]
        fault, stderr, startup = played.outcome.faults[0], played.stderr[0], played.startup[0]
        if fault is not None:
            faults[bot].append(fault)
            if startup is not None and len(faults[bot]) < GAMES:
                again.append(bot)
                return
        text = "" if fault is None or stderr is None else stderr.text
        sandboxed = sandbox is not None
        thinking = measured.thinking[bot]
        result = readiness_of(
            plan.bots[bot], fault, control, startup, thinking, text, sandboxed=sandboxed, reader=reader
        )
        add(after_faults(result, faults[bot], len(faults[bot]) + (fault is None)))

    def observe(event: LiveEvent) -> None:
        if isinstance(event, Notice):
            on_notice(event.text)

    others = tuple(range(len(programs), len(plan.bots)))
    to_play, number = list(range(len(programs))), 0
    while to_play:
        games = [
            PlannedGame(game_id=f"check-{deal}", round=0, table=deal, deal=deal, rotation=1, bots=(bot, *others))
            for deal, bot in enumerate(to_play, number + 1)
        ]
        number += len(games)
        schedule = RoundSchedule(
            games,
            seed,
            deals_of="round",
            exclusive=exclusive_use(programs),
            is_ending=lambda: False,
        )
        await InProcess(observe).play(plan, schedule, over, measured)
        to_play, again = sorted(again), []


def after_faults(result: Readiness, faults: Sequence[Fault], games: int) -> Readiness:
    """The result of the last of so many games of a bot, with the faults of all of them."""
    if result.ready and faults:
        failed = f"{len(faults)} of its {games} games ended with a fault: {faults[-1]}"
        result = msgspec.structs.replace(result, advice=f"{failed}; in the tournament it would lose such games")
    elif len(faults) > 1:
        result = msgspec.structs.replace(result, problem=f"{result.problem}; all of its {games} games ended so")
    return msgspec.structs.replace(result, games=games)


def readiness_of(
    bot: BotSpec,
    fault: Fault | None,
    control: TimeControl,
    startup: float | None,
    thinking: ThinkingTime,
    stderr: str = "",
    *,
    sandboxed: bool,
    reader: Reader = "organiser",
) -> Readiness:
    """The result for a bot that has played its game."""
    problem = None if fault is None else f"{fault.code}: {problem_of(fault.code, fault.message, stderr)}"
    at_random = thinking.format_fallbacks()
    if fault is not None:
        known = bot if reader == "organiser" else None
        advice: str | None = advice_on(fault.code, fault.message, stderr, known, reader=reader, sandboxed=sandboxed)
        if fault.referee_late:
            late = milliseconds(fault.referee_late)
            lower = "" if reader == "author" else ": lower concurrency in [run]"
            advice = f"this machine was busy or suspended, the referee was {late} ms late itself{lower}; or {advice}"
    elif at_random and thinking.fallbacks == thinking.decisions:
        problem, advice = at_random, MISSING_PART
    else:
        advice = f"it took {at_random}" if at_random else limit_warning(control, startup or 0.0, thinking)
    return Readiness(
        bot=bot.name,
        ready=problem is None,
        problem=problem,
        advice=advice,
        startup_ms=None if startup is None else round(startup * 1000, 1),
        thinking_ms=thinking.summary(bot.name),
        stderr=stderr,
    )


def limit_warning(control: TimeControl, startup: float, thinking: ThinkingTime) -> str | None:
    """A warning for a bot that came close to a time limit."""
    if not control.enforced:
        return None
    if startup > WARNING_SHARE * control.startup:
        return f"it took {startup:.1f} s to start, and at most {control.startup:g} s are allowed (startup in [clock])"
    if control.move is not None and thinking.worst > WARNING_SHARE * control.move:
        worst, limit = milliseconds(thinking.worst), milliseconds(control.move)
        return f"it thought for {worst} ms once, and at most {limit} ms are allowed (move in [clock])"
    if control.bank is not None:
        bank = control.bank + control.increment * thinking.decisions
        if thinking.total > WARNING_SHARE * bank:
            return f"it thought for {thinking.total:.1f} s in all, and {bank:.1f} s were allowed (bank in [clock])"
    return None
