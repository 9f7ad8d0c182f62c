# Generated from the messages of the protocol. Don't edit: the next version of the kit replaces it.
"""What the referee sends and what it accepts, for type checkers and editors (mypy, pyright).

Every message is the plain dict that `json.loads` makes of its line; nothing is checked or copied when the bot runs.
`NotRequired` fields are missing where they have no value. Ignore fields that you don't know: later versions may add
some.
"""

from typing import Any, Literal, NotRequired, TypedDict

FaultCode = Literal[
    "bad_message",
    "crash",
    "illegal_action",
    "memory",
    "oversize",
    "protocol_version",
    "startup_timeout",
    "timeout",
]
Edition = Literal["anniversary", "first"]
SuperEventOption = Literal[
    "assassination",
    "buddha",
    "charter",
    "earthquake",
    "flood",
    "lanternfest",
    "none",
    "random",
    "solar_eclipse",
    "sunrise",
    "tornado",
    "volcanic_eruption",
]
PersonType = Literal[
    "court_lady",
    "craftsman",
    "farmer",
    "healer",
    "monk",
    "pyrotechnist",
    "scholar",
    "tax_collector",
    "warrior",
]
Age = Literal["old", "young"]
EventTile = Literal["contagion", "dragon_festival", "drought", "imperial_tribute", "mongol_invasion", "peace"]
SuperEvent = Literal[
    "assassination",
    "buddha",
    "charter",
    "earthquake",
    "flood",
    "lanternfest",
    "none",
    "solar_eclipse",
    "sunrise",
    "tornado",
    "volcanic_eruption",
]
ActionCard = Literal["build", "build_wall", "fireworks", "harvest", "military_parade", "privilege", "research", "taxes"]
Card = Literal[
    "court_lady",
    "craftsman",
    "farmer",
    "healer",
    "monk",
    "pyrotechnist",
    "scholar",
    "tax_collector",
    "warrior",
    "wild",
]
WallTile = Literal["fireworks", "palace", "person_track", "points", "rice", "yuan"]
ActionKind = Literal["card", "replenish"]
PrivilegeSize = Literal["large", "small"]
Counter = Literal["fireworks", "large_privileges", "rice", "score", "small_privileges", "track", "yuan"]
StartTile = Literal["advanced", "garden"]
Picture = Literal["advisors", "dragon", "none"]


class HelloLimits(TypedDict):
    """The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory. Absent: no such limit."""

    line_bytes: int
    info_bytes: int
    startup_ms: int
    margin_ms: int
    quit_ms: int
    memory_mb: NotRequired[int]


class Hello(TypedDict):
    """The first line to a bot."""

    type: Literal["hello"]
    protocol: int
    referee: str
    limits: HelloLimits


class FaultMessage(TypedDict):
    """What the bot did wrong."""

    type: Literal["fault"]
    code: FaultCode
    message: str


class Quit(TypedDict):
    """No more games; standard input closes after this line."""

    type: Literal["quit"]


class ActParts(TypedDict):
    """The optional parts of `act`: each is sent if it is true here, and `tensor` only in games that have one."""

    observation: NotRequired[bool]
    legal: NotRequired[bool]
    events: NotRequired[bool]


class Ready(TypedDict):
    """The answer to `hello`."""

    type: Literal["ready"]
    protocol: int
    name: str
    version: NotRequired[str | None]
    author: NotRequired[str | None]
    options: NotRequired[ActParts]


class Answer(TypedDict):
    """The answer to `act`: an action, or its index in `legal`. `info` may be any JSON."""

    type: Literal["action"]
    id: int
    index: NotRequired[int | None]
    action: NotRequired[Any]
    info: NotRequired[Any]


class ChanceEvent(TypedDict):
    """A draw that was made: its name, its round (where there is one per round), and its value."""

    type: Literal["chance"]
    what: str
    round: NotRequired[int]
    value: Any


class Clock(TypedDict):
    """The clock of a game, in milliseconds: a limit per decision, or a bank with an increment, or both."""

    move_ms: NotRequired[int]
    bank_ms: NotRequired[int]
    increment_ms: NotRequired[int]


class Result(TypedDict):
    """How a game ended, by seat; a fault is its code."""

    scores: list[int]
    ranks: list[int]
    faults: list[FaultCode | None]


