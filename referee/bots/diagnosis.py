"""Diagnoses mistakes of a bot from what it wrote or didn't write, and says what to do about them. Pure.

The sentences go into the messages of faults. Quoted parts of a line are printable and short.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from protocol.messages import Answer, Ready
from referee.bots.languages import SUFFIXES, Language
from referee.games.narrator import format_count
from referee.near_misses import did_you_mean
from referee.printable import printable

MAX_FIELDS: Final = 20
"""Fields of a line that are compared with the known ones."""
MAX_FIELD: Final = 40
FROM_REFEREE: Final = ("hello", "start", "act", "fault", "end", "quit")
"""Types of messages that only the referee sends."""
PART_OF_OBJECT: Final = re.compile(rb'"[^"\\]*"\s*:.*|[\]}]+\s*,?', re.DOTALL)
"""A line after the first one of JSON that is printed over several lines, without the spaces around it."""
NOT_A_NUMBER: Final = re.compile(rb"\b(NaN|Infinity|nan|inf)\b")
"""Numbers that many languages write and JSON has not."""
JSON_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
MUCH_MEMORY: Final = 0.25
"""The share of its memory beyond which a bot that is late may be late because of it."""
THINKING_SHARE: Final = 0.2
"""The share of the time that a bot must have computed to be called busy: on a busy machine it gets no more."""
END_LINE: Final = 'end each message with a line feed ("\\n"), and flush it'
OWN_ID: Final = "answer with the id of the act"


class Wait(Struct, frozen=True, kw_only=True):
    """What is known about a bot whose time has run out. `asked` is the id of the question; None: it was `hello`."""

    asked: int | None
    seconds: float
    """How long the referee waited."""
    dropped: int
    """The number of answers with other ids."""
    dropped_id: str
    """The id of the last of them."""
    unfinished: int
    """Bytes that came after the last end of a line."""
    is_unread: bool
    """Whether the bot has not read all that it was sent."""
    is_stopped: bool = False
    cpu_seconds: float
    """CPU time used for its start, or from `ready` to its first answer."""
    has_answered: bool
    memory_mb: int = 0
    """MiB of memory that it uses, as far as known."""
    max_memory_mb: int = 0
    """MiB that it may use; 0: there is no limit."""


def explain_wait(wait: Wait, language: Language | None) -> str:
    """Explain what came instead of an answer, and what to do. It doesn't end with a question, as more may follow."""
    if not wait.max_memory_mb or wait.memory_mb <= MUCH_MEMORY * wait.max_memory_mb:
        return explain_silence(wait, language)
    used = f"it uses {wait.memory_mb} of at most {wait.max_memory_mb} MiB of memory (memory_mb)"
    return f"{explain_silence(wait, language)}; {used}, so its memory may keep growing"


def explain_silence(wait: Wait, language: Language | None) -> str:
    """The same without regard to memory."""
    if wait.is_stopped:
        return "a signal such as SIGSTOP has stopped one of its processes, and none has continued it (SIGCONT)"
    question = "hello" if wait.asked is None else f"act {wait.asked}"
    if wait.unfinished:
        return f"{format_count(wait.unfinished, 'bytes')} came, but no end of line: {END_LINE}"
    if wait.dropped:
        last = f"with id {wait.dropped_id}"
        came = f"an answer {last} came" if wait.dropped == 1 else f"{wait.dropped} answers came, the last {last}"
        return f"{came}, to {question}: {OWN_ID}"
    if wait.is_unread and wait.asked is None:
        return "it has not read hello: it needs longer to start, or doesn't read standard input"
    if wait.is_unread:
        return f"it has not read all of {question}: is it busy with something else? Read every line as it comes"
    if wait.has_answered:  # it flushes, and its CPU time is that of all answers
        return "nothing came, though it has answered before: decide within time_ms"
    if wait.cpu_seconds > THINKING_SHARE * wait.seconds:
        return f"it was still computing: {'load less before ready' if wait.asked is None else 'decide within time_ms'}"
    flush = "" if language is None else f" ({language.name}: {language.flush})"
    line = "" if language is None else f" ({language.name}: {language.read_line})"
    reads_all = f"or it reads to the end of its input, not line by line{line}"
    if wait.asked is None:
        return f"nothing came: perhaps standard output is not flushed{flush}, {reads_all}"
    slow = "it has said ready, so it may be too slow; decide within time_ms"  # so at least ready was flushed
    return f"nothing came: {slow}. Or its answer is not flushed{flush}, {reads_all}"


# -- lines that are not messages --------------------------------------------------------------------------------------


_fields: Final = msgspec.json.Decoder(dict[str, Raw])


class Explanation(Struct, frozen=True):
    """The problem with a line, in our own words if they are better than those of the decoder, and the remedy: one of
    `remedies`, or about a misspelt field."""

    problem: str | None
    remedy: str


def remedies(wanted: type[Ready | Answer], language: Language | None) -> dict[str, str]:
    """By what was wrong with a line that should have been a `wanted`, what to do."""
    tag = f'"type":"{wanted.__struct_config__.tag}"'
    name = "" if language is None else language.name
    cause = "" if language is None or language.empty_line is None else f" ({name}: {language.empty_line})"
    logs = "standard output is for messages only: use standard error for everything else"
    logs += "" if language is None else f" ({name}: {language.log})"
    example = '{"type":"ready","protocol":1,"name":"…"}' if wanted is Ready else '{"type":"action","id":…,"index":…}'
    return {
        "empty": f"print messages only, with one line feed after each{cause}",
        "byte order mark": "write UTF-8 without it",
        "encoding": "write UTF-8",
        "depth": f"write {example}, with an info that is less deep",
        "list": "write each message as an object on a line of its own",
        "value": f"an answer looks like {example}; {logs}",
        "part": "write each message on one line, without indentation",
        "log": logs,
        "number": "write another number; in info also null or a string",
        "two messages": "write each message together with its line feed, in one call; if several threads write, under "
        "one lock",
        "quotes": f"JSON uses double quotes{' (json.dumps writes them)' if name == 'Python' else ''}",
        "JSON": "write messages with a JSON library",
        "type": f"write {tag}",
        "message of the referee": f"answer with {tag}",
        "two choices": "give either index or action",
        "fields": f"write {example}",
    }


