"""What an observer is told: enough, and plain enough, to follow a match or a tournament from another machine."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from referee import play_match
from tests.games.sealed_bids import NARRATOR, SealedBids
from tests.playing import match_of
from tests.registered import registered
from tests.reports.plain_lines import Lines
from tests.timeouts import TEST_TIMEOUT
from tournaments.competition.progress import Progress
from tournaments.competition.results import tournament_standings
from tournaments.event import director
from tournaments.event.director import format_faults
from tournaments.event.events import Follower, TournamentGameOver, TournamentLiveEvent
from tournaments.event.service import replay_game, resume_tournament, run_tournament, withdraw_bot
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.records import record_to_game
from tournaments.play.events import GameBegun, LiveEvent, MatchBegun, MatchGameOver, Notice
from tournaments.play.interruption import Interruption
from tournaments.play.runner import PlayedGame

FILE = """
    format = "swiss"
    game = "forbidden_city"
    seats = 2
    seed = "the secret of this cup"
    [swiss]
    rounds = 3
    [clock]
    move = "30s"
    [run]
    concurrency = 1
    sandbox = "none"
"""
BOTS = "".join(f'[[bot]]\nbuiltin = "random"\nname = "{name}"\n' for name in "abcde")


class Remote:
    """An observer on another machine: it gets the events as JSON, and has nothing else."""

    def __init__(self, kinds: Any) -> None:
        self.lines: list[bytes] = []
        self.events: list[LiveEvent] = []
        self._kinds = kinds

    def observe(self, event: LiveEvent) -> None:
        self.lines.append(msgspec.json.encode(event))
        self.events.append(msgspec.json.decode(self.lines[-1], type=self._kinds))
        assert self.events[-1] == event

    def followed(self) -> Progress:
        """The state of the tournament."""
        follower = Follower()
        for event in self.events:
            follower.follow(event)
        assert follower.progress is not None
        return follower.progress


def check_same(progress: Progress, folder: Path) -> None:
    """Check that an observer knows what the folder has, but for the seed."""
    loaded = load(TournamentFolder.open(folder), repair=False).progress
    assert list(progress.games()) == list(loaded.games())
    assert progress.entries == loaded.entries
    assert progress.events == loaded.events
    assert tournament_standings(progress, True) == tournament_standings(loaded, True)


@pytest.mark.slow
async def test_a_tournament_can_be_followed_by_its_events_alone(tmp_path: Path) -> None:
    """From its first round, and from where it goes on after an interruption, a withdrawal and a replay."""
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    file.write_text(FILE + BOTS)
    first, second, third, fourth = (Remote(TournamentLiveEvent) for _ in range(4))
    interruption = Interruption(finish_first=True)

    def interrupt(event: LiveEvent) -> None:
        first.observe(event)
        if isinstance(event, TournamentGameOver) and event.game.round == 2:
            interruption.interrupt()

    with trio.fail_after(TEST_TIMEOUT):
        await run_tournament(file, out, interrupt, interruption)
        check_same(first.followed(), out)
        await withdraw_bot(out, "e", "ill", second.observe, Interruption())
        check_same(second.followed(), out)
        await replay_game(out, "r01-t001-d01-s1", "a test", third.observe, Interruption())
        check_same(third.followed(), out)
        await resume_tournament(out, fourth.observe, Interruption())
        check_same(fourth.followed(), out)
    told = b"".join(line for remote in (first, second, third, fourth) for line in remote.lines)
    assert b"the secret of this cup" not in told
    near, far = Lines(), Lines()
    for event, line in zip(fourth.events, fourth.lines, strict=True):
        near.observe(event)
        far.observe(msgspec.json.decode(line, type=TournamentLiveEvent))
    assert near.lines == far.lines
    assert any(line.startswith("round 3 is over; points") for line in far.lines)


@pytest.mark.slow
async def test_what_is_told_of_a_game_is_durable(tmp_path: Path) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    file.write_text(FILE + BOTS)
    told: list[str] = []

    def look(event: LiveEvent) -> None:
        if isinstance(event, TournamentGameOver):
            told.append(event.game.game_id)
            stored = load(TournamentFolder.open(out), repair=False)
            assert [game.game_id for game in stored.progress.games()] == told
            assert stored.repairs == []

    with trio.fail_after(TEST_TIMEOUT):
        await run_tournament(file, out, look, Interruption())
    assert told


async def test_a_game_that_has_ended_when_a_run_is_ended_is_stored_and_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    file.write_text(FILE + BOTS)
    interruption = Interruption()
    told: list[str] = []

    def end_run(played: PlayedGame) -> tuple[str | None, ...]:
        interruption.request()  # while the game is being stored
        return format_faults(played)

    def observe(event: LiveEvent) -> None:
        if isinstance(event, TournamentGameOver):
            told.append(event.game.game_id)

    monkeypatch.setattr(director, "format_faults", end_run)
    with trio.fail_after(TEST_TIMEOUT):
        await run_tournament(file, out, observe, interruption)
    stored = load(TournamentFolder.open(out), repair=False).progress
    assert [game.game_id for game in stored.games()] == told != []


async def test_a_match_tells_the_same_kind_of_observer() -> None:
    remote = Remote(Notice | MatchBegun | GameBegun | MatchGameOver)
    spec = match_of("builtin:first", "builtin:random", deals=2, seed="hidden", concurrency=1)
    result = await play_match(spec, observer=remote.observe)
    begun, *games = remote.events
    assert begun == MatchBegun(game="year_of_the_dragon", bots=("first", "random"), games=4)
    assert [type(event) for event in games] == [GameBegun, MatchGameOver] * 4
    outcomes = {event.game_id: event.outcome for event in games if isinstance(event, MatchGameOver)}
    assert outcomes == {played.game.game_id: played.outcome for played in result.games}
    seeds = [played.game.seed.encode() for played in result.games]
    assert not any(seed in line for seed in seeds for line in remote.lines)


@pytest.mark.slow
async def test_hashes_of_decisions_are_those_that_follow_from_the_records(tmp_path: Path) -> None:
    """In a game without chance bots that repeat themselves count once; the database agrees with the records."""
    file, out = tmp_path / "cup.toml", tmp_path / "cup"
    text = FILE.replace("forbidden_city", "sealed_bids").replace("rounds = 3", "rounds = 2")
    file.write_text(f"deals = 2\n{text}" + "".join(f'[[bot]]\nbuiltin = "first"\nname = "{name}"\n' for name in "abcd"))
    with registered(SealedBids, narrator=NARRATOR):
        await run_tournament(file, out, lambda event: None, Interruption())
        folder = TournamentFolder.open(out)
        loaded = load(folder, repair=False).progress
        games = list(loaded.games())
        index = {entry.name: bot for bot, entry in enumerate(loaded.entries)}
        assert games == [record_to_game(folder.read_record(game.game_id), index) for game in games]
        assert len({game.decisions_hash for game in games}) == 1
        found = tournament_standings(loaded, True)
    assert [(row.deals, row.rated_deals) for row in found.standings] == [(4, 2)] * 4
    assert found.repeated_deals is not None
    assert (found.repeated_deals.deals, found.repeated_deals.distinct) == (8, 4)
