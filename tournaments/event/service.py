"""Tournaments from start to end, for the `referee tournament` command and for any other Python program."""

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trio
from msgspec import UNSET, Struct, structs

from referee.bots.files_hash import hash_bot
from referee.bots.preflight import Preflight
from referee.files import is_there
from referee.processes.machine import cores
from referee.processes.sandbox_report import report_on
from referee.seeds import new_seed
from tournaments.competition.changes import AnyRuling, FilesAccepted, Joined, Undone
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.games import StoredGame
from tournaments.competition.progress import Progress
from tournaments.competition.regulations import Entrant
from tournaments.competition.results import Standings, tournament_standings
from tournaments.competition.ruling_checks import RulingError, check_ruling, game_that_counts, last_ruling
from tournaments.event.director import (
    Director,
    TournamentEnding,
    TournamentError,
    check_join,
    check_name,
    check_pairable,
    check_withdraw,
)
from tournaments.event.file.file_as_run import (
    NO_OPTIONS,
    bot_files,
    bot_table,
    file_as_run,
    spec_without,
    text_without,
)
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.file.tournament_file import TournamentSpec, read_tournament, regulations_of
from tournaments.event.readiness import Readiness, check_readiness, provide_for_games, tournament_preflight
from tournaments.event.requests import (
    AnyRequest,
    JoinRequest,
    PauseRequest,
    Requests,
    RulingRequest,
    WithdrawRequest,
)
from tournaments.event.store.database import Database
from tournaments.event.store.errors import FolderExists, FolderInUse
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import now
from tournaments.event.store.new_manifest import manifest_bot, manifest_run, new_manifest
from tournaments.play.cluster.archives import pack_sources
from tournaments.play.cluster.settings import ClusterError, check_possible
from tournaments.play.cluster.sources import Sources, sources_sha256
from tournaments.play.events import Notice, Observer, notices_to
from tournaments.play.executor import cluster_executor, default_workers
from tournaments.play.interruption import Interruption


class TournamentResult(Struct, frozen=True, kw_only=True):
    """The state of a tournament when it ended or was interrupted."""

    folder: Path
    ending: TournamentEnding
    standings: Standings
    withdrawn: tuple[str, ...]
    """Bots that were withdrawn because they could not be started."""


class NotReady(TournamentError):
    """Bots are not ready, so the tournament has not begun."""

    def __init__(self, results: list[Readiness], *, because: str | None = None) -> None:
        failed = [result.bot for result in results if not result.ready]
        why = "" if because is None else f" without them it can't be played ({because});"
        super().__init__(f"not ready: {', '.join(failed)};{why} nothing was played")
        self.results = results


async def run_tournament(
    file: Path,
    folder: Path | None,
    observer: Observer,
    interruption: Interruption,
    *,
    run_options: Mapping[str, Any] = NO_OPTIONS,
    without_unready: bool = False,
    watched: bool = False,
) -> TournamentResult:
    """Build and try all bots, then play the tournament that a file describes, in a new folder.

    `folder` is by default beside the file, with its name. `run_options` take the place of keys in [run].
    `without_unready`: bots that are not ready are left out, and the manifest says so. `watched`: the observer also gets
    the lines of records. All processes have ended when this returns or raises.
    Raises TournamentFileError, FolderExists, MachineError, SandboxError, NotReady before the first game,
    TournamentError, StoreError and MachineError if it can't go on.
    """
    spec = structs.replace(read_tournament(file), watched=watched, **run_options)
    check_cluster(spec)
    if spec.start_at is not None:
        if spec.start_at <= datetime.now(UTC):
            raise TournamentFileError(f"{file}: start_at = {spec.start_at:%Y-%m-%d %H:%M} is in the past")
        run_options = {**run_options, "start_at": spec.start_at.isoformat(timespec="seconds")}
    # What is played is what was read here: a build, or a bot without a sandbox, may write to the folder of a bot.
    text = file_as_run(file, spec.bots, run_options)
    kept = bot_files(bot.spec for bot in spec.bots)
    path = folder or spec.path.with_suffix("")
    if is_there(path):
        raise FolderExists(f"{path} already exists; to resume a tournament: referee tournament resume {path}")
    preflight = tournament_preflight(spec, notices_to(observer), path, collect=True)
    with tempfile.TemporaryDirectory(prefix="referee-sources-") as temporary:
        sources = await pack_before_build(spec, Path(temporary), path)
        unready = await make_ready(spec, preflight, observer, interruption, without_unready=without_unready)
        if unready:
            spec, text = spec_without(spec, unready), text_without(text, unready)
            kept = {name: content for name, content in kept.items() if name not in unready}
            sources = {name: found for name, found in sources.items() if name not in unready}
        seed = spec.seed or new_seed()
        files = await trio.to_thread.run_sync(hash_bots, spec, path, abandon_on_cancel=True)
        manifest = new_manifest(spec, seed, files, unready, sources)
        archives = {found.archive for found in sources.values()}
        store = TournamentFolder.create(path, text, manifest, seed, kept, archives)
    published = "to be published now, so that nobody can change seed, regulations, clock or bots unnoticed"
    observer(Notice(text=f"commitment to the seed (its SHA-256): {store.manifest.seed_commitment}"))
    observer(Notice(text=f"first head of the chain, {published}: {store.manifest.head}"))
    with store.lock():
        progress = Progress(store.manifest.regulations, seed)
        async with _directing("run", spec, store, preflight, observer, interruption, progress) as director:
            return await _direct(director, store)


