"""Drawing again what a seat of a game of OpenSpiel doesn't know: another history that looks the same to the seat.

A history is a list of draws and decisions, each with its player, which is negative for a draw. The library's own
function for this is not used: it is there for few games, and wrong for some of them.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from referee.games.interface import IllegalAction

MAX_ATTEMPTS: Final = 200
"""Histories that are begun, at most, to find one."""
FIRST_DRAWS: Final = {"hearts": 1, "oh_hell": 2}
"""The draws before cards are dealt to each player in turn. After them one more is the trump of Oh Hell."""
PASSED: Final = 3
"""The cards that each player of hearts passes on, unless the first draw is 0."""
UNDEALT: Final = -1
OVER: Final = -4
"""Whose turn it is when the game is over."""
MAX_DEALS: Final = 200
"""Deals that are tried to find one."""

SUIT_LETTERS: Final = "CDSH"
RANK_LETTERS: Final = "23456789TJQKA"
"""As in the texts of Oh Hell."""

History = list[tuple[int, int]]


def redrawn_history(state: Any, seat: int, view: Callable[[Any], Any], random: Random) -> History:
    """A history of a game that is not over, whose draws and decisions of others the seat can't tell from the original.

    `view` is what the seat sees of a position. Raises IllegalAction if no history was found.
    """
    original, name = _history(state), state.get_game().get_type().short_name
    if name == "gin_rummy":
        return _redrawn_gin_rummy(state, seat, random)
    if name in FIRST_DRAWS:
        draws = [action for player, action in original if player < 0]
        return redealt(state.get_game(), seat, state.current_player(), draws, original[len(draws) :], random)
    position = state.get_game().new_initial_state()
    views = []
    for _, action in original:
        position.apply_action(action)
        views.append((position.current_player(), view(position)))
    for _ in range(MAX_ATTEMPTS):
        history = _attempt(state.get_game().new_initial_state(), seat, original, view, views, random)
        if len(history) == len(original):
            return history
    raise IllegalAction(f"found no other game that looks the same to seat {seat} in {MAX_ATTEMPTS} attempts")


def _attempt(
    position: Any, seat: int, original: History, view: Callable[[Any], Any], views: list[Any], random: Random
) -> History:
    """A history from its start as far as there is a next draw or decision that looks the same as the original one."""
    history: History = []
    for (player, taken), seen in zip(original, views, strict=True):
        if player < 0:
            outcomes = {action: random.random() ** (1 / weight) for action, weight in position.chance_outcomes()}
            possible = sorted(outcomes, key=outcomes.__getitem__, reverse=True)
        else:
            legal = position.legal_actions()
            possible = [taken] if player == seat else random.sample(legal, len(legal))
        for action in possible:
            following = position.child(action)
            if (following.current_player(), view(following)) == seen:
                history.append((player, action))
                position = following
                break
        else:
            break
    return history


def _history(state: Any) -> History:
    return [(each.player, each.action) for each in state.full_history()]


def _redrawn_gin_rummy(state: Any, seat: int, random: Random) -> History:
    """The library's function for gin rummy changes the position only, which then doesn't follow from its history.

    Of what the opponent has drawn, the cards that it has discarded are at any of its draws before that, and the others
    are any of those that the seat hasn't seen. The seat doesn't know in which order its own hand was dealt.
    """
    history, rules = _history(state), state.get_game()
    opponent, hand_size = 1 - seat, rules.get_parameters()["hand_size"]
    unseen = set(range(rules.max_chance_outcomes())) - {card for player, card in history if player < 0}
    drawn: set[int] = set()
    free: list[int] = []
    for number, (player, action) in enumerate(history):
        owner = history[number - 1][0] if number > 2 * hand_size else number // hand_size
        if player < 0 and owner == opponent:
            drawn.add(action)
            free.append(number)
        elif player == opponent and action in drawn:
            drawn.remove(action)
            history[free.pop(random.randrange(len(free)))] = (-1, action)
    phase = state.current_phase().name
    is_shown = phase == "LAYOFF" or (phase == "KNOCK" and state.current_player() == opponent)
    for number, card in zip(free, random.sample(sorted(drawn if is_shown else drawn | unseen), len(free)), strict=True):
        history[number] = (-1, card)
    own = slice(seat * hand_size, (seat + 1) * hand_size)
    history[own] = random.sample(sorted(history[own]), hand_size)
    return history


# -- deals of hearts and Oh Hell ------------------------------------------------------------------------------
#
# What others play says what they were dealt, so that cards drawn one by one hardly ever lead to the end. Here each hand
# has what it has played, and of the cards that the seat hasn't seen as many as are left. If a play would not have been
# legal with them, its hand must not have what was legal instead, and they are dealt again.


def redealt(rules: Any, seat: int, turn: int, draws: Sequence[int], decisions: History, random: Random) -> History:
    """Another history with the same decisions, but for the cards that others have passed on.

    It is the turn of the player `turn`, who leads to the first trick of hearts with the two of clubs.
    What it depends on of `draws` and `decisions` is what the seat knows. Raises IllegalAction if none was found.
    """
    name, players = rules.get_type().short_name, rules.num_players()
    size = (len(draws) - FIRST_DRAWS[name]) // players
    end = FIRST_DRAWS[name] + size * players
    own = draws[FIRST_DRAWS[name] + seat : end : players]
    direction = draws[0] if name == "hearts" else 0
    before = PASSED * players if direction else 0 if name == "hearts" else players  # passed cards, or bids
    given = {player: [card for other, card in decisions[:before] if other == player] for player in range(players)}
    are_passed = direction and len(decisions) >= before
    must: dict[int, set[int]] = {player: set() for player in range(players) if player != seat}
    for player, card in decisions[before:]:
        must.get(player, set()).add(card)
    received = sorted(given[(seat - direction) % players]) if are_passed else []
    if are_passed:
        must[(seat + direction) % players].update(given[seat])
    seen = {*own, *received, *draws[end:], *(card for cards in must.values() for card in cards)}
    parameters = rules.get_parameters()
    deck = parameters.get("num_suits", 4) * parameters.get("num_cards_per_suit", 13)
    unseen = [card for card in range(deck) if card not in seen]
    needs = {player: size - len(cards) for player, cards in must.items()}
    excluded: set[tuple[int, int]] = set()
    for _ in range(MAX_DEALS):
        found = _dealt_out(unseen, needs, excluded, random)
        if found is None:
            continue
        hands = {player: [*sorted(cards), *found[player]] for player, cards in must.items()}
        passed = {seat: [*given[seat]]}
        for player in must:
            source = hands.get((player + direction) % players, received) if are_passed else hands[player]
            passed[player] = random.sample(source, len(given[player])) if direction else given[player]
        dealt = {seat: random.sample(sorted(own), size)}  # it doesn't know in which order
        for player, hand in hands.items():
            got = passed[(player - direction) % players] if are_passed else []
            cards = [card for card in hand if card not in got] + (passed[player] if are_passed else [])
            dealt[player] = random.sample(cards, size)
        cards = [dealt[number % players][number // players] for number in range(size * players)]
        history = [(-1, draw) for draw in (*draws[: FIRST_DRAWS[name]], *cards, *draws[end:])]
        history += [(player, passed[player].pop(0) if direction else card) for player, card in decisions[:before]]
        history += decisions[before:]
        wrong = _first_illegal(rules, history, turn)
        if wrong is None:
            return history
        excluded.update(wrong)
    raise IllegalAction(f"found no deal of {name} that goes with what seat {seat} knows")


def _dealt_out(
    cards: Sequence[int], needs: Mapping[int, int], excluded: set[tuple[int, int]], random: Random
) -> dict[int, list[int]] | None:
    """As many of the cards as each player needs, without those that are excluded; None if it didn't work out."""
    left = {**needs, UNDEALT: len(cards) - sum(needs.values())}
    hands: dict[int, list[int]] = {player: [] for player in left}
    open_to = {card: [player for player in left if (player, card) not in excluded] for card in cards}
    for card in sorted(random.sample(cards, len(cards)), key=lambda card: len(open_to[card])):
        possible = [player for player in open_to[card] if left[player]]
        if not possible:
            return None
        [player] = random.choices(possible, [left[each] for each in possible])
        hands[player].append(card)
        left[player] -= 1
    return hands


