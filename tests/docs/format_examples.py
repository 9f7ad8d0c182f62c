"""The worked examples of docs/formats.md: tournaments with made-up results, paired and scored by the real code."""

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from tests.tournaments.competition.simulated import Play, Simulation, regulations
from tournaments.competition.changes import Joined, Withdrawn
from tournaments.competition.formats.ladder import UNIT, Ladder, strengths
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.games import PlannedGame
from tournaments.competition.points import game_points, points_at_table
from tournaments.competition.progress import Progress
from tournaments.competition.regulations import Entrant
from tournaments.competition.results import StandingRow, tournament_standings
from tournaments.competition.rounds import Round, TableResult

PAGE: Final = Path(__file__).parents[2] / "docs" / "formats.md"
BLOCK: Final = re.compile(r"^```text (\w+)\n(?:.*\n)*?```$", re.MULTILINE)
NAMES: Final = ("ada", "bea", "cleo", "dora", "eve", "fay", "gil")
SEED: Final = "formats"
AT: Final = "2026-11-22T06:00:00+00:00"


def example(format_: str, bots: int, play: Play, **settings: Any) -> Simulation:
    """A tournament between the first of NAMES that is about to begin."""
    return Simulation(regulations(format_, NAMES[:bots], **settings), play, SEED)


def stronger_wins(*upsets: str) -> Play:
    """The first bot in the alphabet wins, unless an upset ("dora-ada") says that the first beats the second."""
    pairs = [tuple(NAMES.index(name) for name in upset.split("-")) for upset in upsets]

    def play(game: PlannedGame) -> Sequence[int]:
        worth = {bot: len(NAMES) - bot for bot in game.bots}
        for winner, loser in pairs:
            if winner in worth and loser in worth:
                worth[winner], worth[loser] = worth[loser], worth[winner]
        return [worth[bot] for bot in game.bots]

    return play


# -- how examples are shown -----------------------------------------------------------------------------------


def table_of(rows: Iterable[Sequence[str]]) -> str:
    """Rows in columns, the first row being the heading."""
    listed = [list(map(str, row)) for row in rows]
    widths = [max(len(row[column]) for row in listed) for column in range(len(listed[0]))]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in listed)


def points_text(value: Fraction | float | None) -> str:
    """A number of points: 2, 2½, 0.67; a dash for none."""
    if value is None:
        return "–"
    whole, rest = divmod(Fraction(value).limit_denominator(10**6), 1)
    if rest == 0:
        return str(whole)
    return f"{whole or ''}½" if rest == Fraction(1, 2) else f"{float(value):.2f}"


def names_of(progress: Progress, bots: Iterable[int]) -> str:
    """The names of some bots."""
    return " ".join(progress.entries[bot].name for bot in bots)


def seating(progress: Progress, result: TableResult) -> str:
    """Who sits at a table, in the order of seats in the first rotation, with the points of each."""
    points = points_at_table(result, progress.regulations.points)
    return ", ".join(
        f"{progress.entries[bot].name} {points_text(own)}" for bot, own in zip(result.table.bots, points, strict=True)
    )


def rounds_played(progress: Progress, *, byes: bool = True) -> str:
    """All tables with their results."""
    rows = [("round", "table", "seats 0, 1 … and points", *(("bye",) if byes else ()))]
    for played in progress.history:
        bye = names_of(progress, played.round.byes)
        for index, result in enumerate(played.results):
            first = index == 0
            row = (str(played.round.number) if first else "", str(index + 1), seating(progress, result))
            rows.append((*row, *((bye if first else "",) if byes else ())))
    return table_of(rows)


def rounds_only(progress: Progress, rounds: Iterable[Round]) -> str:
    """The tables of rounds without results."""
    rows = [("round", "tables", "bye")]
    for round_ in rounds:
        tables = " | ".join(names_of(progress, table.bots) for table in round_.tables)
        rows.append((str(round_.number), tables, names_of(progress, round_.byes)))
    return table_of(rows)


def standings_of(progress: Progress, *columns: str) -> str:
    """The final standings: place, bot, and these columns, which are fields of a row or tie-breaks."""
    rows: list[Sequence[str]] = [("place", "bot", *(column.replace("_", " ") for column in columns))]
    for row in tournament_standings(progress, finished=True).standings:
        rows.append((str(row.place), row.name, *(cell(row, column) for column in columns)))
    return table_of(rows)


