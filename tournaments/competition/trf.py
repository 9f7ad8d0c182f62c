"""A tournament as a FIDE tournament report file, for other programs.

Lines 001 to 092 are those of TRF16 (FIDE Handbook, C.04, Annex 2); 142, 152, 162, 192, 240, 260 and 299 those of TRF26;
the lines XX say the same to programs that read TRF(x), the extension of JaVaFo. Columns count characters from 1.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from referee.errors import RefereeError
from referee.printable import printable
from tournaments.competition.changes import Replayed, Ruled, Undone
from tournaments.competition.games import parse_game_id
from tournaments.competition.points import finished_tables, forfeited, points_at_table
from tournaments.competition.progress import Progress
from tournaments.competition.ratings import ranked_games, rate
from tournaments.competition.results import planned_rounds, ranking, ruling_rows
from tournaments.competition.rounds import PlayedRound, Points
from tournaments.competition.rulings import requested_byes

NAME_WIDTH: Final = 33
MAX_TRF_PLAYERS: Final = 9999
MAX_TRF_ROUNDS: Final = 99
MAX_TRF_RATING: Final = 9999
SHIFT: Final = 1500
"""Added to ratings with mean 0."""
UNPLAYED: Final = "0000 - Z"
REQUESTED: Final = {1.0: "F", 0.5: "H", 0.0: "Z"}
"""By its points, a bye on request. For others a line 299 says what the Z of that round is worth."""
RESULTS: Final = {1.0: "1", 0.5: "=", 0.0: "0"}
WORTH: Final = {"1": 1.0, "+": 1.0, "F": 1.0, "=": 0.5, "H": 0.5}
"""The points for a result; 0 for others, but for the bye of the pairing."""


class TrfError(RefereeError):
    """This tournament can't be written as a report; the text says why."""


def trf(progress: Progress) -> str:
    """The rounds that are over, as a report. Raises TrfError.

    White is the bot in seat 0 of the first rotation. Pairing numbers are in the order of the tournament file, late
    entries last. A table is a forfeit if a bot forfeited all its games there; otherwise it counts as played, by its
    result. A bye is U (allocated by the pairing) where it is worth something, else Z, as is absence. A bye on request
    is H, F or Z by its points; a table that is void is Z. The points of a player are those of its results; penalties
    and bonuses are in lines 299. Who is absent in the coming round is in lines 240 and XXZ. Comments (###) say which
    games were played again, what was ruled, and what the report can't say (`trf_limits`).
    """
    _check(progress)
    history = progress.history
    settings = progress.regulations.format_settings
    results = [_results(played, len(progress.entries), float(settings.bye)) for played in history]
    places = {row.bot: row.place for row in ranking(progress, history, rate(ranked_games(history)))}
    names = [  # that fit and are distinct: too long ones end with their number
        name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - len(str(number)) - 1]}~{number}"
        for number, name in enumerate((entry.name for entry in progress.entries), 1)
    ]
    players = []
    known = {bot: one.rating for bot, one in enumerate(progress.regulations.bots) if one.rating is not UNSET}
    # A report needs ratings of at least 0.
    shift = SHIFT if any(rating < 0 for rating in known.values()) else 0
    given = {bot: min(max(round(rating) + shift, 0), MAX_TRF_RATING) for bot, rating in known.items()}
    for bot in range(len(progress.entries)):
        rating = given.get(bot, "")
        begin = f"001 {bot + 1:4} {'':4} {names[bot]:{NAME_WIDTH}} {rating:>4} {'':3} {'':11} {'':10} "
        by_round = [found[bot] for found in results]
        points = sum(float(settings.bye) if found[-1] == "U" else WORTH.get(found[-1], 0.0) for found in by_round)
        players.append(f"{begin}{points:4.1f} {places[bot]:4}{''.join(f'  {found}' for found in by_round)}")
    rounds = max(planned_rounds(progress, False) or 0, len(history), 1)
    header = [
        f"012 {progress.regulations.name}",
        f"062 {len(players)}",
        "072 0",
        "082 0",
        f"092 {settings.trf_type or f'Individual: {settings.name}'}",
    ]
    lines = [*header, *players, *_extensions(progress, rounds), *_comments(progress, shift)]
    return "".join(f"{printable(line)}\n" for line in lines)


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
        found[bot] = f"0000 - {REQUESTED.get(float(points), 'Z')}"
    for result in finished_tables(played):
        white, black = result.table.bots
        gone = forfeited(result)
        if any(gone):
            codes = ["-" if out else "+" for out in gone]
        else:
            codes = [RESULTS[float(value)] for value in points_at_table(result, "table")]
        found[white] = f"{black + 1:4} w {codes[0]}"
        found[black] = f"{white + 1:4} b {codes[1]}"
    return found


