"""Playing games of OpenSpiel by players in this process, and checking what is recorded.

python -m tests.adapters.open_spiel_games [NAME…]     play these, or all, and say how each went
"""

import sys
import time
from contextlib import suppress
from random import Random
from typing import Any, Final, NamedTuple

import trio

from protocol.messages import Result
from protocol.record import PlayerInfo
from referee.adapters.open_spiel.games import OpenSpielGame
from referee.bots.policies import POLICIES
from referee.game_runner import GameRunner, GameSetup
from referee.games import ChanceError, IllegalAction, Recorded, find_game, find_source, new_game
from referee.games.interface import ALL, DecisionEvent
from referee.games.options import config_from
from referee.players.builtin import BuiltinPlayer
from referee.players.clock import TimeControl
from referee.record.replay import Replay
from referee.record.writer import RecordInMemory
from referee.testing import decisions, fingerprint, recorded_draws, sent_to

TRIES: Final = 3
"""How often another game is tried for that looks the same to a seat."""


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
    taken = decisions(replay.game)
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
    return Played(name, len(taken), seconds, outcome.result(), longest * per_line)


def tensor_pairs(name: str, wanted: int, deals: int = 400) -> tuple[int, int]:
    """How many pairs of positions were found that differ, but not in what a seat sees; and in how many of them its
    tensors do. They are positions after two decisions of one seat, or of several deals, or with one difference."""
    found = differ = 0
    first: dict[tuple[int, str, str], OpenSpielGame] = {}
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
                other = lookalike(game, seat, random)
                if other is not None:
                    pairs.append((game, other))
                for a, b in pairs:
                    differs = (str(a.state), a.pending) != (str(b.state), b.pending)
                    if differs and a.observe(seat) == b.observe(seat):
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


def lookalike(game: OpenSpielGame, seat: int, random: Random) -> OpenSpielGame | None:
    """A game with another draw, or another decision of another seat, that looks the same to this one, if found."""
    for _ in range(TRIES):
        draws, turns = recorded_draws(game), decisions(game)
        changed = random.randrange(len(draws) + len(turns)) if draws or turns else 0
        if changed < len(draws):
            key, value = [*draws][changed], random.randrange(game.spiel.max_chance_outcomes())
            draws |= {other: draws[key] for other in draws if draws[other] == value} | {key: value}
        with suppress(ChanceError, IllegalAction):
            twin = type(game).new(game.config, Recorded(draws))
            for number, event in enumerate(turns):
                other = number + len(draws) == changed and event.seat != seat
                twin.apply(random.choice(twin.legal_actions()) if other else event.action)
            same = sent_to(twin, seat) == sent_to(game, seat) and fingerprint(twin) != fingerprint(game)
            if same and seen_by(twin, seat) == seen_by(game, seat):
                return twin
    return None


def seen_by(game: OpenSpielGame, seat: int) -> list[Any]:
    """What a seat has seen at each decision."""
    twin, seen = type(game).new(game.config, Recorded(recorded_draws(game))), []
    for event in decisions(game):
        seen.append(twin.observe(seat))
        twin.apply(event.action)
    return seen


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
