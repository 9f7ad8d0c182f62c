"""Directors of tournaments, each with a run in the manifest: of a new one, and of one that was begun before."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from msgspec import UNSET, structs

from referee.bots.hashed_files import HashedFiles, hashed_files
from referee.bots.preflight import Preflight
from referee.processes.selftest.sandbox_report import report_on
from tournaments.competition.changes import FilesAccepted, Joined
from tournaments.competition.progress import Progress
from tournaments.event.archive import read_stored
from tournaments.event.director import Director, TournamentError
from tournaments.event.file.file_as_run import bot_files
from tournaments.event.file.tournament_spec import TournamentBot, TournamentSpec
from tournaments.event.readiness import tournament_preflight
from tournaments.event.store.database import Database
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.event.store.manifest import Manifest, now
from tournaments.event.store.new_manifest import manifest_bot, manifest_run
from tournaments.play.events import Notice, Observer, notices_to
from tournaments.play.executor import ExecutorError, executor_for, executor_kind
from tournaments.play.interruption import Interruption
from tournaments.play.local import default_workers


def check_executor(spec: TournamentSpec) -> None:
    """Raises ExecutorError and RefereeError if the games can't be played where the organiser wants it."""
    kind = executor_for(spec.conditions, [bot.spec for bot in spec.bots])
    for bot in spec.bots:
        if bot.exclusive is not None and not kind.plays_here:
            raise ExecutorError(
                f'{bot.spec.name} needs "{bot.exclusive}" for itself (exclusive), but nobody knows which machine of the'
                " cluster has it: take exclusive out, or leave --executor out (executor in [run])"
            )


def hash_bots(bots: Iterable[TournamentBot], folder: Path) -> dict[str, HashedFiles]:
    """The files of bots that are programs, by name. Raises BotFilesError and FilesChangedError."""
    programs = [bot.spec for bot in bots if bot.spec.is_program]
    return {bot.name: hashed_files(bot, (folder.absolute(),), strict=True) for bot in programs}


@asynccontextmanager
async def reopened(
    command: str,
    store: TournamentFolder,
    observer: Observer,
    interruption: Interruption,
    *,
    playing: Collection[str] | None = None,
    by_name: bool = False,
    accept_changed_bots: bool = False,
    watched: bool = False,
    run_options: Mapping[str, Any] = {},
) -> AsyncIterator[Director]:
    """A director for a tournament that was begun before, whose lock is held. `command`: as the manifest names it.

    `playing`: the bots that may play; None: it is resumed, and all play that have not been withdrawn. `by_name`: none
    plays, not even in a game whose record was lost, and nothing of a bot is needed but its name. `run_options` take the
    place of keys in [run].
    """
    ended = playing is None and store.manifest.finished

    def read(joined: Sequence[Joined] = (), changed: Collection[str] = ()) -> TournamentSpec:
        """The tournament by the file in the folder, with these late entries.

        The bot.toml of each bot is the one that was kept, but of those whose `changed` files are accepted that of now.
        """
        entrants = [*store.manifest.regulations.bots, *(event.bot for event in joined)]
        return read_stored(
            store,
            store.late_sources(joined),
            {name: text for name, text in store.bot_files().items() if name not in changed},
            names=[bot.name for bot in entrants] if by_name else None,
            run_options=run_options,
        ).with_conditions(watched=watched)

    # Before anything is repaired: a manifest that was edited must not make good records look wrong.
    if read().regulations != store.manifest.regulations:
        raise TournamentError(
            f"{store.file} is not what the tournament began with by {store.path / 'manifest.json'}: one of them was "
            "changed. Put it back as it was; nothing has been touched"
        )
    loaded = load(store, repair=True)
    for repair in loaded.repairs:
        observer(Notice(text=repair))
    progress = loaded.progress
    joined = [event for event in progress.events if isinstance(event, Joined)]
    spec = read(joined)
    if playing is None:
        check_executor(spec)
    if not by_name:
        if spec.pseudonyms is not None and store.private is None:
            raise TournamentError(f"{store.path} has no private.json, without which nothing is played: put it back")
        _add_late_bots(spec, store, joined)
    if playing is None:
        playing = {entry.name for entry in progress.entries if entry.withdrawn is None}
    asked = [bot for bot in spec.bots if bot.spec.name in playing]
    files = await trio.to_thread.run_sync(hash_bots, asked, store.path, abandon_on_cancel=True)
    known = {bot.name: bot.files_sha256 for bot in store.manifest.bots}
    changed = [name for name, own in files.items() if known.get(name) != store.published_hash(name, own.sha256)]
    if ended:  # only what was lost is played
        needed = {progress.entries[bot].name for game in loaded.lost for bot in game.bots}
        files = {name: own for name, own in files.items() if name in needed or name not in changed}
        changed = [name for name in changed if name in needed]
    if changed:
        check_changes(changed, store.manifest, accepted=accept_changed_bots)
        spec = read(joined, changed)
        store.keep_bot_files(bot_files(bot.spec for bot in spec.bots if bot.spec.name in changed))
    preflight = tournament_preflight(
        structs.replace(spec, bots=()) if by_name else spec, notices_to(observer), store.extended or store.path
    )
    if playing and not spec.conditions.ponder and executor_kind(spec.conditions).plays_here:
        await preflight.check_suspending()
    async with directing(
        command, spec, store, preflight, files, observer, interruption, progress, plays=bool(playing)
    ) as director:
        await accept_files(director, store, changed, files)
        for lost in () if by_name else loaded.lost:
            if await director.replay(lost, "its record was lost or altered", lost=True) is None:
                break
        if director.manifest.finished and not director.is_scored():
            await director.score_again()  # a game was played again, or the referee was killed meanwhile
        yield director


