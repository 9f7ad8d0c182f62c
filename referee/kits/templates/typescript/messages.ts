// Generated from the JSON Schema of the protocol. Don't edit: the next version of the kit replaces it.
//
// What the referee sends and what it accepts. Every message is the plain object that JSON.parse makes of its line;
// nothing is checked or copied when the bot runs. Optional fields are missing where they have no value. Ignore fields
// that you don't know: later versions may add some.

export type FaultCode =
  | "bad_message"
  | "crash"
  | "illegal_action"
  | "memory"
  | "oversize"
  | "protocol_version"
  | "startup_timeout"
  | "timeout";

export type Edition = "anniversary" | "first";

export type SuperEventOption =
  | "assassination"
  | "buddha"
  | "charter"
  | "earthquake"
  | "flood"
  | "lanternfest"
  | "none"
  | "random"
  | "solar_eclipse"
  | "sunrise"
  | "tornado"
  | "volcanic_eruption";

export type PersonType =
  | "court_lady"
  | "craftsman"
  | "farmer"
  | "healer"
  | "monk"
  | "pyrotechnist"
  | "scholar"
  | "tax_collector"
  | "warrior";

export type Age = "old" | "young";

export type EventTile = "contagion" | "dragon_festival" | "drought" | "imperial_tribute" | "mongol_invasion" | "peace";

export type SuperEvent =
  | "assassination"
  | "buddha"
  | "charter"
  | "earthquake"
  | "flood"
  | "lanternfest"
  | "none"
  | "solar_eclipse"
  | "sunrise"
  | "tornado"
  | "volcanic_eruption";

export type ActionCard =
  | "build"
  | "build_wall"
  | "fireworks"
  | "harvest"
  | "military_parade"
  | "privilege"
  | "research"
  | "taxes";

export type Card =
  | "court_lady"
  | "craftsman"
  | "farmer"
  | "healer"
  | "monk"
  | "pyrotechnist"
  | "scholar"
  | "tax_collector"
  | "warrior"
  | "wild";

export type WallTile = "fireworks" | "palace" | "person_track" | "points" | "rice" | "yuan";

export type ActionKind = "card" | "replenish";

export type PrivilegeSize = "large" | "small";

export type Counter = "fireworks" | "large_privileges" | "rice" | "score" | "small_privileges" | "track" | "yuan";

export type StartTile = "advanced" | "garden";

export type Picture = "advisors" | "dragon" | "none";

/** The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory. Absent: no such limit. */
export interface HelloLimits {
  line_bytes: number;
  info_bytes: number;
  startup_ms: number;
  margin_ms: number;
  quit_ms: number;
  memory_mb?: number;
}

/** The first line to a bot. */
export interface Hello {
  type: "hello";
  protocol: number;
  referee: string;
  limits: HelloLimits;
}

/** What the bot did wrong. */
export interface FaultMessage {
  type: "fault";
  code: FaultCode;
  message: string;
}

/** No more games; standard input closes after this line. */
export interface Quit {
  type: "quit";
}

/** The optional parts of `act`: each is sent if it is true here, and `tensor` only in games that have one. */
export interface ActParts {
  observation?: boolean;
  legal?: boolean;
  events?: boolean;
}

/** The answer to `hello`. */
export interface Ready {
  type: "ready";
  protocol: number;
  name: string;
  version?: string | null;
  author?: string | null;
  options?: ActParts;
}

/** The answer to `act`: an action, or its index in `legal`. `info` may be any JSON. */
export interface Answer {
  type: "action";
  id: number;
  index?: number | null;
  action?: unknown;
  info?: unknown;
}

/** A draw that was made: its name, its round (where there is one per round), and its value. */
export interface ChanceEvent {
  type: "chance";
  what: string;
  round?: number;
  value: unknown;
}

/** The clock of a game, in milliseconds: a limit per decision, or a bank with an increment, or both. */
export interface Clock {
  move_ms?: number;
  bank_ms?: number;
  increment_ms?: number;
}

/** How a game ended, by seat; a fault is its code. */
export interface Result {
  scores: number[];
  ranks: number[];
  faults: (FaultCode | null)[];
}

// -- year_of_the_dragon -----------------------------------------------------------------------------------------------

