"""Plays the rounds of a tournament, stores every game, and applies changes between rounds."""

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from enum import Enum, auto
from functools import cached_property, partial
from typing import Any

import msgspec
import trio
from msgspec import UNSET, structs

from referee.bots.crash import cause_of_crash
from referee.bots.hashed_files import FilesChangedError, HashedFiles, hashed_files
from referee.errors import RefereeError
from referee.exception_groups import single_errors
from referee.games import OptionError
from referee.games.opening import GivenOpenings
from referee.outcome import Fault
from referee.printable import sanitise
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.stderr_log import StderrExcerpt
from referee.record.writer import Recorder, RecordInMemory
from tournaments.competition.changes import AnyChange, AnyRuling, BegunAgain, Joined, Replayed, Withdrawn
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.games import PlannedGame, StoredGame, game_id_of
from tournaments.competition.progress import Progress, failing
from tournaments.competition.results import Standings, tournament_standings
from tournaments.competition.rounds import Round
from tournaments.competition.ruling_checks import check_ruling, find_bot
from tournaments.event.archive import read_stored
from tournaments.event.events import (
    Changed,
    PairingBegun,
    RoundBegun,
    RoundOver,
    TournamentGameOver,
    TournamentOpened,
    TournamentOver,
)
from tournaments.event.file.tournament_spec import TournamentBot, TournamentSpec
from tournaments.event.game_writer import GameWriter
from tournaments.event.hooks import run_hook, stop_time
from tournaments.event.pairing import IN_PROCESS_SECONDS, PairingError, pair_apart
from tournaments.event.readiness import provide_for_games, tournament_preflight
from tournaments.event.requests import ChangeRequest, PauseRequest, Requests
from tournaments.event.round_schedule import RoundSchedule, exclusive_use
from tournaments.event.store.begun import BegunGames
from tournaments.event.store.database import Database
from tournaments.event.store.details import details_of
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.manifest import Manifest, ManifestBot, now
from tournaments.event.store.new_manifest import manifest_bot
from tournaments.event.store.records import tournament_openings
from tournaments.play.archives import sources_in
from tournaments.play.conditions import Conditions
from tournaments.play.events import Notice, Observer, notices_to
from tournaments.play.executor import Executor, executor_kind
from tournaments.play.interruption import Interruption
from tournaments.play.local import open_local
from tournaments.play.plan import GamePlan
from tournaments.play.runner import Measurements, PlayedGame, Store


class TournamentError(RefereeError):
    """A tournament can't be run or resumed. The text says why, and what to do."""


class TournamentEnding(Enum):
    """Why the director has stopped playing a tournament."""

    FINISHED = auto()
    STOPPED = auto()
    PAUSED = auto()
    """`referee tournament pause` was given, or the next round can't be paired (`Director.problem`)."""
    INTERRUPTED = auto()


