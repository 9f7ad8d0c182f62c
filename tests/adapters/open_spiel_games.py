"""Playing games of OpenSpiel by players in this process, and checking what is recorded.

python -m tests.adapters.open_spiel_games [NAME…]     play these, or all, and say how each went
"""

import sys
import time
from random import Random
from typing import Any, NamedTuple

import trio

from protocol.messages import Result
from protocol.record import PlayerInfo
from referee.adapters.open_spiel.games import OpenSpielGame
from referee.bots.policies import POLICIES
from referee.game_runner import GameRunner, GameSetup
from referee.games import IllegalAction, find_game, find_source, new_game
from referee.games.interface import ALL, DecisionEvent
from referee.games.options import config_from
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import TimeControl
from referee.record.replay import Replay
from referee.record.writer import RecordInMemory


class Played(NamedTuple):
    """How one game went."""

    name: str
    decisions: int
    seconds: float
    result: Result
    longest_record: float
    """The bytes of the record of the longest game, if its lines are as long as here."""


async def play(name: str, seed: str, *, check: bool = True, **options: Any) -> Played:
    """Play a game by random players, and check its record. Raises whatever is wrong."""
    game = find_game(name)
    config = config_from(game.Config, options, from_text=True)
    recorder, seats = RecordInMemory(), config.players
    names = [f"player {seat}" for seat in range(seats)]
    setup = GameSetup(
        game_id="0001-1",
        public_id="0",
        game=game,
        config=config,
        seed=seed,
        names=names,
        bot_seeds=[Random(f"{seed}{seat}").getrandbits(53) for seat in range(seats)],
        control=TimeControl(enforced=False),
    )
    started = time.perf_counter()
    players = [BuiltinPlayer(POLICIES["random"]) for _ in range(seats)]
    runner = GameRunner(setup, players, [PlayerInfo(name=each) for each in names], recorder)
    outcome = await runner.play()
    seconds = time.perf_counter() - started
    replay = Replay(recorder.content())
    replay.check()
    assert isinstance(replay.game, OpenSpielGame)
    assert replay.other_rules is None
    decisions = [event for event, _ in replay.game.log if isinstance(event, DecisionEvent)]
    if check:
        returns = replay.game.state.returns()
        for score, points in zip(outcome.scores, returns, strict=True):
            assert abs(score / game.score_scale - points) < 1e-6, (name, "has fractions", points)
        assert game.cooperative <= (len(set(outcome.ranks)) == 1)
        audiences = {audience for event, audience in replay.game.log if isinstance(event, DecisionEvent)}
        assert (ALL in audiences) != game.hides_decisions
    rules, content = replay.game.state.get_game(), recorder.content()
    longest = rules.max_game_length() + rules.max_chance_nodes_in_history()
    per_line = len(content) / content.count(b"\n")
    return Played(name, len(decisions), seconds, outcome.result(), longest * per_line)


def tensor_pairs(name: str, wanted: int, deals: int = 400) -> tuple[int, int]:
    """How many pairs of positions were found that differ, but not in what a seat sees; and in how many of them its
    tensors do. They are positions after two decisions of one seat, or of several deals, or drawn again."""
    found = differ = 0
    first: dict[tuple[int, str, str], OpenSpielGame] = {}
    resamples = True
    for deal in range(deals):
        game, random = new_game(name, deal), Random(deal)
        assert isinstance(game, OpenSpielGame)
        while game.turn is not None and found < wanted:
            legal = game.legal_actions()
            one, two = game.copy(), game.copy()
            one.apply(random.choice(legal))
            two.apply(random.choice(legal))
            for seat in range(game.config.players):
                seen = game.observe(seat)
                before = first.setdefault((seat, seen.observation, seen.information), game.copy())
                pairs = [(one, two), (before, game)]
                if resamples:
                    try:
                        pairs.append((game, game.determinize(seat, random)))
                    except IllegalAction:
                        resamples = False
                for a, b in pairs:
                    other = (str(a.state), a.pending) != (str(b.state), b.pending)
                    if other and a.observe(seat) == b.observe(seat):
                        found += 1
                        differ += _tensors(a, seat) != _tensors(b, seat)
            game.apply(random.choice(legal))
    return found, differ


def _tensors(game: OpenSpielGame, seat: int) -> list[list[float]]:
    """The library's, also where `tensor` has none."""
    kind, state = game.kind, game.state
    return [
        *([state.observation_tensor(seat)] if kind.provides_observation_tensor else []),
        *([state.information_state_tensor(seat)] if kind.provides_information_state_tensor else []),
    ]


def main() -> None:
    """Play the games named on the command line, or all."""
    names = sys.argv[1:] or [f"open_spiel:{name}" for name in find_source("open_spiel").names()]
    for name in names:
        try:
            played = trio.run(play, name, "sweep")
        except Exception as error:
            went = f"{type(error).__name__}: {error}"
        else:
            went = f"{played.decisions:6} decisions {played.seconds:6.2f} s {played.result.scores}"
        sys.stdout.write(f"{name:40} {went}\n")


if __name__ == "__main__":
    main()
