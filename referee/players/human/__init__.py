"""People as players: the dialogue, which is pure, the terminal, and the players who share it."""

from referee.players.human.player import HotSeat, HumanPlayer
from referee.players.human.terminal import ConsoleTerminal, NoTerminalError, Terminal

__all__ = ["ConsoleTerminal", "HotSeat", "HumanPlayer", "NoTerminalError", "Terminal"]
