"""What a manifest and a database may say: bounds, and changes in an order in which they could have been made."""

from typing import Any

import pytest
from msgspec import structs

from tests.tournaments.competition.simulated import regulations
from tournaments.competition.changes import (
    AnyChange,
    BegunAgain,
    ByeGranted,
    Disqualified,
    Ended,
    FilesAccepted,
    Joined,
    PairedByHand,
    Penalised,
    Reinstated,
    Replayed,
    Ruled,
    Undone,
    Withdrawn,
)
from tournaments.competition.games import StoredGame
from tournaments.competition.regulations import Entrant, Regulations
from tournaments.competition.rounds import Round, Table
from tournaments.event.store.manifest import Manifest
from tournaments.event.store.validation import (
    MAX_BOTS,
    MAX_GAMES,
    MAX_SCHEDULE,
    BadManifest,
    BadRounds,
    check_manifest,
    check_rounds,
    game_problem,
    round_problem,
)
from tournaments.play.conditions import MAX_NUMBER, Conditions

OF = regulations("swiss", 4, seats=3, rounds=3)
GAME = StoredGame(
    game_id="r01-t001-d01-s1", round=1, table=1, deal=1, rotation=1, bots=(0, 1, 2), scores=(3, 2, 1), ranks=(1, 2, 3),
    faults=(None, "crash", None), forfeits=(False, False, False),
)  # fmt: skip
AGAIN = f"{GAME.game_id}-again1"


def problem(of: Regulations = OF, *events: AnyChange, **fields: Any) -> str | None:
    """What is wrong with a manifest; None if nothing is."""
    manifest = Manifest(
        regulations=of, versions={}, bots=(), conditions=Conditions(), seed_commitment="", seed_secret=True,
        events=events, **fields,
    )  # fmt: skip
    try:
        check_manifest(manifest)
    except BadManifest as error:
        return str(error).removeprefix("the manifest: ")
    return None


def event(kind: type[AnyChange], round: int = 1, **fields: Any) -> AnyChange:  # noqa: A002 (its name in the manifest)
    if "reason" in kind.__struct_fields__:
        fields["reason"] = ""
    return kind(round=round, at="", **fields)


def joined(name: str) -> AnyChange:
    return event(Joined, bot=Entrant(name=name), source={})


def replayed(game_id: str = GAME.game_id, replacement: str = AGAIN, /, *, round: int = 2, **old: Any) -> AnyChange:  # noqa: A002
    return event(Replayed, round, game_id=game_id, replacement=replacement, old=structs.replace(GAME, **old))


