// What the referee sends. Generated from the JSON Schema of the protocol: DO NOT EDIT, the next version of the kit
// replaces it.
//
// Where a message doesn't have a field, a pointer or a list is nil, and a string is empty. Fields that are not declared
// here are ignored; an action or an event of a kind that is not declared here is nil: later versions of the protocol
// may add some.

package main

import "encoding/json"

// readActions reads the actions of a decision.
func readActions[T any](decision string, items []json.RawMessage,
	read func(string, json.RawMessage) (T, error)) (out []T, err error) {
	out = make([]T, len(items))
	for i := 0; i < len(items) && err == nil; i++ {
		out[i], err = read(decision, items[i])
	}
	return out, err
}

// readEvents reads events by their types.
func readEvents[T any](data []byte, read func(string, json.RawMessage) (T, error)) (out []T, err error) {
	var items []json.RawMessage
	err = json.Unmarshal(data, &items)
	out = make([]T, len(items))
	for i := 0; i < len(items) && err == nil; i++ {
		var kind struct{ Type string }
		if err = json.Unmarshal(items[i], &kind); err == nil {
			out[i], err = read(kind.Type, items[i])
		}
	}
	return out, err
}

type FaultCode string

const (
	FaultCodeBadMessage      FaultCode = "bad_message"
	FaultCodeCrash           FaultCode = "crash"
	FaultCodeIllegalAction   FaultCode = "illegal_action"
	FaultCodeMemory          FaultCode = "memory"
	FaultCodeOversize        FaultCode = "oversize"
	FaultCodeProtocolVersion FaultCode = "protocol_version"
	FaultCodeStartupTimeout  FaultCode = "startup_timeout"
	FaultCodeTimeout         FaultCode = "timeout"
)

type Edition string

const (
	EditionAnniversary Edition = "anniversary"
	EditionFirst       Edition = "first"
)

type SuperEventOption string

const (
	SuperEventOptionAssassination    SuperEventOption = "assassination"
	SuperEventOptionBuddha           SuperEventOption = "buddha"
	SuperEventOptionCharter          SuperEventOption = "charter"
	SuperEventOptionEarthquake       SuperEventOption = "earthquake"
	SuperEventOptionFlood            SuperEventOption = "flood"
	SuperEventOptionLanternfest      SuperEventOption = "lanternfest"
	SuperEventOptionNone             SuperEventOption = "none"
	SuperEventOptionRandom           SuperEventOption = "random"
	SuperEventOptionSolarEclipse     SuperEventOption = "solar_eclipse"
	SuperEventOptionSunrise          SuperEventOption = "sunrise"
	SuperEventOptionTornado          SuperEventOption = "tornado"
	SuperEventOptionVolcanicEruption SuperEventOption = "volcanic_eruption"
)

type PersonType string

const (
	PersonTypeCourtLady    PersonType = "court_lady"
	PersonTypeCraftsman    PersonType = "craftsman"
	PersonTypeFarmer       PersonType = "farmer"
	PersonTypeHealer       PersonType = "healer"
	PersonTypeMonk         PersonType = "monk"
	PersonTypePyrotechnist PersonType = "pyrotechnist"
	PersonTypeScholar      PersonType = "scholar"
	PersonTypeTaxCollector PersonType = "tax_collector"
	PersonTypeWarrior      PersonType = "warrior"
)

type Age string

const (
	AgeOld   Age = "old"
	AgeYoung Age = "young"
)

type EventTile string

const (
	EventTileContagion       EventTile = "contagion"
	EventTileDragonFestival  EventTile = "dragon_festival"
	EventTileDrought         EventTile = "drought"
	EventTileImperialTribute EventTile = "imperial_tribute"
	EventTileMongolInvasion  EventTile = "mongol_invasion"
	EventTilePeace           EventTile = "peace"
)

type SuperEvent string

