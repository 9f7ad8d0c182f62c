"""`referee tournament archive` and `extend`: what can be done with a tournament years later, in another place."""

import gzip
import json
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

import protocol
from referee import cli
from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, assert_error, referee
from tests.game_runner import pebbles
from tests.game_runner.pebbles import registered_pebbles
from tournaments.event.store.folder import TournamentFolder
from tournaments.play import archives
from tournaments.play.archives import STORE_VARIABLE, extract

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pebbles_known")]

FILE: Final = """
format = "round_robin"
game = "pebbles"
deals = 2
[clock]
move = "30s"
startup = "30s"
[run]
sandbox = "none"
on_round = "echo"
[[bot]]
path = "built"
[[bot]]
name = "a command"
command = "python3 -SE bot.py"
folder = "typed"
[[bot]]
builtin = "first"
"""
BUILDS: Final = 'name = "built"\nbuild = "sh -c \'mv source.py bot.py\'"\ncommand = "python3 -SE bot.py"\n'
"""Its build works once."""


PACKAGES: Final = (protocol, SimpleNamespace(__name__="tests", __path__=[Path(pebbles.__file__).parent]))


@pytest.fixture(scope="module", autouse=True)
def small_program() -> Iterator[None]:
    """The program in archives is one of its packages, and the game's: packing and unpacking all takes a second each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournaments.event.archive.PACKAGES", PACKAGES)
        yield


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tournament that is finished, and its archive."""
    folder = tmp_path_factory.mktemp("played")
    built = make_bot(folder / "built", toml=BUILDS)
    (built / "bot.py").rename(built / "source.py")
    make_bot(folder / "typed")
    (folder / "cup.toml").write_text(FILE)
    with registered_pebbles():
        ok(referee("tournament", "run", folder / "cup.toml"))
        ok(referee("tournament", "archive", folder / "cup", "-o", folder / "cup.tar.gz"))
    return folder


@pytest.fixture
def elsewhere(played: Path, tmp_path: Path) -> Iterator[Path]:
    """The archive, unpacked where there are no bots and none were unpacked before."""
    with tarfile.open(played / "cup.tar.gz") as archive:
        extract(archive, tmp_path)
    played.rename(tmp_path / "gone")
    yield tmp_path / "cup"
    (tmp_path / "gone").rename(played)


def ok(ended: Run) -> Run:
    assert ended.status == 0, ended.err
    return ended


def run(*words: str | Path, folder: Path) -> Run:
    return referee("tournament", *words, cwd=None, **{STORE_VARIABLE: str(folder.parent / "store")})


@pytest.mark.ci_only
def test_an_archive_is_verified_and_played_on_in_another_place(elsewhere: Path) -> None:
    ok(run("verify", elsewhere, folder=elsewhere))
    before = ok(run("standings", elsewhere, "--json", folder=elsewhere)).json
    ok(run("replay", elsewhere, "r01-t001-d01-s1", "--reason", "years later", folder=elsewhere))
    ok(run("extend", elsewhere, "Otter 2=builtin:random", "--rounds", "1", folder=elsewhere))
    found = ok(run("verify", elsewhere, "--json", folder=elsewhere)).json
    assert (found["ok"], found["extensions"]) == (True, 1)
    after = ok(run("standings", elsewhere, "--json", folder=elsewhere)).json
    assert [row["name"] for row in after["standings"]] != []
    assert {row["name"] for row in after["standings"]} == {row["name"] for row in before["standings"]}
    (added,) = after["extensions"]["bots"]
    assert (added["bot"], added["finished"], added["games"], added["deals"]) == ("Otter 2", True, 12, 6)
    assert (added["opponents"], added["new_deals"], added["differs"]) == (3, True, [])
    assert "Otter 2" in {row["name"] for row in after["extensions"]["ratings"]["ratings"]}
    again = ok(run("extend", elsewhere, "Otter 2=builtin:random", "--rounds", "1", folder=elsewhere))
    assert "Otter 2 was added before, and all its games are played: nothing is left to play" in again.err
    shown = ok(run("standings", elsewhere, folder=elsewhere)).out
    assert "Otter 2 was added after the end, " in shown
    assert ": 12 games of 6 deals against 3 bots, on new deals\n" in shown
    ok(run("report", elsewhere, "-o", elsewhere.parent / "site", "--replays", "none", folder=elsewhere))
    assert "Added after the end" in (elsewhere.parent / "site/index.html").read_text()
    # An archive of an archive has the extension.
    ok(run("archive", elsewhere, "-o", elsewhere.parent / "again.tar.gz", folder=elsewhere))
    with tarfile.open(elsewhere.parent / "again.tar.gz") as archive:
        assert any("/extensions/" in name and name.endswith("manifest.json") for name in archive.getnames())


