"""The loop of a program that improves a bot: what is printed with `--json` has a schema, and says what comes next."""

import json
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cli.schema import output_schemas
from tests.cli.bots import make_bot
from tests.cli.command import Run, assert_parses, referee
from tests.games.sealed_bids import KNOWN, NARRATOR, SealedBids
from tests.protocol.jsonschema import validate
from tests.registered import registered

SCHEMAS: Final[dict[str, Any]] = output_schemas()


def printed(ended: Run, output: str) -> Any:
    """The object that a command printed: it has the keys of its schema, and its next steps can be taken."""
    found, schema = ended.json, SCHEMAS[f"output-{output}"]
    validate(found, schema)
    [root] = schema["anyOf"]
    assert found.keys() == schema["$defs"][root["$ref"].rpartition("/")[2]]["properties"].keys()
    assert all(each["why"] for each in found["next"])
    for each in commands(found):
        assert_parses(each)
    return found


def commands(found: Any) -> list[str]:
    """The commands that are to come next."""
    return [each["command"] for each in found["next"]]


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_document_says_what_it_is_and_describes_all_that_it_refers_to(name: str) -> None:
    document = json.loads(json.dumps(SCHEMAS[name]))
    assert document["title"]
    assert set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(document))) == document["$defs"].keys()
    assert all(definition["description"] for definition in document["$defs"].values())


@pytest.mark.slow
def test_after_a_check_come_the_checks_that_failed_or_a_match_in_each_game(bot: Path, tmp_path: Path) -> None:
    quick = ("--quick", "--only", "handshake.ready_fields", "--json")
    found = printed(referee("bot", "check", bot, *quick), "bot-check")
    assert commands(found) == [f"referee match {bot} builtin:random --game {game} --json" for game in found["games"]]
    mute = make_bot(tmp_path / "mute one", "")
    found = printed(referee("bot", "check", mute, *quick), "bot-check")
    first, *_, last = commands(found)
    assert first == f"referee bot check '{mute}' --only {found['checks'][0]['id']} --json"
    assert last == f"referee bot check '{mute}' --json"


@pytest.mark.slow
def test_after_a_match_come_the_costly_decisions_and_a_test_of_a_change(bot: Path, played: tuple[Run, Path]) -> None:
    ended, records = played
    found = printed(ended, "match")
    assert [each["game_id"] for each in found["games"]] == ["0001-1", "0001-2", "0002-1", "0002-2"]
    review, keep, test = commands(found)
    assert review == f"referee record review {records} --bot bot --worst 5 --time 30s --json"
    assert keep == f"cp -r {bot} {bot}-old"
    assert test == f"referee match new={bot} old={bot}-old --game year_of_the_dragon --sprt 0,20 --json"


def test_after_a_fault_comes_what_was_asked_and_the_check(tmp_path: Path) -> None:
    crash = make_bot(tmp_path / "crash", "raise SystemExit('no')")
    ended = referee("match", crash, "builtin:first", "--games", "1", "--json", cwd=tmp_path)
    show, check, replay = commands(printed(ended, "match"))
    assert check == f"referee bot check {crash} --json"
    assert replay == f"referee bot replay {ended.json['games'][0]['record']} {crash} --seat 0 --json"
    step = printed(referee(*shlex.split(show)[1:], cwd=tmp_path), "record-show")["steps"][0]
    assert step["fault"]["code"] == "crash"
    assert (step["position"], step["seat"]) == (0, 0)


def test_after_a_test_that_was_not_decided_come_more_games() -> None:
    test = ("builtin:first", "other=builtin:first", "--game", "forbidden_city", "--sprt", "0,20", "--games", "8")
    ended = referee("match", *test, "--set", "start_tile=advanced", "--no-record", "--json")
    assert ended.status == 5
    more = commands(printed(ended, "match"))[0]
    assert more.startswith("referee match builtin:first other=builtin:first --game forbidden_city")
    assert more.endswith(" --set=start_tile=advanced --sprt 0,40 --games 32 --json")  # equal bots lean to nothing


def test_after_a_match_that_was_won_comes_a_stronger_rival(tmp_path: Path) -> None:
    """One that searches: every game won against it needs a better bot."""
    ended = referee("match", "builtin:random", "builtin:first", "--game", "forbidden_city", "--json", cwd=tmp_path)
    found = printed(ended, "match")
    beaten = any(game["ranks"][game["bots"].index("random")] != 1 for game in found["games"])
    assert ("referee bot new rival --kit searcher" in commands(found)) is not beaten


# -- record show ------------------------------------------------------------------------------------------------------