def _abnormal(progress: Progress) -> Iterator[tuple[str, Points, int, int]]:
    """The points that results don't say: type (blank for a penalty or bonus), points, round and bot."""
    for bot, entry in enumerate(progress.entries):
        for since, points in entry.adjustments:
            yield " ", points, max(1, since - 1), bot
    for played in progress.history:
        for bot, points in played.requested:
            if float(points) not in REQUESTED:
                yield "Z", points, played.round.number, bot


def _coming_round(progress: Progress, rounds: int) -> list[str]:
    """Who is absent in the round after those that are over, if there is one: withdrawn, or at its request."""
    number = len(progress.history) + 1
    if number > rounds or progress.ended is not None:
        return []
    requested = dict(requested_byes(progress.entries, number))
    absent = {
        bot: REQUESTED.get(float(requested.get(bot, 0)), "Z")
        for bot, entry in enumerate(progress.entries)
        if not entry.plays(number)
    }
    lines = [f"240 {kind} {number:03} {bot + 1:4}" for bot, kind in absent.items()]
    return [*lines, f"XXZ {' '.join(str(bot + 1) for bot in absent)}"] if absent else []


def trf_limits(progress: Progress) -> list[str]:
    """What a report of this tournament doesn't say, or not to every program. Sentences for people."""
    abnormal = list(_abnormal(progress))
    found = []
    if abnormal:
        names = ", ".join(sorted({progress.entries[bot].name for *_, bot in abnormal}))
        found.append(
            f"points of {names} besides results are in lines 299 (TRF26); programs for TRF16 skip them, and bbpPairings"
            " 6.0.0 refuses them: take them out for it, but then it pairs by other scores"
        )
    if any(points * 10 % 1 for _, points, _, _ in abnormal):
        found.append("a report has points to one decimal: penalties, bonuses or byes were rounded")
    if progress.regulations.format_settings.trf_pairing is None:
        return found
    by_hand = [str(number) for number in sorted(progress.rulings.by_hand) if number <= len(progress.history)]
    if by_hand:
        found.append(f"paired by hand, which a report can't show: round {', '.join(by_hand)}")
    met = Counter[frozenset[int]]()
    for played in progress.history:
        pairs = [frozenset(result.table.bots) for result in finished_tables(played) if not any(forfeited(result))]
        if any(met[pair] for pair in pairs):
            found.append(f"round {played.round.number} repeats a meeting: pairing checkers reject it")
        met.update(pairs)
    if any(len(finished_tables(played)) < len(played.round.tables) for played in progress.history):
        found.append("a table whose games are all void is shown as an absence (Z) of both")
    for event in progress.events:
        changed = progress.events[event.number - 1] if isinstance(event, Undone) else event
        if not isinstance(changed, Ruled | Replayed):
            continue
        name = parse_game_id(changed.game_id)
        if name is not None and event.round > name.round + 1:
            found.append(
                f"{changed.game_id} was ruled on or played again before round {event.round}: the rounds until then were"
                " paired by its old result"
            )
    return found


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
    limits = [f"### {limit}" for limit in trf_limits(progress)]
    return [line.replace("\n", " ") for line in (*shifted, *replays, *rulings, *limits)]


def _extensions(progress: Progress, rounds: int) -> list[str]:
    regulations = progress.regulations
    bye = float(regulations.format_settings.bye)
    point_system = "".join(
        f" {code}{value:4.1f}   " for code, value in (("W", 1.0), ("D", 0.5), ("L", 0.0), ("Z", 0.0), ("P", bye))
    )
    lines = [f"142 {rounds}", f"162 {point_system.rstrip()}", f"XXR {rounds}", f"XXS PAB={bye:.1f}"]
    rules = regulations.format_settings.trf_pairing
    first = progress.history[0].round.tables
    if rules is not None and first:
        white, black = (bot + 1 for bot in first[0].bots)
        # The colour that was drawn for players with odd numbers.
        initial = "white" if (white < black) == (min(white, black) % 2 == 1) else "black"
        lines += [f"152 {initial[0].upper()}", f"192 {rules}", f"XXC {initial}1"]
    for a, b in sorted(progress.format_context().forbidden):
        if a < b:
            lines += [f"260 001 {rounds:03} {a + 1:4} {b + 1:4}", f"XXP {a + 1} {b + 1}"]
    lines += [
        f"299 {kind}{'':7}{float(points):5.1f}  {number:03} {bot + 1:4}"
        for kind, points, number, bot in _abnormal(progress)
    ]
    return lines + _coming_round(progress, rounds)
