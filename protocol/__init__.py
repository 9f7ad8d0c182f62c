"""The protocol between the referee and bots, and the format of game records.

README.md describes this folder. The modules don't depend on the rules of any game and import only msgspec, so that bots
in Python can use them too.
"""

from protocol.codec import MAX_INFO, BadMessage, decode, encode, encode_part, encode_parts
from protocol.framing import MAX_LINE, LineBuffer, Oversize
from protocol.json_schema import DIALECT, schema_document
from protocol.messages import (
    PROTOCOL,
    Act,
    ActParts,
    Answer,
    Clock,
    End,
    FaultCode,
    FaultMessage,
    FromBot,
    Hello,
    HelloLimits,
    Message,
    Quit,
    Ready,
    Result,
    Start,
    ToBot,
)
from protocol.record import (
    RECORD,
    ChanceLine,
    DecisionLine,
    FaultLine,
    GameLine,
    Line,
    PlayerInfo,
    RecordLine,
    ResultLine,
)

__all__ = [
    "DIALECT",
    "MAX_INFO",
    "MAX_LINE",
    "PROTOCOL",
    "RECORD",
    "Act",
    "ActParts",
    "Answer",
    "BadMessage",
    "ChanceLine",
    "Clock",
    "DecisionLine",
    "End",
    "FaultCode",
    "FaultLine",
    "FaultMessage",
    "FromBot",
    "GameLine",
    "Hello",
    "HelloLimits",
    "Line",
    "LineBuffer",
    "Message",
    "Oversize",
    "PlayerInfo",
    "Quit",
    "Ready",
    "RecordLine",
    "Result",
    "ResultLine",
    "Start",
    "ToBot",
    "decode",
    "encode",
    "encode_part",
    "encode_parts",
    "schema_document",
]
