"""`referee tournament init` and `plan`."""

import tomllib
from pathlib import Path
from time import process_time

import pytest

from referee.reports.plan import format_plan, format_plan_notes
from tests.cli.command import assert_error, referee
from tests.games.sealed_bids import NARRATOR, SealedBids
from tests.registered import registered
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.regulations import SHARED_DEALS
from tournaments.event.file.example_files import example_file, example_text
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.plan import TournamentPlan, plan_tournament

ROOT = Path(__file__).parents[2]
ROUND_ROBIN = """
format = "round_robin"
game = "year_of_the_dragon"
deals = {deals}
[run]
concurrency = {concurrency}
[clock]
{clock}
"""


PAIR = 'candidate = "b0"\nbaseline = "b1"\n'


def round_robin(
    folder: Path, bots: int, *, first: str = "", deals: int = 1, concurrency: int = 1, clock: str = 'move = "1s"'
) -> Path:
    """A file with a round robin of built-in players called b0, b1 and so on."""
    text = first + ROUND_ROBIN.format(deals=deals, concurrency=concurrency, clock=clock)
    path = folder / "cup.toml"
    path.write_text(text + "".join(f'[[bot]]\nbuiltin = "random"\nname = "b{number}"\n' for number in range(bots)))
    return path


def planned(path: Path) -> tuple[list[str], TournamentPlan]:
    """What people are told of a plan, and the plan."""
    spec = read_tournament(path)
    plan = plan_tournament(spec)
    return [*format_plan(spec, plan), *format_plan_notes(spec, plan)], plan


def test_plan_warns_of_repeated_deals_in_a_game_without_chance(tmp_path: Path) -> None:
    with registered(SealedBids, narrator=NARRATOR):
        path = round_robin(tmp_path, 5, first='deals_of = "round"\n')
        path.write_text(path.read_text().replace('"year_of_the_dragon"', '"sealed_bids"'))
        assert planned(path)[1].shared_deals is None, "such deals tell nothing"
        for deals, warned in ((1, False), (2, True)):
            path = round_robin(tmp_path, 4, deals=deals)
            path.write_text(path.read_text().replace('"year_of_the_dragon"', '"sealed_bids"'))
            lines, plan = planned(path)
            assert not plan.chance
            assert any("sealed_bids has no chance" in line for line in lines) == warned
    assert not any("has no chance" in line for line in planned(round_robin(tmp_path, 4, deals=2))[0])


# -- init -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_init_writes_the_example_of_a_format_which_can_be_planned_at_once(name: str, tmp_path: Path) -> None:
    written = referee("tournament", "init", "cup.toml", "--format", name, cwd=tmp_path)
    assert (written.status, written.err) == (0, "")
    assert written.out.startswith("cup.toml is written.")
    planned = referee("tournament", "plan", "cup.toml", "--json", cwd=tmp_path)
    assert planned.status == 0, planned.err
    assert planned.json["format"] == name
    assert {"steady", "mason"} <= {bot["name"] for bot in planned.json["bots"]}
    example = Path(str(example_file(name)))
    assert example_text(name, example.parent) == example.read_text()
    plan_tournament(read_tournament(example))


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_without_the_sample_bots_an_example_has_built_in_players(name: str, tmp_path: Path) -> None:
    text = example_text(name, tmp_path, bots=tmp_path / "missing")
    assert all("builtin" in bot for bot in tomllib.loads(text)["bot"])
    (tmp_path / "cup.toml").write_text(text)
    plan_tournament(read_tournament(tmp_path / "cup.toml"))


def test_init_writes_a_round_robin_to_tournament_toml_and_never_over_a_file(tmp_path: Path) -> None:
    assert referee("tournament", "init", cwd=tmp_path).status == 0
    written = (tmp_path / "tournament.toml").read_text()
    assert tomllib.loads(written)["format"] == "round_robin"
    words = "tournament.toml already exists and is left unchanged; give the new file another name"
    assert_error(referee("tournament", "init", cwd=tmp_path), 2, words)
    assert (tmp_path / "tournament.toml").read_text() == written
    for arguments, status, words in (
        (("no/cup.toml",), 1, "can't write no/cup.toml: No such file or directory"),
        (("cup.toml", "--format", "round_robbin"), 2, "unknown format \"round_robbin\"; did you mean 'round_robin'?"),
    ):
        assert_error(referee("tournament", "init", *arguments, cwd=tmp_path), status, words)