async def resume_tournament(
    path: Path,
    observer: Observer,
    interruption: Interruption,
    *,
    accept_changed_bots: bool = False,
    watched: bool = False,
    executor: str | None = None,
    lost_after: str | None = None,
) -> TournamentResult:
    """Resume a tournament where it stopped; nothing is built. Raises as `run_tournament`, and NoTournament,
    FolderInUse, and TournamentError where files of bots have changed.

    `executor` and `lost_after`, if given, take the place of those in the file.
    """
    store = TournamentFolder.open(path)
    with store.lock():
        async with reopened(
            "resume",
            store,
            observer,
            interruption,
            accept_changed_bots=accept_changed_bots,
            watched=watched,
            executor=executor,
            lost_after=lost_after,
        ) as director:
            return await _direct(director, store)


async def replay_game(
    path: Path, game_id: str, reason: str, observer: Observer, interruption: Interruption
) -> StoredGame | None:
    """Play a game of a finished round again; the old result is struck out. None if that was interrupted."""
    store = TournamentFolder.open(path)
    progress = load(store, repair=False).progress
    playing = {progress.entries[bot].name for bot in game_to_replay(progress, game_id).bots}
    with store.lock():
        async with reopened("replay", store, observer, interruption, playing=playing) as director:
            old = game_to_replay(director.progress, game_id)
            replacement = await director.replay(old, reason)
            if replacement is not None and director.manifest.finished:
                await director.score_again()
            return replacement


async def add_bot(path: Path, bot: str, owner: str | None, observer: Observer, interruption: Interruption) -> bool:
    """Let a BOT join before the next round, once it has been built and tried.

    True if it has joined, False if the referee that runs the tournament will apply it. Raises BotSpecError,
    NotReady, TournamentError.
    """
    store = TournamentFolder.open(path)
    check_open(store)
    source = bot_table(bot, owner)
    progress = load(store, repair=False).progress
    check_name(progress, source["name"])
    Requests(path).check(source["name"], JoinRequest)
    late = [event.source for event in progress.events if isinstance(event, Joined)]
    spec = read_tournament(store.file, [*late, source], kept=store.bot_files())
    joining = spec.bots[-1]
    kept = bot_files([joining.spec])
    check_join(progress, joining)
    alone = structs.replace(spec, bots=(joining,))
    preflight = tournament_preflight(alone, notices_to(observer), path, collect=True)
    sources = await pack_before_build(alone, store.sources, path)
    await make_ready(alone, preflight, observer, interruption)
    request = JoinRequest(
        entrant=Entrant(name=joining.spec.name, owner=joining.owner),
        source=source,
        files_sha256=await trio.to_thread.run_sync(hash_bot, joining.spec, (path.absolute(),)),
        sources_sha256=sources_sha256(sources, joining.spec.name),
        bot_file=kept.get(joining.spec.name),
    )
    return await _apply_or_queue(
        "add", request, store, observer, interruption, lambda director: director.join(request, joining)
    )


