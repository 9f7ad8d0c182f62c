"""How a tournament was run, and how to verify it: from its manifest and its file."""

from collections.abc import Iterable, Mapping
from typing import Final

import tomli_w
from msgspec import UNSET

from referee.players.clock import TimeControl
from referee.printable import printable
from referee.record.render import format_options
from referee.reports.formatting import format_setting
from referee.reports.model import Cell, Column, Section, Table, numbers
from referee.reports.plan import DEALS, format_seeds
from referee.reports.standings import TIE_BREAK_NAMES
from referee.reports.state import format_kind
from tournaments.competition.formats.interface import FormatContext
from tournaments.event.file.toml_source import TournamentFileError, read_source
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.manifest import Manifest, Run
from tournaments.play.conditions import NOT_SHOWN, Conditions

LABELS: Final = {"concurrency": "games at a time"}
"""Of conditions that are not called by the names of their fields."""


def conditions_section(
    manifest: Manifest, folder: TournamentFolder, context: FormatContext, *, with_paths: bool
) -> Section:
    """The file, unless bots have pseudonyms, the bots, versions and sessions. `with_paths`: and their commands."""
    regulations, config = manifest.regulations, manifest.regulations.full_config
    tie_breaks = [TIE_BREAK_NAMES[name][1] for name in regulations.tiebreaks]
    facts = {
        "format": f"{format_kind(regulations.format)}: {regulations.format_settings.rule(context)}",
        "settings": format_setting(regulations.settings),
        "game": f"{regulations.game_type.title}: {format_options(config, config)}",
        "points": f"per {regulations.points}; tie-breaks {', '.join(tie_breaks) or 'none'}",
        "deals": f"{regulations.deals} per round; {DEALS[regulations.deals_of]}",
        "pairing": regulations.pairing,
        "names": "bots don't learn whom they play" if regulations.anonymous else "bots learn whom they play",
        **condition_facts(manifest.conditions),
        "versions": ", ".join(f"{name} {version}" for name, version in manifest.versions.items()),
    }
    if regulations.seeds_from is not UNSET:
        facts["seeds"] = format_seeds(regulations.seeds_from)
    if manifest.shared_deals is not None:
        facts["shared deals"] = manifest.shared_deals
    for name, problem in manifest.left_out.items():
        facts[f"began without {name}"] = problem
    file = Section(
        key="file",
        text=file_shown(folder, finished=manifest.finished, with_paths=with_paths),
        folded="The tournament file, with values that may be secret left out",
    )
    return Section(
        key="conditions",
        title="How it was run",
        table=facts_table("How it was run", facts),
        parts=[
            _bots(manifest, with_paths=with_paths),
            _sessions(manifest.sessions, with_paths=with_paths),
            *([] if manifest.has_pseudonyms else [file]),
        ],
    )


def facts_table(caption: str, facts: Mapping[str, str]) -> Table:
    return Table.of(
        caption,
        Column("", [Cell(name, css="name") for name in facts], "text"),
        Column("", [Cell(printable(value), css="message") for value in facts.values()], "text"),
    )


def words_column(heading: str, values: Iterable[str | None], css: str = "message") -> Column:
    return Column(heading, [Cell(printable(value or ""), css=css) for value in values], "text")


def condition_facts(conditions: Conditions) -> dict[str, str]:
    """The conditions as names and values: the first few always, the others where they are not the default."""
    facts = {
        "clock": format_clock(conditions.control),
        "thinking ahead": "allowed" if conditions.ponder else "bots are suspended while it is not their turn",
        "retries": str(conditions.retries),
    }
    usual = Conditions().as_in_json()
    for name, value in conditions.as_in_json().items():
        if value not in (None, usual[name]) and name not in ("clock", "ponder", "retries"):
            shown = value
            if isinstance(value, dict):
                shown = {key: each for key, each in value.items() if each != usual[name].get(key)}
            facts[LABELS.get(name) or name.replace("_", " ")] = format_setting(shown)
    return facts


def format_clock(control: TimeControl) -> str:
    parts = []
    if control.move is not None:
        parts.append(f"{control.move:g} s per decision")
    if control.bank is not None:
        parts.append(f"{control.bank:g} s per game, {control.increment:g} s added after each decision")
    parts.append(f"{control.startup:g} s to start")
    return ", ".join(parts) + ("" if control.enforced else "; not enforced")


