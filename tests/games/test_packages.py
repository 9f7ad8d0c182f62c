"""Games of packages that are installed beside the referee, found by their entry points."""

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from referee.games import OptionError, find_game, find_narrator, installed_games, new_game, registry
from referee.games.narrator import PlainNarrator
from referee.games.registry import find_package, find_source, rules_version, split_parameters
from referee.record.replay import Replay
from referee.schema import schema_files, schemas
from tests.cli.command import referee
from tournaments.event.store.folder import TournamentFolder

PACKAGE = "tests.games.third_game.package"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder where distributions are installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(registry, "_loaded", {})
    yield folder
    sys.path_importer_cache.pop(str(folder), None)


def install(site: Path, name: str, version: str, **entries: str) -> None:
    """Install a distribution with these entry points."""
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"{entry} = {value}" for entry, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(["[referee.games]", *lines, ""]))
    sys.path_importer_cache.pop(str(site), None)


def test_a_game_of_a_package_is_listed_played_and_verified_with_its_version(site: Path, tmp_path: Path) -> None:
    install(site, "card-games", "1.3", high_card=f"{PACKAGE}:PACKAGE")
    assert "high_card: High Card\n" in referee("games").out
    records = tmp_path / "records"
    match = ("match", "builtin:random", "builtin:first", "--game", "high_card(stake=7)", "--games", "1")
    assert referee(*match, "--workers", "1", "--record", str(records)).status == 0
    record = next(records.glob("*.jsonl"))
    first = msgspec.json.decode(record.read_bytes().split(b"\n")[0])
    assert (first["game"], first["rules"], first["config"]["stake"]) == ("high_card", "card-games 1.3", 7)
    assert "warning" not in referee("record", "verify", str(record)).out
    other = tmp_path / "other.jsonl.gz"
    other.write_bytes(gzip.compress(record.read_bytes().replace(b"card-games 1.3", b"card-games 1.2")))
    verified = referee("record", "verify", str(other))
    assert verified.status == 0
    assert "warning: played by the rules card-games 1.2, verified by card-games 1.3" in verified.out
    assert Replay(other).other_rules == ("card-games 1.3", "card-games 1.2")
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_bytes(gzip.decompress(other.read_bytes()).replace(b'"scores":[', b'"scores":[9'))
    verified = referee("record", "verify", str(wrong))
    assert verified.status == 1
    assert "warning: played by the rules card-games 1.2, verified by card-games 1.3" in verified.out


def test_a_tournament_that_other_rules_verify_says_so(site: Path, tmp_path: Path) -> None:
    install(site, "card-games", "1.3", high_card=f"{PACKAGE}:PACKAGE")
    file, cup = tmp_path / "cup.toml", tmp_path / "cup"
    bots = "".join(f'[[bot]]\nbuiltin = "{name}"\n' for name in ("random", "first"))
    file.write_text(f'format = "round_robin"\ngame = "high_card"\n[run]\nsandbox = "none"\nworkers = 1\n{bots}')
    assert referee("tournament", "run", str(file), "--out", str(cup)).status == 0
    assert "card-games" not in referee("tournament", "verify", str(cup)).out
    metadata = site / "card-games-1.3.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.3", "1.4"))
    registry._loaded.clear()
    verified = referee("tournament", "verify", str(cup))
    assert verified.status == 0
    warning = "2 records were played by the rules card-games 1.3, and verified by those of card-games 1.4"
    assert warning in verified.out
    folder = TournamentFolder.open(cup)
    for name in folder.record_ids():
        folder.write_record(name, folder.read_record(name).replace(b'"scores":[', b'"scores":[9'))
    verified = referee("tournament", "verify", str(cup))
    assert (verified.status, warning in verified.out) == (1, True)


