"""What is said of a match: its tables, and the sentences around them."""

import re

import pytest
from msgspec import structs

from referee.bots.bot_spec import BotSpec
from referee.outcome import Fault
from referee.players.thinking_time import ThinkingTime
from referee.reports.match import match_report
from referee.reports.match_results import MatchSummary
from referee.reports.model import Table
from referee.reports.next_steps import after_match
from referee.reports.winner import match_winner
from tests.games.sealed_bids import NARRATOR, SealedBids
from tests.playing import match_of
from tests.registered import registered
from tournaments.competition.formats.sprt import SprtState
from tournaments.competition.points import SeatWins
from tournaments.play.match import MatchResult, play_match
from tournaments.play.played_games import PlayedGames
from tournaments.sequential import Hypotheses, sequential_match

pytestmark = pytest.mark.usefixtures("pebbles_known")

UNDECIDED = SprtState(
    llr=0.0,
    lower=-2.94,
    upper=2.94,
    result="undecided",
    deals=8,
    games=16,
    observations=8,
    mean=0.0,
    undecided_by="max_games",
)


async def played(deals: int, *bots: str, field: int = 0) -> MatchResult:
    """A match of a very small game. `field`: how many of the bots are the field."""
    given = list(bots or ("builtin:random", "builtin:first"))
    split = len(given) - field
    spec = match_of(*given[:split], field=given[split:], game="pebbles", deals=deals, seed="s")
    return await play_match(spec)


def headings(table: Table | None) -> list[str]:
    assert table is not None
    return list(table.texts()[0])


async def test_a_match_has_three_tables() -> None:
    result = await played(7, "a=builtin:random", "b=builtin:first", "c=builtin:random")
    found = MatchSummary(structs.replace(result, thinking=[ThinkingTime(), times(), ThinkingTime()]))
    assert found.format_heading() == "Pebbles: 21 games, 7 deals, seed s"
    assert headings(found.standings_table()) == ["bot", "mean score", "wins", "mean rank", "games", "faults"]
    assert headings(found.pairs_table()) == ["bot", "against", "score per deal", "ahead", "better"]
    table = found.thinking_table()
    assert headings(table) == ["thinking in ms", "mean", "median", "99 %", "worst", "decisions"]
    assert table is not None
    assert table.texts()[1:] == (("b", "20", "10", "30", "30", "2"),)
    names = {row[0] for row in found.standings_table().texts()[1:]}
    assert names == {"a", "b", "c"}
    assert MatchSummary(result).thinking_table() is None, "built-in players don't think"


def times() -> ThinkingTime:
    found = ThinkingTime()
    for seconds in (0.01, 0.03):
        found.add(seconds)
    return found


async def test_with_too_few_deals_no_interval_is_shown_and_from_seven_on_no_share_leaves_0_to_100() -> None:
    few, seven = MatchSummary(await played(6)), MatchSummary(await played(7))
    assert few.format_interval_note() == "Too few deals for confidence intervals: 6; 7 are needed"
    assert seven.format_interval_note() == "± and (low–high): 95 % confidence intervals over deals"
    for found, bounded in ((few, False), (seven, True)):
        pairs = found.pairs_table()
        assert pairs is not None
        texts = str([*found.standings_table().texts(), *pairs.texts()])
        assert ("±" in texts, "–" in texts, "too few deals" in texts) == (bounded, bounded, not bounded)
    [pair] = seven.pairs
    for share in (*(row.wins for row in seven.standings), pair.ahead):
        assert share is not None
        assert share.low is not None
        assert share.high is not None
        assert 0 <= share.low <= share.mean <= share.high <= 1
    scores = {row.name: row.score.mean for row in seven.standings}
    assert pair.score.mean == pytest.approx(scores[pair.a] - scores[pair.b])
    assert 0.5 <= (pair.better or 0) <= 1


async def test_one_deal_shows_no_pairs() -> None:
    assert MatchSummary(await played(1)).pairs_table() is None


async def test_with_a_field_the_best_is_compared_and_named() -> None:
    result = await played(7, "a=builtin:first", "b=builtin:first", "x=builtin:random", field=1)
    found = MatchSummary(result)
    assert [row.name for row in found.standings] == ["a", "b", "x"]
    pairs = found.pairs_table()
    assert headings(pairs) == ["bot", "against", "score per deal", "better"]
    assert pairs is not None
    assert pairs.texts()[1][:3] == ("a", "b", "+0.0 ± 0.0")
    assert {"x"} == set(found.field)
    assert list(found.format_verdict()) == [
        "best so far: a, by +0.0 ± 0.0 points per deal over b; not yet told apart from b: play more deals"
    ]
    first, why = MatchSummary(result, state=UNDECIDED).format_verdict()
    assert first.startswith(
        "SPRT: undecided: no decision within the maximum number of games. Log-likelihood ratio 0.00, "
    )
    assert why.startswith("Both got the same game points: do they play alike, or does the field always win, or never?")


