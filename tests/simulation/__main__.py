"""`make simulate`: what standings and sequential tests are worth, in simulated tournaments of the formats."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, product
from pathlib import Path
from typing import Final

from tests.simulation.coverage import Claims, coverage
from tests.simulation.event import Event, round_robin
from tests.simulation.field import Policy, normal, tiers
from tests.simulation.order import order
from tests.simulation.over_games import Games, claims_over_games
from tests.simulation.pairings import Comparison, event_of, pairing_seconds, table_seconds
from tests.simulation.policies import (
    Doing,
    after_a_lost_rotation,
    against,
    come_last,
    gain,
    in_rounds,
    let_win,
    with_a_bad_draw,
)
from tests.simulation.repeats import Pairing, held
from tests.simulation.schedules import Row, schedule_rows
from tests.simulation.sequential import decisions, sampling_error, sprt

SPREADS: Final = (0, 35, 70, 139, 250)
"""Standard deviations of true strengths in Elo."""
EVENTS: Final[dict[str, Event]] = {
    "round robin of 16": Event(format="round_robin", bots=16),
    "round robin of 50": Event(format="round_robin", bots=50),
    "round robin of 16, 3 seats": Event(format="round_robin", bots=16, seats=3, settings={"rounds": 10}),
    "round robin of 16, 4 seats": Event(format="round_robin", bots=16, seats=4, settings={"rounds": 10}),
    "swiss of 16": Event(format="swiss", bots=16, deals=2, settings={"rounds": 7}),
    "swiss of 50": Event(format="swiss", bots=50, deals=2, settings={"rounds": 7}),
    "swiss of 16, 3 seats": Event(format="swiss", bots=16, seats=3, deals=2, settings={"rounds": 7}),
    "swiss of 16, 4 seats": Event(format="swiss", bots=16, seats=4, deals=2, settings={"rounds": 7}),
    "swiss of 17, byes, late": Event(format="swiss", bots=17, deals=2, late=1, byes=2, settings={"rounds": 8}),
    "ladder of 16": Event(format="ladder", bots=16, deals=2, settings={"budget": 480}),
    "ladder of 50": Event(format="ladder", bots=50, deals=2, settings={"budget": 1500}),
    "ladder of 16, 3 seats": Event(format="ladder", bots=16, seats=3, deals=2, settings={"budget": 480}),
    "ladder of 16, 4 seats": Event(format="ladder", bots=16, seats=4, deals=2, settings={"budget": 640}),
    "ladder of 17, byes, late": Event(format="ladder", bots=17, deals=2, late=1, byes=2, settings={"budget": 480}),
}
PROMISED: Final = 0.95
"""The share of intervals that hold the truth."""
PROMISED_AT_ENDS: Final = 0.92
WIDEST: Final = 1.15
"""The mean width of intervals beside that without the normal prior."""
OUTLIER: Final = [600.0, *[0.0] * 15]
PROMISED_OF_OUTLIERS: Final = 0.88

TIERS: Final[dict[int, tuple[int, int]]] = {2: (8, 4), 3: (9, 4), 4: (12, 6), 5: (10, 5)}
"""By number of seats: how many bots, and how many of them are in the upper tier."""
TIER_DEALS: Final = (7, 14, 56)
APART: Final = (0, 200, 400, 600, 800, 1000, 1200, 1600)
PROMISED_IN_TIERS: Final = 0.93
SELDOM: Final = 0.01
"""A row in which fewer tournaments than this show an interval says nothing about those."""

ORDERED: Final[dict[str, Event]] = {
    "ladder": Event(format="ladder", bots=16, deals=2, settings={"budget": 480}),
    "round robin": Event(format="round_robin", bots=16, deals=2),
    "swiss": Event(format="swiss", bots=16, deals=4, settings={"rounds": 7}),
}
"""With 30, 30 and 28 deals of each bot."""

OVER_GAMES: Final[dict[str, Games]] = {
    "10 bots, 3 games of 1, 2, 10 deals": Games(
        bots=10, events=[Event(format="round_robin", bots=10, deals=deals) for deals in (1, 2, 10)]
    ),
    "10 bots, of which 6, 8, 10 play": Games(
        bots=10, events=[Event(format="round_robin", bots=bots, deals=2) for bots in (6, 8, 10)]
    ),
    "4 bots, 8 games of 7 or 14 deals": Games(
        bots=4, events=[Event(format="round_robin", bots=4, deals=deals) for deals in (7, 14) * 4]
    ),
    "16 bots, a swiss and a ladder": Games(
        bots=16,
        events=[
            Event(format="swiss", bots=16, deals=2, settings={"rounds": 7}),
            Event(format="ladder", bots=16, deals=2, settings={"budget": 240}),
        ],
    ),
}
"""Deals are those of a pair."""
DIFFERING: Final = ((0, 0), (70, 0), (70, 70), (139, 139), (0, 250))
"""Standard deviations of strengths in all games, and of what they are more or less in each of them."""
NAMED: Final = 0.1
"""The share of rankings that may name a cycle or a misfit where there is none: 5 % for each of the two."""

SEQUENTIAL: Final[dict[str, Event]] = {
    "two bots": sprt(20, batch=16, max_games=40_000),
    "beside a field of 1": sprt(40, batch=16, max_games=40_000, field=1),
    "beside a field of 3": sprt(40, batch=16, max_games=100_000, seats=4, field=3),
}

FAILING: Final[dict[str, Doing]] = {
    "after a lost rotation": after_a_lost_rotation,
    "with a bad draw": with_a_bad_draw,
    "against b5": against(5),
    "in the last round": in_rounds([7]),
}
FAILING_IN: Final[dict[str, Event]] = {
    "round robin": Event(format="round_robin", bots=8, deals=2),
    "swiss": Event(format="swiss", bots=16, deals=2, settings={"rounds": 7}),
    "ladder": Event(format="ladder", bots=8, deals=2, settings={"budget": 112}),
    "round robin, 4 seats": Event(format="round_robin", bots=8, seats=4, deals=2, settings={"rounds": 7}),
}
DODGER: Final = 3

REPEATING: Final[dict[str, Pairing]] = {
    "repeat themselves": Pairing(openings=1, repeating=1.0),
    "after 20 openings": Pairing(openings=20, repeating=1.0),
    "after 400 openings": Pairing(openings=400, repeating=1.0),
    "deviate at times": Pairing(openings=1, repeating=0.6),
    "choose at random": Pairing(openings=1, repeating=0.0),
}
"""Bots that deviate in 1 of 20 decisions repeat 0.6 of games with 10 of them, and 0.36 of deals."""
REPEATED_DEALS: Final = (7, 40, 200)

PARTS: Final = ("coverage", "tiers", "order", "over_games", "failing", "repeats", "sequential")

FRIEND: Final = 3
"""The fourth best of COLLUDING bots, for whom the others play."""
COLLUDING: Final = 16
COLLUDING_SPREAD: Final = 120.0
COLLUSION: Final[list[tuple[str, dict[int, Policy], str, int, int]]] = [
    ("a helper always comes behind it", come_last([7], FRIEND), "round_robin", 2, 15),
    ("a helper always comes behind it", come_last([7], FRIEND), "swiss", 2, 6),
    ("a helper always comes last", come_last([7], FRIEND), "round_robin", 4, 6),
    ("a helper always comes last", come_last([7], FRIEND), "swiss", 4, 6),
    ("a helper lets it win every game", let_win([7], FRIEND), "round_robin", 4, 6),
    ("a helper lets it win every game", let_win([7], FRIEND), "swiss", 4, 6),
    ("three helpers let it win every game", let_win([7, 9, 11], FRIEND), "round_robin", 4, 6),
    ("it loses the first round on purpose", {FRIEND: in_rounds([1])("lose")}, "swiss", 2, 6),
    ("it loses the first round on purpose", {FRIEND: in_rounds([1])("lose")}, "swiss", 4, 6),
]
"""What is done, by which policies, in which format, with how many seats and rounds."""

PAIRED_SIZES: Final = (100, 200, 400, 1000)
PAIRED_ROUNDS: Final = 6
COMPARED_SIZES: Final = ((3, 12), (8, 30), (20, 60), (60, 160))


def tell(rows: Iterable[Row]) -> bool:
    """Write lines as they are found; false if one of them is wrong."""
    good = True
    for row in rows:
        good = good and not row.wrong
        sys.stdout.write(f"{row.text}{'  WRONG' if row.wrong else ''}\n")
        sys.stdout.flush()
    return good


def simulate_coverage(runs: int, names: Sequence[str]) -> Iterator[Row]:
    """A row per event and spread; wrong if too few of the claims in standings are true."""
    yield Row(
        f"95 % intervals that hold the truth, in {runs} tournaments per row: of ratings, of those of the first and last"
        " two places, of differences;\nneighbours about whom nothing false is claimed; half-widths in Elo, and beside"
        " those without the normal prior\n"
        f"{'event':26} spread  ratings   ends  differences  neighbours  half-width  ratio  without"
    )
    for name in names or EVENTS:
        event = EVENTS[name]
        fields = {f"{spread:6}": normal(event.bots, spread) for spread in SPREADS}
        if event.bots == len(OUTLIER):
            fields["   600"] = OUTLIER
        for spread, elos in fields.items():
            found = coverage(event, elos, runs=runs, seed=f"{name}/{spread}")
            at_ends = PROMISED_OF_OUTLIERS if elos is OUTLIER else PROMISED_AT_ENDS
            wrong = (
                is_short(found.ratings, PROMISED, runs)
                or is_short(found.ends, at_ends, runs)
                or is_short(found.differences, PROMISED, runs)
                or found.neighbours.above < PROMISED - sampling_error(PROMISED, runs)
                or found.ratings.half_width > WIDEST * found.by_games.half_width
            )
            yield Row(
                f"{name:26} {spread} {found.ratings.share:8.1%} {found.ends.share:6.1%} {found.differences.share:12.1%}"
                f" {found.neighbours.above:11.1%} {found.ratings.half_width:11.0f}"
                f" {found.ratings.half_width / found.by_games.half_width:6.2f} {found.ratings.missing:8.1%}",
                wrong,
            )


def is_short(claims: Claims, promised: float, runs: int) -> bool:
    """Whether so few intervals hold the truth that chance doesn't explain it. The bots of one tournament depend on each
    other: no more certainty than one bot per tournament gives."""
    return claims.tournaments >= SELDOM * runs and claims.share < promised - sampling_error(
        promised, claims.tournaments
    )


def simulate_tiers(runs: int, seats: Sequence[int], all_deals: Sequence[int]) -> Iterator[Row]:
    """A row per distance of two tiers; wrong if intervals that are shown cover the truth too rarely."""
    yield Row(
        f"Two tiers in a round robin: what is shown of ratings (then of differences), in {runs} tournaments per row\n"
        "seats  bots  deals  apart | covered   shown  half-width  one-sided | covered   shown  half-width  one-sided"
    )
    for k, deals, apart in product(seats, all_deals, APART):
        bots, top = TIERS[k]
        elos = tiers(bots, top, apart)
        seed = f"tiers/{k}/{deals}/{apart}"
        found = coverage(round_robin(bots, k, deals), elos, runs=runs, seed=seed, luck=0.0, tie=0.0)
        yield Row(
            f"{k:5} {bots:5} {deals:6} {apart:6} | {tier_columns(found.ratings)} | {tier_columns(found.differences)}",
            any(is_short(claims, PROMISED_IN_TIERS, runs) for claims in (found.ratings, found.differences)),
        )


def tier_columns(claims: Claims) -> str:
    """Coverage of intervals, how often there is one, half-widths, and coverage of one-sided bounds."""
    columns = f"{claims.share:7.1%}" if claims.intervals else "      –"
    columns += f" {1 - claims.missing:7.1%}"
    columns += f" {claims.half_width:11.0f}" if claims.intervals else " " * 11 + "–"
    return columns + (f" {claims.holding / claims.one_sided:10.1%}" if claims.one_sided else "          –")


def simulate_order(runs: int) -> Iterator[Row]:
    """How well formats order their bots, with about as many games."""
    yield Row(
        f"Order, in {runs} tournaments per row: rank correlation, error of the first three in Elo, pairs that meet,"
        " most rounds of a pair"
    )
    for spread, (name, event) in product(SPREADS, ORDERED.items()):
        found = order(event, normal(event.bots, spread), runs=runs, seed=f"order/{spread}")
        yield Row(
            f"{name:12} {spread:6} {found.correlation:8.2f} {found.error:6.0f} {found.pairs:8.0%} {found.most:6.1f}"
        )


def simulate_over_games(runs: int) -> Iterator[Row]:
    """A row per event and spreads; wrong if too few of the claims are true, or too many cycles named."""
    yield Row(
        f"Over several games, {runs} runs per row: spread in all games, and in each one; intervals that hold the truth,"
        " of ratings and of the\nfirst and last two; neighbours about whom nothing false is claimed; half-width;"
        " rankings with a false cycle or misfit"
    )
    for (name, of), (spread, differing) in product(OVER_GAMES.items(), DIFFERING):
        found = claims_over_games(of, spread, differing, runs=runs, seed=f"over games/{name}/{spread}/{differing}")
        wrong = (
            is_short(found.ratings, PROMISED, runs)
            or is_short(found.ends, PROMISED_AT_ENDS, runs)
            or found.neighbours.above < PROMISED - sampling_error(PROMISED, runs)
            or found.named > (NAMED + sampling_error(NAMED, found.rankings)) * found.rankings
        )
        yield Row(
            f"{name:35} {spread:4} {differing:4} {found.ratings.share:8.1%} {found.ends.share:6.1%}"
            f" {found.neighbours.above:6.1%} {found.ratings.half_width:5.0f} {found.ratings.missing:6.1%}"
            f" {found.named:3} of {found.rankings}",
            wrong,
        )


def simulate_sequential(runs: int) -> Iterator[Row]:
    """Tests at both hypotheses; wrong if an error rate exceeds its risk by more than the sampling error."""
    for name, event in SEQUENTIAL.items():
        settings = event.settings
        yield Row(
            f"SPRT, {name}: 0 against {settings['elo1']:g} Elo, risks 5% and 5%, batches of {settings['batch']} deals,"
            f" {runs} runs per row\ntrue Elo  accepted  rejected  undecided  mean deals"
        )
        for elo in (0, settings["elo1"]):
            found = decisions(event, elo, runs=runs, seed=f"sequential/{name}/{elo}")
            errors = found.rejected if elo else found.accepted
            yield Row(
                f"{elo:8g} {found.accepted / runs:9.1%} {found.rejected / runs:9.1%} {found.undecided / runs:10.1%}"
                f" {found.mean_deals:11.0f}",
                errors / runs > 0.05 + sampling_error(0.05, runs) or found.undecided > 0.01 * runs,
            )


def simulate_repeats(runs: int) -> Iterator[Row]:
    """What intervals of shares are worth in games without chance; wrong if too few hold the truth."""
    yield Row(
        f"Games without chance, {runs} matches of two bots per row: 95 % intervals of the share of wins that hold the"
        " truth\nbots                     deals  matches with an interval  holding  half-width"
    )
    for (name, pairing), deals in product(REPEATING.items(), REPEATED_DEALS):
        found = held(pairing, 70, deals, runs=runs, seed=f"repeats/{name}/{deals}")
        share = found.holding / found.shown if found.shown else 1.0
        shown = f"{share:8.1%} {found.half_width:11.1%}" if found.shown else "       –           –"
        wrong = share < PROMISED - sampling_error(PROMISED, max(found.shown, 1))
        yield Row(f"{name:24} {deals:5} {found.shown / runs:25.0%} {shown}", wrong)


def simulate_failing(runs: int) -> Iterator[Row]:
    """What a bot gains by failing instead of losing the same games; wrong if that is anything."""
    yield Row(
        f"Failing instead of losing the same games: what it gains, in {runs} tournaments per row\n"
        "event                 when                       places           points              Elo"
    )
    for (name, event), (when, doing) in product(FAILING_IN.items(), FAILING.items()):
        elos = normal(event.bots, 70)
        found = gain(event, elos, DODGER, {DODGER: doing("fail")}, {DODGER: doing("lose")}, runs=runs)
        yield Row(
            f"{name:21} {when:22} {found.places:+7.2f} ± {2 * found.places_error:.2f} {found.points:+8.2f}"
            f" ± {2 * found.points_error:.2f} {found.elo:+8.1f} ± {2 * found.elo_error:.1f}",
            any(value > 2 * error + 1e-6 for value, error in zip(found[::2], found[1::2], strict=True)),
        )


def simulate_collusion(runs: int) -> Iterator[Row]:
    """What bots gain that play for each other: rating and places, in rows of a Markdown table."""
    yield Row(f"Collusion: what bot {FRIEND + 1} of {COLLUDING} gains, {runs} tournaments per row")
    elos = normal(COLLUDING, COLLUDING_SPREAD)[::-1]
    for what, policies, format_, seats, rounds in COLLUSION:
        event = Event(format=format_, bots=COLLUDING, seats=seats, deals=2, settings={"rounds": rounds})
        found = gain(event, elos, FRIEND, policies, {}, runs=runs)
        yield Row(
            f"| {what} | {format_}, {seats} seats, {rounds} rounds | {found.elo:+.0f} ± {2 * found.elo_error:.0f}"
            f" Elo | {found.places:+.1f} ± {2 * found.places_error:.1f} |"
        )


def simulate_pairings(program: Path | None, rounds: int) -> Iterator[Row]:
    """How long pairing takes; and with the program bbpPairings, in how many rounds it pairs otherwise. Wrong if that is
    more than one in a thousand."""
    yield Row("Pairing: processor time of a round for two seats\n  bots    median  90th of 100   longest")
    for size in PAIRED_SIZES:
        seconds = pairing_seconds(size, PAIRED_ROUNDS)
        at_90 = seconds[len(seconds) * 9 // 10]
        yield Row(f"{size:6} {seconds[len(seconds) // 2]:7.2f} s {at_90:10.2f} s {seconds[-1]:7.2f} s")
    for seats, size in product((3, 4, 5), (200, 1000)):
        yield Row(f"{seats} seats, {size} bots: {' '.join(f'{took:.2f} s' for took in table_seconds(size, seats))}")
    if program is None:
        return
    found = Comparison()
    for number in count(1):
        for smallest, largest in COMPARED_SIZES:
            name = f"tournament {number} of {smallest} to {largest}"
            found.add(program, name, event_of(name, smallest, largest))
        if found.rounds >= rounds:
            break
    said = (
        f"{len(found.differences)} of {found.rounds} rounds differ from those of bbpPairings, which found no legal"
        f" pairing for {found.unpairable} more"
    )
    yield Row("\n".join([said, *found.differences]), len(found.differences) * 1000 > found.rounds)


def main() -> int:
    """1 if something is not as promised."""
    parser = argparse.ArgumentParser(prog="make simulate")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="only these parts")
    parser.add_argument("--runs", type=int, default=200, help="tournaments per event and spread")
    parser.add_argument("--events", nargs="*", default=(), metavar="EVENT", help=f"only these of {', '.join(EVENTS)}")
    parser.add_argument("--tiers", type=int, default=50, help="tournaments per row of two tiers")
    parser.add_argument("--seats", type=int, nargs="*", default=list(TIERS), help="only these, of two tiers")
    parser.add_argument("--deals", type=int, nargs="*", default=TIER_DEALS, help="only these, of two tiers")
    parser.add_argument("--order", type=int, default=100, help="tournaments per row of how well formats order")
    parser.add_argument("--failing", type=int, default=200, help="tournaments per row of what failing gains")
    parser.add_argument("--over-games", type=int, default=40, help="runs per row of rankings over several games")
    parser.add_argument("--repeats", type=int, default=100, help="matches per row of games without chance")
    parser.add_argument("--sequential-runs", type=int, default=2000, help="simulated tests per row")
    parser.add_argument("--collusion", type=int, default=0, help="tournaments per row of what colluding bots gain")
    parser.add_argument("--bbp", type=Path, help="the program bbpPairings 6.0.0, to compare pairings with")
    parser.add_argument(
        "--pairings", type=int, default=0, help="rounds to compare; without --bbp only measure the time"
    )
    parser.add_argument("--schedules", type=int, nargs="*", help="seats: how even round robins of 5 to 40 bots are")
    parser.add_argument("--bots", type=int, nargs="*", default=range(5, 41), help="for --schedules: numbers of bots")
    arguments = parser.parse_args()
    if arguments.pairings:
        return int(not tell(simulate_pairings(arguments.bbp, arguments.pairings)))
    if arguments.schedules is not None:
        return int(not tell(schedule_rows(arguments.schedules or (3, 4, 5), arguments.bots)))
    if arguments.collusion:
        return int(not tell(simulate_collusion(arguments.collusion)))
    parts = {
        "coverage": simulate_coverage(arguments.runs, arguments.events),
        "tiers": simulate_tiers(arguments.tiers, arguments.seats, arguments.deals),
        "order": simulate_order(arguments.order),
        "over_games": simulate_over_games(arguments.over_games),
        "failing": simulate_failing(arguments.failing),
        "repeats": simulate_repeats(arguments.repeats),
        "sequential": simulate_sequential(arguments.sequential_runs),
    }
    return int(not tell(chain.from_iterable(rows for name, rows in parts.items() if name in arguments.only)))


if __name__ == "__main__":
    sys.exit(main())