@pytest.mark.ci_only
def test_an_archive_says_what_the_tournament_ran_on_and_has_the_referee(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.event.archive.PACKAGES", archives.PACKAGES)
    ok(referee("tournament", "archive", played / "cup", "-o", tmp_path / "cup.tar.gz"))
    with tarfile.open(tmp_path / "cup.tar.gz") as archive:
        index = json.loads(content(archive, "cup/archive.json"))
        assert b"on_round" not in content(archive, "cup/tournament.toml")
        assert content(archive, "cup/program/referee/cli/__init__.py") == Path(cli.__file__).read_bytes()
        assert "cup/program/tests/game_runner/pebbles.py" in archive.getnames()
    assert index["python_packages"]["msgspec"]
    assert index["programs"]["python3"]["version"].startswith("Python 3.")


def content(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file is not None
    return file.read()


@pytest.mark.ci_only
def test_files_of_an_archive_that_were_changed_are_found(elsewhere: Path) -> None:
    packed = sorted((elsewhere / "bots").iterdir())[0]
    packed.write_bytes(gzip.compress(b"something else"))
    ended = run("verify", elsewhere, folder=elsewhere)
    assert ended.status == 1
    assert f"bots/{packed.name}: " in ended.out
    (elsewhere / "private.json").write_text("damaged")
    ended = run("verify", elsewhere, folder=elsewhere)
    assert "private.json: can't read" in ended.out
    assert "archive.json: " not in ended.out


@pytest.mark.ci_only
def test_bots_that_have_changed_are_not_archived_as_those_that_played(played: Path, tmp_path: Path) -> None:
    bot = played / "typed/bot.py"
    bot.write_text(BOT + "# later\n")
    try:
        ended = referee("tournament", "archive", played / "cup", "-o", tmp_path / "x.tar.gz")
        assert_error(ended, 1, "a command: its files in")
        assert not (tmp_path / "x.tar.gz").exists()
        ended = ok(referee("tournament", "archive", played / "cup", "-o", tmp_path / "x.tar.gz", "--skip-changed"))
        assert "without a command: " in ended.err
        ended = referee("tournament", "extend", played / "cup", "late=builtin:random")
        assert ended.status == 1
        assert "files of a command have changed since the last game" in ended.err
    finally:
        bot.write_text(BOT)
    assert_error(referee("tournament", "archive", played / "cup", "-o", played / "cup.tar.gz"), 2, "already exists")


def test_old_deals_are_those_of_the_tournament_and_are_marked(played: Path, tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    shutil.copytree(played / "cup", cup)
    ok(referee("tournament", "extend", cup, "late=builtin:random", "--old-deals", "--rounds", "1"))
    whole = TournamentFolder.open(cup)
    (part,) = whole.extensions()
    first = "r01-t001-d01-s1"
    seeds = [json.loads(folder.read_record(first).split(b"\n")[0])["seed"] for folder in (whole, part)]
    assert seeds[0] == seeds[1]
    assert (
        "on deals of the seed of the tournament, which was public by then"
        in ok(referee("tournament", "standings", cup)).out
    )
    assert_error(referee("tournament", "extend", cup, "first=builtin:random"), 1, 'a bot called "first" already exists')


def test_a_tournament_that_is_not_over_is_not_extended(played: Path, tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    shutil.copytree(played / "cup", cup)
    manifest = json.loads((cup / "manifest.json").read_text()) | {"finished": False}
    (cup / "manifest.json").write_text(json.dumps(manifest))
    assert_error(referee("tournament", "extend", cup, "late=builtin:random"), 1, "`add` lets a bot join")


@pytest.mark.ci_only
def test_an_extension_by_changed_bots_says_so_and_a_damaged_one_is_a_difference(played: Path, tmp_path: Path) -> None:
    cup, bot = tmp_path / "cup", played / "typed/bot.py"
    shutil.copytree(played / "cup", cup)
    bot.write_text(BOT + "# later\n")
    try:
        ok(referee("tournament", "extend", cup, "late=builtin:random", "--rounds", "1", "--accept-changed-bots"))
    finally:
        bot.write_text(BOT)
    (added,) = ok(referee("tournament", "standings", cup, "--json")).json["extensions"]["bots"]
    assert added["differs"] == ["files of a command"]
    ok(referee("tournament", "verify", cup))
    (cup / added["folder"] / "manifest.json").write_text("{}")
    ended = referee("tournament", "verify", cup)
    assert ended.status == 1
    assert f"{added['folder']}: {cup / added['folder']}/manifest.json is not the manifest of a tournament" in ended.out