# -- plan -----------------------------------------------------------------------------------------------------


def test_plan_counts_rounds_tables_games_meetings_seats_and_byes(tmp_path: Path) -> None:
    path = round_robin(tmp_path, 5, first='name = "Cup"\nseed = "s"\n', deals=3)
    plan = referee("tournament", "plan", path, "--json").json
    assert (plan["deals_of"], plan["shared_deals"]) == ("table", None)
    figures = {key: plan[key] for key in ("rounds", "deals", "tables", "games", "repeats", "meetings", "upper_bound")}
    assert figures == {
        "rounds": 5,
        "deals": 15,
        "tables": 10,
        "games": 60,
        "repeats": 0,
        "meetings": {"min": 1, "max": 1},
        "upper_bound": False,
    }
    each = {"tables": 4, "rated_deals": 12, "byes": 1, "seat_counts": [12, 12]}
    assert plan["bots"] == [{"name": f"b{i}", **each} for i in range(5)]
    met = sorted(tuple(sorted(table)) for round_ in plan["schedule"] for table in round_["tables"])
    assert met == [(f"b{i}", f"b{j}") for i in range(5) for j in range(i + 1, 5)]
    assert sorted(bot for round_ in plan["schedule"] for bot in round_["byes"]) == [f"b{i}" for i in range(5)]


def test_plan_says_how_few_deals_the_rating_of_a_newcomer_will_count(tmp_path: Path) -> None:
    gauntlet = 'format = "gauntlet"\ngauntlet.challengers = ["b0"]\n'
    path = round_robin(tmp_path, 7, first=gauntlet, deals=4)
    path.write_text(path.read_text().replace('format = "round_robin"\n', ""))
    lines, plan = planned(path)
    assert (plan.games, plan.bots[0].rated_deals) == (48, 4)
    assert '  ratings   count 4 deals of each bot; intervals need 7: raise `deals` or set deals_of = "table"' in lines
    path.write_text(f'deals_of = "table"\n{path.read_text()}')
    lines, plan = planned(path)
    assert (plan.bots[0].rated_deals, plan.bots[1].rated_deals) == (24, 4)
    assert "  ratings   count 4 to 24 deals of each bot; intervals need 7: raise `deals`" in lines


@pytest.mark.parametrize(
    ("format_", "setting", "words"),
    [
        ("round_robin", "rounds", "rounds can be at most 10,000, not 1,000,000,000"),
        ("round_robin", "cycles", "cycles can be at most 10,000, not 1,000,000,000"),
        ("swiss", "rounds", "rounds can be at most 10,000, not 1,000,000,000"),
        ("gauntlet", 'challengers = ["b0"]\nrounds', "rounds can be at most 10,000, not 1,000,000,000"),
        ("ladder", "budget", "budget can be at most 10,000,000, not 1,000,000,000"),
        ("ladder", "budget = 100\nbatch", "batch can be at most 10,000, not 1,000,000,000"),
        ("sprt", f"{PAIR}max_games", "max_games can be at most 10,000,000"),
        ("sprt", f"{PAIR}batch", "batch can be at most 10,000"),
        *(
            ("sprt", f"{PAIR}elo1 = {elo}\nbatch", "elo1 must be from -1000 to 1000")
            for elo in ("nan", "inf", "-inf", "1e9")
        ),
    ],
)
def test_a_billion_is_refused_at_once_and_so_are_senseless_differences(
    format_: str, setting: str, words: str, tmp_path: Path
) -> None:
    path = round_robin(tmp_path, 2)
    path.write_text(f"{path.read_text()}[{format_}]\n{setting} = 1000000000\n".replace('"round_robin"', f'"{format_}"'))
    with pytest.raises(TournamentFileError, match=words):
        read_tournament(path)


@pytest.mark.slow
def test_too_many_tables_are_refused(tmp_path: Path) -> None:
    path = round_robin(tmp_path, 200)
    path.write_text(path.read_text() + "[round_robin]\ncycles = 11\n")
    with pytest.raises(TournamentFileError, match="cycles: that would be 218,900 tables; at most 200,000"):
        read_tournament(path)


