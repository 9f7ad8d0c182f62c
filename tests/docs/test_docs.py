"""The documentation describes the program as it is."""

import doctest
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, get_args

import msgspec
import pytest

from protocol.messages import FaultCode, FromBot, ToBot
from protocol.record import RecordLine
from referee.games import find_game, game_names, new_game
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.year_of_the_dragon import YearOfTheDragon
from referee.games.year_of_the_dragon.state import Task
from referee.games.year_of_the_dragon.tiles import SuperEvent
from referee.players.event_loop_lag import BUCKET_BOUNDS_MS, LagSummary
from referee.players.thinking_time import ThinkingSummary
from referee.processes.launch import Command
from referee.processes.limits.process_limits import DEFAULT, ProcessLimits
from referee.processes.sandbox.bubblewrap import Sandbox
from tests.cli.loaded import load_command
from tests.docs.code_blocks import blocks
from tournaments.competition.match_standings import PairComparison, Standing

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
PAGES: Final = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("protocol/**/*.md")])
SPECIFICATION: Final = "protocol/specification.md"
MATCHES: Final = "docs/matches.md"
STEADY: Final = Path("/srv/bots/steady")


@cache
def read(page: str) -> str:
    """A page of the documentation, by its path from the root of the repository."""
    return (ROOT / page).read_text(encoding="utf-8")


def game_page(name: str) -> str:
    """The page that describes the messages of a game."""
    return read(f"protocol/games/{name}.md")


def unbroken(block: str) -> list[str]:
    """The lines of a block as they are on the wire: what follows a break begins with three spaces."""
    return block.replace("\n   ", "").splitlines()


def is_mentioned(word: str, page: str) -> bool:
    """Whether a word stands in code quotes or, in JSON, in double quotes."""
    return re.search(rf"[`\"]{re.escape(word)}[`\"]", page) is not None


# -- real games -------------------------------------------------------------------------------------------------