/** Options of In the Year of the Dragon (rules page, section 1). */
export interface DragonConfig {
  players: number; // number of players
  edition: Edition; // a large privilege costs 7 yuan, or 6 in the first edition
  great_wall: boolean; // expansion I, the Great Wall
  super_event: SuperEventOption; // expansion II, what strikes in round 7
}

/** A decision that is due, with its context. */
export interface DragonTask {
  seat: number;
  decision: string;
  person?: PersonType;
  age?: Age;
  reason?: string;
  left?: number;
  palace?: number;
  hit?: number[];
}

/** A group of action cards and the seats that chose it this round. */
export interface DragonActionGroup {
  cards: ActionCard[];
  taken_by: number[];
}

/** Person tiles still to be had, by age and type. */
export interface DragonDisplay {
  young: Record<string, number>;
  old: Record<string, number>;
}

/** A person tile. */
export interface DragonPerson {
  person: PersonType;
  age: Age;
}

/** A palace: at most as many persons as floors, at most three floors. */
export interface DragonPalace {
  id: number;
  floors: number;
  persons: DragonPerson[];
}

/** Everything of a player that is open to all. */
export interface DragonPlayer {
  seat: number;
  score: number;
  track: number;
  yuan: number;
  rice: number;
  fireworks: number;
  small_privileges: number;
  large_privileges: number;
  palaces: DragonPalace[];
  next_palace: number;
  hand_size: number;
  played: Card[];
  discarded?: Card[];
  wall_tiles?: WallTile[];
}

/** The game as one seat sees it, built only from what is open to it. */
export interface DragonObservation {
  round: number;
  seat: number;
  turn: DragonTask;
  order: number[];
  event_row: EventTile[];
  super_event: SuperEvent;
  action_groups: DragonActionGroup[];
  display: DragonDisplay;
  hand: Card[];
  players: DragonPlayer[];
  wall?: number[];
}

/** Take two different types of young persons; they are placed in this order. */
export interface DragonDraft {
  persons: [PersonType, PersonType];
}

/** Put the new person into `palace`, there in place of another (`replace`) if all is full, or send it away. */
export interface DragonPlacePerson {
  palace?: number;
  replace?: DragonPerson;
  refuse?: boolean;
}

/** Use a card of an action group, or take yuan up to three (`replenish`). */
export interface DragonChooseAction {
  kind: ActionKind;
  group?: number;
  card?: ActionCard;
  size?: PrivilegeSize;
  wall_tile?: WallTile;
}

/** Add a floor to `palace`; the player's next unused id starts a new palace. */
export interface DragonBuildFloor {
  palace: number;
}

/** Play `card` and take this person; no person where none of the card's type is left. */
export interface DragonPlayCard {
  card: Card;
  person?: PersonType;
  age?: Age;
}

/** Let one person go. */
export interface DragonReleasePerson {
  palace: number;
  person: PersonType;
  age: Age;
}

/** Take one floor off `palace`. */
export interface DragonLoseFloor {
  palace: number;
}

/** Give back this many of each. */
export interface DragonGiveBack {
  yuan: number;
  rice: number;
  fireworks: number;
}

/** Discard a person card from the hand. */
export interface DragonDiscardCard {
  card: Card;
}

/** Take a young person of this type. */
export interface DragonTakePerson {
  person: PersonType;
}

/** Take the benefit of all own persons of this type. */
export interface DragonChooseType {
  person: PersonType;
}

/** An action, by its kind of decision. */
export type DragonAction =
  | DragonDraft
  | DragonPlacePerson
  | DragonChooseAction
  | DragonBuildFloor
  | DragonPlayCard
  | DragonReleasePerson
  | DragonLoseFloor
  | DragonGiveBack
  | DragonDiscardCard
  | DragonTakePerson
  | DragonChooseType;

/** A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening, likewise. */
export interface DragonDecisionEvent {
  type: "decision";
  seat: number;
  decision: string;
  action: DragonAction;
  forced?: boolean;
  opening?: boolean;
}

/** A number of a player changed by `by` and is now `to`. `reason` is the card, event or rule. */
export interface DragonChange {
  type: "change";
  seat: number;
  what: Counter;
  by: number;
  to: number;
  reason: string;
}

