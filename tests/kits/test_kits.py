"""Every starter kit builds with its language's own tools, passes its own test, and plays both games without a fault."""

import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from referee.kits.kits import KITS
from referee.kits.messages import model as messages
from referee.kits.writing import kit_files
from tests.cli.command import referee
from tests.games.third_game import NARRATOR, HighCard
from tests.generate.kits import MESSAGES
from tests.generate.transcripts import Transcript, Variant, lines_of
from tests.kits.harness import (
    ROOT,
    TEMPLATES,
    Kit,
    all_games,
    bad_lines,
    every_language,
    interleaved,
    new_kit,
    skip_without_tools,
)
from tests.registered import registered

REFERENCE: Final = Kit("python", TEMPLATES / "python")
"""The strategy of all kits is the same, and so are their answers."""
NAME: Final = "tried"
COMPILES_QUICKLY: Final = KITS.keys() - {"cpp", "rust"}
"""Their own tests take as long as all others together."""


class Tried(NamedTuple):
    """A kit that has been built and played, and what it writes in a long session."""

    kit: Kit
    standings: dict[str, list[dict[str, Any]]]
    answers: list[Any]
    log: str


@pytest.fixture(scope="module")
def tried_kits() -> dict[str, Tried]:
    """Those so far."""
    return {}


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    """The answers in the long session, without the lines that are no messages."""
    answers = REFERENCE.answers(all_games() + sample(REFERENCE))
    return [answer | ({"name": NAME} if "name" in answer else {}) for answer in answers]


@pytest.fixture
def tried(language: str, tried_kits: dict[str, Tried], tmp_path_factory: pytest.TempPathFactory) -> Tried:
    """A new kit of the language. It is built once for all tests, by the referee for its first match."""
    skip_without_tools(language)
    if language not in tried_kits:
        kit = new_kit(language, NAME, tmp_path_factory.mktemp(language))
        standings = {"year_of_the_dragon": play(kit, "year_of_the_dragon")}
        path = kit.folder / "bot.toml"
        path.write_text("".join(line for line in path.read_text().splitlines(True) if not line.startswith("build")))
        standings["forbidden_city"] = play(kit, "forbidden_city")
        hello = sample(kit).splitlines(keepends=True)[0]
        lines = all_games() + interleaved(sample(kit), bad_lines()) + hello
        done = kit.run(kit.bot_file["command"], lines)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        tried_kits[language] = Tried(kit, standings, answers, done.stderr.decode())
    return tried_kits[language]


def sample(kit: Kit) -> bytes:
    """The lines of its sample."""
    folder = TEMPLATES / "common" if kit == REFERENCE else kit.folder
    return (folder / "sample.jsonl").read_bytes()


def play(kit: Kit, game: str) -> list[dict[str, Any]]:
    """The standings of a match of the kit against a random player, which ends without a fault."""
    ended = referee(
        *("match", kit.folder, "builtin:random", "--game", game, "--games", "1", "--no-rotate", "--seed", "kits"),
        *("--json", "--no-record", "--time-scale", "10"),
    )
    assert ended.status == 0, ended.out + ended.err
    standings: list[dict[str, Any]] = ended.json["standings"]
    return standings


@every_language()
def test_it_plays_both_games_without_a_fault_and_beats_a_random_player(tried: Tried) -> None:
    for standings in tried.standings.values():
        assert {each["name"]: each["rank"]["mean"] for each in standings} == {NAME: 1, "random": 2}


@every_language(in_ci=COMPILES_QUICKLY)
def test_it_passes_its_own_test(tried: Tried) -> None:
    for command in KITS[tried.kit.language].test:
        tried.kit.run(command)


@every_language(in_ci=COMPILES_QUICKLY)
def test_its_own_test_fails_when_an_answer_is_wrong(tried: Tried) -> None:
    """Otherwise it would prove nothing: here no answer to one of the questions is right."""
    good = sample(tried.kit)
    hello, start, act, *others = good.splitlines(keepends=True)
    hopeless = json.dumps(json.loads(act) | {"legal": []}).encode() + b"\n"
    path = tried.kit.folder / "sample.jsonl"
    try:
        path.write_bytes(b"".join([hello, start, hopeless, *others]))
        *_, last = [tried.kit.run(command, check=False) for command in KITS[tried.kit.language].test]
        assert last.returncode != 0
    finally:
        path.write_bytes(good)


@every_language()
def test_it_reads_every_message_as_the_python_kit_does_and_ignores_what_is_none(
    tried: Tried, expected: list[Any]
) -> None:
    assert len(expected) > 200
    assert tried.answers == expected, "and nothing after quit"


