"""Describes a game in English."""

from collections.abc import Iterator, Sequence

from my_game.rules import LastStone, MyGame, Take
from referee.games import Event, Narrator
from referee.games.interface import ChanceEvent, DecisionEvent
from referee.games.narrator import SECTION, Said, format_count


class MyGameNarrator(Narrator[MyGame]):
    """Narrator of My Game."""

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """A sentence per decision; below headings, sections are what happens between decisions."""
        for event in events:
            match event:
                case ChanceEvent(value=stones):
                    yield Said(f"There are {stones} stones", SECTION)
                case DecisionEvent(seat=seat, action=Take(count=count)):
                    taken = format_count(count, "stones")
                    yield Said(f"{self.names[seat]} takes {taken}, {self.game.stones} are left")
                case LastStone(seat=seat):
                    yield Said(f"{self.names[seat]} has the last stone", SECTION)
