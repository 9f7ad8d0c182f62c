"""The protocol between the referee and bots, and the format of game records.

README.md says what is in this folder. The modules know no game's rules and import msgspec only, so that bots written in
Python may use them too.
"""

from protocol.codec import MAX_INFO, BadMessage, decode, encode, encode_part
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
    "schema_document",
]
