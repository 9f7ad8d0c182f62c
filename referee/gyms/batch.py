"""Many games at a time, in several processes, with what their seats see and may do in shared memory."""

import contextlib
import traceback
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from referee.errors import RefereeError
from referee.games import OptionError
from referee.gyms.episode import Episode, NotOffered, NotWhole, find_codec_for, rewards, whole
from referee.own_python import spawning

STEP, STOP, DONE = b"step", b"stop", b"done"
STOP_TIMEOUT: Final = 5.0
"""Seconds that a process has to end."""


class BatchSpec(NamedTuple):
    """What a process needs to know."""

    game: str
    players: int | None
    options: dict[str, Any]
    seed: int
    arrays: tuple[tuple[str, str, tuple[int, ...]], ...]
    """The name, type and shape of each."""

    def over(self, memory: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        return {name: np.frombuffer(memory[name], kind).reshape(shape) for name, kind, shape in self.arrays}


class Part:
    """Some games of a batch, played in this process."""

    def __init__(self, spec: BatchSpec, numbers: range, memory: Mapping[str, Any]) -> None:
        self._codec = find_codec_for(spec.game, spec.players, spec.options)
        self._seed = spec.seed
        self._numbers = numbers
        self._begun = dict.fromkeys(numbers, 0)
        self._arrays = spec.over(memory)
        self._observations = memoryview(memory["observations"]).cast("B")
        self._masks = memoryview(memory["action_masks"]).cast("B")
        self._episodes = {number: self._begin(number) for number in numbers}
        for number in numbers:
            self._show(number, ())

    def _begin(self, number: int) -> Episode:
        """The next game with this number. Its seed depends on nothing else that has happened."""
        self._begun[number] += 1
        while True:
            episode = Episode(self._codec, f"{self._seed}/{number}/{self._begun[number]}")
            if episode.seat is not None:
                return episode
            self._begun[number] += 1  # it had only forced decisions

    def step(self) -> None:
        """Take the decision of each game; where it was the last one, begin the next game."""
        actions, finished = self._arrays["actions"], self._arrays["finished"]
        given, scores = self._arrays["rewards"], self._arrays["scores"]
        for number in self._numbers:
            episode = self._episodes[number]
            offered = episode.offers
            episode.step(int(actions[number]))
            ended = episode.seat is None
            if ended or finished[number]:
                finished[number] = ended
                given[number] = rewards(episode.game) if ended else 0.0
                scores[number] = episode.game.ranking().scores if ended else 0
            if ended:
                self._episodes[number] = self._begin(number)
            self._show(number, offered)

    def _show(self, number: int, before: Mapping[int, Any] | tuple[()]) -> None:
        """Write what the seat whose decision is due sees. `before`: the indices that are set in the mask so far."""
        episode = self._episodes[number]
        seat = episode.seat
        assert seat is not None
        self._arrays["seats"][number] = seat
        vector = episode.vector(seat)
        start = number * len(vector)
        self._observations[start : start + len(vector)] = vector
        first, masks = number * self._codec.size, self._masks
        for index in before:
            masks[first + index] = 0
        for index in episode.offers:
            masks[first + index] = 1


def serve(spec: BatchSpec, numbers: range, memory: Mapping[str, Any], connection: Connection) -> None:
    """The main function of a process: play some games of a batch until the other side stops."""
    try:
        part = Part(spec, numbers, memory)
        connection.send_bytes(DONE)
        while connection.recv_bytes() == STEP:
            part.step()
            connection.send_bytes(DONE)
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return  # the learner has ended
    except Exception:
        with contextlib.suppress(OSError):
            connection.send_bytes(traceback.format_exc().encode())


class Batch:
    """Games in which a learner takes all decisions, one in each game at a time.

    The arrays are in shared memory; `step` updates them in place. The first dimension is the game. After the end of a
    game the arrays show the first decision of the next one, with the rewards of the one that ended, until the next
    step. Close it, or use it in a `with` statement.
    """

    observations: NDArray[np.uint8]
    """What the seat whose decision is due sees."""
    action_masks: NDArray[np.int8]
    """The indices that it may take: 1, all others 0."""
    seats: NDArray[np.int32]
    rewards: NDArray[np.float32]
    """By game and seat: of games that the last step finished; 0 for all others."""
    scores: NDArray[np.int32]
    """Likewise, by the rules of the game."""
    finished: NDArray[np.bool_]
    """Whether the last step has finished a game."""

    def __init__(self, spec: BatchSpec, games: int, processes: int) -> None:
        self._games = np.arange(games)
        self._closed = False
        self._workers: list[tuple[Any, Connection]] = []
        with spawning() as context:
            memory = {
                name: context.RawArray("b", int(np.dtype(kind).itemsize * np.prod(shape)))
                for name, kind, shape in spec.arrays
            }
            for number in range(processes):
                numbers = range(number * games // processes, (number + 1) * games // processes)
                ours, theirs = context.Pipe()
                worker = context.Process(target=serve, args=(spec, numbers, memory, theirs), daemon=True)
                worker.start()
                theirs.close()
                self._workers.append((worker, ours))
        arrays = spec.over(memory)
        self.observations = arrays["observations"]
        self.action_masks = arrays["action_masks"]
        self.seats = arrays["seats"]
        self.rewards = arrays["rewards"]
        self.scores = arrays["scores"]
        self.finished = arrays["finished"]
        self._actions = arrays["actions"]
        self._part = Part(spec, range(games), memory) if processes == 0 else None
        self._wait()

    def step(self, actions: Sequence[int] | NDArray[Any]) -> None:
        """Take the decision of every game, by an index each.

        Raises NotOffered, and changes nothing, if one of them is not legal, and NotWhole if they are not all indices.
        """
        if self._closed:
            raise RefereeError("the batch is closed")
        chosen = np.asarray([whole(action) for action in actions] if isinstance(actions, Sequence) else actions)
        if chosen.dtype.kind not in "iu":
            raise NotWhole(f"indices must be whole numbers, not {chosen.dtype}")
        if chosen.shape != self._games.shape:
            raise NotOffered(f"{len(self._games)} indices are needed, one for each game; given: {chosen.shape}")
        inside = (chosen >= 0) & (chosen < self.action_masks.shape[1])
        legal = inside & (self.action_masks[self._games, np.where(inside, chosen, 0)] == 1)
        if not legal.all():
            game = int(np.argmin(legal))
            raise NotOffered(f"game {game}: index {chosen[game]} is not legal for seat {self.seats[game]}")
        self._actions[:] = chosen
        if self._part is not None:
            self._part.step()
            return
        for _, connection in self._workers:
            with contextlib.suppress(BrokenPipeError):  # `_wait` says what has happened to it
                connection.send_bytes(STEP)
        self._wait()

    def _wait(self) -> None:
        """Wait until all processes have shown their games. Raises RefereeError if one has failed."""
        for worker, connection in self._workers:
            try:
                answer = connection.recv_bytes()
            except (EOFError, ConnectionError):
                answer = b""
            if answer != DONE:
                self.close()
                reason = answer.decode() or f"it ended with exit status {worker.exitcode}"
                raise RefereeError(f"a process of the batch has failed: {reason}")

    def close(self) -> None:
        """End all processes. The arrays stay as they are."""
        self._closed = True
        for _, connection in self._workers:
            with contextlib.suppress(OSError):
                connection.send_bytes(STOP)
            connection.close()
        for worker, _ in self._workers:
            worker.join(STOP_TIMEOUT)
            if worker.is_alive():
                worker.kill()
                worker.join()
        self._workers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def batch_env(
    game: str, players: int | None = None, *, games: int = 64, processes: int = 0, seed: int = 0, **options: Any
) -> Batch:
    """`games` games at a time for a learner in all seats, in this process or in `processes` others.

    The games are the same however many processes play them. A program that uses processes has to keep its own work
    under `if __name__ == "__main__":`, because each of them imports it. Raises OptionError for an unknown game, a bad
    option, a game without a codec, or fewer games than processes.
    """
    games, processes, seed = whole(games, "games"), whole(processes, "processes"), whole(seed, "seed")
    if not 0 <= processes <= games or games < 1:
        raise OptionError(f"{games} games in {processes} processes: give at least a game to each process")
    codec = find_codec_for(game, players, options)
    by_seat = (games, codec.config.players)
    arrays = (
        ("observations", "B", (games, codec.length)),
        ("action_masks", "b", (games, codec.size)),
        ("seats", "i", (games,)),
        ("rewards", "f", by_seat),
        ("scores", "i", by_seat),
        ("finished", "?", (games,)),
        ("actions", "i", (games,)),
    )
    return Batch(BatchSpec(game, players, options, seed, arrays), games, processes)
