"""The finished games of a match, in little memory: tens of bytes for each."""

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, overload

import msgspec
from msgspec import Struct

from referee.outcome import Fault, Outcome
from referee.processes.stderr_log import StderrExcerpt
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import ScheduledGame, seated_game

DEAL_BITS: Final = 32
"""The key of a game is its deal, above these bits, and its rotation below."""


class Seated(NamedTuple):
    """The deal of a game, and by seat the index of the bot."""

    deal: int
    seating: tuple[int, ...]


class Packed(Struct, frozen=True, array_like=True):
    phase: int
    table: int
    seating: tuple[int, ...]
    scores: list[int]
    ranks: list[int]
    asked: int
    startup: list[float | None]
    common: int
    """The index of what it has in common with many other games."""
    decisions_hash: str


class PackedStderr(Struct, frozen=True, array_like=True):
    """A StderrExcerpt. The text is kept for a seat with a fault only."""

    path: bool | str | None
    """As the record of Common."""
    tail: str = ""
    head: str = ""
    omitted: int = 0


class Common(Struct, frozen=True, array_like=True):
    record: bool | str | None
    """True for the file that the plan names."""
    stderr: list[PackedStderr | None]
    faults: list[Fault | None]
    stopped: str | None
    unstarted: list[int]
    host: str | None
    built: dict[str, str]


class PlayedGames(Sequence[PlayedGame]):
    """The games that have been added; after `sort`, by deal and rotation. What the schedule gave them is computed
    again: their ids, seeds and paths.

    Of standard error the text is kept only for seats with a fault.
    """

    def __init__(self, plan: GamePlan, seed: str, *, one_table: bool) -> None:
        """`seed`: that of the match. `one_table`: whether ids of games name no table."""
        self._plan = plan
        self._seed = seed
        self._one_table = one_table
        self._packed = bytearray()
        self._ends = array("Q")
        """Where the game ends in `_packed` that was added first, second and so on."""
        self._keys = array("Q")
        """In the same order, deals and rotations."""
        self._order: array[int] | None = None
        """The games by deal and rotation."""
        self._commons: list[bytes] = []
        self._indices: dict[bytes, int] = {}
        self._last: tuple[int, Common] | None = None
        """What was decoded last of `_commons`, and its index: most games have it in common."""

    def append(self, played: PlayedGame) -> None:
        game, outcome = played.game, played.outcome
        common = msgspec.msgpack.encode(
            Common(
                packed_path(played.record, self._plan.record_path(played.game)),
                [self._packed_stderr(played, seat) for seat in range(len(played.stderr))],
                played.outcome.faults,
                played.outcome.stopped,
                played.outcome.unstarted,
                played.host,
                played.built,
            )
        )
        index = self._indices.setdefault(common, len(self._commons))
        if index == len(self._commons):
            self._commons.append(common)
        packed = Packed(
            game.phase,
            game.table,
            game.seating,
            outcome.scores,
            outcome.ranks,
            outcome.asked,
            played.startup,
            index,
            outcome.decisions_hash,
        )
        self._packed += msgspec.msgpack.encode(packed)
        self._ends.append(len(self._packed))
        self._keys.append(game.deal << DEAL_BITS | game.rotation)
        self._order = None

    def sort(self) -> None:
        """Order all games by deal and rotation; those of several tables stay as they were added."""
        self._order = array("Q", sorted(range(len(self._keys)), key=self._keys.__getitem__))

    def with_faults(self) -> Iterator[PlayedGame]:
        for place in range(len(self)):
            if any(self._common_at(self._at(place)[2].common).faults):
                yield self[place]

    def outcomes(self) -> Iterator[tuple[Seated, Outcome]]:
        """What standings are computed from, without what has to be computed for a whole game."""
        for place in range(len(self)):
            deal, _, packed = self._at(place)
            yield Seated(deal, packed.seating), self._outcome(packed)

    def deals(self) -> int:
        """After `sort`: the number of deals that were played in at least one rotation."""
        order = self._order or range(len(self._keys))
        before, deals = 0, 0
        for deal in (self._keys[number] >> DEAL_BITS for number in order):
            deals += deal != before
            before = deal
        return deals

    # -- as a sequence ----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> PlayedGame: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlayedGame]: ...
    def __getitem__(self, index: int | slice) -> PlayedGame | list[PlayedGame]:
        places = range(len(self))[index]
        return self._unpack(places) if isinstance(places, int) else [self._unpack(place) for place in places]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlayedGames | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(own == its for own, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<PlayedGames: {len(self)}>"

    # -- packing and unpacking --------------------------------------------------------------------------------

    def _packed_stderr(self, played: PlayedGame, seat: int) -> PackedStderr | None:
        excerpt = played.stderr[seat]
        if excerpt is None:
            return None
        path = packed_path(excerpt.path, self._plan.stderr_path(played.game, seat))
        if played.outcome.faults[seat] is None:
            return PackedStderr(path)
        return PackedStderr(path, excerpt.tail, excerpt.head, excerpt.omitted)

    def _common_at(self, index: int) -> Common:
        if self._last is None or self._last[0] != index:
            self._last = index, msgspec.msgpack.decode(self._commons[index], type=Common)
        return self._last[1]

    def _at(self, place: int) -> tuple[int, int, Packed]:
        """Deal, rotation, and all else of the game at a place of the sequence."""
        number = place if self._order is None else self._order[place]
        begin = self._ends[number - 1] if number else 0
        packed = UNPACK.decode(memoryview(self._packed)[begin : self._ends[number]])
        key = self._keys[number]
        return key >> DEAL_BITS, key & ((1 << DEAL_BITS) - 1), packed

    def _outcome(self, packed: Packed) -> Outcome:
        common = self._common_at(packed.common)
        return Outcome(
            scores=packed.scores,
            ranks=packed.ranks,
            faults=list(common.faults),
            asked=packed.asked,
            stopped=common.stopped,
            unstarted=list(common.unstarted),
            decisions_hash=packed.decisions_hash,
        )

    def _unpack(self, place: int) -> PlayedGame:
        deal, rotation, packed = self._at(place)
        game = seated_game(
            deal,
            rotation,
            packed.seating,
            self._seed,
            phase=packed.phase,
            table=packed.table,
            one_table=self._one_table,
        )
        common = self._common_at(packed.common)
        return PlayedGame(
            game=game,
            outcome=self._outcome(packed),
            record=unpacked_path(common.record, self._plan.record_path(game)),
            stderr=[self._excerpt(game, seat, stderr) for seat, stderr in enumerate(common.stderr)],
            startup=packed.startup,
            host=common.host,
            built=dict(common.built),
        )

    def _excerpt(self, game: ScheduledGame, seat: int, packed: PackedStderr | None) -> StderrExcerpt | None:
        if packed is None:
            return None
        return StderrExcerpt(
            path=unpacked_path(packed.path, self._plan.stderr_path(game, seat)),
            tail=packed.tail,
            head=packed.head,
            omitted=packed.omitted,
        )


def packed_path(path: Path | None, planned: Path | None) -> bool | str | None:
    """A path in short: True for the one that the plan names."""
    if path is None:
        return None
    return True if path == planned else str(path)


def unpacked_path(packed: bool | str | None, planned: Path | None) -> Path | None:
    return Path(packed) if isinstance(packed, str) else planned if packed else None


UNPACK: Final = msgspec.msgpack.Decoder(Packed)
