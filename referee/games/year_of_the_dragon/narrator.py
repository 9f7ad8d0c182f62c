"""Describing In the Year of the Dragon in English: a sentence per decision with its effects, round by round."""

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from msgspec import UNSET

from referee.games.interface import ChanceEvent, DecisionEvent, Event
from referee.games.narrator import HEADING, SECTION, Narrator, Said, format_count, readable
from referee.games.year_of_the_dragon import actions, tiles
from referee.games.year_of_the_dragon.log import (
    Change,
    EventStrikes,
    FinalScore,
    PalaceChanged,
    PersonLeft,
    PersonPlaced,
    RoundEnd,
    WallBuilt,
)
from referee.games.year_of_the_dragon.state import Dragon, Task
from referee.games.year_of_the_dragon.super_events import SUPER_EVENT_RULES
from referee.games.year_of_the_dragon.tiles import ActionCard, Age, Card, PersonType

COUNTER_NOUNS = {"score": "points"}
"""The noun for a counter, if it isn't the counter's name."""
DECREASE_VERBS = {
    "imperial_tribute": "pays",
    "drought": "uses",
    **{name: rule.verb for name, rule in SUPER_EVENT_RULES.items()},
}
"""The verb for a decrease by its reason, if it isn't "gives back"."""
SCORING = ("palaces", "court_ladies", "privileges")


