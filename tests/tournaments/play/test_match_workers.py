"""A match in worker processes: the same games, records, traces and measurements as in one process."""

import os
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from referee import MatchFailed, MatchResult, MatchSpec, play_match
from referee.bots.policies import POLICIES
from referee.players.builtin import BuiltinPlayer
from tests.game_runner.harness import Harness
from tests.playing import match_of
from tests.timeouts import TEST_TIMEOUT
from tests.tournaments.play.test_workers import without_times
from tournaments.play import local
from tournaments.play.conditions import Conditions
from tournaments.play.events import GameBegun, LiveEvent, MatchBegun, MatchGameOver, Notice
from tournaments.play.match_preparation import prepare
from tournaments.play.runner import PlayedGame

pytestmark = pytest.mark.usefixtures("forked_modules")

BUILTIN = ["builtin:first", "builtin:random"]


async def play(spec: MatchSpec, workers: int, folder: Path, events: list[LiveEvent] | None = None) -> MatchResult:
    """Play a match with records and traces in new folders."""
    spec = msgspec.structs.replace(
        spec.with_conditions(workers=workers),
        records=folder / f"records{workers}",
        traces=folder / f"traces{workers}",
    )
    with trio.fail_after(TEST_TIMEOUT):
        return await play_match(spec, observer=(lambda event: None) if events is None else events.append)


def by_id(result: MatchResult) -> list[tuple[str, object, list[object]]]:
    """What has to be the same with any number of workers."""
    return [
        (played.game.game_id, msgspec.to_builtins(played.outcome), [*without_times(content(played))])
        for played in result.games
    ]


def content(played: PlayedGame) -> bytes:
    """The record of a game."""
    assert played.record is not None
    return played.record.read_bytes()


@pytest.mark.slow
async def test_the_match_is_the_same_with_any_number_of_workers(harness: Harness, tmp_path: Path) -> None:
    """A bot and built-in players, with a time control, records, traces and standard error."""
    bot = Path(__file__).parents[3] / "bots" / "random-python"
    spec = MatchSpec(bots=[str(bot), *BUILTIN], deals=3, seed="s", conditions=Conditions(concurrency=3, sandbox="none"))
    told: list[LiveEvent] = []
    async with harness.no_leaks():
        alone = await play(spec, 1, tmp_path)
        together = await play(spec, 3, tmp_path, told)
    assert by_id(together) == by_id(alone)
    assert len(together.games) == 9
    assert [time.decisions for time in together.thinking] == [time.decisions for time in alone.thinking]
    assert together.thinking[0].decisions > 0
    assert together.thinking[0].worst > 0
    assert together.lag.samples > 0
    names = [sorted(path.name for path in (tmp_path / folder).iterdir()) for folder in ("traces1", "traces3")]
    assert names[0] == names[1]
    assert len(names[0]) == 2 * 9
    begun = [event.game_id for event in told if isinstance(event, GameBegun)]
    finished = [event.game_id for event in told if isinstance(event, MatchGameOver)]
    assert sorted(begun) == sorted(finished) == [played.game.game_id for played in together.games]
    assert sum(isinstance(event, MatchBegun) for event in told) == 1


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
async def test_command_lines_and_variables_need_not_be_text(workers: int, tmp_path: Path) -> None:
    not_text = os.fsdecode(b"x\xff")
    folder = tmp_path / not_text
    folder.mkdir()
    source = (Path(__file__).parents[3] / "bots" / "random-python" / "random_bot.py").read_text()
    checks = "import os, sys\nassert (os.environb[b'A'], os.fsencode(sys.argv[1])) == (b'x\\xff', b'x\\xff')\n"
    (folder / "bot.py").write_text(checks + source)
    spec = MatchSpec(
        bots=[f"a=python3 {folder}/bot.py {not_text}", "builtin:random"],
        conditions=Conditions(environment={"A": not_text}, concurrency=2, sandbox="none"),
        deals=2,
    )
    result = await play(spec, workers, tmp_path)
    assert result.match.plan.conditions.workers == workers
    assert [played.outcome.faults for played in result.games] == [[None, None]] * 4