const (
	SuperEventAssassination    SuperEvent = "assassination"
	SuperEventBuddha           SuperEvent = "buddha"
	SuperEventCharter          SuperEvent = "charter"
	SuperEventEarthquake       SuperEvent = "earthquake"
	SuperEventFlood            SuperEvent = "flood"
	SuperEventLanternfest      SuperEvent = "lanternfest"
	SuperEventNone             SuperEvent = "none"
	SuperEventSolarEclipse     SuperEvent = "solar_eclipse"
	SuperEventSunrise          SuperEvent = "sunrise"
	SuperEventTornado          SuperEvent = "tornado"
	SuperEventVolcanicEruption SuperEvent = "volcanic_eruption"
)

type ActionCard string

const (
	ActionCardBuild          ActionCard = "build"
	ActionCardBuildWall      ActionCard = "build_wall"
	ActionCardFireworks      ActionCard = "fireworks"
	ActionCardHarvest        ActionCard = "harvest"
	ActionCardMilitaryParade ActionCard = "military_parade"
	ActionCardPrivilege      ActionCard = "privilege"
	ActionCardResearch       ActionCard = "research"
	ActionCardTaxes          ActionCard = "taxes"
)

type Card string

const (
	CardCourtLady    Card = "court_lady"
	CardCraftsman    Card = "craftsman"
	CardFarmer       Card = "farmer"
	CardHealer       Card = "healer"
	CardMonk         Card = "monk"
	CardPyrotechnist Card = "pyrotechnist"
	CardScholar      Card = "scholar"
	CardTaxCollector Card = "tax_collector"
	CardWarrior      Card = "warrior"
	CardWild         Card = "wild"
)

type WallTile string

const (
	WallTileFireworks   WallTile = "fireworks"
	WallTilePalace      WallTile = "palace"
	WallTilePersonTrack WallTile = "person_track"
	WallTilePoints      WallTile = "points"
	WallTileRice        WallTile = "rice"
	WallTileYuan        WallTile = "yuan"
)

type ActionKind string

const (
	ActionKindCard      ActionKind = "card"
	ActionKindReplenish ActionKind = "replenish"
)

type PrivilegeSize string

const (
	PrivilegeSizeLarge PrivilegeSize = "large"
	PrivilegeSizeSmall PrivilegeSize = "small"
)

type Counter string

const (
	CounterFireworks       Counter = "fireworks"
	CounterLargePrivileges Counter = "large_privileges"
	CounterRice            Counter = "rice"
	CounterScore           Counter = "score"
	CounterSmallPrivileges Counter = "small_privileges"
	CounterTrack           Counter = "track"
	CounterYuan            Counter = "yuan"
)

type StartTile string

const (
	StartTileAdvanced StartTile = "advanced"
	StartTileGarden   StartTile = "garden"
)

type Picture string

const (
	PictureAdvisors Picture = "advisors"
	PictureDragon   Picture = "dragon"
	PictureNone     Picture = "none"
)

// HelloLimits: The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory.
// Absent: no such limit.
type HelloLimits struct {
	LineBytes int  `json:"line_bytes"`
	InfoBytes int  `json:"info_bytes"`
	StartupMs int  `json:"startup_ms"`
	MarginMs  int  `json:"margin_ms"`
	QuitMs    int  `json:"quit_ms"`
	MemoryMb  *int `json:"memory_mb"`
}

// Hello: The first line to a bot.
type Hello struct {
	Protocol int         `json:"protocol"`
	Referee  string      `json:"referee"`
	Limits   HelloLimits `json:"limits"`
}

// FaultMessage: What the bot did wrong.
type FaultMessage struct {
	Code    FaultCode `json:"code"`
	Message string    `json:"message"`
}

// ChanceEvent: A draw that was made: its name, its round (where there is one per round), and its
// value.
type ChanceEvent struct {
	What  string          `json:"what"`
	Round *int            `json:"round"`
	Value json.RawMessage `json:"value"`
}

// Clock: The clock of a game, in milliseconds: a limit per decision, or a bank with an increment,
// or both.
type Clock struct {
	MoveMs      *int `json:"move_ms"`
	BankMs      *int `json:"bank_ms"`
	IncrementMs *int `json:"increment_ms"`
}

// Result: How a game ended, by seat; a fault is its code.
type Result struct {
	Scores []int       `json:"scores"`
	Ranks  []int       `json:"ranks"`
	Faults []FaultCode `json:"faults"`
}