async def withdraw_bot(path: Path, name: str, reason: str, observer: Observer, interruption: Interruption) -> bool:
    """Withdraw a bot after the round in progress.

    True if it has been withdrawn, False if the referee that runs the tournament will do it. Raises TournamentError.
    """
    store = TournamentFolder.open(path)
    check_open(store)
    check_withdraw(load(store, repair=False).progress, name)
    Requests(path).check(name, WithdrawRequest)
    request = WithdrawRequest(bot=name, reason=reason)
    return await _apply_or_queue(
        "withdraw", request, store, observer, interruption, lambda director: director.withdraw(request)
    )


async def give_ruling(
    path: Path, command: str, ruling: AnyRuling, observer: Observer, interruption: Interruption
) -> bool:
    """Give a ruling, also after the end. `command`: as the manifest names it.

    True if it holds, False if the referee that runs the tournament will apply it. Raises RulingError.
    """
    store = TournamentFolder.open(path)
    check_ruling(load(store, repair=False).progress, ruling, finished=store.manifest.finished)
    request = RulingRequest(ruling=ruling)
    return await _apply_or_queue(
        command, request, store, observer, interruption, lambda director: director.rule(ruling)
    )


def preview_ruling(path: Path, ruling: AnyRuling) -> tuple[Standings, Standings]:
    """The standings as they are, and as they would be with a ruling. Nothing is written. Raises RulingError."""
    store = TournamentFolder.open(path)
    progress, finished = load(store, repair=False).progress, store.manifest.finished
    check_ruling(progress, ruling, finished=finished)
    before = tournament_standings(progress, finished)
    progress.apply(structs.replace(ruling, round=progress.next_number))
    return before, tournament_standings(progress, finished)


def undo_of(path: Path, kind: type[AnyRuling], subject: str, reason: str) -> Undone:
    """The event that undoes the last ruling of a kind about a bot, a game or a round. Raises RulingError."""
    number = last_ruling(load(TournamentFolder.open(path), repair=False).progress, kind, subject)
    if number is None:
        raise RulingError(f"there is no such ruling about {subject} to undo")
    return Undone(round=0, at="", number=number, reason=reason)


def pause_tournament(path: Path) -> None:
    """Let a running tournament stop after the round in progress. Raises TournamentError if it is not running."""
    store = TournamentFolder.open(path)
    check_open(store)
    try:
        with store.lock():
            pass
    except FolderInUse:
        Requests(path).submit(PauseRequest())
        return
    raise TournamentError(f"the tournament in {path} is not being played; `resume` goes on with it")


# -- the parts of the above -----------------------------------------------------------------------------------


async def _apply_or_queue(
    command: str,
    request: AnyRequest,
    store: TournamentFolder,
    observer: Observer,
    interruption: Interruption,
    meet: Callable[[Director], Awaitable[None]],
) -> bool:
    """Apply a request now; or submit it, and return False, if another referee runs the tournament."""
    try:
        with store.lock():
            by_name = isinstance(request, WithdrawRequest | RulingRequest)
            async with reopened(command, store, observer, interruption, playing=(), by_name=by_name) as director:
                await meet(director)
                return True
    except FolderInUse:
        Requests(store.path).submit(request)
        return False


async def make_ready(
    spec: TournamentSpec,
    preflight: Preflight,
    observer: Observer,
    interruption: Interruption,
    *,
    without_unready: bool = False,
) -> dict[str, str]:
    """Build all bots, and try each in a game. Raises MachineError, NotReady, and TournamentInterrupted.

    Returns what is wrong with the bots that are not ready, by name. NotReady is raised if there is one, but
    `without_unready` only if the tournament can't be played without them.
    """
    provide_for_games(spec)
    with interruption.until_finishing():
        results = await check_readiness(spec, preflight, lambda result: None, notices_to(observer))
        unready = {result.bot: result.problem or "" for result in results if not result.ready}
        if unready and not without_unready:
            raise NotReady(results)
        try:
            if unready:
                spec_without(spec, unready)
        except FormatError as error:
            raise NotReady(results, because=str(error)) from None
    if interruption.finishing:
        raise TournamentInterrupted("interrupted before the first game")
    for name, problem in unready.items():
        observer(Notice(text=f"{name} is not ready, and the tournament begins without it: {problem}"))
    return unready


def check_cluster(spec: TournamentSpec) -> None:
    """Raises ClusterError and NotInstalled if the games can't be played on the cluster that is named, if one is."""
    if spec.cluster is None:
        return
    cluster_executor()
    check_possible(
        [bot.spec for bot in spec.bots], watched=spec.watched, files=spec.files, forget_files=spec.forget_files
    )
    for bot in spec.bots:
        if bot.exclusive is not None:
            raise ClusterError(
                f'{bot.spec.name} needs "{bot.exclusive}" for itself (exclusive), but nobody knows which machine of the'
                " cluster has it: take exclusive out, or leave --executor out (executor in [run])"
            )