def _bots(manifest: Manifest, *, with_paths: bool) -> Section:
    hashes = []
    for bot in manifest.bots:
        files = [bot.files_sha256 or ""]
        if bot.sources_sha256 is not UNSET:
            files.append(f"from sources {bot.sources_sha256}")
        for host, built in manifest.builds.get(bot.name, {}).items():
            files += [f"built by {host} {sha256}" for sha256 in built]
        hashes.append("; ".join(files))
    owners = [bot.owner for bot in manifest.bots]
    of_files = "seal of its files" if manifest.has_pseudonyms else "SHA-256 of its files"
    return Section.with_table(
        "entrants",
        "",
        words_column("name", (bot.name for bot in manifest.bots)),
        words_column("owner", owners).shown_if(any(owners)),
        words_column("command", (" ".join(bot.command) for bot in manifest.bots)).shown_if(with_paths),
        words_column(of_files, hashes, "hash").shown_if(any(hashes)),
        caption="The bots, as they were started",
        folded=f"The {len(manifest.bots)} bots, as they were started",
    )


def _sessions(sessions: tuple[Run, ...], *, with_paths: bool) -> Section:
    return Section.with_table(
        "sessions",
        "",
        words_column("command", (run.command for run in sessions)).shown_if(with_paths),
        words_column("began", (run.started for run in sessions)),
        words_column("ended", (run.ended for run in sessions)),
        words_column("host", (run.host for run in sessions)),
        words_column("system", (run.system for run in sessions)),
        words_column("sandbox", (run.sandbox for run in sessions)),
        numbers("games at a time", [run.conditions.games_at_a_time for run in sessions]),
        numbers("workers", [run.conditions.workers or 1 for run in sessions]),
        caption="The runs of the referee",
        folded="1 run of the referee" if len(sessions) == 1 else f"The {len(sessions)} runs of the referee",
    )


def file_shown(folder: TournamentFolder, *, finished: bool, with_paths: bool = False) -> str:
    """The tournament file without what may be secret: the values of environment variables, the command `on_round`, a
    seed that is not published yet, and unless `with_paths` the commands of bots."""
    try:
        table = read_source(folder.file).table
    except TournamentFileError:
        return "(the file can't be read)"
    if "seed" in table and not finished:
        table["seed"] = NOT_SHOWN
    run, bots = table.get("run", {}), table.get("bot", [])
    owners = [run, *(bots if isinstance(bots, list) else [bots])]
    if not all(isinstance(own, dict) for own in owners):  # it was changed since the tournament began
        return "(the file is not that of a tournament)"
    if "on_round" in run:
        run["on_round"] = NOT_SHOWN
    for own in owners:
        if "env" in own:
            own["env"] = dict.fromkeys(own["env"], NOT_SHOWN) if isinstance(own["env"], dict) else NOT_SHOWN
        if "command" in own and not with_paths:
            own["command"] = NOT_SHOWN
    return "\n".join(map(printable, tomli_w.dumps(table).split("\n")))


def verification_section(manifest: Manifest) -> Section:
    """Commitment, heads, and what anybody can check."""
    facts = {
        "commitment to the seed": manifest.seed_commitment,
        "seed": manifest.seed or "secret until the end",
        "first head": manifest.first_head,
        "head now": manifest.head,
    }
    words = [
        "Before the first game the organiser publishes the commitment, which is the SHA-256 of the seed, and the first"
        " head, which also fixes regulations, clock and files of bots; after each round the head of that round. Each"
        " head is a hash of the one before and of the records and events since, so nothing can be changed unnoticed by"
        " somebody who has kept a head.",
        "With the folder of the tournament, or a copy of its manifest and records, everybody can play every game again"
        " by the rules and compute deals, pairings and standings from the seed:"
        f" referee tournament verify DIR --against {manifest.head}",
    ]
    if not manifest.seed_secret:
        words.append("The organiser chose the seed, so the commitment does not prove that nobody else knew it.")
    if manifest.seed is None:
        words.append("The seed and the records are published at the end.")
    return Section(
        key="verify",
        title="How to verify it",
        words=words,
        table=facts_table("Seed and heads", facts),
        parts=[
            Section.with_table(
                "heads",
                "",
                numbers("round", [over.number for over in manifest.rounds]),
                numbers("games", [over.games for over in manifest.rounds]),
                words_column("head", (over.head for over in manifest.rounds), "hash"),
                caption="The head after each round",
                folded="The head after each round",
            )
        ]
        if manifest.rounds
        else (),
    )
