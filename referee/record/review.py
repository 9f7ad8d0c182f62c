"""The review of a record: what its decisions cost. It is kept beside the record, for the page of the game."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, structs

from referee.files import read_file, write_file
from referee.games.policy import Measure
from referee.record.reader import stem

SUFFIX: Final = ".review.json"
Verdict = Literal["", "candidate", "mistake"]
UNCONFIRMED: Final = "Playing on with a bot (--play-on) decides which candidates are mistakes."
MAX_REVIEW: Final = 16 * 1024 * 1024
"""Bytes that are read of a file with a review."""


class ReviewedDecision(Struct, frozen=True, kw_only=True):
    """A decision, what it cost, and what would have been better."""

    position: int
    """The number of the position in which it is due, as on the page of the game."""
    round: int
    """0 before the first."""
    seat: int
    player: str
    decision: str
    scores: list[float]
    """By seat, before it, in points."""
    taken: Any
    """The action, as in the record."""
    taken_text: str
    better: Any
    """The best action found; None if it is the one taken."""
    better_text: str
    value: float
    """What the action taken is worth on average over playouts and policies: see `Review.measures`."""
    cost: float
    """How much more the better action is worth: on average over the policies, or over futures."""
    low: float | None
    """The bounds of the 95 % interval of `cost`; None where it can't be told."""
    high: float | None
    by_policy: list[float]
    """The cost under each policy of playing on."""
    playouts: int
    bot: str = ""
    """The BOT that has played on from it; the cost and the interval are then those of its games."""
    futures: int = 0
    """In how many games after each action."""
    verdict: Verdict
    """`candidate`: by the policies it costs more than the threshold, and the interval excludes 0. `mistake`: by playing
    on with a bot."""
    play_on: str
    """The command that plays on from its position, with a BOT for each seat."""


class Review(Struct, frozen=True, kw_only=True):
    """The review of one record."""

    review: int = 1
    """The version of this shape."""
    record: str
    """Its path, as given."""
    record_sha256: str
    """Of the record, unpacked."""
    game: str
    measures: Measure
    """`lead`: values are points ahead of the rivals. `result`: from 0 (last) to 1 (first)."""
    policies: int
    """How many policies of playing on judged. Of one alone nothing is a candidate."""
    threshold: float
    """Candidates and mistakes cost more."""
    playouts: int
    seconds: float
    interrupted: bool
    """Whether it, or an earlier one of which decisions were kept, ended before its budget was used."""
    decisions: list[ReviewedDecision]
    """Those with a choice, of the seats reviewed, in order."""


def review_path(record: Path) -> Path:
    return record.with_name(stem(record) + SUFFIX)


def write_review(record: Path, review: Review) -> None:
    """Write it beside the record. What an earlier review of this record says of other seats stays, if it judged by the
    same policies and threshold. Raises OSError."""
    earlier = read_review(record)
    if earlier is not None and _basis(earlier) == _basis(review):
        seats = {each.seat for each in review.decisions}
        if kept := [each for each in earlier.decisions if each.seat not in seats]:
            playouts = sum(each.playouts for each in kept)
            review = structs.replace(
                review,
                playouts=review.playouts + playouts,
                seconds=round(review.seconds + earlier.seconds * playouts / max(1, earlier.playouts), 3),
                interrupted=review.interrupted or earlier.interrupted,
                decisions=sorted([*kept, *review.decisions], key=lambda each: each.position),
            )
    write_file(review_path(record), msgspec.json.encode(review) + b"\n")


def _basis(review: Review) -> tuple[str, int, float]:
    return review.record_sha256, review.policies, review.threshold


def read_review(record: Path) -> Review | None:
    """The review beside a record; None if there is none that can be read."""
    try:
        return msgspec.json.decode(read_file(review_path(record), MAX_REVIEW, follow=False), type=Review)
    except (OSError, msgspec.DecodeError, RecursionError):
        return None


def based_on(reviews: Sequence[Review]) -> Iterator[str]:
    """What the costs in reviews of one game are in, and what they are based on, in a few sentences."""
    first = reviews[0]
    unit = "points ahead of the rivals" if first.measures == "lead" else "result, from 0 (last) to 1 (first)"
    playouts, seconds = sum(review.playouts for review in reviews), sum(review.seconds for review in reviews)
    yield f"Costs are in {unit}, by {playouts} playouts in {seconds:.0f} s, with 95 % intervals."
    if first.policies > 1:
        yield (
            f"A candidate costs more than {first.threshold:g} on average over {first.policies} policies of playing on,"
            " and its interval over them excludes 0."
        )
    else:
        yield "There is only one policy of playing on, and its opinion alone is not enough: give it weights to vary."
    bots = dict.fromkeys(each.bot for review in reviews for each in review.decisions if each.bot)
    when = f"when {' or '.join(bots)} plays on in all seats"
    yield f"A mistake also costs more than {first.threshold:g} {when}." if bots else UNCONFIRMED
