"""The file that describes models for the proxy: where each is, what it costs, and how much may be spent.

Needs the standard library only.
"""

import math
import os
import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}", re.ASCII)
KEY = re.compile(r"[\x21-\x7e]{1,4096}", re.ASCII)
HERE = ("localhost", "127.0.0.1", "::1")
TOKENS_FIELDS = ("max_tokens", "max_completion_tokens")


class ModelsError(Exception):
    """The file can't be used. The text says what to change."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model at an endpoint, and its limits. Prices are for a million tokens, in the currency of the caps."""

    name: str
    url: str
    model: str
    input: float
    output: float
    cap: float
    cached: float | None = None
    """The price of input tokens that the endpoint had cached, if it differs."""
    key_file: str | None = None
    key_env: str | None = None
    max_tokens: int = 1000
    tokens_field: str = "max_tokens"
    timeout: float = 60.0
    at_a_time: int = 4
    per_minute: int = 120
    key: str | None = field(default=None, repr=False)
    """Read from the file or the variable; never written anywhere."""

    def cost(self, input_tokens: int, output_tokens: int, cached: int = 0) -> float:
        """The cost of these tokens; `cached` is the part of the input that the endpoint had cached."""
        cached_price = self.input if self.cached is None else self.cached
        return ((input_tokens - cached) * self.input + cached * cached_price + output_tokens * self.output) / 1e6


@dataclass(frozen=True, kw_only=True)
class Models:
    """The contents of the file."""

    cap: float
    ledger: Path
    models: tuple[Model, ...]
    version: tuple[int, ...]
    """Of the file, from before it was read (see `version`)."""


def version(path: Path) -> tuple[int, ...]:
    """A value that changes when the file does. Raises OSError."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_models(path: Path) -> Models:
    """The models that a file describes, with their keys. Raises ModelsError."""
    try:
        of_file = version(path)
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelsError(f"{path}: {error}") from None
    entries = table.get("model")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise ModelsError(f"{path}: write [[model]] with two brackets, once for each model")
    unknown = set(table) - {"cap", "ledger", "model"}
    if unknown:
        raise ModelsError(f"{path}: unknown key {min(unknown)!r}; available: cap, ledger, [[model]]")
    ledger = table.get("ledger", "ledger.jsonl")
    if not isinstance(ledger, str):
        raise ModelsError(f"{path}: ledger must be the name of a file")
    cap = _amount(table, "cap", str(path))
    models = tuple(_model(entry, path) for entry in entries)
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        raise ModelsError(f"{path}: two models have the same name")
    return Models(cap=cap, ledger=path.parent / ledger, models=models, version=of_file)


def _model(entry: dict[str, Any], path: Path) -> Model:
    known = [each.name for each in fields(Model) if each.name != "key"]
    where = f"{path}: model {entry.get('name', '')!r}"
    for name in entry:
        if name not in known:
            raise ModelsError(f"{where}: unknown key {name!r}; available: {', '.join(known)}")
    for name in ("name", "url", "model", "key_file", "key_env", "tokens_field"):
        if not isinstance(entry.get(name, None if name in ("name", "url", "model") else ""), str):
            raise ModelsError(f"{where}: {name} must be a text")
    for name in ("max_tokens", "at_a_time", "per_minute"):
        if type(number := entry.get(name, 1)) is not int or not 1 <= number <= 1_000_000:
            raise ModelsError(f"{where}: {name} must be a whole number of at least 1")
    amounts = {name: _amount(entry, name, where) for name in ("input", "output", "cap")}
    amounts |= {name: _amount(entry, name, where) for name in ("timeout", "cached") if name in entry}
    model = Model(**{**entry, **amounts})
    if not NAME.fullmatch(model.name):
        raise ModelsError(f"{where}: a name has up to 40 letters, digits, '.', '_' and '-'")
    if model.tokens_field not in TOKENS_FIELDS:
        raise ModelsError(f"{where}: tokens_field is one of {', '.join(TOKENS_FIELDS)}")
    if model.cached is not None and model.cached > model.input:
        raise ModelsError(
            f"{where}: cached must not be more than input, by which the maximum cost of a call is computed"
        )
    key = _key(model, path.parent, where)
    try:
        parts = urlsplit(model.url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username or parts.query or parts.fragment or not model.url.isascii():
        raise ModelsError(f"{where}: invalid url; write for example https://api.example.com/v1")
    if key is not None and parts.scheme == "http" and parts.hostname not in HERE:
        raise ModelsError(f"{where}: the key would be sent unencrypted; use https")
    return Model(**{**entry, **amounts, "key": key})


def _amount(table: dict[str, Any], key: str, where: str) -> float:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ModelsError(f"{where}: {key} must be a number of at least 0")
    return float(value)


def _key(model: Model, folder: Path, where: str) -> str | None:
    if model.key_file is not None and model.key_env is not None:
        raise ModelsError(f"{where}: use only one of key_file and key_env")
    if model.key_env is not None:
        found = os.environ.get(model.key_env)
        if found is None:
            raise ModelsError(f"{where}: the environment variable {model.key_env} is not set")
    elif model.key_file is not None:
        path = folder / model.key_file
        try:
            if path.stat().st_mode & 0o077:
                raise ModelsError(f"{where}: others can read {path}; allow that to its owner only (chmod 600)")
            found = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise ModelsError(f"{where}: can't read the key in {path}") from None
    else:
        return None
    key = found.strip()
    if not KEY.fullmatch(key):
        raise ModelsError(f"{where}: the key is empty or has invalid characters")
    return key
