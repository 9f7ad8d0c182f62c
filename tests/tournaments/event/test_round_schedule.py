"""The schedule of a round: rotation by rotation, tables on their own, games that exclude each other, and the seeds."""

from collections.abc import Sequence

from referee.seeds import bot_seed, keyed, new_seed, public_id
from tournaments.competition.games import PlannedGame, commitment, deal_seed
from tournaments.competition.progress import games_of
from tournaments.competition.rounds import Deal, Round, Table
from tournaments.event.round_schedule import RoundSchedule
from tournaments.play.schedule import ScheduledGame

ROUND = Round(number=2, tables=(Table((0, 1)), Table((2, 3)), Table((4, 5))), deals=2)
SEED = "seed"


class Play:
    """Asks a schedule for games and ends them."""

    def __init__(
        self, games: Sequence[PlannedGame], exclusive: dict[int, str] | None = None, deals_of: str = "round"
    ) -> None:
        self.begun: list[str] = []
        self.running: list[ScheduledGame] = []
        self.ending = False
        self.schedule = RoundSchedule(
            games,
            SEED,
            deals_of=deals_of,
            exclusive=exclusive or {},
            is_ending=lambda: self.ending,
        )

    def begin(self, most: int = 100) -> list[ScheduledGame]:
        """Begin as many games as there are, or `most`."""
        found: list[ScheduledGame] = []
        while len(found) < most and (game := self.schedule.next_game()) is not None:
            found.append(game)
        self.running += found
        self.begun += [game.game_id for game in found]
        return found

    def end(self, game: ScheduledGame) -> None:
        self.running.remove(game)
        self.schedule.finished(game)

    def end_all(self) -> None:
        for game in list(self.running):
            self.end(game)


GAMES = list(games_of(ROUND, 5, "round"))


def test_a_rotation_begins_when_the_previous_one_is_over_at_all_tables() -> None:
    play = Play(GAMES)
    first = play.begin()
    assert {(game.rotation, game.phase) for game in first} == {(0, 1)}
    assert len(first) == 6
    for game in first[:-1]:
        play.end(game)
        assert play.begin() == []
    play.end(first[-1])
    assert {game.rotation for game in play.begin()} == {1}
    play.end_all()
    assert play.begin() == []
    assert play.begun == [game.game_id for game in GAMES]


def test_each_table_has_processes_of_its_own_which_end_with_its_last_game_of_the_rotation() -> None:
    play = Play(GAMES)
    (one,) = play.begin(1)
    assert play.schedule.needs_processes(one)
    (two,) = play.begin(1)
    assert (one.table, two.table) == (1, 1)
    assert not play.schedule.needs_processes(two)
    assert [game.table for game in play.begin()] == [2, 2, 3, 3]


def test_games_that_need_the_same_thing_are_not_played_side_by_side() -> None:
    play = Play(GAMES, exclusive={0: "gpu", 2: "gpu", 5: "licence"})
    running = play.begin()
    assert [game.table for game in running] == [1, 3], "one with the GPU, one with the licence"
    play.end(running[1])
    assert [game.table for game in play.begin()] == [3]
    play.end(running[0])
    assert [game.table for game in play.begin()] == [1]
    play.end_all()
    assert [game.table for game in play.begin()] == [2]


def test_no_game_begins_once_it_is_ending() -> None:
    play = Play(GAMES)
    (game,) = play.begin(1)
    play.ending = True
    assert play.begin() == []
    assert not play.schedule.needs_processes(game)


def test_after_an_interruption_only_missing_games_are_played_in_the_same_order() -> None:
    missing = [game for game in GAMES if game.table != 2 or game.rotation == 2]
    play = Play(missing)
    assert [game.game_id for game in play.begin()] == [game.game_id for game in missing if game.rotation == 1]


def test_seeds_come_from_that_of_the_tournament_each_under_its_own_name() -> None:
    games = {game.game_id: game for game in Play(GAMES).begin()}
    game = games["r02-t003-d06-s1"]
    assert game.seed == deal_seed(SEED, 2, Deal(6)) == games["r02-t001-d06-s1"].seed
    assert game.bot_seeds == tuple(bot_seed(keyed(SEED), game.game_id, seat) for seat in (0, 1))
    assert game.public_id == public_id(keyed(SEED), game.game_id)
    numbers = [number for each in games.values() for number in each.bot_seeds]
    assert len(set(numbers)) == len(numbers) == 2 * len(games)
    assert len({each.public_id for each in games.values()}) == len(games)


def test_tables_with_deals_of_their_own_have_other_seeds_for_the_same_numbers() -> None:
    games = Play(list(games_of(ROUND, 5, "table")), deals_of="table").begin()
    assert [game.seed for game in games] == [
        deal_seed(SEED, 2, Deal(number, table)) for table in (1, 2, 3) for number in (5, 6)
    ]
    assert len({game.seed for game in games}) == 6


def test_a_deals_seed_and_the_commitment_are_what_other_programs_compute() -> None:
    """printf deal/1/1 | openssl dgst -sha256 -hmac seed, likewise deal/1/2/3, and printf seed | sha256sum."""
    assert deal_seed("seed", 1, Deal(3, table=2)) == "af2e29c4b6df106c54c6234c099daa06a0e40bb70e0810a60bc33d50fecae7f2"
    assert deal_seed("seed", 1, Deal(1)) == "e34f0f8211e2981f5094583c42144b6b7e04f0ba70e1d56909bc91e8d639c0de"
    assert commitment("seed") == "19b25856e1c150ca834cffc8b59b23adbd0ec0389e58eb22b3b64768098d002b"


def test_a_drawn_seed_has_256_bits() -> None:
    assert len({new_seed() for _ in range(100)}) == 100
    assert len(bytes.fromhex(new_seed())) * 8 == 256
