"""Tournaments whose results are made up: a Progress as after real games, without bots, files or processes."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from msgspec import structs

from protocol.messages import FaultCode
from tournaments.competition.changes import AnyChange, Replayed
from tournaments.competition.formats.registry import FORMATS
from tournaments.competition.games import PlannedGame, StoredGame, game_id_of
from tournaments.competition.progress import OpenRound, Progress
from tournaments.competition.ratings import STATISTICS
from tournaments.competition.regulations import CHAIN, Entrant, Regulations
from tournaments.competition.rounds import DealsOf, PointSystem, Round
from tournaments.competition.tiebreaks import TieBreak

Play = Callable[[PlannedGame], Sequence[int]]
"""The scores of a game by seat."""


def regulations(
    format_: str,
    bots: int | Sequence[str] = 4,
    *,
    seats: int = 2,
    deals: int = 1,
    deals_of: DealsOf | None = None,
    points: PointSystem | None = None,
    tiebreaks: Sequence[TieBreak] | None = None,
    **settings: Any,
) -> Regulations:
    """A tournament of bots with these names, or of so many called b0, b1 and so on."""
    names = [f"b{bot}" for bot in range(bots)] if isinstance(bots, int) else bots
    kind = FORMATS[format_]
    of = Regulations(
        name="Cup",
        format=format_,
        settings=settings,
        game="year_of_the_dragon",
        config={"players": seats},
        seats=seats,
        deals=deals,
        deals_of=deals_of or kind.deals_of[0],
        points=points or "game",
        tiebreaks=tuple(kind.default_tiebreaks if tiebreaks is None else tiebreaks),
        anonymous=True,
        bots=tuple(Entrant(name=name) for name in names),
        pairing="",
        chain=CHAIN,
        statistics=STATISTICS,
    )
    rules = of.format_settings
    return structs.replace(of, pairing=rules.algorithm(seats), points=points or rules.default_points(seats))


def by_strength(planned: PlannedGame) -> Sequence[int]:
    """The bot that comes first in the file always wins."""
    return [-bot for bot in planned.bots]


def by_chance(seed: object, draws: float = 0.2) -> Play:
    """Bots do better the earlier they come in the file; some games are drawn."""
    random = Random(str(seed))

    def play(planned: PlannedGame) -> Sequence[int]:
        if random.random() < draws:
            return [0] * len(planned.bots)
        return [round(random.gauss(-bot, 6) * 10) for bot in planned.bots]

    return play


def stored(
    planned: PlannedGame,
    scores: Sequence[int],
    forfeits: Sequence[int] = (),
    faults: Sequence[int] = (),
    again: int = 0,
) -> StoredGame:
    """A game with these scores. `forfeits` and `faults` are bots; they come last."""
    gone = tuple(bot in forfeits for bot in planned.bots)
    failed = tuple(out or bot in faults for out, bot in zip(gone, planned.bots, strict=True))
    order = [(not bad, score) for bad, score in zip(failed, scores, strict=True)]
    codes: list[FaultCode | None] = [
        "startup_timeout" if out else "timeout" if bad else None for out, bad in zip(gone, failed, strict=True)
    ]
    return StoredGame(
        game_id=game_id_of(planned.round, planned.table, planned.deal, planned.rotation, again),
        round=planned.round,
        table=planned.table,
        deal=planned.deal,
        rotation=planned.rotation,
        again=again,
        bots=planned.bots,
        scores=tuple(scores),
        ranks=tuple(1 + sum(other > own for other in order) for own in order),
        faults=tuple(codes),
        forfeits=gone,
    )


class Simulation:
    """A tournament that is played round by round."""

    def __init__(self, of: Regulations, play: Play = by_strength, seed: str = "seed") -> None:
        self.progress = Progress(of, seed)
        self.play = play
        self.forfeiting: set[int] = set()
        """Bots that can't be started at present."""
        self.faulty: set[int] = set()

    def begin(self) -> OpenRound | None:
        """Pair the next round, if there is one."""
        round_: Round | None = self.progress.next_round()
        return None if round_ is None else self.progress.begin(round_)

    def add(self, games: int | None = None) -> None:
        """Play so many of the games that are missing in the round, or all."""
        assert self.progress.current is not None
        for planned in self.progress.current.missing()[:games]:
            self.progress.add(stored(planned, self.play(planned), tuple(self.forfeiting), tuple(self.faulty)))

    def round(self) -> bool:
        """Play a round to its end; false if the tournament is over."""
        if self.begin() is None:
            return False
        self.add()
        self.progress.close()
        return True

    def rounds(self, most: int = 10_000) -> "Simulation":
        """Play rounds until the end, or so many."""
        while most and self.round():
            most -= 1
        return self

    def apply(self, *events: AnyChange) -> None:
        """Something happened between rounds."""
        for event in events:
            self.progress.apply(event)

    def replay(self, game_id: str, scores: Sequence[int], reason: str = "the referee was late") -> str:
        """Play a game again with these scores by seat; the id of the replacement."""
        old = next(
            game
            for rounds in [*self.progress.rounds, self.progress.current]
            if rounds is not None
            for game in rounds.played.values()
            if game.game_id == game_id
        )
        planned = PlannedGame(
            game_id=old.game_id, round=old.round, table=old.table, deal=old.deal, rotation=old.rotation, bots=old.bots
        )
        new = stored(planned, scores, again=old.again + 1)
        event = Replayed(
            round=self.progress.next_number,
            at="2026-11-22T06:00:00Z",
            game_id=old.game_id,
            replacement=new.game_id,
            reason=reason,
            old=old,
        )
        self.progress.apply(event, new)
        return new.game_id