// DragonConfig: Options of In the Year of the Dragon (rules page, section 1).
type DragonConfig struct {
	Players    int              `json:"players"`
	Edition    Edition          `json:"edition"`
	GreatWall  bool             `json:"great_wall"`
	SuperEvent SuperEventOption `json:"super_event"`
}

// DragonTask: A decision that is due, with its context.
type DragonTask struct {
	Seat     int        `json:"seat"`
	Decision string     `json:"decision"`
	Person   PersonType `json:"person"`
	Age      Age        `json:"age"`
	Reason   string     `json:"reason"`
	Left     *int       `json:"left"`
	Palace   *int       `json:"palace"`
	Hit      []int      `json:"hit"`
}

// DragonActionGroup: A group of action cards and the seats that chose it this round.
type DragonActionGroup struct {
	Cards   []ActionCard `json:"cards"`
	TakenBy []int        `json:"taken_by"`
}

// DragonDisplay: Person tiles still to be had, by age and type.
type DragonDisplay struct {
	Young map[string]int `json:"young"`
	Old   map[string]int `json:"old"`
}

// DragonPerson: A person tile.
type DragonPerson struct {
	Person PersonType `json:"person"`
	Age    Age        `json:"age"`
}

// DragonPalace: A palace: at most as many persons as floors, at most three floors.
type DragonPalace struct {
	ID      int            `json:"id"`
	Floors  int            `json:"floors"`
	Persons []DragonPerson `json:"persons"`
}

// DragonPlayer: Everything of a player that is open to all.
type DragonPlayer struct {
	Seat            int            `json:"seat"`
	Score           int            `json:"score"`
	Track           int            `json:"track"`
	Yuan            int            `json:"yuan"`
	Rice            int            `json:"rice"`
	Fireworks       int            `json:"fireworks"`
	SmallPrivileges int            `json:"small_privileges"`
	LargePrivileges int            `json:"large_privileges"`
	Palaces         []DragonPalace `json:"palaces"`
	NextPalace      int            `json:"next_palace"`
	HandSize        int            `json:"hand_size"`
	Played          []Card         `json:"played"`
	Discarded       []Card         `json:"discarded"`
	WallTiles       []WallTile     `json:"wall_tiles"`
}

// DragonObservation: The game as one seat sees it, built only from what is open to it.
type DragonObservation struct {
	Round        int                 `json:"round"`
	Seat         int                 `json:"seat"`
	Turn         DragonTask          `json:"turn"`
	Order        []int               `json:"order"`
	EventRow     []EventTile         `json:"event_row"`
	SuperEvent   SuperEvent          `json:"super_event"`
	ActionGroups []DragonActionGroup `json:"action_groups"`
	Display      DragonDisplay       `json:"display"`
	Hand         []Card              `json:"hand"`
	Players      []DragonPlayer      `json:"players"`
	Wall         []int               `json:"wall"`
}

// DragonDraft: Take two different types of young persons; they are placed in this order.
type DragonDraft struct {
	Persons [2]PersonType `json:"persons"`
}

// DragonPlacePerson: Put the new person into `palace`, there in place of another (`replace`) if all
// is full, or send it away.
type DragonPlacePerson struct {
	Palace  *int          `json:"palace"`
	Replace *DragonPerson `json:"replace"`
	Refuse  bool          `json:"refuse"`
}

// DragonChooseAction: Use a card of an action group, or take yuan up to three (`replenish`).
type DragonChooseAction struct {
	Kind     ActionKind    `json:"kind"`
	Group    *int          `json:"group"`
	Card     ActionCard    `json:"card"`
	Size     PrivilegeSize `json:"size"`
	WallTile WallTile      `json:"wall_tile"`
}

// DragonBuildFloor: Add a floor to `palace`; the player's next unused id starts a new palace.
type DragonBuildFloor struct {
	Palace int `json:"palace"`
}

// DragonPlayCard: Play `card` and take this person; no person where none of the card's type is
// left.
type DragonPlayCard struct {
	Card   Card       `json:"card"`
	Person PersonType `json:"person"`
	Age    Age        `json:"age"`
}

