"""Recorded games in the notations that players of chess and Go exchange."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from referee.record.reader import InvalidRecord
from referee.reports import pgn, sgf
from referee.reports.decisions import Records
from referee.reports.played_game import PlayedGame, played_game


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
            game, problem = played_game(replay)
        except InvalidRecord as error:
            records.problem(file, error)
            continue
        if problem is not None:
            records.problem(file, problem)
        records.games += 1
        yield notation.write(game)
