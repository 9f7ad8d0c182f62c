"""Describes a game in English."""

from collections.abc import Iterator, Sequence

from my_game.rules import LastStone, MyGame, Take
from referee.games import Event, Narrator
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.narrator import format_count


class MyGameNarrator(Narrator[MyGame]):
    """Narrator of My Game."""

    def narrate(self, events: Sequence[Event]) -> Iterator[str]:
        """Headings are not indented; the sentence of a decision has an indent of four."""
        for event in events:
            match event:
                case ChanceEvent(value=stones):
                    yield f"  There are {stones} stones"
                case DecisionEvent(seat=seat, action=Take(count=count)):
                    yield f"    {self.names[seat]} takes {format_count(count, 'stones')}, {self.game.stones} are left"
                case LastStone(seat=seat):
                    yield f"  {self.names[seat]} has the last stone"