class DragonNarrator(Narrator[Dragon]):
    def __init__(self, game: Dragon, names: Sequence[str], width: int | None = None) -> None:
        super().__init__(game, names, width)
        self._name_width = max(map(len, names))

    def narrate(self, events: Sequence[Event]) -> Iterator[Said]:
        """The decision with its direct effects; then, section by section, the further events."""
        own = 0
        if events and isinstance(events[0], DecisionEvent):
            direct = list(takewhile(goes_with_decision, events[1:]))
            own = 1 + len(direct)
            before = [event for event, _ in self.game.log[: -len(events)]]
            yield from self._decision(events[0], direct, before)
        for section, group in groupby(events[own:], section_of):
            yield from self._section(section, list(group))

    # -- decisions ----------------------------------------------------------------------------------------

    def _decision(self, taken: DecisionEvent, after: Sequence[Event], before: Sequence[Event]) -> Iterator[Said]:
        """The sentence of a decision, or a continuation of the sentence of the previous one."""
        who = self.names[taken.seat]
        match taken.action:
            case actions.Draft(persons=persons):
                two = " and ".join(f"a {format_person(kind, 'young')}" for kind in persons)
                yield Said(f"{who} drafts:", alone=f"{who} drafts {two}")
            case actions.PlacePerson():
                alone = f"{who}'s {format_placement(after, 'moves ')}"
                yield Said(format_placement(after), joined=True, alone=alone)
            case actions.ChooseAction() as action:
                yield Said(f"{who} {self._acts(action, after)}")
            case actions.BuildFloor():
                built = format_effects(after)
                yield Said(built, joined=True, alone=f"{who} builds {built}")
            case actions.PlayCard() as play:
                earlier = next(event.decision for event in reversed(before) if isinstance(event, DecisionEvent))
                if earlier in ("choose_action", "build_floor"):
                    yield Said("Persons", SECTION)
                nobody = play.person is UNSET
                yield Said(f"{who} plays {format_card(play.card)}{', but nobody is left to come' if nobody else ':'}")
            case actions.ReleasePerson():
                yield from self._release(who, after, before[-1])
            case actions.LoseFloor(palace=palace):
                yield Said(f"{who} {format_effects(after) or f'loses a floor of palace {palace}:'}")
            case actions.GiveBack():
                yield Said(f"{who} {format_effects(after) or 'gives back nothing'}")
            case actions.DiscardCard(card=card):
                goes_on = isinstance(before[-1], DecisionEvent) and before[-1].seat == taken.seat
                alone = f"{who} discards {format_card(card)}"
                yield Said(format_card(card) if goes_on else alone, joined=goes_on, alone=alone)
            case actions.TakePerson(person=person):
                yield Said(f"{who} takes:", alone=f"{who} takes a young {format_name(person)}")
            case actions.ChooseType(person=person):
                gain = {"craftsman": ":", "healer": ", in vain"}.get(person, f" and {format_effects(after)}")
                yield Said(f"{who} calls on every {format_name(person)}{gain}")

    def _acts(self, action: actions.ChooseAction, after: Sequence[Event]) -> str:
        if action.card is UNSET:
            return f"replenishes: {format_effects(after) or 'there is enough money already'}"
        paid = [event for event in after if isinstance(event, Change) and event.reason == "occupied_group"]
        price = "".join(f" (occupied: {change.by} yuan)" for change in paid)
        use = f"uses {format_name(action.card)} in group {action.group}{price}"
        gains = [event for event in after if event not in paid]
        match gains:
            case []:
                return f"{use}:"
            case [Change(what="yuan", by=by, to=left), Change()] if action.card == "privilege":
                return f"{use} and buys a {action.size} one for {-by} yuan, now {left}"
            case [WallBuilt(wall_tile=tile, length=length), *gains]:
                return f"{use} for tile {length}, {format_name(tile)}: {format_effects(gains)}".rstrip()
            case _:
                return f"{use} and {format_effects(gains)}"

    def _release(self, who: str, after: Sequence[Event], before: Event) -> Iterator[Said]:
        """A person leaves. Consecutive ones with the same reason share a line."""
        left = next(event for event in after if isinstance(event, PersonLeft))
        tile = format_person(left.person, left.age)
        if left.reason == "earthquake":
            floors = next(event.floors for event in after if isinstance(event, PalaceChanged))
            told = f"{tile} must leave, {f'now {floors} high' if floors else 'and it is gone'}"
            yield Said(told, joined=True, alone=f"{who}'s {told}")
            return
        goes_on = isinstance(before, PersonLeft) and before.reason == left.reason
        if left.reason == "great_wall" and not goes_on:
            yield Said(f"Great Wall: too short with {format_count(len(self.game.wall), 'tiles')}", SECTION)
        joined = goes_on and isinstance(before, PersonLeft) and before.seat == left.seat
        told = f"{tile} from palace {left.palace}"
        alone = f"{who} releases {told}"
        yield Said(told if joined else alone, joined=joined, alone=alone)

    # -- sections -----------------------------------------------------------------------------------------

    def _section(self, section: str, events: Sequence[Event]) -> Iterator[Said]:
        match events:
            case [ChanceEvent(what="events"), *_]:
                yield from self._before_the_draft()
            case [ChanceEvent(what="action_groups", round=int() as round_no, value=groups), *_]:
                yield from self._round_begins(round_no, groups)
            case [ChanceEvent(), *_]:
                pass  # the super event is announced with the event row
            case [FinalScore(), *_]:
                yield Said("Final scoring", HEADING)
                yield from self._final_table(events)
            case [*changes, RoundEnd() as end]:
                yield Said("Scoring", SECTION)
                yield from self._scoring(changes, end)
            case [EventStrikes(event=event), *changes]:
                yield Said(self._strikes(event, changes), SECTION)
                yield from self._by_player(changes)
            case _:
                wall = f"Great Wall: high enough with {format_count(len(self.game.wall), 'tiles')}"
                yield Said(wall if section == "great_wall" else section.capitalize(), SECTION)
                yield from self._by_player(events)

    def _before_the_draft(self) -> Iterator[Said]:
        row = [f"{number} {format_name(event)}" for number, event in enumerate(self.game.event_row, start=1)]
        yield Said("The year ahead", HEADING)
        yield Said(f"{', '.join(row[:7])},", SECTION)
        yield Said(", ".join(row[7:]), SECTION)
        if self.game.super_event != "none":
            yield Said(f"super event in round {tiles.SUPER_EVENT_ROUND}: {format_name(self.game.super_event)}", SECTION)
        yield Said("Draft", HEADING)

    def _round_begins(self, round_no: int, groups: Sequence[Sequence[ActionCard]]) -> Iterator[Said]:
        game = self.game
        if round_no == 1:
            yield self._order(game.order, [player.track for player in game.players])
        super_event = game.super_event if round_no == tiles.SUPER_EVENT_ROUND else "none"
        more = "" if super_event == "none" else f", and the super event: {format_name(super_event)}"
        event = format_name(game.event_row[round_no - 1])
        yield Said(f"Round {round_no} of {tiles.ROUNDS}: {event}{more}", HEADING, round=round_no)
        listed = (f"{number}: {', '.join(map(format_name, cards))}" for number, cards in enumerate(groups))
        yield Said(f"Groups   {' | '.join(listed)}", SECTION)

    def _strikes(self, event: str, changes: Sequence[Event]) -> str:
        """The name of the event, with a remark if nothing happens."""
        if event == "solar_eclipse":
            return "Solar eclipse (super event): the event strikes again"
        title = format_name(event).capitalize() + (" (super event)" if event in tiles.SUPER_EVENTS else "")
        turn = self.game.turn
        quiet = not changes and not (isinstance(turn, Task) and turn.reason == event)
        return f"{title}: nothing happens" if quiet else title

    def _by_player(self, events: Sequence[Event]) -> Iterator[Said]:
        """A line for each player who was affected."""
        changes = [event for event in events if isinstance(event, Change | PalaceChanged)]
        for seat in dict.fromkeys(change.seat for change in changes):
            first, *others = (format_effect(change) for change in changes if change.seat == seat)
            yield Said(f"{self.names[seat]} {first}")
            yield from (Said(other, joined=True) for other in others)

    def _scoring(self, changes: Sequence[Event], end: RoundEnd) -> Iterator[Said]:
        """The scores of each player by reason, and the order of play of the next round."""
        points = {(change.seat, change.reason): change.by for change in changes if isinstance(change, Change)}
        for seat, total in enumerate(end.scores):
            parts = {reason: points.get((seat, reason), 0) for reason in SCORING}
            sums = " + ".join(f"{format_name(reason)} {value}" for reason, value in parts.items())
            yield Said(f"{self.names[seat]:{self._name_width}}  {sums} = {sum(parts.values())}, total {total}")
        yield self._order(end.order, end.track)

    def _order(self, order: Sequence[int], track: Sequence[int]) -> Said:
        return Said("Order of play: " + ", ".join(f"{self.names[seat]} ({track[seat]})" for seat in order), SECTION)

    def _final_table(self, events: Sequence[Event]) -> Iterator[Said]:
        yield Said(f"{'':{self._name_width}}  before  persons  monks  money  after")
        for final in [event for event in events if isinstance(event, FinalScore)]:
            before = final.score - final.persons - final.monks - final.money
            parts = f"{before:6}  {final.persons:7}  {final.monks:5}  {final.money:5}  {final.score:5}"
            yield Said(f"{self.names[final.seat]:{self._name_width}}  {parts}")


