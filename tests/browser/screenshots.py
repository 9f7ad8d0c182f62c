"""Pictures of pages to look at: at three sizes in light and dark, of the first, a middle and the last position.

`python -m tests.browser.screenshots [FILE.html …] [-o FOLDER]`; without files, of the made-up game of the tests.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Final

from tests.browser.made_up import made_up
from tests.browser.opening import chromium, html, missing

SIZES: Final = ((390, 844), (1280, 800), (1920, 1080))


def main() -> None:
    """Take them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.html")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/screenshots"), metavar="FOLDER")
    arguments = parser.parse_args()
    if missing():
        parser.error(missing())
    arguments.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        if not arguments.files:
            file = Path(folder) / "made-up.html"
            file.write_text(html(made_up()), encoding="utf-8")
            arguments.files.append(file)
        for file in arguments.files:
            for width, height in SIZES:
                for scheme in ("light", "dark"):
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    page.goto(file.resolve().as_uri())
                    page.wait_for_selector(".page")
                    last = int(page.get_by_role("slider").get_attribute("max"))
                    for name, step in (("first", 0), ("middle", last // 2), ("last", last)):
                        page.evaluate(f"location.hash = '#{step}'")
                        page.wait_for_timeout(300)
                        target = arguments.output / f"{file.stem}-{name}-{width}-{scheme}.png"
                        page.screenshot(path=target)
                        print(target)  # noqa: T201
                    page.close()


if __name__ == "__main__":
    main()
