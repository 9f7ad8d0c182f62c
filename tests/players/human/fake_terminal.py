"""A terminal as a test: it answers questions by a function, and keeps what each person was shown."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import trio

from referee.games.narrator import Narrator
from referee.games.placed_names import with_names

Answer = Callable[[str, str], str | None]
"""What is typed at a prompt, with all that has been shown since the screen was cleared."""


class FakeTerminal:
    """Never prints. `screens` has what was shown between two times that the screen was cleared."""

    def __init__(self, answer: Answer | None, size: tuple[int, int] = (80, 40)) -> None:
        self.size = size
        self.screens = [""]
        self._names: Sequence[str] = ()
        self._answer = answer

    @property
    def text(self) -> str:
        """All that was ever shown."""
        return "\n".join(self.screens)

    def use_names(self, names: Sequence[str], narrator: type[Narrator[Any]]) -> None:
        """The names that are shown; colours are not tested here."""
        self._names = names

    async def show(self, lines: Iterable[str]) -> None:
        await trio.lowlevel.checkpoint()
        for line in lines:
            shown = with_names(line, self._names)
            assert shown.isprintable(), shown
            self.screens[-1] += f"{shown}\n"

    async def ask(self, prompt: str) -> str | None:
        await trio.lowlevel.checkpoint()
        if self._answer is None:
            await trio.sleep_forever()
        assert self._answer is not None
        typed = self._answer(prompt, self.screens[-1])
        self.screens[-1] += f"{prompt}{typed}\n"
        return typed

    async def clear(self) -> None:
        await trio.lowlevel.checkpoint()
        self.screens.append("")


def first_choice(prompt: str, screen: str) -> str:
    """Always the first entry, which is confirmed."""
    return "0" if prompt == "> " else ""
