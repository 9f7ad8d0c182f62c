"""Swiss: bots meet opponents whom they have not met yet and who have about as many points."""

from collections import Counter
from math import comb, lcm
from typing import ClassVar, Final

from msgspec import structs

from tournaments.competition.formats.draws import Draws
from tournaments.competition.formats.dutch import DUTCH, pair_round
from tournaments.competition.formats.dutch_field import Colour, Float, Player
from tournaments.competition.formats.interface import (
    MAX_SCHEDULE_ROUNDS,
    Format,
    FormatContext,
    FormatError,
    FormatPlan,
    TooFewBots,
    check_count,
    kept_apart,
)
from tournaments.competition.formats.table_search import Costs, Slot, default_steps, greedy, improve
from tournaments.competition.points import HALF, finished_tables, forfeited, points_at_table, totals
from tournaments.competition.rounds import History, Points, PointSystem, Round, Table
from tournaments.competition.tiebreaks import TieBreak

NO_FLOAT: Final[Float] = "none"
SECONDS_PER_STEP: Final = 7e-7
"""Of the search for tables."""
DUTCH_SECONDS: Final = 6e-6
"""An upper estimate per squared number of bots, from measurements (`make simulate ARGS="--pairings 1"`)."""


class Swiss(Format, frozen=True, forbid_unknown_fields=True):
    """Two seats: the FIDE Dutch system. More seats: one objective, minimised by a search of fixed length."""

    name: ClassVar[str] = "swiss"
    bye: ClassVar[Points] = HALF
    predetermined: ClassVar[bool] = False
    per_table: ClassVar[bool] = False
    # With two seats neighbours are those whom luck has brought together, and the confidence is far too high.
    neighbours_compared: ClassVar[int] = 3
    default_tiebreaks: ClassVar[tuple[TieBreak, ...]] = (
        "buchholz_cut1", "buchholz", "direct_encounter", "sonneborn_berger", "wins", "score_difference",
    )  # fmt: skip
    trf_type: ClassVar[str | None] = "Individual: Swiss-System (Dutch)"
    trf_pairing: ClassVar[str | None] = "FIDE_DUTCH"
    paired_by_hand: ClassVar[bool] = True

    rounds: int | None = None
    """With two seats min(⌈log2 N⌉ + 2, ⌈N / 2⌉) unless given."""

    def check(self, context: FormatContext) -> None:
        n, k = len(context.entries), context.seats
        if n < k:
            raise FormatError(f"a Swiss tournament with {k} seats needs at least {k} bots; there are {n}")
        if self.rounds is None and k > 2:
            raise FormatError(f"a Swiss tournament with {k} seats needs the number of `rounds`", setting="rounds")
        check_count("rounds", self.rounds, MAX_SCHEDULE_ROUNDS)

    def length(self, context: FormatContext) -> int:
        """The number of rounds. Late entrants don't change it."""
        if self.rounds is not None:
            return self.rounds
        n = sum(entry.joined == 1 for entry in context.entries)
        return max(1, min((n - 1).bit_length() + 2, (n + 1) // 2))

    def next_round(self, context: FormatContext, history: History) -> Round | None:
        number = len(history) + 1
        present = context.playing(number)
        slots = slots_for(len(present), context.seats)
        if number > self.length(context):
            return None
        if not any(slot.plays for slot in slots):
            needed = max(2, context.seats - 1)
            raise TooFewBots(context, number, f"a table needs at least {needed} bots; left: {len(present)}")
        if context.seats == 2:
            return kept_apart(context, self._dutch(context, history, present))
        tables, byes = pair_tables(context, history, present)
        return kept_apart(context, Round(number=number, tables=tables, byes=byes, deals=context.deals))

    def check_forbidden(self, context: FormatContext) -> None:
        """See Format. A round that can't keep them apart is not paired."""

    def pairing_seconds(self, context: FormatContext, number: int) -> float:
        bots = len(context.playing(number)) if number <= self.length(context) else 0
        if bots and context.seats > 2:
            return SECONDS_PER_STEP * default_steps(bots)
        return DUTCH_SECONDS * bots**2

    def rule(self, context: FormatContext) -> str:
        if context.seats == 2:
            return "the FIDE Dutch system (C.04.3 of 2026)"
        return (
            "nobody at a second small table or bye before everybody had one, then fewest repeated meetings, then"
            " nearest scores, then owners apart"
        )

    def plan(self, context: FormatContext) -> FormatPlan:
        rounds, k = self.length(context), context.seats
        slots = [slots_for(len(context.playing(number)), k) for number in range(1, rounds + 1)]
        sizes = [slot.size for of_round in slots for slot in of_round if slot.plays]
        return FormatPlan(
            rule=self.rule(context),
            rounds=rounds,
            tables=len(sizes),
            games=context.deals * sum(sizes),
            upper_bound=False,
        )

    def algorithm(self, seats: int) -> str:
        return DUTCH if seats == 2 else super().algorithm(seats)

    def default_points(self, seats: int) -> PointSystem:
        return "table" if seats == 2 else "game"

    def _dutch(self, context: FormatContext, history: History, present: list[int]) -> Round:
        """Pairing numbers are those of the entries, from 1; the initial colour is drawn by lot."""
        lot = Draws(context.seed, "swiss/initial colour").below(2)
        initial: Colour = "black" if lot else "white"
        players = dutch_players(context, history)
        pairing = pair_round(
            [apart(players[bot], context, len(history)) for bot in present],
            len(history) + 1,
            self.length(context),
            initial,
        )
        return Round(
            number=len(history) + 1,
            tables=tuple(Table((white - 1, black - 1)) for white, black in pairing.pairs),
            byes=() if pairing.bye is None else (pairing.bye - 1,),
            deals=context.deals,
        )


def dutch_players(context: FormatContext, history: History) -> list[Player]:
    """Each bot as a player of the Dutch system.

    White is seat 0 of the first rotation. A table at which a bot forfeited all games counts as unplayed, as a game does
    by FIDE's rules: it gives no colour, is not a meeting, and its winner has no bye later. Neither is one
    whose games are all void. Penalties and bonuses count from the round before which they were given.
    """
    n = len(context.entries)
    scores = [Points(0)] * n
    colours: list[list[Colour]] = [[] for _ in range(n)]
    floats: list[list[Float]] = [[] for _ in range(n)]
    opponents: list[list[int]] = [[] for _ in range(n)]
    byes, wins = Counter[int](), Counter[int]()
    for played in history:
        _adjust(scores, context, played.round.number)
        before = list(scores)
        direction: list[Float] = [NO_FLOAT] * n
        for bot in played.round.byes:
            scores[bot] += Swiss.bye
            byes[bot] += 1
            direction[bot] = "down"
        for bot, points_of_bye in played.requested:
            scores[bot] += points_of_bye
            wins[bot] += points_of_bye == 1
            direction[bot] = "down" if points_of_bye else NO_FLOAT
        for result in finished_tables(played):
            (white, black), points = result.table.bots, points_at_table(result, context.points)
            unplayed = any(forfeited(result))
            for bot, gained in ((white, points[0]), (black, points[1])):
                scores[bot] += gained
                if unplayed:
                    wins[bot] += gained == 1
                    direction[bot] = "down" if gained else NO_FLOAT
            if unplayed:
                continue
            for bot, other in ((white, black), (black, white)):
                opponents[bot].append(other + 1)
                if before[bot] != before[other]:
                    direction[bot] = "down" if before[bot] > before[other] else "up"
            colours[white].append("white")
            colours[black].append("black")
        for bot in range(n):
            floats[bot].append(direction[bot])
    _adjust(scores, context, len(history) + 1)
    return [
        Player(
            number=bot + 1,
            score=scores[bot],
            colours=tuple(colours[bot]),
            floats=tuple(floats[bot]),
            opponents=tuple(opponents[bot]),
            byes=byes[bot],
            unplayed_wins=wins[bot],
        )
        for bot in range(n)
    ]


def apart(player: Player, context: FormatContext, rounds: int) -> Player:
    """The player as if it had met those from whom it is kept apart more often than anybody else together."""
    often = (rounds + 1) * (len(context.entries) // 2 + 1)
    never = [other + 1 for bot, other in sorted(context.forbidden) if bot + 1 == player.number]
    return structs.replace(player, opponents=(*player.opponents, *(never * often))) if never else player


def _adjust(scores: list[Points], context: FormatContext, number: int) -> None:
    """Add the penalties and bonuses that count from this round on."""
    for bot, entry in enumerate(context.entries):
        scores[bot] += sum((points for since, points in entry.adjustments if since == number), Points(0))


def slots_for(n: int, k: int) -> list[Slot]:
    """Tables for n bots: n = a * k + b * (k - 1) with the fewest small ones where that has a solution, else byes."""
    small = -n % k
    full = (n - small * (k - 1)) // k
    if k > 2 and full >= 0:
        return [Slot(k)] * full + [Slot(k - 1, marked=True)] * small
    return [Slot(k)] * (n // k) + ([Slot(n % k, marked=True, plays=False)] if n % k else [])


def pair_tables(
    context: FormatContext, history: History, present: list[int], steps: int | None = None
) -> tuple[tuple[Table, ...], tuple[int, ...]]:
    """The tables of a round with more than two seats, those with the best bots first, and the bots with a bye."""
    number = len(history) + 1
    slots = slots_for(len(present), context.seats)
    costs = swiss_costs(context, history, present)
    draws = Draws(context.seed, f"swiss/{number}")
    points = totals(context.entries, history, context.points, Swiss.bye)
    order = sorted(draws.shuffled(present), key=lambda bot: -points[bot])
    found = improve(slots, greedy(slots, order, costs), costs, draws, steps or default_steps(len(present)))
    tables = [bots for slot, bots in zip(slots, found, strict=True) if slot.plays]
    tables.sort(key=lambda bots: sorted(-points[bot] for bot in bots))
    return (
        tuple(Table(tuple(draws.shuffled(sorted(bots)))) for bots in tables),
        tuple(sorted(bot for slot, bots in zip(slots, found, strict=True) if not slot.plays for bot in bots)),
    )


def swiss_costs(context: FormatContext, history: History, present: list[int]) -> Costs:
    """The objective as one integer. In this order, each weighing more than all that follow can add up to:

    forbidden pairs at a table; how often those at a small table or with a bye had one before; meetings of two bots at a
    table before this round; squared differences of points at a table; pairs at a table who have one owner.
    """
    n = len(context.entries)
    points = totals(context.entries, history, context.points, Swiss.bye)
    scale = lcm(*(points[bot].denominator for bot in present))
    scores = [int(worth * scale) if bot in set(present) else 0 for bot, worth in enumerate(points)]
    small, met = Counter[int](), Counter[tuple[int, int]]()
    for played in history:
        small.update(played.round.byes)
        for result in finished_tables(played):
            bots = result.table.bots
            if len(bots) < context.seats:
                small.update(bots)
            met.update((a, b) for a in bots for b in bots if a != b)
    pairs = comb(len(present), 2) + 1
    spread = max(scores[bot] for bot in present) - min(scores[bot] for bot in present)
    score_cost = pairs
    repeat_cost = score_cost * (spread**2 * pairs + 1)
    small_cost = repeat_cost * (max(met.values(), default=0) * pairs + 1)
    forbidden_cost = small_cost * (sum(small.values()) + 1)
    pair = [[0] * n for _ in range(n)]
    for a in present:
        owner = context.entries[a].owner
        for b in present:
            if a != b:
                pair[a][b] = (
                    ((a, b) in context.forbidden) * forbidden_cost
                    + met[a, b] * repeat_cost
                    + (scores[a] - scores[b]) ** 2 * score_cost
                    + (owner is not None and owner == context.entries[b].owner)
                )
    return Costs(pair, [small[bot] * small_cost for bot in range(n)])
