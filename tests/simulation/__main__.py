"""`make simulate`: the coverage of rating intervals and the error rates of the SPRT format, as tables."""

import argparse
import sys
from collections.abc import Sequence
from itertools import count, product
from pathlib import Path
from typing import Final, get_args

from tests.simulation.collusion import Scheme, come_last, effect, let_win, lose_at_first
from tests.simulation.coverage import Schedule, coverage, ladder, round_robin, swiss
from tests.simulation.pairings import Comparison, event_of, pairing_seconds, table_seconds
from tests.simulation.schedules import tell_schedules
from tests.simulation.sequential import format_decisions, sampling_error, sprt_of
from tests.simulation.tiers import Claims, tier_coverage
from tournaments.competition.formats.interface import FormatContext
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.rounds import DealsOf

ROWS: Final[list[tuple[str, Schedule, int, int, list[int]]]] = [
    ("round robin", round_robin, 8, 2, [7, 14, 28, 70]),
    ("round robin", round_robin, 16, 4, [7, 14, 28]),
    ("swiss", swiss, 16, 2, [10, 14, 28]),
    ("swiss", swiss, 16, 4, [10, 14, 28]),
    ("ladder", ladder, 16, 2, [14, 28]),
    ("ladder", ladder, 16, 4, [14, 28]),
]
DEALS_OF: Final[tuple[DealsOf, ...]] = get_args(DealsOf)
SEQUENTIAL: Final[dict[str, tuple[Sprt, FormatContext]]] = {
    "SPRT, two bots": sprt_of(20, batch=16, max_games=40_000),
    "SPRT beside a field of 1": sprt_of(40, batch=16, max_games=40_000, field=1),
    "SPRT beside a field of 3": sprt_of(40, batch=16, max_games=100_000, seats=4, field=3),
}

TIERS: Final[dict[int, tuple[int, int]]] = {2: (8, 4), 3: (9, 4), 4: (12, 6), 5: (10, 5)}
"""By number of seats: how many bots, and how many of them are in the upper tier."""
TIER_DEALS: Final = (7, 14, 56)
APART: Final = (0, 200, 400, 600, 800, 1000, 1200, 1600)
PROMISED: Final = 0.93
"""The share of shown intervals that contain the truth."""
SELDOM: Final = 0.01
"""A row in which fewer tournaments than this show an interval says nothing about those."""

FRIEND: Final = 3
"""The fourth best of COLLUDING bots, for whom the others play."""
COLLUDING: Final = 16
COLLUSION: Final[list[tuple[str, Scheme, str, int, int]]] = [
    ("a helper always comes behind it", come_last([7], FRIEND), "round_robin", 2, 15),
    ("a helper always comes behind it", come_last([7], FRIEND), "swiss", 2, 6),
    ("a helper always comes last", come_last([7], FRIEND), "round_robin", 4, 6),
    ("a helper always comes last", come_last([7], FRIEND), "swiss", 4, 6),
    ("a helper lets it win every game", let_win([7], FRIEND), "round_robin", 4, 6),
    ("a helper lets it win every game", let_win([7], FRIEND), "swiss", 4, 6),
    ("three helpers let it win every game", let_win([7, 9, 11], FRIEND), "round_robin", 4, 6),
    ("it loses the first round on purpose", lose_at_first(FRIEND, 1), "swiss", 2, 6),
    ("it loses the first round on purpose", lose_at_first(FRIEND, 1), "swiss", 4, 6),
]
"""What is done, by which scheme, in which format, with how many seats and rounds."""


PAIRED_SIZES: Final = (100, 200, 400, 1000)
PAIRED_ROUNDS: Final = 6
COMPARED_SIZES: Final = ((3, 12), (8, 30), (20, 60), (60, 160))


