"""Transcripts for authors of bots: all lines to one bot in a real game, and the answers of `bots/random-python`."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from random import Random
from typing import Any, Final, NamedTuple

from protocol.record import PlayerInfo
from referee.bots.policies import choose_random
from referee.game_runner import GameRunner, GameSetup
from referee.games import Game, config_from, find_game, game_names
from referee.games.options import options
from referee.players.bot import BotPlayer
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import TimeControl
from referee.players.player import Player
from tests.golden.bots import Act, ScriptedBot, ScriptedConnection
from tests.golden.scenarios import RecordInMemory, bot_session, run_on_mock_clock

READY: Final = json.dumps({"type": "ready", "protocol": 1, "name": "random"})
"""The first line of bots/random-python."""
BANK: Final = TimeControl(move=None, bank=60.0, increment=0.1)


class Variant(NamedTuple):
    """Options and a clock that differ from the defaults of a match."""

    options: Mapping[str, Any] = {}
    control: TimeControl = TimeControl()


VARIANTS: Final = {
    "year_of_the_dragon-3": Variant({"great_wall": True}),
    "year_of_the_dragon-4": Variant({"super_event": "random"}, BANK),
    "year_of_the_dragon-5": Variant({"edition": "first", "great_wall": True, "super_event": "charter"}),
    "forbidden_city-3": Variant({"start_tile": "advanced"}),
    "forbidden_city-4": Variant(control=BANK),
}
"""By the name of the transcript."""


class Transcript(NamedTuple):
    """A game between the bot in `seat` and built-in players."""

    game: str
    players: int
    seat: int
    variant: Variant


def transcripts() -> dict[str, Transcript]:
    """A transcript for every game and number of players, by the name of its files."""
    found: dict[str, Transcript] = {}
    for game in map(find_game, game_names()):
        for players in player_counts(game):
            name = f"{game.name}-{players}"
            seat = len(found) % players
            found[name] = Transcript(game.name, players, seat, VARIANTS.get(name, Variant()))
    return found


def player_counts(game: type[Game]) -> range:
    """The possible numbers of players of a game."""
    for option in options(game.Config):
        if option.name == "players" and isinstance(option.minimum, int) and isinstance(option.maximum, int):
            return range(option.minimum, option.maximum + 1)
    raise ValueError(f"{game.name} does not say how many may play")


TRANSCRIPTS: Final = transcripts()


class Lines(NamedTuple):
    """The lines to and from the bot."""

    to_bot: list[str]
    from_bot: list[str]


def transcript_files() -> dict[str, Callable[[], list[str]]]:
    """Every transcript file, by its name, with the function that makes its lines."""
    files: dict[str, Callable[[], list[str]]] = {}
    for name in TRANSCRIPTS:
        files[f"{name}.to-bot.jsonl"] = partial(_to_bot, name)
        files[f"{name}.from-bot.jsonl"] = partial(_from_bot, name)
    return files


def _to_bot(name: str) -> list[str]:
    return _lines(name).to_bot


def _from_bot(name: str) -> list[str]:
    return _lines(name).from_bot


@cache
def _lines(name: str) -> Lines:
    return lines_of(name, TRANSCRIPTS[name])


def lines_of(name: str, transcript: Transcript) -> Lines:
    """The lines of a game; `name` is its seed."""
    log: list[str] = run_on_mock_clock(partial(_play, name, transcript))
    directions = [line.split(" ", 2)[1:] for line in log]
    return Lines(*([text for arrow, text in directions if arrow == wanted] for wanted in ("->", "<-")))


async def _play(name: str, transcript: Transcript) -> list[str]:
    """Play the game; the log of the connection to the bot."""
    seats = range(transcript.players)
    bot_seeds = [Random(f"{name}/{seat}").getrandbits(53) for seat in seats]
    names = ["random" if seat == transcript.seat else f"builtin{seat}" for seat in seats]
    game = find_game(transcript.game)
    setup = GameSetup(
        game_id="0001-1",
        public_id="0001-1",
        game=game,
        config=config_from(game.Config, {"players": transcript.players, **transcript.variant.options}),
        seed=name,
        names=names,
        bot_seeds=bot_seeds,
        control=transcript.variant.control,
    )
    log: list[str] = []
    bot = ScriptedBot(READY, random_answers(bot_seeds[transcript.seat]))
    session = bot_session(ScriptedConnection(transcript.seat, bot, log), transcript.variant.control)
    await session.greet()
    players: list[Player] = [
        BotPlayer(session) if seat == transcript.seat else BuiltinPlayer(choose_random) for seat in seats
    ]
    await GameRunner(setup, players, [PlayerInfo(name=each) for each in names], RecordInMemory()).play()
    session.connection.close()
    return log


def random_answers(bot_seed: int) -> Callable[[Act, Random], Iterator[str]]:
    """The answers of bots/random-python in a game with this `bot_seed`."""
    rng = Random(bot_seed)

    def answers(act: Act, random: Random) -> Iterator[str]:
        index = rng.randrange(len(act["legal"]))
        yield json.dumps({"type": "action", "id": act["id"], "index": index})

    return answers
