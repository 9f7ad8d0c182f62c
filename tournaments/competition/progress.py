"""The state of a tournament: rounds, games and changes, applied one after another. Pure.

`run`, `resume`, `standings` and `verify` all build their state here, so they can't differ.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import count
from math import inf
from typing import Final

from msgspec import structs

from tournaments.competition.changes import AnyChange, Disqualified, Ended, Reinstated, Replayed, Ruled, Undone
from tournaments.competition.formats.interface import Additions, FormatContext, Order
from tournaments.competition.games import PlannedGame, StoredGame, game_id_of
from tournaments.competition.points import finished_tables, forfeited
from tournaments.competition.regulations import Regulations
from tournaments.competition.rounds import Entry, History, PlayedRound, Round, Table, TableResult, derived
from tournaments.competition.rulings import NO_RULINGS, entries_after, requested_byes, ruled, rulings_after

FAILED_TABLES: Final = 3
"""A bot is withdrawn after it could not be started at this many tables in a row."""


# -- rounds ---------------------------------------------------------------------------------------------------


def deal_numbers(round_: Round, first_deal: int, deals_of: str) -> dict[int, range]:
    """The numbers of the deals by table size, the largest tables first.

    Where all tables of one size play the same deals, each size has numbers of its own.
    """
    sizes = sorted({len(table.bots) for table in round_.tables}, reverse=True)
    step = round_.deals if deals_of == "round" else 0
    return {
        size: range(first_deal + index * step, first_deal + index * step + round_.deals)
        for index, size in enumerate(sizes)
    }


def games_of(round_: Round, first_deal: int, deals_of: str) -> Iterator[PlannedGame]:
    """The games of a round in the order of play: rotation by rotation, in each table by table."""
    deals = deal_numbers(round_, first_deal, deals_of)
    for rotation in range(1, max(deals, default=0) + 1):
        for number, table in enumerate(round_.tables, 1):
            size = len(table.bots)
            if rotation > size:
                continue
            bots = tuple(table.bots[(seat + rotation - 1) % size] for seat in range(size))
            for deal in deals[size]:
                yield PlannedGame(
                    game_id=game_id_of(round_.number, number, deal, rotation),
                    round=round_.number,
                    table=number,
                    deal=deal,
                    rotation=rotation,
                    bots=bots,
                )


class OpenRound:
    """A round in progress, or one that is complete."""

    def __init__(self, round_: Round, first_deal: int, deals_of: str) -> None:
        self.round = round_
        numbers = deal_numbers(round_, first_deal, deals_of).values()
        self.deals = range(first_deal, max((own.stop for own in numbers), default=first_deal))
        """The numbers of its deals."""
        self.planned = {game.game_id: game for game in games_of(round_, first_deal, deals_of)}
        self._deals_of = deals_of
        self.played: dict[str, StoredGame] = {}
        """By the id of the game that is planned. Changed by `add` and `remove`."""
        self._results: dict[int, TableResult] = {}
        """Results computed so far, by table number."""

    def add(self, game_id: str, game: StoredGame) -> None:
        """Count a game as the one that was planned with this id."""
        self.played[game_id] = game
        self._results.pop(game.table, None)

    def remove(self, game_id: str) -> None:
        self._results.pop(self.played.pop(game_id).table, None)

    @property
    def complete(self) -> bool:
        return len(self.played) == len(self.planned)

    def missing(self) -> list[PlannedGame]:
        return [game for game in self.planned.values() if game.game_id not in self.played]

    def as_played(self) -> PlayedRound:
        changed: dict[int, list[StoredGame]] = {
            number: [] for number in range(1, len(self.round.tables) + 1) if number not in self._results
        }
        for game in self.played.values():
            if game.table in changed:
                changed[game.table].append(game)
        for number, games in changed.items():
            games.sort(key=lambda game: (game.deal, game.rotation))
            self._results[number] = TableResult(
                table=self.round.tables[number - 1], games=tuple(game.result(self._deals_of) for game in games)
            )
        return PlayedRound(
            round=self.round, results=tuple(self._results[number + 1] for number in range(len(self.round.tables)))
        )


# -- the tournament -------------------------------------------------------------------------------------------


class Progress:
    """The state of a tournament. To advance it: `begin` a round, `add` its games, `close` it; in between `apply`
    changes.
    """

    def __init__(self, regulations: Regulations, seed: str) -> None:
        self.regulations = regulations
        self.seed = seed
        self.events: list[AnyChange] = []
        self.current: OpenRound | None = None
        self.rounds: list[OpenRound] = []
        """The rounds that are over."""
        self.struck_out: dict[str, tuple[StoredGame, str]] = {}
        """By the id of a game that was played again: its old result and the id of its replacement."""
        self.entries = tuple(regulations.entries())
        """All bots, late entries last."""
        self.rulings = rulings_after(())
        self.void: set[str] = set()
        """The bots that were disqualified so early that none of their results count."""
        self.history: list[PlayedRound] = []
        """The rounds that are over, with the results that count."""
        self.paired_by: list[PlayedRound] = []
        """The rounds that are over, with the results by which those after them are paired."""
        self._next_deal = 1
        self._names: dict[int, str | None] = {}
        """The names of rounds that have begun, once they were asked for."""

    # -- what is known ----------------------------------------------------------------------------------------

    def format_context(self) -> FormatContext:
        return self.regulations.format_context(self.seed, self.entries, ended=self.ended is not None)

    # Both are cached until a round is over: they are asked for several times a second while games finish, and are slow
    # for a bracket or a ladder of many bots.

    @cached_property
    def order(self) -> Order | None:
        """The order that replaces points, if the format has one, after the rounds that are over."""
        return self.regulations.format_settings.order(self.format_context(), self.paired_by)

    @cached_property
    def additions(self) -> Additions:
        """The format's additions to standings, after the rounds that are over."""
        return self.regulations.format_settings.additions(self.format_context(), self.paired_by)

    def _forget(self) -> None:
        self.__dict__.pop("order", None)
        self.__dict__.pop("additions", None)

    def round_name(self, number: int) -> str | None:
        """The name of a round that has begun, if the format names it."""
        if number not in self._names:
            settings = self.regulations.format_settings
            self._names[number] = settings.round_name(self.format_context(), self.paired_by[: number - 1])
        return self._names[number]

    def next_round(self) -> Round | None:
        """The next round, as the format pairs it; None at the end of the tournament. Raises FormatError."""
        assert self.current is None
        if self.ended is not None:
            return None
        context, settings = self.format_context(), self.regulations.format_settings
        by_hand = self.rulings.by_hand.get(self.next_number)
        if by_hand is None:
            return settings.next_round(context, self.paired_by)
        tables = tuple(Table(tuple(context.index(name, "tables") for name in bots)) for bots in by_hand.tables)
        byes = tuple(sorted(context.index(name, "byes") for name in by_hand.byes))
        return Round(number=self.next_number, tables=tables, byes=byes, deals=settings.deals(context))

    @property
    def begun(self) -> list[OpenRound]:
        """The rounds that are over, and the one in progress."""
        return self.rounds if self.current is None else [*self.rounds, self.current]

    def games(self) -> Iterator[StoredGame]:
        """Every game in the order of play, those struck out after the games that replace them."""
        for open_round in self.begun:
            for game_id in open_round.planned:
                if game_id in open_round.played:
                    yield open_round.played[game_id]
        for game, _ in self.struck_out.values():
            yield game

    def view(self) -> History:
        """The rounds that are over, and the finished games of the one in progress."""
        return [*self.history, self._counting(self.current)] if self.current is not None else self.history

    def index(self, name: str) -> int | None:
        return next((bot for bot, entry in enumerate(self.entries) if entry.name == name), None)

    @property
    def next_number(self) -> int:
        """The number of the first round that has not been paired."""
        return len(self.rounds) + (self.current is not None) + 1

    def check_late_entry(self, name: str, owner: str | None = None) -> None:
        """Raise FormatError if a bot can't join before the next round."""
        context = self.format_context()
        late = Entry(name=name, owner=owner, joined=self.next_number)
        self.regulations.format_settings.check(structs.replace(context, entries=(*context.entries, late)))

    # -- steps ------------------------------------------------------------------------------------------------

    def begin(self, round_: Round) -> OpenRound:
        """Begin a round, which need not have been paired here."""
        assert self.current is None
        self.current = OpenRound(round_, self._next_deal, self.regulations.deals_of)
        self._next_deal = self.current.deals.stop
        return self.current

    def add(self, game: StoredGame) -> None:
        assert self.current is not None
        assert game.game_id in self.current.planned
        self.current.add(game.game_id, game)

    def close(self) -> None:
        """End the round in progress, all of whose games have been played."""
        assert self.current is not None
        assert self.current.complete
        self.rounds.append(self.current)
        self.history.append(self._counting(self.current))
        self.paired_by.append(self.history[-1])
        self.current = None
        self._forget()

    def apply(self, event: AnyChange, replacement: StoredGame | None = None) -> None:
        """Apply a change. A replay needs the game that was played instead."""
        self._note_disqualification(event)
        self.events.append(event)
        self._forget()
        self.entries = tuple(entries_after(self.regulations.entries(), self.events))
        self.rulings = rulings_after(self.events)
        match event:
            case Replayed():
                assert replacement is not None
                self._replace(event, replacement)
            case Ruled() | Disqualified() | Undone():
                self.history = [self._counting(over) for over in self.rounds]
                self._update_as_paired()

    @property
    def ended(self) -> Ended | None:
        """The end that the organiser has set, if there is one. A round in progress is played first."""
        return self.rulings.ended

    def ended_early(self) -> str | None:
        """Of a tournament that is over: why it was before its last planned round, if it was."""
        ended = self.ended
        by_organiser = None if ended is None else f"the organiser ended it before round {ended.round}: {ended.reason}"
        by_format = self.regulations.format_settings.ended_early(self.format_context(), self.paired_by)
        return "; ".join(filter(None, (by_organiser, by_format))) or None

    def ruling_on(self, game: StoredGame) -> Ruled | None:
        """The ruling that has changed the result of a game, if there is one."""
        return self.rulings.results.get(game.round, NO_RULINGS).get((game.table, game.deal, game.rotation))

    def _counting(self, open_round: OpenRound) -> PlayedRound:
        """A round with the results that count."""
        number = open_round.round.number
        return ruled(
            open_round.as_played(),
            self.rulings.results.get(number, NO_RULINGS),
            {bot for bot, entry in enumerate(self.entries) if entry.name in self.void},
            requested_byes(self.entries, number),
        )

    def _note_disqualification(self, event: AnyChange) -> None:
        """Whether the results of a bot that is disqualified count is decided once, by the tables it was paired for."""
        if isinstance(event, Undone):
            undone = self.events[event.number - 1]
            if isinstance(undone, Disqualified):
                self.void.discard(undone.bot)
        if isinstance(event, Disqualified):
            bot = self.index(event.bot)
            assert bot is not None
            tables = sum(bot in table.bots for begun in self.begun for table in begun.round.tables)
            if self.regulations.format_settings.voids_results(self.format_context(), bot, tables):
                self.void.add(event.bot)

    def _replace(self, event: Replayed, replacement: StoredGame) -> None:
        self.struck_out[event.game_id] = (event.old, event.replacement)
        if self.current is not None and self.current.round.number == replacement.round:
            self.current.add(replacement.planned_id, replacement)
            return
        over = self.rounds[replacement.round - 1]
        over.add(replacement.planned_id, replacement)
        self.history[replacement.round - 1] = self._counting(over)
        self._update_as_paired()

    def _update_as_paired(self) -> None:
        """Let new results count for later pairings, but where the format has settled them."""
        settled = self.regulations.format_settings.settled_rounds(self.format_context(), self.next_number - 1)
        self.paired_by[settled:] = self.history[settled:]