@pytest.mark.slow
async def test_a_sentence_says_who_has_won_a_match_and_how_certain_that_is() -> None:
    few = MatchSummary(await played(2, "a=builtin:random", "b=builtin:first"))
    assert match_winner(few).endswith(
        "That may be luck: 2 deals are too few to rule it out; 7 are needed for intervals."
    )
    single = match_of("a=builtin:random", "b=builtin:first", game="pebbles", deals=1, seed="s")
    one = MatchSummary(await play_match(structs.replace(single, rotate=False)))
    assert match_winner(one).startswith(
        f"{one.standings[0].name} won the only game. That may be luck: 1 deal is too few"
    )
    level = MatchSummary(await played(7, "a=builtin:first", "b=builtin:first"))
    assert match_winner(level) == "a and b are level: each won 50 % of 14 games."
    several = await played(31, "a=builtin:random", "b=builtin:first", "c=builtin:random")
    said = match_winner(MatchSummary(several))
    assert re.fullmatch(
        r"\w won [\d.]+ % of 93 games, \w [\d.]+ %, \w [\d.]+ %\. (That may be luck: .*|\w is better than each .*)",
        said,
    )
    result = await played(8, "a=builtin:random", "b=builtin:first")
    for number, each in enumerate(list(result.games)):
        first = each.game.seating.index(0)
        scores = tuple(3 + number % 3 if seat == first else 1 for seat in range(2))
        ranks = tuple(1 if seat == first else 2 for seat in range(2))
        faults = (Fault("crash", "exited"), None) if number == 0 else (None, None)
        result.games.append(
            structs.replace(each, outcome=structs.replace(each.outcome, scores=scores, ranks=ranks, faults=faults))
        )
    said = match_winner(MatchSummary(result, broken_off=True))
    assert said.startswith("The match ended early. a won ")
    assert said.endswith("confidence. a had 1 fault.")
    verdict = match_winner(
        MatchSummary(await played(7, "a=builtin:first", "b=builtin:first", "x=builtin:random", field=1))
    )
    assert verdict.startswith("Best so far: a, by +0.0")
    nothing = MatchSummary(structs.replace(result, games=PlayedGames(result.match.plan, "s", one_table=True)))
    assert match_winner(nothing) == "No game was finished, so nobody has won."


async def test_a_match_that_ended_early_says_how_much_of_it_was_played() -> None:
    found = MatchSummary(await played(2), broken_off=True)
    assert found.format_heading() == "Pebbles: 4 of 4 games, 2 deals, seed s"


async def test_similar_faults_are_told_once_and_late_referees_named() -> None:
    result = await played(7)
    for number, each in enumerate(list(result.games)):
        message = f"index {90 + number} is not in 0 to {number} (act {number})"
        fault = Fault("timeout", message, referee_late=0.08)
        outcome = structs.replace(each.outcome, faults=(fault, None))
        result.games.append(structs.replace(each, outcome=outcome))
    found = MatchSummary(result)
    lines = list(found.format_faults())
    assert len(found.faults) == 14
    assert [line for line in lines if "timeout" in line and not line.startswith(" ")] == [
        "×7 deal 1, rotation 1 (0001-1): random: timeout: index 90 is not in 0 to 0 (act 0)",
        "×7 deal 1, rotation 2 (0001-2): first: timeout: index 91 is not in 0 to 1 (act 1)",
    ]
    assert "    the referee itself was up to 80 ms late meanwhile" in lines


async def test_a_referee_that_was_late_warns_where_a_program_can_lose_by_it() -> None:
    result = await played(1)
    lag = structs.replace(result.lag, over_margin=9, max_ms=140.4, suspensions=0)
    built_in = structs.replace(result, lag=lag)
    assert list(MatchSummary(built_in).format_warnings()) == []
    plan = structs.replace(result.match.plan, bots=[BotSpec(name=name, argv=("bot",)) for name in ("random", "first")])
    program = structs.replace(built_in, match=structs.replace(result.match, plan=plan))
    [busy] = MatchSummary(program).format_warnings()
    assert busy.startswith(
        "Warning: this machine was too busy to keep time. 9 times the referee was late by more than the margin of 50 ms"
        ", by 140 ms at most."
    )
    assert "Lower --concurrency (now " in busy
    stopped = structs.replace(program, lag=structs.replace(lag, suspensions=1, suspended_ms=3210.0))
    suspended, again = MatchSummary(stopped).format_warnings()
    assert suspended.startswith("Warning: the referee was suspended 1 time, for 3.2 s in all, by a signal")
    assert again == busy
    control = structs.replace(plan.conditions.control, enforced=False)
    plan = plan.with_conditions(control=control)
    unlimited = structs.replace(stopped, match=structs.replace(result.match, plan=plan))
    assert list(MatchSummary(unlimited).format_warnings()) == []


