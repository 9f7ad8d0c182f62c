"""A contact sheet: a middle position of every game, light and dark, as one page and as a picture.

`python -m tests.browser.contact_sheet [NAME …] [-o FOLDER] [--width 1280]`; without names, of all games.
"""

import argparse
from html import escape
from pathlib import Path
from random import Random
from typing import Final

from referee.games import Game, OptionError, find_source, game_names, new_game
from referee.games.registry import find_narrator, find_renderer
from referee.games.text_renderer import TextRenderer
from referee.pages.svg import write_svg
from tests.browser.opening import chromium, missing

DECISIONS: Final = 24
NAMES: Final = ("steady", "mason", "random", "harbour", "juniper", "oak", "pine", "reed", "sage", "thyme")
STYLE: Final = """
body { margin: 0; padding: 16px; font: 13px system-ui; } body.light { background: #FAF8F4; color: #1F1B16; }
body.dark { background: #16181C; color: #ECE8E1; color-scheme: dark; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(350px, 1fr)); gap: 20px; }
figure { margin: 0; } img { width: 100%; } figcaption { font-weight: 600; }
"""


def middle(name: str, decisions: int = DECISIONS) -> Game:
    """A position in the middle of a game of random players, or one earlier if it ended."""
    game = before = new_game(name, 1)
    random = Random(3)
    for _ in range(decisions):
        if game.turn is None:
            return before
        before = game.copy()
        game.apply(random.choice(game.legal_actions()))
    return before if game.turn is None else game


def picture(name: str) -> str:
    """The SVG of a middle position of a game."""
    game = middle(name)
    kind = find_renderer(type(game))
    names = NAMES[: game.config.players]
    renderer = TextRenderer(names, "all", find_narrator(type(game))) if kind is None else kind(names, "all")
    return write_svg(renderer.draw(game), name, renderer.css)


def main() -> None:
    """Write the page and its pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/contact-sheet"), metavar="FOLDER")
    parser.add_argument("--width", type=int, default=1600)
    arguments = parser.parse_args()
    if missing():
        parser.error(missing())
    names = arguments.names or all_names()
    arguments.output.mkdir(parents=True, exist_ok=True)
    figures = []
    for name in names:
        file = f"{name.replace(':', '.')}.svg"
        (arguments.output / file).write_text(picture(name), encoding="utf-8")
        figures.append(f'<figure><figcaption>{escape(name)}</figcaption><img src="{file}" alt=""></figure>')
    with chromium() as browser:
        for scheme in ("light", "dark"):
            page = arguments.output / f"{scheme}.html"
            page.write_text(
                f'<!doctype html><meta charset="utf-8"><title>All games</title><style>{STYLE}</style>'
                f'<body class="{scheme}"><main>{"".join(figures)}</main>',
                encoding="utf-8",
            )
            shown = browser.new_page(viewport={"width": arguments.width, "height": 1000}, color_scheme=scheme)
            shown.goto(page.resolve().as_uri())
            shown.screenshot(path=page.with_suffix(".png"), full_page=True)
            print(page.with_suffix(".png"))  # noqa: T201


def all_names() -> list[str]:
    """The referee's own games, and those of OpenSpiel if it is installed."""
    try:
        spiel = [f"open_spiel:{name}" for name in find_source("open_spiel").names()]
    except OptionError:
        spiel = []
    return [*game_names(), *spiel]


if __name__ == "__main__":
    main()
