"""Nothing that a bot says, or that a file holds, reaches the terminal, a report, a record or a file name unescaped."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.bots import QUICK_START, make_bot
from tests.cli.command import Run, referee
from tests.cli.on_pty import run_on_terminal
from tests.hostile_texts import EVERYTHING, HOSTILE, flaws
from tests.record.played import lines_of, write

pytestmark = pytest.mark.slow

TEXTS = list(HOSTILE.values())
SEATS = 4
GROUPS = [TEXTS[start : start + SEATS] for start in range(0, len(TEXTS), SEATS)]
"""The texts in fours: so many bots play one game."""
SHORT = {"everything": EVERYTHING, "markup": HOSTILE["markup"].replace("/", "\\")}
"""What may also be the name of a file."""
PLAIN = ("--sandbox", "none", "--games", "1", "--no-rotate", "--no-timeout")
WRITES_TEXT = """
import json, sys

TEXT = json.load(open("text.json"))
sys.stderr.buffer.write(TEXT.encode() + b"\\n")
sys.stderr.flush()
for line in sys.stdin:
    message = json.loads(line)
    answer = None
    if message["type"] == "hello":
        answer = {"type": "ready", "protocol": 1, "name": TEXT, "version": TEXT, "author": TEXT}
    elif message["type"] == "act":
        answer = {"type": "action", "id": message["id"], "index": 0, "info": {TEXT: [TEXT]}}
    if answer is not None:
        sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode() + b"\\n")
        sys.stdout.flush()
