"""`referee bot`: what authors of bots need."""

from referee.cli.bot import check, new
from referee.cli.bot.app import app

__all__ = ["app", "check", "new"]
