"""The pages of the games of a report: made of their records, in several processes if there are many."""

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from referee.errors import RefereeError
from referee.games.renderer import Audience
from referee.own_python import spawning
from referee.pages.document import Document
from referee.pages.html import packed, page_title, write_shared_page
from referee.pages.timeline import whole_game
from referee.processes.limits.machine import cores
from referee.record.replay import Replay

Kind = Literal["none", "public", "all"]
"""Of the games, what is drawn."""
FEW: Final = 6
"""Up to this many games are drawn in this process."""
PER_TASK: Final = 2
ASSETS: Final = "../assets"
"""The folder of the shared script, from that of the games."""


class RecordedGame(NamedTuple):
    game_id: str
    record: Path
    note: str = ""
    """Why its result doesn't count as it was played."""


class GamePage(Struct, frozen=True, kw_only=True):
    game_id: str
    title: str
    data: str
    """As it stands in HTML; in base64."""
    html: str
    """As a file of a folder."""
    slowest: dict[int, int]
    """By seat the step of its slowest decision, as far as the audience may know them."""


def recorded_game(
    record: Path, audiences: Sequence[Audience] | None, *, with_paths: bool = False, note: str = ""
) -> Document | None:
    """As `whole_game`; None if the record is invalid."""
    try:
        return whole_game(Replay(record), record, audiences, with_paths=with_paths, note=note)
    except (RefereeError, OSError):
        return None


def game_page(game: RecordedGame, kind: Kind, *, with_paths: bool = False) -> GamePage | None:
    """The page of a game, with everything in it or only what is public; None if the record is invalid."""
    document = recorded_game(game.record, None if kind == "all" else ["public"], with_paths=with_paths, note=game.note)
    if document is None:
        return None
    data = packed(document)
    return GamePage(
        game_id=game.game_id,
        title=page_title(document),
        data=data,
        html=write_shared_page(document, data, ASSETS),
        slowest=slowest_steps(document),
    )


def slowest_steps(document: Document) -> dict[int, int]:
    """By seat the step of the decision that took it longest."""
    found: dict[int, tuple[float, int]] = {}
    for number, step in enumerate(document.steps):
        decision = step.views[0].decision if step.views else None
        if decision is None or decision.ms is None or decision.forced or decision.substitute:
            continue
        if decision.seat not in found or decision.ms > found[decision.seat][0]:
            found[decision.seat] = (decision.ms, number)
    return {seat: number for seat, (_, number) in found.items()}


def game_pages(games: Sequence[RecordedGame], kind: Kind, *, with_paths: bool = False) -> Iterator[GamePage]:
    """The pages of games in their order. Those whose records are invalid are left out."""
    draw = partial(game_page, kind=kind, with_paths=with_paths)
    if len(games) <= FEW or cores() == 1:
        yield from (page for page in map(draw, games) if page is not None)
        return
    with contextlib.ExitStack() as stack:
        with spawning() as context:
            pool = stack.enter_context(ProcessPoolExecutor(cores(), mp_context=context))
            pages = pool.map(draw, games, chunksize=PER_TASK)
        try:
            for page in pages:
                if page is not None:
                    yield page
        finally:
            pool.shutdown(cancel_futures=True)