# -- year_of_the_dragon ------------------------------------------------------------------------------------------------


class DragonConfig(TypedDict):
    """Options of In the Year of the Dragon (rules page, section 1)."""

    players: int  # number of players
    edition: Edition  # a large privilege costs 7 yuan, or 6 in the first edition
    great_wall: bool  # expansion I, the Great Wall
    super_event: SuperEventOption  # expansion II, what strikes in round 7


class DragonTask(TypedDict):
    """A decision that is due, with its context."""

    seat: int
    decision: str
    person: NotRequired[PersonType]
    age: NotRequired[Age]
    reason: NotRequired[str]
    left: NotRequired[int]
    palace: NotRequired[int]
    hit: NotRequired[list[int]]


class DragonActionGroup(TypedDict):
    """A group of action cards and the seats that chose it this round."""

    cards: list[ActionCard]
    taken_by: list[int]


class DragonDisplay(TypedDict):
    """Person tiles still to be had, by age and type."""

    young: dict[str, int]
    old: dict[str, int]


class DragonPerson(TypedDict):
    """A person tile."""

    person: PersonType
    age: Age


class DragonPalace(TypedDict):
    """A palace: at most as many persons as floors, at most three floors."""

    id: int
    floors: int
    persons: list[DragonPerson]


class DragonPlayer(TypedDict):
    """Everything of a player that is open to all."""

    seat: int
    score: int
    track: int
    yuan: int
    rice: int
    fireworks: int
    small_privileges: int
    large_privileges: int
    palaces: list[DragonPalace]
    next_palace: int
    hand_size: int
    played: list[Card]
    discarded: NotRequired[list[Card]]
    wall_tiles: NotRequired[list[WallTile]]


class DragonObservation(TypedDict):
    """The game as one seat sees it, built only from what is open to it."""

    round: int
    seat: int
    turn: DragonTask
    order: list[int]
    event_row: list[EventTile]
    super_event: SuperEvent
    action_groups: list[DragonActionGroup]
    display: DragonDisplay
    hand: list[Card]
    players: list[DragonPlayer]
    wall: NotRequired[list[int]]


class DragonDraft(TypedDict):
    """Take two different types of young persons; they are placed in this order."""

    persons: list[PersonType]


class DragonPlacePerson(TypedDict):
    """Put the new person into `palace`, there in place of another (`replace`) if all is full, or send it away."""

    palace: NotRequired[int]
    replace: NotRequired[DragonPerson]
    refuse: NotRequired[bool]


class DragonChooseAction(TypedDict):
    """Use a card of an action group, or take yuan up to three (`replenish`)."""

    kind: ActionKind
    group: NotRequired[int]
    card: NotRequired[ActionCard]
    size: NotRequired[PrivilegeSize]
    wall_tile: NotRequired[WallTile]


class DragonBuildFloor(TypedDict):
    """Add a floor to `palace`; the player's next unused id starts a new palace."""

    palace: int


class DragonPlayCard(TypedDict):
    """Play `card` and take this person; no person where none of the card's type is left."""

    card: Card
    person: NotRequired[PersonType]
    age: NotRequired[Age]


class DragonReleasePerson(TypedDict):
    """Let one person go."""

    palace: int
    person: PersonType
    age: Age


class DragonLoseFloor(TypedDict):
    """Take one floor off `palace`."""

    palace: int


class DragonGiveBack(TypedDict):
    """Give back this many of each."""

    yuan: int
    rice: int
    fireworks: int


class DragonDiscardCard(TypedDict):
    """Discard a person card from the hand."""

    card: Card


class DragonTakePerson(TypedDict):
    """Take a young person of this type."""

    person: PersonType


class DragonChooseType(TypedDict):
    """Take the benefit of all own persons of this type."""

    person: PersonType


DragonAction = (
    DragonDraft
    | DragonPlacePerson
    | DragonChooseAction
    | DragonBuildFloor
    | DragonPlayCard
    | DragonReleasePerson
    | DragonLoseFloor
    | DragonGiveBack
    | DragonDiscardCard
    | DragonTakePerson
    | DragonChooseType
)
"""An action, by its kind of decision."""


class DragonDecisionEvent(TypedDict):
    """A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening, likewise."""

    type: Literal["decision"]
    seat: int
    decision: str
    action: DragonAction
    forced: NotRequired[bool]
    opening: NotRequired[bool]


