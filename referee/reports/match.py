"""The report of a match."""

from collections.abc import Sequence

import msgspec
from msgspec import structs

from referee.games import Game
from referee.games.narrator import format_count, in_points
from referee.printable import printable
from referee.reports.comparison import format_sprt
from referee.reports.conditions import clock_text, facts_table
from referee.reports.formatting import estimate_in_points, format_confidence, format_estimate, format_share
from referee.reports.games import bot_sections, faults_section, games_by_bot, games_section
from referee.reports.match_results import finished_deals, format_interval_note, pair_in_points, pairs_of, standings_of
from referee.reports.model import Cell, Heading, Page, Report, Row, Section, Table
from referee.reports.plots import Axis, axis_row, interval_row
from referee.reports.sections import GameShown, Who, numeric, scores_section, seats_section, thinking_section
from referee.version import __version__
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.match_standings import PairComparison, Standing
from tournaments.event.director import format_fault
from tournaments.event.store.details import GameDetails, GameThinking, first_line
from tournaments.play.match import MatchResult
from tournaments.play.runner import PlayedGame


def match_report(result: MatchResult, *, broken_off: bool, state: SprtState | None) -> Report:
    """The whole report. `broken_off`: the match ended early. `state`: that of its sequential test."""
    plan = result.match.plan
    rows = [structs.replace(row, score=estimate_in_points(plan.game, row.score)) for row in standings_of(result)]
    place = {row.name: number for number, row in enumerate(rows, 1)}
    who = Who.of([bot.name for bot in plan.bots], [place[bot.name] for bot in plan.bots])
    games = [_game(played, plan.game, result.match.field > 0) for played in result.games]
    programs = [bot.is_program for bot in plan.bots]
    move = plan.conditions.control.move
    counts = [[0] * max(map(len, result.match.tables)) for _ in plan.bots]
    for game in games:
        for seat, bot in enumerate(game.bots):
            counts[bot][seat] += 1
    title = plan.game.title
    ended = "ended early, " if broken_off else ""
    sections = [
        standings_section(who, result, rows, state),
        pairs_section(who, result),
        scores_section(who, games),
        thinking_section(who, result.thinking, programs, None if move is None else move * 1000),
        seats_section(who, games, counts),
        faults_section(who, games),
        games_section(who, games, "Round {}".format),
        conditions_section(result),
    ]
    home = Page(
        target="home",
        title=f"{title}: {' – '.join(who.names)}",
        lines=[
            f"Match, {ended}{format_count(len(games), 'games')} of {format_count(finished_deals(result), 'deals')},"
            f" seed {printable(result.match.seed)}"
        ],
        sections=[section for section in sections if section is not None],
    )
    own = games_by_bot(len(who.names), games)
    bots = [
        Page(
            target=f"bot:{bot}",
            title=who.names[bot],
            lines=[f"Place {who.places[bot]} of {len(who.names)}, {format_count(len(own[bot]), 'games')}"],
            mark=who.mark(bot),
            sections=bot_sections(who, bot, own[bot], is_program=programs[bot], tables=False),
        )
        for bot in range(len(who.names))
    ]
    return Report(pages=[home, *bots], bots=who.names, footer=f"Made by referee {__version__} at the end of the match")


def _game(played: PlayedGame, of: type[Game], with_field: bool) -> GameShown:
    game, outcome = played.game, played.outcome
    seats = len(game.seating)
    faults = [
        None if fault is None else first_line(format_fault(fault, stderr))
        for fault, stderr in zip(outcome.faults, played.stderr, strict=True)
    ]
    return GameShown(
        game_id=game.game_id,
        deal=(game.deal, game.seating[-1] if with_field else 0),
        bots=game.seating,
        scores=[in_points(of, score) for score in outcome.scores],
        ranks=outcome.ranks,
        points=[_points(outcome.ranks, seat) for seat in range(seats)],
        faults=outcome.result().faults,
        details=GameDetails(thinking=(GameThinking(),) * seats, faults=tuple(faults)),
        host=played.host,
    )


def _points(ranks: Sequence[int], seat: int) -> float:
    """The share of the others that a seat is ahead of; one that is tied counts half."""
    others = [rank for other, rank in enumerate(ranks) if other != seat]
    own = ranks[seat]
    return sum(1.0 if own < rank else 0.5 if own == rank else 0.0 for rank in others) / max(len(others), 1)