/** The event of the round, or the super event, is carried out. */
export interface DragonEventStrikes {
  type: "event";
  round: number;
  event: string;
}

/** What the final scoring brought a player: for persons, monks and money, and the score in the end. */
export interface DragonFinalScore {
  type: "final";
  seat: number;
  persons: number;
  monks: number;
  money: number;
  score: number;
}

/** The number of floors of a palace changed; with 0 it is gone. */
export interface DragonPalaceChanged {
  type: "palace";
  seat: number;
  palace: number;
  floors: number;
  reason: string;
}

/** A person left the game; without `palace` it was refused at the door. */
export interface DragonPersonLeft {
  type: "person_left";
  seat: number;
  palace?: number;
  person: PersonType;
  age: Age;
  reason: string;
}

/** A person moved into a palace. */
export interface DragonPersonPlaced {
  type: "person_placed";
  seat: number;
  palace: number;
  person: PersonType;
  age: Age;
}

/** A round is over: scores and markers by seat, and the order of play. */
export interface DragonRoundEnd {
  type: "round";
  round: number;
  scores: number[];
  track: number[];
  order: number[];
}

/** A tile was added to the Great Wall; `length` is its new length. */
export interface DragonWallBuilt {
  type: "wall";
  seat: number;
  wall_tile: WallTile;
  length: number;
}

/** Something that happened in a game, by its type. */
export type DragonEvent =
  | ChanceEvent
  | DragonDecisionEvent
  | DragonChange
  | DragonEventStrikes
  | DragonFinalScore
  | DragonPalaceChanged
  | DragonPersonLeft
  | DragonPersonPlaced
  | DragonRoundEnd
  | DragonWallBuilt;

/** A game begins. */
export interface DragonStart {
  type: "start";
  game_id: string;
  game: string;
  config: DragonConfig;
  seat: number;
  players: string[];
  clock: Clock;
  bot_seed: number;
}

/** What all questions of this game have. */
export interface DragonActParts {
  type: "act";
  id: number;
  observation: DragonObservation;
  events: DragonEvent[];
  time_ms: number;
}

/** The decision is `draft`. */
export interface DragonDraftAct extends DragonActParts {
  decision: "draft";
  legal: DragonDraft[];
}

/** The decision is `place_person`. */
export interface DragonPlacePersonAct extends DragonActParts {
  decision: "place_person";
  legal: DragonPlacePerson[];
}

/** The decision is `choose_action`. */
export interface DragonChooseActionAct extends DragonActParts {
  decision: "choose_action";
  legal: DragonChooseAction[];
}

/** The decision is `build_floor`. */
export interface DragonBuildFloorAct extends DragonActParts {
  decision: "build_floor";
  legal: DragonBuildFloor[];
}

/** The decision is `play_card`. */
export interface DragonPlayCardAct extends DragonActParts {
  decision: "play_card";
  legal: DragonPlayCard[];
}

/** The decision is `release_person`. */
export interface DragonReleasePersonAct extends DragonActParts {
  decision: "release_person";
  legal: DragonReleasePerson[];
}

/** The decision is `lose_floor`. */
export interface DragonLoseFloorAct extends DragonActParts {
  decision: "lose_floor";
  legal: DragonLoseFloor[];
}

/** The decision is `give_back`. */
export interface DragonGiveBackAct extends DragonActParts {
  decision: "give_back";
  legal: DragonGiveBack[];
}

/** The decision is `discard_card`. */
export interface DragonDiscardCardAct extends DragonActParts {
  decision: "discard_card";
  legal: DragonDiscardCard[];
}

/** The decision is `take_person`. */
export interface DragonTakePersonAct extends DragonActParts {
  decision: "take_person";
  legal: DragonTakePerson[];
}

/** The decision is `choose_type`. */
export interface DragonChooseTypeAct extends DragonActParts {
  decision: "choose_type";
  legal: DragonChooseType[];
}

/** A decision is due. */
export type DragonAct =
  | DragonDraftAct
  | DragonPlacePersonAct
  | DragonChooseActionAct
  | DragonBuildFloorAct
  | DragonPlayCardAct
  | DragonReleasePersonAct
  | DragonLoseFloorAct
  | DragonGiveBackAct
  | DragonDiscardCardAct
  | DragonTakePersonAct
  | DragonChooseTypeAct;

