"""Reads the choice in a model's answer: JSON, or what is nearly JSON and can have only one meaning.

Needs the standard library only.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

Fields = tuple[tuple[str, Any], ...]
"""An object, as pairs: a name may occur twice."""
Choice = tuple[Any, str]
"""The value of an action, as it was written, and the reason."""

MAX_READ = 20_000
"""Characters at the end of an answer that are searched for the choice, so that none takes long to read."""
CUT = "…"
"""Ends a value after which the answer ends: more of it may have been cut off."""
ASCII = str.maketrans("｛｝［］：，；＝＃“”„‟«»＂‘’‚‛＇", "{}[]:,;=#" + 7 * '"' + 5 * "'")

_thinking = r"(?:\w+:)?(?:think\w*|thought\w*|reason(?:ing)?|reflection|analysis|scratchpad)"
THINKING = re.compile(
    rf"(?P<begin><\|?(?:begin_of_)?{_thinking}\|?>|◁think▷|\[THINK\]|<\|channel\|>analysis<\|message\|>)"
    rf"|<\|?(?:/|end_of_){_thinking}\|?>|◁/think▷|\[/THINK\]|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
FENCED = re.compile(r"```\w*(.*?)```", re.DOTALL)
BRACE = re.compile(r"[{}]")
LIKE_JSON = re.compile(r"""\{(?:\s|//[^\n]*|/\*.*?\*/)*+(?:\\?["'`][^"'`\n]+["'`]|[^\W\d]\w*)\s*[:=]""", re.DOTALL)

_gap = r"(?:\s|//[^\n]*|/\*.*?\*/|#[^\d\n][^\n]*)*+"
_action = rf"""action(?:[ _]?(?:number|index|id))?(?:\\?["'`])?[*_]*{_gap}(?::|=>?)[*_]*{_gap}"""
_value = r"""(\\?"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|\[[^\[\]]*\]|[^"'`\[\]{},;\n]+?)"""
IN_OBJECT = re.compile(
    rf"""(?:[{{,;\n]{_gap}\\?["'`]?|["'`]\s*["'`]){_action}{_value}(?={_gap}(?:,(?!\d)|[;}}\]\\"'`]|\Z)|[^\S\n]*\n)""",
    re.IGNORECASE | re.DOTALL,
)
ALONE = re.compile(rf"""^[ \t>*_`"'•-]*+{_action}([^\n]*)$|<action>([^<]*)</action>""", re.IGNORECASE | re.MULTILINE)
"""An action on a line of its own, or in a tag."""
REASON = re.compile(
    rf"""reason\\?["'`]?\s*[:=]\s*\\?["'`](.*?)\\?["'`]?{_gap}(?:[,;]?{_gap}(?:\\?["'`]?action\b|\}})|\Z)""",
    re.IGNORECASE | re.DOTALL,
)
NUMBERED = re.compile(
    r"""[\s#(\[<*_`"'\\+]*+(?:(?:action|option|choice|number|index)[\s#:*_]*)?(?P<number>\d{1,9})(?:\.0*)?"""
    r"""(?:[\s)\]>*_`"'\\.,;}]*|[\s*_)\]]*(?:[:.)=](?=\D)|\s[–—-]\s|(?=\())[\s*_]*(?P<label>\w?.*?)["'`\\]*)(?P<cut>…?)""",
    re.IGNORECASE,
)
"""The number of an action, with its text or without it."""
NUMBER_NAMES = ("action", "number", "index", "id")
"""Names in an object that is given as the action."""
OTHER_NUMBER = re.compile(r"\b(?:or|and|not|no|but|rather|instead|actually)\W+(?:action\W+)?\d", re.IGNORECASE)
DECODER = json.JSONDecoder(strict=False, object_pairs_hook=tuple)


class NoChoiceError(ValueError):
    """There is no choice in an answer, or it isn't there to its end."""


def read_choice(text: str, count: int, labels: Sequence[str] = (), *, whole: bool = False) -> tuple[int, str]:
    """The number of the action and the reason in a model's answer, for actions 0 to count - 1.

    `labels` are the texts of the actions. `whole`: whether nothing can be missing at the end. If there are several
    answers in one, those in code fences count, and they must agree; thinking doesn't count. Raises ValueError, which
    says what is wrong.
    """
    if not text.strip():
        raise NoChoiceError("the answer is empty")
    text = without_thinking(text)[-MAX_READ:].strip()
    if not text:
        raise NoChoiceError("there is nothing after the thinking")
    fenced = "\n".join(FENCED.findall(text))
    found = list(choices(fenced)) or list(choices(text))
    if not found:
        alone = NUMBERED.fullmatch(text)
        if alone is None or letters(alone["label"] or "") not in ("", *map(letters, labels)):
            raise NoChoiceError(f'there is no JSON object with "action" in it{instead(text)}')
        found = [(text, "")]
    found = [(value, reason) for value, reason in found if value != "NUMBER"] or found
    numbers = {number_of(value, count, labels, whole=whole) for value, _ in found}
    if len(numbers) > 1:
        raise ValueError(f"it has different actions: {', '.join(map(str, sorted(numbers)[:5]))}")
    [number] = numbers
    if not 0 <= number < count:
        raise ValueError(f"there is no action {number}: they are 0 to {count - 1}")
    return number, without_halves(next((reason for _, reason in found[::-1] if reason), ""))


def without_halves(text: str) -> str:
    """A text without halves of surrogate pairs, which JSON can have: to send one would be a fault."""
    return text.encode(errors="replace").decode()


def without_thinking(text: str) -> str:
    """What a model says outside of its thinking, which may have begun in the question or may not have ended."""
    kept, thinking, place = "", False, 0
    for mark in THINKING.finditer(text):
        if not thinking:
            kept = kept + text[place : mark.start()] if mark["begin"] else ""
        thinking, place = mark["begin"] is not None, mark.end()
    return kept if thinking else kept + text[place:]


def choices(text: str) -> Iterator[Choice]:
    """The choices in the objects of a text; if there are none, those on lines of their own."""
    if "&quot;" in text:
        text = html.unescape(text)
    if "}" in text and "{" not in text.translate(ASCII):
        text = "{" + text
    found, place, rest = False, 0, ""
    for start, end, held in objects(text):
        for choice in nearly_json(held) if isinstance(held, str) else chosen(held):
            found = True
            yield choice
        rest, place = rest + text[place:start], end
    if not found:
        yield from ((line or tag, "") for line, tag in ALONE.findall((rest + text[place:]).translate(ASCII)))


def objects(text: str) -> Iterator[tuple[int, int, Fields | str]]:
    """Where the objects in a text begin and end, without those in others.

    With what they hold; if that is not JSON, then as text without the objects in it.
    """
    plain, end = text.translate(ASCII), 0
    while (start := plain.find("{", end)) >= 0:
        held: Fields | str
        if LIKE_JSON.match(plain, start) is None:
            end = start + 1
            continue
        try:
            held, end = DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            held, depth, end = "{", 1, start + 1
            while depth:
                brace = BRACE.search(plain, end)
                stop = len(text) if brace is None else brace.end()
                held += plain[end:stop].removesuffix("{") if depth == 1 else ""
                depth, end = (0, stop) if brace is None else (depth + (1 if brace[0] == "{" else -1), stop)
        yield start, end, held


def chosen(fields: Fields) -> Iterator[Choice]:
    """The choices in an object, or in the only object in it."""
    while True:
        named = [(re.sub(r"[\W_]", "", name).lower(), value) for name, value in fields]
        reason = next((value for name, value in named if name == "reason" and isinstance(value, str)), "")
        values = [value for name, value in named if name in ("action", "actionnumber", "actionindex", "actionid")]
        yield from ((value, reason) for value in values)
        rest = [value for name, value in named if name not in ("name", "type", "id")]
        if values or len(rest) != 1:
            return
        [fields] = rest
        if not isinstance(fields, tuple):
            if isinstance(fields, str):
                yield from choices(fields)
            return


def nearly_json(text: str) -> Iterator[Choice]:
    """The choices in what an object holds that is not JSON."""
    reason = REASON.search(text)
    for action in IN_OBJECT.finditer(text):
        yield action[1].strip() + CUT * (action.end() == len(text)), "" if reason is None else reason[1]


def instead(text: str) -> str:
    """What there is in an answer in place of an object with an action."""
    for start, end, held in objects(text):
        if not isinstance(held, str):
            return f", but one with {', '.join(repr(name[:30]) for name, _ in held[:4]) or 'nothing in it'}"
        try:
            json.loads(text[start:end], strict=False)
        except json.JSONDecodeError as error:
            return f" that can be read: {error.msg}: {text[start + error.pos :][:20]!r}"
        except (ValueError, RecursionError):
            pass
    return ""


def number_of(value: Any, count: int, labels: Sequence[str], *, whole: bool) -> int:
    """The number of the action that a value means. Raises ValueError."""
    given, texts = value, [letters(label) for label in labels]
    while (isinstance(value, list) and len(value) == 1) or isinstance(value, tuple):
        inner = [each for name, each in value if letters(name) in NUMBER_NAMES] if isinstance(value, tuple) else value
        value = inner[0] if len(inner) == 1 else None
    if type(value) is int or (isinstance(value, float) and value.is_integer()):
        value = str(int(value))
    found = NUMBERED.fullmatch(value) if isinstance(value, str) else None
    if isinstance(value, str) and re.fullmatch(r"-\d{1,9}", value):
        return int(value)
    if isinstance(value, str) and (found is None or found["label"]) and texts.count(letters(value)) == 1:
        return texts.index(letters(value))
    if found is None or OTHER_NUMBER.search(found["label"] or ""):
        raise ValueError(f'"action" is not a whole number but {json.dumps(given, ensure_ascii=False)[:60]}')
    number, label = int(found["number"]), letters(found["label"] or "")
    if label and texts[number : number + 1] != [label] and (label in texts or not label[0].isalpha()):
        raise ValueError(f"action {number} is not {found['label'][:60]!r}")
    if found["cut"] and not whole and 0 < 10 * number < count:
        raise NoChoiceError("the answer ends within the number of the action")
    return number


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()
