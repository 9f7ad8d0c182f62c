"""Plays tournaments into a folder for tests of the store: built-in players, no processes, one game at a time."""

import json
import shutil
import sqlite3
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import trio
from msgspec import structs
from trio.testing import MockClock

from protocol.record import PlayerInfo
from referee.bots.policies import POLICIES
from referee.game_runner import GameRunner, GameSetup
from referee.outcome import Fault
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import TimeControl
from referee.record.writer import RecordInMemory
from referee.seeds import bot_seed, keyed, public_id
from tournaments.competition.changes import AnyChange, Joined, Replayed, Withdrawn
from tournaments.competition.games import PlannedGame, StoredGame, deal_seed, game_id_of
from tournaments.competition.progress import Progress
from tournaments.competition.regulations import Entrant
from tournaments.competition.results import tournament_standings
from tournaments.competition.rounds import Deal
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.store.database import Database
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.manifest import Manifest
from tournaments.event.store.new_manifest import manifest_run, new_manifest
from tournaments.event.store.records import record_to_game, tournament_openings

SEED = "a seed for tests"
NOT_STARTED = Fault("crash", "could not be started")
AT = "2026-01-01T00:00:00+00:00"


def tournament_file(folder: Path, text: str, bots: Sequence[str] = "abcd") -> Path:
    """A file with these bots, all of which play at random."""
    path = folder / "cup.toml"
    path.write_text(text + "".join(f'\n[[bot]]\nbuiltin = "random"\nname = "{name}"\n' for name in bots))
    return path


def execute(database: Path, *statements: str) -> None:
    """Change a database without us."""
    connection = sqlite3.connect(database)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


