"""JSON Schema of message types."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema_document(title: str, types: Sequence[Any]) -> dict[str, Any]:
    """A JSON Schema document that accepts any of `types`; each has its own definition in `$defs`."""
    roots, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    return {
        "$schema": DIALECT,
        "title": title,
        "anyOf": list(roots),
        "$defs": definitions,
    }
