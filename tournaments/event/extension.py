"""Bots that are added to a tournament after its end, when its seed is public and its standings are final.

Each extension is a gauntlet of the new bot against the bots of the tournament, with the same game, clock and files, in
a folder of its own within that of the tournament. It has a new secret seed, or on request the seed of the tournament:
then its deals are those of the tournament, which the new bot may know. The standings of the tournament stay as they
are; `read_extensions` has ratings over all games, and says what those of the new bot rest on.
"""

import math
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

import tomli_w

from tournaments.competition.formats.gauntlet import Gauntlet
from tournaments.competition.intervals import MIN_DEALS
from tournaments.competition.progress import Progress
from tournaments.event.archive import unpacked_bots
from tournaments.event.director import TournamentError, check_name
from tournaments.event.file.file_as_run import bot_table
from tournaments.event.service import TournamentResult, resume_tournament, run_tournament
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.play.events import Notice, Observer
from tournaments.play.interruption import Interruption

NOT_TAKEN: Final = ("name", "seed", "points", "tiebreaks", "forbidden", "ratings", "seeds_from")
"""Keys of the tournament file that an extension doesn't have, as well as the table of the format."""
NOT_RUN: Final = ("start_at", "stop_at", "on_round")
"""Likewise in [run]."""


async def extend_tournament(
    path: Path,
    bot: str,
    owner: str | None,
    observer: Observer,
    interruption: Interruption,
    *,
    rounds: int | None = None,
    old_deals: bool = False,
    accept_changed_bots: bool = False,
) -> TournamentResult:
    """Play a BOT against the bots of a finished tournament; one that was interrupted is resumed.

    The other bots are not built, and have to be as they played, unless `accept_changed_bots`. `rounds`: of the
    gauntlet; by default as many as give the new bot as many tables as the others had, and enough deals for an interval.
    Raises as `run_tournament`.
    """
    store = TournamentFolder.open(path)
    if not store.manifest.finished:
        raise TournamentError(f"the tournament in {path} is not finished: `add` lets a bot join before its next round")
    if store.extended is not None:
        raise TournamentError(f"{path} is an extension itself: give {store.extended}")
    source = bot_table(bot, owner, named=store.manifest.has_pseudonyms)
    name = source["name"]
    folder = store.extension(name)
    if (folder / "manifest.json").is_file():
        if TournamentFolder.open(folder).manifest.finished:
            observer(Notice(text=f"{name} was added before, and all its games are played: nothing is left to play"))
        return await resume_tournament(folder, observer, interruption, accept_changed_bots=accept_changed_bots)
    progress = load(store, repair=False).progress
    check_name(progress, name)
    table, field = _gauntlet(store, progress, source, rounds)
    if old_deals:
        table["seed"] = store.manifest.seed
    started = store.started_bots(store.manifest.bots)
    with tempfile.TemporaryDirectory(prefix="referee-extension-") as temporary:
        file = Path(temporary, "extension.toml")
        file.write_text(tomli_w.dumps(table), encoding="utf-8")
        return await run_tournament(
            file,
            folder,
            observer,
            interruption,
            kept={name: text for name, text in store.bot_files().items() if name in field},
            built={bot.name: bot.files_sha256 for bot in started if bot.name in field and bot.files_sha256},
            accept_changed_bots=accept_changed_bots,
        )


def _gauntlet(
    store: TournamentFolder, progress: Progress, source: dict[str, Any], rounds: int | None
) -> tuple[dict[str, Any], list[str]]:
    """The tournament file of an extension, and the names of the field. Raises StoreError and ArchiveError."""
    regulations = progress.regulations
    field = [entry.name for entry in progress.entries if entry.withdrawn is None and not entry.disqualified]
    table = tomllib.loads(store.file.read_text(encoding="utf-8"))
    bots = {bot["name"]: bot for bot in (*table["bot"], *store.late_sources(progress.events))}
    for name, place in unpacked_bots(store).items():
        if name in bots:  # the archive also has bots of extensions
            bots[name] = {**bots[name], ("path" if "path" in bots[name] else "folder"): str(place)}
    opening = table.get("opening", {})
    if "file" in opening:
        opening["file"] = str(store.path.absolute() / "openings")
    beside = regulations.seats - 1
    tables = math.lcm(len(field), beside) // beside
    deals = regulations.format_settings.deals(progress.format_context())
    if rounds is None:
        played = [sum(bot in table.bots for over in progress.rounds for table in over.round.tables)
                  for bot in range(len(progress.entries))]  # fmt: skip
        of_round = deals * tables if regulations.deals_of == "table" else deals
        rounds = max(math.ceil(sum(played) / len(played) / tables), math.ceil(MIN_DEALS / of_round))
    own = {key: value for key, value in table.items() if key not in (*NOT_TAKEN, regulations.format)}
    return {
        **own,
        "name": f"{regulations.name}: {source['name']}",
        "folder": str(store.path.absolute() / table["folder"]),
        "format": Gauntlet.name,
        "deals": deals,
        "deals_of": regulations.deals_of,
        Gauntlet.name: {"challengers": [source["name"]], "rounds": rounds},
        "run": {key: value for key, value in table.get("run", {}).items() if key not in NOT_RUN},
        "bot": [*({key: value for key, value in bots[name].items() if key != "rating"} for name in field), source],
    }, field