@every_language()
def test_it_ends_with_its_input_even_in_the_middle_of_a_line(tried: Tried) -> None:
    hello = sample(tried.kit).splitlines()[0]
    assert [answer["type"] for answer in tried.kit.answers(hello)] == ["ready"]


@every_language()
def test_it_takes_words_and_kinds_that_a_later_version_adds(tried: Tried) -> None:
    hello, start, *acts = sample(tried.kit).splitlines(keepends=True)
    act = next(json.loads(line) for line in acts if b'"decision":"choose_action"' in line)
    act["events"].append({"type": "comet", "tail": [1, 2]})
    seen = act["observation"]
    seen["event_row"] = ["comet"] * 12
    seen["super_event"] = "comet"
    seen["hand"].append("astronomer")
    palace = next(palace for player in seen["players"] for palace in player["palaces"])
    palace["persons"].append({"person": "astronomer", "age": "immortal"})
    sing = act | {"id": 8, "decision": "sing", "legal": [{"song": 1}, {"song": 2}]}
    lines = b"".join([hello, start, *(json.dumps(each).encode() + b"\n" for each in (act, sing))])
    _, *wanted = REFERENCE.answers(lines)
    assert wanted[1]["index"] == 0
    assert tried.kit.answers(lines)[1:] == wanted


@every_language("c", "cpp", "rust", "go", "csharp")
def test_a_message_that_is_not_as_the_protocol_says_ends_it_with_the_name_of_the_field(tried: Tried) -> None:
    hello, start, act, *_ = sample(tried.kit).splitlines(keepends=True)
    wrong = act.replace(b'"next_palace":2', b'"next_palace":"two"', 1)
    assert wrong != act
    done = tried.kit.run(tried.kit.bot_file["command"], b"".join([hello, start, wrong]), check=False)
    assert done.returncode == 1
    assert b"next_palace" in done.stderr
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.slow
@every_language("c")
def test_it_compiles_without_a_warning_and_neither_leaks_nor_touches_memory_that_is_not_its_own(
    language: str, tmp_path: Path
) -> None:
    skip_without_tools(language)
    kit = new_kit(language, NAME, tmp_path)
    kit.run("make test build/debug/bot DEBUG=1 CC='cc -Wpedantic -Wconversion -Wshadow -Werror'")
    kit.run("build/debug/bot", all_games() + interleaved(sample(kit), bad_lines()))


@every_language("c", "cpp")
def test_the_bot_of_matches_and_the_one_for_a_debugger_share_no_file(language: str, tmp_path: Path) -> None:
    """Otherwise the one that is built second would be linked with objects of the first. Nothing is compiled here."""
    skip_without_tools(language)
    kit = new_kit(language, NAME, tmp_path)
    written = {}
    for mode in ("", "DEBUG=1"):
        commands = kit.run(f"make --dry-run build/{'debug/' if mode else ''}bot test {mode}").stdout.decode()
        written[mode] = set(re.findall(r"-o (\S+)", commands))
        assert len(written[mode]) > 5
        assert ("-fsanitize=address" in commands) == bool(mode)
    assert not written[""] & written["DEBUG=1"]


@every_language()
def test_its_log_has_the_faults_and_the_lines_that_are_no_messages(tried: Tried) -> None:
    assert "illegal_action: index 7 is not in 0 to 3 (build_floor) “sample\u2028”" in tried.log
    assert "Loading model..." in tried.log
    assert len(tried.log) < 100_000  # long lines are cut off


@every_language(in_ci=("python", "c"))
@pytest.mark.slow
def test_a_game_without_a_strategy_is_played_by_random_legal_actions(tried: Tried) -> None:
    with registered(HighCard, narrator=NARRATOR):
        lines = lines_of("cards", Transcript(HighCard.name, 2, 0, Variant())).to_bot
    _, *answers = tried.kit.answers("".join(f"{line}\n" for line in lines).encode())
    acts = [act for act in map(json.loads, lines) if act["type"] == "act"]
    assert [answer["id"] for answer in answers] == [act["id"] for act in acts]
    assert {answer["index"] for answer in answers} == {0, 1, 2}  # of three legal actions each
    _, *same = REFERENCE.answers("".join(f"{line}\n" for line in lines).encode())
    assert answers == same
    options = ("--game", HighCard.name, "--games", "2", "--no-record", "--time-scale", "10")
    with registered(HighCard, narrator=NARRATOR):
        ended = referee("match", tried.kit.folder, "builtin:random", *options)
    assert ended.status == 0, ended.out + ended.err