// DragonReleasePerson: Let one person go.
type DragonReleasePerson struct {
	Palace int        `json:"palace"`
	Person PersonType `json:"person"`
	Age    Age        `json:"age"`
}

// DragonLoseFloor: Take one floor off `palace`.
type DragonLoseFloor struct {
	Palace int `json:"palace"`
}

// DragonGiveBack: Give back this many of each.
type DragonGiveBack struct {
	Yuan      int `json:"yuan"`
	Rice      int `json:"rice"`
	Fireworks int `json:"fireworks"`
}

// DragonDiscardCard: Discard a person card from the hand.
type DragonDiscardCard struct {
	Card Card `json:"card"`
}

// DragonTakePerson: Take a young person of this type.
type DragonTakePerson struct {
	Person PersonType `json:"person"`
}

// DragonChooseType: Take the benefit of all own persons of this type.
type DragonChooseType struct {
	Person PersonType `json:"person"`
}

// DragonAction: An action, by its kind of decision. One of *DragonDraft, *DragonPlacePerson,
// *DragonChooseAction, *DragonBuildFloor, *DragonPlayCard, *DragonReleasePerson, *DragonLoseFloor,
// *DragonGiveBack, *DragonDiscardCard, *DragonTakePerson, *DragonChooseType.
type DragonAction interface{ isDragonAction() }

func (*DragonDraft) isDragonAction()         {}
func (*DragonPlacePerson) isDragonAction()   {}
func (*DragonChooseAction) isDragonAction()  {}
func (*DragonBuildFloor) isDragonAction()    {}
func (*DragonPlayCard) isDragonAction()      {}
func (*DragonReleasePerson) isDragonAction() {}
func (*DragonLoseFloor) isDragonAction()     {}
func (*DragonGiveBack) isDragonAction()      {}
func (*DragonDiscardCard) isDragonAction()   {}
func (*DragonTakePerson) isDragonAction()    {}
func (*DragonChooseType) isDragonAction()    {}

func readDragonAction(kind string, data json.RawMessage) (out DragonAction, err error) {
	switch kind {
	case "draft":
		out = new(DragonDraft)
	case "place_person":
		out = new(DragonPlacePerson)
	case "choose_action":
		out = new(DragonChooseAction)
	case "build_floor":
		out = new(DragonBuildFloor)
	case "play_card":
		out = new(DragonPlayCard)
	case "release_person":
		out = new(DragonReleasePerson)
	case "lose_floor":
		out = new(DragonLoseFloor)
	case "give_back":
		out = new(DragonGiveBack)
	case "discard_card":
		out = new(DragonDiscardCard)
	case "take_person":
		out = new(DragonTakePerson)
	case "choose_type":
		out = new(DragonChooseType)
	default:
		return nil, nil
	}
	return out, json.Unmarshal(data, out)
}

// DragonDecisionEvent: A decision. `forced`: with one legal action, so no player was asked.
// `opening`: of the opening, likewise.
type DragonDecisionEvent struct {
	Seat     int          `json:"seat"`
	Decision string       `json:"decision"`
	Action   DragonAction `json:"-"`
	Forced   bool         `json:"forced"`
	Opening  bool         `json:"opening"`
}

func (out *DragonDecisionEvent) UnmarshalJSON(data []byte) error {
	type fields DragonDecisionEvent
	message := struct {
		*fields
		Action json.RawMessage `json:"action"`
	}{fields: (*fields)(out)}
	err := json.Unmarshal(data, &message)
	if err == nil {
		out.Action, err = readDragonAction(message.Decision, message.Action)
	}
	return err
}

// DragonChange: A number of a player changed by `by` and is now `to`. `reason` is the card, event
// or rule.
type DragonChange struct {
	Seat   int     `json:"seat"`
	What   Counter `json:"what"`
	By     int     `json:"by"`
	To     int     `json:"to"`
	Reason string  `json:"reason"`
}

// DragonEventStrikes: The event of the round, or the super event, is carried out.
type DragonEventStrikes struct {
	Round int    `json:"round"`
	Event string `json:"event"`
}

