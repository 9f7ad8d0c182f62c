"""The page for the author of an entrant of a season: its versions, its results, what went wrong and what to do.

Of the others it has what everybody is told: their names in events, and the results against them.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.bots.advice import advice_on, for_entrant, problem_of
from referee.games.narrator import format_count, format_game_id, in_points
from referee.printable import printable
from referee.record.reader import read_stderr
from referee.reports.formatting import format_confidence, format_interval, format_points, format_rating
from referee.reports.model import Cell, Column, Page, Report, Section, numbers
from referee.reports.ratings import game_title
from referee.reports.sections import difference_columns
from referee.reports.source import read_details
from referee.version import __version__
from tournaments.competition.game_list import GameRow, game_rows
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.pooled import GameRatings
from tournaments.competition.pooled import Version as RatedVersion
from tournaments.event.store.details import GameDetails
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.season.folder import PlayedEvent
from tournaments.season.versions import Entrant, Version

WORST_GAMES: Final = 3
"""Games that are shown as replays."""
MAX_FAULTS: Final = 20
MAX_OUTPUT: Final = 8192
"""Characters of a bot's standard error that are shown of a fault, from its end."""


class GameOfEvent(Struct, frozen=True, kw_only=True):
    """A game of an event of a season."""

    event: PlayedEvent
    row: GameRow
    record: Path
    margin: tuple[float, ...]
    """By seat, the score less the best one of the others, in points of the rules."""
    details: GameDetails | None
    sandboxed: bool

    @property
    def key(self) -> str:
        return f"{self.event.path.name}-{self.row.game_id}"


class FaultOfGame(Struct, frozen=True, kw_only=True):
    game: GameOfEvent
    message: str
    stderr: str
    advice: str


class Feedback(Struct, frozen=True, kw_only=True):
    report: Report
    replays: Sequence[tuple[GameOfEvent, int]]
    """Games to be drawn, with the seat from which: the page links to `games/KEY.html`."""
    stderr: Mapping[str, str]
    """By the key of a game, the standard error: the page links to `stderr/KEY.txt`."""


def games_of_event(event: PlayedEvent) -> Iterator[GameOfEvent]:
    """The games of an event that count. Raises StoreError."""
    folder = TournamentFolder.open(event.path)
    progress = load(folder, repair=False).progress
    rows = [row for row in game_rows(progress) if row.replayed is None]
    details = read_details(folder, rows)
    sandboxed = any(run.sandbox_report is not None for run in folder.manifest.sessions)
    for row in rows:
        scores = [in_points(progress.regulations.game_type, score) for score in row.scores]
        yield GameOfEvent(
            event=event,
            row=row,
            record=folder.full_record(row.game_id),
            margin=tuple(own - max(scores[:seat] + scores[seat + 1 :]) for seat, own in enumerate(scores)),
            details=details.get(row.game_id),
            sandboxed=sandboxed,
        )


def feedback_for(
    name: str,
    entrant: Entrant,
    games: Sequence[GameOfEvent],
    fits: Sequence[GameRatings],
    season: str,
) -> Feedback:
    """The feedback for an entrant. `games`: those of all events."""
    own = [(game, game.row.bots.index(entrant.shown)) for game in games if entrant.shown in game.row.bots]
    faults = list(_faults(own))
    last = own[-1][0].event if own else None
    complete = [(game, seat) for game, seat in own if game.event == last and game.row.faults[seat] is None]
    worst = sorted(complete, key=lambda one: (one[0].row.points[one[1]], one[0].margin[one[1]]))[:WORST_GAMES]
    playing = entrant.playing()
    lines = [] if name == entrant.shown else [f"In events it is called {entrant.shown}"]
    lines.append("No version plays" if playing is None else f"Version {playing.number} plays")
    newest = entrant.versions[-1] if entrant.versions else None
    if newest is not None and newest.problem is not None:
        lines.append(f"Version {newest.number} doesn't play: {newest.problem}")
    sections = [_versions(entrant.versions), *_problems(entrant.versions)]
    for fit in fits:
        sections += _results(fit, entrant, playing)
    sections += _fault_sections(faults)
    sections += _worst(worst)
    page = Page(target="home", title=printable(name), lines=list(map(printable, lines)), sections=sections)
    report = Report(pages=[page], bots=[], footer=f"Made by referee {__version__} season, for the author: {season}")
    stderr = {fault.game.key: fault.stderr for fault in faults if fault.stderr}
    return Feedback(report=report, replays=worst, stderr=stderr)