QUICK_BUILDS: Final = {
    "c": "make CFLAGS='-std=c11 -O0 -Wall -Wextra'",
    "cpp": "c++ -std=c++17 -fsyntax-only -Wall -Wextra bot.cpp wire.cpp",
    "rust": "cargo check --offline --target-dir build",
    "java": "javac -J-XX:TieredStopAtLevel=1 -d build -sourcepath . bot/Bot.java",
}
"""Builds that find every error in the types, without the time that optimising and linking take."""


@pytest.mark.check_all  # the types of the two games are compiled in CI
@every_language("c", "cpp", "rust", "go", "java", "csharp", "typescript")
def test_the_types_of_a_new_game_are_generated_without_a_change(language: str, tmp_path: Path) -> None:
    skip_without_tools(language)
    kit = new_kit(language, NAME, tmp_path)
    with registered(HighCard, narrator=NARRATOR):
        model = messages.model()
    for path, emit in MESSAGES.items():
        if path.startswith(f"{language}/"):
            (kit.folder / path.removeprefix(f"{language}/")).write_text(emit(model))
    assert "HighCardObservation" in {each.name for each in model.structs}
    kit.run(QUICK_BUILDS.get(language) or kit.bot_file["build"])


def test_a_strategy_for_a_new_game_is_one_function_and_one_entry_of_a_table(tmp_path: Path) -> None:
    kit = new_kit("python", NAME, tmp_path)
    path = kit.folder / "bot.py"
    chooses = "def choose_high_card(start, act):\n    return len(act['legal']) - 1\n\n\nGAMES: "
    text = path.read_text("utf-8").replace("GAMES: ", chooses)
    path.write_text(text.replace('"forbidden_city": choose_city}', '"high_card": choose_high_card}'), "utf-8")
    with registered(HighCard, narrator=NARRATOR):
        lines = lines_of("cards", Transcript(HighCard.name, 2, 0, Variant())).to_bot
    _, *answers = kit.answers("".join(f"{line}\n" for line in lines).encode())
    assert {answer["index"] for answer in answers} == {2}


MISTAKES: Final = {
    "python": (
        "    values = dragon_values(act)\n",
        '    print("thinking")\n    raise ValueError("my mistake")\n',
    ),
    "javascript": (
        "  const values = dragonValues(act);\n",
        '  console.log("thinking");\n  throw new Error("my mistake");\n',
    ),
}
"""A line of the bot, and others in its place that write to standard output and fail. Where nothing has to be built."""


@every_language(*MISTAKES)
def test_a_mistake_is_in_the_log_with_its_question_and_what_was_printed_too(language: str, tmp_path: Path) -> None:
    skip_without_tools(language)
    kit = new_kit(language, NAME, tmp_path)
    path = kit.folder / KITS[language].edit
    line, mistake = MISTAKES[language]
    assert line in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(line, mistake), "utf-8")
    done = kit.run(kit.bot_file["command"], sample(kit), check=False)
    assert done.returncode == 1
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == ["ready"]
    log = done.stderr.decode()
    assert log.index("thinking\n") < log.index("act 1 (draft) of game sample-0:\n") < log.index("my mistake")


@every_language()
def test_a_kit_has_a_page_that_names_all_its_files(language: str) -> None:
    content = kit_files(NAME, language)
    page, files = content["README.md"].decode(), content.keys()
    for command in KITS[language].test:
        assert command in page
    assert f"referee match {NAME} builtin:random" in page
    assert files >= {".gitignore", "README.md", "bot.toml", "sample.jsonl", KITS[language].edit}
    assert {name for name in files - {".gitignore", "README.md"} if f"`{name}`" not in page} == set()
    assert len(page.splitlines()) < 60


def test_the_readme_and_the_changelog_name_all_languages() -> None:
    for page in ("README.md", "CHANGELOG.md"):
        text = (ROOT / page).read_text("utf-8")
        assert {kit.title for kit in KITS.values() if not re.search(rf"\b{re.escape(kit.title)}(?!\w)", text)} == set()


@pytest.mark.slow
@every_language(in_ci=("python", "c"))
def test_a_kit_passes_the_checks_without_a_warning(tried: Tried) -> None:
    """A sample of them: how it ends, and what it meets besides its transcripts."""
    checks = ("ending", "handshake.unknown_messages", "handshake.spelling", "session.late_answers", "session.early_end")
    only = [word for check in checks for word in ("--only", check)]
    ended = referee("bot", "check", tried.kit.folder, *only, "--strict", "--sandbox", "none", "--time-scale", "30")
    assert ended.status == 0, ended.out