class DragonChange(TypedDict):
    """A number of a player changed by `by` and is now `to`. `reason` is the card, event or rule."""

    type: Literal["change"]
    seat: int
    what: Counter
    by: int
    to: int
    reason: str


class DragonEventStrikes(TypedDict):
    """The event of the round, or the super event, is carried out."""

    type: Literal["event"]
    round: int
    event: str


class DragonFinalScore(TypedDict):
    """What the final scoring brought a player: for persons, monks and money, and the score in the end."""

    type: Literal["final"]
    seat: int
    persons: int
    monks: int
    money: int
    score: int


class DragonPalaceChanged(TypedDict):
    """The number of floors of a palace changed; with 0 it is gone."""

    type: Literal["palace"]
    seat: int
    palace: int
    floors: int
    reason: str


class DragonPersonLeft(TypedDict):
    """A person left the game; without `palace` it was refused at the door."""

    type: Literal["person_left"]
    seat: int
    palace: NotRequired[int]
    person: PersonType
    age: Age
    reason: str


class DragonPersonPlaced(TypedDict):
    """A person moved into a palace."""

    type: Literal["person_placed"]
    seat: int
    palace: int
    person: PersonType
    age: Age


class DragonRoundEnd(TypedDict):
    """A round is over: scores and markers by seat, and the order of play."""

    type: Literal["round"]
    round: int
    scores: list[int]
    track: list[int]
    order: list[int]


class DragonWallBuilt(TypedDict):
    """A tile was added to the Great Wall; `length` is its new length."""

    type: Literal["wall"]
    seat: int
    wall_tile: WallTile
    length: int


DragonEvent = (
    ChanceEvent
    | DragonDecisionEvent
    | DragonChange
    | DragonEventStrikes
    | DragonFinalScore
    | DragonPalaceChanged
    | DragonPersonLeft
    | DragonPersonPlaced
    | DragonRoundEnd
    | DragonWallBuilt
)
"""Something that happened in a game, by its type."""


class DragonStart(TypedDict):
    """A game begins."""

    type: Literal["start"]
    game_id: str
    game: str
    config: DragonConfig
    seat: int
    players: list[str]
    clock: Clock
    bot_seed: int


class _DragonAct(TypedDict):
    """A decision is due."""

    type: Literal["act"]
    id: int
    observation: DragonObservation
    events: list[DragonEvent]
    time_ms: int


class DragonDraftAct(_DragonAct):
    """The decision is `draft`."""

    decision: Literal["draft"]
    legal: list[DragonDraft]


class DragonPlacePersonAct(_DragonAct):
    """The decision is `place_person`."""

    decision: Literal["place_person"]
    legal: list[DragonPlacePerson]


class DragonChooseActionAct(_DragonAct):
    """The decision is `choose_action`."""

    decision: Literal["choose_action"]
    legal: list[DragonChooseAction]


class DragonBuildFloorAct(_DragonAct):
    """The decision is `build_floor`."""

    decision: Literal["build_floor"]
    legal: list[DragonBuildFloor]


class DragonPlayCardAct(_DragonAct):
    """The decision is `play_card`."""

    decision: Literal["play_card"]
    legal: list[DragonPlayCard]


class DragonReleasePersonAct(_DragonAct):
    """The decision is `release_person`."""

    decision: Literal["release_person"]
    legal: list[DragonReleasePerson]


class DragonLoseFloorAct(_DragonAct):
    """The decision is `lose_floor`."""

    decision: Literal["lose_floor"]
    legal: list[DragonLoseFloor]


class DragonGiveBackAct(_DragonAct):
    """The decision is `give_back`."""

    decision: Literal["give_back"]
    legal: list[DragonGiveBack]


class DragonDiscardCardAct(_DragonAct):
    """The decision is `discard_card`."""

    decision: Literal["discard_card"]
    legal: list[DragonDiscardCard]


class DragonTakePersonAct(_DragonAct):
    """The decision is `take_person`."""

    decision: Literal["take_person"]
    legal: list[DragonTakePerson]


class DragonChooseTypeAct(_DragonAct):
    """The decision is `choose_type`."""

    decision: Literal["choose_type"]
    legal: list[DragonChooseType]


