"""A folder stays good when the engine that paired its rounds is no longer here: those are told to be unchecked, and
further ones are paired, and verified, with the one that is.
"""

import json
from collections.abc import Sequence
from importlib.metadata import version
from itertools import permutations
from typing import Any, Final

import pytest
from msgspec import structs

from tests.cli.command import referee
from tests.tournaments.competition.simulated import Simulation, by_chance, regulations
from tests.tournaments.event.store.conftest import Begin
from tests.tournaments.event.store.organiser import Organiser
from tournaments.competition.changes import PairingChanged
from tournaments.competition.formats import FORMATS, dutch
from tournaments.competition.formats.brackets import BracketFormat
from tournaments.competition.formats.dutch import BRACKETS, CAISSIFY, ENGINES
from tournaments.competition.formats.dutch_player import Player
from tournaments.competition.formats.interface import Format, FormatContext, FormatError
from tournaments.competition.formats.round_robin import RoundRobin
from tournaments.competition.formats.sprt import Sprt
from tournaments.competition.formats.swiss import Swiss
from tournaments.competition.rounds import History, Round
from tournaments.event.store.contents import contents_from_records
from tournaments.event.store.errors import StoreError
from tournaments.event.store.verification import Verification, verify

GONE: Final = "dutch/an engine that is gone/1"
FILE: Final = 'name = "Cup"\nformat = "swiss"\ngame = "pebbles"\nseed = "a seed for tests"\n[swiss]\nrounds = 3\n'
AT: Final = "2026-11-22T12:00:00+00:00"


