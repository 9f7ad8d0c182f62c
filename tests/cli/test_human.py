"""A person plays in `referee match`, on a real terminal."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee import Replay
from tests.cli.command import assert_error, referee
from tests.cli.person import CTRL_C, CTRL_D, Person
from tests.games.playing import games_for_people

AGAINST_RANDOM: Final = ("match", "human", "builtin:random", "--seed", "person")
NO_RECORD: Final = (*AGAINST_RANDOM, "--no-record")
ROOT: Final = Path(__file__).parents[2]
README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
JUNK: Final = (
    "\N{PILE OF POO}\u202e\u0301\u2028".encode(),
    b"\xff\xfe\xc3(\x80",
    b"\x1b[A\x1b[2J\t\x01\x02",
    b"? " + "é".encode() * 200,
    b"999999999999999999999999999999",
    b"x" * 20_000,
    b"- -- ' \" \\ %s {0}",
)


@pytest.fixture
def start() -> Iterator[Callable[..., Person]]:
    """Starts commands on terminals, which end with the test."""
    started: list[Person] = []

    def begin(*args: str | Path, **options: Any) -> Person:
        started.append(Person(*args, **options))
        return started[-1]

    yield begin
    for person in started:
        person.close()


def first_choice(shown: str) -> str:
    """Always the first entry, which is confirmed."""
    return "" if shown.endswith("confirm? > ") else "0"


@pytest.mark.ci_only
@pytest.mark.parametrize("game", games_for_people())
def test_a_person_plays_a_whole_game(start: Callable[..., Person], game: str, tmp_path: Path) -> None:
    person = start(*AGAINST_RANDOM, "--game", game, "--record", tmp_path / "records", "--games", "1")
    person.play(first_choice)
    assert person.end() == 0
    assert "No clock runs for a person" in person.text
    assert (b"\x1b[32m" in person.written) == (game == "forbidden_city"), "the board has colours"
    assert "The game is over" in person.text
    assert ", 1 deal, seed person" in person.text
    (record,) = (tmp_path / "records").glob("*.jsonl")
    replay = Replay(record)
    replay.check()
    assert replay.result is not None
    for score in replay.result.scores:
        assert f" {score}" in person.text.partition("The game is over")[2]
    assert max(map(len, person.text.partition("The game is over")[0].splitlines())) <= 80


@pytest.mark.slow
def test_choosing_narrowing_undo_help_and_stopping(start: Callable[..., Person]) -> None:
    person = start(*NO_RECORD)
    assert "And whom besides the young healer?" in person.type("heal")
    assert "Who is the first?" in person.type("u")
    assert "3 of 9; u: the whole list" in person.type("r r") or "of 9" in person.latest
    assert "And whom besides" in person.type("farm")
    assert "Three of your persons leave" in person.type("? contagion")
    assert "Super events: lanternfest" in person.type("?")
    assert "No entry matches “nobody”" in person.type("nobody")
    assert "Into which palace does the young farmer move?" in person.type("healer")
    assert "Into which palace does the young healer move?" in person.type("palace 0")
    assert "You choose: farmer > healer > palace 0 > palace 1" in person.type("1")
    assert "Into which palace does the young healer move?" in person.type("u")
    assert "You choose: farmer > healer > palace 0 > palace 0" in person.type("0")
    assert "Which action do you take?" in person.type("")
    assert "At stake" in person.type("t")
    assert "You play on." in person.type("q") + person.type("no")
    assert "Stop the match?" in person.type("q")
    person.type("q")
    assert person.end() == 130
    assert "interrupted; no game has finished" in person.text
    assert "mean score" not in person.text


@pytest.mark.slow
def test_ctrl_d_asks_and_a_second_one_stops(start: Callable[..., Person]) -> None:
    person = start(*NO_RECORD)
    assert "Stop the match?" in person.type(CTRL_D)
    assert "You play on." in person.type("no")
    person.type(CTRL_D)
    person.type(CTRL_D)
    assert person.end() == 130


@pytest.mark.slow
def test_a_terminal_that_is_closed_ends_the_match(start: Callable[..., Person]) -> None:
    person = start(*NO_RECORD)
    assert person.prompted()
    person.hang_up()
    assert person.end() != 0


@pytest.mark.slow
def test_junk_and_another_size_of_the_terminal_do_no_harm(start: Callable[..., Person]) -> None:
    person = start(*NO_RECORD, "--game", "forbidden_city", columns=100, lines=30)
    for junk in JUNK:
        person.type(junk + b"\n")
    person.resize(60, 20)
    assert "Which way round" in person.type("0")
    person.type("0")
    assert "Round 2 of 28" in person.type("")
    legend = "  Borders"
    assert max(len(line) for line in person.latest.splitlines() if not line.startswith(legend)) <= 60
    assert "n: next page" in person.latest
    person.type(CTRL_C)
    assert person.end() == 130


@pytest.mark.slow
def test_no_color_and_a_dumb_terminal_are_respected(start: Callable[..., Person]) -> None:
    plain = start(*NO_RECORD, "--game", "forbidden_city", NO_COLOR="1")
    dumb = start("match", "ann=human", "bob=human", "--no-record", TERM="dumb")
    assert plain.prompted()
    assert b"\x1b[3" not in plain.written
    dumb.type("")
    assert b"\x1b" not in dumb.written
    assert "\n" * 100 in dumb.text, "what was shown before is scrolled away"


@pytest.mark.slow
def test_two_persons_hand_over_a_cleared_screen(start: Callable[..., Person]) -> None:
    person = start("match", "ann=human", "bob=human", "--no-record", "--game", "forbidden_city", "--seed", "two")
    assert person.prompted()
    assert person.text.rstrip().endswith("ann, it is your turn. Press Enter when nobody else is looking.")
    person.type("")
    assert "purple, you" in person.latest
    person.type("0")
    while not person.latest.endswith("confirm? > "):
        person.type("0")
    person.type("")
    assert b"\x1b[H\x1b[2J\x1b[3J" in person.written[-200:], "the screen was not cleared"
    assert person.latest.strip().endswith("bob, it is your turn. Press Enter when nobody else is looking.")
    assert "yellow, you" in person.type("")
    person.type(CTRL_C)
    assert person.end() == 130


@pytest.mark.slow
def test_a_clock_that_was_asked_for_runs_for_a_person_too(start: Callable[..., Person]) -> None:
    person = start(*NO_RECORD, "--move-time", "1ms")
    assert person.end() == 3
    assert "human: timeout: no choice (draft) within 0.001 s" in person.text


def test_without_a_terminal_nobody_can_play() -> None:
    words = "human needs a terminal: standard input is not a TTY"
    assert_error(referee("match", "ann=human", "builtin:random"), 2, words)


@pytest.mark.slow
def test_with_standard_output_in_a_file_nobody_can_play(start: Callable[..., Person], tmp_path: Path) -> None:
    person = start(*NO_RECORD, "--json")
    assert person.end() == 2
    assert "--json and human can't be combined" in person.text
    with (tmp_path / "out").open("wb") as file:
        person = start(*NO_RECORD, out=file)
        assert person.end() == 2
    assert "human needs a terminal: standard output is not a TTY" in person.text


@pytest.mark.slow
def test_the_example_in_the_readme_is_real(start: Callable[..., Person]) -> None:
    example = re.search(r"<!-- a person typed: (.*?), Enter; with (.*?) -->\n```text\n(.*?)```", README, re.DOTALL)
    assert example is not None
    person = start("match", "human", ROOT / "bots/steady-python", *example[2].split(), "--no-record")
    for line in [*example[1].split(", "), "", *re.findall(r"^> (.*)", example[3], re.MULTILINE)]:
        person.type(line)
    assert person.text.rstrip().endswith(example[3].rstrip())
