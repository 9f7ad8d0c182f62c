"""Tournaments from start to end, for the `referee tournament` command and for any other Python program."""

import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import trio
from msgspec import Struct, structs

from referee.bots.preflight import Preflight
from referee.seeds import new_seed
from tournaments.competition.changes import AnyRuling, Joined, Undone, Withdrawn
from tournaments.competition.formats.interface import FormatError
from tournaments.competition.games import StoredGame
from tournaments.competition.progress import Progress
from tournaments.competition.regulations import Entrant
from tournaments.competition.results import Standings, tournament_standings
from tournaments.competition.ruling_checks import RulingError, about, check_ruling, game_that_counts
from tournaments.competition.rulings import standing_events
from tournaments.event.archive import read_stored
from tournaments.event.check_results import Readiness
from tournaments.event.directing import (
    accept_files,
    check_changes,
    check_executor,
    directing,
    hash_bots,
    reopened,
)
from tournaments.event.director import (
    Director,
    TournamentEnding,
    TournamentError,
    check_join,
    check_name,
    check_withdraw,
)
from tournaments.event.file.file_as_run import (
    bot_files,
    bot_table,
    file_as_run,
    spec_without,
    text_without,
)
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.event.file.tournament_file import read_tournament
from tournaments.event.file.tournament_spec import TournamentSpec
from tournaments.event.readiness import check_readiness, provide_for_games, tournament_preflight
from tournaments.event.requests import ChangeRequest, PauseRequest, Requests
from tournaments.event.store.errors import FolderInUse
from tournaments.event.store.folder import TournamentFolder, creating, extended_by
from tournaments.event.store.load import load
from tournaments.event.store.new_manifest import new_manifest
from tournaments.event.store.private import with_pseudonyms
from tournaments.play.archives import Sources, pack_sources, sources_sha256
from tournaments.play.events import Notice, Observer, notices_to
from tournaments.play.interruption import Interruption


class TournamentResult(Struct, frozen=True, kw_only=True):
    """The state of a tournament when it ended or was interrupted."""

    folder: Path
    ending: TournamentEnding
    problem: str | None
    """Why the next round can't be paired, if it has paused for that."""
    standings: Standings
    withdrawn: tuple[str, ...]
    """Bots that were withdrawn because they could not be started."""


class NotReady(TournamentError):
    """Bots are not ready, so the tournament has not begun, or they don't join."""

    def __init__(self, results: list[Readiness], *, because: str | None = None) -> None:
        failed = [result.bot for result in results if not result.ready]
        why = "" if because is None else f"; without them it can't be played ({because})"
        super().__init__(f"not ready: {', '.join(failed)}{why}")
        self.results = results
        self.playable = because is None
        """Whether the tournament could be played without them, as far as was tried."""


