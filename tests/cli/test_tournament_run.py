"""`referee tournament run`, `resume`, `add`, `withdraw` and `replay`, as an organiser uses them."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, assert_error, referee, start
from tests.cli.inotify import IN_MOVED_TO, FolderEvents, on_linux
from tests.processes.sandboxed import needs_sandbox
from tests.timeouts import TEST_TIMEOUT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pebbles_known")]

RULES = 'game = "forbidden_city"\nseed = "x"\n[clock]\nmove = "30s"\nstartup = "30s"\n'
HEAD = RULES.replace("forbidden_city", "pebbles")
"""A small game, where nothing is to happen while it is played."""
SWISS = f'format = "swiss"\n{HEAD}[swiss]\nrounds = 3\n[run]\nconcurrency = 2\nsandbox = "none"\n'
LONG = f'format = "round_robin"\ndeals = 2000\n{RULES}[run]\nconcurrency = 2\nsandbox = "none"\n'
STOPS_STARTING = f"""
import os
starts = os.path.join(os.path.dirname(os.path.abspath(__file__)), "starts")
with open(starts, "a") as file:
    file.write("x")
if os.path.getsize(starts) > 1:
    raise SystemExit("no licence left")
{BOT}
"""
"""Passes the check, and can't be started afterwards."""

STOPS_ONCE = BOT.replace(
    'rng.randrange(len(message["legal"]))}',
    """rng.randrange(len(message["legal"]))}
        import os, time
        here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        if os.path.exists(here + "/cup") and not os.path.exists(here + "/stopped"):
            open(here + "/stopping", "w").close()
            os.rename(here + "/stopping", here + "/stopped")
            time.sleep(1000)""",
)
"""Stops thinking for ever at its first decision after the check, but only once."""


def builtins(*names: str) -> str:
    return "".join(f'[[bot]]\nbuiltin = "random"\nname = "{name}"\n' for name in names)


def write(folder: Path, head: str = SWISS, *names: str, bots: str = "") -> Path:
    """A tournament of built-in players with these names, and more bots."""
    file = folder / "cup.toml"
    file.write_text(head + bots + builtins(*(names or ("a", "b", "c", "d"))))
    return file


def status_of(ended: Run, status: int = 0) -> Run:
    assert ended.status == status, ended.err
    return ended


