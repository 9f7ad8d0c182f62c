"""The pool's rule: no process meets a deal twice, and none that has met one is alive in another rotation of it."""

from collections import defaultdict
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import encode
from protocol.messages import Ready
from referee.bots.bot_spec import BotSpec
from referee.bots.hashed_files import FilesChangedError, hashed_files
from referee.connections import ConnectError, Connection
from referee.outcome import Fault
from referee.players.clock import TimeControl
from referee.processes.stderr_log import StderrExcerpt
from tests.memory_connection import MemoryConnection
from tests.timeouts import TEST_TIMEOUT
from tournaments.play.pool import DoubtfulStartError, Lease, Pool
from tournaments.play.schedule import rotations

BOTS = [BotSpec(name="a"), BotSpec(name="b")]


async def acquire(pool: Pool, bot: int, deal: int, rotation: int, *, table: int = 0) -> Lease:
    """A process of the bot for one of its games: an idle one, or a new one."""
    lease = await pool.lend(bot, deal, rotation, None, table=table, trace=None)
    if not lease.reused:
        await pool.start(lease)
    return lease


class FakeProcess(MemoryConnection):
    """The connection to a bot process that sends `ready`, and notes the games that it was lent to."""

    def __init__(self, bot: BotSpec) -> None:
        super().__init__()
        self.bot = bot
        self.games: list[str | None] = []
        self.exhausted = False

    async def send(self, line: bytes) -> None:
        await trio.lowlevel.checkpoint()

    async def receive(self) -> bytes:
        await trio.lowlevel.checkpoint()
        return encode(Ready(protocol=1, name="x")).rstrip()

    def begin_game(self, stderr: str | None) -> None:
        self.games.append(stderr)

    def is_exhausted(self) -> bool:
        return self.exhausted

    def logged_stderr(self) -> int:
        return 0

    def stderr_excerpt(self) -> StderrExcerpt:
        return StderrExcerpt(path=None if self.games[-1] is None else Path(self.games[-1]), tail="")


class Machine:
    """Starts processes, and knows which are alive."""

    def __init__(self) -> None:
        self.processes: list[FakeProcess] = []

    async def connect(self, bot: BotSpec) -> Connection:
        await trio.lowlevel.checkpoint()
        self.processes.append(FakeProcess(bot))
        return self.processes[-1]

    def alive(self) -> list[FakeProcess]:
        return [process for process in self.processes if not process.ended.is_set()]


@pytest.fixture
def machine() -> Machine:
    """A machine without processes."""
    return Machine()


@pytest.fixture
def pool(machine: Machine) -> Pool:
    """A pool of processes on this machine."""
    return Pool(BOTS, machine.connect, TimeControl())


async def test_released_process_is_lent_again_for_another_deal_of_the_rotation(machine: Machine, pool: Pool) -> None:
    first = await acquire(pool, 0, deal=1, rotation=0)
    pool.release(first, failed=False)
    second = await acquire(pool, 0, deal=2, rotation=0)
    assert second.connection is first.connection
    assert (first.reused, second.reused) == (False, True)
    assert len(machine.processes) == 1


async def test_between_two_rotations_no_process_is_alive(machine: Machine) -> None:
    alive = []

    async def between() -> None:
        alive.append(len(machine.alive()))

    pool = Pool(BOTS, machine.connect, TimeControl(), between_phases=between)
    for deal, rotation in ((1, 0), (2, 0), (1, 1), (2, 1), (3, 0)):
        pool.release(await acquire(pool, 0, deal=deal, rotation=rotation), failed=False)
    assert alive == [0, 0]


async def test_a_bot_that_ignores_quit_is_told_of_once_with_how_long_it_takes(machine: Machine) -> None:
    told: list[str] = []
    pool = Pool(BOTS, machine.connect, TimeControl(), on_notice=told.append)
    for deal, rotation in ((1, 0), (1, 1), (1, 2)):
        for bot in (0, 1):
            lease = await acquire(pool, bot, deal=deal, rotation=rotation)
            machine.processes[-1].outstayed = bot == 0
            pool.release(lease, failed=False)
    failed = await acquire(pool, 1, deal=1, rotation=3)
    machine.processes[-1].outstayed = True
    pool.release(failed, failed=True)  # it may have failed because it hangs
    await pool.close()
    [notice] = told
    assert notice.startswith("a was still running 1 s after quit, and was killed: whenever its processes end")


