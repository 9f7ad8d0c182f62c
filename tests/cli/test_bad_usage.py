"""Wrong options are refused before anything happens, with what would be right."""

from pathlib import Path

import pytest

from tests.cli.command import assert_error, assert_usage_error, referee

TWO = ("builtin:random", "builtin:first")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*TWO, "--game", "tarock"), "unknown game 'tarock'; available: year_of_the_dragon"),
        ((*TWO, "--game", "Forbidden-City"), "unknown game 'Forbidden-City'; did you mean 'forbidden_city'?"),
        (
            (*TWO, "--set", "colour=red"),
            "unknown option 'colour'; available: players, edition, great_wall, super_event",
        ),
        ((*TWO, "--set", "edition=second"), "edition=second is not allowed; edition is anniversary, first"),
        ((*TWO, "--set", "great_wall"), "--set great_wall: write KEY=VALUE, for example --set players=3"),
        (
            (*TWO, "--set", "edition=first", "--set", "edition=anniversary"),
            "--set edition is given twice: edition=first and edition=anniversary",
        ),
        ((*TWO, "--game", "forbidden_city", "--set", "tile_set="), "tile_set= is not allowed; tile_set is recons"),
        ((*TWO, "--set", "players=3"), "players=3 needs 3 bots, but 2 are given"),
        (
            (*TWO, "--openings", "missing.txt"),
            "the openings can't be played: missing.txt: the file can't be read: No such file",
        ),
        (
            (*TWO, "--redraw", "0"),
            "--redraw, --take and --clock are for playing on from a record: give --from RECORD#N",
        ),
        ((*TWO, "--from", "missing.jsonl#3"), "--from missing.jsonl: can't be read: No such file or directory"),
        (
            TWO[:1],
            "players=1 is not allowed; players is 2 to 5 (bots given: 1); add an opponent, such as builtin:random",
        ),
        (
            (*TWO, "--seed", "x", "--games", "3", "--only", "0009-1"),
            "there is no game 0009-1 in a match with --games 3: its deals are 1 to 3",
        ),
        ((*TWO, "--move-time", "soon"), "'soon' is not a duration"),
        ((*TWO, "--bank", "1000h"), "--bank: at most a week is allowed; use --no-timeout to lift the limits"),
        ((*TWO, "--move-time", "0"), "--move-time: a time limit of 0 s leaves no time to answer; use --no-timeout"),
        ((*TWO, "--increment", "1s"), "--increment: there must be a bank to add it to"),
        ((*TWO, "--seed", "a\nb"), "the seed must be"),
        ((*TWO, "--seed="), "the seed must be printable text, and not empty"),
        ((*TWO, "--env", "1X=3"), "--env '1X=3': write NAME"),
        ((*TWO, "--with-paths"), "--with-paths is for --report"),
        ((*TWO, "--record", "x", "--no-record"), "--record and --no-record can't be combined"),
    ],
)
def test_a_match_with_wrong_options_is_refused(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    assert_error(referee("match", *arguments, cwd=tmp_path), 2, words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ((), ["BOT"]),
        ((*TWO, "--time-scale", "inf"), ["'--time-scale': 'inf' is not less than or equal to 1000"]),
        ((*TWO, "--games", "-3"), ["'--games': '-3' is not greater than or equal to 1"]),
        ((*TWO, "--games", "many"), ["'--games': 'many' is not a valid integer"]),
        ((*TWO, "--concurrency", "0"), ["--concurrency", "1"]),
        ((*TWO, "--retries", "-1"), ["--retries", "0"]),
        ((*TWO, "--opening", "0"), ["--opening", "1"]),
        ((*TWO, "--clock", "half"), ["--clock", "full", "recorded"]),
        ((*TWO, "--sandbox", "docker"), ["'--sandbox': 'docker' is not one of 'auto', 'bwrap', 'none'"]),
        ((*TWO, "--recrod", "x"), ["--recrod", "--record"]),
    ],
)
def test_wrong_option_of_a_match_is_named_with_the_values_that_are_allowed(
    arguments: tuple[str, ...], names: list[str], tmp_path: Path
) -> None:
    assert_usage_error(referee("match", *arguments, cwd=tmp_path), *names)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("mach",), ["mach", "match"]),
        (("record", "verify"), ["FILE"]),
        (("record", "show"), ["FILE"]),
        (("games", "--jsno"), ["--jsno", "--json"]),
        (("schema", "--output"), ["--output"]),
        (("schema", "--output", ""), ["--output"]),
        (("tournament", "init", ""), ["FILE"]),
        (("season", "init", ""), ["DIR"]),
        (("record", "verify", ""), ["FILE"]),
    ],
)
def test_wrong_argument_of_another_command_is_named(arguments: tuple[str, ...], names: list[str]) -> None:
    assert_usage_error(referee(*arguments), *names)


def test_a_command_of_a_group_is_found_without_its_group() -> None:
    for given, meant in (
        ("view", "'referee record view'"),
        ("check", "'referee bot check' or 'referee tournament check'"),
    ):
        ended = referee(given, "x")
        assert ended.status == 2
        assert f"No such command '{given}'. Did you mean {meant}?" in ended.message


@pytest.mark.parametrize("arguments", [(), ("record",)])
def test_without_a_command_the_commands_are_shown(arguments: tuple[str, ...]) -> None:
    ended = referee(*arguments)
    assert ended.status == 2
    shown = ended.out + ended.err
    assert all(name in shown for name in (("verify", "show") if arguments else ("match", "record", "games", "schema")))


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("file/below", "can't write records to file/below: Not a directory; give another folder with --record"),
        (
            "file",
            "can't write records to file: file is not a folder; give another folder with --record, or use --no-record",
        ),
        ("used", "used already holds game records; give another folder with --record"),
    ],
)
def test_a_folder_that_can_not_take_the_records_is_refused(folder: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "0007-1.jsonl").write_text("precious")
    assert_error(referee("match", *TWO, "--record", folder, cwd=tmp_path), 1, words)
    assert [path.read_text() for path in (tmp_path / "used").iterdir()] == ["precious"]


@pytest.mark.parametrize(("folder", "why"), [("file", "file is not a folder"), ("file/below", "Not a directory")])
def test_schemas_that_can_not_be_written_say_so(folder: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert_error(referee("schema", "-o", folder, cwd=tmp_path), 1, f"can't write {folder}: {why}")
