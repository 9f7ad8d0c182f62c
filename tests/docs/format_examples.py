"""The worked examples of docs/formats.md: tournaments with made-up results, paired and scored by the real code."""

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from tests.tournaments.competition.simulated import Play, Simulation, regulations
from tournaments.competition.formats.ladder import UNIT, Ladder, strengths
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.games import PlannedGame
from tournaments.competition.points import game_points, points_at_table
from tournaments.competition.progress import Progress
from tournaments.competition.results import StandingRow, tournament_standings
from tournaments.competition.rounds import TableResult

PAGE: Final = Path(__file__).parents[2] / "docs" / "formats.md"
BLOCK: Final = re.compile(r"^```text (\w+)\n(?:.*\n)*?```$", re.MULTILINE)
NAMES: Final = ("ada", "bea", "cleo", "dora", "eve", "fay", "gil")
SEED: Final = "formats"


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


def rounds_played(progress: Progress, *, byes: bool = True, first_round: int = 1) -> str:
    """All tables with their results."""
    rows = [("round", "table", "seats 0, 1 … and points", *(("bye",) if byes else ()))]
    for played in progress.history[first_round - 1 :]:
        bye = names_of(progress, played.round.byes)
        for index, result in enumerate(played.results):
            first = index == 0
            row = (str(played.round.number) if first else "", str(index + 1), seating(progress, result))
            rows.append((*row, *((bye if first else "",) if byes else ())))
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


def buchholz_of(name: str, progress: Progress) -> str:
    """The points of a bot's opponents, round by round, for a bot that played every round at tables of two."""
    standings = tournament_standings(progress, finished=True)
    points = {row.name: Fraction(row.points).limit_denominator(1000) for row in standings.standings}
    rows: list[Sequence[str]] = [("round", "opponents and their points in the end", "scored", "product")]
    met, products = [], []
    bot = progress.index(name)
    for played in progress.history:
        (result,) = [result for result in played.results if bot in result.table.bots]
        (other,) = [progress.entries[other].name for other in result.table.bots if other != bot]
        met.append(points[other])
        scored = points_at_table(result, progress.regulations.points)[result.table.bots.index(bot)]
        products.append(met[-1] * scored)
        shown = f"{other} {points_text(met[-1])}"
        rows.append((str(played.round.number), shown, points_text(scored), points_text(products[-1])))
    rows += [
        ("Buchholz", points_text(sum(met)), "", ""),
        ("its cut", f"{points_text(sum(met) - min(met))} without {points_text(min(met))}", "", ""),
        ("Sonneborn–Berger", points_text(sum(products)), "", ""),
    ]
    return table_of(rows)


def knockout_semifinal() -> Play:
    """The stronger one wins, but the semi-final of bea and cleo is drawn once."""
    strong = stronger_wins()

    def play(game: PlannedGame) -> Sequence[int]:
        return [1, 1] if game.round == 2 and {NAMES[bot] for bot in game.bots} == {"bea", "cleo"} else strong(game)

    return play


def double_elimination_upset(game: PlannedGame) -> Sequence[int]:
    """The stronger one wins, but dora beats ada in their first match of the winners' bracket."""
    return stronger_wins("dora-ada")(game) if game.round == 2 else stronger_wins()(game)


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


SPRT_DIFFERENCES: Final = (1, 0, 0, 1, -1, 0, 1, 0)
"""By deal, repeated: ada wins both games, each wins one, or bea wins both."""


def sprt_play(game: PlannedGame) -> Sequence[int]:
    """As SPRT_DIFFERENCES says."""
    difference = SPRT_DIFFERENCES[(game.deal - 1) % len(SPRT_DIFFERENCES)]
    if difference == 0:
        return [1, 0]
    return [difference if NAMES[bot] == "ada" else 0 for bot in game.bots]


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
                state.result or "continues",
            )
        )
    return table_of(rows)


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


def played(format_: str, bots: int, *upsets: str, play: Play | None = None, **settings: Any) -> Callable[[], Progress]:
    """A whole tournament in which the stronger one wins but for these upsets, or as `play` says."""
    return lambda: example(format_, bots, play or stronger_wins(*upsets), **settings).rounds().progress


TOURNAMENTS: Final[dict[str, Callable[[], Progress]]] = {
    "round_robin_berger": played("round_robin", 5, "cleo-ada"),  # one has a bye in each round, three tie at the top
    "swiss_dutch": played("swiss", 7, "dora-ada"),
    "swiss_tables": played("swiss", 7, "gil-ada", seats=4, rounds=3),
    "gauntlet_two": played("gauntlet", 5, "dora-ada", challengers=["ada", "bea"]),
    "knockout_two": played("knockout", 6, play=knockout_semifinal(), third_place=True),  # byes, a play-off
    "knockout_four": played("knockout", 7, "eve-dora", seats=4, advance=2),
    "double_elimination_two": played("double_elimination", 6, play=double_elimination_upset),  # two grand finals
    "groups_two": played("groups", 7, "dora-ada"),
    "swiss_final_two": played("swiss_final", 7, "dora-ada", rounds=3, advance=4, third_place=True),
    "ladder_final_two": played("ladder_final", 5, "eve-bea", rounds=3),
    "ladder_two": played("ladder", 5, budget=24),
}
WITHOUT_BYES: Final = ("swiss_final_two", "ladder_final_two", "swiss_tables", "gauntlet_two", "knockout_four")
FIRST_ROUND: Final = {"swiss_final_two": 4}
"""Of the tournaments whose first rounds are those of an example above."""
STANDINGS: Final = {
    "round_robin_standings": ("round_robin_berger", ["points", "direct_encounter", "wins", "sonneborn_berger"]),
    "swiss_dutch_standings": (
        "swiss_dutch",
        ["points", "buchholz_cut1", "buchholz", "direct_encounter", "sonneborn_berger", "wins"],
    ),
    "gauntlet_two_standings": ("gauntlet_two", ["tables", "points", "direct_encounter", "wins"]),
    "knockout_two_standings": ("knockout_two", ["eliminated", "tables", "byes"]),
    "ladder_two_standings": ("ladder_two", ["rating", "tables", "points"]),
}
"""By name the tournament and the columns."""
OTHERS: Final[dict[str, Callable[[], str]]] = {
    "seats_and_points": seats_and_points,
    "swiss_dutch_buchholz": lambda: buchholz_of("ada", TOURNAMENTS["swiss_dutch"]()),
    "ladder_two": lambda: ladder_rounds(example("ladder", 5, stronger_wins(), budget=24)),
    "sprt_two": lambda: sprt_rounds(example("sprt", 2, sprt_play, candidate="ada", baseline="bea", elo1=50)),
}


EXAMPLES: Final = dict.fromkeys((*TOURNAMENTS, *STANDINGS, *OTHERS))


def shown(name: str) -> str:
    """An example, by the name after `text` in the page."""
    if name in OTHERS:
        return OTHERS[name]()
    if name in STANDINGS:
        tournament, columns = STANDINGS[name]
        return standings_of(TOURNAMENTS[tournament](), *columns)
    return rounds_played(TOURNAMENTS[name](), byes=name not in WITHOUT_BYES, first_round=FIRST_ROUND.get(name, 1))


def with_examples(page: str) -> str:
    """The page with every example recomputed."""

    def block(found: re.Match[str]) -> str:
        return f"```text {found[1]}\n{shown(found[1])}\n```"

    return re.sub(BLOCK, block, page)


if __name__ == "__main__":
    PAGE.write_text(with_examples(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
