"""Opening pages in chromium: where it is, how it is started, and what a page of a document looks like as HTML."""

import base64
import gzip
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec

from referee.pages.document import Document
from tests.timeouts import TEST_TIMEOUT

BUNDLE: Final = resources.files("referee.pages") / "bundle"
AXE: Final = Path(
    os.environ.get("AXE") or Path(__file__).parents[2] / "referee/pages/browser/node_modules/axe-core/axe.min.js"
)
"""Set by .ci/browser-tests, which runs the tests outside the checkout."""
ARGUMENTS: Final = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
POLICY: Final = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'"


def find_chromium() -> str | None:
    """The browser to test with: $CHROMIUM, or an installed one; the headless shell takes half the CPU time."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def missing() -> str:
    """What is missing to test in a browser, in words; empty if nothing is."""
    try:
        import playwright.sync_api  # noqa: F401, PLC0415 (an extra)
    except ImportError:
        return "playwright isn't installed: make test-browser installs it"
    return "" if find_chromium() else "there is no chromium: apt-get install chromium, or set CHROMIUM=/path/to/it"


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless chromium, without its sandbox where root runs it, since it refuses to start there otherwise."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (an extra)

    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find_chromium(), args=[*ARGUMENTS, *sandbox])
        yield browser
        browser.close()


def html(document: Document) -> str:
    """A page with the committed bundle."""
    data = base64.b64encode(gzip.compress(msgspec.json.encode(document))).decode()
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A game</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{(BUNDLE / 'page.css').read_text(encoding='utf-8')}</style></head>"
        f'<body><div id="page" class="scene"></div>'
        f'<script type="application/octet-stream" id="document">{data}</script>'
        f'<script type="module">{(BUNDLE / "page.js").read_text(encoding="utf-8")}</script></body></html>'
    )


def wait_until(page: Any, holds: Callable[[], bool]) -> None:
    """Wait until something holds. The page's policy forbids what `wait_for_function` does."""
    deadline = time.monotonic() + TEST_TIMEOUT
    while not holds():
        assert time.monotonic() < deadline, page.locator("body").inner_text()[:2000]
        page.wait_for_timeout(20)