# -- versions -------------------------------------------------------------------------------------------------


def _versions(versions: Sequence[Version]) -> Section:
    shown = versions[::-1]
    return Section.with_table(
        "versions",
        "Versions",
        numbers("version", [version.number for version in shown]),
        Column("from", [printable(version.source) for version in shown], "text"),
        Column("taken in", [version.taken for version in shown], "text"),
        Column("", [printable(version.problem or _state(version)) for version in shown], "text"),
        Column("files in rankings", [(version.event_sha256 or "")[:8] for version in shown], "text"),
        caption="Versions, the newest first",
    )


def _state(version: Version) -> str:
    return "not checked, as a newer one is ready" if version.check is None else "ready"


def _problems(versions: Sequence[Version]) -> Iterator[Section]:
    """The checks of the newest versions down to one that passed, with what to do."""
    for version in versions[::-1]:
        check = version.check
        if check is None:
            continue
        if check.ready and check.advice is None:
            return
        yield Section(
            key=f"check-{version.number}",
            title=f"The check of version {version.number}",
            words=[printable(f"Not ready: {check.problem}" if check.problem else "Ready")],
            text="\n".join(map(printable, check.stderr.splitlines())),
            notes=[] if check.advice is None else [printable(f"What to do: {check.advice}")],
        )
        if check.ready:
            return


# -- results --------------------------------------------------------------------------------------------------


def _results(fit: GameRatings, entrant: Entrant, playing: Version | None) -> Iterator[Section]:
    """The rating, the comparison with the version before, and the results by opponent."""
    bot = fit.newest.get(entrant.shown) if playing is None else _index(fit, entrant, playing)
    if bot is None or (rating := fit.ratings[bot]) is None:
        return
    rating = rating.rounded()
    row = next((row for row in fit.table.ratings if row.name == entrant.shown), None)
    place = "" if row is None else f", place {row.place} of {len(fit.table.ratings)}"
    interval = format_interval(rating, too_few_deals=fit.ratings.deals(bot) < MIN_DEALS)
    words = [f"{game_title(fit.table)}: rating {format_rating(rating.elo)} ({interval}){place}."]
    yield Section(key=f"rating-{fit.table.game}", title="Rating", words=[*words, _better(fit, entrant, bot, playing)])
    yield _opponents(fit, bot, entrant.shown)


def _index(fit: GameRatings, entrant: Entrant, version: Version) -> int | None:
    return fit.versions.get(RatedVersion(entrant.shown, version.event_sha256))


def _better(fit: GameRatings, entrant: Entrant, bot: int, playing: Version | None) -> str:
    """Whether the version that plays is better than the last one before it that has played."""
    question = "Is it better than your last version?"
    before = [own for own in entrant.versions if playing is not None and own.number < playing.number]
    for version in reversed(before):
        other = _index(fit, entrant, version)
        if other is None or other == bot:
            continue
        difference = fit.ratings.difference(bot, other)
        if difference is None:
            return f"{question} It can't be compared with version {version.number}: no chain of games connects them."
        bounds = format_interval(difference, too_few_deals=fit.ratings.deals(bot, other) < MIN_DEALS)
        found = (
            f"Its rating less that of version {version.number} is {format_rating(difference.elo, sign='+')} ({bounds})."
        )
        if difference.low is not None and difference.low > 0:
            return f"{question} Yes. {found}"
        if difference.high is not None and difference.high < 0:
            return f"{question} No, it is worse. {found}"
        sure = format_confidence(fit.ratings.better(bot, other))
        return f"{question} That is not known yet. {found}" + (
            f" Confidence that it is better: {sure}." if sure else ""
        )
    return f"{question} No version before it has played."


