"""`referee match` with --sprt, --field and --vary: bots are compared by what they do against the same opponents."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, assert_error, referee, signalled
from tests.cli.test_match import OPEN_SIGNALS
from tests.tournaments.competition.results import game as result
from tests.tournaments.competition.results import table as played_table
from tournaments.competition.formats.interface import FormatContext
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.rounds import Entry, PlayedRound, Round

NEW = "new=builtin:random"
OLD = "old=builtin:first"
FIELD = ("--field", "builtin:random")
INTERRUPT = "        if message['game_id'] and next(games) == 3:\n            signals.write('INT\\n')\n"
FAST = ("--no-record", "--seed", "s", "--game", "forbidden_city")
PLAYS_LAST = BOT.replace('rng.randrange(len(message["legal"]))', 'len(message["legal"]) - 1')


def match(*words: str) -> Run:
    return referee("match", *words, *FAST)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "hypotheses", "status", "result"),
    [
        ((OLD, NEW), "-400,400", 0, "accept (elo1)"),
        ((NEW, OLD), "-400,400", 4, "reject (elo0)"),
        ((NEW, OLD), "0,1", 5, "undecided"),
    ],
)
def test_a_test_ends_with_its_result_as_the_exit_status(
    bots: tuple[str, ...], hypotheses: str, status: int, result: str
) -> None:
    ended = match(*bots, "--sprt", hypotheses, "--games", "16")
    assert ended.status == status, ended.err
    line = next(line for line in ended.out.splitlines() if line.startswith("SPRT: "))
    assert line.startswith(f"SPRT: {result}")
    assert "between -2.94 and 2.94" in line


@pytest.mark.slow
def test_the_test_is_that_of_the_format_on_equal_deals_and_seats() -> None:
    """Recomputed from the games in the JSON alone."""
    ended = match(NEW, OLD, "--sprt", "0,30", *FIELD, *FIELD, "--games", "8", "--json", "--alpha", "0.1")
    assert ended.status == 5
    found: dict[str, Any] = ended.json
    bots = ["new", "old", "random", "random#2"]
    assert found["field"] == bots[2:]
    tables = {name: [game for game in found["games"] if name in game["bots"]] for name in ("new", "old")}
    seats = {
        name: [[bot if bot != name else "" for bot in game["bots"]] for game in games] for name, games in tables.items()
    }
    assert seats["new"] == seats["old"]
    assert len(seats["new"]) == 8 * 3
    by_deal = defaultdict(set)
    for game in found["games"]:
        deal, rotation, table = game["game_id"].split("-")
        by_deal[deal].add((rotation, table))
    assert set(map(len, by_deal.values())) == {6}

    sprt = Sprt(candidate="new", baseline="old", field=tuple(bots[2:]), elo1=30, alpha=0.1, max_games=48)
    entries = tuple(Entry(name=bot) for bot in bots)
    context = FormatContext(entries=entries, seats=3, deals=8, points="game", seed="s")
    results = []
    for table, games in zip(sprt.tables(context, 1), tables.values(), strict=True):
        order = [[game["bots"].index(bots[bot]) for bot in table.bots] for game in games]
        results.append(
            played_table(
                table.bots,
                *(
                    result(
                        [played["ranks"][seat] for seat in seats_of],
                        deal=int(played["game_id"][:4]),
                        rotation=int(played["game_id"][5]) - 1,
                        scores=[played["scores"][seat] for seat in seats_of],
                    )
                    for played, seats_of in zip(games, order, strict=True)
                ),
            )
        )
    played = PlayedRound(round=Round(number=1, tables=sprt.tables(context, 1), deals=8), results=tuple(results))
    state = sprt.decide(context, [played])
    assert found["sprt"]["llr"] == pytest.approx(state.llr)
    assert found["sprt"]["upper"] == pytest.approx(state.upper)
    assert (found["sprt"]["result"], found["sprt"]["deals"], found["sprt"]["games"]) == ("undecided", 8, 48)


@pytest.mark.ci_only
def test_workers_decide_a_test_as_one_process_does() -> None:
    words = (OLD, NEW, "--sprt", "-400,400", "--json")
    alone, shared = match(*words), match(*words, "--workers", "2", "--concurrency", "2")
    assert alone.status == shared.status == 0
    assert alone.json["sprt"] == shared.json["sprt"]
    assert alone.json["games"] == shared.json["games"]


@pytest.mark.slow
def test_a_game_of_a_test_can_be_played_again() -> None:
    whole = match(NEW, OLD, "--sprt", "0,20", *FIELD, "--games", "16", "--json").json
    again = match(NEW, OLD, "--sprt", "0,20", *FIELD, "--only", "0012-2-1", "--json")
    assert again.status == 0
    assert again.json["sprt"] is None
    assert again.json["games"] == [game for game in whole["games"] if game["game_id"] == "0012-2-1"]


def test_a_fault_comes_before_the_result_of_the_test(tmp_path: Path) -> None:
    bad = make_bot(tmp_path / "bad", "import sys; sys.exit(1)")
    ended = match(str(bad), OLD, "--sprt", "0,20", "--games", "1", "--sandbox", "none")
    assert ended.status == 3
    assert "SPRT: undecided" in ended.out


@pytest.mark.slow
def test_ctrl_c_keeps_the_games_of_a_test(tmp_path: Path) -> None:
    bot = make_bot(
        tmp_path / "bot",
        "import itertools\ngames = itertools.count()\n"
        + OPEN_SIGNALS
        + BOT.replace('"start":\n', f'"start":\n{INTERRUPT}'),
    )
    words = ("--sprt", "0,1", "--sandbox", "none", "--concurrency", "1", "--seed", "s", "--record", "kept")
    ended = signalled("match", bot, OLD, *words, cwd=tmp_path)
    assert ended.status == 130
    assert "interrupted; the games finished so far are counted and kept in kept" in ended.err
    assert "SPRT: not decided yet" in ended.out
    assert len(list((tmp_path / "kept").glob("*.jsonl"))) >= 3


@pytest.mark.slow
def test_variants_meet_the_same_field_on_the_same_deals(tmp_path: Path) -> None:
    """One plays at random, and one takes the last legal action; the variable of its environment says which."""
    switch = f"import os\nif os.environ['MODE'] == 'last':\n{indented(PLAYS_LAST)}\nelse:\n{indented(BOT)}"
    bot = make_bot(tmp_path / "mine", switch)
    ended = match(str(bot), OLD, "--vary", "MODE=random,last", "--games", "2", "--json", "--sandbox", "none")
    assert ended.status == 0, ended.err
    found: dict[str, Any] = ended.json
    names = ["bot MODE=random", "bot MODE=last"]
    assert found["field"] == ["old"]
    for number, name in enumerate(names, 1):
        games = [game for game in found["games"] if name in game["bots"]]
        assert [game["game_id"] for game in games] == [f"000{d}-{r}-{number}" for d in (1, 2) for r in (1, 2)]
        assert {bot for game in games for bot in game["bots"]} == {name, "old"}
    [compared] = [pair for pair in found["pairs"] if {pair["a"], pair["b"]} == set(names)]
    assert compared["ahead"] is None
    means = {row["name"]: row["score"]["mean"] for row in found["standings"]}
    assert compared["score"]["mean"] == pytest.approx(abs(means[names[0]] - means[names[1]]))


@pytest.mark.slow
def test_a_setting_that_no_bot_reads_is_named(tmp_path: Path) -> None:
    reads = BOT.replace("import json", "import os, json").replace('_seed"]', '_seed"] + int(os.environ["MODE"])')
    words = (str(make_bot(tmp_path / "mine", reads)), OLD, "--vary", "MODE=1,2", "--games", "2", "--sandbox", "none")
    assert "no effect" not in match(*words).err
    ended = match(*words, "--vary", "DEPHT=1,2", "--json")
    assert "DEPHT had no effect" in ended.err
    assert "environment variable DEPHT, or should its command contain {DEPHT}?" in ended.err
    assert "MODE had no effect" not in ended.err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((NEW, OLD, "--sprt", "20"), "20: write ELO0,ELO1, for example --sprt 0,20"),
        ((NEW, OLD, "--sprt", "20,0"), "--sprt: elo1 must be more than elo0 (20), not 0"),
        ((NEW, OLD, "--sprt", "nan,20"), "--sprt: elo0 must be from -1000 to 1000, not nan"),
        ((NEW, OLD, "--sprt", "0,20", "--alpha", "0.7"), "--sprt: alpha must be between 0 and 0.5, not 0.7"),
        ((NEW, OLD, "--sprt", "0,20", "--games", "9999999"), "--games: this test can have at most 5,000,000 deals"),
        ((NEW, OLD, "--beta", "0.1"), "--alpha and --beta are for a test: give --sprt ELO0,ELO1"),
        ((NEW, OLD, "--sprt", "0,20", "--no-rotate"), "leave out --no-rotate"),
        ((NEW, OLD, OLD, "--sprt", "0,20"), "--sprt compares two BOTs, the new one first"),
        ((NEW, "tcp:0", "--sprt", "0,20"), "tcp can't play until a test is decided"),
        ((NEW, OLD, "--sprt", "0,20", *FIELD, "--only", "0001-1"), "expected DEAL-ROTATION-TABLE, such as 0007-2-1"),
        ((NEW, OLD, *FIELD, "--only", "0001-1-3"), "there is no game 0001-1-3 in this match: its tables are 1 to 2"),
        (("tcp:0", OLD, "x=tcp:0", "--vary", "A=1"), "--vary: tcp has nothing to vary"),
        ((NEW, "--vary", "A=1,2"), "variants need an opponent"),
        ((NEW, OLD, *FIELD, "--vary", "A=1,2"), "with --vary the BOTs after the first one are the field"),
        ((NEW, OLD, "--field", "human"), "human is a person, who can't play the same deals several times"),
        ((NEW, OLD, "--field", "tcp:0"), "tcp can't be in the field"),
    ],
)
def test_what_can_not_be_compared_is_wrong_usage(words: tuple[str, ...], problem: str) -> None:
    assert_error(match(*words), 2, problem)


def indented(source: str) -> str:
    return "".join(f"    {line}\n" for line in source.splitlines())