def test_a_record_is_shown_step_by_step_as_a_seat_knew_it(played: tuple[Run, Path]) -> None:
    record = played[1] / "0001-1.jsonl"
    whole = printed(referee("record", "show", record, "--json"), "record-show")
    part = printed(
        referee("record", "show", record, "--as-seat", "0", "--from", "10", "--to", "30", "--json"), "record-show"
    )
    assert [step["position"] for step in whole["steps"]] == list(range(whole["positions"]))
    assert [step["position"] for step in part["steps"]] == list(range(10, 31))
    assert {step["seat"] for step in part["steps"]} == {0, 1}
    for step, same in zip(part["steps"], whole["steps"][10:], strict=False):
        own = step["seat"] == 0
        assert step["action"] == same["action"]
        assert step["observation"] == (same["observation"] if own else None)
        assert step["legal"] == (same["legal"] if own else None)
        assert same["action"] in same["legal"]
    assert commands(part)[0].endswith("--as-seat 0 --from 31 --to 40 --json")
    assert part["result"] == whole["result"]


def test_a_decision_that_is_hidden_from_a_seat_is_left_out(tmp_path: Path) -> None:
    match = ("match", "builtin:random", "builtin:first", "--game", "sealed_bids", "--games", "1", "--workers", "1")
    with registered(SealedBids, narrator=NARRATOR, known=KNOWN):
        record = referee(*match, "--seed", "s", "--json", cwd=tmp_path).json["games"][0]["record"]
        shown = [
            referee("record", "show", record, *seat, "--json", cwd=tmp_path).json["steps"]
            for seat in ((), ("--as-seat", "0"), ("--as-seat", "1"))
        ]
    everything, *seats = ([step["position"] for step in steps] for steps in shown)
    assert sorted([*seats[0], *seats[1]]) == everything == list(range(8))
    assert all({step["seat"] for step in steps} == {seat} for seat, steps in enumerate(shown[1:]))


def test_the_same_is_shown_as_text(played: tuple[Run, Path]) -> None:
    record = played[1] / "0001-1.jsonl"
    ended = referee("record", "show", record, "--as-seat", "bot", "--to", "6")
    assert ended.status == 0
    assert re.match(r'#0 bot, draft: \{"persons":.*\}, one of 36 legal, [\d.]+ ms\n    bot drafts', ended.out)
    assert "\n#3 random, draft: " in ended.out
    assert "\n#7" not in ended.out
    assert re.search(r"\nResult: 1\. \w+ \d+, 2\. \w+ \d+\n$", ended.out)


def test_a_record_that_breaks_off_is_shown_up_to_there(played: tuple[Run, Path], tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_bytes((played[1] / "0001-1.jsonl").read_bytes()[:3000])
    ended = referee("record", "show", "cut.jsonl", "--json", cwd=tmp_path)
    assert ended.status == 1
    found = printed(ended, "record-show")
    assert found["unfinished"] in ended.message
    assert found["result"] is None
    assert len(found["steps"]) == found["positions"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--from", "9", "--to", "8"), "--to 8 comes before --from 9"),
        (("--from", "999"), "has no position #999: its positions are #0 to #"),
        (("--as-seat", "nobody"), "has no seat nobody: its seats are 0 (bot), 1 (random)"),
        (("--as-seat", "0", "--info"), "--info can't be combined with --as-seat, --from, --to"),
    ],
)
def test_positions_and_seats_that_are_not_in_a_record(
    played: tuple[Run, Path], arguments: tuple[str, ...], words: str
) -> None:
    ended = referee("record", "show", played[1] / "0001-1.jsonl", *arguments, "--json")
    assert ended.status == 2
    assert words in printed(ended, "error")["error"]["message"]


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "status", "page"),
    [
        (("match", "nobody", "builtin:random"), 2, "match"),
        (("bot", "check", "nobody"), 2, "bot check"),
        (("match", "builtin:random", "builtin:first", "--gmae", "x"), 2, "match"),
        (("tournament", "standings", "nowhere"), 2, "tournament standings"),
        (("games", "chess"), 2, "games"),
        (("record", "show", "nothing.jsonl"), 1, None),
    ],
)
def test_a_command_that_fails_prints_an_object_with_the_reason(
    command: tuple[str, ...], status: int, page: str | None, tmp_path: Path
) -> None:
    ended = referee(*command, "--json", cwd=tmp_path)
    assert ended.status == status
    found = printed(ended, "error")
    assert found["error"]["status"] == status
    assert found["error"]["message"] in ended.message
    assert commands(found) == ([] if page is None else [f"referee {page} --help"])
    assert referee(*command, cwd=tmp_path).out == ""