def simulate_intervals(runs: int) -> bool:
    """Write a row per schedule; false if an interval of a round robin covers the truth too rarely or too often."""
    sys.stdout.write(f"Ratings: how many of the 95 % intervals hold the truth, in {runs} tournaments per row\n")
    sys.stdout.write("schedule     deals of  seats  bots  deals  coverage         mean half-width  without interval\n")
    good = True
    for name, schedule, bots, seats, all_deals in ROWS:
        for deals, deals_of in product(all_deals, DEALS_OF):
            seed = f"{name}/{seats}/{deals}"
            found = coverage(schedule, bots=bots, seats=seats, deals=deals, deals_of=deals_of, runs=runs, seed=seed)
            # The bots of one tournament depend on each other: no more certainty than one bot per tournament gives.
            error = sampling_error(0.95, runs)
            wrong = schedule is round_robin and not 0.93 - error <= found.share <= 0.98 + error
            good = good and not wrong
            sys.stdout.write(
                f"{name:12} {deals_of:8} {seats:6} {bots:5} {deals:6}  {found.share:6.1%} ± {error:.1%}"
                f" {found.half_width:13.0f} Elo {found.without / runs / bots:17.1%}{'  WRONG' if wrong else ''}\n"
            )
            sys.stdout.flush()
    return good


def simulate_tiers(runs: int, seats: Sequence[int], all_deals: Sequence[int]) -> bool:
    """Write a row per distance of two tiers; false if intervals that are shown cover the truth too rarely."""
    sys.stdout.write(f"Two tiers: what is shown of ratings (then of differences), in {runs} tournaments per row\n")
    sys.stdout.write(
        "seats  bots  deals  apart | covered   shown  half-width  jackknife  one-sided |"
        " covered   shown  half-width  jackknife  one-sided\n"
    )
    good = True
    for k, deals, apart in product(seats, all_deals, APART):
        bots, top = TIERS[k]
        seed = f"tiers/{k}/{deals}/{apart}"
        found = tier_coverage(round_robin, bots=bots, top=top, seats=k, deals=deals, apart=apart, runs=runs, seed=seed)
        wrong = any(
            claims.runs >= SELDOM * runs
            and claims.covering < (PROMISED - sampling_error(PROMISED, claims.runs)) * claims.intervals
            for claims in (found.ratings, found.differences)
        )
        good = good and not wrong
        sys.stdout.write(
            f"{k:5} {bots:5} {deals:6} {apart:6} | {tier_columns(found.ratings)} | {tier_columns(found.differences)}"
            f"{'  WRONG' if wrong else ''}\n"
        )
        sys.stdout.flush()
    return good


def tier_columns(claims: Claims) -> str:
    """Coverage of intervals, how often there is one, half-widths, and coverage of one-sided bounds."""
    shown = claims.intervals
    columns = f"{claims.covering / shown:7.1%}" if shown else "      –"
    columns += f" {shown / claims.values:7.1%}"
    columns += f" {claims.half_widths / shown:11.0f} {claims.jackknife / shown:10.0f}" if shown else " " * 21 + "–"
    return columns + (f" {claims.holding / claims.one_sided:10.1%}" if claims.one_sided else "          –")


def simulate_sequential(name: str, format_: Sprt, of: FormatContext, runs: int) -> bool:
    """Write the error rates of the format at both hypotheses; false if one exceeds its risk by more than the sampling
    error."""
    sys.stdout.write(
        f"{name}: {format_.elo0:g} against {format_.elo1:g} Elo, risks {format_.alpha:.0%} and {format_.beta:.0%},"
        f" batches of {format_.batch} deals, {runs} runs per row\n"
    )
    sys.stdout.write("true Elo  accepted  rejected  undecided  mean deals\n")
    good = True
    for elo, risk in ((format_.elo0, format_.alpha), (format_.elo1, format_.beta)):
        found = format_decisions(format_, of, elo=elo, runs=runs, seed=f"sequential/{name}/{elo}")
        wrong = found.accepted if elo == format_.elo0 else found.rejected
        bad = wrong / runs > risk + sampling_error(risk, runs) or found.undecided > 0.01 * runs
        good = good and not bad
        sys.stdout.write(
            f"{elo:8g} {found.accepted / runs:9.1%} {found.rejected / runs:9.1%} {found.undecided / runs:10.1%}"
            f" {found.mean_deals:11.0f}{'  WRONG' if bad else ''}\n"
        )
        sys.stdout.flush()
    return good


