"""What live pages are told, without their process: of lost games, of records that can't be read, and after the end."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from referee.cli.tournament.watch import read_state, show_folder
from referee.cli.watch import WatchOptions
from referee.live.connections import Request
from referee.live.index import index_page
from referee.live.messages import GameOver, GameShown, LinesWritten, RunShown, StandingsShown, ToServer
from referee.live.run import LiveRun
from referee.live.server import Site
from referee.reports.broadcast import Broadcast, TournamentBroadcast, standings_shown
from tests.pages.playing import page as page_of
from tests.tournaments.competition.simulated import Simulation, regulations
from tournaments.competition.quick_standings import QuickStandings
from tournaments.event.events import TournamentOpened
from tournaments.event.service import run_tournament
from tournaments.event.store.begun import BegunGames
from tournaments.event.store.folder import TournamentFolder
from tournaments.play.events import LineRecorded, LiveEvent
from tournaments.play.interruption import Interruption

CUP = """
format = "round_robin"
game = "forbidden_city"
deals = 1
seed = "x"
[run]
concurrency = 1
sandbox = "none"
[[bot]]
builtin = "first"
[[bot]]
builtin = "random"
"""


class FakePages:
    """Passes messages on at once."""

    def __init__(self, send: Callable[[ToServer], None]) -> None:
        self.send = send

    def record(self, game_id: str, line: bytes) -> None:
        """Pass a line on."""
        self.send(LinesWritten(game_id, (line,)))


async def play_cup(folder: Path, observer: Callable[[LiveEvent], None] = lambda event: None) -> Path:
    """Play a short tournament, and return its folder."""
    (folder / "cup.toml").write_text(CUP)
    await run_tournament(folder / "cup.toml", folder / "cup", observer, Interruption())
    return folder / "cup"


@pytest.mark.slow
@pytest.mark.parametrize("with_lines", [True, False])
async def test_a_game_whose_worker_is_lost_is_shown_from_its_beginning(
    with_lines: bool, records: Mapping[str, Path]
) -> None:
    record, names = records["forbidden_city"], ("a", "b", "c")
    lines = record.read_bytes().splitlines()
    run = LiveRun(RunShown("Match", "", hidden=False), "token", lambda message: None)
    broadcast = Broadcast(cast("Any", FakePages(run.receive)), {})

    def play(some: Sequence[bytes]) -> None:
        broadcast.begin("0001-1", names)
        for line in some:
            broadcast.observe(LineRecorded(game_id="0001-1", line=line))

    play(lines[: len(lines) // 2])
    await run.update_previews()
    lost = run.games["0001-1"]
    assert lost.preview is not None
    for scores, said in {
        (1.0, 5.0, 3.0): "b leads with 5 points",
        (2.0, 1.0, 2.0): "a and c lead with 2 points",
    }.items():
        lost.preview, run.index = lost.preview._replace(scores=scores), b""
        assert f'<p class="lead">{said}</p>' in index_page(run).decode(), "of the only game"
    asked: Any = Request(
        connection=cast("Any", SimpleNamespace(whose=0)),
        method="GET",
        path="/token/games/0001-1/events",
        query={},
        headers={"host": "127.0.0.1:80"},
        body=b"",
    )
    open_page: Any = (await Site(run, frozenset(), loopback=True).answer(asked)).content
    play(lines if with_lines else [])
    *_, end = [update async for update in open_page]
    assert b"It was broken off, and is played again" in end, "it gets no more lines, and says why"
    assert lost not in run.cards
    broadcast.finish("0001-1", names, "a 3, b 2, c 1", record)
    run.end()
    await run.update_previews()
    game = run.games["0001-1"]
    assert game.over == "a 3, b 2, c 1"
    assert game.preview is not None
    assert game.preview.picture
    assert await game.page("public")
    whole = page_of(record, ["public"])
    assert await game.last_step("public") == len(whole.steps) - 1


async def test_a_running_game_that_cannot_be_drawn_is_tried_again_once_there_is_more(
    records: Mapping[str, Path],
) -> None:
    lines = records["forbidden_city"].read_bytes().splitlines()
    run = LiveRun(RunShown("Match", "", hidden=False), "token", lambda message: None)
    run.receive(GameShown("0001-1", ("a", "b", "c")))
    run.receive(LinesWritten("0001-1", (*lines[:-5], b"no line")))
    game = run.games["0001-1"]
    await game.update_preview("public")
    assert game.is_previewed
    assert game.preview is not None
    assert not game.preview.picture
    game.add_lines(lines[-5:-1])
    assert not game.is_previewed


def test_a_knockout_is_shown_as_its_bracket() -> None:
    progress = Simulation(regulations("knockout", 4)).rounds(1).progress
    shown = standings_shown(progress, QuickStandings().rows(progress), None)
    run = LiveRun(RunShown("Cup", "", hidden=False), "token", lambda message: None)
    run.receive(shown)
    [(title, drawing)] = shown.brackets
    page = index_page(run).decode()
    assert f"<h2>{title}</h2>" in page
    assert drawing in page
    assert "<table>" not in page, "all share a place as long as they are in it"


async def test_after_the_final_standings_come_no_others(tmp_path: Path) -> None:
    sent: list[ToServer] = []
    events: list[LiveEvent] = []
    broadcast = TournamentBroadcast(cast("Any", FakePages(sent.append)), tmp_path)

    def observe(event: LiveEvent) -> None:
        events.append(event)
        broadcast.observe(event)

    await play_cup(tmp_path, observe)
    broadcast.observe(next(event for event in events if isinstance(event, TournamentOpened)))
    finals = [message.final for message in sent if isinstance(message, StandingsShown)]
    assert finals == [*[False] * (len(finals) - 1), True]


async def test_a_finished_game_is_over_even_if_its_record_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = await play_cup(tmp_path)
    *_, unreadable = sorted((cup / "records").glob("*.jsonl.gz"))
    unreadable.unlink()
    over: list[str] = []
    interruption = Interruption()

    def send(message: ToServer) -> None:
        if isinstance(message, GameOver):
            over.append(message.game_id)
        elif isinstance(message, StandingsShown):
            interruption.interrupt()

    @contextlib.asynccontextmanager
    async def pages(*_: object, **options: object) -> AsyncIterator[object]:
        yield FakePages(send), {}, []

    monkeypatch.setattr("referee.cli.tournament.watch.live_pages", pages)
    assert await show_folder(cup, WatchOptions(watch=True), interruption)
    assert unreadable.name.removesuffix(".jsonl.gz") in over


def test_a_game_that_ends_while_the_folder_is_read_is_not_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    BegunGames(begun).begin(["last"])
    games = [SimpleNamespace(game_id="last", bots=(0, 1))]
    progress = SimpleNamespace(current=SimpleNamespace(missing=lambda: games))

    def load(store: object, *, repair: bool) -> object:
        begun.unlink()  # its round is over as soon as what it returns has been read
        return SimpleNamespace(progress=progress)

    monkeypatch.setattr("referee.cli.tournament.watch.load", load)
    store = SimpleNamespace(begun=begun, manifest=SimpleNamespace(sessions=[SimpleNamespace(ended=None)]))
    _, running = read_state(cast("TournamentFolder", store))
    assert running == {"last": (0, 1)}