async def test_output_between_games_is_told_of_with_the_game_before_it_the_first_and_every_tenfold_time(
    machine: Machine,
) -> None:
    told: list[str] = []
    pool = Pool(BOTS, machine.connect, TimeControl(), on_notice=told.append)
    for deal in range(12):
        lease = await acquire(pool, 0, deal=deal, rotation=0)
        lease.game_id = f"{deal:04}-1"
        if deal:
            machine.processes[0].unreceived = [b"hello", b""]
            lease.session.clear_output()  # at the start of the game
        pool.release(lease, failed=False)
    machine.processes[0].unreceived = [b"", b"bye"]
    await pool.close()
    assert [text.partition(". ")[0] for text in told] == [
        "a wrote 'hello' to standard output after the end of game 0000-1",
        "a wrote 'hello' to standard output after the end of game 0009-1 (10 times so far)",
    ]


async def test_output_after_the_last_game_of_a_process_is_told_of(machine: Machine) -> None:
    told: list[str] = []
    pool = Pool(BOTS, machine.connect, TimeControl(), on_notice=told.append)
    for bot, name in enumerate("ab"):
        lease = await acquire(pool, bot, deal=1, rotation=0)
        lease.game_id = "0001-1"
        pool.release(lease, failed=name == "b")
        machine.processes[bot].unreceived = [b"bye", b""]
    await pool.close()
    [notice] = told
    assert notice.startswith("a wrote 'bye' to standard output after the end of game 0001-1. It is not charged")


async def test_rotation_waits_until_processes_of_the_one_before_have_ended(
    autojump_clock: trio.testing.MockClock,
) -> None:
    class SlowToEnd(FakeProcess):
        def close(self) -> None:
            self.ended.set()  # it is killed, but has not been reaped yet

    async def connect(bot: BotSpec) -> Connection:
        return SlowToEnd(bot)

    pool = Pool(BOTS, connect, TimeControl())
    lease = await acquire(pool, 0, deal=1, rotation=0)
    pool.release(lease, failed=False)
    with trio.move_on_after(10) as scope:
        await acquire(pool, 0, deal=2, rotation=1)
    assert scope.cancelled_caught
    assert lease.connection is not None
    lease.connection.closed.set()
    with trio.fail_after(10):
        await acquire(pool, 0, deal=2, rotation=1)


async def test_game_of_another_rotation_is_refused_while_one_is_played(pool: Pool) -> None:
    await acquire(pool, 0, deal=1, rotation=0)
    with pytest.raises(RuntimeError, match="another rotation"):
        await acquire(pool, 1, deal=2, rotation=1)


@pytest.mark.parametrize("why", ["failed", "ended", "exhausted"])
async def test_process_that_can_not_play_on_is_replaced(machine: Machine, pool: Pool, why: str) -> None:
    lease = await acquire(pool, 0, deal=1, rotation=0)
    [process] = machine.processes
    process.exhausted = why == "exhausted"
    if why == "ended":
        process.ended.set()
    pool.release(lease, failed=why == "failed")
    again = await acquire(pool, 0, deal=2, rotation=0)
    assert again.connection is not process
    assert process.closed.is_set()
    assert not again.reused


async def test_what_a_replaced_process_wrote_to_standard_error_is_still_named(machine: Machine, pool: Pool) -> None:
    lease = await acquire(pool, 0, deal=1, rotation=0)
    machine.processes[0].begin_game("log")
    await lease.replace()
    excerpt = lease.stderr_excerpt()
    assert excerpt is not None
    assert excerpt.path == Path("log")


async def test_bot_that_cannot_be_started_gives_a_lease_with_a_fault() -> None:
    async def connect(bot: BotSpec) -> Connection:
        raise ConnectError("can't start './x': No such file or directory")

    pool = Pool(BOTS, connect, TimeControl())
    lease = await acquire(pool, 0, deal=1, rotation=0)
    assert lease.fault == Fault("crash", "can't start './x': No such file or directory")
    assert lease.stderr_excerpt() is None
    pool.release(lease, failed=True)
    await acquire(pool, 0, deal=1, rotation=1)