class TournamentInterrupted(TournamentError):
    """A signal ended the tournament before there was anything to resume."""


async def pack_before_build(spec: TournamentSpec, folder: Path, tournament: Path) -> dict[str, Sources]:
    """The sources of bots that machines of a cluster build, by name, if they do. Raises ArchiveError."""
    if not spec.build_remotely:
        return {}
    bots = [bot.spec for bot in spec.bots]
    return await trio.to_thread.run_sync(pack_sources, bots, folder, (tournament.absolute(),))


def hash_bots(spec: TournamentSpec, folder: Path) -> dict[str, str]:
    """The hashes of the files of all bots, by name. Raises BotFilesError."""
    hashes = {bot.spec.name: hash_bot(bot.spec, (folder.absolute(),)) for bot in spec.bots}
    return {name: found for name, found in hashes.items() if found is not None}


@asynccontextmanager
async def reopened(
    command: str,
    store: TournamentFolder,
    observer: Observer,
    interruption: Interruption,
    *,
    accept_changed_bots: bool = False,
    playing: Collection[str] | None = None,
    by_name: bool = False,
    watched: bool = False,
    executor: str | None = None,
    lost_after: str | None = None,
) -> AsyncIterator[Director]:
    """A director for a tournament that was begun before, whose lock is held.

    `playing`: the bots that may play now; by default all that have not been withdrawn. `by_name`: none plays, not even
    in a game whose record was lost, and nothing of a bot is needed but its name.
    """
    # Before anything is repaired: a manifest that was edited must not make good records look wrong.
    regulations, kept = store.manifest.regulations, store.bot_files()
    names = [bot.name for bot in regulations.bots]
    began = read_tournament(store.file, kept=kept, names=names if by_name else None)
    by_file = structs.replace(
        regulations_of(began),
        pairing=regulations.pairing,
        chain=regulations.chain,
        statistics=regulations.statistics,
    )
    if regulations.chain == 1:  # written by a referee whose files did not say it
        by_file = structs.replace(by_file, deals_of=regulations.deals_of)
    if by_file != regulations:
        raise TournamentError(
            f"{store.file} is not what the tournament began with by {store.path / 'manifest.json'}: one of them was "
            "changed. Put it back as it was; nothing has been touched"
        )
    loaded = load(store, repair=True)
    for repair in loaded.repairs:
        observer(Notice(text=repair))
    progress = loaded.progress
    if command == "resume" and progress.current is None and not (store.manifest.finished or progress.can_pair):
        check_pairable(progress)
    joined = [event for event in loaded.progress.events if isinstance(event, Joined)]
    late_tables = [event.source for event in joined]
    names += [event.bot.name for event in joined]
    spec = read_tournament(store.file, late_tables, kept=kept, names=names if by_name else None)
    spec = structs.replace(
        spec, watched=watched, executor=executor or spec.executor, lost_after=lost_after or spec.lost_after
    )
    if command == "resume":
        check_cluster(spec)
    known = {bot.name for bot in store.manifest.bots}
    late = [
        manifest_bot(bot, event.files_sha256, event.sources_sha256)
        for bot, event in zip(spec.bots[len(began.bots) :], joined, strict=True)
        if bot.spec.name not in known
    ]
    if late and not by_name:  # the referee was killed after it had stored the change, and before the manifest
        store.write_manifest(structs.replace(store.manifest, bots=(*store.manifest.bots, *late)))
    if playing is None:
        playing = {entry.name for entry in loaded.progress.entries if entry.withdrawn is None}
    changed = await trio.to_thread.run_sync(changed_bots, spec, store, playing, abandon_on_cancel=True)
    if changed and not accept_changed_bots:
        raise TournamentError(
            f"files of {', '.join(changed)} have changed since the last game: put them back as they were, or let the "
            "new ones play with --accept-changed-bots, which the manifest will say"
        )
    built_there = {bot.name for bot in store.manifest.bots if bot.sources_sha256 is not UNSET}
    if built_there & changed.keys():
        raise TournamentError(
            f"{', '.join(sorted(built_there & changed.keys()))}: machines build it from the sources that it had at the"
            " beginning (build_remotely), so changed files can't be accepted: put them back as they were, or"
            " withdraw it and add the new version under another name"
        )
    if changed:
        spec = read_tournament(
            store.file, late_tables, kept={name: text for name, text in kept.items() if name not in changed}
        )
        store.keep_bot_files(bot_files(bot.spec for bot in spec.bots if bot.spec.name in changed))
    preflight = tournament_preflight(
        structs.replace(spec, bots=()) if by_name else spec, notices_to(observer), store.path
    )
    async with _directing(
        command, spec, store, preflight, observer, interruption, loaded.progress, plays=bool(playing)
    ) as director:
        if changed:
            # Some games of a round in progress were played by the old files: it is not a round of the new ones.
            await director.accept_files(FilesAccepted(round=loaded.progress.next_number, at=now(), bots=changed))
        for lost in () if by_name else loaded.lost:
            if await director.replay(lost, "its record was lost or altered", lost=True) is None:
                break
        if director.manifest.finished and not director.is_scored():
            await director.score_again()  # a game was played again, or the referee was killed meanwhile
        yield director


