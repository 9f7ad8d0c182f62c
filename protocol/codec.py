"""Encoding and decoding messages, with errors that a bot author can act on."""

import re
from typing import Final

import msgspec

from protocol.messages import Answer, FromBot, Message, Ready

MAX_INFO: Final = 4096
"""Maximum length of an `info` in the record, in bytes."""
LONE_SURROGATE: Final = re.compile(rb"(?<!\\)(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})(?!\\u[dD][c-fC-F])")
"""The escaped first half of a surrogate pair without the second half."""

TYPE_MISMATCH: Final = re.compile(
    r"Expected `(?P<wanted>[^`]+)`(?P<bound> of length [<>]=? \d+| [<>]=? \S+)?(, got `(?P<got>[^`]+)`)?"
)
FIELD_MISSING: Final = re.compile(r"Object missing required field `(?P<field>[^`]+)`")
FIELD_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<field>[^`]+)`")
AT_PATH: Final = re.compile(r" - at `(key in )?\$(?P<path>[^`]*)`$")
JSON_WORDS: Final = {
    "int": "a whole number",
    "float": "a fraction",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
"""JSON's words for the types of msgspec."""

_encoder: Final = msgspec.json.Encoder()
encode_json: Final = _encoder.encode
"""The JSON of a value. As `Raw` it can go into several messages."""
_from_bot: Final[msgspec.json.Decoder[Ready | Answer]] = msgspec.json.Decoder(FromBot)


class BadMessage(ValueError):
    """A line that is not a message a bot may send.

    `problem` says what is wrong with `line` and may quote it. Both may contain anything that a bot wrote: sanitise them
    before they reach a terminal.
    """

    def __init__(self, problem: str, line: bytes) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def encode(message: Message) -> bytes:
    """The line of a message, including its LF."""
    return _encoder.encode_lines((message,))


def decode(line: bytes) -> Ready | Answer:
    """The message in a line from a bot (without LF). Raises BadMessage."""
    try:
        if not line.isascii():
            line.decode()
        message: Ready | Answer = _from_bot.decode(line)
    except UnicodeDecodeError as error:
        raise BadMessage(f"not valid UTF-8 at byte {error.start}", line) from None
    except msgspec.ValidationError as error:
        raise BadMessage(describe_mismatch(str(error)), line) from None
    except RecursionError:
        raise BadMessage("not a JSON object: nested too deeply", line) from None
    except msgspec.DecodeError as error:
        lone = LONE_SURROGATE.search(line)  # the decoder's own message doesn't mention it
        reason = str(error) if lone is None else f"{lone[1].decode()} is half of a surrogate pair"
        raise BadMessage(f"not a JSON object: {reason}", line) from None
    return message


def describe_mismatch(error: str) -> str:
    """A message of the decoder in words of JSON: `index must be a whole number or null, not a fraction`.

    Messages of other forms are returned without backquotes.

    >>> describe_mismatch("Expected `int | null`, got `float` - at `$.index`")
    'index must be a whole number or null, not a fraction'
    >>> describe_mismatch("Object missing required field `id`")
    'id is missing'
    """
    place = AT_PATH.search(error)
    problem = error if place is None else error[: place.start()]
    where = "it" if place is None else place["path"].lstrip(".") or "it"
    match = TYPE_MISMATCH.fullmatch(problem)
    if match is not None:
        bound = (match["bound"] or "").replace(">=", "at least").replace("<=", "at most")
        wanted = " or ".join(JSON_WORDS.get(part, part) for part in match["wanted"].split(" | "))
        got = "" if match["got"] is None else f", not {JSON_WORDS.get(match['got'], match['got'])}"
        return f"{where} must be {wanted}{bound}{got}"
    inside = "" if where == "it" else f" in {where}"
    if (match := FIELD_MISSING.fullmatch(problem)) is not None:
        return f"{match['field']} is missing{inside}"
    if (match := FIELD_UNKNOWN.fullmatch(problem)) is not None:
        return f"unknown field {match['field']}{inside}"
    return (problem + ("" if where == "it" else f" in {where}")).replace("`", "'")