def _opponents(fit: GameRatings, bot: int, shown: str) -> Section:
    """The results of a version against the versions of each other name."""
    names = {index: version.name for version, index in fit.versions.items()}
    games: dict[str, int] = {}
    points: dict[str, float] = {}
    for game in fit.ranked:
        own = next((number for number, group in enumerate(game.groups) if bot in group), None)
        for number, group in enumerate(game.groups):
            for other in group:
                if own is not None and names[other] != shown:
                    games[names[other]] = games.get(names[other], 0) + 1
                    won = 0.5 if number == own else float(own < number)
                    points[names[other]] = points.get(names[other], 0.0) + won
    met = sorted(games, key=lambda name: points[name] / games[name])
    differences = [fit.ratings.difference(bot, fit.newest[name]) for name in met]
    return Section.with_table(
        f"opponents-{fit.table.game}",
        "By opponent",
        Column("opponent", list(map(printable, met)), "name"),
        Column("points", [format_points(points[name]) for name in met]),
        numbers("games", [games[name] for name in met]),
        *difference_columns(differences, [""] * len(met)),
        caption="Results by opponent",
        words=[
            "The worst first. The difference of the ratings is from all games of the season, with its 95 % interval."
        ],
    )


# -- games ----------------------------------------------------------------------------------------------------


def _faults(own: Sequence[tuple[GameOfEvent, int]]) -> Iterator[FaultOfGame]:
    """The last faults, the newest first."""
    found = [(game, seat) for game, seat in reversed(own) if game.row.faults[seat] is not None]
    for game, seat in found[:MAX_FAULTS]:
        code = game.row.faults[seat]
        assert code is not None
        message = str(code) if game.details is None else game.details.faults[seat] or str(code)
        stderr = read_stderr(game.record, len(game.row.bots))[seat].decode(errors="replace")
        advice = for_entrant(advice_on(code, message, stderr, sandboxed=game.sandboxed))
        yield FaultOfGame(game=game, message=problem_of(code, message, stderr), stderr=stderr, advice=advice)


def _fault_sections(faults: Sequence[FaultOfGame]) -> Iterator[Section]:
    if not faults:
        return
    last_output = next((fault.stderr for fault in faults if fault.stderr), "")
    yield Section.with_table(
        "faults",
        "Faults",
        Column("event", [fault.game.event.path.name for fault in faults], "text"),
        Column("game", [format_game_id(fault.game.row.game_id) for fault in faults], "text"),
        Column("what was wrong", [Cell(printable(fault.message), css="message") for fault in faults], "text"),
        Column("what to do", [Cell(printable(fault.advice), css="message") for fault in faults], "text"),
        Column(
            "standard error",
            [Cell("read", to=f"file:stderr/{fault.game.key}.txt") if fault.stderr else "" for fault in faults],
            "text",
        ),
        words=[f"The last {format_count(len(faults), 'games')} that it forfeited, the newest first."],
        text="\n".join(map(printable, last_output[-MAX_OUTPUT:].splitlines())),
    )


def _worst(worst: Sequence[tuple[GameOfEvent, int]]) -> Iterator[Section]:
    if not worst:
        return
    others = [", ".join(printable(bot) for at, bot in enumerate(game.row.bots) if at != seat) for game, seat in worst]
    yield Section.with_table(
        "worst",
        "Its worst games",
        Column(
            "game",
            [Cell(format_game_id(game.row.game_id), to=f"file:games/{game.key}.html") for game, _ in worst],
            "text",
        ),
        Column("against", others, "text"),
        numbers("seat", [seat for _, seat in worst]),
        numbers("points", [game.row.points[seat] for game, seat in worst]),
        Column("score less the best other", [format_points(game.margin[seat]) for game, seat in worst]),
        caption="The worst games",
        words=["Of the last event, as it saw them: without what was hidden from it."],
    )