def manifest(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def accepted(folder: Path) -> list[tuple[list[str], int]]:
    """The bots of which changed files were accepted, and the round."""
    events = manifest(folder)["events"]
    return [(list(event["bots"]), event["round"]) for event in events if event["event"] == "files_accepted"]


def recorded_games(folder: Path) -> list[Any]:
    """The games of a tournament, each of which has its record; there are no others."""
    games: list[Any] = referee("tournament", "games", folder, "--json").json
    assert {game["game_id"] for game in games} == {
        path.name.removesuffix(".jsonl.gz") for path in (folder / "records").iterdir()
    }
    return games


@contextmanager
def running(
    file: Path, out: Path, *, games: int = 3, start_new_session: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """A tournament that runs, of which so many games are finished."""
    with (
        FolderEvents(out.parent, IN_MOVED_TO) as made,
        start(
            *("tournament", "run", file, "--out", out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=start_new_session,
        ) as process,
    ):
        try:
            made.wait_for(1, out.name)
            with FolderEvents(out / "records", IN_MOVED_TO) as finished:
                there = sum(path.name.endswith(".gz") for path in (out / "records").iterdir())
                finished.wait_for(games - there, ".jsonl.gz")
            yield process
        finally:
            process.kill()


def interrupted(process: subprocess.Popen[str], *signals: signal.Signals) -> tuple[int, str]:
    """The exit status and stderr of a tournament after these signals."""
    for number in signals:
        process.send_signal(number)
    assert process.stderr is not None
    errors = process.stderr.read()
    process.wait(TEST_TIMEOUT)
    assert "Traceback" not in errors
    return process.returncode, errors


# -- from start to end ------------------------------------------------------------------------------------------------


def test_a_tournament_runs_to_its_end_and_keeps_everything_in_a_folder_beside_its_file(tmp_path: Path) -> None:
    ended = status_of(referee("tournament", "run", write(tmp_path), "--json"))
    folder = tmp_path / "cup"
    assert sorted(path.name for path in folder.iterdir() if path.name != "lock") == [
        "manifest.json", "records", "stderr", "tournament.db", "tournament.toml",
    ]  # fmt: skip
    assert folder.stat().st_mode & 0o777 == 0o700
    standings = ended.json
    assert (standings["tournament"], standings["round"], standings["finished"]) == ("cup", 3, True)
    assert standings == referee("tournament", "standings", folder, "--json").json == manifest(folder)["standings"]
    games = recorded_games(folder)
    assert all((folder / game["record"]).is_file() for game in games)
    before = (folder / "manifest.json").read_bytes()
    assert_error(referee("tournament", "run", tmp_path / "cup.toml"), 2, f"referee tournament resume {folder}")
    assert (folder / "manifest.json").read_bytes() == before


def test_a_folder_that_can_not_be_made_is_found_out_before_bots_are_built(tmp_path: Path) -> None:
    bot = make_bot(tmp_path / "bot", BOT, 'command = "python3 bot.py"\nbuild = "touch built"\n')
    file = write(tmp_path, bots='[[bot]]\npath = "bot"\n')
    out = file / "deep" / "cup"
    ended = referee("tournament", "run", file, "--out", out, "--without-unready")
    assert_error(ended, 1, f"can't create the folder {out}: Not a directory")
    assert not (bot / "built").exists()


@pytest.mark.ci_only
def test_the_same_seed_gives_the_same_tournament_at_any_concurrency_with_any_number_of_workers(tmp_path: Path) -> None:
    file = write(tmp_path)
    one = status_of(referee("tournament", "run", file, "--json")).json
    file.write_text(file.read_text().replace("concurrency = 2", "concurrency = 7\nworkers = 3"))
    assert status_of(referee("tournament", "run", file, "--out", tmp_path / "again", "--json")).json == one


# -- interruptions ----------------------------------------------------------------------------------------------------


@on_linux
@pytest.mark.parametrize(
    ("signals", "stdout"),
    [
        ([signal.SIGINT], "read"),
        pytest.param([signal.SIGINT, signal.SIGINT], "read", marks=pytest.mark.ci_only),
        pytest.param([signal.SIGTERM], "closed", marks=pytest.mark.ci_only),
    ],
    ids=str,
)
def test_an_interrupted_tournament_says_how_to_go_on_and_has_lost_nothing(
    tmp_path: Path, signals: list[signal.Signals], stdout: str
) -> None:
    out = tmp_path / "cup"
    with running(write(tmp_path, LONG), out) as process:
        if stdout == "closed":
            assert process.stdout is not None
            process.stdout.close()
        status, errors = interrupted(process, *signals)
    assert status == 130
    assert f"referee tournament resume {out}" in errors
    assert len(recorded_games(out)) >= 3


@pytest.mark.ci_only
@on_linux
@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.ci_only)], ids=str)
def test_a_signal_to_all_processes_of_a_terminal_loses_no_game(tmp_path: Path, how: signal.Signals) -> None:
    """With SIGINT the running games are finished: workers leave it to the director."""
    make_bot(tmp_path / "bot")
    out = tmp_path / "cup"
    head = LONG.replace("concurrency = 2", "concurrency = 3\nworkers = 2")
    with running(write(tmp_path, head, "a", bots='[[bot]]\npath = "bot"\n'), out, start_new_session=True) as process:
        os.killpg(process.pid, how)
        status, errors = interrupted(process)
    assert status == 130
    assert "worker process" not in errors, "none died"
    assert f"referee tournament resume {out}" in errors
    games = recorded_games(out)
    assert len(games) >= 3
    assert all(game["faults"] == [None, None] for game in games)