def _first_illegal(rules: Any, history: History, turn: int) -> list[tuple[int, int]] | None:
    """Which player could have played which cards in place of the first illegal play; None if all are legal."""
    position = rules.new_initial_state()
    for player, action in history:
        if player >= 0:
            legal = position.legal_actions()
            if position.current_player() != player:
                return []
            if action not in legal:
                return [(player, card) for card in legal]
        position.apply_action(action)
    return None if position.current_player() == turn else []


def known_deal(
    rules: Any, seat: int, turn: Mapping[str, Any] | None, information: str, decisions: History
) -> list[int]:
    """The draws of Oh Hell by what a seat is told, with any cards in other hands that go with all decisions."""
    lines = [line.strip() for line in information.splitlines()]
    told = {name: value for name, separator, value in (line.partition(": ") for line in lines) if separator}
    parameters, players = rules.get_parameters(), rules.num_players()
    suits: int = parameters["num_suits"]

    def card(suit: str, rank: str) -> int:
        return RANK_LETTERS.index(rank) * suits + SUIT_LETTERS.index(suit)

    held = {} if turn is None else told  # at the end all hands are told, and have been played
    hand = {card(suit, rank) for suit in SUIT_LETTERS[:suits] for rank in held.get(suit, "")}
    hand.update(played for player, played in decisions[players:] if player == seat)
    tricks, trump = int(told["Num Total Tricks"]), card(*told["Trump"])
    draws = [tricks, int(told["Dealer"]), *([UNDEALT] * tricks * players), trump]
    draws[FIRST_DRAWS["oh_hell"] + seat : -1 : players] = sorted(hand)
    history = redealt(rules, seat, OVER if turn is None else turn["seat"], draws, decisions, Random(0))
    return [action for player, action in history if player < 0]
