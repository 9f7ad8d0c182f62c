"""What the actions of a decision are worth to its seat: determinized Monte Carlo with the policy of the game."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from referee.games import Game, GameConfig
from referee.games.policy import Policy
from referee.games.registry import find_policy
from referee.search.halving import Budget, Candidate, sequential_halving
from referee.search.playouts import RandomPlayouts

FORESIGHT: Final = 400
"""The most decisions that `decisions_left` looks ahead."""


def policy_for(game: type[Game]) -> type[Policy]:
    """The policy that is registered with a game; random playouts for a game that has none."""
    return find_policy(game) or RandomPlayouts


def why_unsearchable(game: type[Game], config: GameConfig | None = None, *, recorded: bool = False) -> str | None:
    """Why a bot can't search a game by what it is sent; None if it can. `recorded`: by a record, with all decisions."""
    if not (game.traits.searchable if config is None else game.is_searchable(config)):
        return "its rules can't draw again what a seat doesn't know"
    if game.hides_decisions and not recorded:
        return "a seat isn't sent all decisions, so a bot can't reconstruct the game"
    return None


def evaluate(
    game: Game, seat: int, policy: type[Policy], random: Random, budget: Budget, actions: Sequence[Any] = ()
) -> list[Candidate]:
    """The candidate actions with the values of their playouts, the best first, by what the seat may know.

    `game` is at a decision of `seat`, and is not changed. Nobody sees of it what the seat doesn't know: the policy is
    made for another sample. `actions`: those to compare, in place of the candidates of the policy. Raises IllegalAction
    if the game is not searchable.
    """

    def sample() -> Game:
        return game.determinize(seat, random)

    def playout(sampled: Game, action: Any) -> float:
        twin = sampled.copy()
        twin.apply(action)
        return made.playout(twin)

    known = sample()
    made = policy(known, seat, random)
    preferred = made.preferred if isinstance(made, RandomPlayouts) and made.learns else None
    return sequential_halving(actions or made.candidates(known), sample, playout, budget, preferred)


def decisions_left(game: Game, seat: int, policy: type[Policy], random: Random) -> int:
    """About how many decisions a seat has to make to the end of the game, including the one that is due.

    By one random playout, since a policy may look only a few turns ahead; at most `FORESIGHT` decisions of all seats.
    """
    walk = policy if issubclass(policy, RandomPlayouts) else RandomPlayouts
    known = game.determinize(seat, random)
    made: int = walk(known, seat, random).play_on(known, FORESIGHT)
    return max(1, round(made / len(game.ranking().ranks)))
