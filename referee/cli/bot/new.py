"""`referee bot new`: writes a starter kit."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.bot import app
from referee.cli.failure import USAGE, Failure, reported, writing
from referee.cli.output import echo
from referee.games import DEFAULT_GAME, game_names
from referee.kits.kits import BRIDGES, KITS
from referee.kits.writing import (
    AGENTS,
    POLICY_FILE,
    SEARCHER,
    KitError,
    bridge_files,
    find_language,
    kit_files,
    missing_tools,
    searcher_files,
    split_engine,
    write_kit,
)

NEEDS = "\n\n".join(
    f"{name}: {', and '.join(dict.fromkeys(tool.source for tool in kit.tools))}" for name, kit in KITS.items()
)
"""What has to be installed for each kit."""


@app.command(
    "new",
    help="With --kit instead a bot that is an engine which speaks UCI or GTP, or one that searches with the rules of"
    " the referee.\n\n"
    f"The tools of each language:\n\n{NEEDS}",
)
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bot's name, and that of its folder.")],
    language: Annotated[
        str | None, typer.Option("--language", "-l", metavar="LANGUAGE", help=f"One of {', '.join(KITS)}.")
    ] = None,
    kit: Annotated[
        str | None,
        typer.Option(
            "--kit",
            metavar="KIT",
            help=f"A bot that is an engine: {' or '.join(BRIDGES)}; or one in Python that searches: {SEARCHER}.",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="COMMAND", help="With --kit uci or gtp: the engine, such as stockfish."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="Write it here; by default into ./NAME.")
    ] = None,
) -> None:
    """Write a starter kit, and say what comes next. Raises Failure."""
    target = Path(name) if folder is None else folder
    if language is not None and kit is not None:
        raise Failure("--kit and --language can't be combined", USAGE)
    if engine is not None and kit in (None, SEARCHER):
        raise Failure(f"--engine needs --kit {' or --kit '.join(BRIDGES)}", USAGE)
    if language is None and kit is None:
        raise Failure(
            f"say in which language with --language ({', '.join(KITS)}), or with --kit ({' or '.join(BRIDGES)}) and"
            f" --engine which engine it is, or --kit {SEARCHER}",
            USAGE,
        )
    with reported(KitError), writing(target):
        if kit == SEARCHER:
            write_searcher(name, target)
        elif kit is not None:
            write_engine(name, kit, engine or "", target)
        elif language is not None:
            write_bot(name, language, target)


def write_engine(name: str, protocol: str, engine: str, target: Path) -> None:
    """Write a bot that is an engine. Raises KitError."""
    words, shown = split_engine(protocol, engine), ""
    for index, word in enumerate(words):  # options of the bridge come before the program
        if "/" in word and (index == 0 or Path(word).exists()):
            # the bot runs in its own folder, and in the sandbox sees nothing else of its author's
            words[index] = str(Path(word).absolute())
            shown += f" --show {shlex.quote(words[index])}"
    write_kit(bridge_files(name, protocol, words, target.name), target)
    bridge = BRIDGES[protocol]
    echo(f"{target} holds a bot that plays {bridge.game} by {bridge.title}: {shlex.join(words)}")
    echo(f"  {target / 'bot.toml'}: options of the engine go into its command; docs/engines.md lists them")
    echo("Next:")
    echo(f"  referee match {shlex.quote(str(target))} builtin:random --game {bridge.game}{shown}")


def write_searcher(name: str, target: Path) -> None:
    """Write a bot that searches with a policy of its own. Raises KitError."""
    write_kit(searcher_files(name, target.name), target)
    echo(f"{target} holds a bot that searches in every game whose rules allow it.")
    echo(f"  {target / POLICY_FILE}: edit this; docs/bots/search.md says how")
    echo("Next:")
    echo(f"  referee match {shlex.quote(str(target))} builtin:random --move-time 1s")


def write_bot(name: str, language: str, target: Path) -> None:
    """Write a starter kit. Raises KitError."""
    key = find_language(language)
    write_kit(kit_files(name, key, target.name), target)
    kit = KITS[key]
    place = shlex.quote(str(target))
    echo(f"{target} holds a bot in {kit.title} that plays every game.")
    echo(f"  {target / kit.edit}: edit this")
    echo(f"  {target / 'README.md'}: read this; {AGENTS} is for a program that improves the bot")
    for tool in missing_tools(kit):
        echo(f"It needs {tool.program}, which is not installed here: {tool.source}", err=True)
    echo("Next:")
    echo(f"  referee match {place} builtin:random")
    for game in game_names():
        if game != DEFAULT_GAME:
            echo(f"  referee match {place} builtin:random --game {game}")
    echo(f"  referee bot check {place}")
