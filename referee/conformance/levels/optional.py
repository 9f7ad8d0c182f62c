"""Level `optional`: what no bot has to do. If a bot doesn't do it, the check is `skipped`, and says why."""

from collections.abc import Callable
from typing import Final

from protocol import codec
from referee.conformance.candidate import Candidate
from referee.conformance.finding import Finding, ShownLine, passed, skipped
from referee.conformance.levels.level import Level
from referee.conformance.started_bot import Played, StartedBot
from referee.conformance.variants import Variant
from referee.players.thinking_time import ThinkingTime

LEVEL: Final = Level("optional", "what it doesn't have to do")
Exchange = Callable[[int], tuple[ShownLine, ...]]
"""The lines of the question with a number, and of its answer."""


async def play_again(
    candidate: Candidate, bot: StartedBot, variant: Variant, where: str = ""
) -> tuple[Played, Exchange]:
    """Play the game that is compared, always under the same clock. Raises NotPassed."""
    bot.wire.keep_all()
    return await candidate.finish(bot, variant, where, seed="again"), bot.wire.exchanges()


async def play_twice(candidate: Candidate) -> list[tuple[Played, Exchange]]:
    """Play the same game as the first one of two processes, one after the other. Raises NotPassed."""
    variant = (await candidate.playable())[0]
    return [await play_again(candidate, await candidate.start(), variant) for _ in range(2)]


def first_difference(one: Played, other: Played) -> int | None:
    """The number of the first question that was answered differently in two games; None if there is none."""
    pairs = zip(one.decisions, other.decisions, strict=False)
    return next((number for number, (a, b) in enumerate(pairs, start=1) if a.action != b.action), None)


def format_difference(number: int, one: Played, other: Played) -> str:
    first, second = one.decisions[number - 1], other.decisions[number - 1]
    answers = (codec.encode_json(decision.action).decode() for decision in (first, second))
    return f"it answered question {number} ({first.kind}) with {' and with '.join(answers)}"


@LEVEL.check("reproducible", "With the same `bot_seed` it plays the same game in the same way.", section="9")
async def reproducible(candidate: Candidate) -> Finding:
    (one, first), (other, second) = await candidate.once(play_twice)
    number = first_difference(one, other)
    if number is None:
        return passed(f"two processes gave the same answers, {len(one.decisions)} each")
    advice = (
        "draw all randomness from `bot_seed`, and let no answer depend on the time or on the order of a hash table: "
        "then a match can be repeated exactly"
    )
    return skipped(format_difference(number, one, other), advice, (*first(number), *second(number)))


@LEVEL.check("independent", "It plays a game as if it were its first, whatever it has played before.", section="9")
async def independent(candidate: Candidate) -> Finding:
    (one, _), (other, _) = await candidate.once(play_twice)
    if first_difference(one, other) is not None:
        return skipped("can't be checked, as it doesn't play reproducibly (optional.reproducible)")
    bot = await candidate.start()
    for variant in await candidate.playable():
        await candidate.play(bot, variant, seed="before")
    later, exchange = await play_again(candidate, bot, one.variant, ", after other games in the same process")
    number = first_difference(one, later)
    if number is None:
        return passed("played a game after others just as it had played it first")
    advice = "seed your random numbers at `start`, and keep nothing from one game to the next"
    words = f"{format_difference(number, one, later)}, after it had played other games"
    return skipped(words, advice, exchange(number))


@LEVEL.check("info", "What it sends as `info` is short enough to be kept whole in the record.", section="4")
async def info(candidate: Candidate) -> Finding:
    variant = (await candidate.playable())[0]
    played = candidate.played[variant.id]
    sent = [decision.info_bytes for decision in played.decisions if decision.info_bytes]
    if not sent:
        return skipped("it sends no `info`")
    if max(sent) > codec.MAX_INFO:
        advice = f"send at most {codec.MAX_INFO} bytes: the record keeps the beginning of what is longer, as a string"
        return Finding(
            status="warn", message=f"an `info` of {max(sent)} bytes was cut", advice=advice, wire=played.wire()
        )
    return passed(f"sent with {len(sent)} of {len(played.decisions)} answers, at most {max(sent)} bytes")


@LEVEL.check("decides", "It lacks no part, such as a file or a model, without which it decides at random.", section="4")
async def decides(candidate: Candidate) -> Finding:
    games = [candidate.played[variant.id] for variant in await candidate.playable()]
    times = ThinkingTime()
    for decision in (each for played in games for each in played.decisions):
        times.add(decision.seconds, decision.fallback)
    if not times.fallbacks:
        return passed("no `info` has a `fallback`")
    advice = "give it the part that is missing, for example with --show or --env; its standard error may say which"
    return Finding(status="warn", message=times.format_fallbacks(), advice=advice)
