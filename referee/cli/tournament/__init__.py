"""`referee tournament`: many bots in one event, from a file."""

from referee.cli.tournament import check, plan, results, run, verify
from referee.cli.tournament.app import app

__all__ = ["app", "check", "plan", "results", "run", "verify"]