@pytest.mark.ci_only
def test_a_game_that_is_begun_again_is_a_change_that_all_can_see(tmp_path: Path) -> None:
    make_bot(tmp_path / "bot", STOPS_ONCE)
    file = write(tmp_path, SWISS.replace("concurrency = 2", "concurrency = 1"), "a", bots='[[bot]]\npath = "bot"\n')
    out = tmp_path / "cup"
    with FolderEvents(tmp_path, IN_MOVED_TO) as moved, start("tournament", "run", file, "--out", out) as process:
        moved.wait_for(1, "stopped")
        process.kill()
    assert "begun again" in status_of(referee("tournament", "resume", out)).out
    game = {"r01-t001-d01-s1": ["the referee was stopped before it was over"]}
    assert [event["games"] for event in manifest(out)["events"]] == [game]
    assert referee("tournament", "standings", out, "--json").json["begun_again"] == {"1": 1}
    assert status_of(referee("tournament", "verify", out, "--json")).json["begun_again"] == {"1": 1}


def test_the_hook_runs_after_each_round_and_is_told_a_folder_that_it_finds(tmp_path: Path) -> None:
    hook = "echo round >> rounds && test -d"
    write(tmp_path, SWISS.replace('sandbox = "none"\n', f'sandbox = "none"\non_round = "{hook}"\n'))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    ended = status_of(referee("tournament", "run", "../cup.toml", "--out", "cup", cwd=elsewhere))
    assert "on_round" not in ended.err
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", line) for line in ended.err.splitlines()), ended.err
    assert (tmp_path / "rounds").read_text() == "round\n" * 4, "after each of three rounds, and at the end"


@on_linux
def test_a_tournament_waits_for_its_start(tmp_path: Path) -> None:
    """Meanwhile bots join at once; interrupted, it waits again when it is resumed."""
    out = tmp_path / "cup"
    file = write(tmp_path, SWISS.replace("[run]", '[run]\nstart_at = "2999-01-02 18:00"'))
    assert "2999-01-02 18:00 by the clock of this machine" in referee("tournament", "plan", file).out
    with running(file, out, games=0) as process:
        status = referee("tournament", "status", out, "--json").json
        assert (status["state"], status["round"], status["starts"][:9]) == ("running", 0, "2999-01-0")
        with FolderEvents(out, IN_MOVED_TO) as written:
            assert "the tournament is running" in referee("tournament", "add", out, "late=builtin:first").out
            while not (events := manifest(out)["events"]):
                written.wait_for(1, "manifest.json")  # or first that of its beginning
        assert [event["event"] for event in events] == ["joined"]
        _, err = interrupted(process, signal.SIGINT)
        assert "the first round begins at 2999-01-02 18:00:00" in err
    kept = out / "tournament.toml"
    kept.write_text(kept.read_text().replace("2999-01-02", "2020-01-02"))
    assert status_of(referee("tournament", "resume", out, "--json")).json["finished"] is True
    kept = write(tmp_path, SWISS.replace("[run]", '[run]\nstart_at = "2020-01-02 18:00"'))
    assert_error(referee("tournament", "run", kept, "--out", tmp_path / "again"), 2, "is in the past")


@pytest.mark.ci_only
def test_a_tournament_begins_without_bots_that_are_not_ready(tmp_path: Path) -> None:
    make_bot(tmp_path / "broken", "raise SystemExit('where is my model?')")
    head = SWISS.replace("[swiss]\nrounds = 3", '[knockout]\nseeds = ["d", "broken", "c", "a", "b"]')
    head = head.replace("swiss", "knockout")
    file = write(tmp_path, head, bots='[[bot]]\npath = "broken"\nname = "broken"\n')
    refused = referee("tournament", "run", file)
    assert refused.status == 1
    for words in ("where is my model?", "not ready: broken; nothing was played", "with --without-unready the tour"):
        assert words in refused.err
    assert not (tmp_path / "cup").exists()
    ended = status_of(referee("tournament", "run", file, "--without-unready"))
    assert "broken is not ready, and the tournament begins without it: " in ended.err
    assert "broken was not ready, and the tournament began without it: " in ended.out
    played = manifest(tmp_path / "cup")
    assert played["regulations"]["settings"]["seeds"] == ["d", "c", "a", "b"]
    assert list(played["left_out"]) == ["broken"]
    assert referee("tournament", "verify", tmp_path / "cup").status == 0
    status_of(referee("tournament", "resume", tmp_path / "cup"))
    alone = write(tmp_path, head.replace('["d", "broken", "c", "a", "b"]', '["a", "broken"]'), "a",
                  bots='[[bot]]\npath = "broken"\nname = "broken"\n')  # fmt: skip
    ended = referee("tournament", "run", alone, "--without-unready", "--out", tmp_path / "alone")
    assert "without them it can't be played (tables of 2 need at least 2 bots); nothing was played" in ended.err
    assert "--without-unready" not in ended.err


