"""In the Year of the Dragon: the full rules for 2 to 5 players, two editions, two expansions."""

from referee.games.year_of_the_dragon.game import YearOfTheDragon

__all__ = ["YearOfTheDragon"]
