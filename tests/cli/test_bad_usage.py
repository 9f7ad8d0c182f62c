"""InvalidRecord options are refused before anything happens, with what would be right."""

from pathlib import Path

import pytest

from tests.cli.command import assert_clear, referee

TWO = ("builtin:random", "builtin:first")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*TWO, "--game", "chess"), "there is no game 'chess'; available: year_of_the_dragon"),
        ((*TWO, "--set", "colour=red"), "no option 'colour'; available: players, edition, great_wall, super_event"),
        ((*TWO, "--set", "edition=second"), "edition=second is not allowed; edition is anniversary, first"),
        ((*TWO, "--set", "great_wall=perhaps"), "great_wall=perhaps is not allowed; great_wall is true or false"),
        ((*TWO, "--set", "great_wall"), "--set great_wall: write KEY=VALUE, for example --set players=3"),
        (
            (*TWO, "--set", "edition=first", "--set", "edition=anniversary"),
            "--set edition is given twice: edition=first and edition=anniversary",
        ),
        ((*TWO, "--game", "forbidden_city", "--set", "tiles=x"), "no option 'tiles'; available: players, start_tile"),
        ((*TWO, "--game", "forbidden_city", "--set", "tile_set="), "tile_set= is not allowed; tile_set is recons"),
        ((*TWO, "--set", "players=three"), "players=three is not allowed; players is 2 to 5"),
        ((*TWO, "--set", "players=3"), "players=3 needs 3 bots, but 2 are given"),
        ((), "Missing argument 'BOT...'"),
        (TWO[:1], "players=1 is not allowed; players is 2 to 5 (bots given: 1)"),
        (TWO * 3, "players=6 is not allowed; players is 2 to 5 (bots given: 6)"),
        ((*TWO, "--move-time", "soon"), "'soon' is no duration; write for example 250ms, 1s or 2m"),
        ((*TWO, "--startup-time=-1s"), "'-1s' is no duration; write for example 250ms, 1s or 2m"),
        ((*TWO, "--bank", "1000h"), "'1000h' is over a week; use --no-timeout to lift the limits"),
        ((*TWO, "--move-time", "0"), "a time limit of 0 leaves no time to answer; use --no-timeout"),
        ((*TWO, "--bank", "0s"), "a time limit of 0 leaves no time to answer; use --no-timeout"),
        ((*TWO, "--startup-time", "0ms"), "a time limit of 0 leaves no time to answer; use --no-timeout"),
        ((*TWO, "--increment", "1s"), "--increment needs a --bank to go into"),
        ((*TWO, "--time-scale", "inf"), "Invalid value for '--time-scale': Input should be less than or equal to 1000"),
        ((*TWO, "--games", "-3"), "Invalid value for '--games': Input should be greater than or equal to 1"),
        ((*TWO, "--games", "many"), "Invalid value for '--games': Input should be a valid integer"),
        ((*TWO, "--concurrency", "0"), "Invalid value for '--concurrency'"),
        ((*TWO, "--retries", "-1"), "Invalid value for '--retries'"),
        ((*TWO, "--sandbox", "docker"), "Invalid value for '--sandbox'"),
        ((*TWO, "--seed", "a\nb"), "--seed takes printable text"),
        ((*TWO, "--record", "x", "--no-record"), "--record and --no-record contradict each other"),
        ((*TWO, "--recrod", "x"), "No such option: --recrod (Possible options: "),
    ],
)
def test_a_match_with_wrong_options_is_refused(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    assert_clear(referee("match", *arguments, cwd=tmp_path), 2, words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mach",), "No such command 'mach'. Did you mean 'match'?"),
        (("record", "verify"), "Missing argument 'FILE...'"),
        (("record", "show"), "Missing argument 'FILE'"),
        (("games", "--jsno"), "No such option: --jsno (Possible options: --json)"),
        (("schema", "--output"), "Option '--output' requires an argument"),
    ],
)
def test_other_commands_with_wrong_arguments_are_refused(arguments: tuple[str, ...], words: str) -> None:
    assert_clear(referee(*arguments), 2, words)


@pytest.mark.parametrize("arguments", [(), ("record",)])
def test_without_a_command_the_commands_are_shown(arguments: tuple[str, ...]) -> None:
    ended = referee(*arguments)
    assert ended.status == 2
    assert "Commands" in ended.out + ended.err


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("file/below", "can't write records to file/below: Not a directory; give another folder with --record"),
        ("file", "can't write records to file: File exists; give another folder with --record, or use --no-record"),
        ("used", "used already holds game records; give another folder with --record"),
    ],
)
def test_a_folder_that_can_not_take_the_records_is_refused(folder: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "0007-1.jsonl").write_text("precious")
    assert_clear(referee("match", *TWO, "--record", folder, cwd=tmp_path), 1, words)
    assert [path.read_text() for path in (tmp_path / "used").iterdir()] == ["precious"]


@pytest.mark.parametrize("folder", ["file", "file/below"])
def test_schemas_that_can_not_be_written_say_so(folder: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert_clear(referee("schema", "-o", folder, cwd=tmp_path), 1, f"can't write to {folder}: ")
