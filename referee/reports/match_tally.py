"""The sums of a match in progress."""

from referee.games import Game, find_game
from referee.games.narrator import in_points
from referee.printable import printable
from referee.reports.comparison import named
from referee.reports.model import Column, Table, numbers
from tournaments.competition.match_standings import win_share
from tournaments.play.events import MatchBegun, MatchGameOver


class MatchTally:
    """The sums of a match in progress, by bot."""

    def __init__(self, begun: MatchBegun) -> None:
        self.begun = begun
        self.games = [0] * len(begun.bots)
        self.finished = 0
        """The number of games."""
        self.faults = 0
        self.game: type[Game] = find_game(begun.game)
        self._wins = [0.0] * len(begun.bots)
        self._scores = [0.0] * len(begun.bots)

    @property
    def over(self) -> bool:
        return self.finished == self.begun.games

    def add(self, event: MatchGameOver) -> None:
        self.finished += 1
        for seat, bot in enumerate(event.seating):
            self.games[bot] += 1
            self.faults += event.outcome.faults[seat] is not None
            self._wins[bot] += win_share(event.outcome, seat)
            self._scores[bot] += in_points(self.game, event.outcome.scores[seat])

    def leaders(self) -> list[tuple[str, float]]:
        """The bots with their shares of wins, the highest first."""
        shares = [wins / games if games else 0.0 for wins, games in zip(self._wins, self.games, strict=True)]
        return sorted(zip(self.begun.bots, shares, strict=True), key=lambda row: -row[1])

    def format_leader(self) -> str:
        """Who leads or has won by games won; empty before the first game."""
        (first, share), *others = self.leaders()
        if not others or not self.finished:
            return ""
        level = [first, *(name for name, own in others if own == share)]
        won = f"{share:.0%}".replace("%", " % of the games")
        if len(level) > 1:
            return printable(f"{named(level)} are level: each won {won}")
        return printable(f"{first} won {won}" if self.over else f"{first} leads: it won {won} so far")

    def table(self) -> Table:
        order = sorted(range(len(self.games)), key=lambda bot: -self._wins[bot] / max(self.games[bot], 1))
        played = {bot: self.games[bot] for bot in order if self.games[bot]}
        return Table.of(
            "Standings",
            numbers("", range(1, len(order) + 1)),
            Column("bot", [printable(self.begun.bots[bot]) for bot in order], "name"),
            Column("wins", [f"{self._wins[bot] / played[bot]:.0%}" if bot in played else "" for bot in order]),
            Column("mean score", [f"{self._scores[bot] / played[bot]:.1f}" if bot in played else "" for bot in order]),
        )