# -- bots that can't be started ---------------------------------------------------------------------------------------


@pytest.mark.ci_only
def test_a_bot_that_can_not_be_started_any_more_is_withdrawn_and_its_opponents_are_told(tmp_path: Path) -> None:
    make_bot(tmp_path / "flaky", STOPS_STARTING)
    head = SWISS.replace('"swiss"', '"round_robin"').replace("[swiss]\nrounds = 3\n", "")
    file = write(tmp_path, head, "a", "b", "c", "d", "e", bots='[[bot]]\npath = "flaky"\nname = "flaky"\n')
    ended = status_of(referee("tournament", "run", file), 3)
    assert "flaky was withdrawn before round 4: " in ended.out
    assert "Played without a sandbox" in ended.out
    standings = referee("tournament", "standings", tmp_path / "cup", "--json").json["standings"]
    flaky = next(row for row in standings if row["name"] == "flaky")
    assert (flaky["withdrawn"], flaky["tables"], flaky["only"]) == (True, 3, "lost")
    assert manifest(tmp_path / "cup")["events"][0]["automatic"] is True
    assert referee("tournament", "verify", tmp_path / "cup").status == 0


# -- events -----------------------------------------------------------------------------------------------------------


@pytest.mark.ci_only
@on_linux
def test_bots_join_and_leave_a_tournament_between_rounds(tmp_path: Path) -> None:
    """Interrupted in its first round: both take effect before the second one."""
    out = tmp_path / "cup"
    head = LONG.replace("deals = 2000", "deals = 5")
    with running(write(tmp_path, head), out, games=1) as process:
        interrupted(process, signal.SIGINT)
    make_bot(tmp_path / "broken", "raise SystemExit('where is my model?')")
    refused = status_of(referee("tournament", "add", out, tmp_path / "broken"), 1)
    assert "not ready: bot; nothing was changed" in refused.err
    added = status_of(referee("tournament", "add", out, "late=builtin:first"))
    assert added.out == "late has joined, and plays from the next round on\n"
    status_of(referee("tournament", "withdraw", out, "c", "--reason", "its author asked for it"))
    assert [(event["event"], event["round"]) for event in manifest(out)["events"]] == [("joined", 2), ("withdrawn", 2)]
    ended = status_of(referee("tournament", "resume", out, "--json"))
    rows = {row["name"]: row for row in ended.json["standings"]}
    assert rows["late"]["tables"] == 3
    assert (rows["c"]["tables"], rows["c"]["withdrawn"]) == (1, True)
    assert referee("tournament", "verify", out).status == 0


@pytest.mark.ci_only
@on_linux
def test_a_running_tournament_is_ruled_on_and_paused_from_another_terminal(tmp_path: Path) -> None:
    """Both take effect before its next round; and a request to pause that came too late doesn't hold up `resume`."""
    out = tmp_path / "cup"
    with running(write(tmp_path, LONG.replace("deals = 2000", "deals = 12")), out) as process:
        penalised = status_of(referee("tournament", "penalty", out, "d", "--points", "-1", "--reason", "late"))
        assert "takes effect before its next round" in penalised.out
        status_of(referee("tournament", "pause", out))
        assert referee("tournament", "status", out, "--json").json["state"] == "running"
        _, errors = process.communicate(timeout=TEST_TIMEOUT)
    assert process.returncode == 0, errors
    assert "paused after the round; to resume: referee tournament resume" in errors
    assert "d has a penalty of -1 points: late" in errors
    assert [(event["event"], event["round"]) for event in manifest(out)["events"]] == [("penalised", 2)]
    assert referee("tournament", "status", out, "--json").json["state"] == "paused"
    (out / "requests" / "1-1.json").write_text('{"request":"pause"}')
    assert status_of(referee("tournament", "resume", out, "--json")).json["finished"]


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """The folder of a tournament that is over."""
    status_of(referee("tournament", "run", write(tmp_path)))
    return tmp_path / "cup"


