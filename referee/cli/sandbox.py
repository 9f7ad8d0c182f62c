"""`referee sandbox`: which sandbox guarantees hold on this machine."""

from typing import Annotated

import trio
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.cli.failure import FAILED
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.printable import printable
from referee.processes.sandbox_guarantees import SandboxReport
from referee.processes.sandbox_report import examine

app = typer.Typer(add_completion=False)
VERDICT_STYLES = {"pass": "green", "fail": "bold red", "untested": "yellow"}


@app.command("sandbox")
def sandbox(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """Try what the sandbox for bots protects on this machine, and show it.

    A program in the sandbox tries to break each promise. Exit status: 0 all are
    kept, 1 some are not, or there is no sandbox.
    """
    report = trio.run(examine)
    if as_json:
        echo_json(report)
    else:
        show(report)
    if not report.holds:
        raise typer.Exit(FAILED)


def show(report: SandboxReport) -> None:
    """Print a report as a table."""
    version = "" if report.bubblewrap is None else f", bubblewrap {report.bubblewrap}"
    echo(f"{report.system}{version}; the referee runs as {'root' if report.user == 'root' else 'an ordinary user'}")
    echo(report.reason)
    echo(report.watch)
    rows = Table(box=None, show_header=False, pad_edge=False)
    for check in report.checks:
        words = Text(check.promise)
        if check.reason:
            words.append(printable(f": {check.reason}"))
        rows.add_row(Text(check.verdict, style=VERDICT_STYLES[check.verdict]), words)
    Console(highlight=False).print(rows)