def another(
    players: Sequence[Player], no_bye: frozenset[int], round_number: int, rounds: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """A fake second engine: the first legal pairing that is not what caissify-pairings pairs."""
    pairs, left = dutch.caissify(players, no_bye, round_number, rounds)
    for order in permutations(player.number for player in players):
        others = list(zip(order[::2], order[1::2], strict=False))
        rest = list(order[2 * len(others) :])
        if dutch.is_legal(players, no_bye, others, rest) and set(map(frozenset, others)) != set(map(frozenset, pairs)):
            return others, rest
    return pairs, left


def only(monkeypatch: pytest.MonkeyPatch, *algorithms: str) -> None:
    """From now on there are only these engines: caissify-pairings, and the fake one under any other id."""
    for known in reversed(list(ENGINES)):  # so that the first one is the first again afterwards
        monkeypatch.delitem(ENGINES, known)
    for algorithm in algorithms:
        monkeypatch.setitem(ENGINES, algorithm, dutch.caissify if algorithm == CAISSIFY else another)


@pytest.fixture
def paired_by_gone(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> Organiser:
    """Two rounds of five bots that the fake engine has paired, and the third begun; then there is caissify-pairings."""
    only(monkeypatch, GONE)
    cup = begin(FILE, "abcde")
    cup.play_rounds(2)
    only(monkeypatch, CAISSIFY)
    return cup


def go_on(cup: Organiser) -> None:
    """Change the algorithm as the director does."""
    assert not cup.progress.can_pair
    cup.apply(PairingChanged(round=cup.progress.next_number, at=AT, pairing=CAISSIFY, before=cup.progress.pairing))
    assert cup.progress.can_pair


def unchecked_rounds(found: Verification) -> list[str]:
    """The beginnings of what is said of pairings."""
    return [line.partition(",")[0] for line in found.unchecked if "pairing" in line]


# -- what a manifest says -------------------------------------------------------------------------------------


def test_new_manifests_name_the_algorithm_the_kind_of_deals_and_the_form_of_the_chain(begin: Begin) -> None:
    cup = begin(FILE)
    found = json.loads((cup.folder.path / "manifest.json").read_text())["regulations"]
    assert (found["pairing"], found["deals_of"], found["chain"]) == (BRACKETS, "table", 2)
    tables = begin(FILE.replace("[swiss]", "seats = 3\n[swiss]"), name="tables")
    assert tables.manifest.regulations.pairing == "swiss/1"
    robin = 'format = "round_robin"\ngame = "pebbles"\nseats = '
    assert begin(robin + "2", name="robin").manifest.regulations.pairing == "round_robin/1"
    assert begin(robin + "3", name="robin_tables").manifest.regulations.pairing == "round_robin/2"


@pytest.mark.slow
def test_a_round_robin_of_the_first_algorithm_keeps_it(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where that of today would pair the rounds otherwise."""
    file = 'format = "round_robin"\ngame = "pebbles"\nseats = 3\nseed = "a seed for tests"\n[round_robin]\nrounds = 3\n'
    with monkeypatch.context() as before:
        before.setattr(RoundRobin, "algorithms", lambda self, seats: ("round_robin/1",))
        cup = begin(file, "abcdefg")
        cup.play_rounds(1)
    cup.play_rounds(2)
    found = verify(cup.folder.path)
    assert (found.ok, found.rounds, unchecked_rounds(found)) == (True, 3, [])
    assert cup.manifest.regulations.pairing == "round_robin/1"
    assert begin(file, "abcdefg", name="new").progress.next_round() != cup.progress.rounds[0].round


def test_the_id_names_the_versions_that_are_installed() -> None:
    assert f"caissify-pairings {version('caissify-pairings')}/networkx {version('networkx')}/" in CAISSIFY


def test_a_manifest_without_them_means_those_of_then(begin: Begin) -> None:
    """That folders of then are verified and resumed: `tests/tournaments/event/test_golden_tournaments.py`."""
    cup = begin(FILE)
    edit_regulations(cup, lambda found: [found.pop(key) for key in ("pairing", "deals_of", "chain")])
    found = cup.folder.reread().regulations
    assert (found.pairing_algorithm, found.deals_of, found.chain) == (CAISSIFY, "round", 1)


@pytest.mark.parametrize(("key", "value"), [("deals_of", "game"), ("chain", 3)])
def test_kinds_that_this_referee_does_not_know_are_refused(begin: Begin, key: str, value: object) -> None:
    cup = begin(FILE)
    edit_regulations(cup, lambda found: found.update({key: value}))
    (difference,) = verify(cup.folder.path).differences
    assert difference.where == "manifest"
    assert str(value) in difference.problem
    assert "use the referee that wrote it" in difference.problem


def edit_regulations(cup: Organiser, edit: Any) -> None:
    """Change the regulations in the manifest without us."""
    path = cup.folder.path / "manifest.json"
    manifest = json.loads(path.read_text())
    edit(manifest["regulations"])
    path.write_text(json.dumps(manifest))


# -- verify ---------------------------------------------------------------------------------------------------


def test_rounds_of_an_engine_that_is_gone_are_unchecked_and_all_else_is_checked(paired_by_gone: Organiser) -> None:
    found = verify(paired_by_gone.folder.path)
    assert (found.ok, found.rounds, found.records) == (True, 2, 8)
    assert unchecked_rounds(found) == ["round 1: pairing unchecked", "round 2: pairing unchecked"]
    assert GONE in found.unchecked[0]


def test_rounds_after_the_change_are_verified_with_the_engine_that_is_here(paired_by_gone: Organiser) -> None:
    cup = paired_by_gone
    go_on(cup)
    cup.play_rounds(1)
    found = verify(cup.folder.path)
    assert (found.differences, found.rounds) == ([], 3)
    assert unchecked_rounds(found) == ["round 1: pairing unchecked", "round 2: pairing unchecked"]


def test_a_round_after_the_change_that_is_not_as_the_new_engine_pairs_differs(
    paired_by_gone: Organiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = paired_by_gone
    go_on(cup)
    only(monkeypatch, CAISSIFY)
    expected = cup.progress.next_round()
    monkeypatch.setitem(ENGINES, CAISSIFY, another)
    assert cup.progress.next_round() != expected
    cup.play_rounds(1)
    monkeypatch.setitem(ENGINES, CAISSIFY, dutch.caissify)
    assert {found.where.partition(",")[0] for found in verify(cup.folder.path).differences} >= {"round 3"}


def test_a_referee_that_has_both_engines_checks_all_rounds(
    paired_by_gone: Organiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on(paired_by_gone)
    paired_by_gone.play_rounds(1)
    only(monkeypatch, CAISSIFY, GONE)
    found = verify(paired_by_gone.folder.path)
    assert (found.differences, unchecked_rounds(found)) == ([], [])


def test_the_round_in_progress_is_unchecked_too(paired_by_gone: Organiser, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = paired_by_gone
    only(monkeypatch, GONE)
    cup.pair()
    assert cup.progress.current is not None
    cup.play_game(cup.progress.current.missing()[0])
    only(monkeypatch, CAISSIFY)
    found = verify(cup.folder.path)
    assert (found.differences, found.rounds) == ([], 2)
    assert unchecked_rounds(found)[-1] == "round 3: pairing unchecked"


@pytest.mark.parametrize("lost", ["r01-t001-*", "r01-t001-d01-s1", "r01-*"])
def test_of_an_unchecked_round_a_record_that_is_missing_differs(paired_by_gone: Organiser, lost: str) -> None:
    for record in paired_by_gone.folder.records.glob(f"{lost}.jsonl.gz"):
        record.unlink()
    assert not verify(paired_by_gone.folder.path).ok


def test_a_finished_tournament_whose_engine_is_gone_has_standings_that_are_checked(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, GONE)
    cup = begin(FILE, "abcde")
    cup.withdraw("c")
    cup.play_rounds(1)
    cup.join("late")
    cup.play_rounds()
    cup.replay("r01-t001-d01-s1")
    cup.finish_with_standings()
    only(monkeypatch, CAISSIFY)
    found = verify(cup.folder.path)
    assert (found.differences, found.rounds, len(unchecked_rounds(found))) == ([], 3, 3)
    manifest = json.loads((cup.folder.path / "manifest.json").read_text())
    manifest["standings"]["standings"][0]["points"] += 0.5
    (cup.folder.path / "manifest.json").write_text(json.dumps(manifest))
    assert not verify(cup.folder.path).ok


# -- going on -------------------------------------------------------------------------------------------------


def test_without_a_database_what_is_over_is_computed_from_the_records(paired_by_gone: Organiser) -> None:
    cup = paired_by_gone
    cup.folder.database.unlink()
    contents = contents_from_records(cup.folder, cup.manifest)
    assert contents.rounds == [over.round for over in cup.progress.rounds]


def test_a_round_in_progress_can_not_be_computed_without_a_database(
    paired_by_gone: Organiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = paired_by_gone
    only(monkeypatch, GONE)
    cup.pair()
    assert cup.progress.current is not None
    cup.play_game(cup.progress.current.missing()[0])
    only(monkeypatch, CAISSIFY)
    with pytest.raises(StoreError, match=rf"round 3 can't be paired: .*{GONE}"):
        contents_from_records(cup.folder, cup.manifest)


def test_a_format_is_not_asked_for_a_round_by_an_algorithm_that_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(regulations("swiss", 4, rounds=3), by_chance(1))
    only(monkeypatch, GONE)
    with pytest.raises(FormatError, match="doesn't have the pairing algorithm dutch/caissify-pairings"):
        simulation.begin()


def test_resume_goes_on_with_the_engine_that_is_here_as_an_event(
    paired_by_gone: Organiser, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = paired_by_gone
    resumed = referee("tournament", "resume", cup.folder.path)
    assert resumed.status == 0, resumed.err
    assert f"from round 3 on, rounds are paired by {CAISSIFY}" in resumed.err
    manifest = json.loads((cup.folder.path / "manifest.json").read_text())
    (event,) = manifest["events"]
    assert (event["event"], event["round"]) == ("pairing_changed", 3)
    assert (event["pairing"], event["before"]) == (CAISSIFY, GONE)
    assert manifest["regulations"]["pairing"] == GONE
    assert manifest["finished"]
    verified = referee("tournament", "verify", cup.folder.path)
    assert (verified.status, verified.out.count("pairing unchecked")) == (0, 2)
    only(monkeypatch, CAISSIFY, GONE)
    assert unchecked_rounds(verify(cup.folder.path)) == []


# -- every format ---------------------------------------------------------------------------------------------

SEEDS: Final = 'seeds = ["e", "c", "a", "d", "b"]'

SETTINGS: Final = {
    "double_elimination": SEEDS,
    "gauntlet": 'challengers = ["a"]\nrounds = 3',
    "groups": SEEDS,
    "knockout": SEEDS,
    "ladder": "budget = 40",
    "round_robin": "",
    "sprt": 'candidate = "a"\nbaseline = "b"\nbatch = 1\nmax_games = 20',
    "swiss": "rounds = 3",
}
"""Of each format, so that it has several rounds."""


def paired_elsewhere(kind: type[Format]) -> Any:
    """The method of another referee: a bracket has the seeds reversed, others the tables in reverse order."""
    here = kind.next_round

    def next_round(settings: Format, context: FormatContext, history: History) -> Round | None:
        if isinstance(settings, BracketFormat):
            assert settings.seeds is not None
            return here(structs.replace(settings, seeds=settings.seeds[::-1]), context, history)
        round_ = here(settings, structs.replace(context, pairing=CAISSIFY), history)
        if round_ is None or isinstance(settings, Sprt | Swiss):
            return round_
        return structs.replace(round_, tables=round_.tables[::-1])

    return next_round


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("rounds", [1, 2])
def test_every_format_copes_with_rounds_of_another_algorithm(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, name: str, rounds: int
) -> None:
    bots = "ab" if name == "sprt" else "abcde"
    kind = FORMATS[name]
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(kind, "algorithms", lambda self, seats: (f"{name}/2",))
        elsewhere.setattr(kind, "next_round", paired_elsewhere(kind))
        cup = begin(f'name = "Cup"\nformat = "{name}"\ngame = "pebbles"\n[{name}]\n{SETTINGS[name]}\n', bots)
        cup.play_rounds(rounds)
    assert not cup.progress.can_pair
    found = verify(cup.folder.path)
    assert (found.differences, len(unchecked_rounds(found))) == ([], rounds)
    for command in ("standings", "games"):
        assert referee("tournament", command, cup.folder.path).status == 0
    before = (cup.folder.path / "manifest.json").read_bytes()
    resumed = referee("tournament", "resume", cup.folder.path)
    assert "Traceback" not in resumed.err
    if issubclass(kind, BracketFormat):
        assert resumed.status != 0
        assert f"round {rounds + 1} can't be paired: rounds before it were paired by {name}/2" in resumed.err
        assert (cup.folder.path / "manifest.json").read_bytes() == before
    else:
        assert resumed.status == 0, resumed.err
        assert verify(cup.folder.path).differences == []


def test_an_empty_algorithm_is_refused(begin: Begin) -> None:
    cup = begin(FILE)
    edit_regulations(cup, lambda found: found.update(pairing=""))
    (difference,) = verify(cup.folder.path).differences
    assert "pairing is empty" in difference.problem