/** The game is over. */
export interface DragonEnd {
  type: "end";
  game_id: string;
  result: Result;
  events: DragonEvent[];
}

// -- forbidden_city ---------------------------------------------------------------------------------------------------

/** A tile before rotation: edges N E S W; one room part, or two of which the first touches N and E. */
export interface CityTile {
  edges: string;
  parts: string[];
  picture: Picture;
  count: number;
}

/** Room colours, and the tiles of each owner: those for every game, and the additional ones for two players. */
export interface CityTileSet {
  colours: string[];
  owned: Record<string, CityTile[]>;
  two: Record<string, CityTile[]>;
}

/** Options of The Forbidden City (rules page, section 1). */
export interface CityConfig {
  players: number; // number of players
  start_tile: StartTile; // which side of the start tile is up
  tile_set: string; // reconstructed, or a TOML file with another set
  tiles?: CityTileSet;
}

/** A decision that is due: its seat and its kind. Games add fields for its context. */
export interface CityTurn {
  seat: number;
  decision: string;
}

/** A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in hand. */
export interface CityTilesLeft {
  edges: string;
  parts: string[];
  picture: Picture;
  count: number;
  left: number[];
}

/** A room; all of it is open to all seats. */
export interface CityRoom {
  id: number;
  colour: string;
  cells: [number, number][];
  open_edges: number;
  advisors: number[];
  dragons: number;
  passages: number[];
  value?: number;
}

/** A laid tile, with the id of the room of each of its parts. */
export interface CityTileInRooms {
  x: number;
  y: number;
  rotation: number;
  seat?: number;
  tile: CityTile;
  rooms: number[];
}

/** The table as one seat sees it. */
export interface CityObservation {
  seat: number;
  turn: CityTurn;
  hand: CityTile;
  coins: number[];
  stacks: number[];
  in_hand: number[];
  left: CityTilesLeft[];
  rooms: CityRoom[];
  board: CityTileInRooms[];
}

/** Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter turns. */
export interface CityLayTile {
  x: number;
  y: number;
  rotation: number;
}

/** An action, by its kind of decision. */
export type CityAction = CityLayTile;

/** A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening, likewise. */
export interface CityDecisionEvent {
  type: "decision";
  seat: number;
  decision: string;
  action: CityAction;
  forced?: boolean;
  opening?: boolean;
}

/** A tile was laid. */
export interface CityTileLaid {
  type: "laid";
  seat: number;
  x: number;
  y: number;
  rotation: number;
  tile: CityTile;
}

/** A room was closed by a tile of `seat`: its cells, its value, and what it paid each seat. */
export interface CityRoomSettled {
  type: "settled";
  seat: number;
  cells: [number, number][];
  value: number;
  paid: number[];
}

/** At the end a player shows the tiles that were not drawn, and gets coins for them. */
export interface CityStackShown {
  type: "shown";
  seat: number;
  tiles: CityTile[];
  paid: number;
  coins: number;
}

/** Something that happened in a game, by its type. */
export type CityEvent = ChanceEvent | CityDecisionEvent | CityTileLaid | CityRoomSettled | CityStackShown;

/** A game begins. */
export interface CityStart {
  type: "start";
  game_id: string;
  game: string;
  config: CityConfig;
  seat: number;
  players: string[];
  clock: Clock;
  bot_seed: number;
}

/** What all questions of this game have. */
export interface CityActParts {
  type: "act";
  id: number;
  observation: CityObservation;
  events: CityEvent[];
  time_ms: number;
}

/** The decision is `lay_tile`. */
export interface CityLayTileAct extends CityActParts {
  decision: "lay_tile";
  legal: CityLayTile[];
}

/** A decision is due. */
export type CityAct = CityLayTileAct;

/** The game is over. */
export interface CityEnd {
  type: "end";
  game_id: string;
  result: Result;
  events: CityEvent[];
}

/** Everything that the referee sends. */
export type Message = Hello | FaultMessage | Quit | DragonStart | DragonAct | DragonEnd | CityStart | CityAct | CityEnd;