def cell(row: StandingRow, column: str) -> str:
    """What stands in a column."""
    if column == "rating":
        return "–" if row.rating is None else f"{row.rating.elo:+.1f}"
    value = row.tiebreaks[column] if column in row.tiebreaks else getattr(row, column)
    return str(value) if isinstance(value, tuple) else points_text(value)


# -- the examples ---------------------------------------------------------------------------------------------


def round_robin_berger() -> str:
    """Five bots, so that one has a bye in each round."""
    return rounds_played(example("round_robin", 5, stronger_wins("cleo-ada")).rounds().progress)


def round_robin_standings() -> str:
    """Three bots tied at the top."""
    progress = example("round_robin", 5, stronger_wins("cleo-ada")).rounds().progress
    return standings_of(progress, "points", "direct_encounter", "wins", "sonneborn_berger")


def round_robin_changes() -> str:
    """A late entry and a withdrawal."""
    simulation = example("round_robin", 4, stronger_wins())
    simulation.rounds(1)
    simulation.apply(Joined(round=2, at=AT, bot=Entrant(name="eve"), source={}))
    simulation.rounds(1)
    simulation.apply(Withdrawn(round=3, at=AT, bot="bea", reason="by the organiser"))
    return rounds_played(simulation.rounds().progress)


def round_robin_changes_standings() -> str:
    """Points per table where bots played different numbers of them."""
    simulation = example("round_robin", 4, stronger_wins())
    simulation.rounds(1)
    simulation.apply(Joined(round=2, at=AT, bot=Entrant(name="eve"), source={}))
    simulation.rounds(1)
    simulation.apply(Withdrawn(round=3, at=AT, bot="bea", reason="by the organiser"))
    return standings_of(
        simulation.rounds().progress, "tables", "points", "points_per_table", "byes", "direct_encounter"
    )


def round_robin_sets() -> str:
    """Every three of five bots once."""
    return rounds_played(example("round_robin", 5, stronger_wins(), seats=3).rounds().progress)


def round_robin_design() -> str:
    """Seven bots at tables of three in seven rounds: all meet twice."""
    return rounds_played(example("round_robin", 7, stronger_wins(), seats=3, rounds=7).rounds().progress)


def swiss_dutch() -> str:
    """Seven bots with two seats."""
    return rounds_played(example("swiss", 7, stronger_wins("dora-ada")).rounds().progress)


def swiss_dutch_standings() -> str:
    """Its standings."""
    progress = example("swiss", 7, stronger_wins("dora-ada")).rounds().progress
    return standings_of(progress, "points", "buchholz_cut1", "buchholz", "direct_encounter", "sonneborn_berger", "wins")


def swiss_dutch_buchholz() -> str:
    """How the tie-breaks of ada come about."""
    return buchholz_of("ada", example("swiss", 7, stronger_wins("dora-ada")).rounds().progress)


def buchholz_of(name: str, progress: Progress) -> str:
    """The points of a bot's opponents, round by round, for a bot that played every round."""
    standings = tournament_standings(progress, finished=True)
    points = {row.name: Fraction(row.points).limit_denominator(1000) for row in standings.standings}
    pairs = progress.regulations.seats == 2
    rows: list[Sequence[str]] = [
        ("round", "opponents and their points in the end", *(("scored", "product") if pairs else ("mean",)))
    ]
    means, products = [], []
    bot = progress.index(name)
    for played in progress.history:
        (result,) = [result for result in played.results if bot in result.table.bots]
        others = [progress.entries[other].name for other in result.table.bots if other != bot]
        means.append(sum((points[other] for other in others), Fraction(0)) / len(others))
        scored = points_at_table(result, progress.regulations.points)[result.table.bots.index(bot)]
        products.append(means[-1] * scored)
        last = (points_text(scored), points_text(products[-1])) if pairs else (points_text(means[-1]),)
        shown = ", ".join(f"{other} {points_text(points[other])}" for other in others)
        rows.append((str(played.round.number), shown, *last))
    rows += [
        ("Buchholz", points_text(sum(means)), *("" for _ in rows[0][2:])),
        (
            "its cut",
            f"{points_text(sum(means) - min(means))} without {points_text(min(means))}",
            *("" for _ in rows[0][2:]),
        ),
    ]
    if pairs:
        rows.append(("Sonneborn–Berger", points_text(sum(products)), "", ""))
    return table_of(rows)