@pytest.mark.parametrize(
    ("of", "allowed"),
    [
        (structs.replace(OF, deals=0), False),
        (structs.replace(OF, deals=1), True),
        (structs.replace(OF, deals=MAX_NUMBER), True),
        (structs.replace(OF, deals=MAX_NUMBER + 1), False),
        (regulations("swiss", 6, seats=1, rounds=3), False),
        (regulations("swiss", 6, seats=2, rounds=3), True),
        (regulations("swiss", 6, seats=5, rounds=3), True),
        (regulations("swiss", 6, seats=6, rounds=3), False),
        (regulations("swiss", 3, seats=3, rounds=1), True),
        (regulations("swiss", 2, seats=3, rounds=1), False),
        (regulations("swiss", MAX_BOTS + 1, rounds=3), False),
        (regulations("swiss", "abca", rounds=3), False),
        (regulations("round_robin", 4, rounds=MAX_SCHEDULE // 4 + 1), False),
        (regulations("round_robin", 2000, rounds=MAX_SCHEDULE * 10 // 2000**2 + 1), False),
        (structs.replace(OF, chain=OF.chain + 1), False),
        (structs.replace(OF, statistics=OF.statistics + 1), False),
        (structs.replace(OF, pairing="another"), False),
        (structs.replace(OF, forbidden=(("b0", "b3"),)), True),
        (structs.replace(OF, forbidden=(("b0", "b4"),)), False),
        (structs.replace(OF, config={"players": 3, "edition": "none"}), False),
    ],
)
def test_regulations_have_bounds(of: Regulations, allowed: bool) -> None:
    assert (problem(of) is None) == allowed


def test_times_have_a_time_zone() -> None:
    assert problem(start_at="2026-05-04T18:00:00+02:00") is None
    for start in ("2026-05-04T18:00:00", "noon", "0001-01-01T00:00:00+14:00"):
        assert problem(start_at=start) == f'"{start}" is not a time with a time zone'


@pytest.mark.parametrize(
    "events",
    [
        [event(Withdrawn, MAX_NUMBER, bot="b3"), event(Reinstated, bot="b3"), event(Withdrawn, bot="b3")],
        [joined("late"), event(Withdrawn, bot="late"), event(FilesAccepted, bots={"late": "ab"})],
        [event(Ruled, game_id=GAME.game_id, ranks=ranks) for ranks in (None, (1, 1), (1, 2), (2, 3, 3))],
        [event(Penalised, bot="b0", points=-1000.0), event(ByeGranted, bot="b3", number=2, points=1000.0)],
        [event(Disqualified, bot="b0"), event(Undone, number=1), event(Ended), event(Undone, number=3)],
        [event(PairedByHand, 2, number=2, tables=(("b0", "b1"), ("b2", "b3")), byes=())],
        [event(PairedByHand, 2, number=2, tables=(("b0", "b1", "b2"),), byes=("b3",))],
        [replayed(), replayed(AGAIN, f"{GAME.game_id}-again3", game_id=AGAIN, again=1)],
        [event(BegunAgain, games={GAME.game_id: ["killed"]})],
    ],
)  # fmt: skip
def test_changes_that_can_have_been_made_are_accepted(events: list[AnyChange]) -> None:
    assert problem(OF, *events) is None


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([event(Withdrawn, 0, bot="b0")], "event 1: invalid round 0"),
        ([event(Withdrawn, MAX_NUMBER + 1, bot="b0")], "event 1: invalid round 1000001"),
        ([joined("b3")], "already takes part"),
        ([joined("late"), joined("late")], "event 2"),
        ([event(Withdrawn, bot="b4")], "did not take part"),
        ([event(Withdrawn, bot="b0"), event(Withdrawn, bot="b0")], "event 2"),
        ([event(Reinstated, bot="b0")], "but not withdrawn"),
        ([event(Withdrawn, bot="b0"), event(Reinstated, bot="b0"), event(Reinstated, bot="b0")], "event 3"),
        ([event(FilesAccepted, bots={"b0": "ab", "b4": "ab"})], "bots that don't take part"),
        ([event(Ruled, game_id="r1", ranks=None)], "invalid game id r1"),
        *(
            ([event(Ruled, game_id=GAME.game_id, ranks=ranks)], "invalid ranks")
            for ranks in ((1,), (0, 1), (1, 3), (1, 2, 3, 4))
        ),
        ([event(Penalised, bot="b4", points=-1.0)], "\"b4\" doesn't take part"),
        ([event(Penalised, bot="b0", points=-1000.5)], "invalid points -1000.5"),
        ([event(ByeGranted, bot="b0", number=2, points=float("nan"))], "invalid points nan"),
        ([event(Disqualified, bot="b4")], "\"b4\" doesn't take part"),
        ([event(PairedByHand, 2, number=3, tables=(("b0", "b1"),), byes=())], "tables can't be played"),
        ([event(PairedByHand, 2, number=2, tables=(("b0",),), byes=())], "tables can't be played"),
        ([event(PairedByHand, 2, number=2, tables=(("b0", "b1", "b2", "b3"),), byes=())], "tables can't be played"),
        ([event(PairedByHand, 2, number=2, tables=(("b0", "b4"),), byes=())], "doesn't take part"),
        ([event(PairedByHand, 2, number=2, tables=(("b0", "b1"),), byes=("b4",))], "doesn't take part"),
        ([event(Undone, number=1)], "no event 1 to undo"),
        ([event(Disqualified, bot="b0"), event(Undone, number=0)], "no event 0 to undo"),
        ([event(Disqualified, bot="b0"), event(Undone, number=1), event(Undone, number=1)], "event 3: there is no"),
        ([event(Withdrawn, bot="b0"), event(Undone, number=1)], "event 1 can't be undone"),
        ([replayed("r1")], "invalid game id"),
        ([replayed(GAME.game_id, "r1")], "invalid game id"),
        ([replayed(GAME.game_id, GAME.game_id)], "invalid game id"),
        ([replayed(round=1)], "can't be the replay"),
        ([replayed(again=1)], "can't be the replay"),
        ([replayed(game_id="r01-t001-d01-s2")], "can't be the replay"),
        ([replayed(GAME.game_id, "r01-t002-d01-s1-again1")], "can't be the replay"),
        *(([replayed(**{name: 2})], "can't be the replay") for name in ("table", "deal", "rotation")),
        ([replayed(ranks=(1, 2, 4))], "the old result of r01-t001-d01-s1: its ranks"),
        ([replayed(), replayed()], "already been replaced"),
        ([event(BegunAgain, games={GAME.game_id: [], "r1": []})], "invalid game id"),
    ],
)  # fmt: skip
def test_changes_that_can_not_have_been_made_are_named(events: list[AnyChange], expected: str) -> None:
    assert expected in (problem(OF, *events) or "")


def test_games_and_rounds_have_bounds() -> None:
    assert game_problem(GAME, 3, 3) is None
    assert game_problem(structs.replace(GAME, ranks=(1, 1, 1)), 3, 3) is None
    assert (game_problem(GAME, 2, 3), game_problem(GAME, 3, 2)) == (
        "its seats don't have different bots",
        "it has 3 seats",
    )
    for bots in ((0,), (0, 0, 1), (-1, 0, 1)):
        assert game_problem(structs.replace(GAME, bots=bots), 3, 3) is not None
    for name in ("scores", "ranks", "faults", "forfeits"):
        assert game_problem(structs.replace(GAME, **{name: (1, 1)}), 3, 3) == "its lists have different lengths"
    for ranks in ((0, 1, 2), (1, 2, 4)):
        assert game_problem(structs.replace(GAME, ranks=ranks), 3, 3) == "its ranks are not between 1 and 3"
    for deals, tables, byes, allowed in (
        (1, [(0, 1, 2)], (3,), True),
        (MAX_GAMES // 3, [(0, 1, 2)], (), True),
        (MAX_GAMES // 3 + 1, [(0, 1, 2)], (), False),
        (0, [(0, 1)], (), False),
        (1, [], (0, 1, 2, 3), False),
        (1, [(0,)], (), False),
        (1, [(0, 1, 2, 3)], (), False),
        (1, [(0, 1, 1)], (), False),
        (1, [(0, 4)], (), False),
        (1, [(0, 1)], (4,), False),
        (1, [(0, 1)], (-1,), False),
    ):
        round_ = Round(number=1, deals=deals, tables=tuple(map(Table, tables)), byes=byes)
        assert (round_problem(round_, 4, 3) is None) == allowed, round_


def test_every_game_belongs_to_a_round() -> None:
    rounds = [Round(number=number, deals=2, tables=(Table((0, 1, 2)),), byes=(3,)) for number in (1, 2)]
    third = structs.replace(GAME, game_id="r02-t001-d04-s2", round=2, deal=4, rotation=2, bots=(1, 2, 0))
    replay = structs.replace(third, game_id=f"{third.game_id}-again1", again=1)
    check_rounds(OF, 4, rounds, [GAME, third, replay])
    for wrong in (
        structs.replace(GAME, bots=(1, 0, 2)),
        structs.replace(GAME, ranks=(0, 1, 2)),
        structs.replace(GAME, again=1),
        structs.replace(GAME, game_id=third.game_id),
        structs.replace(GAME, game_id="r01-t001-d03-s1", deal=3),
    ):
        with pytest.raises(BadRounds, match="doesn't belong to any"):
            check_rounds(OF, 4, rounds, [GAME, wrong])
    with pytest.raises(BadRounds, match="round 1 is missing"):
        check_rounds(OF, 4, rounds[1:], [])
