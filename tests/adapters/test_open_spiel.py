"""The games of OpenSpiel: each plays, is recorded, and verifies; what can't be played is refused with a reason."""

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from referee.adapters.open_spiel import catalogue, games, library
from referee.adapters.open_spiel.games import KnownOpenSpielGame, OpenSpielGame
from referee.conformance.variants import variants
from referee.game_runner import BOT_BYTES
from referee.games import IllegalAction, OptionError, Seeded, find_game, find_presenter, find_source, new_game
from referee.games.interface import ALL, NOBODY, ChanceEvent, DecisionEvent
from referee.games.options import options
from referee.record.reader import MAX_RECORD
from referee.record.replay import Replay
from referee.search import why_unsearchable
from referee.testing import GameTests, encode
from tests.adapters.open_spiel_games import play, tensor_pairs
from tests.adapters.open_spiel_samples import draw_samples
from tests.cli.command import referee
from tests.game_runner.harness import FIRST, RANDOM, Harness
from tests.pages.playing import page
from tests.timeouts import TEST_TIMEOUT

pytest.importorskip("pyspiel", reason="needs OpenSpiel: make open-spiel")
NAMES = [f"open_spiel:{name}" for name in find_source("open_spiel").names()]
SIX = [
    "hearts",
    "goofspiel",
    *(pytest.param(name, marks=pytest.mark.check_all) for name in ("leduc_poker", "backgammon", "chess", "gin_rummy")),
]
TEN_LINES = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "ten lines"}), flush=True)
    if message["type"] == "act":
        best = max(message["legal"], key=lambda action: action["action"])
        print(json.dumps({"type": "action", "id": message["id"], "action": {"action": best["action"]}}), flush=True)
    if message["type"] == "quit":
        break
