"""A page as one HTML file that needs nothing else: the script, the style sheet and the data are inside."""

import base64
import gzip
import hashlib
from functools import cache
from html import escape
from importlib import resources
from typing import Final

import msgspec

from referee.pages.document import Document

PAGE_COMPRESSION: Final = 9
PAGE_JS: Final = "page.js"
PAGE_CSS: Final = "page.css"
NO_SCRIPT: Final = (
    "This page needs JavaScript, which your browser doesn't run. The command"
    " <code>referee record show</code> describes the record of a game as text."
)


def write_page(document: Document) -> str:
    """The page. It makes no requests, and its policy forbids them; a live one only asks where it comes from.

    What bots have written is only in the data, which is compressed and in base64, so nothing of it can be read as HTML.
    """
    script, style = asset(PAGE_JS), asset(PAGE_CSS)
    asks = "" if document.live is None else "; connect-src 'self'"
    policy = (
        f"default-src 'none'{asks};"
        f" script-src '{content_hash(script)}'; style-src '{content_hash(style)}';"
        " base-uri 'none'; form-action 'none'; img-src data:"
    )
    foot = f'<script type="module">{script}</script>\n'
    return _html(document, packed(document), policy, f"<style>{style}</style>", foot)


def packed(document: Document) -> str:
    """The data of a page as it stands in HTML: of base64 nothing can be read as HTML."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(document), PAGE_COMPRESSION, mtime=0)).decode()


def write_shared_page(document: Document, data: str, assets: str) -> str:
    """A page whose script and style sheet are the files of `shared_assets` in the folder `assets`, given relative to
    its own, so that many pages share them. It works from a disk and on any host. `data`: from `packed`."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; img-src data:"
    )
    links = (
        f'<link rel="stylesheet" href="{escape(assets)}/{PAGE_CSS}">\n'
        f'<script defer src="{escape(assets)}/{PAGE_JS}"></script>'
    )
    return _html(document, data, policy, links, "")


def shared_assets() -> dict[str, str]:
    """By name the files that the pages of a folder share."""
    # Not a module: browsers load none from a disk. In a function, so that nothing in it is global.
    return {PAGE_JS: f'(() => {{\n"use strict";\n{asset(PAGE_JS)}\n}})();\n', PAGE_CSS: asset(PAGE_CSS)}


def page_title(document: Document) -> str:
    """The title of a page: the rules, which game it is, and the players."""
    names = ", ".join(seat.name for seat in document.seats)
    return " · ".join(part for part in (document.title, document.name, names) if part)


def _html(document: Document, data: str, policy: str, head: str, foot: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="referee {escape(document.referee)}">
<title>{escape(page_title(document))}</title>
{head}
</head>
<body>
<div id="page" class="scene"><noscript>{NO_SCRIPT}</noscript></div>
<script type="text/plain" id="document">{data}</script>
{foot}</body>
</html>
"""


@cache
def asset(name: str) -> str:
    """A file of the bundle. It is inlined as it is: esbuild writes `</script` in a way that ends nothing."""
    return resources.files(__package__).joinpath("bundle", name).read_text(encoding="utf-8")


@cache
def morph_script() -> str:
    """`morph`, with which other pages than those of games change in place."""
    return resources.files(__package__).joinpath("morph.js").read_text(encoding="utf-8")


def content_hash(content: str) -> str:
    """As a content security policy has it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