def _add_late_bots(spec: TournamentSpec, store: TournamentFolder, joined: Sequence[Joined]) -> None:
    """Add late entries to the manifest where the referee was killed after it had stored the change, and before that."""
    known = {bot.name for bot in store.manifest.bots}
    late = [
        manifest_bot(bot, event.files_sha256, event.sources_sha256)
        if store.private is None
        else store.private.published_bot(store.private.bots[bot.spec.name])
        for bot, event in zip(spec.bots[len(spec.bots) - len(joined) :], joined, strict=True)
        if bot.spec.name not in known
    ]
    if late:
        store.write_manifest(structs.replace(store.manifest, bots=(*store.manifest.bots, *late)))


def check_changes(changed: Collection[str], manifest: Manifest, *, accepted: bool) -> None:
    """Raises TournamentError unless bots may play with changed files."""
    if not accepted:
        raise TournamentError(
            f"files of {', '.join(changed)} have changed since the last game: put them back as they were, or let the "
            "new ones play with --accept-changed-bots, which the manifest will say"
        )
    built_there = {bot.name for bot in manifest.bots if bot.sources_sha256 is not UNSET}.intersection(changed)
    if built_there:
        raise TournamentError(
            f"{', '.join(sorted(built_there))}: machines build it from the sources that it had at the"
            " beginning (build_remotely), so changed files can't be accepted: put them back as they were, or"
            " withdraw it and add the new version under another name"
        )


async def accept_files(
    director: Director, store: TournamentFolder, changed: Collection[str], files: Mapping[str, HashedFiles]
) -> None:
    """Let bots play with these `files`, of which those of some have `changed`. Raises StoreError."""
    if changed:
        # Some games of a round in progress were played by the old files: it is not a round of the new ones.
        bots = {name: store.published_hash(name, files[name].sha256) or "" for name in changed}
        await director.apply(FilesAccepted(round=director.progress.next_number, at=now(), bots=bots))
    private = store.private if files else None
    if private is not None:  # after the change, and with all files: the referee may have been killed between the two
        for name, own in files.items():
            private = private.with_bot(structs.replace(private.bots[name], files_sha256=own.sha256))
        if private != store.private:
            store.keep_private(private)


@asynccontextmanager
async def directing(
    command: str,
    spec: TournamentSpec,
    store: TournamentFolder,
    preflight: Preflight,
    files: Mapping[str, HashedFiles],
    observer: Observer,
    interruption: Interruption,
    progress: Progress,
    *,
    plays: bool = True,
) -> AsyncIterator[Director]:
    """A director with a run in the manifest, from its start to its end. `files`: as in Director.

    The guarantees of the sandbox are tested only if a bot `plays`, as that takes a second.
    """
    sandbox = preflight.sandbox
    if spec.conditions.workers is None:
        rules = spec.regulations
        plan = await trio.to_thread.run_sync(rules.format_settings.plan, rules.format_context("")) if plays else None
        games = 0 if plan is None else plan.games or 0  # unknown if results decide
        spec = spec.with_conditions(workers=default_workers(spec.conditions.games_at_a_time, games))
    spec = spec.with_conditions(concurrency=spec.conditions.games_at_a_time)
    run = manifest_run(
        store.manifest.regulations,
        spec.conditions,
        command=command,
        sandbox=preflight.in_force,
        sandbox_report=await report_on(sandbox, preflight.in_force) if plays and sandbox is not None else None,
    )
    store.write_manifest(store.manifest.with_run(run))
    with Database.open(store.database) as database:
        director = Director(
            spec,
            store,
            database,
            progress,
            sandbox=sandbox,
            files=files,
            observer=observer,
            interruption=interruption,
        )
        yield director
        ending = None if director.ending is None else director.ending.name.lower()
        manifest = structs.replace(director.manifest, hosts=store.hosts(), builds=store.builds())
        store.write_manifest(manifest.with_end_of_run(ending, director.problem))
