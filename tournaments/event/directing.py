"""Directors of tournaments, each with a run in the manifest: of a new one, and of one that was begun before."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from msgspec import UNSET, structs

from referee.bots.files_hash import hash_bot
from referee.bots.preflight import Preflight
from referee.processes.selftest.sandbox_report import report_on
from tournaments.competition.changes import FilesAccepted, Joined
from tournaments.competition.progress import Progress
from tournaments.event.director import Director, TournamentError
from tournaments.event.file.file_as_run import NO_OPTIONS, bot_files
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentSpec, regulations_of
from tournaments.event.readiness import tournament_preflight
from tournaments.event.store.database import Database
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import now
from tournaments.event.store.new_manifest import manifest_bot, manifest_run
from tournaments.play.events import Notice, Observer, notices_to
from tournaments.play.executor import ExecutorError, executor_for, executor_kind
from tournaments.play.interruption import Interruption
from tournaments.play.local import default_workers


def check_executor(spec: TournamentSpec) -> None:
    """Raises ExecutorError and NotInstalled if the games can't be played where the organiser wants it."""
    kind = executor_for(spec.conditions, [bot.spec for bot in spec.bots])
    for bot in spec.bots:
        if bot.exclusive is not None and not kind.plays_here:
            raise ExecutorError(
                f'{bot.spec.name} needs "{bot.exclusive}" for itself (exclusive), but nobody knows which machine of the'
                " cluster has it: take exclusive out, or leave --executor out (executor in [run])"
            )


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
    run_options: Mapping[str, Any] = NO_OPTIONS,
) -> AsyncIterator[Director]:
    """A director for a tournament that was begun before, whose lock is held.

    `playing`: the bots that may play now; by default all that have not been withdrawn. `by_name`: none plays, not even
    in a game whose record was lost, and nothing of a bot is needed but its name.
    """
    # Before anything is repaired: a manifest that was edited must not make good records look wrong.
    regulations, kept = store.manifest.regulations, store.bot_files()
    names = [bot.name for bot in regulations.bots]
    began = read_tournament(store.file, kept=kept, names=names if by_name else None)
    if regulations_of(began) != regulations:
        raise TournamentError(
            f"{store.file} is not what the tournament began with by {store.path / 'manifest.json'}: one of them was "
            "changed. Put it back as it was; nothing has been touched"
        )
    loaded = load(store, repair=True)
    for repair in loaded.repairs:
        observer(Notice(text=repair))
    joined = [event for event in loaded.progress.events if isinstance(event, Joined)]
    late_tables = [event.source for event in joined]
    names += [event.bot.name for event in joined]

    def read(kept: Mapping[str, str]) -> TournamentSpec:
        spec = read_tournament(
            store.file, late_tables, kept=kept, names=names if by_name else None, run_options=run_options
        )
        return spec.with_conditions(watched=watched)

    spec = read(kept)
    if command == "resume":
        check_executor(spec)
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
        spec = read({name: text for name, text in kept.items() if name not in changed})
        store.keep_bot_files(bot_files(bot.spec for bot in spec.bots if bot.spec.name in changed))
    preflight = tournament_preflight(
        structs.replace(spec, bots=()) if by_name else spec, notices_to(observer), store.path
    )
    if playing and not spec.conditions.ponder and executor_kind(spec.conditions).plays_here:
        await preflight.check_suspending()
    async with directing(
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
async def directing(
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
    if spec.conditions.workers is None:
        workers = await trio.to_thread.run_sync(best_workers, spec) if plays else 1
        spec = spec.with_conditions(workers=workers)
    run = manifest_run(
        store.manifest.regulations,
        command=command,
        sandbox=preflight.in_force,
        sandbox_report=await report_on(sandbox, preflight.in_force) if plays and sandbox is not None else None,
        concurrency=spec.conditions.games_at_a_time,
        workers=spec.conditions.workers or 1,
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
    if spec.conditions.watched or games is None:
        return 1  # running games are shown by this process only
    return default_workers(spec.conditions.games_at_a_time, games)
