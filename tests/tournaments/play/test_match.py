"""`play_match`: the same match that the command plays, for a notebook, a worker or a test."""

import pickle
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from msgspec import UNSET

import referee
from referee import MatchFailed, MatchResult, MatchSpec, RefereeError, Replay, play_match
from referee.bots.bot_spec import BotSpecError, parse_bot
from referee.bots.build import BuildError
from referee.bots.files_hash import hash_bot
from referee.players.clock import TimeControl
from tests.cli.bots import BOT, make_bot
from tests.game_runner.harness import Harness
from tests.playing import match_of
from tests.timeouts import TEST_TIMEOUT
from tournaments.play.conditions import Conditions
from tournaments.play.events import LiveEvent, Notice
from tournaments.play.match import MatchInterrupted
from tournaments.play.match_spec import MatchError
from tournaments.play.runner import PlayedGame

BOTS = ["builtin:first", "builtin:random"]


async def test_result_has_every_game_and_each_is_reported_as_it_finishes(tmp_path: Path) -> None:
    spec = match_of(*BOTS, deals=3, seed="s", records=tmp_path, concurrency=2)
    finished: list[PlayedGame] = []
    result = await play_match(spec, finished.append)
    assert [played.game.game_id for played in result.games] == [f"000{d}-{r}" for d in (1, 2, 3) for r in (1, 2)]
    assert sorted(finished, key=lambda played: played.game.game_id) == result.games
    assert not result.interrupted
    for played in result.games:
        assert played.record is not None
        replay = Replay(played.record)
        replay.check()
        assert replay.result is not None
        assert replay.result.scores == played.outcome.scores


async def test_options_of_the_game_may_be_values_or_texts() -> None:
    for great_wall in (True, "true"):
        options = {"great_wall": great_wall, "super_event": "flood"}
        spec = match_of(*BOTS, deals=1, rotate=False, options=options)
        result = await play_match(spec)
        assert result.match.plan.config.great_wall is True


def test_specification_survives_being_sent_to_another_process() -> None:
    spec = match_of(*BOTS, seed="s", records=Path("x"), control=TimeControl(bank=3.0), options={"players": 2})
    sent = msgspec.json.encode(spec, enc_hook=str)
    assert msgspec.json.decode(sent, type=MatchSpec, dec_hook=lambda kind, value: kind(value)) == spec


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"game": "chess"}, referee.RefereeError, "unknown game 'chess'"),
        ({"seed": "\x1b[2J"}, MatchError, "the seed must be printable"),
    ],
)
async def test_match_that_cannot_be_played_is_a_referee_error(
    changes: dict[str, object], error: type[RefereeError], words: str
) -> None:
    spec = msgspec.structs.replace(match_of(*BOTS), **changes)
    with pytest.raises(error, match=words) as caught:
        await play_match(spec)
    assert isinstance(caught.value, RefereeError)


async def test_bot_that_says_that_it_plays_another_game_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "mason"\ncommand = "python3 bot.py"\ngames = ["forbidden_city"]\n')
    with pytest.raises(BotSpecError, match=r"^mason doesn't play In the Year of the Dragon \(year_of_the_dragon\)"):
        await play_match(match_of(str(tmp_path), "builtin:first"))


async def test_failed_build_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text('command = "true"\nbuild = "sh -c \'echo no compiler; exit 2\'"\n')
    with pytest.raises(BuildError, match="exited with status 2") as caught:
        await play_match(MatchSpec(bots=[str(bot), "builtin:first"], conditions=Conditions(sandbox="none")))
    assert caught.value.output == ["  no compiler"]
    assert list((tmp_path / "records").iterdir()) == []


async def test_notices_say_what_is_in_force(tmp_path: Path) -> None:
    told: list[LiveEvent] = []
    bot = f"{sys.executable} -c pass"
    spec = match_of(bot, "builtin:first", deals=1, rotate=False, sandbox="none")
    result = await play_match(spec, observer=told.append)
    first = told[0]
    assert isinstance(first, Notice)
    assert first.text.startswith("sandbox: none, as you asked.")
    assert result.games[0].outcome.faults[0] is not None


@pytest.mark.ci_only
@pytest.mark.parametrize("workers", [1, 2])
async def test_a_bot_that_is_rebuilt_while_it_plays_ends_the_match(tmp_path: Path, workers: int) -> None:
    bot = make_bot(tmp_path / "bot")
    spec = match_of(
        str(bot), "builtin:first", deals=2, records=tmp_path / "records", sandbox="none", concurrency=2, workers=workers
    )

    def rebuild(played: PlayedGame) -> None:
        (bot / "bot.py").write_text(BOT + "# better\n")

    with pytest.raises(MatchFailed, match=r"bot: bot\.py in .* changed after .*play a copy of its folder") as caught:
        await play_match(spec, rebuild)
    games = caught.value.result.games
    assert {played.game.rotation for played in games} == {0}
    [sha256] = {Replay(played.record or "").header.players[0].files_sha256 for played in games}
    assert sha256 == hash_bot(parse_bot(str(make_bot(tmp_path / "old"))))


