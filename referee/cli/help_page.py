"""The page of `referee --help`, drawn as Rich draws the pages of all commands, but without Rich, whose import takes
longer than everything else that this page needs.
"""

import shutil
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

import typer

from referee.cli.lazy import LazyCommand, without_pydantic
from referee.cli.output import SafeGroup, encodable, styled

FRAMES: Final = ("╭╮╰╯─│", "++++-|")
"""The characters of a frame; the second where the output has only ASCII."""


class RootGroup(SafeGroup):
    """The group of all commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        return without_pydantic(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word calls. An error about a command of a group says where it is."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            commands = (each for each in self.commands.values() if isinstance(each, LazyCommand))
            groups = [each.name for each in commands if args[0] in getattr(each.load(), "commands", ())]
            meant = " or ".join(f"'referee {name} {args[0]}'" for name in groups)
            if meant:
                vars(error).update(message=f"No such command {args[0]!r}. Did you mean {meant}?")
            raise

    def format_help(self, ctx: Any, formatter: Any) -> None:
        width = max(40, shutil.get_terminal_size().columns)
        options = []
        for parameter in self.get_params(ctx):
            short, long = sorted(("", *parameter.opts), key=len)[-2:]
            options.append(((long, short, "", "", "<bool>"), getattr(parameter, "help", "")))
        commands = [((name,), command.help) for name, command in self.commands.items()]
        usage = " ".join(["Usage:", ctx.command_path, *self.collect_usage_pieces(ctx)])
        head = ["", f" {usage}", "", *(f" {line}" for line in textwrap.wrap(self.help or "", width - 2)), ""]
        lines = [*head, *panel("Options", options, width), *panel("Commands", commands, width)]
        typer.echo("\n".join(lines))  # as Rich does, whatever becomes of the text that is returned


def panel(title: str, rows: Sequence[tuple[Sequence[str], Any]], width: int) -> Iterator[str]:
    """Rows in a frame with a title: cells of aligned columns, and a text that is wrapped."""
    left_top, right_top, left_bottom, right_bottom, line, side = FRAMES[not encodable(FRAMES[0])]
    widths = [max(map(len, column)) for column in zip(*(cells for cells, _ in rows), strict=True)]
    room = max(10, width - 4 - sum(widths) - 2 * len(widths))
    yield f"{left_top}{line} {title} {line * (width - len(title) - 5)}{right_top}"
    for cells, text in rows:
        begin = "".join(f"{cell:<{size}}  " for cell, size in zip(cells, widths, strict=True))
        for number, part in enumerate(textwrap.wrap(text, room)):
            left = " " * len(begin) if number else styled(begin, "bold cyan")
            yield f"{side} {left}{part:<{room}} {side}"
    yield f"{left_bottom}{line * (width - 2)}{right_bottom}"