@pytest.mark.ci_only
def test_a_game_of_a_finished_tournament_is_played_again_and_nothing_else_can_be_done_to_it(finished: Path) -> None:
    out = finished
    assert_error(referee("tournament", "add", out, "builtin:first"), 1, "is finished: `extend` plays a new bot")
    assert_error(referee("tournament", "withdraw", out, "a"), 1, "is finished: no round is left")
    assert_error(referee("tournament", "pause", out), 1, "is finished: nothing is being played")
    assert_error(referee("tournament", "replay", out, "r09-t001-d01-s1", "--reason", "x"), 2, "unknown game")
    assert referee("tournament", "replay", out, "r01-t001-d01-s1").status == 2
    assert_error(referee("tournament", "resume", out.parent), 2, "not the folder of a tournament")
    first = referee("tournament", "games", out, "--json").json[0]
    status_of(referee("tournament", "replay", out, first["game_id"], "--reason", "the machine was swapping"))
    games = {game["game_id"]: game for game in referee("tournament", "games", out, "--json").json}
    again = f"{first['game_id']}-again1"
    assert games[first["game_id"]]["replayed"] == again
    assert (games[again]["deal"], games[again]["bots"]) == (first["deal"], first["bots"])
    assert manifest(out)["events"][0]["reason"] == "the machine was swapping"
    assert manifest(out)["standings"] == referee("tournament", "standings", out, "--json").json
    assert referee("tournament", "verify", out).status == 0
    assert_error(referee("tournament", "replay", out, first["game_id"], "--reason", "x"), 1, again)


@on_linux
@pytest.mark.ci_only
def test_changed_files_of_a_bot_are_named_and_play_on_only_if_they_are_accepted(tmp_path: Path) -> None:
    bot, out = make_bot(tmp_path / "bot"), tmp_path / "cup"
    head = LONG.replace("deals = 2000", "deals = 4")
    file = write(tmp_path, head, "a", "b", "c", bots='[[bot]]\npath = "bot"\nname = "changing"\n')
    with running(file, out, games=3) as process:
        interrupted(process, signal.SIGTERM)
    (bot / "bot.py").write_text(BOT + "# better now\n")
    ended = referee("tournament", "resume", out)
    assert ended.status == 1
    assert "files of changing have changed" in ended.err
    status_of(referee("tournament", "resume", out, "--accept-changed-bots"))
    # Interrupted in its first round, of which the old files have played a game.
    assert accepted(out) == [(["changing"], 2)]
    assert "Files of changing changed before round 2, at the latest" in referee("tournament", "standings", out).out
    verified = referee("tournament", "verify", out, "--json").json
    assert (verified["differences"], verified["head"]) == ([], manifest(out)["head"])
    old, new = (bots["bots"][0]["files_sha256"] for bots in (manifest(out)["opening"], manifest(out)))
    played = {
        (game["round"], player.get("files_sha256"))
        for game in referee("tournament", "games", out, "--bot", "changing", "--json").json
        for player in json.loads(gzip.decompress((out / game["record"]).read_bytes()).split(b"\n")[0])["players"]
        if player["name"] == "changing"
    }
    assert played >= {(1, old), (1, new), (2, new)}
    assert (2, old) not in played
    games = referee("tournament", "games", out, "--bot", "changing", "--round", "2", "--json").json
    altered = out / games[0]["record"]
    altered.write_bytes(gzip.compress(gzip.decompress(altered.read_bytes()).replace(new.encode(), old.encode())))
    assert 'the files of "changing" are not those of the manifest' in referee("tournament", "verify", out).out


def test_changed_files_of_bots_are_nothing_to_a_finished_tournament_unless_a_record_was_lost(tmp_path: Path) -> None:
    bot, out = make_bot(tmp_path / "bot"), tmp_path / "cup"
    status_of(referee("tournament", "run", write(tmp_path, SWISS, "a", bots='[[bot]]\npath = "bot"\n')))
    before = manifest(out)
    (bot / "bot.py").write_text(BOT + "# better now\n")
    for options in ((), ("--accept-changed-bots",)):
        assert status_of(referee("tournament", "resume", out, "--json", *options)).json == before["standings"]
    assert (manifest(out)["head"], manifest(out)["events"]) == (before["head"], [])
    (out / "records" / "r01-t001-d01-s1.jsonl.gz").unlink()
    assert_error(referee("tournament", "resume", out), 1, "files of bot have changed")