"""
"""Writes its text wherever a bot can write any."""
FAULTS_WITH_TEXT = WRITES_TEXT.replace('"action", "id": message["id"], "index": 0', '"action" + TEXT, "id": 1')
"""Writes its text in a message that is a fault."""


def make_bots(folder: Path, texts: list[str], source: str) -> list[Path]:
    """A bot for each text, also as its name and as that of its author."""
    folder.mkdir()
    bots = []
    for number, text in enumerate(texts):
        toml = f"name = {json.dumps(text)}\n{QUICK_START}"
        if "\\u" in toml and any(ord(char) > 0xFFFF for char in text):
            toml = "name = " + "".join(f"\\U{ord(char):08x}" for char in text).join('""') + toml[toml.index("\n") :]
        bots.append(make_bot(folder / f"bot{number}", source, toml))
        (bots[-1] / "text.json").write_text(json.dumps(text))
    return bots


def assert_safe(ended: Run) -> None:
    """All output is printable, and no text of a bot begins a line of its own."""
    assert flaws(ended.out) == []
    assert flaws(ended.err) == []
    assert not any(line.startswith(("referee: three", "two")) for line in (ended.out + ended.err).splitlines())


@pytest.mark.ci_only
@pytest.mark.parametrize("texts", GROUPS, ids=range(len(GROUPS)))
def test_text_of_a_bot_is_printable_in_output_records_and_renderings(texts: list[str], tmp_path: Path) -> None:
    bots = make_bots(tmp_path / "bots", texts, WRITES_TEXT)
    records = tmp_path / "records"
    shown = referee("match", *bots, *PLAIN, "--record", records)
    assert shown.status == 0
    assert_safe(shown)
    assert sorted(path.name for path in records.iterdir()) == [
        "0001-1.jsonl",
        *(f"0001-1.seat{seat}.stderr" for seat in range(SEATS)),
    ]
    for seat, text in enumerate(texts):
        assert (records / f"0001-1.seat{seat}.stderr").read_bytes() == text.encode() + b"\n"
    assert flaws((records / "0001-1.jsonl").read_text()) == []
    infos = [line["info"] for line in lines_of(records / "0001-1.jsonl") if "info" in line]
    assert all({text: [text]} in infos for text in texts if len(text) < 1000)
    for command in ("verify", "show"):
        rendered = referee("record", command, records / "0001-1.jsonl")
        assert rendered.status == 0
        assert_safe(rendered)
    if HOSTILE["markup"] in texts:
        for ended in (shown, rendered):
            assert "[red]x[/red]" in ended.out


def test_a_terminal_gets_the_colours_of_the_referee_and_none_of_a_bot(tmp_path: Path) -> None:
    texts = [HOSTILE[name] for name in ("colour and clear", "window title", "controls of eight bits", "markup")]
    bots = map(str, make_bots(tmp_path / "bots", texts, WRITES_TEXT))
    shown = run_on_terminal("match", *bots, *PLAIN, "--record", str(tmp_path / "records"), TERM="xterm-256color")
    assert " 1 game" in shown
    assert "\x1b[" in shown
    rendered = run_on_terminal("record", "show", str(tmp_path / "records" / "0001-1.jsonl"), TERM="xterm-256color")
    assert "\x1b[" in rendered
    for seen in (shown, rendered):
        assert "[31mred" in seen
        assert "[red]x[/red]" in seen
        for sequence in ("\x1b[31mred", "\x1b[2J", "\x1b]", "\x1b\\", "\x07", "\x9b", "\x85", "\x90", "\x9c"):
            assert sequence not in seen


@pytest.mark.parametrize("texts", GROUPS, ids=range(len(GROUPS)))
def test_text_of_a_bot_in_its_fault_is_printable(texts: list[str], tmp_path: Path) -> None:
    bots = make_bots(tmp_path / "bots", texts, FAULTS_WITH_TEXT)
    shown = referee("match", *bots, *PLAIN, "--no-record")
    assert shown.status == 3
    assert_safe(shown)
    assert shown.out.count("the end of its standard error:") == SEATS - 1  # then the game stops
    ended = referee("match", *bots, *PLAIN, "--json", "--record", "records", cwd=tmp_path)
    assert ended.status == 3
    assert_safe(ended)
    assert ended.out.count("\n") == 1
    faults = ended.json["faults"]
    assert [fault["tail"].replace("\n", "") for fault in faults] == [
        (text + "\n").encode()[-1000:].decode(errors="replace").replace("\n", "") for text in texts[: SEATS - 1]
    ]
    assert not any(flaws(fault["message"]) for fault in faults)
    record = tmp_path / "records" / "0001-1.jsonl"
    assert flaws(record.read_text()) == []
    assert_safe(referee("record", "show", record))


@pytest.mark.parametrize("text", SHORT.values(), ids=list(SHORT))
def test_record_with_hostile_texts_is_shown_and_verified_in_printable_text(
    text: str, played: tuple[Run, Path], tmp_path: Path
) -> None:
    lines: list[dict[str, Any]] = lines_of(played[1] / "0001-1.jsonl")
    lines[0] |= {"seed": text, "referee": text, "game_id": text}
    lines[0]["players"] = [{"name": text, "bot": text, "version": text, "author": text}] * 2
    changes: tuple[dict[str, Any], ...] = (
        {},
        {"type": "fault", "seat": 0, "code": "crash", "message": text},
        {"type": text},
        {"type": "decision", "seat": 0, "decision": text, "action": {text: text}},
        {"type": "fault", "seat": 0, "code": text, "message": ""},
        {"type": "chance", "what": text, "value": text},
    )
    for number, change in enumerate(changes):
        record = write(tmp_path / f"{number}.jsonl", [*lines[:5], *([change] if change else []), *lines[5:]])
        assert_safe(referee("record", "show", record))
    config = lines[0] | {"config": {**lines[0]["config"], text: text, "edition": text}}
    write(tmp_path / "config.jsonl", [config, *lines[1:]])
    write(tmp_path / "game.jsonl", [lines[0] | {"game": text}, *lines[1:]])
    (tmp_path / "text.jsonl").write_text(text)
    verified = referee("record", "verify", *sorted(tmp_path.iterdir()))
    assert_safe(verified)
    assert len(verified.out.splitlines()) == len(list(tmp_path.iterdir())) + 1, "a line each, and their number"


@pytest.mark.parametrize("name", SHORT.values(), ids=list(SHORT))
def test_names_of_files_and_folders_are_printable_in_output(
    name: str, bot: Path, played: tuple[Run, Path], tmp_path: Path
) -> None:
    folder = tmp_path / f"a{name}"
    folder.mkdir()
    for command in ("verify", "show"):
        assert_safe(referee("record", command, folder / name))
    shutil.copy(played[1] / "0001-1.jsonl", folder / name)
    assert_safe(referee("record", "verify", folder / name))
    assert_safe(referee("match", folder, "builtin:first"))
    (folder / "bot.toml").write_text(f"{json.dumps(name[:3])} = 1")
    assert_safe(referee("match", folder, "builtin:first"))
    (folder / "bot.toml").write_text(QUICK_START)
    assert_safe(referee("match", folder, "builtin:first"))
    shutil.copy(bot / "bot.py", folder)
    for output in ("--json", "--no-timeout"):
        ended = referee("match", folder, "builtin:first", *PLAIN, output, "--record", folder / output)
        assert ended.status == 0
        assert_safe(ended)
    assert_safe(referee("match", folder, "builtin:first", *PLAIN, "--record", folder / "bot.py"))
    assert_safe(referee("schema", "-o", folder / "schemas"))


@pytest.mark.parametrize("text", SHORT.values(), ids=list(SHORT))
def test_arguments_are_printable_in_errors(text: str, tmp_path: Path) -> None:
    two = ("builtin:random", "builtin:first", "--games", "1", "--no-record")
    for arguments in (
        (text,),
        (f"--{text}",),
        ("games", text),
        ("record", text),
        ("match", *two, f"--{text}"),
        ("match", *two, "--games", text),
        ("match", *two, "--move-time", text),
        ("match", *two, "--sandbox", text),
        ("match", *two, "--seed", text),
        ("match", *two, "--game", text),
        ("match", *two, "--set", text),
        ("match", *two, "--set", f"edition={text}"),
        ("match", *two, "--game", "forbidden_city", "--set", f"tile_set={text}"),
        ("match", *two, "--limit", text),
        ("match", *two, "--env", text),
        ("match", *two, "--show", text, text),
        ("match", f"builtin:{text}", text),
        ("match", f"python3 {text!r}.py", "builtin:first"),
    ):
        assert_safe(referee(*arguments, cwd=tmp_path))


def test_arguments_of_any_bytes_are_refused_or_taken_but_never_a_traceback(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff\xfe")
    tiles = Path(__file__).parents[2] / "referee/games/forbidden_city/tiles.toml"
    shutil.copy(tiles, tmp_path / odd)
    bot = make_bot(tmp_path / f"bot{odd}", toml=QUICK_START)
    two = ("builtin:random", "builtin:first", "--games", "1", "--no-rotate")
    for arguments in (
        (odd,),
        ("match", odd, "builtin:first"),
        ("match", bot, "builtin:first", *PLAIN),
        ("match", *two, "--seed", odd),
        ("match", *two, "--game", "forbidden_city", "--set", f"tile_set={odd}"),
        ("match", *two, "--json", "--record", f"records{odd}"),
        ("record", "verify", odd),
        ("record", "show", tmp_path / odd),
        ("schema", "-o", odd),
    ):
        assert_safe(referee(*arguments, cwd=tmp_path))
    ended = referee("match", ".", "builtin:first", *PLAIN, "--json", "--no-record", cwd=bot)
    assert ended.status == 0
    assert ended.json["games"][0]["bots"][0] == "bot\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("text", SHORT.values(), ids=list(SHORT))
def test_text_of_a_tile_set_is_printable_in_errors_and_renderings(text: str, tmp_path: Path) -> None:
    tiles = (Path(__file__).parents[2] / "referee/games/forbidden_city/tiles.toml").read_text()
    spelled = "".join(f"\\U{ord(char):08x}" for char in text)
    (tmp_path / "wrong.toml").write_text(f'colours = ["{spelled}"]\n[[tile]]\nedges = "{spelled}"\nparts = []\n')
    (tmp_path / "unknown.toml").write_text(tiles.replace('"green"', f'"{spelled}"', 1))
    short = "".join(f"\\U{ord(char):08x}" for char in text[:40])  # as long as the name of a colour may be
    (tmp_path / "right.toml").write_text(tiles.replace('"green"', f'"{short}"'))
    (tmp_path / "broken.toml").write_text(text)
    city = ("match", "builtin:random", "builtin:random", "--games", "1", "--no-rotate", "--game", "forbidden_city")
    for name in ("wrong", "unknown", "right", "broken"):
        assert_safe(referee(*city, "--set", f"tile_set={name}.toml", "--record", name, "--json", cwd=tmp_path))
    record = tmp_path / "right" / "0001-1.jsonl"
    assert flaws(record.read_text()) == []
    rendered = referee("record", "show", record)
    assert rendered.status == 0
    assert_safe(rendered)


def test_output_of_a_failed_build_is_printable(tmp_path: Path) -> None:
    text = "".join(HOSTILE.values())
    bot = make_bot(tmp_path / "bot", toml="command = 'python3 bot.py'\nbuild = 'cat text.json missing'")
    (bot / "text.json").write_text(text.replace("\n", "\r"))
    ended = referee("match", bot, "builtin:first", "--sandbox", "none")
    assert ended.status == 1
    assert "its build command" in ended.err
    assert_safe(ended)
