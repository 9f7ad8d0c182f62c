"""`referee bot`: what authors of bots need."""

from referee.cli.bot import check, connect, new, replay
from referee.cli.bot.app import app

__all__ = ["app", "check", "connect", "new", "replay"]
