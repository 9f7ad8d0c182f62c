"""The games and the rounds of a tournament as lists: `referee tournament games` and `pairings`. Pure."""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType, structs

from protocol.messages import FaultCode
from tournaments.competition.changes import Replayed
from tournaments.competition.games import StoredGame
from tournaments.competition.points import game_point_sums, points_at_table, points_of_ranks
from tournaments.competition.progress import OpenRound, Progress
from tournaments.competition.rounds import Points

RECORD_PATH: Final = "records/{}.jsonl.gz"


class GameRow(Struct, frozen=True, kw_only=True):
    """A finished game in the form of `games --json`. All lists are by seat."""

    game_id: str
    round: int
    table: int
    deal: int
    """Numbered through the whole tournament. Where each table has deals of its own, a deal is a number at a table."""
    rotation: int
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    points: tuple[float, ...]
    """The game points that count: none in a game that is struck out."""
    faults: tuple[FaultCode | None, ...]
    decisions_hash: str | UnsetType
    """A hash of its decisions: equal for games with the same. The key is absent for a game with chance."""
    record: str
    """Its path in the folder."""
    replayed: str | None
    """The game that was played in its place, if this one is struck out."""
    reason: str | None
    """Why it was played again, or why a ruling has changed its result."""
    ruling: Literal["set", "void"] | UnsetType = UNSET
    """Whether a ruling has set its ranks and points, or counts it for nobody. The key is absent without one."""


class TableRow(Struct, frozen=True, kw_only=True):
    """A table of a round. Lists are in the order of seats in the first rotation."""

    table: int
    bots: tuple[str, ...]
    games: int
    """Finished games."""
    of: int
    """Games that are to be played at it."""
    game_points: tuple[float, ...]
    """The sums over its finished games."""
    points: tuple[float, ...] | None
    """The points of each bot for it; None before its first game is finished, or if all of them are void."""


class RoundRow(Struct, frozen=True, kw_only=True):
    round: int
    finished: bool
    deals: tuple[int, ...]
    """The numbers of its deals, over all sizes of tables."""
    tables: list[TableRow]
    byes: tuple[str, ...]
    absent: tuple[str, ...] | UnsetType = UNSET
    """The bots that are absent at their request. The key is absent if there are none."""
    name: str | UnsetType = UNSET
    """Such as `semi-final`. The key is absent if the format doesn't name its rounds."""


class Pairings(Struct, frozen=True, kw_only=True):
    """All rounds begun so far in the form of `pairings --json`."""

    schema: int = 1
    tournament: str
    format: str
    seats: int
    points: str
    bye: float
    rounds: list[RoundRow]


def game_rows(progress: Progress) -> list[GameRow]:
    """All finished games in the order of play, struck-out games last."""
    names = [entry.name for entry in progress.entries]
    reasons = {event.game_id: event.reason for event in progress.events if isinstance(event, Replayed)}
    return [_game_row(names, game, progress, reasons) for game in progress.games()]


def _game_row(names: Sequence[str], game: StoredGame, progress: Progress, reasons: dict[str, str]) -> GameRow:
    replaced = progress.struck_out.get(game.game_id)
    ruling = progress.ruling_on(game) if replaced is None else None
    void = replaced is not None or any(names[bot] in progress.void for bot in game.bots)
    points: Sequence[Points | int] = (0,) * len(game.bots)
    if ruling is not None and ruling.ranks is not None:
        game = structs.replace(game, ranks=ruling.ranks, forfeits=(False,) * len(game.bots))
    if not void and (ruling is None or ruling.ranks is not None):
        points = points_of_ranks(game.ranks, game.forfeits)
    about: Literal["set", "void"] | UnsetType = UNSET
    if replaced is None and (void or ruling is not None):
        about = "void" if void or ruling is None or ruling.ranks is None else "set"
    return GameRow(
        game_id=game.game_id,
        round=game.round,
        table=game.table,
        deal=game.deal,
        rotation=game.rotation,
        bots=tuple([names[bot] for bot in game.bots]),
        scores=game.scores,
        ranks=game.ranks,
        points=tuple(map(float, points)),
        faults=game.faults,
        decisions_hash=game.decisions_hash or UNSET,
        record=RECORD_PATH.format(game.game_id),
        replayed=None if replaced is None else replaced[1],
        reason=reasons.get(game.game_id) if ruling is None else ruling.reason,
        ruling=about,
    )


def pairings(progress: Progress) -> Pairings:
    """Every round begun so far, with its tables, byes and results."""
    regulations = progress.regulations
    return Pairings(
        tournament=regulations.name,
        format=regulations.format,
        seats=regulations.seats,
        points=regulations.points,
        bye=float(regulations.format_settings.bye),
        rounds=[_round_row(progress, begun, begun is not progress.current) for begun in progress.begun],
    )


def _round_row(progress: Progress, open_round: OpenRound, finished: bool) -> RoundRow:
    names = [entry.name for entry in progress.entries]
    round_ = open_round.round
    played = progress.view()[round_.number - 1]
    return RoundRow(
        round=round_.number,
        finished=finished,
        deals=tuple(open_round.deals),
        tables=[
            TableRow(
                table=number,
                bots=tuple(names[bot] for bot in result.table.bots),
                games=len(result.games) + len(result.void),
                of=round_.deals * len(result.table.bots),
                game_points=tuple(map(float, game_point_sums(result))),
                points=tuple(map(float, points_at_table(result, progress.regulations.points)))
                if result.games
                else None,
            )
            for number, result in enumerate(played.results, 1)
        ],
        byes=tuple(names[bot] for bot in round_.byes),
        absent=tuple(names[bot] for bot, _ in played.requested) or UNSET,
        name=progress.round_name(round_.number) or UNSET,
    )