@pytest.mark.ci_only
def test_files_that_change_while_a_tournament_is_played_stop_it(tmp_path: Path) -> None:
    make_bot(tmp_path / "bot")
    out = tmp_path / "cup"
    head = SWISS.replace("[run]", """[run]\non_round = "sh -c 'echo >> bot/bot.py'\"""")
    file = write(tmp_path, head, "a", "b", "c", bots='[[bot]]\npath = "bot"\nname = "changing"\n')
    changed = "changing: bot.py in"
    ended = status_of(referee("tournament", "run", file, "--out", out), 1)
    assert changed in ended.err
    assert "or let the new ones play with `resume --accept-changed-bots`" in ended.err
    assert {game["round"] for game in referee("tournament", "games", out, "--json").json} >= {1}
    assert_error(referee("tournament", "resume", out), 1, "files of changing have changed")
    assert changed in status_of(referee("tournament", "resume", out, "--accept-changed-bots"), 1).err
    status_of(referee("tournament", "resume", out, "--accept-changed-bots"))
    assert accepted(out) == [(["changing"], 3), (["changing"], 4)]
    assert referee("tournament", "verify", out).status == 0


@pytest.mark.ci_only
@on_linux
def test_a_changed_tournament_file_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "cup"
    with running(write(tmp_path, LONG), out) as process:
        interrupted(process, signal.SIGTERM)
    toml = out / "tournament.toml"
    written = toml.read_text()
    for changed in (written.replace("deals = 2000", "deals = 1"), f'deals_of = "round"\n{written}'):
        toml.write_text(changed)
        assert_error(referee("tournament", "resume", out), 1, "is not what the tournament began with")


def test_a_lost_record_of_a_finished_tournament_is_played_again_and_counted(finished: Path) -> None:
    out = finished
    (out / "records" / "r01-t001-d01-s1.jsonl.gz").unlink()
    assert "r01-t001-d01-s1" in status_of(referee("tournament", "resume", out)).err
    assert manifest(out)["standings"]["replayed"] == 1
    assert referee("tournament", "verify", out).status == 0


def test_a_changed_manifest_is_refused_before_anything_is_moved(finished: Path) -> None:
    out = finished
    path = out / "manifest.json"
    path.write_text(path.read_text().replace('"name": "b"', '"name": "renamed"'))
    records = sorted(found.name for found in (out / "records").iterdir())
    ended = referee("tournament", "resume", out)
    assert ended.status == 1
    assert "one of them was changed" in ended.err
    assert sorted(found.name for found in (out / "records").iterdir()) == records
    assert not (out / "set_aside").exists()


OVERWRITTEN = 'x = "\\u0000"\n['


@pytest.mark.ci_only
@on_linux
def test_a_bot_of_which_nothing_is_left_can_be_withdrawn(tmp_path: Path) -> None:
    bot, out = make_bot(tmp_path / "bot"), tmp_path / "cup"
    head = LONG.replace("deals = 2000", "deals = 20")
    with running(write(tmp_path, head, bots='[[bot]]\npath = "bot"\n'), out) as process:
        interrupted(process, signal.SIGTERM)
    shutil.rmtree(bot)
    assert referee("tournament", "resume", out).status == 1
    status_of(referee("tournament", "withdraw", out, "bot"))
    assert manifest(out)["events"][0]["bot"] == "bot"
    assert "bot was withdrawn" in referee("tournament", "standings", out).out


@pytest.mark.ci_only
@on_linux
def test_a_bot_plays_by_the_bot_toml_that_was_read_before_its_build(tmp_path: Path) -> None:
    bot, out = make_bot(tmp_path / "bot"), tmp_path / "cup"
    head = LONG.replace("deals = 2000", "deals = 10")
    with running(write(tmp_path, head, "a", bots='[[bot]]\npath = "bot"\n'), out) as process:
        interrupted(process, signal.SIGTERM)
    was = (bot / "bot.toml").read_text()
    (bot / "bot.toml").write_text(OVERWRITTEN)
    assert_error(referee("tournament", "resume", out), 1, "files of bot have changed since the last game")
    assert_error(referee("tournament", "resume", out, "--accept-changed-bots"), 2, "not valid TOML")
    (bot / "bot.toml").write_text(was + "# better now\n")
    status_of(referee("tournament", "resume", out, "--accept-changed-bots"))
    assert json.loads((out / "bots.json").read_text()) == {"bot": was + "# better now\n"}