def simulate_collusion(runs: int) -> None:
    """Write what bots gain that play for each other: rating and places, in rows of a Markdown table."""
    sys.stdout.write(f"Collusion: what bot {FRIEND + 1} of {COLLUDING} gains, {runs} tournaments per row\n")
    for what, scheme, format_, seats, rounds in COLLUSION:
        found = effect(format_, scheme, FRIEND, bots=COLLUDING, seats=seats, rounds=rounds, runs=runs)
        sys.stdout.write(
            f"| {what} | {format_}, {seats} seats, {rounds} rounds | {found.elo:+.0f} ± {1.96 * found.elo_error:.0f}"
            f" Elo | {found.places:+.1f} ± {1.96 * found.places_error:.1f} |\n"
        )
        sys.stdout.flush()


def simulate_pairings(program: Path | None, rounds: int) -> bool:
    """Write how long pairing takes; and with the program bbpPairings, in how many rounds it pairs otherwise. False if
    that is more than one in a thousand."""
    sys.stdout.write("Pairing: processor time of a round for two seats\n  bots    median  90th of 100   longest\n")
    for size in PAIRED_SIZES:
        seconds = pairing_seconds(size, PAIRED_ROUNDS)
        at_90 = seconds[len(seconds) * 9 // 10]
        sys.stdout.write(f"{size:6} {seconds[len(seconds) // 2]:7.2f} s {at_90:10.2f} s {seconds[-1]:7.2f} s\n")
        sys.stdout.flush()
    for seats, size in product((3, 4, 5), (200, 1000)):
        seconds = table_seconds(size, seats)
        sys.stdout.write(f"{seats} seats, {size} bots: {' '.join(f'{took:.2f} s' for took in seconds)}\n")
        sys.stdout.flush()
    if program is None:
        return True
    found = Comparison()
    for number in count(1):
        for smallest, largest in COMPARED_SIZES:
            name = f"tournament {number} of {smallest} to {largest}"
            found.add(program, name, event_of(name, smallest, largest))
        if found.rounds >= rounds:
            break
    sys.stdout.write(
        f"{len(found.differences)} of {found.rounds} rounds differ from those of bbpPairings, which found no legal"
        f" pairing for {found.unpairable} more\n"
    )
    sys.stdout.writelines(f"{line}\n" for line in found.differences)
    return len(found.differences) * 1000 <= found.rounds


def main() -> int:
    """1 if something is not as promised."""
    parser = argparse.ArgumentParser(prog="make simulate")
    parser.add_argument("--runs", type=int, default=500, help="simulated tournaments per row; 0: none")
    parser.add_argument("--tiers", type=int, default=50, help="tournaments per row of two tiers; 0: none")
    parser.add_argument("--seats", type=int, nargs="*", default=list(TIERS), help="only these, of two tiers")
    parser.add_argument("--deals", type=int, nargs="*", default=TIER_DEALS, help="only these, of two tiers")
    parser.add_argument("--sequential-runs", type=int, default=2000, help="simulated matches per row")
    parser.add_argument("--collusion", type=int, default=0, help="tournaments per row of what colluding bots gain")
    parser.add_argument("--bbp", type=Path, help="the program bbpPairings 6.0.0, to compare pairings with")
    parser.add_argument(
        "--pairings", type=int, default=0, help="rounds to compare; without --bbp only measure the time"
    )
    parser.add_argument("--schedules", type=int, nargs="*", help="seats: how even round robins of 5 to 40 bots are")
    parser.add_argument("--bots", type=int, nargs="*", default=range(5, 41), help="for --schedules: numbers of bots")
    arguments = parser.parse_args()
    if arguments.pairings:
        return int(not simulate_pairings(arguments.bbp, arguments.pairings))
    if arguments.schedules is not None:
        return int(not tell_schedules(arguments.schedules or (3, 4, 5), arguments.bots))
    if arguments.collusion:
        simulate_collusion(arguments.collusion)
        return 0
    intervals = simulate_intervals(arguments.runs) if arguments.runs else True
    good = intervals
    if arguments.tiers:
        good &= simulate_tiers(arguments.tiers, arguments.seats, arguments.deals)
    if not arguments.sequential_runs:
        return int(not good)
    for name, (format_, of) in SEQUENTIAL.items():
        sys.stdout.write("\n")
        good &= simulate_sequential(name, format_, of, arguments.sequential_runs)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
