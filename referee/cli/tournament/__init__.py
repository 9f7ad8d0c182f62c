"""`referee tournament`: many bots in one event, from a file."""

from referee.cli.tournament import plan
from referee.cli.tournament.app import app

__all__ = ["app", "plan"]
