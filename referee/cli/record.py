"""`referee record`: look at game records and check them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli.failure import FAILED, Failure

app = typer.Typer(help="Look at game records and check them.", no_args_is_help=True)


@app.command("verify")
def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Game records (.jsonl, also gzipped).")],
) -> None:
    """Replay records by the rules alone; name the first line that is wrong (exit status 1)."""
    from referee.record.read import Unfinished, Wrong
    from referee.record.replay import Replay

    failed = False
    for file in files:
        try:
            replay = Replay(file)
            replay.check()
        except Wrong as wrong:
            failed = True
            typer.echo(f"{file}: {'UNFINISHED' if isinstance(wrong, Unfinished) else 'WRONG'}: {wrong}")
        else:
            result = replay.result
            assert result is not None
            scores = ", ".join(
                f"{player.name} {score}" for player, score in zip(replay.header.players, result.scores, strict=True)
            )
            typer.echo(f"{file}: ok: {replay.lines} lines; {scores}")
    if failed:
        raise typer.Exit(FAILED)


@app.command("show")
def show(file: Annotated[Path, typer.Argument(metavar="FILE", help="A game record.")]) -> None:
    """Tell a game in English, round by round, with the final scoring broken down."""
    from referee.record.read import Wrong
    from referee.record.replay import Replay
    from referee.record.tell import tell

    def lines() -> Iterator[Any]:
        yield from tell(Replay(file))

    try:
        for line in lines():
            typer.echo(line)
    except Wrong as wrong:
        raise Failure(f"{file}: {wrong}") from None