class Director:
    """Plays a tournament from its current state. Needs the folder's lock: only one director at a time plays in it.

    `spec`: the tournament file with the late entries; `sandbox` hides the folder from bots. `files`: those of bots, by
    name, that have been hashed in this run and are as in the manifest; others are hashed when they are started.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        folder: TournamentFolder,
        database: Database,
        progress: Progress,
        *,
        sandbox: Sandbox | None,
        files: Mapping[str, HashedFiles],
        observer: Observer,
        interruption: Interruption,
    ) -> None:
        self.manifest = folder.manifest
        self.progress = progress
        self.final_standings: Standings | None = None
        """The final standings, if this director has published them."""
        self.ending: TournamentEnding | None = None
        """Why it has stopped playing; None if it has not played rounds."""
        self.problem: str | None = None
        """Why the next round can't be paired, if it has paused for that."""
        self._spec = spec
        self._kind = executor_kind(spec.conditions)
        self._folder = folder
        self._database = database
        self._sandbox = sandbox
        self._files = dict(files)
        self._observer = observer if folder.private is None else folder.private.observer(observer)
        self._interruption = interruption
        self._bots: list[TournamentBot] = list(spec.bots)
        self._requests = Requests(folder.path)
        self._pausing = False
        self._is_past_stop = stop_time(spec.stop_at)
        self._planned: dict[str, PlannedGame] = {}
        self._one_writer = trio.CapacityLimiter(1)
        """Blocking disk operations run in a thread, one at a time: meanwhile the clocks of other games are running."""
        self._begun = BegunGames(folder.begun)
        self._writer = GameWriter(folder, database, self._one_writer)
        observer(TournamentOpened.of(progress))

    async def run(self) -> TournamentEnding:
        """Play round after round.

        Raises TournamentError, StoreError, RecordWriteError, MachineError and WorkerError. A game that was not over by
        then is missing, and is played when the tournament is resumed.
        """
        # Requests to pause that nobody runs a round for any more.
        for path, request in self._requests.waiting():
            if isinstance(request, PauseRequest):
                self._requests.remove(path)
        if not self.progress.begun and self._spec.start_at is not None:
            await self._wait_until(self._spec.start_at)
        with single_errors():
            async with self._kind.open(self._spec.conditions, self._observer, None) as executor:
                self.ending = await self._play_rounds(executor)
        return self.ending

    async def _wait_until(self, start: datetime) -> None:
        """Wait for the first round, and apply requests meanwhile. An interruption or a pause ends it."""
        # By the time of day, which may be set meanwhile: so it is looked at every second.
        if datetime.now(UTC) < start:
            self._observer(Notice(text=f"the first round begins at {start.astimezone():%Y-%m-%d %H:%M:%S}"))
        while datetime.now(UTC) < start and not (self._pausing or self._interruption.finishing):
            await self._take_requests()
            with self._interruption.until_finishing():
                await trio.sleep(min(1.0, max(0.0, (start - datetime.now(UTC)).total_seconds())))
        self._is_past_stop = stop_time(self._spec.stop_at)  # the first such time after the start

    async def _play_rounds(self, executor: Executor) -> TournamentEnding:
        if self.progress.current is None and self.progress.rounds:
            await self._after_round()
        if len(self.progress.rounds) > len(self.manifest.rounds):
            await self._publish_round()  # the referee was killed after the last game was stored
        while True:
            if self.progress.current is None:
                await self._take_requests()
                if self._interruption.finishing:
                    return TournamentEnding.INTERRUPTED
                if self._pausing:
                    return TournamentEnding.PAUSED
                if self._is_past_stop():
                    return TournamentEnding.STOPPED
                if not await self._begin_round():
                    if self.problem is not None:
                        return TournamentEnding.PAUSED
                    if self._interruption.finishing:
                        return TournamentEnding.INTERRUPTED
                    await self.score_again()
                    return TournamentEnding.FINISHED
            current = self.progress.current
            assert current is not None
            self._observer(RoundBegun(round=current.round))
            await self._play_games(executor, current.missing(), self._store)
            if not current.complete:
                return TournamentEnding.INTERRUPTED
            self.progress.close()
            await self._after_round()
            await self._publish_round()

    # -- rounds -----------------------------------------------------------------------------------------------

    async def _begin_round(self) -> bool:
        """Pair and store the next round. False if there is none, it can't be paired, or after an interruption."""
        round_ = None
        try:
            with self._interruption.until_finishing():
                round_ = await self._pair()
        except PairingError as error:
            raise TournamentError(f"the next round can't be paired: {error}") from None
        except FormatError as error:
            self.problem = f"round {self.progress.next_number} can't be paired: {error}"
        if round_ is None:
            return False
        await self._write(self._database.write, rounds=[round_])
        self.progress.begin(round_)
        return True

    async def _pair(self) -> Round | None:
        progress, settings = self.progress, self.progress.regulations.format_settings
        context = progress.format_context()
        seconds = settings.pairing_seconds(context, progress.next_number)
        if seconds <= IN_PROCESS_SECONDS or progress.next_number in progress.rulings.by_hand or context.ended:
            return await trio.to_thread.run_sync(progress.next_round, abandon_on_cancel=True)
        self._observer(PairingBegun(round=progress.next_number, at_most_seconds=round(seconds, 1)))
        return await pair_apart(settings, context, progress.paired_by)

    async def _play_games(self, executor: Executor, games: list[PlannedGame], store: Store) -> None:
        """Play these games until all are over or an interruption."""
        if self._kind.plays_here:
            provide_for_games(self._spec, len(games))
        self._planned = {game.game_id: game for game in games}
        schedule = RoundSchedule(
            games,
            self.progress.seed,
            deals_of=self.progress.regulations.deals_of,
            exclusive=exclusive_use(self._bots),
            is_ending=lambda: self._interruption.finishing,
            on_begin=self._begun.begin,
        )

        async def store_shielded(played: PlayedGame, recorder: Recorder) -> None:
            with trio.CancelScope(shield=True):
                await store(played, recorder)

        try:
            with self._interruption.scope(), single_errors():
                plan = self.plan()
                await executor.change.begin(plan)
                image = executor.change.image
                if image is not None and image.sha256 not in self.manifest.sessions[-1].images:
                    await self._write_manifest(self.manifest.with_image(image.sha256))
                await executor.play(plan, schedule, store_shielded, Measurements(plan))
        except FilesChangedError as error:
            raise TournamentError(
                f"{error}. Put them back as they were and `resume`, or let the new ones play with `resume"
                " --accept-changed-bots`, which the manifest will say"
            ) from None

    def plan(self) -> GamePlan:
        spec, regulations = self._spec, self.manifest.regulations
        started = self._folder.started_bots(self.manifest.bots)
        smaller = {}
        for size in range(2, regulations.seats):
            try:
                smaller[size] = regulations.config_for(size)
            except OptionError:
                continue  # no table is that small, or its games fail with this very message
        return GamePlan(
            game=regulations.game_type,
            config=regulations.full_config,
            smaller=smaller,
            openings=self._openings,
            anonymous=regulations.anonymous,
            bots=[bot.spec for bot in self._bots],
            files={bot.name: self._files_of(bot) for bot in started if bot.files_sha256 is not None},
            sources={
                bot.name: sources_in(self._folder.sources, bot.sources_sha256)
                for bot in started
                if bot.sources_sha256 is not UNSET
            },
            conditions=spec.conditions,
            records_in_memory=True,
            stderr=self._folder.stderr,
            sandbox=self._sandbox,
        )

    @cached_property
    def _openings(self) -> GivenOpenings | None:
        """The same in all rounds: a file of openings is read once."""
        return tournament_openings(self.manifest.regulations, self._spec.openings, self.progress.seed)

    def _files_of(self, bot: ManifestBot) -> HashedFiles:
        sha256 = bot.files_sha256
        known = self._files.get(bot.name) or HashedFiles(
            sha256=sha256, recorded=sha256, exclude=(self._folder.path.absolute(),)
        )
        # In the sandbox a bot can't write to its files: each of their changes is somebody else's.
        return structs.replace(known, strict=self._sandbox is not None)

    async def _store(self, played: PlayedGame, recorder: Recorder) -> None:
        faults = format_faults(played)
        game = await self._writer.write(self._stored_game(played), played, record_content(recorder), faults)
        self.progress.add(game)
        self._observer(TournamentGameOver(game=game, faults=faults))  # only now: what is told is durable

    def _stored_game(self, played: PlayedGame) -> StoredGame:
        planned, outcome = self._planned[played.game.game_id], played.outcome
        return StoredGame(
            **structs.asdict(planned),
            scores=tuple(outcome.scores),
            ranks=tuple(outcome.ranks),
            faults=tuple(outcome.result().faults),
            forfeits=tuple(seat in outcome.unstarted for seat in range(len(planned.bots))),
            decisions_hash=outcome.decisions_hash,
        )

    async def _after_round(self) -> None:
        """Apply the changes that follow from the last round. Once more has no effect."""
        await self._declare_begun_again(self.progress.rounds[-1].planned)
        for name, reason in failing(self.progress).items():
            await self.apply(
                Withdrawn(round=self.progress.next_number, at=now(), bot=name, reason=reason, automatic=True)
            )

    async def _declare_begun_again(self, over: Collection[str]) -> None:
        """Make it a change that these games, which are over, were begun more than once."""
        declared = {
            game_id for event in self.progress.events if isinstance(event, BegunAgain) for game_id in event.games
        }
        again = self._begun.again(game_id for game_id in over if game_id not in declared)
        if again:
            await self.apply(BegunAgain(round=self.progress.next_number, at=now(), games=again))
        await self._write(self._begun.forget, over)

    async def _publish_round(self) -> None:
        hosts, builds = await self._write(self._folder.hosts), await self._write(self._folder.builds)
        manifest = self.manifest.with_rounds(self.progress)
        await self._write_manifest(structs.replace(manifest, hosts=hosts, builds=builds))
        self._observer(RoundOver(round=len(self.progress.rounds), head=self.manifest.head))
        await self._run_hook()

    def is_scored(self) -> bool:
        """Whether the head and the numbers of replays and rulings in the manifest are those of games and events."""
        standings = self.manifest.standings
        known = standings if isinstance(standings, dict) else msgspec.to_builtins(standings) or {}
        rulings = sum(isinstance(event, AnyRuling) for event in self.progress.events)
        return (
            self.manifest == self.manifest.with_rounds(self.progress)
            and known.get("replayed") == len(self.progress.struck_out)
            and len(known.get("rulings", ())) == rulings
        )

    async def score_again(self) -> None:
        """Publish the seed and the final standings, in the manifest of a finished tournament."""
        self.final_standings = standings = await trio.to_thread.run_sync(tournament_standings, self.progress, True)
        manifest = self.manifest.with_rounds(self.progress)
        await self._write_manifest(
            structs.replace(manifest, finished=True, seed=self.progress.seed, standings=standings)
        )
        self._observer(TournamentOver(standings=standings))
        await self._run_hook()

    async def _run_hook(self) -> None:
        if self._spec.on_round is None:
            return
        with self._interruption.scope():  # it may take minutes: an immediate end doesn't wait for it
            problem = await run_hook(self._spec.on_round, self._folder.path.absolute(), cwd=self._spec.folder)
            if problem is not None:
                self._observer(Notice(text=problem))

    # -- games that are played again --------------------------------------------------------------------------

    async def replay(self, old: StoredGame, reason: str, *, lost: bool = False) -> StoredGame | None:
        """Play a game of a finished round again, and count the new result. None if it was interrupted.

        `lost`: its record has been lost. The deal is the same; the bots get other seeds of their own.
        """
        game_id = game_id_of(old.round, old.table, old.deal, old.rotation, again=old.again + 1)
        planned = PlannedGame(
            game_id=game_id, round=old.round, table=old.table, deal=old.deal, rotation=old.rotation, bots=old.bots
        )
        replacement: list[StoredGame] = []

        async def store(played: PlayedGame, recorder: Recorder) -> None:
            game = structs.replace(self._stored_game(played), again=old.again + 1)
            event = Replayed(
                round=self.progress.next_number,
                at=now(),
                game_id=old.game_id,
                replacement=game_id,
                reason=reason,
                old=old,
                lost=lost,
            )
            record, faults = record_content(recorder), format_faults(played)
            sha256 = await self._write(self._folder.write_record, game_id, record)
            game = structs.replace(game, sha256=sha256)
            rows = [(game, details_of(record, faults))]
            await self._write(self._database.write, games=rows, events=[event])
            self.progress.apply(event, game)
            await self._write_manifest(self.manifest.with_events([event]).with_rounds(self.progress))
            await self._declare_begun_again([game_id])
            replacement.append(game)
            self._observer(Changed(change=event, replacement=game))
            self._observer(TournamentGameOver(game=game, faults=faults))

        async with open_local(Conditions(), self._observer) as executor:
            await self._play_games(executor, [planned], store)
        return replacement[0] if replacement else None

    # -- changes ----------------------------------------------------------------------------------------------

    async def apply(self, event: AnyChange) -> None:
        await self._write(self._database.write, events=[event])
        self.progress.apply(event)
        await self._write_manifest(self.manifest.with_events([event]).with_head(self.progress))
        self._observer(Changed(change=event))

    async def make(self, request: ChangeRequest) -> None:
        """Make a change that was requested; after a ruling on a tournament that is or thereby becomes finished, the
        standings are published. Raises TournamentError and RulingError if it is not possible, and the errors of
        `read_stored`."""
        change, finished = request.change, self.manifest.finished
        match change:
            case Joined():
                change = await self._admit(change, request.bot_file)
            case Withdrawn():
                check_withdraw(self.progress, change.bot)
            case _:
                check_ruling(self.progress, change, finished=finished)
        await self.apply(structs.replace(change, round=self.progress.next_number, at=now()))
        ended = self.progress.ended is not None and self.progress.current is None
        if isinstance(change, AnyRuling) and (finished or ended):
            await self.score_again()

    async def _admit(self, joined: Joined, bot_file: str | None) -> Joined:
        """Prepare for a bot that joins. Returns the change as it is published."""
        folder, entrant = self._folder, joined.bot
        kept = folder.bot_files() | ({} if bot_file is None else {entrant.name: bot_file})
        bot = read_stored(folder, [*folder.late_sources(self.progress.events), joined.source], kept).bots[-1]
        if (bot.spec.name, bot.owner) != (entrant.name, entrant.owner):
            raise TournamentError(f'a request to let "{entrant.name}" join describes "{bot.spec.name}"')
        check_join(self.progress, bot)
        if bot.spec.is_program:
            exclude = (self._folder.path.absolute(),)
            files = await trio.to_thread.run_sync(lambda: hashed_files(bot.spec, exclude, strict=True))
            if files.sha256 != joined.files_sha256:
                raise TournamentError(f"files of {bot.spec.name} have changed since it was added: add it again")
            self._files[bot.spec.name] = files
        # A sandbox may not have been needed so far; and no other bot may see the folder of the new one.
        spec = structs.replace(self._spec, bots=(*self._bots, bot))
        self._sandbox = tournament_preflight(spec, notices_to(self._observer), self._folder.path).sandbox
        self._bots.append(bot)
        if bot_file is not None:
            await self._write(self._folder.keep_bot_files, {bot.spec.name: bot_file})
        late = manifest_bot(bot, joined.files_sha256, joined.sources_sha256)
        private = self._folder.private
        if private is not None:
            await self._write(self._folder.keep_private, private.with_bot(late, joined.source))
            late = private.published_bot(late)
            hashes = {"files_sha256": late.files_sha256, "sources_sha256": late.sources_sha256}
            joined = structs.replace(joined, source={}, **hashes)
        self.manifest = structs.replace(self.manifest, bots=(*self.manifest.bots, late))
        return joined

    async def _take_requests(self) -> None:
        """Apply what was requested from other terminals since the last round began."""
        for path, request in self._requests.waiting():
            try:
                if isinstance(request, PauseRequest):
                    self._pausing = True
                else:
                    await self.make(request)
            except RefereeError as error:
                self._observer(Notice(text=f"a request can't be applied: {error}"))
            self._requests.remove(path)

    # -- the disk ---------------------------------------------------------------------------------------------

    async def _write_manifest(self, manifest: Manifest) -> None:
        self.manifest = manifest
        await self._write(self._folder.write_manifest, manifest)

    async def _write(self, write: Callable[..., Any], *values: Any, **named: Any) -> Any:
        return await trio.to_thread.run_sync(partial(write, *values, **named), limiter=self._one_writer)