# -- grouping of events ---------------------------------------------------------------------------------------


def section_of(event: Event) -> str:
    """Consecutive events of the same section are described together."""
    match event:
        case ChanceEvent(what=name) | EventStrikes(event=name):
            return name
        case Change(reason=reason) | PalaceChanged(reason=reason):
            return "scoring" if reason in SCORING else reason
        case RoundEnd():
            return "scoring"
        case _:
            return ""


def goes_with_decision(event: Event) -> bool:
    """Whether an event is a direct effect of a decision, not of the round that continues after it."""
    by_itself = isinstance(event, ChanceEvent | EventStrikes | RoundEnd | FinalScore)
    return not by_itself and section_of(event) not in ("great_wall", "decay", "scoring")


# -- text -----------------------------------------------------------------------------------------------------


def format_name(name: str) -> str:
    return readable(name).replace("mongol", "Mongol")


def format_person(kind: PersonType, age: Age) -> str:
    return f"{age} {format_name(kind)}"


def format_card(card: Card) -> str:
    return f"the {format_name(card)} card"


def format_effects(changes: Sequence[Event]) -> str:
    """Events that affected a player, as the rest of a sentence."""
    return "; ".join(format_effect(event) for event in changes)


def format_effect(event: Event) -> str:
    """An event that affected a player, as a part of a sentence."""
    match event:
        case Change(what="track", by=by, to=to) if by < 0:
            return f"drops from {to - by} to {to} on the track"
        case Change(what="track", by=by, to=to):
            return f"moves up {format_count(by, 'spaces')}, track {to}"
        case Change(what=what, by=by, to=to, reason=reason):
            verb = "scores" if what == "score" else "takes" if by > 0 else DECREASE_VERBS.get(reason, "gives back")
            return f"{verb} {format_count(abs(by), COUNTER_NOUNS.get(what, format_name(what)))}, now {to}"
        case PalaceChanged(palace=palace, floors=floors, reason="earthquake" | "decay"):
            return f"loses a floor of palace {palace}, now {floors} high" if floors else f"loses palace {palace}"
        case PalaceChanged(palace=palace, floors=floors):
            return f"palace {palace} to {floors} floors" if floors > 1 else f"new palace {palace}"
        case _:
            raise TypeError(f"can't describe {event}")


def format_placement(after: Sequence[Event], verb: str = "") -> str:
    """The palace of a new person, and the person it replaced. `verb`: that of a whole sentence, "moves "."""
    match after:
        case [PersonLeft(person=kind, age=age)]:
            return f"{format_person(kind, age)} is turned away at the door"
        case [PersonLeft() as left, *after]:
            return f"{format_person(left.person, left.age)} makes way; {format_placement(after, verb)}"
        case [PersonPlaced(person=kind, age=age, palace=palace), Change(to=track)]:
            return f"{format_person(kind, age)} {verb}into palace {palace}, track {track}"
        case _:
            raise TypeError(f"can't describe {after}")
