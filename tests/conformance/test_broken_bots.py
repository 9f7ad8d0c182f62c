"""Each of these bots has one mistake, and its author is told which."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.conformance.finding import Status
from referee.games import Game
from referee.games.forbidden_city import ForbiddenCity
from referee.players.clock import TimeControl
from tests.conformance.checks import ALL_GAMES, AMPLE, DRAGON, GOOD, SHORT, broken, check, shorten_graces


class Broken(NamedTuple):
    """A bot with a mistake: the check that finds it, and words of what its author is told."""

    source: str
    check: str
    message: str
    advice: str
    status: Status = "fail"
    wire: str = ""
    """In the lines of the wire."""
    stderr: str = ""
    control: TimeControl = AMPLE
    games: Sequence[type[Game]] = DRAGON
    quick: bool = True


READY = 'send({"type": "ready", "protocol": 1, "name": "good"})'
PLAIN = "play.year_of_the_dragon.players=3"
BROKEN = {
    "it never flushes": Broken(
        broken((", flush=True", "")),
        "process.ready",
        "startup_timeout: no ready within 0.5 s",
        "flush",
        wire='{"type":"hello"',
        control=TimeControl(startup=0.5),
    ),
    "it prints what it does": Broken(
        broken((READY, f'print("Loading model ...", flush=True)\n{READY}')),
        "process.ready",
        "bad_message: not a JSON object",
        "standard error",
        wire="Loading model ...",
    ),
    "it dies of an exception": Broken(
        broken((READY, 'message["limits"]["gpu"]')),
        "process.ready",
        "crash: exited with status 1",
        "its standard error says where it stopped",
        stderr="KeyError: 'gpu'",
    ),
    "it speaks another protocol": Broken(
        broken(('"protocol": 1', '"protocol": 2')),
        "process.ready",
        "protocol_version: speaks protocol 2",
        '"protocol":1',
    ),
    "it has a lock file": Broken(
        broken((READY, f'os.open("lock", os.O_CREAT | os.O_EXCL)\natexit.register(os.unlink, "lock")\n{READY}')),
        "process.side_by_side",
        "3 of 3 processes at the same time failed: crash",
        "lock file",
        stderr="FileExistsError",
    ),
    "it polls its input": Broken(
        broken(
            ("in sys.stdin:", "in lines():"),
            (
                "games = 0",
                """
                def lines():
                    os.set_blocking(0, False)
                    data = b""
                    while True:
                        try:
                            data += os.read(0, 65536)
                        except BlockingIOError:
                            continue
                        *complete, data = data.split(b"\\n")
                        yield from complete

                games = 0
                """,
            ),
        ),
        "process.idle",
        "of a core while no game had begun",
        "blocks until a line is there",
        status="warn",
    ),
    "it misspells an option": Broken(
        broken(('"name": "good"', '"name": "good", "options": {"observations": False}')),
        "handshake.ready_fields",
        "the referee ignores what it doesn't know in `ready`: options.observations",
        "section 3",
        status="warn",
        wire="observations",
    ),
    "it greets": Broken(
        broken((READY, f'{READY}\nsend("Hello!")')),
        "handshake.quiet",
        "it wrote something after `ready`",
        "one `action` for each `act`",
        wire="Hello!",
    ),
    "it declines legal and answers with an index": Broken(
        broken(
            ('"name": "good"', '"name": "good", "options": {"legal": False}'),
            ('rng.randrange(len(act["legal"]))', "0"),
        ),
        "handshake.options",
        "an index into a list that it has declined",
        "answer with `action`",
        status="warn",
        wire='"index"',
    ),
    "it unpacks messages": Broken(
        broken((READY, f"(lambda type, protocol, referee, limits: None)(**message)\n{READY}")),
        "handshake.unknown_fields",
        "with a field that no bot knows in every message",
        "ignore fields that you don't know",
        wire="added_later",
        stderr="unexpected keyword argument 'added_later'",
    ),
    "it refuses messages of other types": Broken(
        GOOD + "    else:\n        raise ValueError(kind)\n",
        "handshake.unknown_messages",
        "with messages that no bot knows between the others",
        "ignore a message whose type you don't know",
        wire='"weather"',
        stderr="ValueError: weather",
    ),
    "it needs a limit of memory": Broken(
        broken((READY, f'message["limits"]["memory_mb"]\n{READY}')),
        "handshake.absent_fields",
        "without memory_mb",
        "absent",
        stderr="KeyError: 'memory_mb'",
    ),
    "it takes names apart": Broken(
        broken(("games += 1", 'assert all(name.isascii() for name in message["players"])')),
        "handshake.names",
        "with unusual names",
        "letters of any script",
        stderr="AssertionError",
    ),
    "it reads JSON with a string search": Broken(
        broken(('kind = message["type"]', 'assert line.startswith(\'{"type":"\')\nkind = message["type"]')),
        "handshake.spelling",
        "where the same JSON is spelled differently",
        "read JSON with a library",
        status="warn",
        stderr="AssertionError",
    ),
    "it counts questions itself": Broken(
        broken(('"id": act["id"]', '"id": games')),
        PLAIN,
        "timeout: no answer to act 2",
        "answer with the id of the act",
        wire='{"type": "action", "id": 1,',
        control=SHORT,
    ),
    "it knows one game only": Broken(
        broken(("games += 1", 'games += 1\nassert message["game"] == "year_of_the_dragon", message["game"]')),
        "play.forbidden_city.players=2",
        "crash: exited with status 1",
        'say so in bot.toml: games = ["year_of_the_dragon"]',
        stderr="AssertionError: forbidden_city",
        games=ALL_GAMES,
    ),
    "it has room for four players": Broken(
        broken(("games += 1", 'games += 1\n[0, 0, 0, 0][len(message["players"]) - 1]')),
        "play.year_of_the_dragon.players=5",
        "in seat 3 (5 players, edition=first, great_wall=true",
        "its standard error says where it stopped",
        stderr="IndexError",
    ),
    "it doesn't know one kind of decision": Broken(
        broken(("answer(message)", 'assert message["decision"] != "discard_card"\nanswer(message)')),
        "play.year_of_the_dragon.decisions",
        "never answered discard_card",
        "protocol/games/year_of_the_dragon.md",
        wire='"decision":"discard_card"',
        quick=False,
    ),
    "it reads 64 KiB of a line": Broken(
        broken(("json.loads(line)", "json.loads(line[:65536])")),
        "play.forbidden_city.tile_set=large.toml",
        "crash: exited with status 1",
        "its standard error says where it stopped",
        stderr="JSONDecodeError",
        games=(ForbiddenCity,),
        quick=False,
    ),
    "it keeps the state of the last game": Broken(
        broken(
            ("games += 1", 'games += 1\nseat = message["seat"] if games == 1 else seat'),
            ("answer(message)", 'assert message["observation"]["seat"] == seat\nanswer(message)'),
        ),
        "play.year_of_the_dragon.players=2",
        "a fresh process plays the same game without a fault",
        "forget the old game there",
    ),
    "it leaves when it has done something wrong": Broken(
        broken(('kind == "fault":\n        pass', 'kind == "fault":\n    sys.exit(3)')),
        "session.retry",
        "when it was asked again after a `fault`",
        "an `act` with a new id follows",
        status="warn",
        wire='"type":"fault"',
    ),
    "it takes the same question for a mistake": Broken(
        broken(
            ("games = 0", "games, last = 0, None"),
            ("answer(message)", 'if (now := message["observation"]) != last: answer(message)\nlast = now'),
        ),
        "session.late_answers",
        "timeout: no answer to act",
        "each with its own id",
        wire='"type":"act"',
        control=SHORT,
    ),
    "it expects a decision in every game": Broken(
        broken(
            ("games += 1", "games += 1\nasked = 0"),
            ("answer(message)", "asked += 1\nanswer(message)"),
            ('kind == "end":\n        pass', 'kind == "end":\n    print(games / asked, file=sys.stderr)'),
        ),
        "session.early_end",
        "after games that had ended early",
        "",
        stderr="ZeroDivisionError",
    ),
    "it grows with every game": Broken(
        broken(("games = 0", "games, kept = 0, []"), ("games += 1", 'games += 1\nkept.append(b"x" * (3 << 20))')),
        "session.memory",
        "at this rate it exceeds its 2048 MiB (memory_mb) in",
        "free what belongs to a game",
        status="warn",
    ),
    "it becomes slower after some games": Broken(
        broken(("answer(message)", "time.sleep(0.05 * (games > 8))\nanswer(message)")),
        "session.speed",
        "ms for a typical answer in the first games",
        "look for what grows with every game",
        status="warn",
    ),
    "it nearly uses up its time": Broken(
        broken(("answer(message)", 'time.sleep(0.43 * (message["id"] == 3))\nanswer(message)')),
        "session.clock",
        "of 500 ms",
        "leave more of time_ms unused",
        status="warn",
        wire='"time_ms":500',
        control=TimeControl(move=0.5, startup=20.0, margin=1.0),
    ),
    "it thinks as long with a bank": Broken(
        broken(
            ("games += 1", 'pause = 0.1 * ("bank_ms" in message["clock"])'),
            ("answer(message)", "time.sleep(pause)\nanswer(message)"),
        ),
        "session.bank",
        "with 0.6 s for the game and 10 ms for each decision",
        "share what is left (time_ms)",
        status="warn",
        wire='"type":"act"',
        control=TimeControl(move=20.0, startup=20.0, margin=0.01),
    ),
    "it answers twice": Broken(
        broken(("answer(message)", "answer(message)\nanswer(message)")),
        "session.one_answer",
        "more lines than questions",
        "one `action` for each `act`",
        status="warn",
        wire='"type": "action"',
    ),
    "it answers one question ahead": Broken(
        broken(
            ("games = 0", "games = ahead = 0"),
            (
                "answer(message)",
                "if not ahead:\n    answer(message)\nahead = message['id'] + 1\n"
                "send({'type': 'action', 'id': ahead, 'index': 0})",
            ),
        ),
        "session.one_answer",
        "it answered a question before it was asked",
        "answer an `act` when it has come",
        status="warn",
        wire='"type": "action"',
    ),
    "it says goodbye": Broken(
        broken(('kind == "end":\n        pass', 'kind == "end":\n    send({"type": "goodbye"})')),
        "ending.end",
        "it wrote something after `end`",
        "`end` needs no answer",
        wire="goodbye",
    ),
    "it leaves after a game": Broken(
        broken(('kind == "end":\n        pass', 'kind == "end":\n    break')),
        "ending.end",
        "it ended after `end`",
        "wait for the next `start`",
        status="warn",
    ),
    "it takes quit for an error": Broken(
        broken(("break", 'raise RuntimeError("no more games")')),
        "ending.quit",
        "exited with status 1 after `quit`",
        "exit with status 0",
        status="warn",
        wire='"quit"',
        stderr="no more games",
    ),
    "it doesn't know quit": Broken(
        broken(("break", "pass")),
        "ending.quit_alone",
        "was still running 0.4 s after `quit`, while its input was open",
        "exit when `quit` comes",
        status="warn",
        wire='"quit"',
    ),
    "it doesn't see the end of its input": Broken(
        GOOD + "else:\n    time.sleep(60)\n",
        "ending.end_of_input",
        "was still running 0.4 s after the end of its input",
        "exit when reading standard input says that it has ended",
    ),
    "it waits for the rest of a line": Broken(
        broken(
            (
                "message = json.loads(line)",
                'while not line.endswith("\\n"): time.sleep(0.1)\nmessage = json.loads(line)',
            )
        ),
        "ending.cut_line",
        "in the middle of a line",
        "leave the loop that reads standard input",
        wire='"type":"start"',
    ),
    "it takes a fault for an exception": Broken(
        broken(('kind == "fault":\n        pass', 'kind == "fault":\n    raise ValueError(message["message"])')),
        "ending.fault",
        "exited with status 1 after `fault` and `quit`",
        "exit with status 0",
        status="warn",
        wire='"fault"',
        stderr="ValueError",
    ),
    "it reads nothing while it thinks": Broken(
        broken(("answer(message)", 'time.sleep(60 * (message["id"] == 1 and not message["events"]))\nanswer(message)')),
        "ending.open_question",
        "was still running 0.4 s after `quit`, which followed a question",
        "check the time or standard input",
        status="warn",
        wire='"quit"',
    ),
    "it writes until somebody reads": Broken(
        broken(
            (
                "print(json.dumps(message), flush=True)",
                """
                while True:
                    try:
                        return print(json.dumps(message), flush=True)
                    except OSError:
                        time.sleep(0.1)
                """,
            )
        ),
        "ending.closed_output",
        "was still running 0.4 s after both its pipes were closed",
        "EPIPE",
        wire='"type":"act"',
    ),
    "it has random numbers of its own": Broken(
        broken(('random.Random(message["bot_seed"])', "random.Random()")),
        "optional.reproducible",
        "it answered question ",
        "draw all randomness from `bot_seed`",
        status="skipped",
        wire='"type": "action"',
    ),
    "it draws its seed once": Broken(
        broken(
            (
                'rng = random.Random(message["bot_seed"])',
                'rng = random.Random(message["bot_seed"]) if games == 1 else rng',
            )
        ),
        "optional.independent",
        "after it had played other games",
        "seed your random numbers at `start`",
        status="skipped",
        wire='"type": "action"',
    ),
    "it counts its own answers": Broken(
        broken(
            ("games += 1", "games += 1\nseat, answers = message['seat'], 0"),
            (
                "answer(message)",
                """
                for event in message["events"]:
                    if event["type"] == "decision" and event["seat"] == seat and not event.get("forced"):
                        answers -= 1
                assert answers == 0, "somebody else has decided"
                answers += 1
                answer(message)
                """,
            ),
        ),
        "play.year_of_the_dragon.opening",
        "in a game that began in the middle",
        "not from the answers",
        stderr="somebody else has decided",
    ),
    "it sends long infos": Broken(
        broken(('"id": act["id"]', '"id": act["id"], "info": "x" * 5000')),
        "optional.info",
        "was cut",
        "at most 4096 bytes",
        status="warn",
        wire="xxx",
    ),
    "it lacks a part": Broken(
        broken(('"id": act["id"]', '"id": act["id"], "info": {"fallback": True}')),
        "optional.decides",
        " decisions at random",
        "give it the part that is missing",
        status="warn",
    ),
}


@pytest.fixture(autouse=True)
def shorter_graces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less long than a match for processes that don't exit."""
    shorten_graces(monkeypatch, 0.4)


@pytest.mark.ci_only
@pytest.mark.parametrize("name", BROKEN)
async def test_the_author_is_told_what_is_wrong(name: str, tmp_path: Path) -> None:
    bot = BROKEN[name]
    only = ("process.ready", bot.check)
    found = (await check(tmp_path, bot.source, *only, control=bot.control, games=bot.games, quick=bot.quick))[bot.check]
    assert (found.status, found.message) == (bot.status, found.message), found
    assert bot.message in found.message
    assert bot.advice in found.advice
    assert bot.wire in "\n".join(line.line for line in found.wire)
    assert bot.stderr in found.stderr
