"""The conformance suite of games: tests what the referee requires of every game, for packages with a game.

    from referee.testing import GameTests
    from my_game.rules import MyGame

    class TestMyGame(GameTests):
        game = MyGame

pytest runs each method as a test; it is not imported here. What a game declares (`Game.traits`, `Game.hides_decisions`,
`Game.cooperative`) decides which tests apply. A failure is an AssertionError or whatever the game raises; it names the
configuration.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import reduce
from operator import or_
from random import Random
from typing import Any, ClassVar, Final, TypeVar

import msgspec

from referee.conformance.variants import Variant, variants
from referee.games import Action, Game, IllegalAction, OptionError, Recorded, Seeded, config_from, find_narrator
from referee.games.chance import DrawKey
from referee.games.interface import ALL, NOBODY, ChanceEvent, DecisionEvent
from referee.games.narrator import SENTENCE, Said
from referee.games.options import options
from referee.games.reconstruction import reconstruct
from referee.games.registry import GAME_NAME_PATTERN, GamePackage
from referee.record.render import render
from referee.record.replay import Replay

__all__ = ["GameTests", "check_game"]

G = TypeVar("G", bound=Game)
ILLEGAL_NUMBER: Final = 10**9
DENSE_POSITIONS: Final = 12
"""Positions of a game that are tested in full."""
SPACING: Final = 10
"""Decisions between positions from which a game is played on."""
LONG_GAME: Final = 200
"""Decisions after which `SPACING` is twice as wide."""
PUBLIC_SEEDS: Final = 5
"""Games that are begun with a public configuration."""


class GameTests:
    """The tests of one game. Subclasses set `game`."""

    game: ClassVar[type[Game]]
    package: ClassVar[GamePackage | None] = None
    """The package with the game, to test its narrator and presenter too."""
    seed: ClassVar[str] = "conformance"
    """Of the games that are played."""

    # -- decisions and actions ----------------------------------------------------------------------------

    def test_the_name_is_one_that_a_game_can_have(self) -> None:
        """Lower-case letters, digits and underscores; with a colon, a prefix and a name."""
        assert GAME_NAME_PATTERN.fullmatch(self.game.name), self.game.name
        assert self.game.title

    def test_legal_actions_are_distinct_of_the_declared_type_and_survive_json(self) -> None:
        """Also, at least one of them is there while a turn is due, and none afterwards."""
        for game in self.games():
            for _ in positions(game):
                turn, legal = game.turn, game.legal_actions()
                assert turn is not None
                assert 0 <= turn.seat < game.config.players
                declared: Any = game.actions[turn.decision]
                assert {type(action) for action in legal} == {declared}
                assert len({encode(action) for action in legal}) == len(legal) > 0
                assert msgspec.json.decode(encode(legal), type=list[declared]) == legal
            assert game.legal_actions() == []

    def test_legal_actions_are_sent_as_they_are_listed(self) -> None:
        """At every decision, byte for byte, whether or not they were listed before; also by a copy, and at the end."""
        for game in self.games():
            random = Random(self.seed)
            while game.turn is not None:
                twin = game.copy()
                sent = encode(game.legal_to_send())
                assert sent == encode(game.legal_actions()) == encode(game.legal_to_send())
                assert encode(twin.legal_to_send()) == sent
                legal = game.legal_actions()
                assert [twin.legal_at(index) for index in range(-1, len(legal) + 1)] == [None, *legal, None]
                assert twin.is_forced() == game.is_forced()
                game.apply(random.choice(legal))
            assert encode(game.legal_to_send()) == b"[]"

    def test_observations_are_sent_as_they_are(self) -> None:
        """To every seat at every decision, byte for byte, also by a copy of a game that has been observed before."""
        for game in self.games():
            random = Random(self.seed)
            while game.turn is not None:
                for each in (game, game.copy()):
                    for seat in range(game.config.players):
                        assert encode(each.observation_to_send(seat)) == encode(each.observe(seat))
                game.apply(random.choice(game.legal_actions()))

    def test_an_action_is_recorded_as_it_is_listed(self) -> None:
        """Whatever a bot writes: the log has the listed action, or a form that the game made itself."""
        for game in self.games():
            for _ in positions(game):
                for action in game.legal_actions():
                    assert encode(game.canonical(action)) == encode(action)
                    respelled = with_texts(action, "I resign")
                    canonical = game.canonical(respelled)
                    assert canonical is None or b"I resign" not in encode(canonical)

    def test_an_illegal_action_is_refused_and_changes_nothing(self) -> None:
        """Also one that was legal before, and after the end."""
        for game in self.games():
            earlier: list[Action] = []
            for _ in positions(game):
                legal = game.legal_actions()
                assert not game.is_legal(Action())
                check_refusals(game, [Action(), far_off(legal[0]), *earlier])
                earlier = [*earlier[-2:], legal[0], legal[-1]]
            last = decisions(game)[-1].action
            assert not game.is_legal(last)
            check_refusals(game, [last])

    def test_decisions_are_logged_as_taken_and_as_forced_if_there_was_no_choice(self) -> None:
        """To ALL, or as `decision_audience` says; only games that say so hide decisions."""
        for game in self.games():
            random = Random(self.seed)
            while game.turn is not None:
                turn, legal, position = game.turn, game.legal_actions(), len(game.log)
                forced = game.is_forced()
                assert forced == (len(legal) == 1 and not game.traits.hides_forced)
                action = random.choice(legal)
                game.apply(action)
                event, audience = game.log[position]
                assert event == DecisionEvent(seat=turn.seat, decision=turn.decision, action=action, forced=forced)
                assert audience in (ALL, turn.seat)
                assert audience is ALL or game.hides_decisions

    def test_the_opening_is_a_choice(self) -> None:
        """Unless the game declares `forced_opening`."""
        if not self.game.traits.forced_opening:
            assert all(not game.is_forced() for game in self.games())

    # -- what seats are sent ------------------------------------------------------------------------------

    def test_observations_and_events_are_of_the_declared_types(self) -> None:
        """Each decodes as itself, observations also after the end."""
        decoder: Any = msgspec.json.Decoder(reduce(or_, (*self.game.events, ChanceEvent, DecisionEvent)))
        assert set(self.game.recorded) <= set(self.game.events)
        for game in self.games():
            for _ in positions(game):
                check_observations(game)
            check_observations(game)
            for event, audience in game.log:
                assert audience in (ALL, NOBODY, *range(game.config.players))
                assert encode(decoder.decode(encode(event))) == encode(event)

    def test_what_a_seat_is_sent_does_not_depend_on_draws_to_come(self) -> None:
        """A seat can't see the future."""
        for game in self.games():
            for _ in positions(game):
                twin = game.copy(chance=Seeded("another future"))
                for seat in range(game.config.players):
                    assert sent_to(twin, seat) == sent_to(game, seat)

    def test_a_determinized_copy_looks_the_same_and_depends_on_nothing_hidden(self) -> None:
        """What is drawn again for a seat doesn't depend on what was hidden from it. Only for searchable games."""
        if not self.game.traits.searchable:
            return
        for game in self.games():
            for number, _ in enumerate(positions(game)):
                before = fingerprint(game)
                for seat in range(game.config.players):
                    twin = game.determinize(seat, Random(f"{number} {seat}"))
                    assert sent_to(twin, seat) == sent_to(game, seat)
                    again, other = (each.determinize(seat, Random("same")) for each in (game, twin))
                    assert fingerprint(again) == fingerprint(other)
                assert fingerprint(game) == before
            assert sent_to(game.determinize(0, Random(self.seed)), 0) == sent_to(game, 0)

    def test_a_determinized_copy_can_be_played_to_its_end_and_replayed_from_its_log(self) -> None:
        """From the draws and decisions that it has in place of the hidden ones. Only for searchable games."""
        if not self.game.traits.searchable:
            return
        for game in self.games():
            for number, _ in enumerate(every_tenth_position(game)):
                check_sample(game, number % game.config.players, Random(number))

    def test_a_game_can_be_reconstructed_from_what_a_seat_was_sent(self) -> None:
        """And played on. Only for searchable games that don't hide decisions."""
        if not self.game.traits.searchable or self.game.hides_decisions:
            return
        for game in self.games():
            for number, _ in enumerate(positions(game)):
                assert game.turn is not None
                for seat in {game.turn.seat, number % game.config.players}:
                    check_reconstruction(game, seat)
            check_reconstruction(game, 0)

    # -- the result ---------------------------------------------------------------------------------------

    def test_ranks_follow_scores(self) -> None:
        """Rank 1 is best; equal ranks are a tie, which a cooperative game always is."""
        for game in self.games():
            for _ in positions(game):
                check_ranking(game)
            check_ranking(game)
            if game.cooperative:
                assert set(game.ranking().ranks) == {1}

    # -- copies and replays -------------------------------------------------------------------------------

    def test_a_copy_is_independent_and_behaves_like_its_original(self) -> None:
        """Also the draws that it makes, and a copy of a copy."""
        for game in self.games():
            twins = []
            for _ in positions(game):
                before, twin, other = fingerprint(game), game.copy(), game.copy()
                assert fingerprint(twin) == before
                finish(twin, "elsewhere")
                assert fingerprint(game) == before
                finish(other.copy(), "elsewhere")
                assert fingerprint(other) == before
                twins.append(other)
            for twin in twins:
                for event, _ in game.log[len(twin.log) :]:
                    if isinstance(event, DecisionEvent):
                        twin.apply(event.action)
                assert fingerprint(twin) == fingerprint(game)

    def test_seed_and_decisions_determine_the_game(self) -> None:
        """Byte for byte."""
        for first, second in zip(self.games(), self.games(), strict=True):
            assert fingerprint(finish(first, "same")) == fingerprint(finish(second, "same"))

    def test_draws_do_not_depend_on_decisions(self) -> None:
        """Unless the game declares `draws_depend_on_decisions`."""
        if self.game.traits.draws_depend_on_decisions:
            return
        for first, second in zip(self.games(), self.games(), strict=True):
            finish(first, "one")
            finish(second, "another")
            assert draws(first) == draws(second)

    def test_a_game_without_chance_makes_no_draw(self) -> None:
        """Unless it declares `chance`, as games do by default."""
        if self.game.traits.chance:
            return
        for game in self.games():
            assert not draws(finish(game, "chance"))

    def test_a_game_can_be_replayed_from_its_log_without_the_seed(self) -> None:
        """From the draws and decisions as JSON."""
        for game in self.games():
            finish(game, "replay")
            assert fingerprint(replayed(game)) == fingerprint(game)

    def test_a_game_can_be_played_on_from_any_position(self) -> None:
        """With its draws and decisions it ends as it did. With other draws, nothing changes that was there before."""
        for game in self.games():
            earlier = [game.copy() for _ in every_tenth_position(game)]
            drawn = Recorded(recorded_draws(game))
            for each in earlier:
                as_recorded = each.copy(chance=drawn)
                for event in decisions(game)[len(decisions(each)) :]:
                    as_recorded.apply(event.action)
                assert fingerprint(as_recorded) == fingerprint(game)
                other = replayed(each)
                assert fingerprint(other) == fingerprint(each)
                other.chance = Seeded("another future")
                assert encode(finish(other, "on").log[: len(each.log)]) == encode(each.log)

    # -- options ------------------------------------------------------------------------------------------

    def test_options_have_descriptions_and_refuse_what_is_not_allowed(self) -> None:
        """The message says what is allowed."""
        found = options(self.game.Config)
        assert "players" in {option.name for option in found}
        for option in found:
            assert option.description, option.name
            assert option.values in refusal(self.game, option.name)

    def test_the_public_config_leaves_nothing_to_chance(self) -> None:
        """A game with a public configuration has the same one, whatever its seed; it survives JSON, and stays the same
        to the end."""
        for game in self.games():
            public = game.public_config()
            assert isinstance(public, game.Config)
            sent = msgspec.json.decode(encode(public))
            for seed in range(PUBLIC_SEEDS):
                assert self.game.new(config_from(game.Config, sent), Seeded(seed)).public_config() == public
            assert finish(game, "public").public_config() == public

    # -- what is shown ------------------------------------------------------------------------------------

    def test_the_record_of_a_game_can_be_shown(self) -> None:
        """By the narrator, and by the presenter if there is one. Only with `package`; the game has to be installed."""
        if self.package is None:
            return
        for variant, game in zip(self.variants(), self.games(), strict=True):
            finish(game, "shown")
            replay = Replay(record_of(game, variant, self.seed))
            assert any(line.startswith("Result") for line in render(replay)), variant.id

    def test_the_narrator_says_lines_that_name_every_player_and_changes_nothing(self) -> None:
        """Each line is a `Said`. Only with `package`; the game has to be installed."""
        if self.package is None:
            return
        for game in self.games():
            names = [f"player no. {seat}" for seat in range(game.config.players)]
            narrator = find_narrator(self.game)(game, names)
            random, position = Random(self.seed), 0
            said: list[Said] = []
            while True:
                before = fingerprint(game)
                said += narrator.narrate([event for event, _ in game.log[position:]])
                said += narrator.narrate_position()
                assert fingerprint(game) == before
                if game.turn is None:
                    break
                position = len(game.log)
                game.apply(random.choice(game.legal_actions()))
            for line in said:
                assert isinstance(line, Said), f"a narrator yields Said, not {line!r}"
                assert "\n" not in line.text, line
                assert not (line.joined and line.level < SENTENCE), line
            assert all(any(name in line.text for line in said) for name in names)

    # -- the games that are played ------------------------------------------------------------------------

    def variants(self) -> list[Variant]:
        """The configurations that are tried: every listed value of every option."""
        return variants(self.game)

    def games(self) -> Iterator[Game]:
        """A new game of each configuration."""
        for variant in self.variants():
            yield self.game.new(variant.config, Seeded(self.seed))


