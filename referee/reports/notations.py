"""Recorded games in the notations that players of chess and Go exchange."""

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

from referee.printable import printable
from referee.record.reader import InvalidRecord
from referee.reports import pgn, sgf
from referee.reports.decisions import Records
from referee.reports.played_game import MAX_NOTE, Occasion, PlayedGame, played_game
from tournaments.event.store.errors import StoreError
from tournaments.event.store.folder import TournamentFolder

DAY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
"""How the time of a run begins, and the name of the folder of a match."""


class Notation(NamedTuple):
    name: str
    game: str
    write: Callable[[PlayedGame], str]


PGN: Final = Notation("PGN", "open_spiel:chess", pgn.pgn_game)
SGF: Final = Notation("SGF", "open_spiel:go", sgf.sgf_game)


def game_texts(records: Records, notation: Notation) -> Iterator[str]:
    """The text of each game. Records of other games are a problem of theirs; a wrong one is written up to there."""
    for file, replay in records.replays():
        if replay.header.game != notation.game:
            records.problem(file, f"{notation.name} is for {notation.game}, not for {replay.game_type.name}")
            continue
        try:
            game, problem = played_game(replay, occasion_in(file.resolve().parent))
        except InvalidRecord as error:
            records.problem(file, error)
            continue
        if problem is not None:
            records.problem(file, problem)
        records.games += 1
        yield notation.write(game)


@functools.cache
def occasion_in(folder: Path) -> Occasion:
    """What is known of the games with records in this folder: that of a match, or `records` of a tournament."""
    if folder.name != "records":
        return Occasion(date=common_date([folder.name]))
    try:
        manifest = TournamentFolder.open(folder.parent).manifest
    except StoreError:
        return Occasion()
    times = [time or "" for run in manifest.sessions for time in (run.started, run.ended)]
    return Occasion(event=printable(manifest.regulations.name, MAX_NOTE), date=common_date(times))


def common_date(times: Iterable[str]) -> str:
    """What the dates with which these texts begin have in common; empty if one has none."""
    days = [day.groups() if (day := DAY.match(time)) else () for time in times]
    return "-".join(part[0] for part in takewhile(lambda part: len(set(part)) == 1, zip(*days, strict=False)))