@pytest.mark.slow
def test_plan_tells_people_the_same_and_starts_nothing(tmp_path: Path) -> None:
    told = referee("tournament", "plan", round_robin(tmp_path, 5, deals=3))
    assert told.status == 0
    assert told.err == ""
    assert "cup: round_robin, 5 bots at tables of 2\n" in told.out
    assert "  rounds    5\n  tables    10\n  games     60\n" in told.out
    assert "  meetings  any two bots meet at 1 table\n  repeats   0\n" in told.out
    assert "│ b4  │      4 │    1 │        12 │        12 │" in told.out
    assert [path.name for path in tmp_path.iterdir()] == ["cup.toml"]


def test_plan_says_when_meetings_come_out_even_and_what_colluding_bots_gain(tmp_path: Path) -> None:
    told, plan = planned(round_robin(tmp_path, 5))
    assert "  deals     each table has deals of its own" in told
    assert SHARED_DEALS not in told
    told, plan = planned(round_robin(tmp_path, 5, first='deals_of = "round"\nround_robin.rounds = 6\n'))
    assert "  even      after 10 rounds any two bots would have met equally often" in told
    assert "  deals     all full tables of a round play the same deals" in told
    assert SHARED_DEALS in told
    assert (plan.deals_of, plan.shared_deals, plan.even_rounds) == ("round", SHARED_DEALS, 10)
    assert plan.schedule is None
    assert told[-1].startswith("Without a seed in the file one is drawn at the start")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("concurrency", "exclusive", "batches"),
    [(1, "", 24), (2, "", 12), (3, "", 12), (4, "", 6), (100, "", 6), (4, 'exclusive = "gpu"\n', 24)],
)
def test_the_duration_counts_games_one_after_another(
    concurrency: int, exclusive: str, batches: int, tmp_path: Path
) -> None:
    """Three rounds of two tables, each with two deals in two rotations: 24 games, 4 in each of 6 phases."""
    path = round_robin(tmp_path, 4, deals=2, concurrency=concurrency)
    path.write_text(path.read_text().replace('builtin = "random"\n', f'builtin = "random"\n{exclusive}'))
    duration = planned(path)[1].duration
    assert duration is not None
    assert duration.batches == batches
    assert duration.estimated_seconds == pytest.approx(batches * duration.game_seconds)


@pytest.mark.slow
def test_the_duration_is_that_of_the_clocks(tmp_path: Path) -> None:
    move = planned(round_robin(tmp_path, 2))[1].duration
    told, plan = planned(round_robin(tmp_path, 2, clock='bank = "60s"\nstartup = "2s"'))
    assert move is not None
    assert plan.duration is not None
    margins = 2 * 0.05
    assert move.game_seconds == pytest.approx(10 + move.decisions + margins)
    assert plan.duration.game_seconds == pytest.approx(2 + 120 + margins)
    assert f"A game: 2 s to start, and {plan.duration.decisions} decisions that use up the clock" in " ".join(told)


@pytest.mark.slow
def test_a_hundred_thousand_games_are_planned_and_listed_in_seconds(tmp_path: Path) -> None:
    path = round_robin(tmp_path, 100, first='seed = "s"\n', deals=11)
    began = process_time()
    planned = referee("tournament", "plan", path, "--json")
    assert process_time() - began < 20
    assert planned.json["games"] == 108_900
    assert sum(len(round_["tables"]) for round_ in planned.json["schedule"]) == 4950


@pytest.mark.slow
def test_a_file_that_is_wrong_is_refused_with_its_line(tmp_path: Path) -> None:
    path = round_robin(tmp_path, 3, first="seets = 3\n")
    words = f'referee: {path}, line 1: a tournament file has no key "seets"'
    assert_error(referee("tournament", "plan", path), 2, words)
    assert_error(referee("tournament", "plan", path, "--json"), 2, words)
    assert_error(referee("tournament", "plan", tmp_path / "no.toml"), 2, "no such file; `referee tournament init`")
    refused = referee("tournament", "plan", round_robin(tmp_path, 2, first='"\\u001b[2J" = 1\n'))
    assert refused.status == 2
    assert refused.err.strip().isprintable()