DragonAct = (
    DragonDraftAct
    | DragonPlacePersonAct
    | DragonChooseActionAct
    | DragonBuildFloorAct
    | DragonPlayCardAct
    | DragonReleasePersonAct
    | DragonLoseFloorAct
    | DragonGiveBackAct
    | DragonDiscardCardAct
    | DragonTakePersonAct
    | DragonChooseTypeAct
)
"""A decision is due."""


class DragonEnd(TypedDict):
    """The game is over."""

    type: Literal["end"]
    game_id: str
    result: Result
    events: list[DragonEvent]


# -- forbidden_city ----------------------------------------------------------------------------------------------------


class CityTile(TypedDict):
    """A tile before rotation: edges N E S W; one room part, or two of which the first touches N and E."""

    edges: str
    parts: list[str]
    picture: Picture
    count: int


class CityTileSet(TypedDict):
    """Room colours, and the tiles of each owner: those for every game, and the additional ones for two players."""

    colours: list[str]
    owned: dict[str, list[CityTile]]
    two: dict[str, list[CityTile]]


class CityConfig(TypedDict):
    """Options of The Forbidden City (rules page, section 1)."""

    players: int  # number of players
    start_tile: StartTile  # which side of the start tile is up
    tile_set: str  # reconstructed, or a TOML file with another set
    tiles: NotRequired[CityTileSet]


class CityTurn(TypedDict):
    """A decision that is due: its seat and its kind. Games add fields for its context."""

    seat: int
    decision: str


class CityTilesLeft(TypedDict):
    """A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in hand."""

    edges: str
    parts: list[str]
    picture: Picture
    count: int
    left: list[int]


class CityRoom(TypedDict):
    """A room; all of it is open to all seats."""

    id: int
    colour: str
    cells: list[list[int]]
    open_edges: int
    advisors: list[int]
    dragons: int
    passages: list[int]
    value: NotRequired[int]


class CityTileInRooms(TypedDict):
    """A laid tile, with the id of the room of each of its parts."""

    x: int
    y: int
    rotation: int
    seat: NotRequired[int]
    tile: CityTile
    rooms: list[int]


class CityObservation(TypedDict):
    """The table as one seat sees it."""

    seat: int
    turn: CityTurn
    hand: CityTile
    coins: list[int]
    stacks: list[int]
    in_hand: list[int]
    left: list[CityTilesLeft]
    rooms: list[CityRoom]
    board: list[CityTileInRooms]


class CityLayTile(TypedDict):
    """Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter turns."""

    x: int
    y: int
    rotation: int


CityAction = CityLayTile
"""An action, by its kind of decision."""


class CityDecisionEvent(TypedDict):
    """A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening, likewise."""

    type: Literal["decision"]
    seat: int
    decision: str
    action: CityAction
    forced: NotRequired[bool]
    opening: NotRequired[bool]


class CityTileLaid(TypedDict):
    """A tile was laid."""

    type: Literal["laid"]
    seat: int
    x: int
    y: int
    rotation: int
    tile: CityTile


class CityRoomSettled(TypedDict):
    """A room was closed by a tile of `seat`: its cells, its value, and what it paid each seat."""

    type: Literal["settled"]
    seat: int
    cells: list[list[int]]
    value: int
    paid: list[int]


class CityStackShown(TypedDict):
    """At the end a player shows the tiles that were not drawn, and gets coins for them."""

    type: Literal["shown"]
    seat: int
    tiles: list[CityTile]
    paid: int
    coins: int


CityEvent = ChanceEvent | CityDecisionEvent | CityTileLaid | CityRoomSettled | CityStackShown
"""Something that happened in a game, by its type."""


class CityStart(TypedDict):
    """A game begins."""

    type: Literal["start"]
    game_id: str
    game: str
    config: CityConfig
    seat: int
    players: list[str]
    clock: Clock
    bot_seed: int


class CityAct(TypedDict):
    """A decision is due."""

    type: Literal["act"]
    id: int
    observation: CityObservation
    events: list[CityEvent]
    time_ms: int
    decision: Literal["lay_tile"]
    legal: list[CityLayTile]


class CityEnd(TypedDict):
    """The game is over."""

    type: Literal["end"]
    game_id: str
    result: Result
    events: list[CityEvent]


Message = Hello | FaultMessage | Quit | DragonStart | DragonAct | DragonEnd | CityStart | CityAct | CityEnd
"""Everything that the referee sends."""