"""


def seats_of(name: str) -> int:
    return next(int(option.default) for option in options(find_game(name).Config) if option.name == "players")


@pytest.mark.ci_only
def test_each_game_is_an_attribute_of_the_module_by_which_processes_are_sent_it() -> None:
    assert [name for name in NAMES if getattr(games, name.partition(":")[2]) is not find_game(name)] == []


@pytest.mark.check_all
@pytest.mark.parametrize("name", NAMES)
async def test_every_game_that_is_not_refused_plays_and_its_record_verifies_however_long_it_is(name: str) -> None:
    played = await play(name, "every game")
    assert played.decisions > 0
    assert 1.5 * played.longest_record + BOT_BYTES < MAX_RECORD


@pytest.mark.ci_only
async def test_games_of_a_sample_play_and_their_records_verify() -> None:
    for name in ("hearts", "goofspiel", "backgammon", "kuhn_poker", "tic_tac_toe", "matrix_pd", "skat", "hanabi"):
        await play(f"open_spiel:{name}", "sample")
    await play("open_spiel:leduc_poker", "sample", players=3)
    await play("open_spiel:go", "sample", board_size=5)


@pytest.mark.slow
def test_games_say_whether_they_have_chance() -> None:
    without = {name.partition(":")[2] for name in NAMES if not find_game(name).traits.chance}
    assert {"chess", "go", "othello", "connect_four"} < without
    assert without.isdisjoint({"backgammon", "kuhn_poker", "goofspiel"})
    for name in sorted(without)[::5]:
        game, random = new_game(f"open_spiel:{name}", 1), Random(1)
        for _ in range(40):
            if game.turn is not None:
                game.apply(random.choice(game.legal_actions()))
        assert not any(isinstance(event, ChanceEvent) for event, _ in game.log)


def test_nothing_is_listed_that_is_refused_and_every_refusal_has_a_reason() -> None:
    for name, kind in library.game_types().items():
        reason = catalogue.refusal(kind)
        assert (f"open_spiel:{name}" in NAMES) == (reason is None)
        if reason is not None:
            with pytest.raises(OptionError, match=rf"open_spiel:{name} can't be played: \w+"):
                find_game(f"open_spiel:{name}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mfg_garnet", "mean-field"),
        ("bridge", "partners"),
        ("solitaire", "single player"),
        ("tarok", "inside the state"),
        ("misere", "variation of another game"),
        ("no_such_game", "unknown game"),
    ],
)
def test_games_that_can_not_be_played_are_refused_by_commands(name: str, reason: str) -> None:
    refused = referee("match", "builtin:first", "builtin:first", "--game", f"open_spiel:{name}")
    assert refused.status == 2
    assert reason in refused.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("dark_chess(fen=xx)", "Invalid FEN"),
        pytest.param("go(board_size=900)", "up to 19", marks=pytest.mark.check_all),
        ("kuhn_poker(players=11)", "2 to 10"),
        pytest.param("hex(board_size=-3)", "can't play hex", marks=pytest.mark.check_all),
        pytest.param("chess(fen=xx)", "expected board, side to move", marks=pytest.mark.check_all),
    ],
)
def test_parameters_that_crash_or_hang_the_library_are_refused(
    monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    monkeypatch.setattr(library, "TRIAL_TIMEOUT", TEST_TIMEOUT)  # the library takes long to load on a busy machine
    with pytest.raises(OptionError, match=reason):
        new_game(f"open_spiel:{text}", 1)


def test_parameters_that_take_too_long_to_try_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "TRIAL_TIMEOUT", 0.0001)
    assert "within 0.0001 s" in str(library.try_parameters("go", '{"board_size": 7}'))


def test_without_the_library_commands_say_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    for cached in (library.library, library.game_types):
        cached.cache_clear()
    try:
        listed = referee("games", "open_spiel:")
        assert listed.status == 1
        assert "pip install -e '.[openspiel]'" in listed.err
        match = referee("match", "builtin:first", "builtin:first", "--game", "open_spiel:no_game")
        assert (match.status, "pip install" in match.err) == (2, True)
        assert "open_spiel:…" in referee("games").out
    finally:
        for cached in (library.library, library.game_types):
            cached.cache_clear()


# -- what a seat may know -------------------------------------------------------------------------------------


def sent(game: OpenSpielGame, seat: int) -> bytes:
    """All that a seat has been sent, also if it asks for tensors."""
    legal = game.legal_actions() if game.turn is not None and game.turn.seat == seat else None
    return msgspec.json.encode([game.observe(seat), game.tensor(seat), legal, game.events_since(seat)])


@pytest.mark.parametrize("name", ["goofspiel", "oshi_zumo", "matrix_rps", "blotto", "snake", "laser_tag"])
def test_a_later_seat_learns_nothing_of_a_move_made_at_the_same_time(name: str) -> None:
    random = Random(name)
    compared = 0
    game: Any = new_game(f"open_spiel:{name}", 1)
    while game.turn is not None and compared < 20:
        if game.turn.seat == 0 and len(game.legal_actions()) > 1:
            one, other = game.copy(), game.copy()
            one.apply(game.legal_actions()[0])
            other.apply(game.legal_actions()[-1])
            if one.turn is not None and one.turn.seat != 0:
                assert sent(one, 1) == sent(other, 1)
                compared += 1
        game.apply(random.choice(game.legal_actions()))
    assert compared


TENSOR_BOT = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "x", "options": json.loads(sys.argv[1])}), flush=True)
    if message["type"] == "act":
        sizes = {name: len(numbers) for name, numbers in message.get("tensor", {}).items()}
        print(json.dumps({"type": "action", "id": message["id"], "index": 0, "info": sizes}), flush=True)
    if message["type"] == "quit":
        break
"""