// DragonFinalScore: What the final scoring brought a player: for persons, monks and money, and the
// score in the end.
type DragonFinalScore struct {
	Seat    int `json:"seat"`
	Persons int `json:"persons"`
	Monks   int `json:"monks"`
	Money   int `json:"money"`
	Score   int `json:"score"`
}

// DragonPalaceChanged: The number of floors of a palace changed; with 0 it is gone.
type DragonPalaceChanged struct {
	Seat   int    `json:"seat"`
	Palace int    `json:"palace"`
	Floors int    `json:"floors"`
	Reason string `json:"reason"`
}

// DragonPersonLeft: A person left the game; without `palace` it was refused at the door.
type DragonPersonLeft struct {
	Seat   int        `json:"seat"`
	Palace *int       `json:"palace"`
	Person PersonType `json:"person"`
	Age    Age        `json:"age"`
	Reason string     `json:"reason"`
}

// DragonPersonPlaced: A person moved into a palace.
type DragonPersonPlaced struct {
	Seat   int        `json:"seat"`
	Palace int        `json:"palace"`
	Person PersonType `json:"person"`
	Age    Age        `json:"age"`
}

// DragonRoundEnd: A round is over: scores and markers by seat, and the order of play.
type DragonRoundEnd struct {
	Round  int   `json:"round"`
	Scores []int `json:"scores"`
	Track  []int `json:"track"`
	Order  []int `json:"order"`
}

// DragonWallBuilt: A tile was added to the Great Wall; `length` is its new length.
type DragonWallBuilt struct {
	Seat     int      `json:"seat"`
	WallTile WallTile `json:"wall_tile"`
	Length   int      `json:"length"`
}

// DragonEvent: Something that happened in a game, by its type. One of *ChanceEvent,
// *DragonDecisionEvent, *DragonChange, *DragonEventStrikes, *DragonFinalScore,
// *DragonPalaceChanged, *DragonPersonLeft, *DragonPersonPlaced, *DragonRoundEnd, *DragonWallBuilt.
type DragonEvent interface{ isDragonEvent() }

func (*ChanceEvent) isDragonEvent()         {}
func (*DragonDecisionEvent) isDragonEvent() {}
func (*DragonChange) isDragonEvent()        {}
func (*DragonEventStrikes) isDragonEvent()  {}
func (*DragonFinalScore) isDragonEvent()    {}
func (*DragonPalaceChanged) isDragonEvent() {}
func (*DragonPersonLeft) isDragonEvent()    {}
func (*DragonPersonPlaced) isDragonEvent()  {}
func (*DragonRoundEnd) isDragonEvent()      {}
func (*DragonWallBuilt) isDragonEvent()     {}

func readDragonEvent(kind string, data json.RawMessage) (out DragonEvent, err error) {
	switch kind {
	case "chance":
		out = new(ChanceEvent)
	case "decision":
		out = new(DragonDecisionEvent)
	case "change":
		out = new(DragonChange)
	case "event":
		out = new(DragonEventStrikes)
	case "final":
		out = new(DragonFinalScore)
	case "palace":
		out = new(DragonPalaceChanged)
	case "person_left":
		out = new(DragonPersonLeft)
	case "person_placed":
		out = new(DragonPersonPlaced)
	case "round":
		out = new(DragonRoundEnd)
	case "wall":
		out = new(DragonWallBuilt)
	default:
		return nil, nil
	}
	return out, json.Unmarshal(data, out)
}

type DragonEvents []DragonEvent

func (out *DragonEvents) UnmarshalJSON(data []byte) (err error) {
	*out, err = readEvents(data, readDragonEvent)
	return err
}

// DragonStart: A game begins.
type DragonStart struct {
	GameID  string       `json:"game_id"`
	Game    string       `json:"game"`
	Config  DragonConfig `json:"config"`
	Seat    int          `json:"seat"`
	Players []string     `json:"players"`
	Clock   Clock        `json:"clock"`
	BotSeed int64        `json:"bot_seed"`
}

