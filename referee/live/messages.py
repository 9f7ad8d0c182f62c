"""The messages between the referee and the process that serves its pages."""

from msgspec import Struct


class RunShown(Struct, frozen=True, tag=True):
    """The first message: what is played, and what spectators may see.

    `listen`: the address to listen on, with a port or 0. `hidden`: spectators see what is hidden from the seats.
    `whole_games`: games are sent when they are over, so that nothing is known of the positions of running ones.
    """

    title: str
    listen: str
    hidden: bool
    tokens: "tuple[SeatToken, ...]" = ()
    whole_games: bool = False


class SeatToken(Struct, frozen=True, tag=True):
    """A person who plays in a browser: the name, and the secret part of the address of that person's page."""

    name: str
    token: str


class GameShown(Struct, frozen=True, tag=True):
    """A game begins, or begins again: what was sent of it is dropped. `names`: of its players, by seat."""

    game_id: str
    names: tuple[str, ...]
    seats: tuple[str | None, ...] = ()
    """By seat, the token of the person who plays there."""


class LinesWritten(Struct, frozen=True, tag=True):
    """Lines of the record of a game, in order. With its result the game is over."""

    game_id: str
    lines: tuple[bytes, ...]


class GameRecorded(Struct, frozen=True, tag=True):
    """A finished game that was played elsewhere: the whole of its record, plain or gzipped."""

    game_id: str
    names: tuple[str, ...]
    content: bytes


class GameOver(Struct, frozen=True, tag=True):
    """A game is over. `result`: who has how many points, in words."""

    game_id: str
    result: str


class StandingsShown(Struct, frozen=True, tag=True):
    """The results so far, as a table: the first row has the headings."""

    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    """How far the run is."""
    lead: str = ""
    """Who leads or has won."""
    notes: tuple[str, ...] = ()
    """What is said below the table."""
    brackets: tuple[tuple[str, str], ...] = ()
    """Of a knockout: a title and an SVG for each of its brackets."""
    final: bool = False
    """Whether nothing more will be played."""


class QuestionAsked(Struct, frozen=True, tag=True):
    """A person is to decide. `choices`: how many actions are legal.

    `public_id` is the id that bots know the game by, here and in QuestionOver.
    """

    public_id: str
    seat: int
    number: int
    choices: int


class QuestionOver(Struct, frozen=True, tag=True):
    """The person need not decide any more."""

    public_id: str
    seat: int


class RunEnded(Struct, frozen=True, tag=True):
    """The run is over: pages are told, and the process ends."""

    text: str


ToServer = (
    RunShown
    | GameShown
    | LinesWritten
    | GameRecorded
    | GameOver
    | StandingsShown
    | QuestionAsked
    | QuestionOver
    | RunEnded
)


class Listening(Struct, frozen=True, tag=True):
    """The server accepts connections at this port. `spectators`: the secret part of the address of their page."""

    port: int
    spectators: str


class ListenFailed(Struct, frozen=True, tag=True):
    """The server can't listen on the address that was asked for."""

    problem: str


class ActionChosen(Struct, frozen=True, tag=True):
    """A person's answer to a question: the index of a legal action."""

    number: int
    index: int


class EndRequested(Struct, frozen=True, tag=True):
    """A person asks to end the match."""


FromServer = Listening | ListenFailed | ActionChosen | EndRequested