async def test_pool_forgets_bots_that_never_get_ready() -> None:
    class NeverReady(FakeProcess):
        async def receive(self) -> bytes:
            await trio.lowlevel.checkpoint()
            return b"no ready"

    async def connect(bot: BotSpec) -> Connection:
        return NeverReady(bot)

    pool = Pool(BOTS, connect, TimeControl())
    for deal in range(100):
        lease = await acquire(pool, 0, deal, rotation=0)
        assert lease.fault is not None
        pool.release(lease, failed=True)
    assert len(pool._ending) <= 2


async def test_close_ends_all_idle_processes(machine: Machine, pool: Pool) -> None:
    for deal in range(3):
        await acquire(pool, 0, deal, rotation=0)
    for lease in [await acquire(pool, 1, deal, rotation=0) for deal in range(3)]:
        pool.release(lease, failed=False)
    await pool.close()
    assert [process.bot.name for process in machine.alive()] == ["a", "a", "a"], "those of bot a are lent still"


@pytest.mark.slow
@settings(derandomize=True)
@given(
    deals=st.integers(1, 30),
    concurrency=st.integers(1, 5),
    failures=st.sets(st.tuples(st.integers(1, 30), st.integers(0, 1), st.integers(0, 1))),
)
def test_no_process_meets_a_deal_twice_or_outlives_its_rotation(
    deals: int, concurrency: int, failures: set[tuple[int, int, int]]
) -> None:
    """Whatever fails and however many games run at the same time."""
    machine = Machine()

    async def play_all() -> None:
        pool = Pool(BOTS, machine.connect, TimeControl())
        met: dict[FakeProcess, dict[int, int]] = defaultdict(dict)
        waiting = list(rotations(deals, 2, "s", concurrency=concurrency))
        while waiting:
            phase = [game for game in waiting[:concurrency] if game.phase == waiting[0].phase]
            del waiting[: len(phase)]
            leases = []
            for game in phase:
                for seat, bot in enumerate(game.seating):
                    lease = await acquire(pool, bot, game.deal, game.rotation)
                    leases.append((lease, (game.deal, game.rotation, seat) in failures))
                    assert isinstance(lease.connection, FakeProcess)
                    assert lease.connection.bot is BOTS[bot]
                    assert game.deal not in met[lease.connection], "this process has already met the deal"
                    met[lease.connection][game.deal] = game.rotation
                for process in machine.alive():
                    assert met[process].get(game.deal, game.rotation) == game.rotation, (
                        "a process that has met the deal in another rotation is alive"
                    )
            for lease, failed in leases:
                pool.release(lease, failed=failed)
        await pool.close()
        assert machine.alive() == []

    trio.run(play_all)


# -- bots that fail to start --------------------------------------------------------------------------------------


class Unreliable:
    """Starts bots, or fails to, as `works` says."""

    def __init__(self) -> None:
        self.works = False
        self.attempts: list[str] = []
        self.notices: list[str] = []
        self.pool = Pool(BOTS, self.connect, TimeControl(), on_notice=self.notices.append)
        self._deal = 0

    async def connect(self, bot: BotSpec) -> Connection:
        await trio.lowlevel.checkpoint()
        self.attempts.append(bot.name)
        if not self.works:
            raise ConnectError("no luck")
        return FakeProcess(bot)

    async def lease(self, bot: int = 0) -> Fault | None:
        """The fault with which the bot comes into the next game."""
        self._deal += 1
        lease = await acquire(self.pool, bot, self._deal, rotation=0)
        self.pool.release(lease, failed=True)
        return lease.fault


async def test_bot_that_failed_to_start_three_times_in_a_row_is_not_started_any_more() -> None:
    machine = Unreliable()
    assert [await machine.lease() for _ in range(3)] == [Fault("crash", "no luck")] * 3
    given_up = Fault("crash", "no longer started after 3 failures in a row: no luck")
    machine.works = True
    assert [await machine.lease() for _ in range(5)] == [given_up] * 5
    assert machine.attempts == ["a"] * 3
    assert machine.notices == [
        "a is no longer started after 3 failures in a row; its further games count as faults."
        " The last failure: crash: no luck"
    ]


async def test_a_match_ends_at_the_first_failure_of_a_start_that_was_in_doubt() -> None:
    async def connect(bot: BotSpec) -> Connection:
        await trio.lowlevel.checkpoint()
        raise ConnectError("no such file")

    pool = Pool(BOTS, connect, TimeControl(), doubts={"a": "its program is not shown"})
    lease = await acquire(pool, 1, deal=1, rotation=0)
    assert lease.fault is not None
    with pytest.raises(DoubtfulStartError, match=r"a can't be started: crash: no such file; its program is not "):
        await acquire(pool, 0, deal=1, rotation=0)


