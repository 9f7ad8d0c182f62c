//! What the referee sends. Generated from the JSON Schema of the protocol: don't edit, the next version of the kit
//! replaces it.
//!
//! `Option` fields are `None` where the message doesn't have them. Fields that are not declared here are ignored, and a
//! word that is not declared here is `Unknown`: later versions of the protocol may add some.

// A bot that reads only some of the fields is no reason for a warning.
#![allow(dead_code)]

use crate::decode::{choices, structs, words};
use crate::json::Json;
use std::collections::BTreeMap;

words! {
    pub enum FaultCode {
        BadMessage = "bad_message",
        Crash = "crash",
        IllegalAction = "illegal_action",
        Memory = "memory",
        Oversize = "oversize",
        ProtocolVersion = "protocol_version",
        StartupTimeout = "startup_timeout",
        Timeout = "timeout",
    }

    pub enum Edition {
        Anniversary = "anniversary",
        First = "first",
    }

    pub enum SuperEventOption {
        Assassination = "assassination",
        Buddha = "buddha",
        Charter = "charter",
        Earthquake = "earthquake",
        Flood = "flood",
        Lanternfest = "lanternfest",
        None = "none",
        Random = "random",
        SolarEclipse = "solar_eclipse",
        Sunrise = "sunrise",
        Tornado = "tornado",
        VolcanicEruption = "volcanic_eruption",
    }

    pub enum PersonType {
        CourtLady = "court_lady",
        Craftsman = "craftsman",
        Farmer = "farmer",
        Healer = "healer",
        Monk = "monk",
        Pyrotechnist = "pyrotechnist",
        Scholar = "scholar",
        TaxCollector = "tax_collector",
        Warrior = "warrior",
    }

    pub enum Age {
        Old = "old",
        Young = "young",
    }

    pub enum EventTile {
        Contagion = "contagion",
        DragonFestival = "dragon_festival",
        Drought = "drought",
        ImperialTribute = "imperial_tribute",
        MongolInvasion = "mongol_invasion",
        Peace = "peace",
    }

    pub enum SuperEvent {
        Assassination = "assassination",
        Buddha = "buddha",
        Charter = "charter",
        Earthquake = "earthquake",
        Flood = "flood",
        Lanternfest = "lanternfest",
        None = "none",
        SolarEclipse = "solar_eclipse",
        Sunrise = "sunrise",
        Tornado = "tornado",
        VolcanicEruption = "volcanic_eruption",
    }

    pub enum ActionCard {
        Build = "build",
        BuildWall = "build_wall",
        Fireworks = "fireworks",
        Harvest = "harvest",
        MilitaryParade = "military_parade",
        Privilege = "privilege",
        Research = "research",
        Taxes = "taxes",
    }

    pub enum Card {
        CourtLady = "court_lady",
        Craftsman = "craftsman",
        Farmer = "farmer",
        Healer = "healer",
        Monk = "monk",
        Pyrotechnist = "pyrotechnist",
        Scholar = "scholar",
        TaxCollector = "tax_collector",
        Warrior = "warrior",
        Wild = "wild",
    }

    pub enum WallTile {
        Fireworks = "fireworks",
        Palace = "palace",
        PersonTrack = "person_track",
        Points = "points",
        Rice = "rice",
        Yuan = "yuan",
    }

    pub enum ActionKind {
        Card = "card",
        Replenish = "replenish",
    }

    pub enum PrivilegeSize {
        Large = "large",
        Small = "small",
    }

    pub enum Counter {
        Fireworks = "fireworks",
        LargePrivileges = "large_privileges",
        Rice = "rice",
        Score = "score",
        SmallPrivileges = "small_privileges",
        Track = "track",
        Yuan = "yuan",
    }

    pub enum StartTile {
        Advanced = "advanced",
        Garden = "garden",
    }

    pub enum Picture {
        Advisors = "advisors",
        Dragon = "dragon",
        None = "none",
    }
}

