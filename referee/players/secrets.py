"""The values of a bot's environment variables, such as the key of a model: no message quotes them.

Messages about faults go into records and standings, and a bot can put anything into them.
"""

from collections.abc import Iterable
from typing import Final

MIN_SECRET: Final = 8
"""Characters of a value that may be a secret: shorter words occur anywhere."""
HIDDEN_VALUE: Final = b"[hidden]"


class Secrets:
    def __init__(self, values: Iterable[str]) -> None:
        """`values`: of its environment variables."""
        long = [value for value in values if len(value) >= MIN_SECRET]
        found = {form.encode(errors="surrogateescape") for value in long for form in spellings(value)}
        self._secrets = sorted(found, key=len, reverse=True)  # one may be a part of another

    def hide(self, text: bytes) -> bytes:
        """A text, or a line of JSON, without them. Before it is cut for a message: a part would not be found."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN_VALUE)
        return text

    def hide_text(self, text: str) -> str:
        return self.hide(text.encode(errors="surrogatepass")).decode(errors="surrogatepass") if self._secrets else text


def spellings(value: str) -> tuple[str, str, str]:
    """A value as it is, and in both ways in which JSON may spell it."""
    import json  # noqa: PLC0415 (it takes long, and most bots have no secrets)

    return value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]
