"""A tournament as a FIDE tournament report file, for other programs.

Lines 001 to 092 are those of TRF16 (FIDE Handbook, C.04, Annex 2); 142, 152, 162 and 192 those of TRF26; the lines XX
say the same to programs that read TRF(x), the extension of JaVaFo. Columns count characters from 1.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from referee.errors import RefereeError
from tournaments.competition.changes import Replayed
from tournaments.competition.points import finished_tables, forfeited, points_at_table, totals
from tournaments.competition.progress import Progress
from tournaments.competition.ratings import ranked_games, rate
from tournaments.competition.results import planned_rounds, ranking, ruling_rows
from tournaments.competition.rounds import PlayedRound, TableResult

NAME_WIDTH: Final = 33
MAX_TRF_PLAYERS: Final = 9999
MAX_TRF_ROUNDS: Final = 99
MAX_TRF_RATING: Final = 9999
SHIFT: Final = 1500
"""Added to ratings with mean 0."""
UNPLAYED: Final = "0000 - Z"
REQUESTED: Final = {1.0: "0000 - F", 0.5: "0000 - H", 0.0: UNPLAYED}
"""By its points, a bye on request. Others can't be expressed."""
RESULTS: Final = {1.0: "1", 0.5: "=", 0.0: "0"}


class TrfError(RefereeError):
    """This tournament can't be written as a report; the text says why."""


def trf(progress: Progress) -> str:
    """The rounds that are over, as a report. Raises TrfError.

    White is the bot in seat 0 of the first rotation. Pairing numbers are in the order of the tournament file, late
    entries last. A table is a forfeit if a bot forfeited all its games there; otherwise it counts as played, by its
    result. A bye is U (allocated by the pairing) where it is worth something, else Z, as is absence. A bye on request
    is H, F or Z by its points; a table that is void is Z. Comments (###) say which games were played again, and
    what was ruled, as points of players contain penalties: a report can't say either otherwise.
    """
    _check(progress)
    history = progress.history
    regulations, settings = progress.regulations, progress.regulations.format_settings
    results = [_results(played, len(progress.entries), float(settings.bye)) for played in history]
    points = totals(progress.entries, history, regulations.points, settings.bye)
    places = {row.bot: row.place for row in ranking(progress, history, rate(ranked_games(history)))}
    names = _names([entry.name for entry in progress.entries])
    players = []
    given, shift = _given_ratings(progress)
    for bot in range(len(progress.entries)):
        rating = given.get(bot, "")
        begin = f"001 {bot + 1:4} {'':4} {names[bot]:{NAME_WIDTH}} {rating:>4} {'':3} {'':11} {'':10} "
        by_round = "".join(f"  {found[bot]}" for found in results)
        players.append(f"{begin}{float(points[bot]):4.1f} {places[bot]:4}{by_round}")
    rounds = max(planned_rounds(progress, False) or 0, len(history), 1)
    return "".join(
        f"{line}\n"
        for line in [*_header(progress), *players, *_extensions(progress, rounds), *_comments(progress, shift)]
    )


def _check(progress: Progress) -> None:
    regulations = progress.regulations
    if regulations.seats != 2:
        raise TrfError(f"a report has games of two; this tournament has tables of {regulations.seats}")
    if regulations.points != "table":
        raise TrfError(
            'a report has one result per round, 1, ½ or 0: it needs points = "table" in the tournament file; this'
            ' tournament has points = "game"'
        )
    if not progress.history:
        raise TrfError("no round is over yet")
    for played in progress.history:
        seated = [bot for table in played.round.tables for bot in table.bots]
        twice = next((bot for bot in seated if seated.count(bot) > 1), None)
        if twice is not None:
            raise TrfError(
                f"a report has one game of a player per round; {progress.entries[twice].name} sits at several tables of"
                f" round {played.round.number}"
            )
    for what, number, most in (
        ("players", len(progress.entries), MAX_TRF_PLAYERS),
        ("rounds", len(progress.history), MAX_TRF_ROUNDS),
    ):
        if number > most:
            raise TrfError(f"a report has at most {most} {what}; this tournament has {number}")


def _results(played: PlayedRound, bots: int, bye: float) -> list[str]:
    """By bot, the eight characters of a round: opponent, colour, result."""
    found = [UNPLAYED] * bots
    for bot in played.round.byes:
        found[bot] = "0000 - U" if bye else UNPLAYED
    for bot, points in played.requested:
        found[bot] = REQUESTED.get(float(points), UNPLAYED)
    for result in finished_tables(played):
        white, black = result.table.bots
        codes = _codes(result)
        found[white] = f"{black + 1:4} w {codes[0]}"
        found[black] = f"{white + 1:4} b {codes[1]}"
    return found


def _codes(result: TableResult) -> list[str]:
    gone = forfeited(result)
    if any(gone):
        return ["-" if out else "+" for out in gone]
    return [RESULTS[float(value)] for value in points_at_table(result, "table")]


def _given_ratings(progress: Progress) -> tuple[dict[int, int], int]:
    """By bot its rating before the tournament, and what was added so that none is below 0, as a report needs it."""
    known = {bot: one.rating for bot, one in enumerate(progress.regulations.bots) if one.rating is not UNSET}
    shift = SHIFT if any(rating < 0 for rating in known.values()) else 0
    return {bot: min(max(round(rating) + shift, 0), MAX_TRF_RATING) for bot, rating in known.items()}, shift


def _comments(progress: Progress, shift: int) -> list[str]:
    """What a report can't say otherwise: what was added to ratings, games that were played again, and rulings."""
    shifted = [f"### {shift} was added to all ratings, as a report has none below 0"] if shift else []
    replays = [
        f"### {event.game_id} was played again as {event.replacement}, which counts: {event.reason}"
        for event in progress.events
        if isinstance(event, Replayed)
    ]
    rulings = [
        f"### Ruling before round {row.round}{' (undone)' * row.undone}: {row.ruling}: {row.reason}"
        for row in ruling_rows(progress)
    ]
    return [line.replace("\n", " ") for line in (*shifted, *replays, *rulings)]


def _names(names: Sequence[str]) -> list[str]:
    """Names that fit and are distinct: names that are too long end with their number."""
    return [
        name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - len(str(number)) - 1]}~{number}"
        for number, name in enumerate(names, 1)
    ]


def _header(progress: Progress) -> list[str]:
    regulations = progress.regulations
    return [
        f"012 {regulations.name}",
        f"062 {len(progress.entries)}",
        "072 0",
        "082 0",
        f"092 {regulations.format_settings.trf_type or f'Individual: {regulations.format}'}",
    ]


def _extensions(progress: Progress, rounds: int) -> list[str]:
    regulations = progress.regulations
    bye = float(regulations.format_settings.bye)
    point_system = "".join(
        f" {code}{value:4.1f}   " for code, value in (("W", 1.0), ("D", 0.5), ("L", 0.0), ("Z", 0.0), ("P", bye))
    )
    lines = [f"142 {rounds}", f"162 {point_system.rstrip()}", f"XXR {rounds}", f"XXS PAB={bye:.1f}"]
    initial = _initial_colour(progress)
    rules = regulations.format_settings.trf_pairing
    if rules is not None and initial is not None:
        lines += [f"152 {initial[0].upper()}", f"192 {rules}", f"XXC {initial}1"]
    return lines


def _initial_colour(progress: Progress) -> str | None:
    """The colour that was drawn for players with odd numbers in the first round; None if nobody met in it."""
    for table in progress.history[0].round.tables:
        white, black = (bot + 1 for bot in table.bots)
        return "white" if (white < black) == (min(white, black) % 2 == 1) else "black"
    return None
