"""The names of `protocol`, so that none is removed by accident: bots in Python may import them."""

import pkgutil
from importlib import import_module
from typing import Final

import pytest

import protocol

CODEC: Final = {"BadMessage", "MAX_INFO", "decode", "encode", "encode_json"}
FRAMING: Final = {"LineBuffer", "MAX_LINE", "Oversize"}
JSON_SCHEMA: Final = {"DIALECT", "schema_document"}
MESSAGES: Final = {
    *("PROTOCOL", "FaultCode", "FromBot", "Message", "ToBot"),
    *("Act", "End", "FaultMessage", "Hello", "Quit", "Start"),
    *("Answer", "Ready"),
    *("ActParts", "Clock", "HelloLimits", "Result"),
}
RECORD: Final = {
    *("RECORD", "Line", "RecordLine"),
    *("ChanceLine", "DecisionLine", "FaultLine", "GameLine", "PlayerInfo", "ResultLine"),
}
MODULES: Final = {
    "codec": CODEC,
    "framing": FRAMING,
    "json_schema": JSON_SCHEMA,
    "messages": MESSAGES,
    "record": RECORD,
}


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_these_names(module: str) -> None:
    part = vars(import_module(f"protocol.{module}"))
    assert part.keys() >= MODULES[module]


def test_there_is_no_further_module() -> None:
    assert {module.name for module in pkgutil.iter_modules(protocol.__path__)} == MODULES.keys()
