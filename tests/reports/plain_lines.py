"""The plain view of a tournament, for tests."""

from referee.reports.running import PlainView


class Lines(PlainView):
    """Keeps its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append(text)

    def new(self) -> list[str]:
        """Those since the last time."""
        lines, self.lines = self.lines, []
        return lines