structs! {
    /// The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory. Absent: no
    /// such limit.
    pub struct HelloLimits {
        line_bytes: i64,
        info_bytes: i64,
        startup_ms: i64,
        margin_ms: i64,
        quit_ms: i64,
        memory_mb: Option<i64>,
    }

    /// The first line to a bot.
    pub struct Hello {
        protocol: i64,
        referee: String,
        limits: HelloLimits,
    }

    /// What the bot did wrong.
    pub struct FaultMessage {
        code: FaultCode,
        message: String,
    }

    /// A draw that was made: its name, its round (where there is one per round), and its value.
    pub struct ChanceEvent {
        what: String,
        round: Option<i64>,
        value: Json<'static>,
    }

    /// The clock of a game, in milliseconds: a limit per decision, or a bank with an increment, or
    /// both.
    pub struct Clock {
        move_ms: Option<i64>,
        bank_ms: Option<i64>,
        increment_ms: Option<i64>,
    }

    /// How a game ended, by seat; a fault is its code.
    pub struct Result {
        scores: Vec<i64>,
        ranks: Vec<i64>,
        faults: Vec<Option<FaultCode>>,
    }

    /// Options of In the Year of the Dragon (rules page, section 1).
    pub struct DragonConfig {
        players: i64,
        edition: Edition,
        great_wall: bool,
        super_event: SuperEventOption,
    }

    /// A decision that is due, with its context.
    pub struct DragonTask {
        seat: i64,
        decision: String,
        person: Option<PersonType>,
        age: Option<Age>,
        reason: Option<String>,
        left: Option<i64>,
        palace: Option<i64>,
        hit: Option<Vec<i64>>,
    }

    /// A group of action cards and the seats that chose it this round.
    pub struct DragonActionGroup {
        cards: Vec<ActionCard>,
        taken_by: Vec<i64>,
    }

    /// Person tiles still to be had, by age and type.
    pub struct DragonDisplay {
        young: BTreeMap<String, i64>,
        old: BTreeMap<String, i64>,
    }

    /// A person tile.
    pub struct DragonPerson {
        person: PersonType,
        age: Age,
    }

    /// A palace: at most as many persons as floors, at most three floors.
    pub struct DragonPalace {
        id: i64,
        floors: i64,
        persons: Vec<DragonPerson>,
    }

    /// Everything of a player that is open to all.
    pub struct DragonPlayer {
        seat: i64,
        score: i64,
        track: i64,
        yuan: i64,
        rice: i64,
        fireworks: i64,
        small_privileges: i64,
        large_privileges: i64,
        palaces: Vec<DragonPalace>,
        next_palace: i64,
        hand_size: i64,
        played: Vec<Card>,
        discarded: Option<Vec<Card>>,
        wall_tiles: Option<Vec<WallTile>>,
    }

    /// The game as one seat sees it, built only from what is open to it.
    pub struct DragonObservation {
        round: i64,
        seat: i64,
        turn: DragonTask,
        order: Vec<i64>,
        event_row: Vec<EventTile>,
        super_event: SuperEvent,
        action_groups: Vec<DragonActionGroup>,
        display: DragonDisplay,
        hand: Vec<Card>,
        players: Vec<DragonPlayer>,
        wall: Option<Vec<i64>>,
    }

    /// Take two different types of young persons; they are placed in this order.
    pub struct DragonDraft {
        persons: (PersonType, PersonType),
    }

    /// Put the new person into `palace`, there in place of another (`replace`) if all is full, or
    /// send it away.
    pub struct DragonPlacePerson {
        palace: Option<i64>,
        replace: Option<DragonPerson>,
        refuse: Option<bool>,
    }

    /// Use a card of an action group, or take yuan up to three (`replenish`).
    pub struct DragonChooseAction {
        kind: ActionKind,
        group: Option<i64>,
        card: Option<ActionCard>,
        size: Option<PrivilegeSize>,
        wall_tile: Option<WallTile>,
    }

    /// Add a floor to `palace`; the player's next unused id starts a new palace.
    pub struct DragonBuildFloor {
        palace: i64,
    }

    /// Play `card` and take this person; no person where none of the card's type is left.
    pub struct DragonPlayCard {
        card: Card,
        person: Option<PersonType>,
        age: Option<Age>,
    }

    /// Let one person go.
    pub struct DragonReleasePerson {
        palace: i64,
        person: PersonType,
        age: Age,
    }

    /// Take one floor off `palace`.
    pub struct DragonLoseFloor {
        palace: i64,
    }

    /// Give back this many of each.
    pub struct DragonGiveBack {
        yuan: i64,
        rice: i64,
        fireworks: i64,
    }

    /// Discard a person card from the hand.
    pub struct DragonDiscardCard {
        card: Card,
    }

    /// Take a young person of this type.
    pub struct DragonTakePerson {
        person: PersonType,
    }

    /// Take the benefit of all own persons of this type.
    pub struct DragonChooseType {
        person: PersonType,
    }
}

