"""A page as one HTML file: the browser's part, its style and the data, inline; nothing is requested from anywhere."""

import gzip
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from typing import Final

from referee.errors import RefereeError
from referee.pages.document import Document, encode_document

TEMPLATE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{css}</style>
</head>
<body>
<div id="page" class="scene"><noscript>This page needs JavaScript. {summary}</noscript></div>
<script type="application/octet-stream" id="document">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


class BundleError(RefereeError):
    """The browser's part of pages is missing from this installation."""


@cache
def bundled(name: str) -> str:
    """A file of the browser's part. Raises BundleError."""
    try:
        return resources.files(__package__).joinpath("bundle", name).read_text(encoding="utf-8")
    except OSError:
        raise BundleError(
            f"referee/pages/bundle/{name} is missing from this installation: install the wheel, or run `make pages`"
        ) from None


def write_page(document: Document) -> bytes:
    """The page of a game. Raises BundleError."""
    script = bundled("page.js").strip()
    if "</script" in script.lower():
        raise BundleError("the browser's part contains </script>: build it again with `make pages`")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    connects = "" if document.live is None else "; connect-src 'self'"
    names = ", ".join(seat.name for seat in document.seats)
    # mtime=0: the same game gives the same bytes.
    data = b64encode(gzip.compress(encode_document(document), 9, mtime=0)).decode()
    return TEMPLATE.format(
        policy=f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        f"base-uri 'none'; form-action 'none'{connects}",
        title=escape(f"{document.title}: {names}"),
        summary=escape(summary(document)),
        css=bundled("page.css") + document.css,
        data=data,
        script=script,
    ).encode()


def summary(document: Document) -> str:
    """Who played, and how it ended."""
    if document.result is None:
        return ", ".join(seat.name for seat in document.seats)
    return ", ".join(f"{seat.name} {score}" for seat, score in zip(document.seats, document.result.scores, strict=True))