class Organiser:
    """A tournament in progress. Every method leaves the folder as a referee would that is stopped after it."""

    def __init__(self, folder: TournamentFolder, progress: Progress) -> None:
        self.folder = folder
        self.progress = progress
        self.failing: set[str] = set()
        """Bots that can't be started."""
        self.openings = tournament_openings(progress.regulations, folder.openings(progress.regulations), progress.seed)

    @classmethod
    def begin(cls, file: Path, path: Path, seed: str = SEED) -> "Organiser":
        """A new folder for a tournament file."""
        spec = read_tournament(file)
        manifest = new_manifest(spec, seed, {})
        conditions = spec.with_conditions(concurrency=1, workers=1).conditions
        run = manifest_run(manifest.regulations, conditions, command="run", sandbox="none")
        text = file.read_text()
        folder = TournamentFolder.create(path, text, manifest.with_run(run), seed, {}, openings=spec.openings)
        return cls(folder, Progress(manifest.regulations, seed))

    def copied_to(self, path: Path) -> "Organiser":
        """The same tournament in another folder."""
        shutil.copytree(self.folder.path, path)
        copy = Organiser(TournamentFolder.open(path), deepcopy(self.progress))
        copy.failing |= self.failing
        return copy

    @property
    def manifest(self) -> Manifest:
        """As it is in the folder."""
        return self.folder.manifest

    def execute(self, statement: str) -> None:
        """Change the database without us."""
        execute(self.folder.database, statement)

    # -- steps ------------------------------------------------------------------------------------------------

    def pair(self) -> bool:
        """Begin the next round. False at the end."""
        round_ = self.progress.next_round()
        if round_ is None:
            return False
        self.progress.begin(round_)
        with Database.open(self.folder.database) as database:
            database.write(rounds=[round_])
        return True

    def play_game(self, planned: PlannedGame, *, row: bool = True) -> StoredGame:
        """Play and store a game; without `row`, the referee is stopped before that is written."""
        game = self.record_game(planned)
        if row:
            with Database.open(self.folder.database) as database:
                database.write(games=[(game, None)])
        self.progress.add(game)
        return game

    def record_game(self, planned: PlannedGame) -> StoredGame:
        """Play a game and write its record."""
        data = self.play(planned)
        self.folder.write_record(planned.game_id, data)
        return record_to_game(data, {entry.name: bot for bot, entry in enumerate(self.progress.entries)})

    def play(self, planned: PlannedGame) -> bytes:
        """Play a game. Returns its record."""
        seed, regulations = self.progress.seed, self.manifest.regulations
        names = [self.progress.entries[bot].name for bot in planned.bots]
        recorder = RecordInMemory()
        config = regulations.config_for(len(names))
        deal = deal_seed(seed, planned.round, Deal.of(regulations.deals_of, planned.table, planned.deal))
        opener = None if self.openings is None else self.openings.opener(regulations.game_type, config)
        setup = GameSetup(
            game_id=planned.game_id,
            public_id=public_id(keyed(seed), planned.game_id),
            game=regulations.game_type,
            config=config,
            seed=deal,
            opened=None if opener is None else opener.begin(planned.deal - 1, deal),
            names=names,
            bot_seeds=[bot_seed(keyed(seed), planned.game_id, seat) for seat in range(len(names))],
            control=TimeControl(),
        )
        players = [NOT_STARTED if name in self.failing else BuiltinPlayer(POLICIES["random"]) for name in names]
        run = GameRunner(setup, players, [PlayerInfo(name=name) for name in names], recorder).play
        trio.run(run, clock=MockClock(autojump_threshold=0))  # no decision takes any time
        return recorder.content()

    def close(self) -> None:
        """End the round."""
        self.progress.close()
        self.folder.write_manifest(self.manifest.with_rounds(self.progress))

    def play_round(self) -> bool:
        """Pair and play a whole round. False at the end."""
        if self.progress.current is None and not self.pair():
            return False
        assert self.progress.current is not None
        for planned in self.progress.current.missing():
            self.play_game(planned)
        self.close()
        return True

    def play_rounds(self, most: int = 1000) -> None:
        """Play so many rounds, or to the end."""
        while most and self.play_round():
            most -= 1

    def finish(self, standings: Any = None) -> None:
        """Play to the end, and publish the seed."""
        self.play_rounds()
        self.folder.write_manifest(
            structs.replace(self.manifest, seed=self.progress.seed, finished=True, standings=standings)
        )

    def finish_with_standings(self) -> None:
        """Play to the end, and publish the seed and the standings, as JSON has them."""
        self.play_rounds()
        self.finish(json.loads(msgspec.json.encode(tournament_standings(self.progress, True))))

    # -- events -----------------------------------------------------------------------------------------------

    def apply(self, event: AnyChange) -> None:
        """An event other than a replay."""
        with Database.open(self.folder.database) as database:
            database.write(events=[event])
        self.progress.apply(event)
        self.folder.write_manifest(self.manifest.with_events([event]).with_head(self.progress))

    def withdraw(self, name: str) -> None:
        """A bot withdraws."""
        self.apply(Withdrawn(round=self.progress.next_number, at=AT, bot=name, reason="wished to"))

    def join(self, name: str) -> None:
        """A late entry."""
        entrant = Entrant(name=name)
        bot = structs.replace(self.manifest.bots[0], name=name)
        self.folder.write_manifest(structs.replace(self.manifest, bots=(*self.manifest.bots, bot)))
        self.apply(Joined(round=self.progress.next_number, at=AT, bot=entrant, source={"builtin": "random"}))

    def replay(self, game_id: str, *, lost: bool = False) -> StoredGame:
        """Play a game again."""
        old = next(game for game in self.progress.games() if game.game_id == game_id)
        replacement = game_id_of(old.round, old.table, old.deal, old.rotation, old.again + 1)
        game = self.record_game(
            PlannedGame(
                game_id=replacement,
                round=old.round,
                table=old.table,
                deal=old.deal,
                rotation=old.rotation,
                bots=old.bots,
            )
        )
        event = Replayed(
            round=self.progress.next_number,
            at=AT,
            game_id=game_id,
            replacement=replacement,
            reason="late",
            old=old,
            lost=lost,
        )
        with Database.open(self.folder.database) as database:
            database.write(games=[(game, None)], events=[event])
        self.folder.write_manifest(self.manifest.with_events([event]))
        self.progress.apply(event, game)
        self.folder.write_manifest(self.manifest.with_rounds(self.progress))
        return game
