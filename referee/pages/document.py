"""The data that the browser's part of a page is given, as JSON. `browser/src/document.ts` has the same types.

Everything a page shows is decided here, in Python: the browser's part never knows the rules. Sprites, panels and texts
are stored once, in pools, and steps refer to them by index; a step has the differences to the step before.
"""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from referee.games.renderer import Breakdown, PanelFrame, Sprite
from referee.record.review import Verdict

FORMAT: Final = 1


class Seat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The player in a seat: its name, and what it said of itself in `ready` ("mason 1.2 by Jo")."""

    name: str
    introduction: str = ""


class PanelChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Differences of one panel to the step before: sprites added or replaced (indices), and keys of removed ones."""

    frame: int
    """Index of its frame. The key of that frame says which panel it is."""
    put: list[int] = []
    """Indices of sprites that are new or changed. One with a known key replaces that sprite."""
    gone: list[str] = []


class Ghost(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sprite that is shown in a panel only while legal actions are shown. Its place counts from the first target."""

    panel: str
    sprite: int


class LegalAction(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A legal action: its words (index of a text), the sprites that stand for it, and what it would add."""

    label: int
    targets: list[str] = []
    """`PANEL/KEY`."""
    ghost: Ghost | None = None


class ReviewShown(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a review of the record says of a decision."""

    cost: float
    low: float | None = None
    """The bounds of its interval; None where it can't be told."""
    high: float | None = None
    better: int | None = None
    """Index in `DecisionShown.legal` of the best action found; None if it is the one taken."""
    verdict: Verdict = ""


def in_runs(indices: Sequence[int]) -> list[int]:
    """Indices in which -n stands for the n that follow the one before it: `[7, 8, 9, 4]` is `[7, -2, 4]`.

    Most decisions have many actions that no other has, and these numbers were a fifth of a page.
    """
    runs: list[int] = []
    for before, index in zip([None, *indices], indices, strict=False):
        if before is None or index != before + 1:
            runs.append(index)
        elif runs[-1] < 0:
            runs[-1] -= 1
        else:
            runs.append(-1)
    return runs


class DecisionShown(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A decision, before (in live play) or after it was taken."""

    kind: str
    """Readable: `choose action`."""
    seat: int
    legal: list[int] = []
    """Indices of actions, as `in_runs` or one by one. Empty where the audience may not see them."""
    taken: int | None = None
    """Index in `legal`; None if they are not shown or the action is written differently."""
    forced: bool = False
    substitute: bool = False
    ms: float | None = None
    info: int | None = None
    """Index of a text."""
    numbers: dict[str, float] = {}
    """Numbers at the top of `info`, such as an evaluation, drawn as lines under the scores."""
    stderr: int | None = None
    """What the seat wrote to its standard error since its last decision (index of a text)."""
    review: ReviewShown | None = None
    """Where the audience may see what the seat knew."""


class FaultShown(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fault. With `retry` the bot was asked again."""

    seat: int
    code: str
    """Readable: `illegal action`."""
    message: int | None = None
    """Index of a text; None if the audience may not read it."""
    retry: bool = False


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line in the narrator's words. One with two spaces in a row is a row of a table: to be shown monospaced."""

    text: int
    """Index of a text, in which the character U+E000 stands for the player of seat 0, U+E001 for that of seat 1, …"""
    level: int = 2
    """0 for a heading such as "Round 3", 1 for a section below it, 2 for the rest, such as sentences of decisions."""


class View(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A step as one audience sees it."""

    lines: list[Line] = []
    """What happened, in order. The sentence of a decision is the first line of level 2. A heading before it belongs to
    it, such as that of a round whose first decision it is; one after it begins what comes next."""
    fault: FaultShown | None = None
    """In a step of this kind."""
    marks: list[str] = []
    """What readers jump to: `event`, `settlement`, `mistake`, `candidate`. Faults are known by `Step.kind`."""
    decision: DecisionShown | None = None
    """The decision that led to this step; None if the audience may not know it."""
    changes: list[PanelChange] = []
    order: list[int] | None = None
    """Indices of the frames in the order in which panels are laid out, if it differs from that of the step before."""
    scores: Sequence[float] | None = None
    """By seat, if they differ from those of the step before."""
    places: Sequence[int] | None = None
    """By seat, empty as long as nobody is ahead, if they differ from those of the step before. Bots that are out come
    last."""
    standing: Sequence[str] | None = None
    """By seat, what else says how it stands, such as "2 of 3 tricks", if it differs from the step before."""
    due: DecisionShown | None = None
    """The decision that is due after this step, without `taken`; only at the end of an unfinished page."""


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position, and what led to it. Step 0 is the position after the setup; `#42` is the step with this number."""

    kind: Literal["setup", "decision", "fault", "result", "broken off"]
    round: int = 0
    """The round of this position; 0 before the first."""
    seat: int | None = None
    """Whose decision or fault it was."""
    views: list[View]
    """One per audience, in the order of `Document.audiences`."""


class ResultShown(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result, if the game has one. `stopped`: why it ended before its last decision."""

    scores: Sequence[float]
    ranks: list[int]
    faults: list[str | None]
    stopped: str = ""


class Rule(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The explanation of a word in the rules; `words` are those that lead to it."""

    title: str
    kind: str
    text: str
    words: list[str] = []


class Live(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a live page gets its updates, and where a person's choices go."""

    updates: str
    """Address of the server-sent events, each of which is an Addition."""
    choose: str = ""
    """Address that takes a choice of `seat` as JSON: `{"step": 42, "action": 3}`."""
    seat: int | None = None


class Document(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A game as one page, for the audiences that it names."""

    format: int = FORMAT
    referee: str
    game: str
    title: str
    game_id: str = ""
    name: str = ""
    """Which game of its event it is, in words."""
    record: str = ""
    """The name of its file, for the command that plays on from a position."""
    options: str = ""
    seed: str = ""
    score: str = ""
    """What the score counts, in words."""
    goal: str = ""
    """How the game is won, in one sentence."""
    review: str = ""
    """What the costs of decisions are in, and what they are based on; empty if the record has not been reviewed."""
    move_ms: float | None = None
    """The time limit of each decision, if there is one."""
    seats: list[Seat]
    audiences: list[str]
    """`all`, `0`, `1`, …, `public`; the first is shown first. A page cut for an audience has only that one."""
    css: str = ""
    """Rules for classes of the game's own drawing. A page written as a file has them in its style sheet already."""
    frames: list[PanelFrame]
    sprites: list[Sprite]
    texts: list[str]
    actions: list[LegalAction]
    steps: list[Step]
    stderr: list[str] = []
    """By seat, what decisions don't have: all of it, or what came after the last one. Empty where none is shown."""
    result: ResultShown | None = None
    breakdown: Breakdown | None = None
    error: str = ""
    """Why the page ends before the game does: the record breaks off or is wrong."""
    note: str = ""
    """Why the result doesn't count in its tournament as it was played."""
    rules: list[Rule] = []
    live: Live | None = None
    """On a live page: where updates come from."""


class Addition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a live page is sent when the game goes on: what comes after the frames, sprites, and so on, that it has."""

    frames: list[PanelFrame] = []
    sprites: list[Sprite] = []
    texts: list[str] = []
    actions: list[LegalAction] = []
    steps: list[Step] = []
    stderr: list[str] = []
    """Further text by seat."""
    result: ResultShown | None = None
    breakdown: Breakdown | None = None
    error: str = ""
    ended: bool = False
    """The run has ended: nothing more will come."""