async def test_no_process_is_lent_that_was_started_from_other_files(machine: Machine, tmp_path: Path) -> None:
    program = tmp_path / "bot.py"
    program.write_text("1")
    bot = BotSpec(name="a", argv=("python3", "bot.py"), folder=tmp_path)
    known = hashed_files(bot)
    pool = Pool([bot], machine.connect, TimeControl(), files={"a": known})
    lease = await acquire(pool, 0, deal=1, rotation=0)
    assert lease.info.files_sha256 == known.sha256
    pool.release(lease, failed=False)
    program.write_text("2")
    lease = await acquire(pool, 0, deal=2, rotation=0)
    assert (lease.reused, lease.info.files_sha256) == (True, known.sha256)  # the process runs what it was started from
    with pytest.raises(FilesChangedError, match=r"bot\.py"):
        await acquire(pool, 0, deal=3, rotation=0)

    async def refuse(bot: BotSpec) -> Connection:
        await trio.lowlevel.checkpoint()
        raise ConnectError("no such file")

    with pytest.raises(FilesChangedError):  # and not a crash of the bot, whose program is being written
        await acquire(Pool([bot], refuse, TimeControl(), files={"a": known}), 0, deal=1, rotation=0)


async def test_a_bot_that_has_been_ready_once_is_not_in_doubt_any_more() -> None:
    machine, starts = Machine(), iter([True, False])

    async def connect(bot: BotSpec) -> Connection:
        if next(starts):
            return await machine.connect(bot)
        raise ConnectError("no such file")

    pool = Pool(BOTS, connect, TimeControl(), doubts={"a": "its program is not shown"})
    pool.release(await acquire(pool, 0, deal=1, rotation=0), failed=True)
    assert (await acquire(pool, 0, deal=2, rotation=0)).fault is not None


async def test_start_that_succeeds_sets_the_count_back() -> None:
    machine = Unreliable()
    for works in (False, False, True, False, False, True):
        machine.works = works
        assert (await machine.lease() is None) is works
    assert machine.notices == []


async def test_failures_of_one_bot_do_not_count_for_another() -> None:
    machine = Unreliable()
    for _ in range(4):
        await machine.lease(0)
    machine.works = True
    assert await machine.lease(1) is None


async def test_start_under_way_when_a_bot_is_given_up_may_still_succeed() -> None:
    machine = Unreliable()
    going_on, hung = trio.Event(), trio.Event()

    async def connect(bot: BotSpec) -> Connection:
        if not hung.is_set():
            hung.set()
            await going_on.wait()
            return FakeProcess(bot)
        raise ConnectError("no luck")

    pool = Pool(BOTS, connect, TimeControl(), on_notice=machine.notices.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(acquire, pool, 0, 1, 0)
        await hung.wait()
        for deal in range(2, 6):
            await acquire(pool, 0, deal, rotation=0)
        assert len(machine.notices) == 1
        going_on.set()
    lease = await acquire(pool, 0, deal=6, rotation=0)
    assert lease.fault == Fault("crash", "no luck")


async def test_few_processes_start_at_a_time_but_one_in_place_of_another_starts_at_once(machine: Machine) -> None:
    starting = most = 0
    gate = trio.Event()
    closed = False

    async def connect(bot: BotSpec) -> Connection:
        nonlocal starting, most
        starting += 1
        most = max(most, starting)
        for _ in range(3):
            await trio.lowlevel.checkpoint()
        if closed:
            await gate.wait()
        starting -= 1
        return await machine.connect(bot)

    pool = Pool(BOTS, connect, TimeControl(), starts=2)
    leases: list[Lease] = []

    async def borrow(deal: int) -> None:
        leases.append(await acquire(pool, 0, deal=deal, rotation=0, table=deal))

    async with trio.open_nursery() as nursery:
        for deal in range(10):
            nursery.start_soon(borrow, deal)
    assert (most, len(leases)) == (2, 10)
    closed = True
    with trio.fail_after(TEST_TIMEOUT):
        async with trio.open_nursery() as nursery:
            for deal in (10, 11):
                nursery.start_soon(borrow, deal)
            nursery.start_soon(leases[0].replace)
            while starting < 3:
                await trio.lowlevel.checkpoint()
            gate.set()
