"""Simulated tournaments of the formats as they are played: paired, scored, withdrawn and ranked by the program."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from msgspec import Struct

from tests.simulation.field import Field
from tests.tournaments.competition.simulated import regulations
from tournaments.competition.changes import ByeGranted, Ended, Joined, Withdrawn
from tournaments.competition.fit import RankedGame
from tournaments.competition.formats.interface import TooFewBots
from tournaments.competition.progress import Progress, failing
from tournaments.competition.ratings import ranked_games
from tournaments.competition.regulations import Entrant
from tournaments.competition.rounds import DealsOf

AT: Final = "2026-11-26T00:00:00Z"


class Event(Struct, frozen=True, kw_only=True):
    """What is played."""

    format: str
    bots: int
    seats: int = 2
    deals: int = 1
    deals_of: DealsOf | None = None
    settings: Mapping[str, Any] = {}
    late: int = 0
    """Bots, the last ones, that join before the third round."""
    byes: int = 0
    """Bots, the first ones, that ask for a bye in the second round."""

    def play(self, field: Field, seed: object) -> Progress:
        """A tournament of these bots to its end."""
        of = regulations(
            self.format,
            self.bots - self.late,
            seats=self.seats,
            deals=self.deals,
            deals_of=self.deals_of,
            **self.settings,
        )
        progress = Progress(of, str(seed))
        while True:
            number = progress.next_number
            if number == 2:
                for bot in range(self.byes):
                    progress.apply(ByeGranted(round=2, at=AT, bot=f"b{bot}", number=2, points=0.5, reason="away"))
            if number == 3:
                for bot in range(self.bots - self.late, self.bots):
                    progress.apply(Joined(round=3, at=AT, bot=Entrant(name=f"b{bot}"), source={}))
            try:
                round_ = progress.next_round()
            except TooFewBots:
                progress.apply(Ended(round=number, at=AT, reason="too few bots are left"))
                return progress
            if round_ is None:
                return progress
            for planned in progress.begin(round_).missing():
                progress.add(field.play(planned, of.deals_of))
            progress.close()
            for name, reason in failing(progress).items():
                progress.apply(Withdrawn(round=progress.next_number, at=AT, bot=name, reason=reason, automatic=True))


def round_robin(bots: int, seats: int, deals: int) -> Event:
    """A round robin in which every bot plays so many deals; with two seats a multiple of its rounds."""
    if seats == 2:
        return Event(format="round_robin", bots=bots, deals=deals // (bots - 1 + bots % 2))
    return Event(format="round_robin", bots=bots, seats=seats, settings={"rounds": deals})


def games_of(event: Event, elos: Sequence[float], seed: object) -> list[RankedGame]:
    """The games of a tournament in which only strength and chance count: without luck of the deal and without ties."""
    return ranked_games(event.play(Field(elos, seed, luck=0.0, tie=0.0), seed).history)


def shuffled(elos: Sequence[float], seed: object) -> list[float]:
    """The strengths in an order drawn by lot, as pairings may go by the order of the file."""
    return Random(f"order/{seed}").sample(elos, len(elos))
