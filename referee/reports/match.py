"""The report of a match."""

from referee.games import Game
from referee.games.narrator import format_count
from referee.games.narrator import in_points as score_in_points
from referee.printable import printable
from referee.record.render import format_options
from referee.reports.conditions import condition_facts, facts_table
from referee.reports.formatting import format_estimate, format_share
from referee.reports.games import bot_sections, faults_section, games_by_bot, games_section
from referee.reports.match_results import MatchSummary, in_points
from referee.reports.model import Page, Report, Section
from referee.reports.plots import SHARE_AXIS
from referee.reports.sections import GameShown, Who, interval_drawings, scores_section, seats_section, thinking_section
from referee.reports.winner import match_winner
from referee.version import __version__
from tournaments.competition.points import points_of_ranks
from tournaments.event.director import format_fault
from tournaments.event.store.details import GameDetails, GameThinking, first_line
from tournaments.play.match import MatchResult
from tournaments.play.runner import PlayedGame


def match_report(found: MatchSummary, *, with_paths: bool = False) -> Report:
    plan, result = found.plan, found.result
    place = {row.name: number for number, row in enumerate(found.standings, 1)}
    who = Who.of(found.names, [place[name] for name in found.names])
    games = [_game(played, plan.game, bool(found.field)) for played in result.games]
    programs = [bot.is_program for bot in plan.bots]
    move = plan.conditions.control.move
    counts = [[0] * max(map(len, result.match.tables)) for _ in plan.bots]
    for game in games:
        for seat, bot in enumerate(game.bots):
            counts[bot][seat] += 1
    sections = [
        standings_section(who, found),
        pairs_section(who, found),
        scores_section(who, games),
        thinking_section(who, result.thinking, programs, None if move is None else move * 1000),
        seats_section(who, games, counts),
        faults_section(who, games),
        games_section(who, games, "Round {}".format),
        conditions_section(result, with_paths=with_paths),
    ]
    ended = "ended early, " if found.broken_off else ""
    home = Page(
        target="home",
        title=f"{plan.game.title}: {' – '.join(who.names)}",
        lead=match_winner(found),
        lines=[
            f"Match, {ended}{format_count(len(games), 'games')} of {format_count(found.deals, 'deals')}",
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
            sections=bot_sections(who, bot, own[bot], is_program=programs[bot]),
        )
        for bot in range(len(who.names))
    ]
    return Report(
        pages=[home, *bots],
        bots=who.names,
        with_paths=with_paths,
        footer=f"Made by referee {__version__} at the end of the match",
    )


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
        scores=[score_in_points(of, score) for score in outcome.scores],
        ranks=outcome.ranks,
        points=[float(points) for points in points_of_ranks(tuple(outcome.ranks), (False,) * seats)],
        faults=outcome.result().faults,
        decisions_hash=outcome.decisions_hash,
        details=GameDetails(thinking=(GameThinking(),) * seats, faults=tuple(faults)),
        host=played.host,
    )


def standings_section(who: Who, found: MatchSummary) -> Section:
    bots = [found.names.index(row.name) for row in found.standings]
    scores = [in_points(found.plan.game, row.score) for row in found.standings]
    wins = [row.wins for row in found.standings]
    css = [who.css(bot) for bot in bots]
    score_bars = interval_drawings("mean score", scores, list(map(format_estimate, scores)), css)
    win_bars = interval_drawings("share of wins", wins, list(map(format_share, wins)), css, axis=SHARE_AXIS)
    table = found.standings_table([who.cell(bot) for bot in bots])
    return Section(
        key="standings",
        title="Standings",
        table=table.with_column(score_bars, after="mean score").with_column(win_bars, after="wins"),
        notes=[
            found.format_interval_note(),
            *found.format_repeated_deals(),
            *found.format_seat_wins(),
        ],
    )


def pairs_section(who: Who, found: MatchSummary) -> Section | None:
    pairs = found.pairs_shown
    first = [found.names.index(pair.a) for pair in pairs]
    second = [found.names.index(pair.b) for pair in pairs]
    table = found.pairs_table((who.column(first), who.column(second, "against")))
    if table is None:
        return None
    scores = [pair.score for pair in pairs]
    labels = [format_estimate(score, sign="+") for score in scores]
    bars = interval_drawings("score per deal", scores, labels, [who.css(bot) for bot in first], zero=True)
    return Section(
        key="pairs",
        title="Differences",
        words=[
            "How much more the first bot scores than the second over the same deals, so that luck cancels;"
            " the share of games in which it is ahead; and the confidence that it is better."
        ],
        table=table.with_column(bars, after="score per deal"),
    )


def conditions_section(result: MatchResult, *, with_paths: bool) -> Section:
    """What is needed to play it again. `with_paths`: the commands of bots too."""
    match, plan = result.match, result.match.plan
    facts = {
        "game": f"{plan.game.title}: {format_options(plan.config, plan.config)}",
        "seed": match.seed,
        "deals": f"{match.deals}, {'each in every rotation of the seats' if match.rotate else 'each once'}",
        **({} if plan.openings is None else {"opening": printable(plan.openings.source)}),
        **condition_facts(plan.conditions),
        "sandbox": "none" if plan.sandbox is None else "bubblewrap",
        "referee": __version__,
        "play it again": f"referee match … --game {plan.game.name} --seed {match.seed}",
    }
    for bot in plan.bots:
        kind = "a program" if bot.is_program else "a person" if bot.is_person else "built in, or started by hand"
        facts[f"bot {bot.name}"] = " ".join(bot.argv) if with_paths and bot.is_program else kind
    return Section(key="conditions", title="How it was run", table=facts_table("How it was run", facts))
