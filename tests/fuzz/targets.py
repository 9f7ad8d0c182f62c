"""The fuzz targets: functions that take any bytes, and raise an exception only if a promise is broken."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.fuzz.answers import answer
from tests.fuzz.files import bot_argument, bot_file, manifest, record, tournament_file
from tests.fuzz.wire import cut_lines, decode_lines, trace_lines

TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "decode": decode_lines,
    "framing": cut_lines,
    "answer": answer,
    "bot_file": bot_file,
    "bot_argument": bot_argument,
    "record": record,
    "tournament_file": tournament_file,
    "manifest": manifest,
    "trace": trace_lines,
}
SAME_INPUTS: Final = {"trace": "decode"}
"""Targets that use the inputs of another one."""
CORPUS: Final = Path(__file__).parent / "corpus"


def corpus(target: str) -> list[Path]:
    """The inputs that every run of a target starts from."""
    return sorted(corpus_folder(target).iterdir())


def corpus_folder(target: str) -> Path:
    return CORPUS / SAME_INPUTS.get(target, target)