choices! {
    /// An action, by its kind of decision.
    pub enum DragonAction {
        Draft(DragonDraft) = "draft",
        PlacePerson(DragonPlacePerson) = "place_person",
        ChooseAction(DragonChooseAction) = "choose_action",
        BuildFloor(DragonBuildFloor) = "build_floor",
        PlayCard(DragonPlayCard) = "play_card",
        ReleasePerson(DragonReleasePerson) = "release_person",
        LoseFloor(DragonLoseFloor) = "lose_floor",
        GiveBack(DragonGiveBack) = "give_back",
        DiscardCard(DragonDiscardCard) = "discard_card",
        TakePerson(DragonTakePerson) = "take_person",
        ChooseType(DragonChooseType) = "choose_type",
    }
}

structs! {
    /// A decision. `forced`: with one legal action, so no player was asked. `opening`: of the
    /// opening, likewise.
    pub struct DragonDecisionEvent {
        seat: i64,
        decision: String,
        action: DragonAction => by decision,
        forced: bool = false,
        opening: bool = false,
    }

    /// A number of a player changed by `by` and is now `to`. `reason` is the card, event or rule.
    pub struct DragonChange {
        seat: i64,
        what: Counter,
        by: i64,
        to: i64,
        reason: String,
    }

    /// The event of the round, or the super event, is carried out.
    pub struct DragonEventStrikes {
        round: i64,
        event: String,
    }

    /// What the final scoring brought a player: for persons, monks and money, and the score in the
    /// end.
    pub struct DragonFinalScore {
        seat: i64,
        persons: i64,
        monks: i64,
        money: i64,
        score: i64,
    }

    /// The number of floors of a palace changed; with 0 it is gone.
    pub struct DragonPalaceChanged {
        seat: i64,
        palace: i64,
        floors: i64,
        reason: String,
    }

    /// A person left the game; without `palace` it was refused at the door.
    pub struct DragonPersonLeft {
        seat: i64,
        palace: Option<i64>,
        person: PersonType,
        age: Age,
        reason: String,
    }

    /// A person moved into a palace.
    pub struct DragonPersonPlaced {
        seat: i64,
        palace: i64,
        person: PersonType,
        age: Age,
    }

    /// A round is over: scores and markers by seat, and the order of play.
    pub struct DragonRoundEnd {
        round: i64,
        scores: Vec<i64>,
        track: Vec<i64>,
        order: Vec<i64>,
    }

    /// A tile was added to the Great Wall; `length` is its new length.
    pub struct DragonWallBuilt {
        seat: i64,
        wall_tile: WallTile,
        length: i64,
    }
}

choices! {
    /// Something that happened in a game, by its type.
    pub enum DragonEvent by "type" {
        ChanceEvent(ChanceEvent) = "chance",
        DecisionEvent(DragonDecisionEvent) = "decision",
        Change(DragonChange) = "change",
        EventStrikes(DragonEventStrikes) = "event",
        FinalScore(DragonFinalScore) = "final",
        PalaceChanged(DragonPalaceChanged) = "palace",
        PersonLeft(DragonPersonLeft) = "person_left",
        PersonPlaced(DragonPersonPlaced) = "person_placed",
        RoundEnd(DragonRoundEnd) = "round",
        WallBuilt(DragonWallBuilt) = "wall",
    }
}