def check_game(game: type[Game]) -> None:
    """Run the whole suite without pytest. Raises AssertionError, or whatever the game raises."""
    tests = type(f"Test{game.__name__}", (GameTests,), {"game": game})()
    for name in dir(tests):
        if name.startswith("test_"):
            getattr(tests, name)()


# -- playing and comparing ------------------------------------------------------------------------------------


def encode(value: Any) -> bytes:
    """A value as JSON."""
    return msgspec.json.encode(value)


def positions(
    game: Game, gap: Callable[[int], int] = lambda number: 1 + number // DENSE_POSITIONS * 2
) -> Iterator[int]:
    """Play to the end by random decisions. Yields before some decisions: before each at first, then more and more
    rarely. `gap`: after this number of decisions, how many there are to the next position."""
    random, number, next_look = Random("positions"), 0, 0
    while game.turn is not None:
        if number == next_look:
            yield number
            next_look += gap(number)
        game.apply(random.choice(game.legal_actions()))
        number += 1


def every_tenth_position(game: Game) -> Iterator[int]:
    """Play to the end by random decisions. Yields before every tenth of them, and more rarely in a long game."""
    return positions(game, lambda number: SPACING * (1 + number // LONG_GAME))


def finish(game: G, decider: str) -> G:
    """Play to the end by random decisions."""
    random = Random(decider)
    while game.turn is not None:
        game.apply(random.choice(game.legal_actions()))
    return game


def draws(game: Game) -> list[bytes]:
    """The draws in the log."""
    return [encode(event) for event, _ in game.log if isinstance(event, ChanceEvent)]


def decisions(game: Game) -> list[DecisionEvent]:
    """The decisions in the log."""
    return [event for event, _ in game.log if isinstance(event, DecisionEvent)]


def recorded_draws(game: Game) -> dict[DrawKey, Any]:
    """The draws in the log as a record has them."""
    lines = [msgspec.json.decode(line) for line in draws(game)]
    return {(line["what"], line.get("round")): line["value"] for line in lines}


def replayed(game: G) -> G:
    """A new game with the draws and decisions in the log, as JSON."""
    twin = type(game).new(game.config, Recorded(recorded_draws(game)))
    for event in decisions(game):
        assert twin.turn is not None
        action = msgspec.json.decode(encode(event.action), type=twin.actions[twin.turn.decision])
        twin.apply(action, opening=event.opening)
    return twin


def fingerprint(game: Game) -> bytes:
    """Everything that the interface of a game returns, for all seats."""
    seen = [game.observe(seat) for seat in range(game.config.players)]
    return encode([game.log, seen, game.turn, game.legal_actions(), game.ranking(), game.public_config()])


def sent_to(game: Game, seat: int) -> bytes:
    """Everything that a bot in this seat has been sent so far."""
    legal = game.legal_actions() if game.turn is not None and game.turn.seat == seat else None
    return encode([game.observe(seat), legal, game.events_since(seat), game.public_config()])


def check_refusals(game: Game, actions: list[Action]) -> None:
    """Check that those of the actions that are not legal are refused, and change nothing."""
    before = fingerprint(game)
    for action in actions:
        if not game.is_legal(action):
            assert refuses(game, action)
            assert fingerprint(game) == before


def refuses(game: Game, action: Action) -> bool:
    """Whether an action is refused as illegal."""
    try:
        game.apply(action)
    except IllegalAction:
        return True
    return False


def check_observations(game: Game) -> None:
    """What each seat sees decodes as itself, and is what it is sent."""
    for seat in range(game.config.players):
        seen = encode(game.observe(seat))
        assert encode(msgspec.json.decode(seen, type=game.Observation)) == seen
        assert encode(game.observation_to_send(seat)) == seen


def check_sample(game: Game, seat: int, random: Random) -> None:
    """Check that a determinized copy looks the same to its seat, and is a game that can be played and replayed."""
    twin = game.determinize(seat, random)
    assert sent_to(twin, seat) == sent_to(game, seat)
    finish(twin, "sample")
    assert fingerprint(replayed(twin)) == fingerprint(twin)


def check_reconstruction(game: Game, seat: int) -> None:
    """Check that a game reconstructed from what a seat was sent looks the same to it, and can be played to its end."""
    config, events = game.public_config(), game.events_since(seat)
    observation, sent = msgspec.json.decode(encode([game.observe(seat), events]))
    twin = reconstruct(
        type(game), config_from(game.Config, msgspec.to_builtins(config)), seat, observation, sent, Random(1)
    )
    assert twin.observe(seat) == game.observe(seat)
    # A draw that is named after an option is not made again if the config has its value.
    named = config.__struct_fields__
    kept, again = (
        [event for event in log if not (isinstance(event, ChanceEvent) and event.what in named)]
        for log in (events, twin.events_since(seat))
    )
    assert again == kept
    if game.turn is not None and game.turn.seat == seat:
        assert twin.legal_actions() == game.legal_actions()
    assert finish(twin, "on").turn is None


def refusal(game: type[Game], option: str) -> str:
    """The message for an option without a value."""
    try:
        config_from(game.Config, {option: None}, from_text=True)
    except OptionError as error:
        return str(error)
    return "it was not refused"


def far_off(action: Action) -> Action:
    """The action with every number in it out of bounds."""
    numbers = [name for name in action.__struct_fields__ if type(getattr(action, name)) is int]
    return msgspec.structs.replace(action, **dict.fromkeys(numbers, ILLEGAL_NUMBER))


def with_texts(action: Action, text: str) -> Action:
    """The action with another text in every field that has one."""
    texts = [name for name in action.__struct_fields__ if type(getattr(action, name)) is str]
    return msgspec.structs.replace(action, **dict.fromkeys(texts, text))


def check_ranking(game: Game) -> None:
    """A score and a rank per seat; nobody with a lower score has a better rank."""
    ranking = game.ranking()
    assert len(ranking.scores) == len(ranking.ranks) == game.config.players
    places = Counter(ranking.ranks)
    assert all(sum(places[better] for better in range(1, rank)) == rank - 1 for rank in places), ranking
    for score, rank in zip(ranking.scores, ranking.ranks, strict=True):
        assert rank > sum(other > score for other in ranking.scores), ranking


def record_of(game: Game, variant: Variant, seed: str) -> bytes:
    """The record of a game that was played to its end."""
    players = [{"name": f"player {seat}"} for seat in range(game.config.players)]
    first = {"type": "game", "record": 1, "game": game.name, "config": variant.config, "seed": seed}
    ranking = game.ranking()
    last = {"type": "result", "scores": ranking.scores, "ranks": ranking.ranks, "faults": [None] * len(players)}
    kinds: tuple[type, ...] = (ChanceEvent, DecisionEvent, *game.recorded)
    lines = [event for event, _ in game.log if isinstance(event, kinds)]
    return b"".join(encode(line) + b"\n" for line in [first | {"players": players, "referee": ""}, *lines, last])