// DragonAct: A decision is due.
type DragonAct struct {
	ID          int               `json:"id"`
	Decision    string            `json:"decision"`
	Observation DragonObservation `json:"observation"`
	Legal       []DragonAction    `json:"-"`
	Events      DragonEvents      `json:"events"`
	TimeMs      int               `json:"time_ms"`
}

func (out *DragonAct) UnmarshalJSON(data []byte) error {
	type fields DragonAct
	message := struct {
		*fields
		Legal []json.RawMessage `json:"legal"`
	}{fields: (*fields)(out)}
	err := json.Unmarshal(data, &message)
	if err == nil {
		out.Legal, err = readActions(message.Decision, message.Legal, readDragonAction)
	}
	return err
}

// DragonEnd: The game is over.
type DragonEnd struct {
	GameID string       `json:"game_id"`
	Result Result       `json:"result"`
	Events DragonEvents `json:"events"`
}

// CityTile: A tile before rotation: edges N E S W; one room part, or two of which the first touches
// N and E.
type CityTile struct {
	Edges   string   `json:"edges"`
	Parts   []string `json:"parts"`
	Picture Picture  `json:"picture"`
	Count   int      `json:"count"`
}

// CityTileSet: Room colours, and the tiles of each owner: those for every game, and the additional
// ones for two players.
type CityTileSet struct {
	Colours []string              `json:"colours"`
	Owned   map[string][]CityTile `json:"owned"`
	Two     map[string][]CityTile `json:"two"`
}

// CityConfig: Options of The Forbidden City (rules page, section 1).
type CityConfig struct {
	Players   int          `json:"players"`
	StartTile StartTile    `json:"start_tile"`
	TileSet   string       `json:"tile_set"`
	Tiles     *CityTileSet `json:"tiles"`
}

// CityTurn: A decision that is due: its seat and its kind. Games add fields for its context.
type CityTurn struct {
	Seat     int    `json:"seat"`
	Decision string `json:"decision"`
}

// CityTilesLeft: A kind of tile, and how many of it each seat has neither laid nor, for the own
// seat, in hand.
type CityTilesLeft struct {
	Edges   string   `json:"edges"`
	Parts   []string `json:"parts"`
	Picture Picture  `json:"picture"`
	Count   int      `json:"count"`
	Left    []int    `json:"left"`
}

// CityRoom: A room; all of it is open to all seats.
type CityRoom struct {
	ID        int      `json:"id"`
	Colour    string   `json:"colour"`
	Cells     [][2]int `json:"cells"`
	OpenEdges int      `json:"open_edges"`
	Advisors  []int    `json:"advisors"`
	Dragons   int      `json:"dragons"`
	Passages  []int    `json:"passages"`
	Value     *int     `json:"value"`
}

// CityTileInRooms: A laid tile, with the id of the room of each of its parts.
type CityTileInRooms struct {
	X        int      `json:"x"`
	Y        int      `json:"y"`
	Rotation int      `json:"rotation"`
	Seat     *int     `json:"seat"`
	Tile     CityTile `json:"tile"`
	Rooms    []int    `json:"rooms"`
}

// CityObservation: The table as one seat sees it.
type CityObservation struct {
	Seat   int               `json:"seat"`
	Turn   CityTurn          `json:"turn"`
	Hand   CityTile          `json:"hand"`
	Coins  []int             `json:"coins"`
	Stacks []int             `json:"stacks"`
	InHand []int             `json:"in_hand"`
	Left   []CityTilesLeft   `json:"left"`
	Rooms  []CityRoom        `json:"rooms"`
	Board  []CityTileInRooms `json:"board"`
}

// CityLayTile: Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter
// turns.
type CityLayTile struct {
	X        int `json:"x"`
	Y        int `json:"y"`
	Rotation int `json:"rotation"`
}

// CityAction: An action, by its kind of decision. One of *CityLayTile.
type CityAction interface{ isCityAction() }

func (*CityLayTile) isCityAction() {}

func readCityAction(kind string, data json.RawMessage) (out CityAction, err error) {
	switch kind {
	case "lay_tile":
		out = new(CityLayTile)
	default:
		return nil, nil
	}
	return out, json.Unmarshal(data, out)
}