def rebuild(
    regulations: Regulations,
    seed: str,
    events: Sequence[AnyChange],
    rounds: Sequence[Round],
    games: Iterable[StoredGame],
    pair: Callable[[Progress], Round | None] | None = None,
    on_round: Callable[[OpenRound], None] | None = None,
    on_event: Callable[[Progress, AnyChange], None] | None = None,
) -> Progress:
    """The state after these rounds, games and changes. Only the last round may have missing games.

    `pair`, if given, is called for each further round with the state before it, until it returns None. `on_round` is
    called with each round and its games before it counts, and may remove games from it; `on_event` with the state and
    the change that is applied to it next.
    """
    progress = Progress(regulations, seed)
    by_id = {game.game_id: game for game in games}
    waiting = deque(events)
    first_results = by_id | {event.game_id: event.old for event in events if isinstance(event, Replayed)}

    def apply_until(number: int) -> None:
        while waiting and waiting[0].round <= number:
            event = waiting.popleft()
            if on_event is not None:
                on_event(progress, event)
            progress.apply(event, by_id.get(event.replacement) if isinstance(event, Replayed) else None)

    for number in count(1):
        apply_until(number)
        if number <= len(rounds):
            round_: Round | None = rounds[number - 1]
        else:
            round_ = pair(progress) if pair is not None else None
        if round_ is None:
            break
        open_round = progress.begin(round_)
        for planned in open_round.planned.values():
            game = first_results.get(planned.game_id)
            if game is not None:
                progress.add(game)
        if on_round is not None:
            on_round(open_round)
        if not open_round.complete:
            break
        progress.close()
    apply_until(progress.next_number)
    return progress


