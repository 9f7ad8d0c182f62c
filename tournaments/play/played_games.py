"""The finished games of a match, in little memory: tens of bytes for each."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, overload

import msgspec
from msgspec import Struct

from referee.outcome import Fault, Outcome
from referee.processes.stderr_log import StderrExcerpt
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import seated_game

DEAL_SHIFT: Final = 32
"""Bits of a key for the rotation, below those for the deal."""


class Seated(NamedTuple):
    """The deal of a game, and by seat the index of the bot."""

    deal: int
    seating: tuple[int, ...]


class PackedStderr(Struct, frozen=True, array_like=True):
    """A StderrExcerpt. The text is kept for a seat with a fault only."""

    written: bool
    """Whether there is a file, which is then the one that the plan names."""
    tail: str = ""
    head: str = ""
    omitted: int = 0


class Packed(Struct, frozen=True, array_like=True, kw_only=True):
    """What is kept of a game: its ids, seeds and paths follow from this, the plan and the seed of the match."""

    deal: int
    rotation: int
    phase: int
    table: int
    seating: tuple[int, ...]
    scores: list[int]
    ranks: list[int]
    faults: list[Fault | None]
    asked: int
    stopped: str | None
    unstarted: list[int]
    decisions_hash: str
    recorded: bool
    stderr: list[PackedStderr | None]
    startup: list[float | None]
    host: str | None
    built: dict[str, str]

    def outcome(self) -> Outcome:
        return msgspec.convert(self, Outcome, from_attributes=True)


class PlayedGames(Sequence[PlayedGame]):
    """The games that have been added; after `sort`, by deal and rotation.

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
        """In the same order, the deals and rotations."""
        self._order: array[int] | None = None
        """The games by deal and rotation."""

    def append(self, played: PlayedGame) -> None:
        game, outcome = played.game, played.outcome
        packed = Packed(
            deal=game.deal,
            rotation=game.rotation,
            phase=game.phase,
            table=game.table,
            seating=game.seating,
            **{name: getattr(outcome, name) for name in Outcome.__struct_fields__},
            recorded=played.record is not None,
            stderr=[
                None
                if excerpt is None
                else PackedStderr(excerpt.path is not None)
                if fault is None
                else PackedStderr(excerpt.path is not None, excerpt.tail, excerpt.head, excerpt.omitted)
                for excerpt, fault in zip(played.stderr, outcome.faults, strict=True)
            ],
            startup=played.startup,
            host=played.host,
            built=played.built,
        )
        self._packed += msgspec.msgpack.encode(packed)
        self._ends.append(len(self._packed))
        self._keys.append(game.deal << DEAL_SHIFT | game.rotation)
        self._order = None

    def sort(self) -> None:
        """Order all games by deal and rotation; those of several tables stay as they were added."""
        self._order = array("Q", sorted(range(len(self)), key=self._keys.__getitem__))

    def with_faults(self) -> Iterator[PlayedGame]:
        return (self._unpacked(packed) for packed in self._all() if any(packed.faults))

    def outcomes(self) -> Iterator[tuple[Seated, Outcome]]:
        """What standings are computed from, without what has to be computed for a whole game."""
        return ((Seated(packed.deal, packed.seating), packed.outcome()) for packed in self._all())

    def deals(self) -> int:
        """The number of deals that were played in at least one rotation."""
        return len({key >> DEAL_SHIFT for key in self._keys})

    # -- as a sequence ----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> PlayedGame: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlayedGame]: ...
    def __getitem__(self, index: int | slice) -> PlayedGame | list[PlayedGame]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        return self._unpacked(self._at(range(len(self))[index]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlayedGames | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(own == its for own, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<PlayedGames: {len(self)}>"

    # -- unpacking --------------------------------------------------------------------------------------------

    def _all(self) -> Iterator[Packed]:
        return map(self._at, range(len(self)))

    def _at(self, place: int) -> Packed:
        number = place if self._order is None else self._order[place]
        begin = self._ends[number - 1] if number else 0
        return UNPACK.decode(memoryview(self._packed)[begin : self._ends[number]])

    def _unpacked(self, packed: Packed) -> PlayedGame:
        game = seated_game(
            packed.deal,
            packed.rotation,
            packed.seating,
            self._seed,
            phase=packed.phase,
            table=packed.table,
            one_table=self._one_table,
        )
        stderr = [
            StderrExcerpt(
                path=self._plan.stderr_path(game, seat) if kept.written else None,
                tail=kept.tail,
                head=kept.head,
                omitted=kept.omitted,
            )
            if kept is not None
            else None
            for seat, kept in enumerate(packed.stderr)
        ]
        return PlayedGame(
            game=game,
            outcome=packed.outcome(),
            record=self._plan.record_path(game) if packed.recorded else None,
            stderr=stderr,
            startup=packed.startup,
            host=packed.host,
            built=packed.built,
        )


UNPACK: Final = msgspec.msgpack.Decoder(Packed)