// CityDecisionEvent: A decision. `forced`: with one legal action, so no player was asked.
// `opening`: of the opening, likewise.
type CityDecisionEvent struct {
	Seat     int        `json:"seat"`
	Decision string     `json:"decision"`
	Action   CityAction `json:"-"`
	Forced   bool       `json:"forced"`
	Opening  bool       `json:"opening"`
}

func (out *CityDecisionEvent) UnmarshalJSON(data []byte) error {
	type fields CityDecisionEvent
	message := struct {
		*fields
		Action json.RawMessage `json:"action"`
	}{fields: (*fields)(out)}
	err := json.Unmarshal(data, &message)
	if err == nil {
		out.Action, err = readCityAction(message.Decision, message.Action)
	}
	return err
}

// CityTileLaid: A tile was laid.
type CityTileLaid struct {
	Seat     int      `json:"seat"`
	X        int      `json:"x"`
	Y        int      `json:"y"`
	Rotation int      `json:"rotation"`
	Tile     CityTile `json:"tile"`
}

// CityRoomSettled: A room was closed by a tile of `seat`: its cells, its value, and what it paid
// each seat.
type CityRoomSettled struct {
	Seat  int      `json:"seat"`
	Cells [][2]int `json:"cells"`
	Value int      `json:"value"`
	Paid  []int    `json:"paid"`
}

// CityStackShown: At the end a player shows the tiles that were not drawn, and gets coins for them.
type CityStackShown struct {
	Seat  int        `json:"seat"`
	Tiles []CityTile `json:"tiles"`
	Paid  int        `json:"paid"`
	Coins int        `json:"coins"`
}

// CityEvent: Something that happened in a game, by its type. One of *ChanceEvent,
// *CityDecisionEvent, *CityTileLaid, *CityRoomSettled, *CityStackShown.
type CityEvent interface{ isCityEvent() }

func (*ChanceEvent) isCityEvent()       {}
func (*CityDecisionEvent) isCityEvent() {}
func (*CityTileLaid) isCityEvent()      {}
func (*CityRoomSettled) isCityEvent()   {}
func (*CityStackShown) isCityEvent()    {}

func readCityEvent(kind string, data json.RawMessage) (out CityEvent, err error) {
	switch kind {
	case "chance":
		out = new(ChanceEvent)
	case "decision":
		out = new(CityDecisionEvent)
	case "laid":
		out = new(CityTileLaid)
	case "settled":
		out = new(CityRoomSettled)
	case "shown":
		out = new(CityStackShown)
	default:
		return nil, nil
	}
	return out, json.Unmarshal(data, out)
}

type CityEvents []CityEvent

func (out *CityEvents) UnmarshalJSON(data []byte) (err error) {
	*out, err = readEvents(data, readCityEvent)
	return err
}

// CityStart: A game begins.
type CityStart struct {
	GameID  string     `json:"game_id"`
	Game    string     `json:"game"`
	Config  CityConfig `json:"config"`
	Seat    int        `json:"seat"`
	Players []string   `json:"players"`
	Clock   Clock      `json:"clock"`
	BotSeed int64      `json:"bot_seed"`
}

// CityAct: A decision is due.
type CityAct struct {
	ID          int             `json:"id"`
	Decision    string          `json:"decision"`
	Observation CityObservation `json:"observation"`
	Legal       []CityAction    `json:"-"`
	Events      CityEvents      `json:"events"`
	TimeMs      int             `json:"time_ms"`
}

func (out *CityAct) UnmarshalJSON(data []byte) error {
	type fields CityAct
	message := struct {
		*fields
		Legal []json.RawMessage `json:"legal"`
	}{fields: (*fields)(out)}
	err := json.Unmarshal(data, &message)
	if err == nil {
		out.Legal, err = readActions(message.Decision, message.Legal, readCityAction)
	}
	return err
}

// CityEnd: The game is over.
type CityEnd struct {
	GameID string     `json:"game_id"`
	Result Result     `json:"result"`
	Events CityEvents `json:"events"`
}