structs! {
    /// A game begins.
    pub struct DragonStart {
        game_id: String,
        game: String,
        config: DragonConfig,
        seat: i64,
        players: Vec<String>,
        clock: Clock,
        bot_seed: i64,
    }

    /// A decision is due.
    pub struct DragonAct {
        id: i64,
        decision: String,
        observation: DragonObservation,
        legal: Vec<DragonAction> => by decision,
        events: Vec<DragonEvent> = Vec::new(),
        time_ms: i64,
    }

    /// The game is over.
    pub struct DragonEnd {
        game_id: String,
        result: Result,
        events: Vec<DragonEvent> = Vec::new(),
    }

    /// A tile before rotation: edges N E S W; one room part, or two of which the first touches N
    /// and E.
    pub struct CityTile {
        edges: String,
        parts: Vec<String>,
        picture: Picture,
        count: i64,
    }

    /// Room colours, and the tiles of each owner: those for every game, and the additional ones for
    /// two players.
    pub struct CityTileSet {
        colours: Vec<String>,
        owned: BTreeMap<String, Vec<CityTile>>,
        two: BTreeMap<String, Vec<CityTile>>,
    }

    /// Options of The Forbidden City (rules page, section 1).
    pub struct CityConfig {
        players: i64,
        start_tile: StartTile,
        tile_set: String,
        tiles: Option<CityTileSet>,
    }

    /// A decision that is due: its seat and its kind. Games add fields for its context.
    pub struct CityTurn {
        seat: i64,
        decision: String,
    }

    /// A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in
    /// hand.
    pub struct CityTilesLeft {
        edges: String,
        parts: Vec<String>,
        picture: Picture,
        count: i64,
        left: Vec<i64>,
    }

    /// A room; all of it is open to all seats.
    pub struct CityRoom {
        id: i64,
        colour: String,
        cells: Vec<(i64, i64)>,
        open_edges: i64,
        advisors: Vec<i64>,
        dragons: i64,
        passages: Vec<i64>,
        value: Option<i64>,
    }

    /// A laid tile, with the id of the room of each of its parts.
    pub struct CityTileInRooms {
        x: i64,
        y: i64,
        rotation: i64,
        seat: Option<i64>,
        tile: CityTile,
        rooms: Vec<i64>,
    }

    /// The table as one seat sees it.
    pub struct CityObservation {
        seat: i64,
        turn: CityTurn,
        hand: CityTile,
        coins: Vec<i64>,
        stacks: Vec<i64>,
        in_hand: Vec<i64>,
        left: Vec<CityTilesLeft>,
        rooms: Vec<CityRoom>,
        board: Vec<CityTileInRooms>,
    }

    /// Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter turns.
    pub struct CityLayTile {
        x: i64,
        y: i64,
        rotation: i64,
    }
}

choices! {
    /// An action, by its kind of decision.
    pub enum CityAction {
        LayTile(CityLayTile) = "lay_tile",
    }
}

structs! {
    /// A decision. `forced`: with one legal action, so no player was asked. `opening`: of the
    /// opening, likewise.
    pub struct CityDecisionEvent {
        seat: i64,
        decision: String,
        action: CityAction => by decision,
        forced: bool = false,
        opening: bool = false,
    }

    /// A tile was laid.
    pub struct CityTileLaid {
        seat: i64,
        x: i64,
        y: i64,
        rotation: i64,
        tile: CityTile,
    }

    /// A room was closed by a tile of `seat`: its cells, its value, and what it paid each seat.
    pub struct CityRoomSettled {
        seat: i64,
        cells: Vec<(i64, i64)>,
        value: i64,
        paid: Vec<i64>,
    }

    /// At the end a player shows the tiles that were not drawn, and gets coins for them.
    pub struct CityStackShown {
        seat: i64,
        tiles: Vec<CityTile>,
        paid: i64,
        coins: i64,
    }
}

choices! {
    /// Something that happened in a game, by its type.
    pub enum CityEvent by "type" {
        ChanceEvent(ChanceEvent) = "chance",
        DecisionEvent(CityDecisionEvent) = "decision",
        TileLaid(CityTileLaid) = "laid",
        RoomSettled(CityRoomSettled) = "settled",
        StackShown(CityStackShown) = "shown",
    }
}

structs! {
    /// A game begins.
    pub struct CityStart {
        game_id: String,
        game: String,
        config: CityConfig,
        seat: i64,
        players: Vec<String>,
        clock: Clock,
        bot_seed: i64,
    }

    /// A decision is due.
    pub struct CityAct {
        id: i64,
        decision: String,
        observation: CityObservation,
        legal: Vec<CityAction> => by decision,
        events: Vec<CityEvent> = Vec::new(),
        time_ms: i64,
    }

    /// The game is over.
    pub struct CityEnd {
        game_id: String,
        result: Result,
        events: Vec<CityEvent> = Vec::new(),
    }
}
