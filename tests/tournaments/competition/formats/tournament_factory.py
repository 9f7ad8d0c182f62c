"""Tournaments to ask formats about, and rounds that are played by strength and chance."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random

from hypothesis import strategies as st
from msgspec import structs

from tests.tournaments.competition.results import game as result
from tournaments.competition.formats.interface import Format, FormatContext, TooFewBots
from tournaments.competition.rounds import Entry, PlayedRound, PointSystem, Round, TableResult

Play = Callable[[Sequence[int], int], Sequence[int]]
"""From the bots at a table and a number for the game: their scores, by position at the table."""


def tournament(
    bots: int | Sequence[Entry],
    seats: int = 2,
    *,
    deals: int = 1,
    points: PointSystem = "table",
    seed: str = "seed",
) -> FormatContext:
    """A tournament of so many bots, or of these."""
    entries = [Entry(name=f"bot{bot}") for bot in range(bots)] if isinstance(bots, int) else bots
    return FormatContext(entries=tuple(entries), seats=seats, deals=deals, points=points, seed=seed)


def with_entry(of: FormatContext, bot: int, entry: Entry) -> FormatContext:
    """The tournament with another entry for a bot, or with one more."""
    entries = (*of.entries[:bot], entry, *of.entries[bot + 1 :])
    return structs.replace(of, entries=entries)


def by_strength(bots: Sequence[int], _game: int) -> Sequence[int]:
    """The lower index always wins."""
    return [-bot for bot in bots]


def all_equal(bots: Sequence[int], _game: int) -> Sequence[int]:
    """Everything is drawn."""
    return [0] * len(bots)


def by_chance(seed: object, draws: float = 0.3) -> Play:
    """Stronger bots (of lower index) do better on average; some games are drawn."""
    random = Random(str(seed))

    def play(bots: Sequence[int], _game: int) -> Sequence[int]:
        if random.random() < draws:
            return [0] * len(bots)
        return [round(random.gauss(-bot, 6) * 10) for bot in bots]

    return play


def played(round_: Round, play: Play, forfeits: Sequence[int] = ()) -> PlayedRound:
    """A round with its results. Who forfeits comes last in every game."""
    results = []
    for table in round_.tables:
        games = []
        gone = [place for place, bot in enumerate(table.bots) if bot in forfeits]
        for number in range(round_.deals * len(table.bots)):
            scores = [-(10**6) if place in gone else score for place, score in enumerate(play(table.bots, number))]
            games.append(
                result(
                    [1 + sum(other > score for other in scores) for score in scores],
                    deal=1 + number // len(table.bots),
                    rotation=number % len(table.bots),
                    scores=scores,
                    forfeits=gone,
                    faults=gone,
                )
            )
        results.append(TableResult(table=table, games=tuple(games)))
    return PlayedRound(round=round_, results=tuple(results))


def play_out(format_: Format, of: FormatContext, play: Play = by_strength, most: int = 10_000) -> list[PlayedRound]:
    """The whole tournament, or its first rounds; each round is checked for bots that sit twice."""
    history: list[PlayedRound] = []
    while len(history) < most and (round_ := format_.next_round(of, history)) is not None:
        assert round_.number == len(history) + 1
        history.append(played(round_, play))
    return history


def play_with_withdrawals(
    format_: Format, of: FormatContext, play: Play, data: st.DataObject
) -> tuple[FormatContext, list[PlayedRound]]:
    """A tournament from which bots are withdrawn now and then: it ends, or too few are left. It has no more rounds and
    tables than planned.

    Returns it with the withdrawals, and its rounds.
    """
    plan = format_.plan(of)
    history: list[PlayedRound] = []
    with suppress(TooFewBots):
        while (round_ := format_.next_round(of, history)) is not None:
            assert round_.number == len(history) + 1
            check_seating(round_, of)
            history.append(played(round_, play))
            if data.draw(st.integers(0, 3)) == 0:
                gone = data.draw(st.integers(0, len(of.entries) - 1))
                if of.entries[gone].withdrawn is None:
                    of = with_entry(of, gone, Entry(name=f"bot{gone}", withdrawn=len(history) + 1))
    assert plan.rounds is not None
    assert len(history) <= plan.rounds
    if plan.tables is not None:
        assert sum(len(over.round.tables) for over in history) <= plan.tables
    if plan.games is not None:
        assert sum(len(result.games) for over in history for result in over.results) <= plan.games
    return of, history


def check_seating(round_: Round, of: FormatContext) -> None:
    """Everyone at most once, nobody who is absent, no table that is too small or too large."""
    seated = [bot for table in round_.tables for bot in table.bots] + list(round_.byes)
    assert len(seated) == len(set(seated))
    assert set(seated) <= set(of.playing(round_.number))
    assert all(2 <= len(table.bots) <= of.seats for table in round_.tables)