def standings_section(who: Who, result: MatchResult, rows: Sequence[Standing], state: SprtState | None) -> Section:
    """Scores and wins, with their intervals on two axes."""
    index = {bot.name: number for number, bot in enumerate(result.match.plan.bots)}
    scores = [value for row in rows for value in (row.score.mean, row.score.low, row.score.high) if value is not None]
    axis, shares = Axis.over(scores), Axis(low=0.0, high=1.0)
    cells = []
    for row in rows:
        bot = index[row.name]
        css = who.css(bot)
        score, wins = format_estimate(row.score), format_share(row.wins)
        cells.append(
            Row(
                [
                    who.cell(bot),
                    numeric(score),
                    Cell("", svg=interval_row(axis, row.score.mean, row.score.low, row.score.high, score, css)),
                    numeric(wins),
                    Cell("", svg=interval_row(shares, row.wins.mean, row.wins.low, row.wins.high, wins, css)),
                    numeric(format_estimate(row.rank, digits=2)),
                    numeric(str(row.games)),
                    numeric(str(row.faults)),
                ]
            )
        )
    notes = [] if state is None else [format_sprt(state)]
    return Section(
        key="standings",
        title="Standings",
        table=Table(
            caption="Standings",
            headings=[
                Heading("bot", number=False),
                Heading("mean score"),
                Heading("mean score", number=False, svg=axis_row(axis)),
                Heading("wins"),
                Heading("share of wins", number=False, svg=axis_row(shares)),
                Heading("mean rank"),
                Heading("games"),
                Heading("faults"),
            ],
            rows=cells,
        ),
        notes=[format_interval_note(finished_deals(result)), *notes],
    )


def pairs_section(who: Who, result: MatchResult) -> Section | None:
    """The difference between the bots of each pair."""
    pairs = [pair_in_points(result, pair) for pair in pairs_of(result)]
    if finished_deals(result) < 2 or not pairs:
        return None
    index = {bot.name: number for number, bot in enumerate(result.match.plan.bots)}
    bounds = [value for pair in pairs for value in (pair.score.mean, pair.score.low, pair.score.high)]
    axis = Axis.over([value for value in bounds if value is not None], zero=True)
    return Section(
        key="pairs",
        title="Differences",
        words=[
            "How much more the first bot scores than the second over the same deals, so that luck cancels;"
            " the share of games in which it is ahead; and the confidence that it is better."
        ],
        table=Table(
            caption="The difference between the bots of each pair",
            headings=[
                Heading("bot", number=False),
                Heading("against", number=False),
                Heading("score per deal"),
                Heading("score per deal", number=False, svg=axis_row(axis)),
                Heading("ahead"),
                Heading("better"),
            ],
            rows=[_pair_row(who, index[pair.a], index[pair.b], pair, axis) for pair in pairs],
        ),
    )


def _pair_row(who: Who, a: int, b: int, pair: PairComparison, axis: Axis) -> Row:
    score = format_estimate(pair.score, sign="+")
    drawing = interval_row(axis, pair.score.mean, pair.score.low, pair.score.high, score, who.css(a))
    return Row(
        [
            who.cell(a),
            who.cell(b),
            numeric(score),
            Cell("", svg=drawing),
            numeric("" if pair.ahead is None else format_share(pair.ahead)),
            numeric(format_confidence(pair.better)),
        ]
    )


def conditions_section(result: MatchResult) -> Section:
    """What is needed to play it again."""
    match, plan = result.match, result.match.plan
    config = msgspec.to_builtins(plan.config)
    facts = {
        "game": f"{plan.game.name}, options {msgspec.json.encode(config).decode()}",
        "seed": match.seed,
        "deals": f"{match.deals}, {'each in every rotation of the seats' if match.rotate else 'each once'}",
        "clock": clock_text(msgspec.to_builtins(plan.conditions.control)),
        "thinking ahead": "allowed" if plan.conditions.ponder else "bots are suspended while it is not their turn",
        "retries": str(plan.conditions.retries),
        "games at a time": str(plan.conditions.games_at_a_time),
        "sandbox": "none" if plan.sandbox is None else "bubblewrap",
        "referee": __version__,
        "play it again": f"referee match … --game {plan.game.name} --seed {match.seed}",
    }
    for bot in plan.bots:
        facts[f"bot {bot.name}"] = " ".join(bot.argv) if bot.is_program else "built in, or a person"
    return Section(key="conditions", title="How it was run", table=facts_table("How it was run", facts))
