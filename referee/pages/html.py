"""A page as one HTML file that needs nothing else: the script, the style sheet and the data are inside."""

import base64
import gzip
import hashlib
from functools import cache
from html import escape
from importlib import resources
from typing import Final

from referee.pages.document import Document, encode_document

PAGE_COMPRESSION: Final = 9
NO_SCRIPT: Final = (
    "This page shows its game by a script, which your browser doesn't run. The command"
    " <code>referee record show</code> describes the record of a game as text."
)


def write_page(document: Document) -> str:
    """The page. It makes no requests, and its policy forbids them; a live one only asks where it comes from.

    What bots have written is only in the data, which is compressed and in base64, so nothing of it can be read as HTML.
    """
    sources = "default-src 'none'" + ("" if document.live is None else "; connect-src 'self'")
    packed = gzip.compress(encode_document(document), PAGE_COMPRESSION, mtime=0)
    return page_html(document, base64.b64encode(packed).decode(), sources)


def page_html(document: Document, data: str, sources: str) -> str:
    """A page with this data in it. `sources`: where, by its content security policy, it may load from."""
    script, style = _asset("page.js"), _asset("page.css")
    names = ", ".join(seat.name for seat in document.seats)
    title = " · ".join(part for part in (document.title, document.game_id, names) if part)
    policy = (
        f"{sources}; script-src '{_hash(script)}'; style-src '{_hash(style)}';"
        " base-uri 'none'; form-action 'none'; img-src data:"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="referee {escape(document.referee)}">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<div id="page" class="scene"><noscript>{NO_SCRIPT}</noscript></div>
<script type="text/plain" id="document">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


@cache
def _asset(name: str) -> str:
    """A file of the bundle. It is inlined as it is: esbuild writes `</script` in a way that ends nothing."""
    return resources.files(__package__).joinpath("bundle", name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    """As a content security policy has it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