def test_a_source_gives_games_under_its_prefix(site: Path, tmp_path: Path) -> None:
    install(site, "decks", "2", decks=f"{PACKAGE}:DECKS")
    assert referee("games", "decks:").out == "decks:32\ndecks:52\n"
    assert "decks:…" in referee("games").out
    assert referee("games", "decks:32").out.startswith("decks:32: Cards 32\n")
    assert new_game("decks:32(players=3, stake=2)", 1).config.stake == 2
    assert find_narrator(find_game("decks:32")) is PlainNarrator
    assert rules_version(find_game("decks:32")) == "decks 2"
    assert "decks.32-config.schema.json" in schema_files(schemas(["decks:32"]))
    assert referee("schema", "-o", str(tmp_path), "--game", "decks:52").status == 0
    assert (tmp_path / "decks.52-action-bet.schema.json").exists()
    with pytest.raises(OptionError, match="there is no such deck; there are 32, 52"):
        find_game("decks:33")
    with pytest.raises(OptionError, match="is a source of games"):
        find_game("decks")
    (tmp_path / "bot.toml").write_text('command = "x"\ngames = ["decks:32"]\n')
    assert "no such deck" not in referee("match", str(tmp_path), "builtin:first", "--game", "decks:32").err


def test_a_package_that_fails_to_load_is_named_and_harms_nothing_else(site: Path) -> None:
    (site / "broken_game.py").write_text("raise RuntimeError('no tiles today')\n")
    install(site, "broken", "0.1", broken="broken_game:GAME")
    install(site, "card-games", "1.3", high_card=f"{PACKAGE}:PACKAGE")
    install(site, "odd", "0.2", odd=f"{PACKAGE}:HighCard")
    install(site, "misnamed", "0.3", other=f"{PACKAGE}:PACKAGE")
    (site / "half_games.py").write_text(
        "from referee.games import Game, GamePackage\n"
        "class Half(Game):\n    name = 'half'\n"
        "HALF, NUMBER = GamePackage(Half), GamePackage(42)\n"
    )
    install(site, "half", "0.4", half="half_games:HALF", number="half_games:NUMBER")
    listed = referee("games")
    assert listed.status == 0
    assert "high_card: High Card" in listed.out
    assert "the game broken of broken 0.1 can't be loaded: RuntimeError: no tiles today" in listed.err
    assert referee("schema", "-o", site / "schema").err == listed.err
    assert "that the referee already has" in referee("game", "new", "odd", cwd=site).err
    assert "odd 0.2" in listed.err
    assert "the game other of misnamed 0.3 calls itself 'high_card'" in listed.err
    assert "the game half of half 0.4 can't be used: Half has no title" in listed.err
    assert "the game number of half 0.4 can't be used: 42 is not a subclass of Game" in listed.err
    assert len(installed_games()[2]) == 5
    refused = referee("match", "builtin:first", "builtin:first", "--game", "broken")
    assert refused.status == 2
    assert "broken 0.1" in refused.err
    assert referee("match", "builtin:first", "builtin:first", "--games", "1", "--no-record").status == 0


def test_two_packages_with_one_game_are_both_named(site: Path) -> None:
    install(site, "one", "1", high_card=f"{PACKAGE}:PACKAGE")
    install(site, "two", "2", high_card=f"{PACKAGE}:PACKAGE")
    with pytest.raises(OptionError, match="high_card is a game of one 1 and two 2: uninstall one of them"):
        find_game("high_card")


@pytest.mark.parametrize("name", ["", "High", "a:b:c", "a:", ":b", "ä", "x y"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match="unknown game"):
        find_game(name)


def test_our_games_are_found_without_reading_entry_points(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_entry_points", lambda: pytest.fail("read"))
    for name in ("year_of_the_dragon", "forbidden_city"):
        assert find_package(name).rules == ""
        assert rules_version(find_game(name)) is None
    with pytest.raises(OptionError, match="is a game, not a source"):
        find_game("forbidden_city:x")
    with pytest.raises(OptionError, match="is a game, not a source"):
        find_source("forbidden_city")


@pytest.mark.parametrize(
    ("text", "name", "given"),
    [
        ("x:y", "x:y", {}),
        ("x:y()", "x:y", {}),
        ("x(a=1, b=two words)", "x", {"a": "1", "b": "two words"}),
        ("x(a=f(b=1,c=2),d=3)", "x", {"a": "f(b=1,c=2)", "d": "3"}),
    ],
)
def test_parameters_in_parentheses_become_options(text: str, name: str, given: dict[str, str]) -> None:
    assert split_parameters(text) == (name, given)


@pytest.mark.parametrize("text", ["x(a=1", "x(a)", "x(a=1,a=2)", "x(,)"])
def test_parameters_that_are_not_are_refused(text: str) -> None:
    with pytest.raises(OptionError):
        split_parameters(text)