def failing(progress: Progress) -> dict[str, str]:
    """Bots still taking part that are to be withdrawn, each with the reason: it forfeited all games at its last
    FAILED_TABLES tables, or more games in all than `max_forfeits`. Since its reinstatement, if there was one."""
    in_a_row, games = Counter[int](), Counter[int]()
    reinstated = {event.bot: event.round for event in progress.events if isinstance(event, Reinstated)}
    # Mostly nobody has forfeited anything, which is far faster to see than to look at all tables.
    forfeiting = frozenset[int]().union(*map(_forfeiting, progress.history))
    counting = {
        bot: reinstated.get(entry.name, 0)
        for bot, entry in enumerate(progress.entries)
        if entry.withdrawn is None and bot in forfeiting
    }
    if not counting:
        return {}
    in_between: set[int] = set()
    for played in reversed(progress.history):
        for result in reversed(finished_tables(played)):
            for position, (bot, gone) in enumerate(zip(result.table.bots, forfeited(result), strict=True)):
                if played.round.number < counting.get(bot, inf):
                    continue
                games[bot] += sum(game.forfeits[position] for game in result.games)
                if not gone:
                    in_between.add(bot)
                in_a_row[bot] += gone and bot not in in_between
    most = progress.regulations.max_forfeits
    return {
        progress.entries[bot].name: f"could not be started at {FAILED_TABLES} tables in a row"
        if in_a_row[bot] >= FAILED_TABLES
        else f"forfeited {games[bot]} games: more than max_forfeits = {most}"
        for bot in sorted(counting)
        if in_a_row[bot] >= FAILED_TABLES or games[bot] > most
    }


@derived
def _forfeiting(played: PlayedRound) -> frozenset[int]:
    return frozenset(
        bot
        for result in finished_tables(played)
        for game in result.games
        for bot, gone in zip(result.table.bots, game.forfeits, strict=True)
        if gone
    )