async def test_a_bot_that_writes_to_its_folder_plays_on_without_a_hash(tmp_path: Path) -> None:
    bot = make_bot(tmp_path / "bot", f"print('started', file=open('bot.log', 'a'))\n{BOT}")
    (bot / "bot.log").touch()
    spec = match_of(str(bot), "builtin:first", deals=1, records=tmp_path / "records", sandbox="none")
    result = await play_match(spec)
    assert [Replay(played.record or "").header.players[0].files_sha256 for played in result.games] == [UNSET, UNSET]
    [notice] = [notice for notice in result.notices if "bot.log" in notice]
    assert "further records don't say" in notice


async def test_latest_leads_to_a_match_when_it_has_been_played_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    latest = tmp_path / "records/latest"
    under_way: list[bool] = []
    spec = MatchSpec(bots=BOTS, deals=1)
    first = await play_match(spec, lambda played: under_way.append(latest.exists()))
    assert not any(under_way)
    assert latest.resolve() == (tmp_path / str(first.match.plan.records)).resolve()

    def interrupt(played: PlayedGame) -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    spec = MatchSpec(bots=BOTS, deals=1000, conditions=Conditions(concurrency=1))
    interrupted = await play_match(spec, interrupt)
    assert interrupted.interrupted
    assert 1 <= len(interrupted.games) < 20
    assert signal.getsignal(signal.SIGINT) is before
    assert latest.resolve() == (tmp_path / str(first.match.plan.records)).resolve()


async def test_signal_before_the_first_game_plays_none() -> None:
    def interrupt(event: LiveEvent) -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    try:
        spec = match_of(f"{sys.executable} -c pass", "builtin:first")
        with trio.fail_after(TEST_TIMEOUT), pytest.raises(MatchInterrupted):
            await play_match(spec, observer=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)


def test_match_in_another_thread_handles_no_signals() -> None:
    """As in a notebook, which needs its main thread itself."""
    results = []
    before = signal.getsignal(signal.SIGINT)
    spec = match_of(*BOTS, deals=1)
    thread = threading.Thread(target=lambda: results.append(trio.run(play_match, spec)))
    thread.start()
    thread.join(TEST_TIMEOUT)
    assert len(results[0].games) == 2
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    "changes",
    [
        {"deals": 0},
        {"seed": 5},
        {"conditions": "fair"},
        {"conditions": Conditions(sandbox="Bwrap")},  # type: ignore[arg-type]
        {"conditions": Conditions(concurrency=0)},
        {"conditions": Conditions(concurrency=-1)},
        {"conditions": Conditions(retries=-1)},
        {"conditions": Conditions(retries="2")},  # type: ignore[arg-type]
        {"conditions": Conditions(show=(Path("no/such/folder"),))},
        {"conditions": Conditions(control=TimeControl(move=None))},
        {"conditions": Conditions(control=TimeControl(move=-1.0))},
        {"bots": [Path("x"), "builtin:first"]},
    ],
    ids=str,
)
async def test_value_that_is_not_allowed_is_a_match_error(changes: dict[str, Any]) -> None:
    spec = msgspec.structs.replace(match_of(*BOTS), **changes)
    with pytest.raises(MatchError):
        await play_match(spec)


async def test_paths_may_be_given_as_text(tmp_path: Path) -> None:
    spec = msgspec.structs.replace(MatchSpec(bots=BOTS, deals=1), records=str(tmp_path))
    result = await play_match(spec)
    assert result.match.plan.records == tmp_path
    assert len(result.games) == 2


@pytest.mark.slow
async def test_matches_in_one_process_leave_each_others_bots_alone(harness: Harness) -> None:
    bot = harness.bot("ready()")
    spec = match_of(
        shlex.join(bot.argv), "builtin:first", deals=4, sandbox="none", control=TimeControl(move=60.0, startup=60.0)
    )
    results: list[MatchResult] = []

    async def play() -> None:
        results.append(await play_match(spec))

    before = signal.getsignal(signal.SIGINT)
    with trio.fail_after(TEST_TIMEOUT):
        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(play)
    assert [len(result.games) for result in results] == [8, 8]
    assert all(played.outcome.faults == [None, None] for result in results for played in result.games)
    assert signal.getsignal(signal.SIGINT) is before


async def test_child_processes_of_the_program_are_left_alone() -> None:
    bot = f"{sys.executable} -c pass"
    spec = match_of(bot, "builtin:first", deals=1, rotate=False, sandbox="none")
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as child:  # noqa: ASYNC220
        try:
            await play_match(spec)
            assert child.poll() is None
        finally:
            child.kill()


async def test_error_of_the_caller_ends_the_match_and_is_raised_again() -> None:
    def fail(played: PlayedGame) -> None:
        raise OSError("the caller's disk is full")

    with pytest.raises(OSError, match="the caller's disk is full"):
        await play_match(match_of(*BOTS), fail)


async def test_failed_match_survives_being_sent_to_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "0002-1.jsonl").mkdir()  # so the record of that game can't be written
    monkeypatch.setattr("tournaments.play.match_preparation.record_folder", lambda requested: requested)
    with pytest.raises(MatchFailed) as caught:
        await play_match(match_of(*BOTS, deals=3, seed="s", concurrency=1, records=tmp_path))
    caught.value.__context__ = None  # with the whole run, which pickle takes in where a test has imported Dask
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value)
    assert "0002-1.jsonl" in str(error)
    assert len(error.result.games) == len(caught.value.result.games) == 1
