"""The page of a run: its results so far and its games; and the page on which a person waits for a game to begin."""

from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from referee.live.games import LiveGame
    from referee.live.run import LiveRun, Person

TEMPLATE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{css}</style></head>
<body class="run"><main id="main">{body}</main>
<p id="state" class="state" role="status">{state}</p>
<script>{script}</script></body></html>
"""


def index_page(run: "LiveRun", *, body_only: bool = False) -> bytes:
    """The page for spectators, or what is inside its `main`."""
    if not run.index:  # once for all spectators
        final = " data-final" if run.standings.final else ""
        run.index = "".join([f"<h1{final}>{escape(run.title)}</h1>", standings(run), games(run)]).encode()
    return run.index if body_only else whole(run.title, run.index.decode(), final=run.standings.final)


def waiting_page(run: "LiveRun", person: "Person") -> bytes:
    """The page of a person: it leads to the game as soon as there is one."""
    where = "<p>Your game begins as soon as everybody is ready.</p>"
    if person.game_id:
        where = f'<p><a id="game" href="games/{escape(person.game_id)}">Go to your game</a></p>'
    return whole(run.title, f"<h1>{escape(run.title)}</h1><p>You play as {escape(person.name)}.</p>{where}")


def standings(run: "LiveRun") -> str:
    if not run.standings.rows:
        return ""
    head, *rows = run.standings.rows
    note = f"<p>{escape(run.standings.note)}</p>" if run.standings.note else ""
    headings = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    title = "Results" if run.standings.final else "Results so far"
    return f"<h2>{title}</h2>{note}<table><thead><tr>{headings}</tr></thead><tbody>{lines}</tbody></table>"


def games(run: "LiveRun") -> str:
    """The running games, and then the finished ones, the latest first."""
    running = [game for game in run.games.values() if not game.over]
    finished = [game for game in reversed(run.games.values()) if game.over]
    parts = []
    for title, some in (("Running", running), ("Finished", finished)):
        if some:
            items = "".join(
                f"<li>{link(game)} {escape(game.label)}{f' · {escape(game.over)}' if game.over else ''}</li>"
                for game in some
            )
            parts.append(f"<h2>{title}</h2><ul class='games'>{items}</ul>")
    return "".join(parts) or "<p>No game has begun yet.</p>"


def link(game: "LiveGame") -> str:
    """The id of a game, as a link if there is a page: games of workers have none while they run."""
    game_id = escape(game.game_id)
    return f'<a href="games/{game_id}">{game_id}</a>' if game.has_begun else game_id


def whole(title: str, body: str, *, final: bool = False) -> bytes:
    """A whole page. `final`: nothing on it will change."""
    package = resources.files("referee.live")
    css = package.joinpath("index.css").read_text(encoding="utf-8")
    script = package.joinpath("index.js").read_text(encoding="utf-8")
    return TEMPLATE.format(
        title=escape(title), css=css, script=script, body=body, state="finished" if final else "live"
    ).encode()