def record_content(recorder: Recorder) -> bytes:
    assert isinstance(recorder, RecordInMemory)
    return recorder.content()


def format_faults(played: PlayedGame) -> tuple[str | None, ...]:
    """The faults by seat as text; a crash with the most telling line of its standard error. Untrusted."""
    return tuple(
        None if fault is None else format_fault(fault, stderr)
        for fault, stderr in zip(played.outcome.faults, played.stderr, strict=True)
    )


def format_fault(fault: Fault, stderr: StderrExcerpt | None) -> str:
    cause = cause_of_crash(stderr.text) if fault.code == "crash" and stderr is not None else None
    return str(fault) if cause is None else f"{fault}; its standard error: {sanitise(cause)}"


def check_join(progress: Progress, bot: TournamentBot) -> None:
    """Raises TournamentError if a bot can't join before the next round."""
    check_name(progress, bot.spec.name)
    try:
        progress.check_late_entry(bot.spec.name, bot.owner)
    except FormatError as error:
        raise TournamentError(str(error)) from None


def check_name(progress: Progress, name: str) -> None:
    """Raises TournamentError if a bot has this name already."""
    if progress.index(name) is not None:
        raise TournamentError(f'a bot called "{name}" already exists; give this one another name: NAME=…')


def check_withdraw(progress: Progress, name: str) -> None:
    """Raises InvalidValue if there is no such bot, TournamentError if it has withdrawn."""
    if progress.entries[find_bot(progress, name)].withdrawn is not None:
        raise TournamentError(f'"{name}" has already been withdrawn')
