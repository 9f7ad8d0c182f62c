"""What a season decides: which version plays, who is new, what is due, who is set aside."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, structs

from protocol.messages import FaultCode
from tournaments.competition.game_list import GameRow
from tournaments.competition.intervals import Rating
from tournaments.event.check_results import Readiness
from tournaments.event.file.toml_source import TournamentFileError
from tournaments.season.play import is_known, without_folder
from tournaments.season.season_file import EXAMPLE, EventKeys, SeasonEvent, read_season
from tournaments.season.twins import equal_answers, equal_files
from tournaments.season.versions import Entrant, SeasonState, Version, failures, pseudonym

READY, BROKEN = Readiness(bot="a", ready=True), Readiness(bot="a", ready=False, problem="crash")
THURSDAY = date(2026, 11, 26)


def version(sha256: str | None, check: Readiness | None = READY, **more: Any) -> Version:
    return Version(number=1, source="folder", taken="", sha256=sha256, check=check, **more)


def entrant(*versions: Version, present: bool = True) -> Entrant:
    found = Entrant(shown="a", present=present, versions=[])
    for number, each in enumerate(versions, 1):
        assert found.add(structs.replace(each, number=number))
    return found


def plays(own: Entrant) -> int | None:
    playing = own.playing()
    return None if playing is None else playing.number


def test_the_newest_version_that_is_ready_plays() -> None:
    assert plays(entrant(version("1"), version("2"))) == 2
    assert plays(entrant(version("1"), version("2", BROKEN), version(None, BROKEN))) == 1
    assert plays(entrant(version("1"), version("2", set_aside="it forfeited 4 of 4 games"))) == 1
    assert plays(entrant(version("1", BROKEN))) is None
    assert plays(entrant(version("1"), present=False)) is None


def test_a_version_is_checked_before_it_plays_and_older_ones_only_if_it_fails() -> None:
    own = entrant(version("1", None), version("2", None))
    assert plays(own) is None
    newest = own.best()
    assert newest is not None
    assert newest.number == 2
    own.change(structs.replace(newest, check=BROKEN))
    before = own.best()
    assert before is not None
    assert before.number == 1


def test_the_same_files_are_no_new_version_and_known_ones_are_not_checked_again() -> None:
    own = entrant(version("1", files_sha256="built"), version("2"))
    assert not own.add(structs.replace(version("2", None), number=3))
    assert own.add(structs.replace(version("1", None), number=3))
    assert own.versions[-1].files_sha256 == "built"
    assert plays(own) == 3


def test_newcomers_are_versions_that_were_in_no_event() -> None:
    own = entrant(version("1", event_sha256="x"), version("2", event_sha256="y"))
    state = SeasonState(began=THURSDAY, entrants={"alice": own})
    assert state.newcomers([]) == ["a"]
    assert state.newcomers([("a", "x")]) == ["a"]
    assert state.newcomers([("b", "y")]) == ["a"]
    assert state.newcomers([("a", "y")]) == []


def event(when: str) -> SeasonEvent:
    return SeasonEvent(keys=EventKeys(name="e", when=when), table={})


@pytest.mark.parametrize(
    ("when", "last", "today", "due"),
    [
        ("day", None, 0, True),
        ("day", 0, 0, False),
        ("day", 0, 3, True),
        ("sunday", None, 0, False),
        ("sunday", None, 2, False),
        ("sunday", None, 3, True),
        ("sunday", None, 4, True),
        ("sunday", 4, 5, False),
        ("sunday", 3, 10, True),
        ("thursday", None, 0, True),
        ("2026-11-28", None, 1, False),
        ("2026-11-28", None, 5, True),
        ("2026-11-28", 5, 6, False),
    ],
)
def test_an_event_is_due_once_and_a_missed_day_is_made_up_for_once(
    when: str, last: int | None, today: int, due: bool
) -> None:
    """Days are counted from the first one of the season, a Thursday."""

    def day(number: int) -> date:
        return THURSDAY + timedelta(days=number)

    played = None if last is None else day(last)
    assert event(when).is_due(today=day(today), began=THURSDAY, last=played, newcomers=False) is due


def test_an_event_for_newcomers_is_due_when_there_are_some() -> None:
    for newcomers in (False, True):
        assert event("new").is_due(today=THURSDAY, began=THURSDAY, last=THURSDAY, newcomers=newcomers) is newcomers


@pytest.mark.parametrize(
    ("low", "high", "known"), [(-25.0, 25.0, True), (-20.0, 31.0, False), (None, 25.0, False), (0.0, None, False)]
)
def test_a_rating_is_known_if_its_whole_interval_is_narrow(low: float | None, high: float | None, known: bool) -> None:
    assert is_known(Rating(0.0, low, high), 25.0) is known


def row(**faults: FaultCode | None) -> GameRow:
    """A game of these bots."""
    none: Any = ()
    return GameRow(
        game_id="r01-t001-d01-s1",
        round=1,
        table=1,
        deal=1,
        rotation=1,
        bots=tuple(faults),
        faults=tuple(faults.values()),
        **dict.fromkeys(("scores", "ranks", "points"), none),
        decisions_hash=UNSET,
        record="",
        replayed=None,
        reason=None,
    )


def test_versions_that_forfeit_half_of_their_games_are_set_aside() -> None:
    rows = [row(a="crash", b=None), row(b=None, a=None), row(b=None, c="timeout")]
    assert failures(rows, []) == {"a": "it forfeited 1 of 2 games", "c": "it forfeited 1 of 1 games"}
    assert "b" in failures(rows, ["b"])


def test_twins_are_pairs_of_about_equal_strength_with_their_shares() -> None:
    answers = {"a/v1": {"1": "x", "2": "y"}, "b/v1": {"1": "x", "2": "z", "3": "y"}, "c/v1": {"1": "x"}, "d/v1": {}}
    found = equal_answers(answers, {"a/v1": 0.0, "b/v1": 100.0, "c/v1": 250.0, "d/v1": 0.0, "e/v1": 0.0})
    assert [(pair.one, pair.other, pair.same, pair.questions) for pair in found] == [
        ("b/v1", "c/v1", 1, 1),
        ("a/v1", "b/v1", 1, 2),
    ]


def test_equal_files_are_those_of_different_entrants() -> None:
    alice, bob = entrant(version("1"), version("2"), version("1")), entrant(version("3", files_sha256="2"))
    state = SeasonState(began=THURSDAY, entrants={"alice": alice, "bob": bob})
    assert equal_files(state) == [["alice/v2", "bob/v1"]]


def test_pseudonyms_are_never_given_twice() -> None:
    taken: list[str] = []
    for _ in range(5):
        taken.append(pseudonym(taken, ["Otter", "Heron"]))
    assert taken == ["Otter", "Heron", "Otter 2", "Heron 2", "Otter 3"]


def written(folder: Path, text: str) -> Path:
    path = folder / "season.toml"
    path.write_text(text)
    return path


def test_an_event_has_the_tables_of_all_with_its_own_in_their_place(tmp_path: Path) -> None:
    text = EXAMPLE + "clock = { bank = '60s' }\ndeals = 5\n"
    ladder = read_season(written(tmp_path, text)).events[1]
    assert ladder.table["deals"] == 5
    assert ladder.table["clock"] == {"move": "1s", "bank": "60s"}
    assert ladder.table["bot"] == [{"builtin": "random"}]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('when = "day" ', 'when = "dai" ', "did you mean 'day'"),
        ("deals = 2", "deels = 2", "line 10: [tournament] has no key"),
        ('name = "ladder"', 'name = "The Ladder"', "is the name of a folder"),
        ('name = "ladder"', 'name = "newcomers"', 'two events are called "newcomers"'),
        ('git = "commits"', 'git = "branches"', 'git must be "commits" or "tags"'),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in EXAMPLE
    with pytest.raises(TournamentFileError) as error:
        read_season(written(tmp_path, EXAMPLE.replace(old, new)))
    assert words in str(error.value)


def test_a_check_does_not_tell_an_author_where_the_season_is(tmp_path: Path) -> None:
    real = tmp_path / "the organiser's/bots/a"
    real.mkdir(parents=True)
    (tmp_path / "course").symlink_to(tmp_path / "the organiser's")
    for place in (real, tmp_path / "course/bots/a"):
        text = f"{place}/bot.toml; run its build command yourself in {real}"
        assert (
            without_folder(text, tmp_path / "course/bots/a") == "bot.toml; run its build command yourself in its folder"
        )