def changed_bots(spec: TournamentSpec, store: TournamentFolder, names: Collection[str]) -> dict[str, str]:
    """The bots among `names` whose files no longer match the manifest, with their new hashes."""
    known = {bot.name: bot.files_sha256 for bot in store.manifest.bots}
    asked = structs.replace(spec, bots=tuple(bot for bot in spec.bots if bot.spec.name in names))
    return {name: found for name, found in hash_bots(asked, store.path).items() if known.get(name) != found}


@asynccontextmanager
async def _directing(
    command: str,
    spec: TournamentSpec,
    store: TournamentFolder,
    preflight: Preflight,
    observer: Observer,
    interruption: Interruption,
    progress: Progress,
    *,
    plays: bool = True,
) -> AsyncIterator[Director]:
    """A director with a run in the manifest, from its start to its end.

    The guarantees of the sandbox are tested only if a bot `plays`, as that takes a second.
    """
    sandbox = preflight.sandbox
    if spec.workers is None:
        spec = structs.replace(spec, workers=await trio.to_thread.run_sync(best_workers, spec) if plays else 1)
    run = manifest_run(
        store.manifest.regulations,
        command=command,
        sandbox=preflight.in_force,
        sandbox_report=await report_on(sandbox, preflight.in_force) if plays and sandbox is not None else None,
        concurrency=spec.concurrency or cores(),
        workers=spec.workers or 1,
    )
    store.write_manifest(store.manifest.with_run(run))
    with Database.open(store.database) as database:
        director = Director(
            spec,
            store,
            database,
            store.manifest,
            progress,
            sandbox=sandbox,
            observer=observer,
            interruption=interruption,
        )
        yield director
        ending = None if director.ending is None else director.ending.name.lower()
        manifest = structs.replace(director.manifest, hosts=store.hosts(), builds=store.builds())
        store.write_manifest(manifest.with_end_of_run(ending))


def best_workers(spec: TournamentSpec) -> int:
    """The number of workers that is fastest for a whole tournament."""
    games = spec.settings.plan(spec.format_context("")).games
    if spec.watched or games is None:
        return 1  # running games are shown by this process only
    return default_workers(spec.concurrency or cores(), games)


async def _direct(director: Director, store: TournamentFolder) -> TournamentResult:
    ending = TournamentEnding.FINISHED if director.manifest.finished else await director.run()
    standings = director.final_standings
    if standings is None:
        finished = ending is TournamentEnding.FINISHED
        standings = await trio.to_thread.run_sync(tournament_standings, director.progress, finished)
    return TournamentResult(
        folder=store.path, ending=ending, standings=standings, withdrawn=director.withdrawn_automatically()
    )


def check_open(store: TournamentFolder) -> None:
    """Raises TournamentError if the tournament is over."""
    if store.manifest.finished:
        raise TournamentError(f"the tournament in {store.path} is finished, and its seed is public")


def game_to_replay(progress: Progress, game_id: str) -> StoredGame:
    """The game with this id, which counts, of a round that is over. Raises TournamentError."""
    if progress.current is not None and game_id in progress.current.planned:
        raise TournamentError(f"{game_id} belongs to the round in progress: resume it first, then play the game again")
    try:
        return game_that_counts(progress, game_id)
    except RulingError as error:
        raise TournamentError(str(error)) from None
