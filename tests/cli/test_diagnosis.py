"""What `referee match` says after a bot has failed, with real bots, and where the records of the match are."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.bots import BOT, make_bot
from tests.cli.command import Run, referee
from tests.processes.sandboxed import needs_sandbox

PLAIN = ("--sandbox", "none", "--no-timeout")
KEY = "sk-0123456789abcdef"
LOGS = 'import sys\nfor number in range(1000):\n    print("log", number, file=sys.stderr)\n'


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """One match of bots that fail in four ways, with records in the default place; a build is silent."""
    folder = tmp_path_factory.mktemp("faulty")
    make_bot(folder / "crash", LOGS + BOT.replace('"act":', '"act":\n        cards[message["id"]]'))
    wrong = BOT.replace('"index": rng', '"idx": rng')
    make_bot(folder / "misspelt", wrong, 'name = "misspelt"\ncommand = "python3 bot.py"\nbuild = "true"')
    make_bot(
        folder / "debug",
        BOT.replace('"act":', '"act":\n        print("my turn", flush=True)'),
        'command = "python3 bot.py"',
    )
    make_bot(
        folder / "printer",
        BOT.replace("json.dumps(answer)", "json.dumps(answer, indent=1)"),
        'command = "python3 bot.py"',
    )
    bots = ("crash=crash", "misspelt", "debug", "printer", "builtin:first")
    return referee("match", *bots, *PLAIN, "--games", "2", "--no-rotate", cwd=folder), folder


def test_every_bot_is_told_what_it_did_wrong_and_what_to_do(faulty: tuple[Run, Path]) -> None:
    ended, _ = faulty
    assert ended.status == 3
    assert "building misspelt: true" in ended.err.splitlines()
    assert re.search(r"×2 deal 1, .*\(0001-1\): crash: crash: exited with status 1 at act 1$", ended.out, re.MULTILINE)
    to_do = r" \(at act 1\)\n    the record: .*\n    what to do: "
    assert re.search(
        rf"×2 .*: misspelt: bad_message: .*{to_do}unknown field 'idx'; did you mean 'index'\?\n", ended.out
    )
    assert re.search(rf"'my turn'{to_do}standard output is for messages only", ended.out)
    assert re.search(rf"only the beginning of a JSON object: '\{{'{to_do}write each message on one line", ended.out)
    assert ended.out.count("\n    what to do: ") == 4


def test_a_crash_is_shown_with_beginning_and_end_of_standard_error_and_its_file(faulty: tuple[Run, Path]) -> None:
    ended, folder = faulty
    lines = ended.out.splitlines()
    start = next(number for number, line in enumerate(lines) if ": crash: crash:" in line) + 1
    where = re.fullmatch(r"    its standard error \((records/\S+/0001-1\.seat0\.stderr)\):", lines[start])
    assert where is not None
    assert (folder / where[1]).read_text().startswith("log 0\nlog 1\n")
    shown = [line.removeprefix("      ") for line in lines[start + 1 : start + 10]]
    assert shown[:5] == ["log 0", "log 1", "log 2", "log 3", "…"]
    assert shown[-1].startswith("NameError: name 'cards' is not defined")


def test_below_the_table_is_a_line_that_shows_a_game_with_a_fault(faulty: tuple[Run, Path]) -> None:
    ended, folder = faulty
    assert ": 2 games, 2 deals, seed " in ended.out
    *_, records, show, view = ended.out.splitlines()
    folder_of_records = records.removeprefix("Records: ")
    command = show.removeprefix("To read a game: ")
    assert command == f"referee record show {folder_of_records}/0001-1.jsonl"
    assert view == f"To look at it:  referee record view {folder_of_records}/0001-1.jsonl --open"
    shown = referee(*shlex.split(command)[1:], cwd=folder)
    assert shown.status == 0
    assert "crash is out: crash: exited with status 1 at act 1" in shown.out


@pytest.mark.slow
def test_a_timeout_is_shown_with_how_to_look_at_it_and_long_lines_are_cut(tmp_path: Path) -> None:
    long = 'import os, sys\nprint("x" * 4000, file=sys.stderr)\n'
    make_bot(tmp_path / "slow", "import time\n" + BOT.replace('"act":', '"act":\n        time.sleep(99)'))
    make_bot(tmp_path / "long", long + BOT.replace('"act":', '"act":\n        raise KeyError'))
    options = ("--sandbox", "none", "--games", "1", "--no-rotate", "--move-time", "1s", "--no-record")
    ended = referee("match", "slow=slow", "long=long", "builtin:first", *options, cwd=tmp_path)
    assert "within time_ms; --trace DIR keeps the question" in ended.out
    assert f"      {'x' * 297}…\n" in ended.out


@pytest.mark.parametrize(
    ("does", "fault"),
    [
        ('print(__import__("os").environ, flush=True)', "bad_message: not a JSON object: "),
        (
            'print(json.dumps({"type": "action", "id": message["id"], "action": {"kind": KEY}}), flush=True)',
            "illegal_action: ",
        ),
        (
            'print(json.dumps({"type": "action", "id": message["id"], KEY: 1, "index": -1}), flush=True)',
            "illegal_action: ",
        ),
        ("raise RuntimeError(KEY)", "crash: exited with status 1"),
    ],
    ids=["line", "action", "field", "stderr"],
)
def test_the_value_of_a_variable_that_a_bot_prints_is_shown_nowhere(tmp_path: Path, does: str, fault: str) -> None:
    source = BOT.replace('"act":', f'"act":\n        {does}').replace('"a bot"', "KEY[:-1] + KEY[-1]")
    make_bot(tmp_path / "key", f'import os\nKEY = os.environ["A"]\n{source}')
    options = ("--games", "1", "--no-rotate", "--env", f"A={KEY}", "--record", "kept")
    ended = referee("match", "key=key", "builtin:first", *PLAIN, *options, cwd=tmp_path)
    assert f"key: {fault}" in ended.out
    record = (tmp_path / "kept/0001-1.jsonl").read_text()
    assert '"bot":"[hidden]"' in record
    assert KEY not in ended.out + ended.err + record


@pytest.mark.slow
@needs_sandbox
def test_a_match_with_a_script_that_the_sandbox_hides_ends_before_its_first_game_and_says_what_shows_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "shared.py").write_text(BOT)
    make_bot(tmp_path / "bot", toml='name = "bot"\ncommand = "python3 ../common/shared.py"\n')
    once = ("--games", "1", "--no-rotate", "--sandbox", "bwrap", "--no-record", "--no-timeout")
    ended = referee("match", "bot", "builtin:first", *once, cwd=tmp_path)
    assert ended.status == 1
    assert ended.out.startswith("In the Year of the Dragon: 0 of 1 game, ")
    outside = (
        f"bot: {tmp_path}/common/shared.py is outside of its folder, so the sandbox hides it: put it in {tmp_path}/bot"
    )
    assert f"{outside}, or show it to bots (--show, or show in a tournament file)" in ended.err
    failed = "bot can't be started: crash: exited with status 2 before it was ready"
    assert f"referee: {failed}; {outside.removeprefix('bot: ')}, or show it to bots (--show" in ended.err
    assert ended.err.endswith("\nno game has finished\n")
    shown = referee("match", "bot", "builtin:first", *once, "--show", "common", cwd=tmp_path)
    assert shown.status == 0, shown.out
    assert "hides it" not in shown.err


@pytest.mark.slow
def test_options_of_an_interpreter_that_is_not_in_quotes(tmp_path: Path) -> None:
    ended = referee("match", "python3", "-u", "bot.py", "builtin:first", cwd=tmp_path)
    assert ended.status == 2
    assert "No such option: -u. The command of a bot goes in quotes, as one BOT" in ended.message
    assert "in quotes, as one BOT" not in referee("match", "builtin:first", "-u").message