def swiss_tables_buchholz() -> str:
    """How the tie-breaks of bea come about."""
    progress = example("swiss", 7, stronger_wins("gil-ada"), seats=4, rounds=3).rounds().progress
    return buchholz_of("bea", progress)


def swiss_tables() -> str:
    """Seven bots at tables of four and three."""
    return rounds_played(example("swiss", 7, stronger_wins("gil-ada"), seats=4, rounds=3).rounds().progress, byes=False)


def swiss_tables_standings() -> str:
    """Its standings."""
    progress = example("swiss", 7, stronger_wins("gil-ada"), seats=4, rounds=3).rounds().progress
    return standings_of(progress, "points", "buchholz_cut1", "buchholz", "direct_encounter")


def gauntlet_two() -> str:
    """Two challengers against three others."""
    simulation = example("gauntlet", 5, stronger_wins("dora-ada"), challengers=["ada", "bea"])
    return rounds_played(simulation.rounds().progress, byes=False)


def gauntlet_two_standings() -> str:
    """Its standings."""
    simulation = example("gauntlet", 5, stronger_wins("dora-ada"), challengers=["ada", "bea"])
    return standings_of(simulation.rounds().progress, "tables", "points", "direct_encounter", "wins")


def gauntlet_three() -> str:
    """Two challengers and four others at tables of three."""
    simulation = example("gauntlet", 6, stronger_wins(), seats=3, challengers=["ada", "bea"])
    return rounds_played(simulation.rounds().progress, byes=False)


def knockout_two() -> str:
    """Six bots, so that two have byes, with a play-off and a table for the third place."""
    return rounds_played(example("knockout", 6, knockout_semifinal(), third_place=True).rounds().progress)


def knockout_semifinal() -> Play:
    """The stronger one wins, but the semi-final of bea and cleo is drawn once."""
    strong = stronger_wins()

    def play(game: PlannedGame) -> Sequence[int]:
        return [1, 1] if game.round == 2 and {NAMES[bot] for bot in game.bots} == {"bea", "cleo"} else strong(game)

    return play


def knockout_two_standings() -> str:
    """Its standings."""
    progress = example("knockout", 6, knockout_semifinal(), third_place=True).rounds().progress
    return standings_of(progress, "eliminated", "tables", "byes")


def knockout_four() -> str:
    """Seven bots at tables of four, two of which go on."""
    simulation = example("knockout", 7, stronger_wins("eve-dora"), seats=4, advance=2)
    return rounds_played(simulation.rounds().progress, byes=False)


def double_elimination_upset() -> Simulation:
    """Six bots; dora beats ada in their first match of the winners' bracket."""
    strong, upset = stronger_wins(), stronger_wins("dora-ada")
    return example("double_elimination", 6, lambda game: (upset if game.round == 2 else strong)(game)).rounds()


def double_elimination_two() -> str:
    """All tables, with the second grand final."""
    return rounds_played(double_elimination_upset().progress)


def double_elimination_two_standings() -> str:
    """Its standings."""
    return standings_of(double_elimination_upset().progress, "eliminated", "tables", "byes")


def groups_two() -> str:
    """Seven bots in two groups."""
    return rounds_played(example("groups", 7, stronger_wins("dora-ada")).rounds().progress)


def groups_two_standings() -> str:
    """Its standings."""
    progress = example("groups", 7, stronger_wins("dora-ada")).rounds().progress
    return standings_of(progress, "eliminated", "points", "tables", "byes")


def ladder_rounds(simulation: Simulation) -> str:
    """All tables, and the strengths after each round."""
    settings, rows = simulation.progress.regulations.format_settings, []
    assert isinstance(settings, Ladder)
    rows.append(("round", "tables", "strength afterwards"))
    while simulation.round():
        progress = simulation.progress
        found, _ = strengths(progress.format_context(), progress.history)
        tables = " | ".join(names_of(progress, table.bots) for table in progress.history[-1].round.tables)
        after = "  ".join(f"{entry.name} {own / UNIT:.3f}" for entry, own in zip(progress.entries, found, strict=True))
        rows.append((str(len(progress.history)), tables, after))
    return table_of(rows)


def ladder_two() -> str:
    """Five bots."""
    return ladder_rounds(example("ladder", 5, stronger_wins(), budget=24))


