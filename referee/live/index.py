"""The page of a run: what is played now and who leads, the results so far and all games; and the page on which a person
waits for a game to begin."""

from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from referee.games.narrator import ABOUT_ROTATIONS, format_game_id
from referee.games.seat_marks import seat_mark
from referee.live.run import MAX_CARDS
from referee.pages.html import morph_script
from referee.pages.svg import write_node

if TYPE_CHECKING:
    from referee.live.games import LiveGame
    from referee.live.run import LiveRun, Person

TEMPLATE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{css}</style></head>
<body class="run"><p id="state" class="state" role="status">{state}</p>
<main id="main">{body}</main>
<script>{script}</script></body></html>
"""
MAX_OPEN: Final = 12
"""Finished games that are listed at once; earlier ones are behind a click."""
WHOLE_GAMES: Final = (
    "Only finished games have pictures; `tournament watch` doesn't receive the positions of running games."
)


def index_page(run: "LiveRun", *, body_only: bool = False) -> bytes:
    """The page for spectators, or what is inside its `main`."""
    if not run.index:  # once for all spectators
        shown = run.standings
        final = " data-final" if shown.final else ""
        head = [
            f"<h1{final}>{escape(run.title)}</h1>",
            _paragraph(shown.lead or leading(run), "lead"),
            _paragraph(shown.note, "note"),
        ]
        wide = '<div class="wide" tabindex="0" role="region" aria-label="{0}, drawn">{1}</div>'
        brackets = "".join(f"<h2>{title}</h2>{wide.format(title, svg)}" for title, svg in shown.brackets)
        columns = [
            _section("now", running(run)),
            _section("brackets", brackets),
            _section("standings", standings(run)),
            _section("latest", latest(run)),
        ]
        run.index = "".join([*head, '<div class="columns">', *columns, "</div>", finished(run)]).encode()
    return run.index if body_only else whole(run.title, run.index.decode(), final=run.standings.final)


def leading(run: "LiveRun") -> str:
    """Who leads the only game of a run, as far as spectators know."""
    [game, *others] = run.games.values() or [None]
    if game is None or others or game.over or game.preview is None or not game.preview.scores:
        return ""
    best = max(game.preview.scores)
    ahead = [name for name, score in zip(game.names, game.preview.scores, strict=True) if score == best]
    if len(ahead) == len(game.names):
        return ""
    return f"{' and '.join(ahead)} {'lead' if len(ahead) > 1 else 'leads'} with {best:.10g} points"


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
    headings = "".join(f'<th scope="col">{escape(cell)}</th>' if cell else "<td></td>" for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    title = "Final standings" if run.standings.final else "Standings so far"
    notes = "".join(_paragraph(note, "quiet") for note in run.standings.notes)
    return f"<h2>{title}</h2><table><thead><tr>{headings}</tr></thead><tbody>{lines}</tbody></table>{notes}"


def running(run: "LiveRun") -> str:
    """The games being played, some of them with their newest positions."""
    games = [game for game in run.games.values() if not game.over]
    now = [game for game in games if game.has_begun][:MAX_CARDS]
    others = [game for game in games if game not in now]
    parts = [
        f"<h2>{'Running' if run.ended is None else 'Broken off'}</h2>" if now or others else "",
        _cards(run, now),
        _list(run, others),
        _paragraph(WHOLE_GAMES, "quiet") if others and run.whole_games else "",
    ]
    return "".join(parts) or ("" if run.games else "<p>No game is being played yet.</p>")


def latest(run: "LiveRun") -> str:
    """The last positions of recently finished games."""
    games = [game for game in run.cards if game.over and game.is_previewed]
    return f"<h2>Latest</h2>{_cards(run, games)}" if games else ""


def finished(run: "LiveRun") -> str:
    """The finished games, the latest first."""
    games = [game for game in reversed(run.games.values()) if game.over]
    if not games:
        return ""
    older = games[MAX_OPEN:]
    folded = (
        f'<details id="earlier"><summary>{len(older)} earlier</summary>{_list(run, older)}</details>' if older else ""
    )
    about = _paragraph(ABOUT_ROTATIONS if any("rotation" in _name(game) for game in games) else "", "quiet")
    return f"<h2>Finished</h2>{_list(run, games[:MAX_OPEN])}{folded}{about}"


def _cards(run: "LiveRun", games: Sequence["LiveGame"]) -> str:
    cards = (_card(run, game) for game in games)
    return f'<div class="cards">{"".join(cards)}</div>' if games else ""


def _list(run: "LiveRun", games: Sequence["LiveGame"]) -> str:
    if not games:
        return ""
    items = (
        f"<li>{_link(run, game, escape(_name(game)))}: {escape(game.over or ', '.join(game.names))}</li>"
        for game in games
    )
    return f'<ul class="games">{"".join(items)}</ul>'


def _card(run: "LiveRun", game: "LiveGame") -> str:
    """A game with its newest position, who sits in which seat, and their scores."""
    preview = game.preview
    picture = "" if game.over else '<div class="picture"></div>'
    if preview is not None and preview.picture:
        address = f"games/{escape(game.game_id)}/picture?{game.previewed}"
        picture = f'<img class="picture" src="{address}" alt="The newest position" width="400" height="300">'
    below = _paragraph(game.over, "quiet")
    if not game.over:
        number = "" if preview is None or not preview.round else f"round {preview.round} of the game"
        below = f'<ul class="seats">{_seats(game)}</ul>{_paragraph(number, "quiet")}'
    link = _link(run, game, f"{picture}{escape(_name(game))}")
    return f'<article class="card" id="game-{escape(game.game_id)}">{link}{below}</article>'


def _seats(game: "LiveGame") -> str:
    """Who sits where, and the scores."""
    scores = () if game.preview is None else game.preview.scores
    seats = []
    for seat, name in enumerate(game.names):
        mark = f'<svg viewBox="0 0 12 12" aria-hidden="true">{write_node(seat_mark(seat, 6, 6))}</svg>'
        score = f" {scores[seat]:.10g}" if seat < len(scores) else ""
        ahead = ' class="ahead"' if score and scores[seat] == max(scores) > min(scores) else ""
        seats.append(f"<li{ahead}>{mark}{escape(name)}{score}</li>")
    return "".join(seats)


def _name(game: "LiveGame") -> str:
    name = format_game_id(game.game_id)
    return f"{name[:1].upper()}{name[1:]}"


def _link(run: "LiveRun", game: "LiveGame", content: str) -> str:
    """A link if there is a page: the lines of some running games aren't sent, and at the end the server goes."""
    if not game.has_begun or run.ended is not None:
        return content
    return f'<a href="games/{escape(game.game_id)}">{content}</a>'


def _paragraph(text: str, css: str) -> str:
    return f'<p class="{css}">{escape(text)}</p>' if text else ""


def _section(key: str, content: str) -> str:
    return f'<section id="{key}">{content}</section>' if content else ""


def whole(title: str, body: str, *, final: bool = False) -> bytes:
    """A whole page. `final`: nothing on it will change."""
    script = morph_script() + _file("index.js")
    css = _file("index.css")
    return TEMPLATE.format(
        title=escape(title), css=css, script=script, body=body, state="finished" if final else "live"
    ).encode()


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
