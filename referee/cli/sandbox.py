"""`referee sandbox`: which sandbox guarantees hold on this machine."""

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.cli.failure import FAILED
from referee.cli.json_output import echo_json
from referee.cli.output import echo
from referee.printable import printable
from referee.processes.selftest.guarantees import SandboxCheck, SandboxReport

app = typer.Typer(add_completion=False)
VERDICT_STYLES = {"pass": "green", "fail": "bold red", "open": "yellow", "untested": "yellow"}
VERDICT_WORDS = {"untested": "not tried"}


@app.command("sandbox")
def sandbox(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """A program in the sandbox tries to break each guarantee, and two try to send
    each other a message: channels may be open. Without a sandbox no guarantee
    holds.
    """
    import trio

    from referee.processes.selftest.sandbox_report import examine

    report = trio.run(examine)
    if as_json:
        echo_json(report)
    else:
        show(report)
    if not report.holds:
        raise typer.Exit(FAILED)


def show(report: SandboxReport) -> None:
    version = "" if report.bubblewrap is None else f", bubblewrap {report.bubblewrap}"
    echo(f"{report.system}{version}; the referee runs as {'root' if report.user == 'root' else 'an ordinary user'}")
    echo(report.reason)
    echo(report.watch)
    show_checks(report.checks)
    if report.channels:
        echo("Can two bots talk to each other?")
        show_checks(report.channels)


def show_checks(checks: Iterable[SandboxCheck]) -> None:
    rows = Table(box=None, show_header=False, pad_edge=False)
    for check in checks:
        words = Text(check.promise)
        if check.reason:
            because = ", because " if check.verdict == "open" else ": "
            words.append(printable(f"{because}{check.reason}"))
        rows.add_row(Text(VERDICT_WORDS.get(check.verdict, check.verdict), style=VERDICT_STYLES[check.verdict]), words)
    Console(highlight=False).print(rows)
