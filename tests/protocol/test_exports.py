"""The exports of `protocol`, so that no name is added or removed by accident: bots in Python may import them."""

import pkgutil
from importlib import import_module
from typing import Final

import pytest

import protocol

CODEC: Final = {"BadMessage", "MAX_INFO", "decode", "encode", "encode_part", "encode_parts"}
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


def test_the_package_exports_what_its_modules_export() -> None:
    assert set(protocol.__all__) == set().union(*MODULES.values())


@pytest.mark.parametrize("module", MODULES)
def test_a_module_exports_these_names_and_the_package_the_same_things(module: str) -> None:
    part = import_module(f"protocol.{module}")
    assert set(part.__all__) == MODULES[module]
    for name in part.__all__:
        assert getattr(protocol, name) is getattr(part, name)


def test_there_is_no_further_module() -> None:
    assert {module.name for module in pkgutil.iter_modules(protocol.__path__)} == MODULES.keys()