def ladder_two_standings() -> str:
    """Its standings go by the rating."""
    progress = example("ladder", 5, stronger_wins(), budget=24).rounds().progress
    return standings_of(progress, "rating", "tables", "points")


def ladder_three() -> str:
    """Six bots at tables of three."""
    return ladder_rounds(example("ladder", 6, stronger_wins(), seats=3, budget=24))


SPRT_DIFFERENCES: Final = (1, 0, 0, 1, -1, 0, 1, 0)
"""By deal, repeated: ada wins both games, each wins one, or bea wins both."""


def sprt_play(game: PlannedGame) -> Sequence[int]:
    """As SPRT_DIFFERENCES says."""
    difference = SPRT_DIFFERENCES[(game.deal - 1) % len(SPRT_DIFFERENCES)]
    if difference == 0:
        return [1, 0]
    return [difference if NAMES[bot] == "ada" else 0 for bot in game.bots]


def sprt_two() -> str:
    """How the ratio moves, batch by batch."""
    simulation = example("sprt", 2, sprt_play, candidate="ada", baseline="bea", elo1=50)
    return sprt_rounds(simulation)


def sprt_rounds(simulation: Simulation) -> str:
    """The state after each batch."""
    settings = simulation.progress.regulations.format_settings
    assert isinstance(settings, Sprt)
    rows = [("round", "deals", "games", "mean difference", "log-likelihood ratio", "result")]
    while simulation.round():
        state = settings.decide(simulation.progress.format_context(), simulation.progress.history)
        assert state.mean is not None
        rows.append(
            (
                str(len(simulation.progress.history)),
                str(state.deals),
                str(state.games),
                f"{state.mean:+.3f}",
                f"{state.llr:+.3f}",
                state.result or "goes on",
            )
        )
    return table_of(rows)


def sprt_three() -> str:
    """The tables of the first rounds with a field."""
    simulation = example(
        "sprt", 4, stronger_wins(), seats=3, candidate="ada", baseline="bea", field=["cleo", "dora"], batch=2
    )
    return rounds_played(simulation.rounds(2).progress, byes=False)


def seats_and_points() -> str:
    """The games of one table with two deals."""
    progress = example("round_robin", 3, rotating, seats=3, deals=2).rounds().progress
    rows: list[tuple[str, ...]] = [("game", "seat 0", "seat 1", "seat 2", "scores", "game points by seat")]
    for game in progress.rounds[0].played.values():
        by_position = game_points(game.result(progress.regulations.deals_of))
        table = progress.history[0].results[0].table.bots
        points = [points_text(by_position[table.index(bot)]) for bot in game.bots]
        names = [progress.entries[bot].name for bot in game.bots]
        rows.append((game.game_id, *names, ", ".join(map(str, game.scores)), ", ".join(points)))
    return table_of(rows)


def rotating(game: PlannedGame) -> Sequence[int]:
    """In deal 1 the first seat is the best one, in deal 2 the bots finish in the order of the alphabet; one tie."""
    if game.deal == 1:
        return [60, 50, 50]
    return [70 - 10 * bot for bot in game.bots]


EXAMPLES: Final[dict[str, Callable[[], str]]] = {
    make.__name__: make
    for make in (
        seats_and_points,
        round_robin_berger,
        round_robin_standings,
        round_robin_changes,
        round_robin_changes_standings,
        round_robin_sets,
        round_robin_design,
        swiss_dutch,
        swiss_dutch_standings,
        swiss_dutch_buchholz,
        swiss_tables,
        swiss_tables_standings,
        swiss_tables_buchholz,
        gauntlet_two,
        gauntlet_two_standings,
        gauntlet_three,
        knockout_two,
        knockout_two_standings,
        knockout_four,
        double_elimination_two,
        double_elimination_two_standings,
        groups_two,
        groups_two_standings,
        ladder_two,
        ladder_two_standings,
        ladder_three,
        sprt_two,
        sprt_three,
    )
}
"""By the name after `text` in the page."""


def with_examples(page: str) -> str:
    """The page with every example recomputed."""

    def block(found: re.Match[str]) -> str:
        return f"```text {found[1]}\n{EXAMPLES[found[1]]()}\n```"

    return re.sub(BLOCK, block, page)


if __name__ == "__main__":
    PAGE.write_text(with_examples(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