@pytest.mark.slow
async def test_a_signal_ends_it_early_and_keeps_finished_games_and_measurements(tmp_path: Path) -> None:
    bot = Path(__file__).parents[3] / "bots" / "random-python"
    spec = match_of(str(bot), "builtin:first", deals=1000, concurrency=2, workers=2, records=tmp_path / "r")
    before = signal.getsignal(signal.SIGINT)
    try:
        with trio.fail_after(TEST_TIMEOUT):
            result = await play_match(spec, lambda played: signal.raise_signal(signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.interrupted
    assert 1 <= len(result.games) < 20
    assert result.thinking[0].decisions > 0


@pytest.mark.slow
async def test_a_record_that_can_not_be_written_by_a_worker_ends_the_match(tmp_path: Path) -> None:
    spec = match_of(*BUILTIN, deals=2, concurrency=2, workers=2, records=tmp_path / "r", seed="s")

    def spoil(event: LiveEvent) -> None:
        if isinstance(event, MatchBegun):
            for deal in (1, 2):
                (tmp_path / "r" / f"000{deal}-1.jsonl").mkdir()

    with trio.fail_after(TEST_TIMEOUT), pytest.raises(MatchFailed, match="can't write the record") as caught:
        await play_match(spec, observer=spoil)
    assert caught.value.result.games == []


async def test_a_person_plays_in_this_process_and_is_told_so() -> None:
    told: list[LiveEvent] = []
    spec = match_of("human", "builtin:random", deals=1, rotate=False, workers=2)
    with trio.fail_after(TEST_TIMEOUT):
        result = await play_match(spec, observer=told.append, person=lambda name: BuiltinPlayer(POLICIES["first"]))
    assert result.match.plan.conditions.workers == 1
    notices = [event.text for event in told if isinstance(event, Notice)]
    assert notices == ["one game at a time needs one process: --workers 2 has no effect"]


@pytest.mark.parametrize(
    ("deals", "given", "expected"),
    [(100, {}, 1), (200, {}, 2), (10_000, {}, 4), (10_000, {"concurrency": 3}, 3), (10_000, {"watched": True}, 4)],
)
async def test_long_matches_have_a_worker_for_each_core_by_default(
    deals: int, given: dict[str, Any], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "cores", lambda: 4)
    conditions = Conditions(**{"workers": None, "concurrency": 8} | given)
    spec = MatchSpec(bots=BUILTIN, deals=deals, conditions=conditions, keep_records=False)
    assert (await prepare(spec, spec.line_up(), lambda text: None)).plan.conditions.workers == expected


@pytest.mark.slow
async def test_openings_are_the_same_in_every_worker_and_in_one_game_alone(tmp_path: Path) -> None:
    """Drawn ones and those of a file, which workers don't read."""
    file = tmp_path / "openings.txt"
    file.write_text('[{"persons":["farmer","monk"]}]\n{"persons":["monk","scholar"]}\n')
    openings: list[dict[str, Any]] = [{"opening": 7}, {"openings": file}]
    for number, opening in enumerate(openings):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        spec = MatchSpec(bots=BUILTIN, deals=4, seed="s", conditions=Conditions(concurrency=3), **opening)
        alone = await play(spec, 1, folder)
        assert by_id(alone) == by_id(await play(spec, 3, folder))
        [again] = (
            await play_match(
                msgspec.structs.replace(spec, only="0003-2", records=folder / "only"),
            )
        ).games
        third = next(played for played in alone.games if played.game.game_id == "0003-2")
        assert [*without_times(content(again))] == [*without_times(content(third))]
        first, rotated = (msgspec.json.decode(line) for line in (decision(alone, "0003-1"), decision(alone, "0003-2")))
        assert first == rotated
        assert first["opening"]


def decision(result: MatchResult, game_id: str) -> bytes:
    """The first decision of a game in its record."""
    played = next(played for played in result.games if played.game.game_id == game_id)
    return next(line for line in content(played).splitlines() if line.startswith(b'{"type":"decision"'))
