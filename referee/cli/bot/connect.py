"""`referee bot connect`: starts a bot whose standard input and output are a connection to a waiting referee."""

import os
import socket
from typing import Annotated

import typer

from referee.bots.bot_spec import BotSpec, BotSpecError, check_program, parse_bot
from referee.cli.bot import app
from referee.cli.failure import Failure, reported
from referee.connections.token_file import HOST, read_token


@app.command("connect", context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True})
def connect(
    port: Annotated[int, typer.Argument(min=1, max=65535, metavar="PORT", help="The port of the BOT tcp:PORT.")],
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="What starts the bot, or a folder with a bot.toml.")
    ],
) -> None:
    """In one terminal:  referee match tcp:9000 builtin:random --no-timeout
    In another one:   referee bot connect 9000 node --inspect-brk bot.js

    The command runs with your rights and environment, without sandbox and limits;
    its standard input and output are the connection. It takes the token from the
    file in which the referee keeps it.
    """
    with reported(BotSpecError):
        bot = BotSpec(name="bot", argv=tuple(command)) if len(command) > 1 else parse_bot(command[0])
        if bot.policy is not None or bot.port is not None:
            raise BotSpecError(f"{command[0]} is not a program; give the command that starts your bot")
        check_program(bot)
        token = read_token(port)
    try:
        link = socket.create_connection((HOST, port))
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.sendall(f"{token}\n".encode())
        os.chdir(bot.folder)
        for fd in (0, 1):
            os.dup2(link.fileno(), fd)
        os.execvp(bot.argv[0], bot.argv)
    except OSError as error:
        raise Failure(f"can't connect {bot.argv[0]} to port {port}: {error.strerror}") from None
