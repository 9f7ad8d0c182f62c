"""A validator for the part of JSON Schema that our documents use. A keyword it does not know is an error."""

import re
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

ANNOTATIONS = {"$schema", "$defs", "title", "description", "default", "examples"}
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class Invalid(Exception):
    """A value is not allowed by a schema. The message says where and why."""


def validate(value: Any, document: Schema) -> None:
    """Check a value against a document. Raises Invalid."""
    check(value, document, document, "$")


def check(value: Any, schema: Schema, document: Schema, path: str) -> None:
    """Check a value against a schema inside a document. Raises Invalid."""
    for keyword, wanted in schema.items():
        if keyword in ANNOTATIONS:
            continue
        match keyword:
            case "$ref":
                check(value, document["$defs"][wanted.removeprefix("#/$defs/")], document, path)
            case "anyOf":
                if not any(allows(value, choice, document, path) for choice in wanted):
                    raise Invalid(f"{path}: {value!r} is none of the {len(wanted)} choices")
            case "type":
                if not isinstance(value, TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
                    raise Invalid(f"{path}: {value!r} is no {wanted}")
            case "enum":
                if not any(value == choice and type(value) is type(choice) for choice in wanted):
                    raise Invalid(f"{path}: {value!r} is not in {wanted}")
            case _:
                bounds(value, keyword, wanted, schema, path)
                inside(value, keyword, wanted, schema, document, path)


def allows(value: Any, schema: Schema, document: Schema, path: str) -> bool:
    """Whether a value is valid."""
    try:
        check(value, schema, document, path)
    except Invalid:
        return False
    return True


def bounds(value: Any, keyword: str, wanted: Any, schema: Schema, path: str) -> None:
    """The keywords about sizes and numbers."""
    match keyword:
        case "minimum":
            wrong = value < wanted
        case "maximum":
            wrong = value > wanted
        case "minLength" | "minItems":
            wrong = len(value) < wanted
        case "maxItems":
            wrong = len(value) > wanted
        case "pattern":
            wrong = re.search(wanted, value) is None
        case "required":
            wrong = not value.keys() >= set(wanted)
        case "additionalProperties" if wanted is False:
            wrong = not value.keys() <= schema["properties"].keys()
        case _:
            return
    if wrong:
        raise Invalid(f"{path}: {keyword} {wanted}, but it is {value!r}")


def inside(value: Any, keyword: str, wanted: Any, schema: Schema, document: Schema, path: str) -> None:
    """The keywords about the contents of objects and arrays."""
    match keyword:
        case "properties":
            for name in wanted.keys() & value.keys():
                check(value[name], wanted[name], document, f"{path}.{name}")
        case "additionalProperties" if wanted is not False:
            for name in value.keys() - schema.get("properties", {}).keys():
                check(value[name], wanted, document, f"{path}.{name}")
        case "prefixItems":
            for place, (item, each) in enumerate(zip(value, wanted, strict=False)):
                check(item, each, document, f"{path}[{place}]")
        case "items":
            rest = value[len(schema.get("prefixItems", ())) :]
            if wanted is False and rest:
                raise Invalid(f"{path}: no more items may follow, but {rest!r} do")
            for place, item in enumerate(rest if wanted is not False else ()):
                check(item, wanted, document, f"{path}[{place}]")
        case "minimum" | "maximum" | "minLength" | "minItems" | "maxItems" | "pattern" | "required":
            pass
        case "additionalProperties":
            pass
        case _:
            raise NotImplementedError(f"the tests' validator does not know {keyword}")
