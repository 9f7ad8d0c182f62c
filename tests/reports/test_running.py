"""The lines about a running tournament, and what becomes of a view that fails or can't be written."""

from itertools import pairwise

import pytest

from referee.games.narrator import format_game_id
from referee.reports.running import PROGRESS_INTERVAL
from tests.reports.plain_lines import Lines
from tests.tournaments.competition.simulated import Simulation, regulations, stored
from tournaments.competition.changes import BegunAgain, FilesAccepted, Joined, Replayed, Withdrawn
from tournaments.competition.progress import OpenRound
from tournaments.competition.regulations import Entrant
from tournaments.event.events import Changed, RoundBegun, RoundOver, TournamentGameOver, TournamentOpened
from tournaments.play.events import Notice

AT = "2026-11-22T12:00:00+00:00"


def play_round(simulation: Simulation, view: Lines, fault: str = "") -> None:
    """Play a round, reporting it as the director does. `fault`: what seat 0 does wrong in every game."""
    open_tournament(simulation, view)
    simulation.begin()
    open_round = begin_round(simulation, view)
    for number, planned in enumerate(open_round.missing(), 1):
        game = stored(planned, simulation.play(planned))
        simulation.progress.add(game)
        view.observe(TournamentGameOver(game=game, faults=(fault.format(number) or None, None)))
    simulation.progress.close()
    view.observe(RoundOver(round=open_round.round.number, head="abcd"))


def open_tournament(simulation: Simulation, view: Lines) -> None:
    """Tell the view what has been played so far, unless it knows."""
    if view.progress is None:
        view.observe(TournamentOpened.of(simulation.progress))


def begin_round(simulation: Simulation, view: Lines) -> OpenRound:
    """Tell the view that the round in progress is about to be played."""
    open_tournament(simulation, view)
    current = simulation.progress.current
    assert current is not None
    view.observe(RoundBegun(round=current.round))
    return current


def test_every_round_begins_and_ends_with_a_line_and_the_head_of_the_records() -> None:
    simulation, view = Simulation(regulations("swiss", 8, rounds=3)), Lines()
    play_round(simulation, view)
    begun, over, head = view.new()
    assert begun == "round 1 of 3: 8 games at 4 tables"
    assert over.startswith("round 1 is over; points: 1. b0 1  1. b1 1  ")
    assert over.endswith(" … and 3 more")
    assert "abcd" in head


def test_places_by_rating_are_not_taken_for_places_by_points() -> None:
    simulation, view = Simulation(regulations("ladder", 4, budget=16)), Lines()
    play_round(simulation, view)
    assert view.new()[1].startswith("round 1 is over; places by rating, points: 1. b0 1  ")


def test_a_notice_that_is_repeated_at_once_is_shown_once() -> None:
    view = Lines()
    for text in ("a", "a", "b", "a"):
        view.observe(Notice(text=text))
    assert view.new() == ["a", "b", "a"]


def test_places_are_compared_with_those_after_the_round_before() -> None:
    simulation, view = Simulation(regulations("round_robin", 3)), Lines()
    play_round(simulation, view)
    assert "▲" not in " ".join(view.new())
    play_round(simulation, view)
    assert any("▲" in line or "▼" in line for line in view.new())


def test_after_an_interruption_places_are_compared_with_those_after_the_round_before() -> None:
    simulation, before, after = Simulation(regulations("round_robin", 5)), Lines(), Lines()
    play_round(simulation, before)
    simulation.begin()
    current = begin_round(simulation, before)
    simulation.add(3)
    for game in current.played.values():
        before.observe(TournamentGameOver(game=game, faults=(None, None)))
    begin_round(simulation, after)  # in another process, which has seen nothing of the first round
    before.update()
    after.update()
    moved = [before.moved(row) for row in before.rows]
    assert moved == [after.moved(row) for row in after.rows]
    assert any(moved)
    assert after.new() == ["round 2 of 5: 4 games at 2 tables, 3 games of them played already"]


def test_a_fault_is_shown_at_once_and_equal_ones_are_counted() -> None:
    simulation, view = Simulation(regulations("swiss", 8, rounds=3)), Lines()
    play_round(simulation, view, fault="crash: exited with \x1b[31m1 at act {}")
    lines = view.new()
    faults = [line for line in lines if "crash" in line and "×" not in line]
    assert len({line.split(": ")[1] for line in faults}) == len(faults)  # one of each bot
    assert all(line.isprintable() for line in lines)
    play_round(simulation, view, fault="crash: exited with \x1b[31m1 at act {}")
    lines = view.new()
    assert any(line.startswith("    ×1 more in this round: b") for line in lines)
    assert all(line.endswith(" at act …") for line in lines if "more in this round" in line)
    assert len([line for line in lines if "crash" in line and "×" not in line]) < len(faults)
    event = Simulation(regulations("round_robin", 2))
    view.observe(TournamentOpened.of(event.progress))  # the next event of a season
    play_round(event, view, fault="crash: exited with \x1b[31m1 at act {}")
    begun, first, *_ = view.new()
    assert begun.startswith("round 1 of 1: ")
    assert "crash: exited" in first
    assert "×" not in first


def test_how_far_it_has_come_is_said_at_most_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    simulation, view = Simulation(regulations("round_robin", 4, deals=50)), Lines()
    simulation.begin()
    open_round = begin_round(simulation, view)
    view.new()
    said: list[float] = []
    for planned in open_round.missing():
        now += 7
        game = stored(planned, (1, 0))
        simulation.progress.add(game)
        view.observe(TournamentGameOver(game=game, faults=(None, None)))
        said += [now] * len(view.new())
    assert len(said) >= 20
    assert all(later - earlier >= PROGRESS_INTERVAL for earlier, later in pairwise(said))
    assert ", ".join(view.format_parts()) == "200 of 200 games, 200 of 600 in all, 0.1 games/s, about 47 min left"


def test_every_kind_of_event_is_a_line() -> None:
    view = Lines()
    simulation = Simulation(regulations("round_robin", 4))
    simulation.round()
    open_tournament(simulation, view)
    game = next(simulation.progress.games())
    again = stored(game, (1, 0), again=1)
    replayed = Replayed(
        round=2, at=AT, game_id=game.game_id, replacement=again.game_id, reason="a \x07 failed", old=game
    )
    view.observe(Changed(change=Joined(round=2, at=AT, bot=Entrant(name="late"), source={})))
    view.observe(Changed(change=Withdrawn(round=2, at=AT, bot="late", reason="by the organiser")))
    view.observe(Changed(change=FilesAccepted(round=2, at=AT, bots={"b0": "ab"})))
    view.observe(Changed(change=replayed, replacement=again))
    for reasons in (["a", "a"], ["a", "b", "a", "a"]):
        view.observe(Changed(change=BegunAgain(round=2, at=AT, games={game.game_id: reasons})))
    assert view.lines == [
        "late joins in round 2",
        "late is withdrawn before round 2: by the organiser",
        "changed files are accepted from round 2 on: b0",
        f"{format_game_id(game.game_id)}, was played again: a � failed",
        f"{format_game_id(game.game_id)}, was begun again, as a (twice)",
        f"{format_game_id(game.game_id)}, was begun again, as a (3 times), b",
    ]
