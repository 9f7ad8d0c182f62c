"""Level `optional`: what no bot has to do. If a bot doesn't do it, the check is `skipped`, and says why."""

from typing import Final

from protocol import codec
from referee.conformance.candidate import Candidate
from referee.conformance.finding import Finding, passed, skipped
from referee.conformance.levels.level import Level
from referee.conformance.levels.process import play_side_by_side
from referee.conformance.started_bot import Played
from referee.players.thinking_time import ThinkingTime

LEVEL: Final = Level("optional", "what it doesn't have to do")


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
    (first, one), *others = await candidate.once(play_side_by_side)
    for second, other in others:
        if (number := first_difference(one, other)) is not None:
            advice = (
                "draw all randomness from `bot_seed`, and let no answer depend on the time or on the order of a hash "
                "table: then a match can be repeated exactly"
            )
            wire = (*first.wire.exchange(number), *second.wire.exchange(number))
            return skipped(format_difference(number, one, other), advice, wire)
    return passed(f"{1 + len(others)} processes gave the same answers, {len(one.decisions)} each")


@LEVEL.check("independent", "It plays a game as if it were its first, whatever it has played before.", section="9")
async def independent(candidate: Candidate) -> Finding:
    (_, one), *others = await candidate.once(play_side_by_side)
    if any(first_difference(one, other) for _, other in others):
        return skipped("can't be checked, as it doesn't play reproducibly (optional.reproducible)")
    bot = await candidate.start()
    for variant in await candidate.playable():
        await candidate.play(bot, variant, seed="before")
    bot.wire.keep_all()
    later = await candidate.finish(bot, one.variant, ", after other games in the same process", seed="again")
    number = first_difference(one, later)
    if number is None:
        return passed("played a game after others just as it had played it first")
    advice = "seed your random numbers at `start`, and keep nothing from one game to the next"
    words = f"{format_difference(number, one, later)}, after it had played other games"
    return skipped(words, advice, bot.wire.exchange(number))


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
