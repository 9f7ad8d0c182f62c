"""Level `play`: every configuration of every game, and with them every kind of decision."""

from functools import partial
from typing import Final

from referee.conformance.candidate import Candidate
from referee.conformance.finding import Finding, NotPassed, passed, skipped
from referee.conformance.levels.level import SPECIFICATION, Check, Level
from referee.conformance.started_bot import Played, StartedBot
from referee.conformance.variants import variants
from referee.games import Game
from referee.games.narrator import format_count

MORE_GAMES: Final = 20
"""Maximum number of further games for a kind of decision that has come for other seats only."""
OPENING_DECISIONS: Final = 25
"""Decisions of the opening of the game that begins in the middle."""
KIB: Final = 1024

LEVEL: Final = Level("play", "it plays every configuration of its games")


def checks_of(game: type[Game], *, quick: bool = False) -> list[Check]:
    """The checks for a game: one for each configuration, three about all of them, and one that begins in the middle."""
    source = f"{SPECIFICATION}, section 4, and protocol/games/{game.name}.md"
    found = []
    for variant in variants(game, quick=quick):
        run = partial(Candidate.try_variant, variant=variant)
        found.append(Check(LEVEL.name, variant.id, f"It plays {game.title} with {variant.name}.", source, run))
    everything = (
        ("decisions", f"It answers every kind of decision of {game.title}.", decisions),
        ("forced", "It follows a game in which decisions with one legal action are taken for it.", forced),
        ("largest", "It reads the longest lines that come.", largest),
        ("opening", "It plays on after decisions at the start that nobody was asked for.", opening),
    )
    return found + [
        Check(LEVEL.name, f"{game.name}.{name}", requirement, source, partial(run, game))
        for name, requirement, run in everything
    ]


async def played_of(game: type[Game], candidate: Candidate) -> list[Played]:
    """The games in all variants, played now if they have not been yet; only those without a fault. Raises NotPassed if
    there are none."""
    for variant in candidate.variants_of(game):
        await candidate.try_variant(variant)
    own = (candidate.played.get(variant.id) for variant in candidate.variants_of(game))
    games = [played for played in own if played is not None and played.fault is None]
    if not games:
        raise NotPassed(skipped(f"not tried, as it has played no game without a fault (play.{game.name})"))
    return games


async def decisions(game: type[Game], candidate: Candidate) -> Finding:
    """Check that each kind of decision has come and has been answered."""
    games = await played_of(game, candidate)
    own = [played for played in candidate.played.values() if played.variant.game is game]
    answered = set[str]().union(*(played.kinds for played in games))
    missed = [played for played in own if played.fault is not None and played.asked not in {"", *answered}]
    if missed:
        kinds = ", ".join(dict.fromkeys(played.asked for played in missed))
        advice = f"its shape is in protocol/games/{game.name}.md"
        return Finding(status="fail", message=f"never answered {kinds}", advice=advice, wire=missed[0].wire())
    bot: StartedBot | None = None
    for number in range(MORE_GAMES):
        wanted = set(game.actions) - answered
        if not wanted:
            break
        bot = bot or await candidate.start()
        promising = [
            played.variant for played in games if any(event.decision in wanted for event in played.at_the_table)
        ]
        variant = (promising or [played.variant for played in games])[number % len(promising or games)]
        where = f" ({variant.format_options()})"
        played = await candidate.finish(bot, variant, where, seat=number % 2, seed=f"more {number}")
        answered |= played.kinds
    never = [kind for kind in game.actions if kind not in answered]
    if never:
        came = f"{len(answered)} of {len(game.actions)} kinds came"
        return passed(f"{came}; its own choices never led to {', '.join(never)}")
    return passed(f"every kind came and was answered: {', '.join(game.actions)}")


async def forced(game: type[Game], candidate: Candidate) -> Finding:
    """Check that decisions were taken for the bot in games without a fault."""
    games = await played_of(game, candidate)
    number = sum(event.forced and event.seat == each.seat for each in games for event in each.at_the_table)
    if not number:
        return skipped("none of its decisions had only one legal action")
    return passed(f"taken for it: {format_count(number, 'decisions')} in {format_count(len(games), 'games')}")


async def largest(game: type[Game], candidate: Candidate) -> Finding:
    """Report the longest question that was answered."""
    games = await played_of(game, candidate)
    longest = max(games, key=lambda played: played.longest)
    return passed(f"the longest `act` had {longest.longest / KIB:.1f} KiB ({longest.variant.format_options()})")


async def opening(game: type[Game], candidate: Candidate) -> Finding:
    """Check that it plays a game that begins in the middle."""
    variant = (await played_of(game, candidate))[0].variant
    bot = await candidate.start()
    where = ", in a game that began in the middle"
    advice = "take what has happened from the `events` and the observation of the first `act`, not from the answers"
    await candidate.finish(bot, variant, where, advice, seed="opening", opening=OPENING_DECISIONS)
    return passed(f"played on after an opening of up to {OPENING_DECISIONS} decisions")