@cache
def known_remedies() -> re.Pattern[str]:
    """Everything that the message of a fault may say about what to do. The name of a field is the bot's; it counts if
    it can't be read as a sentence."""
    kinds = [remedies(wanted, language) for wanted in (Ready, Answer) for language in (None, *SUFFIXES.values())]
    field = r"unknown field '[\w-]+'; did you mean '\w+'\?"
    with_type = "|".join({re.escape(kind["type"]) for kind in kinds})
    own = "|".join(map(re.escape, {END_LINE, OWN_ID, *(text for kind in kinds for text in kind.values())}))
    return re.compile(rf"(.*?)[;:] ((?:(?:{with_type}); )?{field}|{own})")


def split_remedy(message: str) -> tuple[str, str]:
    """What was wrong by the message of a fault, and what it says to do, or "".

    As messages quote bots, nothing is taken for a remedy but the referee's own.
    """
    found = known_remedies().fullmatch(message)
    return (message, "") if found is None else (found[1], found[2])


def explain_line(line: bytes, wanted: type[Ready | Answer], language: Language | None) -> Explanation:
    """Explain what is wrong with a line that is not a `wanted` message."""
    own = remedies(wanted, language)
    if not line.strip():
        return Explanation("an empty line", own["empty"])
    if line.startswith(b"\xef\xbb\xbf"):
        return Explanation("a byte order mark before the JSON", own["byte order mark"])
    if b"\0" in line[:2] or line.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Explanation("not UTF-8 but UTF-16", own["encoding"])
    try:
        line.decode()
    except UnicodeDecodeError:
        return Explanation(None, own["encoding"])
    try:
        msgspec.json.decode(line, type=Raw)  # which doesn't create objects for what may be millions of values
        kind = line.lstrip()[:1]
        fields = _fields.decode(line) if kind == b"{" else {}
    except RecursionError:
        return Explanation(None, own["depth"])
    except msgspec.DecodeError as error:
        return _no_json(line, str(error), own)
    if kind == b"{":
        return _object(fields, wanted, own)
    if kind == b"[":
        return Explanation("a list, not an object", own["list"])
    return Explanation("not a JSON object", own["value"])


def _no_json(line: bytes, error: str, own: Mapping[str, str]) -> Explanation:
    """Explain what is wrong with a line that isn't JSON; `error` is the decoder's message."""
    if PART_OF_OBJECT.fullmatch(line.strip()):
        return Explanation("only a part of a JSON object", own["part"])
    if line.lstrip()[:1] not in (b"{", b"["):
        return Explanation(None, own["log"])
    number = NOT_A_NUMBER.search(JSON_STRING.sub(b"", line))
    if number is not None:
        return Explanation(f"JSON has no {number[1].decode()}", own["number"])
    if line.count(b'"type"') > 1:
        return Explanation("two messages on one line", own["two messages"])
    if "truncated" in error and not line.rstrip().endswith((b"}", b"]")):
        return Explanation("only the beginning of a JSON object", own["part"])
    if re.match(rb"\s*\{\s*'", line):
        return Explanation(None, own["quotes"])
    return Explanation(None, own["JSON"])


def _object(fields: Mapping[str, Raw], wanted: type[Ready | Answer], own: Mapping[str, str]) -> Explanation:
    given = bytes(fields.get("type", b""))
    kind = msgspec.json.decode(given) if given.startswith(b'"') else None
    required = ("type", "protocol", "name") if wanted is Ready else ("type", "id")
    # Where nothing is missing, a field that is unknown, and so ignored, is not what is wrong.
    is_missing = not fields.keys() >= {*required} or (wanted is Answer and not fields.keys() & {"index", "action"})
    wrong_field = misspelt(fields, ("type", *wanted.__struct_fields__)) if is_missing else None
    if wrong_field is not None and not wrong_field.endswith("?"):  # which doesn't say what to do
        wrong_field = None
    if "type" not in fields:
        return Explanation("it has no type", "; ".join(filter(None, (own["type"], wrong_field))))
    if kind in FROM_REFEREE:
        return Explanation(f"{kind} is a message of the referee", own["message of the referee"])
    if isinstance(kind, str) and kind not in ("ready", "action"):
        return Explanation(f"unknown type '{printable(kind, MAX_FIELD)}'", own["type"])
    if kind == ("action" if wanted is Ready else "ready"):
        return Explanation(None, own["type"])
    if "index" in fields and "action" in fields and not is_missing:
        return Explanation(None, own["two choices"])
    return Explanation(None, wrong_field or own["fields"])


def misspelt(fields: Iterable[Any], known: Iterable[str]) -> str | None:
    """A message about the first unknown field, with the most similar missing one; None if all are known."""
    given = [field for field in list(fields)[:MAX_FIELDS] if isinstance(field, str)]
    missing = [name for name in known if name not in given]
    wrong = next((field for field in given if field not in known), None)
    return None if wrong is None else f"unknown field '{printable(wrong, MAX_FIELD)}'{did_you_mean(wrong, missing, '')}"
