"""Pictures of pages to look at: at three sizes in light and dark.

`python -m tests.browser.screenshots [PAGE …] [-o FOLDER]`; each PAGE is a file or the address of a live page. Of a
game: the first, a middle and the last position; of a report or the page of a run: the first screen and the whole page.
Without pages, of the made-up game of the tests.
"""

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.browser.made_up import made_up
from tests.browser.opening import chromium, html, missing

SIZES: Final = ((390, 844), (1280, 800), (1920, 1080))


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/screenshots"), metavar="FOLDER")
    arguments = parser.parse_args()
    if missing():
        parser.error(missing())
    arguments.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        if not arguments.pages:
            file = Path(folder) / "made-up.html"
            file.write_text(html(made_up()), encoding="utf-8")
            arguments.pages.append(str(file))
        for given in arguments.pages:
            is_live = re.match("https?://", given)
            for width, height in SIZES:
                for scheme in ("light", "dark"):
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    page.goto(given if is_live else Path(given).resolve().as_uri())
                    page.wait_for_selector(".page, .report, .run")
                    page.wait_for_timeout(3000 if is_live else 300)  # positions of running games are drawn on demand
                    for name, options in shown(page):
                        target = arguments.output / f"{named(given)}-{name}-{width}-{scheme}.png"
                        page.screenshot(path=target, **options)
                        print(target)  # noqa: T201
                    page.close()


def shown(page: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Bring the page to each state that is to be seen: its name, and how the picture is taken."""
    if page.locator(".page").count():
        last = int(page.get_by_role("slider").get_attribute("max"))
        for name, step in (("first", 0), ("middle", last // 2), ("last", last)):
            page.evaluate(f"location.hash = '#{step}'")
            page.wait_for_timeout(300)
            yield name, {}
    else:
        yield "screen", {}
        yield "whole", {"full_page": True}


def named(given: str) -> str:
    """What the pictures of a page are called: a file with its folder if it is an index, a live game by its id."""
    *_, folder, name = ["live", *re.sub("^https?://[^/]+/[^/]*", "", given).strip("/").split("/")]
    return folder if name in ("", "index.html") else Path(name).stem


if __name__ == "__main__":
    main()