# -- games without chance ---------------------------------------------------------------------------------------------


async def test_repeats_are_told_in_one_line_and_end_a_sequential_test() -> None:
    with registered(SealedBids, narrator=NARRATOR):
        spec, test = sequential_match(
            match_of("builtin:first", "other=builtin:first", game="sealed_bids", seed="s"), Hypotheses(elos=(0, 20))
        )
        result = await play_match(spec, batches=test)
        found = MatchSummary(result, state=test.state)
    assert list(found.format_repeated_deals()) == [
        "24 deals, 1 distinct: sealed_bids has no chance, and the bots repeat themselves; equal deals count once,"
        " so --games 1 says as much"
    ]
    assert found.format_interval_note() == "Too few distinct deals for confidence intervals; 7 are needed"
    [verdict] = found.format_verdict()
    assert "the game has no chance, and the bots repeat themselves, so more deals would say nothing" in verdict
    assert "after 24 deals (1 distinct)" in verdict
    assert all(row.wins.low is None for row in found.standings)
    assert "±" not in str(match_report(found))


async def test_equal_deals_after_the_same_opening_count_once_and_those_after_others_count() -> None:
    """A test ends once all openings have been played and deals only repeat others."""
    with registered(SealedBids, narrator=NARRATOR):
        spec, test = sequential_match(
            match_of("builtin:first", "other=builtin:first", game="sealed_bids", seed="s", opening=1),
            Hypotheses(elos=(0, 20)),
        )
        result = await play_match(spec, batches=test)
        found = MatchSummary(result, state=test.state)
    [line] = found.format_repeated_deals()
    assert ", 4 distinct: sealed_bids has no chance, and the bots repeat themselves after the same opening;" in line
    assert line.endswith("so --games 4 says as much")
    assert test.state is not None
    assert (test.state.undecided_by, test.state.observations) == ("repeated_deals", 4)
    [wins] = found.format_seat_wins()
    assert wins == "75.0 % of deals were won by the same seat in all rotations; their openings may have decided them"
    assert found.seat_wins == SeatWins(deals=found.deals, one_seat=found.deals * 3 // 4)


@pytest.mark.parametrize(
    ("llr", "why", "proposed"),
    [
        (1.47, "leans to accept", "--sprt 5,25 --games 300 "),
        (-1.96, "leans to reject", "--sprt 5,25 --games 225 "),
        (0.01, "larger difference", "--sprt 5,45 --games 400 "),
        (0.0, "larger difference", "--sprt 5,45 --games 400 "),
    ],
)
async def test_after_an_undecided_test_comes_one_that_can_be_decided(llr: float, why: str, proposed: str) -> None:
    """By as many deals as the likelihood ratio needs at its rate; or, if it came to nothing, by other bounds."""
    state = structs.replace(UNDECIDED, llr=llr, deals=100)
    found = MatchSummary(await played(7), state=state, elos=(5.0, 25.0))
    first, *_ = after_match(found, match_of("new", "old", field=["rival"], game="pebbles"))
    assert why in first.why
    assert first.command.startswith("referee match new old --field=rival --game pebbles ")
    assert proposed in first.command + " "
    spec = match_of("new", "rival", vary=["depth=1,2"], game="pebbles")
    assert next(after_match(found, spec)).command.startswith("referee match new rival --vary=depth=1,2 --game pebbles ")
    widest = MatchSummary(found.result, state=state, elos=(5.0, 1000.0))
    assert any("--sprt" in each.command for each in after_match(widest, spec)) is ("leans" in why)
    repeated = MatchSummary(found.result, state=structs.replace(state, undecided_by="repeated_deals"), elos=(5.0, 25.0))
    assert not any("--sprt" in each.command for each in after_match(repeated, match_of("new", "old", game="pebbles")))


async def test_after_a_few_games_that_were_not_lost_comes_a_test_of_luck() -> None:
    """And after many of them none: then a better rival comes."""
    for deals, comes in ((2, True), (7, False)):
        spec = match_of("a=builtin:first", "b=builtin:first", game="pebbles", options={"heap": "6"}, deals=deals)
        steps = [*after_match(MatchSummary(await play_match(spec)), spec)]
        assert ([each.why for each in steps if "--sprt 0,100" in each.command] != []) is comes
