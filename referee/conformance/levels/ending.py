"""Level `ending`: games and processes end in all the ways they may."""

import contextlib
from typing import Final, NamedTuple

import trio

from protocol import codec
from protocol.messages import FaultMessage, Message, Quit, Start
from referee.conformance.candidate import Candidate
from referee.conformance.finding import Finding, NotPassed, as_warning, passed, skipped
from referee.conformance.levels.level import Level
from referee.conformance.started_bot import StartedBot
from referee.conformance.variants import Variant
from referee.connections import ConnectionEnded
from referee.connections.pipe import PipeConnection
from referee.games import Game, Seeded
from referee.players.connect import QUIT_GRACE

EXIT_WELL: Final = "exited with status 0"
STAY_TIME: Final = 0.2
"""Seconds for which a bot is watched after `end`."""

TOO_SOON: Final = "stay until `quit` or the end of the input: a process plays many games"

LEVEL: Final = Level("ending", "it ends when it is told to")


class PipedBot(NamedTuple):
    """A process in which no game runs; the check handles its pipes itself. `variant`: the game to be played."""

    bot: StartedBot
    pipe: PipeConnection
    variant: Variant

    async def begin(self) -> Game:
        """Begin a game in which this bot is asked first."""
        variant = self.variant
        game = variant.game.new(variant.config, Seeded("ending"))
        assert game.turn is not None
        await self.post(
            Start(
                game_id="ending",
                game=variant.game.name,
                config=game.public_config(),
                seat=game.turn.seat,
                players=[f"seat {seat}" for seat in range(variant.config.players)],
                clock=self.bot.session.control.on_wire(),
                bot_seed=1,
            )
        )
        return game

    async def post(self, message: Message) -> None:
        """Raises NotPassed if the bot has ended too early."""
        await self.write(codec.encode(message))

    async def write(self, data: bytes) -> None:
        """Write bytes that need not be a line. Raises NotPassed as `post` does."""
        try:
            await self.bot.connection.post(data)
        except ConnectionEnded as error:
            raise NotPassed(self.bot.failed(f"crash: {error}", TOO_SOON)) from None

    async def exited(self, seconds: float) -> str | None:
        """How it exited within these seconds; None if it is still running."""
        with trio.move_on_after(seconds):
            await self.pipe.ended.wait()
            return (await self.pipe.process.ending()).message
        return None

    async def left(self, when: str, advice: str, *, status_matters: bool = True) -> Finding:
        """Check that it exits in time, and as a program that has not failed."""
        began = trio.current_time()
        ending = await self.exited(QUIT_GRACE)
        if ending is None:
            message = f"was still running {QUIT_GRACE:g} s after {when}, and would be killed"
            return self.bot.failed(message, advice)
        seconds = trio.current_time() - began
        if ending != EXIT_WELL and status_matters:
            await self.bot.wait_for_stderr()
            message = f"{ending} after {when}"
            return self.bot.failed(message, "exit with status 0 there: it is not an error", status="warn")
        return passed(f"{ending}, {seconds * 1000:.0f} ms after {when}")


async def start_piped(candidate: Candidate) -> PipedBot:
    """Start the bot. Raises NotPassed (skipped) if it is not connected by pipes."""
    bot = await candidate.start()
    if bot.pipe is None:
        raise NotPassed(skipped("the referee did not start it as a process"))
    bot.spent = True
    return PipedBot(bot, bot.pipe, candidate.variants_of(candidate.games[0])[0])


LEAVE_ADVICE: Final = (
    "leave the loop that reads standard input, and exit: threads that still run must not keep the process"
)


@LEVEL.check("end", "After `end` it waits for the next game, and writes nothing.", section="2")
async def end(candidate: Candidate) -> Finding:
    variant, bot = await candidate.start_plain()
    await candidate.finish(bot, variant, seed="end")
    with trio.move_on_after(STAY_TIME):
        await bot.connection.ended.wait()
    if bot.connection.ended.is_set():
        advice = "wait for the next `start`, until `quit` or the end of the input: a match would start it for each game"
        return bot.failed("it ended after `end`", advice, status="warn")
    if bot.wrote_more():
        advice = "`end` needs no answer: what comes after the next `start` is a `bad_message` of that game"
        return bot.failed("it wrote something after `end`, although nothing was asked", advice)
    await candidate.finish(bot, variant, seed="after the end")
    return passed("waited for the next game, and played it")


@LEVEL.check("quit", "After `quit` and the end of its input it exits within quit_ms, with status 0.", section="2")
async def quit_and_end(candidate: Candidate) -> Finding:
    process = await start_piped(candidate)
    await process.post(Quit())
    process.pipe.process.close_stdin()
    return await process.left("`quit`", LEAVE_ADVICE)


@LEVEL.check("quit_alone", "It exits at `quit` itself, while its input is still open.", section="2")
async def quit_alone(candidate: Candidate) -> Finding:
    process = await start_piped(candidate)
    await process.post(Quit())
    advice = "exit when `quit` comes, without waiting for more"
    return as_warning(await process.left("`quit`, while its input was open", advice))


@LEVEL.check("end_of_input", "It exits at the end of its input, without `quit`.", section="2")
async def end_of_input(candidate: Candidate) -> Finding:
    process = await start_piped(candidate)
    process.pipe.process.close_stdin()
    advice = "exit when reading standard input says that it has ended (in many languages an empty or missing line)"
    return await process.left("the end of its input", advice)


@LEVEL.check("cut_line", "It exits when its input ends in the middle of a line, with any status.", section="2")
async def cut_line(candidate: Candidate) -> Finding:
    process = await start_piped(candidate)
    await process.begin()
    await process.write(b'{"type":"act","id":1,"decis')
    process.pipe.process.close_stdin()
    return await process.left("the end of its input in the middle of a line", LEAVE_ADVICE, status_matters=False)


@LEVEL.check("fault", "It reads `fault`, and exits at the `quit` that follows.", section="8")
async def fault(candidate: Candidate) -> Finding:
    process = await start_piped(candidate)
    await process.begin()
    await process.post(FaultMessage(code="illegal_action", message='"a \\ fault", for this check'))
    with contextlib.suppress(NotPassed):  # if it has left at the fault already, its status says why
        await process.post(Quit())
    process.pipe.process.close_stdin()
    return await process.left("`fault` and `quit`", LEAVE_ADVICE)


@LEVEL.check("open_question", "It exits when its input ends while it is asked, within quit_ms.", section="2")
async def open_question(candidate: Candidate) -> Finding:
    process = await start_piped(candidate)
    game = await process.begin()
    await process.post(process.bot.session.next_act(game, [], 1000))
    await process.post(FaultMessage(code="timeout", message="no answer in time, for this check"))
    with contextlib.suppress(NotPassed):  # as above
        await process.post(Quit())
    process.pipe.process.close_stdin()
    advice = "check the time or standard input while it thinks: otherwise it is killed"
    return as_warning(await process.left("`quit`, which followed a question", advice, status_matters=False))


@LEVEL.check("closed_output", "It exits when nobody reads its output any more, with any status.", section="2")
async def closed_output(candidate: Candidate) -> Finding:
    process = await start_piped(candidate)
    game = await process.begin()
    process.pipe.process.close_stdout()
    await process.post(process.bot.session.next_act(game, [], 1000))
    await process.exited(QUIT_GRACE / 2)
    process.pipe.process.close_stdin()
    advice = "let a failed write (EPIPE, SIGPIPE) end the program, and don't retry it forever"
    return await process.left("both its pipes were closed", advice, status_matters=False)