async def run_tournament(
    file: Path,
    folder: Path | None,
    observer: Observer,
    interruption: Interruption,
    *,
    run_options: Mapping[str, Any] = {},
    without_unready: bool = False,
    checked: bool = False,
    watched: bool = False,
    kept: Mapping[str, str] = {},
    built: Mapping[str, str] = {},
    accept_changed_bots: bool = False,
) -> TournamentResult:
    """Build and try all bots, then play the tournament that a file describes, in a new folder.

    `folder` is by default beside the file, with its name. `run_options` take the place of keys in [run].
    `without_unready`: bots that are not ready are left out, and the manifest says so. `checked`: they
    were tried before, and play no game for it again. `watched`: the observer also gets the lines of records.
    `built`: by name, the hashes of the files of bots that were built before and have to be as they were, unless changed
    ones are accepted; `kept`: the texts of their bot.toml as they were before that. All processes have ended when this
    returns or raises. Raises TournamentFileError, FolderExists, MachineError, SandboxError, NotReady before the first
    game, TournamentError, StoreError and MachineError if it can't go on.
    """
    spec = read_tournament(file, kept=kept, run_options=run_options).with_conditions(watched=watched)
    spec = structs.replace(
        spec,
        bots=tuple(
            structs.replace(bot, spec=structs.replace(bot.spec, build=())) if bot.spec.name in built else bot
            for bot in spec.bots
        ),
    )
    check_executor(spec)
    if spec.start_at is not None:
        if spec.start_at <= datetime.now(UTC):
            raise TournamentFileError(f"{file}: start_at = {spec.start_at:%Y-%m-%d %H:%M} is in the past")
        run_options = {**run_options, "start_at": spec.start_at.isoformat(timespec="seconds")}
    # What is played is what was read here: a build, or a bot without a sandbox, may write to the folder of a bot.
    text = file_as_run(file, spec.bots, run_options, spec.regulations.seeds_from, spec.pseudonyms)
    kept = {**bot_files(bot.spec for bot in spec.bots if bot.spec.name not in kept), **kept}
    path = folder or spec.path.with_suffix("")
    with creating(path):
        pass  # it can be made, which is found out before bots are built
    preflight = tournament_preflight(spec, notices_to(observer), extended_by(path) or path, collect=True)
    with tempfile.TemporaryDirectory(prefix="referee-sources-") as temporary:
        sources = await pack_before_build(spec, Path(temporary), path)
        unready = await make_ready(
            spec, preflight, observer, interruption, without_unready=without_unready, checked=checked
        )
        if unready:
            spec, text = spec_without(spec, unready), text_without(text, unready)
            kept = {name: content for name, content in kept.items() if name not in unready}
            sources = {name: found for name, found in sources.items() if name not in unready}
        seed = spec.seed or new_seed()
        files = await trio.to_thread.run_sync(hash_bots, spec.bots, path, abandon_on_cancel=True)
        before = {name: structs.replace(found, sha256=built.get(name, found.sha256)) for name, found in files.items()}
        changed = [name for name, found in files.items() if found != before[name]]
        manifest, private = with_pseudonyms(new_manifest(spec, seed, before, unready, sources), spec.pseudonyms)
        if changed:
            check_changes(changed, manifest, accepted=accept_changed_bots)
        archives = {found.archive for found in sources.values()}
        store = TournamentFolder.create(path, text, manifest, seed, kept, archives, spec.openings, private)
    published = "to be published now, so that nobody can change seed, regulations, clock or bots unnoticed"
    observer(Notice(text=f"commitment to the seed (its SHA-256): {store.manifest.seed_commitment}"))
    observer(Notice(text=f"first head of the chain, {published}: {store.manifest.head}"))
    with store.lock():
        progress = Progress(store.manifest.regulations, seed)
        async with directing("run", spec, store, preflight, files, observer, interruption, progress) as director:
            await accept_files(director, store, changed, files)
            return await _direct(director, store)


