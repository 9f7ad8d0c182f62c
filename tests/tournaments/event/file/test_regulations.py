"""What a tournament began with is known again when it is resumed."""

from codecs import BOM_UTF8
from pathlib import Path

import msgspec
import pytest

import tournaments.event.file
from tournaments.competition.regulations import Regulations
from tournaments.event.file.file_as_run import file_as_run
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.store.new_manifest import new_manifest

EXAMPLES = sorted((Path(tournaments.event.file.__file__).parent / "examples").glob("*.toml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_file_as_it_was_run_has_the_regulations_of_the_manifest(example: Path, tmp_path: Path) -> None:
    as_run = tmp_path / "tournament.toml"
    as_run.write_text(file_as_run(example, read_tournament(example).bots), encoding="utf-8")
    written = msgspec.json.encode(read_tournament(example).regulations)
    assert read_tournament(as_run).regulations == msgspec.json.decode(written, type=Regulations)


def test_what_a_bot_is_shown_is_found_again_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "socket").touch()
    head = 'format = "round_robin"\ngame = "forbidden_city"\n[[bot]]\nbuiltin = "random"\n'
    (tmp_path / "cup.toml").write_text(f'{head}[[bot]]\ncommand = "sh"\nname = "small"\nshow = ["socket"]\n')
    as_run = tmp_path / "elsewhere.toml"
    file = tmp_path / "cup.toml"
    as_run.write_text(file_as_run(file, read_tournament(file).bots), encoding="utf-8")
    assert f'"{tmp_path}/socket"' in as_run.read_text()
    spec = read_tournament(as_run)
    assert spec.bots[1].spec.show == (tmp_path / "socket",)
    random, small = new_manifest(spec, "seed", {}).bots
    assert small.show == (str(tmp_path / "socket"),), "everybody can see what a bot was shown"
    assert b"show" not in msgspec.json.encode(random), "manifests of others are as before"


def test_options_of_a_run_take_the_place_of_keys_in_the_file_as_it_was_run(tmp_path: Path) -> None:
    as_run = tmp_path / "tournament.toml"
    bots = read_tournament(EXAMPLES[0]).bots
    options = {"files": "image", "forget_files": True}
    as_run.write_text(file_as_run(EXAMPLES[0], bots, options), encoding="utf-8")
    found, before = read_tournament(as_run), read_tournament(EXAMPLES[0])
    assert found.conditions == msgspec.structs.replace(before.conditions, files="image", forget_files=True)


def test_ratings_order_the_bots_and_are_kept_with_the_file_as_it_was_run(tmp_path: Path) -> None:
    ratings = [{"name": "b", "rating": {"elo": 12.5}}, {"name": "c", "rating": {"elo": 300.0}}]
    (tmp_path / "ratings.json").write_bytes(BOM_UTF8 + msgspec.json.encode({"ratings": ratings}))
    bots = "".join(f'[[bot]]\nbuiltin = "random"\nname = "{name}"\n' for name in "abcd") + "rating = 20\n"
    file = tmp_path / "cup.toml"
    file.write_text(f'format = "knockout"\ngame = "year_of_the_dragon"\nratings = "ratings.json"\n{bots}')
    spec = read_tournament(file)
    assert [(bot.spec.name, bot.rating) for bot in spec.bots] == [("c", 300.0), ("d", 20.0), ("b", 12.5), ("a", None)]
    as_run = tmp_path / "as_run.toml"
    as_run.write_text(file_as_run(file, spec.bots), encoding="utf-8")
    (tmp_path / "ratings.json").unlink()
    late = {"builtin": "first", "name": "late"}
    assert [bot.spec.name for bot in read_tournament(as_run, [late]).bots] == ["c", "d", "b", "a", "late"]
    written = msgspec.json.encode(spec.regulations)
    assert read_tournament(as_run).regulations == msgspec.json.decode(written, type=Regulations)
    with pytest.raises(TournamentFileError, match=r"line 3: ratings: .* can't be read"):
        read_tournament(file)
    versions = [{"name": "b", "rating": {"elo": elo}} for elo in (1.0, 2.0)]
    (tmp_path / "ratings.json").write_bytes(msgspec.json.encode({"ratings": versions}))
    with pytest.raises(TournamentFileError, match="has several versions of b"):
        read_tournament(file)
