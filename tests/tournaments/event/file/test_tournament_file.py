"""What a tournament file may hold, and what people are told about one that is wrong."""

import hashlib
import os
import re
from datetime import time
from pathlib import Path
from typing import Final

import pytest
from msgspec import UNSET

from referee.players.clock import TimeControl
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits
from referee.reports.plan import format_plan, format_plan_notes
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.regulations import OpeningRule
from tournaments.event.file.example_files import example_file
from tournaments.event.file.toml_source import MAX_TOURNAMENT_FILE, TournamentFileError
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.plan import plan_tournament
from tournaments.play.conditions import Conditions

HEAD = 'format = "round_robin"\ngame = "year_of_the_dragon"\n'
BOTS = '[[bot]]\nbuiltin = "random"\n[[bot]]\nbuiltin = "first"\n'
SMALLEST = HEAD + BOTS


def read(folder: Path, text: str | bytes, name: str = "cup.toml") -> TournamentSpec:
    """What a file with this content describes."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_tournament(path)


def test_the_smallest_file_has_the_stated_defaults(tmp_path: Path) -> None:
    spec = read(tmp_path, SMALLEST)
    assert (
        spec.regulations.name,
        spec.regulations.seats,
        spec.regulations.points,
        spec.regulations.anonymous,
        spec.seed,
    ) == ("cup", 2, "game", True, None)
    assert spec.regulations.tiebreaks == ("direct_encounter", "wins", "sonneborn_berger", "score_difference")
    assert (spec.conditions, spec.stop_at, spec.on_round) == (Conditions(workers=None), None, None)
    assert [bot.spec.name for bot in spec.bots] == ["random", "first"]
    assert spec.regulations.full_config.players == 2


def test_everything_that_a_file_may_say_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "bots" / "a"
    folder.mkdir(parents=True)
    limits = "[limits]\nmemory_mb = 100\nprocesses = 900\n"
    (folder / "bot.toml").write_text('name = "own"\ncommand = "python3 bot.py"\n' + limits)
    (tmp_path / "b.py").touch()
    spec = read(
        tmp_path,
        """
        name = "Autumn Cup"
        format = "round_robin"
        game = "year_of_the_dragon"
        seats = 3
        deals = 4
        seed = "s"
        points = "table"
        tiebreaks = ["wins", "buchholz"]
        anonymous = false
        [options]
        great_wall = true
        super_event = "random"
        [round_robin]
        cycles = 2
        [clock]
        move = "250ms"
        bank = "2m"
        increment = "1s"
        startup = "5s"
        [run]
        concurrency = 4
        workers = 2
        sandbox = "none"
        retries = 3
        ponder = false
        show = ["bots"]
        limits = { memory_mb = 512 }
        env = { A = "1" }
        stop_at = "06:00"
        on_round = "./publish.sh"
        [[bot]]
        path = "bots/a"
        owner = "someone"
        env = { OMP_NUM_THREADS = "1" }
        exclusive = "gpu"
        show = ["bots"]
        [[bot]]
        command = "python3 b.py --fast"
        limits = { stdout_mb = 1, memory_mb = 2000 }
        [[bot]]
        builtin = "random"
        name = "dice"
        """,
    )
    assert (
        spec.regulations.name,
        spec.regulations.seats,
        spec.regulations.deals,
        spec.seed,
        spec.regulations.points,
    ) == ("Autumn Cup", 3, 4, "s", "table")
    assert (spec.regulations.tiebreaks, spec.regulations.anonymous, spec.regulations.full_config.players) == (
        ("wins", "buchholz"),
        False,
        3,
    )
    assert getattr(spec.regulations.full_config, "great_wall") is True  # noqa: B009 (an option of this game)
    assert getattr(spec.regulations.format_settings, "cycles") == 2  # noqa: B009 (a setting of this format)
    assert spec.conditions == Conditions(
        control=TimeControl(move=0.25, bank=120, increment=1, startup=5),
        retries=3,
        ponder=False,
        concurrency=4,
        workers=2,
        sandbox="none",
        limits=ProcessLimits(memory_mb=512),
        show=(tmp_path / "bots",),
        environment={"A": "1"},
    )
    assert (spec.stop_at, spec.on_round) == (time(6, 0), "./publish.sh")
    own, script, dice = spec.bots
    assert (own.spec.name, own.spec.folder, own.owner, own.exclusive) == ("own", folder, "someone", "gpu")
    assert (own.spec.environment, own.spec.limits.memory_mb) == ({"OMP_NUM_THREADS": "1"}, 100)
    assert own.spec.limits.processes == DEFAULT.processes, "a bot can't raise its limits itself"
    assert (own.spec.show, script.spec.show) == ((tmp_path / "bots",), ()), "what one bot is shown, no other is"
    assert (script.spec.name, script.spec.folder, script.spec.argv) == ("b", tmp_path, ("python3", "b.py", "--fast"))
    assert (script.spec.limits.stdout_mb, script.spec.limits.memory_mb) == (1, 2000)
    assert (dice.spec.name, dice.spec.policy) == ("dice", "random")
    assert [bot.owner for bot in spec.regulations.bots] == ["someone", None, None]


def test_paths_are_relative_to_the_file_wherever_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "tiles.toml").write_text("wrong = 1")
    (tmp_path / "bot.toml").write_text('command = "x"')
    (tmp_path / "deep" / "cup.toml").write_text(f'{SMALLEST}[[bot]]\npath = ".."\nname = "c"\n')
    monkeypatch.chdir("/")
    relative = Path(os.path.relpath(tmp_path / "deep" / "cup.toml", "/"))
    assert read_tournament(relative).bots[2].spec.folder == tmp_path
    city = HEAD.replace("year_of_the_dragon", "forbidden_city") + '[options]\ntile_set = "../tiles.toml"\n' + BOTS
    with pytest.raises(TournamentFileError, match=r"line 4: tile_set=../tiles.toml: unknown key 'wrong'"):
        read(tmp_path / "deep", city)


def test_a_byte_order_mark_and_line_ends_of_windows_are_accepted(tmp_path: Path) -> None:
    assert len(read(tmp_path, b"\xef\xbb\xbf" + SMALLEST.replace("\n", "\r\n").encode()).bots) == 2


def test_each_table_has_deals_of_its_own_but_in_a_gauntlet_and_a_sequential_test() -> None:
    assert {FORMATS[name].deals_of[0] for name in ("gauntlet", "sprt")} == {"round"}
    assert {FORMATS[name].deals_of[0] for name in ("round_robin", "swiss", "knockout", "groups", "ladder")} == {"table"}


@pytest.mark.parametrize("name", ["round_robin", "gauntlet"])
@pytest.mark.parametrize("deals_of", ["table", "round"])
def test_a_file_says_what_deals_belong_to(name: str, deals_of: str, tmp_path: Path) -> None:
    text = f'deals_of = "{deals_of}"\n{SMALLEST.replace("round_robin", name)}'
    spec = read(tmp_path, text + ('[gauntlet]\nchallengers = ["random"]\n' if name == "gauntlet" else ""))
    assert spec.regulations.deals_of == deals_of


@pytest.mark.parametrize("name", ["round_robin", "swiss", "gauntlet", "knockout", "double_elimination", "ladder"])
def test_only_a_swiss_and_brackets_with_two_seats_go_by_the_place_at_the_table(name: str) -> None:
    spec = read_tournament(Path(str(example_file(name))))
    assert (spec.regulations.points == "table") == (
        spec.regulations.seats == 2 and name in ("swiss", "knockout", "double_elimination")
    )


def test_the_swiss_system_has_defaults_of_its_own(tmp_path: Path) -> None:
    text = SMALLEST.replace("round_robin", "swiss")
    spec = read(tmp_path, text)
    assert (spec.regulations.points, spec.regulations.tiebreaks[:2]) == ("table", ("buchholz_cut1", "buchholz"))
    tables_of_three = f'seats = 3\n{text}[[bot]]\nbuiltin = "first"\nname = "c"\n[swiss]\nrounds = 1\n'
    assert read(tmp_path, tables_of_three).regulations.points == "game"


ADDED: Final = [
    ("[swiss]\nrounds = 3", 'line 7: [swiss] has no effect, as format = "round_robin"'),
    ("[round_robin]\ncycels = 3", "line 8: [round_robin] has no key \"cycels\"; did you mean 'cycles'?"),
    ("[round_robin]\ncycles = 0", "line 8: "),
    ("[round_robin]\ncycles = 1.5", "line 8: cycles = 1.5 is not allowed; cycles must be a whole number"),
    ("[options]\ngreatwall = true", 'line 8: In the Year of the Dragon has no option "greatwall"; did you'),
    ("[options]\ngreat_wall = 3", "line 8: great_wall=3 is not allowed; great_wall is true or false"),
    ("[options]\ngreat_wall = {}", "line 8: great_wall can't be a table; great_wall is true or false"),
    ("[options]\nplayers = 2", "line 8: leave players out: seats sets their number"),
    ("[clock]\nmoove = '1s'", "line 8: [clock] has no key \"moove\"; did you mean 'move'?"),
    ("[clock]\nmove = 'soon'", "line 8: move: 'soon' is not a duration"),
    ("[clock]\nmove = 1", 'line 8: move = 1 is not allowed; move must be a text in quotes, such as "1s"'),
    ("[clock]\nmove = '0s'", "line 8: move: a time limit of 0 s"),
    ("[clock]\nbank = '1000h'", "line 8: bank: at most a week is allowed"),
    ("[clock]\nincrement = '1s'", "line 8: increment: there must be a bank"),
    ("[run]\nconcurrency = 0", "line 8: concurrency = 0 is not allowed; concurrency must be a whole number from 1"),
    ("[run]\nlost_after = 'soon'", "line 8: lost_after: 'soon' is not a duration"),
    ("[run]\nwatched = true", 'line 8: [run] has no key "watched"'),
    ("[run]\nshow_to = {}", 'line 8: [run] has no key "show_to"'),
    ("[run]\nsandbox = 'docker'", 'sandbox must be "auto", "bwrap" or "none"'),
    ("[run]\nstop_at = '6 am'", 'line 8: stop_at = "6 am" is not a time of day; write for example'),
    ("[run]\nstop_at = 06:00:00", "line 8: stop_at = 06:00:00 is not allowed; stop_at must be a text in quotes"),
    ("[run]\nstop_at = '24:00'", 'line 8: stop_at = "24:00" is not a time of day'),
    ("[run]\non_round = ' '", "line 8: on_round must be a command; leave it out if there is none"),
    ("[run]\nshow = ['nowhere']", "line 8: show: no such file or folder:"),
    ("[[bot]]\ncommand = 'sh'\nshow = ['nowhere']", "line 9: show: no such file or folder:"),
    ("show = ['.']", "can't be shown to first: the referee starts no program for it"),
    ("[run.limits]\nmemory = 1", "line 8: [run.limits] has no key \"memory\"; did you mean 'memory_mb'?"),
    ("[run]\nenv = { 'A=B' = 'c' }", "line 8: env: 'A=B': the name of a variable can't contain ="),
    ("[run]\nlimits = { processes = 1 }", "line 8: processes = 1 is not allowed; processes must be a whole number"),
    ("[[bot]]\nbuiltin = 'random'", 'line 7: two bots are called "random", also the one in line 3; give one'),
    ("[[bot]]\nbuiltin = 'first'\nname = 'random'", 'line 9: two bots are called "random", also the one in'),
    ("[[bot]]\nname = 'x'", "line 7: a [[bot]] has a path, a command or a builtin; this one has none of them"),
    ("[[bot]]\npath = 'a'\nbuiltin = 'random'", "this one has path and builtin: take one of them"),
    ("[[bot]]\nbuiltin = 'rnd'", "line 8: unknown built-in player 'builtin:rnd'; did you mean 'builtin:ra"),
    ("[[bot]]\npath = 'nowhere'", "line 8: there is no folder "),
    ("[[bot]]\ncommand = 'nowhere'", "line 8: nowhere: no such folder"),
    ("[[bot]]\nbuiltin = 'random'\nname = ''", 'line 9: name = "" is not allowed: write 1 to 60 visible characters'),
    ("[[bot]]\nbuiltin = 'random'\nonwer = 'x'", "line 9: [[bot]] has no key \"onwer\"; did you mean 'owner'?"),
    ("[[bot]]\nbuiltin = 'random'\nenv = { A = 1 }", "line 9: what env holds is not allowed; env must be a table"),
]
"""What comes after the smallest file."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cup.toml: the file needs a key 'format': a text in quotes"),
        ("x = 1\ny", "cup.toml, line 2: not valid TOML: "),
        ("a = 1\na = 2", "cup.toml, line 2: not valid TOML: a is given twice"),
        (b"a = 1\nb = '\xff'", "cup.toml, line 2: is not valid UTF-8"),
        ("#" * (MAX_TOURNAMENT_FILE + 1), f"cup.toml: too long: at most {MAX_TOURNAMENT_FILE} characters are read"),
        (
            "#\n" * 10_000 + "a . 'b'." * 50 + "a = 1",
            "line 10001: not valid here: a key in line 10001 has more than 100 parts",
        ),
        (f"seets = 4\n{SMALLEST}", "line 1: a tournament file has no key \"seets\"; did you mean 'seats'?"),
        (
            f"qwertz = 4\n{SMALLEST}",
            'line 1: a tournament file has no key "qwertz"; available: format, game, name, seats',
        ),
        (f"seats = 6\n{SMALLEST}", "line 1: seats = 6 is not allowed; seats must be a whole number from 2 to 5"),
        (f'seats = "2"\n{SMALLEST}', 'line 1: seats = "2" is not allowed; seats must be a whole number from 2 to 5'),
        (f'seed = ""\n{SMALLEST}', "line 1: seed must be printable text, and not empty"),
        (f"seed = 42\n{SMALLEST}", "line 1: seed = 42 is not allowed; seed must be a text in quotes"),
        (f"deals = 99999999999999999999\n{SMALLEST}", "line 1: a whole number has at most 64 bits"),
        (f'points = "tabel"\n{SMALLEST}', 'points must be "game" or "table"; did you mean \'table\'?'),
        (
            f'deals_of = "game"\n{SMALLEST}',
            'line 1: deals_of = "game" is not allowed; deals_of must be "round" or "table"',
        ),
        (
            f'deals_of = "table"\n{SMALLEST.replace("round_robin", "sprt")}'
            '[sprt]\ncandidate = "random"\nbaseline = "first"\n',
            'line 1: deals_of = "table": in the format sprt it can only be "round"',
        ),
        (f"anonymous = 1\n{SMALLEST}", "line 1: anonymous = 1 is not allowed; anonymous must be true or false"),
        (f'name = "a\\u001b[2J"\n{SMALLEST}', "line 1: name = "),
        (f'tiebreaks = ["wins", "bucholz"]\n{SMALLEST}', "unknown tie-break \"bucholz\"; did you mean 'buchholz'?"),
        (f'tiebreaks = ["wins", "wins"]\n{SMALLEST}', 'line 1: the tie-break "wins" is given twice'),
        (f'tiebreaks = "wins"\n{SMALLEST}', "tiebreaks must be a list in brackets, each element a text in quotes"),
        (f"seats = 3\n{SMALLEST}", "line 1: tables of 3 need at least 3 bots; the file has 2 bots"),
        (HEAD, "cup.toml: tables of 2 need at least 2 bots; the file has 0 bots"),
        (SMALLEST.replace("_robin", "_robbin"), "line 1: unknown format \"round_robbin\"; did you mean 'round_robin'?"),
        (SMALLEST.replace("dragon", "cat"), "line 2: unknown game 'year_of_the_cat'; did you mean 'year_of_the_d"),
        (f"round_robin = 1\n{SMALLEST}", "line 1: [round_robin] must be a table, not 1"),
        (f'forbidden = [["x", "random"]]\n{SMALLEST}', 'line 1: forbidden: unknown bot "x"'),
        (f"{HEAD}[bot]\nbuiltin = 'random'", "line 3: write [[bot]] with two brackets, once for each bot"),
        (
            SMALLEST.replace("year_of_the_dragon", "forbidden_city").replace("format", "seats = 5\nformat"),
            "line 1: The Forbidden City can't be played at tables of 5: seats=5 is not allowed; seats is 2 to 4",
        ),
        *((f"{SMALLEST}{text}", message) for text, message in ADDED),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_what_would_be_right(
    text: str | bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(TournamentFileError) as raised:
        read(tmp_path, text)
    assert message in str(raised.value)
    assert str(raised.value).startswith(f"{tmp_path}/cup.toml")


def test_a_file_that_is_missing_or_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").touch()
    for other, told in (
        ("", "it is the folder of a bot"),
        ("bot.toml", "is not a tournament file; it describes a bot"),
    ):
        with pytest.raises(TournamentFileError, match=told):
            read_tournament(tmp_path / other)
    with pytest.raises(TournamentFileError, match=r"no\.toml: no such file; `referee tourn"):
        read_tournament(tmp_path / "no.toml")
    with pytest.raises(TournamentFileError, match="can't be read: "):
        read_tournament(tmp_path)
    with pytest.raises(TournamentFileError, match="NUL"):
        read_tournament(Path("a\0b"))


def test_a_bot_that_says_that_it_plays_another_game_is_refused_where_it_is_entered(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "mason"\ncommand = "python3 bot.py"\ngames = ["forbidden_city"]\n')
    with pytest.raises(TournamentFileError, match=r"line 8: mason doesn't play In the Year of the Dragon "):
        read(tmp_path, f"{SMALLEST}[[bot]]\npath = '.'\n")
    read(tmp_path, f"{SMALLEST}[[bot]]\npath = '.'\n".replace("year_of_the_dragon", "forbidden_city"))


# -- openings ---------------------------------------------------------------------------------------------------------

DRAFT = '{"persons":["scholar","tax_collector"]}'


def test_openings_are_drawn_or_come_from_a_file_of_which_the_manifest_has_the_hash(tmp_path: Path) -> None:
    assert read(tmp_path, SMALLEST).regulations.opening is UNSET
    assert read(tmp_path, SMALLEST + "[opening]\nplies = 6").regulations.opening == OpeningRule(plies=6)
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines/book.txt").write_text(f"# drafts\n{DRAFT}\n")
    spec = read(tmp_path, SMALLEST + '[opening]\nfile = "lines/book.txt"\nplies = 1')
    sha256 = hashlib.sha256(spec.openings.encode()).hexdigest()
    assert spec.openings == f"# drafts\n{DRAFT}\n"
    assert spec.regulations.opening == OpeningRule(plies=1, file="book.txt", sha256=sha256)


@pytest.mark.parametrize(
    ("opening", "content", "problem"),
    [
        ("", "", '[opening] needs plies = 6, or file = "openings.txt"'),
        ("plies = 0", "", "plies"),
        ('file = "book"', None, "the file can't be read: No such file or directory"),
        ('file = "b\\u0000"', "", "the file has no name, or a NUL byte in it"),
        ('file = "book"', "# nothing\n", "book: the file has no opening; write one a line"),
        (
            'file = "book"',
            f'{DRAFT}\n{{"persons":["scholar","scholar"]}}\n',
            'book:2: \'{"persons":["scholar","scholar"]}\' is not legal as decision 1 (draft of seat 0); legal are',
        ),
    ],
)
def test_openings_that_can_not_be_played_are_refused_with_the_line(
    tmp_path: Path, opening: str, content: str | None, problem: str
) -> None:
    if content is not None:
        (tmp_path / "book").write_text(content)
    with pytest.raises(TournamentFileError) as caught:
        read(tmp_path, f"{SMALLEST}[opening]\n{opening}\n")
    assert problem in str(caught.value)
    assert re.search(r"cup\.toml, line [78]:", str(caught.value))


def test_plan_says_how_many_deals_differ_at_most(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    (tmp_path / "book").write_text("x(1,1)\nx(0,0) o(0,2)\nx(1,1)\n")
    head = 'format = "round_robin"\ngame = "open_spiel:tic_tac_toe"\ndeals = 10\nseed = "s"\n' + BOTS
    drawn = "the same in all rotations of a deal"
    for opening, different, text in (
        ("plies = 1", 9, f"1 drawn decision, {drawn}; 9 differ, so of 10 deals at most 9 do"),
        ("plies = 2", None, f"2 drawn decisions, {drawn}"),
        ('file = "book"', 2, "of book; 2 differ, so of 10 deals at most 2 do"),
    ):
        spec = read(tmp_path, f"{head}[opening]\n{opening}\n")
        planned = plan_tournament(spec)
        assert planned.different_openings == different
        assert f"  openings  {text}" in [*format_plan(spec, planned)]
        warned = any("has no chance" in line for line in format_plan_notes(spec, planned))
        assert warned == (different is not None)
