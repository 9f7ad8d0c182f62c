"""A seat of a match as an MCP server: a client such as a chat program starts it, and its model plays by calling tools.

python server.py 9000

speaks MCP over standard input and output, and plays in a match with a BOT `tcp:9000`. Needs the packages `referee` and
`mcp` (the extra `mcp` of the referee). docs/bots/language-models.md has an example.
"""

import argparse
import contextlib
import sys
from collections.abc import Iterator

from seat import Seat, SeatError

from referee.version import install_extra

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ModuleNotFoundError as error:
    sys.exit(f"server: {error}. Install the extra: {install_extra('mcp')}")

INSTRUCTIONS = """\
You play a board game. Call look: it waits until a decision of yours is due, and shows what has happened, the table and
your legal actions with numbers. Call play with one of the numbers and a short reason; it then waits for your next
decision, as look does. Go on until the referee closes the connection. rules explains a name, or everything."""


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Tell the model what went wrong, so that it can do something else."""
    try:
        yield
    except SeatError as error:
        raise ToolError(str(error)) from None


def make_server(seat: Seat) -> MCPServer:
    """The server, with its three tools."""

    def look(seconds: float = 20.0) -> str:
        """Wait until a decision of yours is due, for up to this many seconds (50 at most), and show it."""
        with told():
            return seat.look(seconds)

    def play(action: int, reason: str = "", seconds: float = 20.0) -> str:
        """Take the legal action with this number. The reason, one or two sentences, is kept in the game's record."""
        with told():
            return seat.play(action, reason, seconds)

    def rules(name: str = "") -> str:
        """What the rules say about a name, such as a card or a kind of person; without a name, all rules."""
        with told():
            return seat.rules(name)

    server = MCPServer("referee", instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in (look, play, rules):
        server.add_tool(tool, structured_output=False)
    return server


def main() -> None:
    """Serve until the client closes the input."""
    parser = argparse.ArgumentParser(description="A seat of a match as an MCP server.")
    parser.add_argument("port", type=int, help="the port of the BOT tcp:PORT in `referee match`")
    seat = Seat(parser.parse_args().port)
    try:
        make_server(seat).run()
    finally:
        seat.close()


if __name__ == "__main__":
    main()
