"""Level `handshake`: what the bot says about itself, and whether it accepts all messages that the protocol allows."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
import trio

from protocol.framing import Oversize
from protocol.messages import ActParts, Ready
from referee.conformance.alterations import (
    Alteration,
    spelled_differently,
    with_unknown_fields,
    with_unknown_messages,
    with_unusual_names,
    without_optional_fields,
)
from referee.conformance.candidate import Candidate
from referee.conformance.finding import Finding, NotPassed, as_warning, passed, skipped
from referee.conformance.levels.level import Level
from referee.connections import ConnectionEnded
from referee.printable import MAX_NAME, displayed_name, printable

QUIET_TIME: Final = 0.1
"""Seconds for which a bot is watched after its `ready`."""

LEVEL: Final = Level("handshake", "it understands the referee, including later versions")


@LEVEL.check("ready_fields", "Its `ready` has a name that can be shown, and only fields that are known.", section="3")
async def ready_fields(candidate: Candidate) -> Finding:
    bot = await candidate.start()
    line = next(line.data for line in bot.wire.lines if line.direction == "from")
    problems = list(oddities(msgspec.json.decode(line), bot.session.ready))
    if problems:
        return bot.failed("; ".join(problems), "see `ready` in the specification, section 3", status="warn")
    return passed(f"it calls itself {printable(bot.session.ready.name)}")


def oddities(fields: dict[str, Any], ready: Ready) -> Iterator[str]:
    """Parts of a well-formed `ready` that are probably mistakes."""
    unknown = [name for name in fields if name not in (*Ready.__struct_fields__, "type")]
    unknown += [f"options.{name}" for name in fields.get("options", ()) if name not in ActParts.__struct_fields__]
    if unknown:
        names = ", ".join(printable(name, MAX_NAME) for name in unknown[:5])
        yield f"the referee ignores what it doesn't know in `ready`: {names}"
    if displayed_name(ready.name) is None:
        yield "its name has no printable characters"
    elif displayed_name(ready.name) != ready.name:
        yield f"its name is changed: at most {MAX_NAME} printable characters are kept"


@LEVEL.check("quiet", "It writes nothing that it was not asked for.", section="2")
async def quiet(candidate: Candidate) -> Finding:
    bot = await candidate.start()
    with trio.move_on_after(QUIET_TIME):
        try:
            await bot.connection.receive()
        except ConnectionEnded as error:
            return bot.failed(f"{error} after `ready`", "wait for the next line, until `quit` or the end of the input")
        except Oversize:
            pass
    if bot.surplus() or bot.wrote_more():
        return bot.failed(
            "it wrote something after `ready`, although nothing was asked",
            "standard output carries one `ready`, and one `action` for each `act`; print logs to standard error",
        )
    return passed("nothing came after `ready`")


@LEVEL.check("options", "The parts of `act` that it declined in `options` are left out, and it plays.", section="5")
async def options(candidate: Candidate) -> Finding:
    variant, bot = await candidate.start_plain()
    parts = bot.session.ready.options
    declined = [name for name in ActParts.__struct_fields__ if getattr(ActParts(), name) and not getattr(parts, name)]
    if not declined:
        return skipped("it asks for all parts of `act`")
    await candidate.finish(bot, variant, f", without {', '.join(declined)}")
    answers = (line.data for line in bot.wire.lines if line.direction == "from" and line.received)
    if "legal" in declined and any("index" in msgspec.json.decode(answer) for answer in answers):
        return bot.failed(
            "it answers with an index into a list that it has declined",
            "answer with `action`: the order of `legal` is not part of the protocol; or don't decline `legal`",
            status="warn",
        )
    return passed(f"plays without {', '.join(declined)}")


# -- a difficult referee --------------------------------------------------------------------------------------------


@LEVEL.check("unknown_fields", "It ignores fields that it doesn't know, wherever they are.", section="1")
async def unknown_fields(candidate: Candidate) -> Finding:
    advice = "ignore fields that you don't know: let your JSON library skip them, and unpack no message as arguments"
    return await altered(candidate, with_unknown_fields, "with a field that no bot knows in every message", advice)


@LEVEL.check("unknown_messages", "It ignores messages whose type it doesn't know.", section="1")
async def unknown_messages(candidate: Candidate) -> Finding:
    advice = "ignore a message whose type you don't know: no answer, no error"
    return await altered(candidate, with_unknown_messages, "with messages that no bot knows between the others", advice)


@LEVEL.check("absent_fields", "It needs no field that may be absent.", section="3")
async def absent_fields(candidate: Candidate) -> Finding:
    advice = "memory_mb is absent where memory has no limit: don't rely on it"
    return await altered(candidate, without_optional_fields, "without memory_mb in `hello`", advice)


@LEVEL.check("names", "It reads names with quotes, backslashes and letters of any script.", section="1")
async def names(candidate: Candidate) -> Finding:
    advice = "read JSON with a library, in UTF-8: names have quotes, backslashes and letters of any script"
    return await altered(candidate, with_unusual_names, "with unusual names in `players`", advice)


@LEVEL.check(
    "spelling",
    "It reads JSON however it is spelled: fields in any order, spaces, escaped characters.",
    source="RFC 8259",
)
async def spelling(candidate: Candidate) -> Finding:
    advice = "read JSON with a library: the protocol doesn't promise that `type` comes first, or no spaces"
    how = "where the same JSON is spelled differently"
    return as_warning(await altered(candidate, spelled_differently, how, advice))


async def altered(candidate: Candidate, alter: Alteration, how: str, advice: str) -> Finding:
    """Check that the bot plays a game with altered lines as it does without."""
    variant = (await candidate.playable())[0]
    try:
        bot = await candidate.start(alter)
        await candidate.finish(bot, variant, seed="altered")
    except NotPassed as error:
        return msgspec.structs.replace(error.finding, message=f"{error.finding.message}, {how}", advice=advice)
    return passed(f"played a game {how}")