def test_a_bot_that_asks_for_the_tensor_is_sent_it_and_no_other_one(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(TENSOR_BOT)
    asks, does_not = (f"{sys.executable} {tmp_path / 'bot.py'} {options}" for options in ('{\\"tensor\\":true}', "{}"))
    match = ("match", asks, does_not, "--game", "open_spiel:leduc_poker", "--games", "1", "--no-rotate")
    played = referee(*match, "--record", str(tmp_path), "--sandbox", "none", "--time-scale", "10")
    assert played.status == 0, played.err
    replay = Replay(tmp_path / "0001-1.jsonl")
    replay.check()
    library: Any = replay.game
    sizes = {
        "observation": library.spiel.observation_tensor_size(),
        "information": library.spiel.information_state_tensor_size(),
    }
    told: dict[int, list[Any]] = {0: [], 1: []}
    for line in map(json.loads, (tmp_path / "0001-1.jsonl").read_text().splitlines()):
        assert "tensor" not in line
        if "info" in line:
            told[line["seat"]].append(line["info"])
    assert told[0]
    assert told[1]
    assert all(info == sizes for info in told[0])
    assert not any(told[1])


@pytest.mark.check_all
@pytest.mark.parametrize("name", NAMES)
def test_tensors_tell_no_more_than_texts(name: str) -> None:
    game = new_game(name, 1)
    assert isinstance(game, OpenSpielGame)
    if game.is_public:
        pytest.skip("nothing is hidden in it")
    if game.kind.short_name in catalogue.TENSORS:
        found, differ = tensor_pairs(name, 50)
        assert found >= 50
        assert not differ
    else:
        assert game.tensor(0) is msgspec.UNSET


@pytest.mark.slow
def test_a_tensor_that_shows_hidden_moves_is_found() -> None:
    found, differ = tensor_pairs("open_spiel:kriegspiel", 20)
    assert found >= 20
    assert differ > 0


def test_games_have_tensors_where_the_library_does() -> None:
    perfect = new_game("open_spiel:tic_tac_toe", 1)
    assert list(msgspec.to_builtins(perfect.tensor(0))) == ["observation"]
    assert len(perfect.tensor(0).observation) == 27
    assert new_game("year_of_the_dragon", 1).tensor(0) is msgspec.UNSET


@pytest.mark.parametrize("name", ["hearts", "leduc_poker", "gin_rummy", "kuhn_poker", "liars_dice"])
def test_in_a_game_with_hidden_information_seats_are_sent_no_draws_and_only_their_own_decisions(name: str) -> None:
    game: Any = new_game(f"open_spiel:{name}", 1)
    random = Random(1)
    while game.turn is not None:
        game.apply(random.choice(game.legal_actions()))
    for event, audience in game.log:
        if isinstance(event, ChanceEvent):
            assert audience == NOBODY
        if isinstance(event, DecisionEvent):
            assert audience == event.seat


def test_what_others_hold_does_not_change_what_a_seat_is_sent() -> None:
    """In leduc poker what a seat doesn't know can be drawn again."""
    game: Any = new_game("open_spiel:leduc_poker", 3)
    random = Random(2)
    different = 0
    while game.turn is not None:
        seat = game.turn.seat
        twins = [game.determinize(seat, random) for _ in range(5)]
        assert {sent(twin, seat) for twin in twins} == {sent(game, seat)}
        different += len({str(twin.state) for twin in twins}) > 1
        game.apply(random.choice(game.legal_actions()))
    assert different


@pytest.mark.ci_only
@pytest.mark.parametrize("name", ["gin_rummy", "hearts", "oh_hell", "liars_dice", "goofspiel", "backgammon"])
def test_samples_of_what_a_seat_does_not_know_are_games(name: str) -> None:
    rules: Any = find_game(f"open_spiel:{name}")
    drawn, compared, problems = draw_samples(rules, 20)
    assert drawn >= 20
    assert (compared > 0) == catalogue.has_secrets(rules.kind)
    assert not problems


@pytest.mark.check_all
@pytest.mark.parametrize("name", NAMES)
def test_every_game_can_be_played_on_from_any_position_and_from_samples_if_it_says_so(name: str) -> None:
    rules: Any = find_game(name)
    suite = type("Default", (GameTests,), {"game": rules, "variants": lambda self: variants(rules)[:1]})()
    suite.test_a_game_can_be_played_on_from_any_position()
    suite.test_a_determinized_copy_looks_the_same_and_depends_on_nothing_hidden()
    if rules.traits.searchable:
        assert not draw_samples(rules, 60 if catalogue.has_secrets(rules.kind) else 4)[2]


@pytest.mark.slow
def test_a_bad_sample_is_found_and_a_game_that_is_not_searchable_says_so() -> None:
    skat: Any = find_game("open_spiel:skat")
    assert draw_samples(skat, 4)[2].total() == 6
    with pytest.raises(IllegalAction, match="what a seat of Skat doesn't know can't be drawn again"):
        new_game("open_spiel:skat", 1).determinize(0, Random(1))


def test_what_others_have_just_decided_at_the_same_time_is_drawn_again() -> None:
    game: Any = new_game("open_spiel:goofspiel(players=3)", 1)
    for seat in range(2):
        assert game.turn.seat == seat
        game.apply(game.legal_actions()[-1])
    twins = [game.determinize(1, Random(seed)) for seed in range(20)]
    assert {encode(twin.log[-1]) for twin in twins} == {encode(game.log[-1])}
    assert len({encode(twin.log[-2]) for twin in twins}) > 5
    assert {len(twin.log) for twin in twins} == {len(game.log)}


def test_a_search_can_not_see_the_future() -> None:
    game: Any = new_game("open_spiel:backgammon", 1)
    rolls = set()
    for seed in range(8):
        twin = game.copy(chance=Seeded(seed))
        while len(twin.draws) < 4 and twin.turn is not None:
            twin.apply(twin.legal_actions()[0])
        rolls.add(tuple(twin.draws[1:]))
    assert len(rolls) > 4


# -- what is recorded and shown -------------------------------------------------------------------------------


def test_only_options_that_differ_are_recorded_and_text_of_a_bot_is_not(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(TEN_LINES.replace('best["action"]}}', 'best["action"], "text": "I resign"}}'))
    command = f"{sys.executable} {tmp_path / 'bot.py'}"
    match = ("match", command, "builtin:random", "--game", "open_spiel:tic_tac_toe", "--games", "1")
    assert referee(*match, "--record", str(tmp_path / "records"), "--sandbox", "none").status == 0
    record = (tmp_path / "records" / "0001-1.jsonl").read_text()
    first, *lines = map(json.loads, record.splitlines())
    assert first["config"] == {"players": 2}
    assert first["rules"].startswith("open_spiel 2.")
    assert lines[0]["action"] == {"action": 8, "text": "x(2,2)"}
    assert "resign" not in record
    game = new_game("open_spiel:go", 1, board_size="5")
    assert msgspec.to_builtins(game.config) == {"players": 2, "board_size": 5}


@pytest.mark.parametrize("name", SIX)
@pytest.mark.slow
def test_a_bot_of_ten_lines_plays_as_a_process(tmp_path: Path, name: str) -> None:
    (tmp_path / "bot.py").write_text(TEN_LINES)
    bots = [f"{sys.executable} {tmp_path / 'bot.py'}", *["builtin:random"] * (seats_of(f"open_spiel:{name}") - 1)]
    match = ("match", *bots, "--game", f"open_spiel:{name}", "--games", "1", "--no-rotate", "--sandbox", "none")
    played = referee(*match, "--record", str(tmp_path / "records"), "--time-scale", "10")
    assert played.status == 0, played.err
    assert referee("record", "verify", str(tmp_path / "records")).status == 0
    record = str(tmp_path / "records" / "0001-1.jsonl")
    shown = referee("record", "show", record)
    assert (shown.status, "The final position" in shown.out) == (0, True)
    assert referee("record", "view", record, "-o", str(tmp_path / "page.html")).status == 0


@pytest.mark.parametrize("name", SIX)
@pytest.mark.ci_only
def test_tournaments_run_and_verify(tmp_path: Path, name: str) -> None:
    seats = seats_of(f"open_spiel:{name}")
    bots = "".join(f'\n[[bot]]\nbuiltin = "random"\nname = "b{number}"\n' for number in range(max(3, seats)))
    (tmp_path / "cup.toml").write_text(
        f'name = "cup"\nformat = "round_robin"\ngame = "open_spiel:{name}"\nseats = {seats}\ndeals = 1\n'
        f"\n[run]\nworkers = 2\n{bots}"
    )
    run = referee("tournament", "run", str(tmp_path / "cup.toml"))
    assert run.status == 0, run.err
    assert referee("tournament", "verify", str(tmp_path / "cup")).status == 0


def test_a_cooperative_game_plays_in_matches_where_all_tie_and_not_in_tournaments(tmp_path: Path) -> None:
    hanabi = ("--game", "open_spiel:hanabi", "--games", "1", "--no-record")
    played = referee("match", "builtin:random", "builtin:first", *hanabi, "--json")
    assert played.status == 0
    assert all(game["ranks"] == [1, 1] for game in played.json["games"])
    (tmp_path / "cup.toml").write_text(
        'name = "cup"\nformat = "round_robin"\ngame = "open_spiel:hanabi"\n'
        '[[bot]]\nbuiltin = "random"\n[[bot]]\nbuiltin = "first"\n'
    )
    refused = referee("tournament", "run", str(tmp_path / "cup.toml"))
    assert refused.status != 0
    assert "matches only" in refused.err


async def test_pages_for_a_seat_show_what_it_sees_and_no_decision_of_others(harness: Harness) -> None:
    played = await harness.play_one(RANDOM, FIRST, game=find_game("open_spiel:leduc_poker"))
    assert played.record is not None
    own = page(played.record, [0])
    seats = {step.views[0].decision.seat for step in own.steps if step.views[0].decision is not None}
    assert seats == {0}
    labels = {sprite.label for sprite in own.sprites if sprite.key.startswith("card")}
    assert "a card face down, in hand" in labels
    assert 1 <= len([label for label in labels if " of " in label]) <= 2  # its own, and the one that all see
    public = page(played.record, ["public"])
    told = [step.views[0].decision for step in public.steps if step.views[0].decision is not None]
    assert {decision.seat for decision in told} == {0, 1}
    assert not any(decision.legal or decision.info for decision in told)
    assert not any(decision.forced or decision.ms is not None for decision in told)  # which would tell of hands
    for shown in (own, public):
        assert shown.result is not None
        assert [step.views[0].scores for step in shown.steps if step.views[0].scores][-1] == shown.result.scores
    everything = page(played.record, ["all"])
    assert any("The cards are dealt" in text for text in everything.texts)


def test_bids_are_told_after_they_were_made_only_if_the_options_do_not_hide_them() -> None:
    for hidden in (False, True):
        game: Any = new_game("open_spiel:goofspiel", 1, imp_info=hidden)
        for _ in range(4):
            game.apply(game.legal_actions()[0])
        told = [event for event in game.events_since(0) if b"Bid" in msgspec.json.encode(event)]
        assert len(told) == (2 if hidden else 4)  # its own, and what both have bid
        assert ("[P1]" in str(told)) != hidden


@pytest.mark.parametrize(("name", "option"), [("goofspiel", {"imp_info": True}), ("laser_tag", {"fully_obs": False})])
def test_an_option_that_hides_what_is_open_as_a_rule_makes_a_game_unsearchable(name: str, option: Any) -> None:
    rules: Any = find_game(f"open_spiel:{name}")
    assert why_unsearchable(rules, recorded=True) is None
    assert why_unsearchable(rules, rules.Config(**option), recorded=True) is not None
    with pytest.raises(IllegalAction, match="can't be drawn again"):
        new_game(rules.name, 1, **option).determinize(0, Random(1))


def test_a_person_sees_the_observation_and_a_menu_of_distinct_actions() -> None:
    game: Any = new_game("open_spiel:hearts", 1)
    kind = find_presenter(type(game))
    assert kind is not None
    assert issubclass(kind.game, KnownOpenSpielGame)
    seat = game.turn.seat
    presenter = kind(game.config, seat, ["a", "b", "c", "d"])
    told = presenter.follow([msgspec.Raw(msgspec.json.encode(event)) for event in game.events_since(seat)])
    assert [*told] == []
    shown = [*presenter.table(game.observe(seat), game.legal_actions(), 80)]
    assert "Hand" in " ".join(shown)
    menu = presenter.menu(game.observe(seat), game.legal_actions())
    assert len({entry.label for entry in menu.entries}) == len(game.legal_actions()) > 1


def test_perfect_information_is_public() -> None:
    game = new_game("open_spiel:chess", 1)
    game.apply(game.legal_actions()[0])
    assert [audience for event, audience in game.log if isinstance(event, DecisionEvent)] == [ALL]