async def resume_tournament(
    path: Path,
    observer: Observer,
    interruption: Interruption,
    *,
    accept_changed_bots: bool = False,
    watched: bool = False,
    run_options: Mapping[str, Any] = {},
) -> TournamentResult:
    """Resume a tournament where it stopped; nothing is built. Raises as `run_tournament`, and NoTournament,
    FolderInUse, and TournamentError where files of bots have changed.

    `run_options` take the place of keys in [run].
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
            run_options=run_options,
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
    check_open(store, "`extend` plays a new bot against its bots")
    source = bot_table(bot, owner, named=store.manifest.has_pseudonyms)
    progress = load(store, repair=False).progress
    check_name(progress, source["name"])
    Requests(path).check(source["name"], Joined)
    spec = read_stored(store, [*store.late_sources(progress.events), source], store.bot_files())
    joining = spec.bots[-1]
    kept = bot_files([joining.spec])
    check_join(progress, joining)
    alone = structs.replace(spec, bots=(joining,))
    preflight = tournament_preflight(alone, notices_to(observer), path, collect=True)
    sources = await pack_before_build(alone, store.sources, path)
    await make_ready(alone, preflight, observer, interruption)
    files = await trio.to_thread.run_sync(hash_bots, alone.bots, path)
    joined = Joined(
        round=0,
        at="",
        bot=Entrant(name=joining.spec.name, owner=joining.owner),
        source=source,
        files_sha256=next((found.sha256 for found in files.values()), None),
        sources_sha256=sources_sha256(sources, joining.spec.name),
    )
    request = ChangeRequest(change=joined, bot_file=kept.get(joining.spec.name))
    return await _apply_or_queue("add", request, store, observer, interruption)


async def withdraw_bot(path: Path, name: str, reason: str, observer: Observer, interruption: Interruption) -> bool:
    """Withdraw a bot after the round in progress.

    True if it has been withdrawn, False if the referee that runs the tournament will do it. Raises TournamentError.
    """
    store = TournamentFolder.open(path)
    check_open(store, "no round is left to withdraw from")
    check_withdraw(load(store, repair=False).progress, name)
    Requests(path).check(name, Withdrawn)
    request = ChangeRequest(change=Withdrawn(round=0, at="", bot=name, reason=reason))
    return await _apply_or_queue("withdraw", request, store, observer, interruption)


async def give_ruling(
    path: Path, command: str, ruling: AnyRuling, observer: Observer, interruption: Interruption
) -> bool:
    """Give a ruling, also after the end. `command`: as the manifest names it.

    True if it holds, False if the referee that runs the tournament will apply it. Raises RulingError.
    """
    store = TournamentFolder.open(path)
    check_ruling(load(store, repair=False).progress, ruling, finished=store.manifest.finished)
    return await _apply_or_queue(command, ChangeRequest(change=ruling), store, observer, interruption)


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
    events = load(TournamentFolder.open(path), repair=False).progress.events
    of_kind = [(number, event) for number, event in standing_events(events) if isinstance(event, kind)]
    numbers = [number for number, event in of_kind if about(events, event) == subject]
    if not numbers:
        raise RulingError(f"there is no such ruling about {subject} to undo")
    return Undone(round=0, at="", number=numbers[-1], reason=reason)


def pause_tournament(path: Path) -> None:
    """Let a running tournament stop after the round in progress. Raises TournamentError if it is not running."""
    store = TournamentFolder.open(path)
    check_open(store, "nothing is being played")
    try:
        with store.lock():
            raise TournamentError(f"the tournament in {path} is not being played; `resume` continues it")
    except FolderInUse:
        Requests(path).submit(PauseRequest())


# -- the parts of the above -----------------------------------------------------------------------------------


async def _apply_or_queue(
    command: str, request: ChangeRequest, store: TournamentFolder, observer: Observer, interruption: Interruption
) -> bool:
    """Apply a request now; or submit it, and return False, if another referee runs the tournament."""
    try:
        with store.lock():
            by_name = not isinstance(request.change, Joined)
            async with reopened(command, store, observer, interruption, playing=(), by_name=by_name) as director:
                await director.make(request)
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
    checked: bool = False,
) -> dict[str, str]:
    """Build all bots, and try each in a game. Raises MachineError, NotReady, and TournamentInterrupted.

    Returns what is wrong with the bots that are not ready, by name. NotReady is raised if there is one, but
    `without_unready` only if the tournament can't be played without them.
    """
    provide_for_games(spec)
    with interruption.until_finishing():
        results = await check_readiness(
            spec, preflight, lambda result: None, notices_to(observer), without_games=checked
        )
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


class TournamentInterrupted(TournamentError):
    """A signal ended the tournament before there was anything to resume."""


async def pack_before_build(spec: TournamentSpec, folder: Path, tournament: Path) -> dict[str, Sources]:
    """The sources of bots that machines of a cluster build, by name, if they do. Raises ArchiveError."""
    if not spec.conditions.build_remotely:
        return {}
    bots = [bot.spec for bot in spec.bots]
    return await trio.to_thread.run_sync(pack_sources, bots, folder, (tournament.absolute(),))


async def _direct(director: Director, store: TournamentFolder) -> TournamentResult:
    ending = TournamentEnding.FINISHED if director.manifest.finished else await director.run()
    standings = director.final_standings
    if standings is None:
        finished = ending is TournamentEnding.FINISHED
        standings = await trio.to_thread.run_sync(tournament_standings, director.progress, finished)
    return TournamentResult(
        folder=store.path,
        ending=ending,
        problem=director.problem,
        standings=standings,
        withdrawn=tuple(
            event.bot for event in director.progress.events if isinstance(event, Withdrawn) and event.automatic
        ),
    )


def check_open(store: TournamentFolder, instead: str) -> None:
    """Raises TournamentError, which says what holds or can be done `instead`, if the tournament is over."""
    if store.manifest.finished:
        raise TournamentError(f"the tournament in {store.path} is finished: {instead}")


def game_to_replay(progress: Progress, game_id: str) -> StoredGame:
    """The game with this id, which counts, of a round that is over. Raises TournamentError and RulingError."""
    if progress.current is not None and game_id in progress.current.planned:
        raise TournamentError(f"{game_id} belongs to the round in progress: resume it first, then play the game again")
    return game_that_counts(progress, game_id)
