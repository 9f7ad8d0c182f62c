"""The packed games of a match are those that were added."""

from pathlib import Path

from msgspec import structs

from referee.outcome import Fault, Outcome
from referee.processes.stderr_log import StderrExcerpt
from tournaments.play.match_preparation import prepare
from tournaments.play.match_spec import MatchSpec
from tournaments.play.plan import GamePlan
from tournaments.play.played_games import PlayedGames
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import ScheduledGame, game_of_match

TABLES = [(0, 2, 3), (1, 2, 3)]
TIMEOUT = Fault("timeout", "no answer within 1000 ms", referee_late=0.07)


async def plan(records: Path | None) -> GamePlan:
    """A plan of four built-in players."""
    spec = MatchSpec(bots=["builtin:first"] * 4, records=records, keep_records=records is not None)
    return (await prepare(spec, spec.line_up(), lambda text: None)).plan


def games(of: GamePlan) -> list[PlayedGame]:
    """Games of all kinds, in the order in which they end."""

    def scheduled(deal: int, rotation: int, table: int) -> ScheduledGame:
        return game_of_match(deal, rotation, TABLES, "seed", phase=7, table=table)

    outcome = Outcome(scores=[3, -1, 10**12], ranks=[2, 3, 1], faults=[None] * 3, asked=70, decisions_hash="0a")
    excerpts = [StderrExcerpt(path=None, tail=""), None, None]
    first = PlayedGame(game=scheduled(2, 0, 1), outcome=outcome, record=None, stderr=excerpts)
    game = scheduled(1, 2, 0)
    faulty = PlayedGame(
        game=game,
        outcome=structs.replace(outcome, faults=[None, TIMEOUT, None], stopped="a reason", unstarted=[1]),
        record=of.record_path(game),
        stderr=[None, StderrExcerpt(path=of.stderr_path(game, 1), tail="end", head="begin", omitted=3), None],
        startup=[0.25, None, 0.5],
    )
    elsewhere = structs.replace(first, game=scheduled(1, 2, 1), host="helga", built={"a": "12"})
    return [first, faulty, elsewhere, structs.replace(first, game=scheduled(1, 0, 0))]


async def test_games_come_back_as_they_were_in_the_order_of_deals(tmp_path: Path) -> None:
    """Whether records are kept or not."""
    for records in (tmp_path / "records", None):
        of = await plan(records)
        added = games(of)
        packed = PlayedGames(of, "seed", one_table=False)
        for played in added:
            packed.append(played)
        assert packed == added
        assert packed[1:3] == added[1:3]
        packed.sort()
        assert packed == [added[3], added[1], added[2], added[0]]
        assert packed[-1] == added[0]
        assert [*packed.with_faults()] == [added[1]]
        assert [outcome for _, outcome in packed.outcomes()] == [played.outcome for played in packed]
        assert [tuple(seated) for seated, _ in packed.outcomes()] == [
            (played.game.deal, played.game.seating) for played in packed
        ]
        assert (len(packed), packed.deals()) == (4, 2)


async def test_standard_error_is_kept_for_faults_only() -> None:
    """A bot that writes much in each game costs the referee nothing."""
    of = await plan(None)
    _, faulty, *_ = games(of)
    talkative = StderrExcerpt(path=None, tail="x" * 4000)
    packed = PlayedGames(of, "seed", one_table=False)
    packed.append(structs.replace(faulty, stderr=[talkative, talkative, None]))
    assert packed[0].stderr == [StderrExcerpt(path=None, tail=""), talkative, None]