def play_match(folder: Path, *bots: str, options: tuple[str, ...] = ()) -> list[str]:
    """Play the game of the documentation between these bots; the lines of its record."""
    program = "from referee.cli import main; main()"
    match = ("match", *bots, "--games", "1", "--no-rotate", "--seed", "docs", "--sandbox", "none", *options)
    done = subprocess.run(
        [sys.executable, "-c", program, *match, "--record", str(folder / "records")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr
    return (folder / "records/0001-1.jsonl").read_text(encoding="utf-8").splitlines()


def play_with_answers(folder: Path, answers: list[str], *options: str) -> tuple[list[str], list[str]]:
    """All lines between the referee and a bot that gives these answers, and the record."""
    script, log = folder / "script", folder / "log"
    script.write_text("".join(f"{answer}\n" for answer in answers), encoding="utf-8")
    bot = f"demo='{sys.executable}' '{HERE / 'scripted_bot.py'}' '{script}' '{log}'"
    record = play_match(folder, bot, "builtin:random", options=options)
    return log.read_text(encoding="utf-8").splitlines(), record


def bot_lines(lines: list[str]) -> list[str]:
    """The lines from the bot, without their arrow."""
    return [line.removeprefix("<- ") for line in lines if line.startswith("<- ")]


def stable(line: str) -> str:
    """A line without what differs from run to run or from version to version."""
    line = re.sub(r'"ms":[0-9.e-]+', '"ms":0', line)
    line = re.sub(r',"files_sha256":"[0-9a-f]{64}"', "", line)
    return re.sub(r'"referee":"[^"]*"', '"referee":"any"', line)


def quoted_transcript() -> list[str]:
    """All lines of the transcript, with `-> ` or `<- ` before them."""
    return [line for block in blocks(read(SPECIFICATION), "text transcript") for line in unbroken(block)]


@pytest.fixture(scope="module")
def game_played(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """The lines and the record of the game in the transcript, played again."""
    return play_with_answers(tmp_path_factory.mktemp("docs"), bot_lines(quoted_transcript()))


@pytest.mark.slow
def test_the_transcript_is_what_the_program_sends(game_played: tuple[list[str], list[str]]) -> None:
    quoted, real = list(map(stable, quoted_transcript())), list(map(stable, game_played[0]))
    *start, end, last = quoted
    assert start == real[: len(start)]
    assert [end, last] == real[-2:]


def test_the_transcript_goes_from_hello_to_quit() -> None:
    messages = [json.loads(line[3:]) for line in quoted_transcript()]
    kinds = [message.get("decision", message["type"]) for message in messages]
    assert kinds[:3] == ["hello", "ready", "start"]
    assert kinds[-4:] == ["place_person", "action", "end", "quit"]


def test_the_transcript_says_how_many_questions_there_were(game_played: tuple[list[str], list[str]]) -> None:
    questions = sum(line.startswith('-> {"type":"act"') for line in game_played[0])
    assert f"{questions} questions in all" in read(SPECIFICATION)


def test_the_record_is_what_the_program_writes(game_played: tuple[list[str], list[str]]) -> None:
    (block,) = blocks(read(SPECIFICATION), "json record")
    start, end = block.split("…\n")
    real = list(map(stable, game_played[1]))
    first, last = (list(map(stable, unbroken(part))) for part in (start, end))
    assert first == real[: len(first)]
    assert last == real[-len(last) :]


@pytest.mark.slow
def test_wrong_answers_get_the_faults_that_are_quoted(tmp_path: Path) -> None:
    (block,) = blocks(read(SPECIFICATION), "text gallery")
    quoted = unbroken(block)
    ready, first = '{"type":"ready","protocol":1,"name":"gallery"}', '{"type":"action","id":1,"index":0}'
    lines, _ = play_with_answers(tmp_path, [ready, first, *bot_lines(quoted)], "--retries", "20")
    answers = bot_lines(quoted)
    real = [line for line in lines if line.startswith('-> {"type":"fault"') or line[3:] in answers]
    assert list(map(our_words, real)) == list(map(our_words, quoted))


def our_words(line: str) -> str:
    """A line without the explanation that the JSON library gives in a fault: we don't promise its wording."""
    if not line.startswith('-> {"type":"fault"'):
        return line
    line = re.sub(r'("message":"(?:not a JSON object: )?).*?(: \'.* \(at act \d+\).*"\})$', r"\1…\2", line)
    return re.sub(r'( is not a valid \w+ action: ).*("\})$', r"\1…\2", line)


@pytest.mark.ci_only
def test_bots_that_fail_leave_the_record_and_get_the_messages_that_are_quoted(tmp_path: Path) -> None:
    (block,) = blocks(read(SPECIFICATION), "json faulty-record")
    faults = ("version", "crash", "oversize", "timeout")
    bots = [
        f"{name}='{sys.executable}' '{HERE / 'failing_bot.py'}' {fault}"
        for name, fault in zip("abcd", faults, strict=True)
    ]
    record = play_match(tmp_path, *bots, "builtin:first")
    assert list(map(stable, record)) == list(map(stable, unbroken(block)))
    quoted = [
        json.loads(line[3:])
        for text in blocks(read(SPECIFICATION), "text")
        for line in unbroken(text)
        if '"fault"' in line
    ]
    for line in map(json.loads, record):
        if line["type"] == "fault":
            assert {"type": "fault", "code": line["code"], "message": line["message"]} in quoted


# -- nothing is left out ----------------------------------------------------------------------------------------


def fields(kind: Any, seen: set[Any] | None = None) -> Iterator[tuple[str, str]]:
    """Every field of a type and of the types within it, with the name of the type; and every literal."""
    seen = set() if seen is None else seen
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind in seen:
            return
        seen.add(kind)
        if kind.__struct_config__.tag is not None:
            yield kind.__name__, str(kind.__struct_config__.tag)
        for field in msgspec.structs.fields(kind):
            yield kind.__name__, field.encode_name
            yield from fields(field.type, seen)
        return
    for part in get_args(kind):
        if isinstance(part, str):
            yield "the values", part
        else:
            yield from fields(part, seen)


def missing(page: str, *kinds: Any) -> set[tuple[str, str]]:
    """The fields and words of these types that a page doesn't mention."""
    return {(owner, name) for kind in kinds for owner, name in fields(kind) if not is_mentioned(name, page)}


def test_every_field_of_every_message_is_described() -> None:
    assert missing(read(SPECIFICATION), *get_args(ToBot), *get_args(FromBot)) == set()


def test_every_field_of_every_line_of_a_record_is_described() -> None:
    assert missing(read(SPECIFICATION), *get_args(RecordLine)) == set()


def test_every_field_of_the_scheduling_delay_is_described_and_shown() -> None:
    assert missing(read(MATCHES), LagSummary) == set()
    (block,) = blocks(read(MATCHES), "json scheduling-delay")
    shown = msgspec.json.decode("".join(unbroken(block)), type=LagSummary, strict=True)
    assert sum(bucket.count for bucket in shown.histogram) == shown.samples
    assert [bucket.below_ms for bucket in shown.histogram] == [*BUCKET_BOUNDS_MS, None]


def test_every_field_of_standings_pairs_and_thinking_times_is_described() -> None:
    assert missing(read(MATCHES), Standing, PairComparison, ThinkingSummary) == set()


@pytest.mark.parametrize("name", game_names())
def test_every_field_of_every_observation_action_and_event_is_described(name: str) -> None:
    game, page = find_game(name), game_page(name)
    assert is_mentioned(name, read(SPECIFICATION))
    assert is_mentioned(name, page)
    assert missing(page, game.Config, game.Observation, *game.actions.values()) == set()
    assert missing(page, *game.events, *game.recorded, DecisionEvent) == set()
    assert missing(page + read(SPECIFICATION), ChanceEvent) == set()
    assert [decision for decision in game.actions if not is_mentioned(decision, page)] == []


@pytest.mark.parametrize("code", get_args(FaultCode))
def test_every_fault_is_described_with_a_real_message(code: str) -> None:
    assert re.search(rf"^\| `{code}` \|", read(SPECIFICATION), re.MULTILINE)
    assert f'{{"type":"fault","code":"{code}"' in read(SPECIFICATION)


def test_every_reason_that_the_rules_give_is_described() -> None:
    reasons = set()
    for super_event in get_args(SuperEvent):
        for seed in range(4):
            game = new_game("year_of_the_dragon", seed, players=3, great_wall=True, super_event=super_event)
            random = Random(seed)
            while game.turn is not None:
                reasons.add(getattr(game.turn, "reason", None))
                game.apply(random.choice(game.legal_actions()))
            reasons |= {getattr(event, "reason", None) for event, _ in game.log}
    words = {reason for reason in reasons if isinstance(reason, str)}
    assert {"decay", "refused", "volcanic_eruption"} <= words
    assert [word for word in sorted(words) if not is_mentioned(word, game_page("year_of_the_dragon"))] == []
    rules = read("docs/rules/year-of-the-dragon.md")
    assert [name for name in get_args(SuperEvent) if not is_mentioned(name, rules)] == []


def test_the_examples_of_decisions_have_the_declared_shapes_and_cover_all_kinds() -> None:
    (block,) = blocks(game_page("year_of_the_dragon"), "json decisions")
    kinds = set()
    for line in unbroken(block):
        example = json.loads(line)
        turn = msgspec.convert(example["turn"], Task)
        action = msgspec.convert(example["action"], YearOfTheDragon.actions[turn.decision])
        assert json.loads(msgspec.json.encode({"turn": turn, "action": action})) == example
        kinds.add(turn.decision)
    assert kinds == set(YearOfTheDragon.actions)


def test_every_option_of_a_match_is_described() -> None:
    command = load_command("match")
    found = [flag for option in command.params for flag in (*option.opts, *option.secondary_opts)]
    options = [flag for flag in found if flag.startswith("-")]
    assert {"--games", "--no-rotate", "--json"} <= set(options)
    assert [flag for flag in options if not re.search(rf"`{flag}[` ]", read(MATCHES))] == []


def test_the_arguments_of_bubblewrap_are_the_real_ones() -> None:
    """Leaving out what is described in words: further folders of the system, and what is shown or hidden of a bot."""
    (block,) = blocks(read("docs/security.md"), "text bwrap")
    described = [re.split(r"\s{2,}", line)[0] for line in block.splitlines() if not line.startswith(" ")]
    described = [line for line in described if "FOLDER" not in line]
    real = Sandbox().wrap(Command(("python3", "steady.py"), STEADY), DEFAULT, {"PATH": "/usr/bin"}).argv
    rest = iter(parts(shlex.join(real)))
    wanted = [part for line in described for part in parts(line)]
    assert [part for part in wanted if part not in rest] == []  # in this order
    switches = {part.split()[0] for part in wanted}
    assert {word for word in real if word.startswith("--")} <= switches | {"--symlink"}


def parts(command: str) -> list[str]:
    """A command cut before each switch, around `--`, and around the arguments of the last shell."""
    command = command.replace("5>&-' 510 ", "5>&-'\n510\n")
    return [part.strip() for part in command.replace(" --", "\n--").replace("-- ", "--\n").splitlines()]


def test_every_limit_is_described_with_its_default() -> None:
    for field in msgspec.structs.fields(ProcessLimits):
        assert f"| `{field.name}` | {field.default} |" in read(MATCHES)


# -- examples and links -----------------------------------------------------------------------------------------


def test_every_python_block_of_the_page_about_the_engine_runs() -> None:
    names: dict[str, Any] = {"__name__": "engine"}
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    found = blocks(read("docs/engine.md"), "python")
    for number, block in enumerate(found):
        if ">>>" in block:
            example = doctest.DocTestParser().get_doctest(block, names, f"engine.md block {number}", None, None)
            runner.run(example, clear_globs=False)
            names.update(example.globs)
        else:
            exec(compile(block, f"engine.md block {number}", "exec"), names)
    assert len(found) > 5
    assert runner.summarize(verbose=False).failed == 0


def test_the_python_block_of_the_page_about_the_protocol_runs() -> None:
    (block,) = blocks(read("protocol/README.md"), "python")
    exec(compile(block, "protocol/README.md", "exec"), {})


def test_the_page_about_the_protocol_names_everything_in_its_folder() -> None:
    page = read("protocol/README.md")
    for path in (ROOT / "protocol").iterdir():
        if path.suffix != ".py" and path.name not in ("README.md", "__pycache__", "py.typed"):
            assert f"]({path.name})" in page, f"protocol/README.md does not link to {path.name}"


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page: numbered where several would be the same."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found: dict[str, int] = {}
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, 0) + 1
    return {f"{anchor}-{number}" if number else anchor for anchor, times in found.items() for number in range(times)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{link}: there is no such heading"


def test_the_page_of_questions_is_short_and_leads_to_every_page() -> None:
    text = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    assert len(re.findall(r"[\w.-]*\w", re.sub(r"\]\(.*?\)", "]", text))) <= 300
    linked = {path.partition("#")[0] for path in re.findall(r"\]\((.*?)\)", text)}
    assert {str(page.relative_to(ROOT / "docs")) for page in ROOT.glob("docs/**/*.md")} <= {"README.md", *linked}
