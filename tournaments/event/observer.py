"""What a tournament reports while it is run."""

from tournaments.competition.progress import AnyEvent, PlannedGame, Progress, StoredGame


class Observer:
    """Is told what happens, in the order in which it happens. Subclass it; by default nothing is shown.

    A game is reported when it is durable: what has been shown is never lost.
    """

    def notice(self, text: str) -> None:
        """A line for the organiser, such as which sandbox is in force."""

    def round_begun(self, progress: Progress) -> None:
        """`progress.current` is about to be played; after an interruption some of its games are there already."""

    def game_begun(self, game: PlannedGame) -> None:
        """A game is about to start its bots."""

    def game_finished(self, game: StoredGame, faults: list[str | None], progress: Progress) -> None:
        """A game is over. `faults`: by seat, what a bot did wrong, in words. `progress` has the game already."""

    def round_over(self, progress: Progress, head: str) -> None:
        """A round is over. `head` is the last hash of the chain of records."""

    def event(self, event: AnyEvent) -> None:
        """Something happened between rounds."""
