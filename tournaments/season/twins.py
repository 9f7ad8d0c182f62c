"""How alike the bots of a season are, for the organiser alone: equal files, and equal answers to the same questions.

Every version that has played is asked the questions of the same few recorded games, once. Bots that are equally good
agree often, however they were written, so the share of a pair says little without those of other such pairs.
"""

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.files import read_file
from tournaments.competition.game_list import game_rows
from tournaments.competition.pooled import GameRatings
from tournaments.event.store.durable import write_durably
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder
from tournaments.event.store.load import load
from tournaments.play.bot_replay import ReplaySpec, replay_bot
from tournaments.play.conditions import Conditions
from tournaments.play.interruption import Interruption
from tournaments.season.folder import Season
from tournaments.season.versions import SeasonState

GAMES_ASKED: Final = 2
EQUAL_ELO: Final = 150.0
"""Ratings that differ by at most this are about equal."""
MAX_ANSWERS: Final = 64 << 20


class Asked(Struct, frozen=True, kw_only=True):
    """A recorded game whose questions are put to all versions."""

    event: str
    game_id: str
    seat: int


class Answers(Struct, kw_only=True):
    """The contents of `answers.json`."""

    games: list[Asked] = []
    by_version: dict[str, dict[str, str]] = {}
    """By `ENTRANT/vNUMBER`, its answers as JSON, by game and line of the record."""


class Pair(Struct, frozen=True, kw_only=True):
    one: str
    other: str
    elo: float
    """How far their ratings are apart."""
    questions: int
    same: int


def equal_files(state: SeasonState) -> list[list[str]]:
    """The versions of different entrants with equal files, as they came or after their builds."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, entrant in state.entrants.items():
        for version in entrant.versions:
            for sha256 in (version.sha256, version.files_sha256):
                if sha256 is not None:
                    found[sha256].add(f"{name}/v{version.number}")
    groups = {tuple(sorted(group)) for group in found.values()}
    return sorted(list(group) for group in groups if len({name.rpartition("/")[0] for name in group}) > 1)


def equal_answers(answers: Mapping[str, Mapping[str, str]], elo: Mapping[str, float]) -> list[Pair]:
    """The pairs of about equal strength, those that agree most first. `elo`: the ratings of those that play."""
    found = []
    for one, other in combinations(sorted(set(answers) & set(elo)), 2):
        both = answers[one].keys() & answers[other].keys()
        apart = abs(elo[one] - elo[other])
        if apart <= EQUAL_ELO and both:
            same = sum(answers[one][question] == answers[other][question] for question in both)
            found.append(Pair(one=one, other=other, elo=apart, questions=len(both), same=same))
    return sorted(found, key=lambda pair: (-pair.same / pair.questions, pair.one, pair.other))


def read_answers(season: Season) -> Answers:
    """Raises StoreError."""
    path = season.path / "answers.json"
    try:
        return msgspec.json.decode(read_file(path, MAX_ANSWERS), type=Answers)
    except FileNotFoundError:
        return Answers()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        raise StoreError(f"can't read {path}; remove it, and the questions are asked again") from None


def playing(season: Season) -> Iterator[tuple[str, str, Path]]:
    """The versions that play: as in `Answers`, their names in events, and their folders."""
    for name, version in season.state.playing().items():
        yield f"{name}/v{version.number}", season.state.entrants[name].shown, season.bot_folder(name, version)


def pairs(season: Season, fits: Sequence[GameRatings]) -> list[Pair]:
    """The pairs of versions that play and are about equally strong, by the ratings of the season. Raises StoreError."""
    by_name = {row.name: row.rating.elo for fit in fits[:1] for row in fit.table.ratings}
    elo = {version: by_name[shown] for version, shown, _ in playing(season) if shown in by_name}
    return equal_answers(read_answers(season).by_version, elo)


async def ask(season: Season, conditions: Conditions, interruption: Interruption) -> None:
    """Put the questions to the versions that play and have not been asked. Raises StoreError.

    A version that can't be asked has answered nothing.
    """
    answers = read_answers(season)
    if not answers.games:
        answers.games = _games_to_ask(season)
    for version, _, folder in playing(season):
        if version in answers.by_version or interruption.finishing or not answers.games:
            continue
        given: dict[str, str] = {}
        for number, asked in enumerate(answers.games, 1):
            record = TournamentFolder.open(season.events_folder / asked.event).record(asked.game_id)
            spec = ReplaySpec(record=record, seat=asked.seat, bot=str(folder), built=True, conditions=conditions)
            with contextlib.suppress(RefereeError):
                found = await replay_bot(spec, interruption)
                for each in found.questions:
                    if each.answer is not None:
                        given[f"{number}:{each.line}"] = msgspec.json.encode(each.answer).decode()
        if not interruption.finishing:
            answers.by_version[version] = given
            write_durably(season.path / "answers.json", msgspec.json.encode(answers), 0o600)


def _games_to_ask(season: Season) -> list[Asked]:
    """Games without a fault of the first event that has some, each of another deal, in the seat of their winner."""
    for event in season.events():
        folder = TournamentFolder.open(event.path)
        if not folder.manifest.finished:
            continue
        deals: dict[tuple[int, int], Asked] = {}
        for row in game_rows(load(folder, repair=False).progress):
            if not any(row.faults) and row.replayed is None:
                asked = Asked(event=event.path.name, game_id=row.game_id, seat=row.ranks.index(1))
                deals.setdefault((row.table, row.deal), asked)
        if deals:
            return list(deals.values())[:GAMES_ASKED]
    return []
