"""A match that is played until it is decided whether one bot is better than another: the test of the format `sprt`."""

import secrets
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct, structs

from tournaments.competition.formats.interface import MAX_TOURNAMENT_GAMES, FormatContext, FormatError
from tournaments.competition.formats.sprt import SPRT_BATCH, SPRT_MAX_GAMES, Sprt, SprtState
from tournaments.competition.rounds import Deal, Entry, GameResult, PlayedRound, Round, TableResult
from tournaments.play.conditions import Option
from tournaments.play.events import LiveEvent, Observer, ignore
from tournaments.play.match_spec import LineUp, MatchError, MatchSpec
from tournaments.play.schedule import Tables

if TYPE_CHECKING:
    from tournaments.play.runner import PlayedGame


def parse_elos(text: str) -> tuple[float, float]:
    """From ELO0,ELO1. Raises ValueError."""
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"{text}: write ELO0,ELO1, for example --sprt 0,20") from None
    return elo0, elo1


class Hypotheses(Struct, frozen=True, kw_only=True):
    """What a sequential test decides between, and how often it may err."""

    elos: Annotated[
        tuple[float, float],
        Option(
            "Play until it is decided whether the first BOT is better than the second by ELO0 or by ELO1.",
            flag="sprt",
            metavar="ELO0,ELO1",
            default=None,
            parse=parse_elos,
        ),
    ]
    alpha: Annotated[
        float,
        Option("For --sprt: the probability of accepting if ELO0 is true.", default=None, shown_default="0.05"),
    ] = 0.05
    beta: Annotated[
        float,
        Option("For --sprt: the probability of rejecting if ELO1 is true.", default=None, shown_default="0.05"),
    ] = 0.05


class SprtEvaluated(LiveEvent, frozen=True, kw_only=True, tag="sprt_evaluated"):
    """A batch of a sequential test is over."""

    state: SprtState


class SequentialTest:
    """The batches of a match that ends when its test is decided: see `Batches`. `state` is that of the test."""

    def __init__(self, sprt: Sprt, context: FormatContext, observer: Observer = ignore) -> None:
        """Raises MatchError if the settings of the test are invalid."""
        try:
            sprt.check(context)
        except FormatError as error:
            raise MatchError(f"--sprt: {error}") from None
        self.deals = sprt.batch
        self.observer = observer
        """Is told the state of the test after each batch."""
        self._sprt = sprt
        self._context = context
        self._history: list[PlayedRound] = []
        self.state = sprt.decide(context, self._history)

    def tables(self, batch: int) -> Tables:
        return [table.bots for table in self._sprt.tables(self._context, batch)]

    def finished(self, batch: int, games: Sequence["PlayedGame"]) -> bool:
        tables = self._sprt.tables(self._context, batch)
        by_table: dict[int, list[GameResult]] = defaultdict(list)
        for played in sorted(games, key=lambda played: (played.game.deal, played.game.rotation)):
            by_table[played.game.table].append(game_result(played, tables[played.game.table].bots))
        results = tuple(TableResult(table=table, games=tuple(by_table[n])) for n, table in enumerate(tables))
        self._history.append(PlayedRound(round=Round(number=batch, tables=tables, deals=self.deals), results=results))
        self.state = self._sprt.decide(self._context, self._history)
        self.observer(SprtEvaluated(state=self.state))
        return self.state.result is None


def sequential_match(
    spec: MatchSpec, hypotheses: Hypotheses, deals: int | None = None, bots: LineUp | None = None
) -> tuple[MatchSpec, SequentialTest]:
    """A match of two bots, alone or each with the field, and the test that ends it; for `play_match`.

    `deals`: their maximum number; None: as many as the format allows by default. `bots`: those of `spec`, if a caller
    has parsed them already. Raises MatchError and BotSpecError.
    """
    if len(spec.bots) != 2 or spec.vary:
        raise MatchError("--sprt compares two BOTs, the new one first; opponents of both are given with --field")
    if not spec.rotate and spec.only is None:
        raise MatchError("--sprt compares bots in the same seats, so it needs all rotations: leave out --no-rotate")
    bots = bots or spec.line_up()
    for bot in bots.bots:
        if bot.is_person or bot.port is not None:
            raise MatchError(f"{bot.name} can't play until a test is decided: only bots that the referee starts can")
    games_per_deal = len(bots.tables) * bots.seats
    deals = SPRT_MAX_GAMES // games_per_deal if deals is None else deals
    if deals > MAX_TOURNAMENT_GAMES // games_per_deal:
        raise MatchError(f"--games: this test can have at most {MAX_TOURNAMENT_GAMES // games_per_deal:,} deals")
    seed = secrets.token_hex(16) if spec.seed is None else spec.seed
    candidate, baseline, *field = (bot.name for bot in bots.bots)
    sprt = Sprt(
        candidate=candidate,
        baseline=baseline,
        field=tuple(field),
        elo0=hypotheses.elos[0],
        elo1=hypotheses.elos[1],
        alpha=hypotheses.alpha,
        beta=hypotheses.beta,
        batch=min(SPRT_BATCH, deals),
        max_games=deals * games_per_deal,
    )
    context = FormatContext(
        entries=tuple(Entry(name=bot.name) for bot in bots.bots),
        seats=bots.seats,
        deals=sprt.batch,
        points="game",
        seed=seed,
    )
    return structs.replace(spec, seed=seed, deals=deals), SequentialTest(sprt, context)


def game_result(played: "PlayedGame", bots: Sequence[int]) -> GameResult:
    """A game as formats see it, with values by position among these bots of its table."""
    seats = [played.game.seating.index(bot) for bot in bots]
    outcome = played.outcome
    return GameResult(
        deal=Deal(played.game.deal),
        rotation=played.game.rotation,
        ranks=tuple(outcome.ranks[seat] for seat in seats),
        scores=tuple(outcome.scores[seat] for seat in seats),
        forfeits=tuple(seat in outcome.unstarted for seat in seats),
        faults=tuple(outcome.faults[seat] is not None for seat in seats),
        decisions_hash=outcome.decisions_hash,
    )
