"""The lines in protocol/bad-lines.json."""

import base64
import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[2] / "protocol"
TABLE: Final = json.loads((FOLDER / "bad-lines.json").read_text(encoding="utf-8"))
CASES: Final[list[dict[str, Any]]] = TABLE["cases"]


def written(case: dict[str, Any]) -> bytes:
    """The bytes that the bot writes, without the final LF."""
    if "line_base64" in case:
        return base64.b64decode(case["line_base64"], validate=True)
    if "pieces" in case:
        return b"".join(text.encode() * times for text, times in case["pieces"])
    line: str = case["line"]
    return line.encode()