@needs_sandbox
@on_linux
@pytest.mark.ci_only
def test_a_late_entry_to_built_in_players_plays_in_the_sandbox(tmp_path: Path) -> None:
    """A tournament that needed no sandbox when it began."""
    out = tmp_path / "cup"
    spy = (
        f"import os, sys\nif os.path.exists({str(out / 'manifest.json')!r}):\n    sys.exit('it sees the folder')\n{BOT}"
    )
    late = make_bot(tmp_path / "late", spy)
    head = LONG.replace("deals = 2000", "deals = 3").replace('sandbox = "none"', 'sandbox = "bwrap"')
    with running(write(tmp_path, head), out, games=1) as process:
        interrupted(process, signal.SIGINT)
    status_of(referee("tournament", "add", out, str(late)))
    status_of(referee("tournament", "resume", out))
    assert any("bubblewrap" in session["sandbox"] for session in manifest(out)["sessions"])


@pytest.mark.ci_only
def test_the_final_standings_of_an_earlier_tournament_seed_the_next_one(tmp_path: Path) -> None:
    """In the plan, in the manifest, in the report and in what `verify` can't check by itself."""
    game = 'game = "pebbles"\n[run]\nsandbox = "none"\n'
    first = tmp_path / "spring.toml"
    first.write_text(
        f'format = "round_robin"\nseed = "x"\n{game}'
        + "".join(
            f'[[bot]]\nname = "{n}"\nbuiltin = "{b}"\n' for n, b in (("a", "first"), ("b", "random"), ("c", "first"))
        )
    )
    status_of(referee("tournament", "run", first))
    places = {
        row["name"]: row["place"]
        for row in referee("tournament", "standings", first.with_suffix(""), "--json").json["standings"]
    }
    second = tmp_path / "autumn.toml"
    text = f'format = "knockout"\nseeds_from = "spring"\n{game}' + "".join(
        f'[[bot]]\nname = "{name}"\nbuiltin = "random"\nrating = 1\n' for name in ("new", "c", "b", "a")
    )
    second.write_text(text)
    order = [*sorted("cba", key=places.__getitem__), "new"]
    planned = referee("tournament", "plan", second, "--json").json
    assert [bot["name"] for bot in planned["bots"]] == order
    head = manifest(tmp_path / "spring")["head"]
    assert planned["seeds_from"] == {"tournament": "spring", "head": head}
    shown = referee("tournament", "plan", second).out
    assert f"seeds     by the final standings of spring (head {head[:16]}…): {', '.join(order)}\n" in shown
    status_of(referee("tournament", "run", second))
    (tmp_path / "spring").rename(tmp_path / "moved")
    kept = manifest(tmp_path / "autumn")["regulations"]
    assert ([bot["name"] for bot in kept["bots"]], kept["seeds_from"]["head"]) == (order, head)
    verified = status_of(referee("tournament", "verify", tmp_path / "autumn"))
    assert "not checked: the order of the bots, which is by the final standings of spring" in verified.out
    assert f": verify that tournament --against {head}\n" in verified.out
    status_of(referee("tournament", "resume", tmp_path / "autumn"))
    status_of(referee("tournament", "report", tmp_path / "autumn", "-o", tmp_path / "site", "--replays", "none"))
    assert "by the final standings of spring" in (tmp_path / "site/index.html").read_text()
    assert_error(referee("tournament", "plan", second), 2, "seeds_from: ")


def test_a_command_to_copy_quotes_the_name_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "my cup"
    folder.mkdir()
    assert referee("tournament", "init", folder / "a b.toml").out.endswith("'\n")
    (folder / "a b").mkdir()
    (folder / "a b/manifest.json").touch()
    refused = referee("tournament", "run", folder / "a b.toml")
    assert refused.err.rstrip().endswith(f"referee tournament resume '{folder / 'a b'}'")
