package bot;

import java.util.List;
import java.util.Locale;
import java.util.Map;

// Generated from the JSON Schema of the protocol. Don't edit: the next version of the kit replaces it.
//
// What the referee sends. A value that is absent is null, a list that is absent is empty, and an absent flag is false.
// What this version doesn't know is ignored: unknown fields are left out, an unknown word is UNKNOWN, and an event or
// action of an unknown kind is an Unknown….
final class Messages {
    /** The constant that a word of a message names, or UNKNOWN. */
    private static <E extends Enum<E>> E word(Class<E> kind, Json json) {
        for (E each : kind.getEnumConstants()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(json.asString())) {
                return each;
            }
        }
        return Enum.valueOf(kind, "UNKNOWN");
    }

    enum FaultCode {
        BAD_MESSAGE,
        CRASH,
        ILLEGAL_ACTION,
        MEMORY,
        OVERSIZE,
        PROTOCOL_VERSION,
        STARTUP_TIMEOUT,
        TIMEOUT,
        UNKNOWN;

        static FaultCode from(Json json) {
            return word(FaultCode.class, json);
        }
    }

    enum Edition {
        ANNIVERSARY,
        FIRST,
        UNKNOWN;

        static Edition from(Json json) {
            return word(Edition.class, json);
        }
    }

    enum SuperEventOption {
        ASSASSINATION,
        BUDDHA,
        CHARTER,
        EARTHQUAKE,
        FLOOD,
        LANTERNFEST,
        NONE,
        RANDOM,
        SOLAR_ECLIPSE,
        SUNRISE,
        TORNADO,
        VOLCANIC_ERUPTION,
        UNKNOWN;

        static SuperEventOption from(Json json) {
            return word(SuperEventOption.class, json);
        }
    }

    enum PersonType {
        COURT_LADY,
        CRAFTSMAN,
        FARMER,
        HEALER,
        MONK,
        PYROTECHNIST,
        SCHOLAR,
        TAX_COLLECTOR,
        WARRIOR,
        UNKNOWN;

        static PersonType from(Json json) {
            return word(PersonType.class, json);
        }
    }

    enum Age {
        OLD,
        YOUNG,
        UNKNOWN;

        static Age from(Json json) {
            return word(Age.class, json);
        }
    }

    enum EventTile {
        CONTAGION,
        DRAGON_FESTIVAL,
        DROUGHT,
        IMPERIAL_TRIBUTE,
        MONGOL_INVASION,
        PEACE,
        UNKNOWN;

        static EventTile from(Json json) {
            return word(EventTile.class, json);
        }
    }

    enum SuperEvent {
        ASSASSINATION,
        BUDDHA,
        CHARTER,
        EARTHQUAKE,
        FLOOD,
        LANTERNFEST,
        NONE,
        SOLAR_ECLIPSE,
        SUNRISE,
        TORNADO,
        VOLCANIC_ERUPTION,
        UNKNOWN;

        static SuperEvent from(Json json) {
            return word(SuperEvent.class, json);
        }
    }

    enum ActionCard {
        BUILD,
        BUILD_WALL,
        FIREWORKS,
        HARVEST,
        MILITARY_PARADE,
        PRIVILEGE,
        RESEARCH,
        TAXES,
        UNKNOWN;

        static ActionCard from(Json json) {
            return word(ActionCard.class, json);
        }
    }

    enum Card {
        COURT_LADY,
        CRAFTSMAN,
        FARMER,
        HEALER,
        MONK,
        PYROTECHNIST,
        SCHOLAR,
        TAX_COLLECTOR,
        WARRIOR,
        WILD,
        UNKNOWN;

        static Card from(Json json) {
            return word(Card.class, json);
        }
    }

    enum WallTile {
        FIREWORKS,
        PALACE,
        PERSON_TRACK,
        POINTS,
        RICE,
        YUAN,
        UNKNOWN;

        static WallTile from(Json json) {
            return word(WallTile.class, json);
        }
    }

    enum ActionKind {
        CARD,
        REPLENISH,
        UNKNOWN;

        static ActionKind from(Json json) {
            return word(ActionKind.class, json);
        }
    }

    enum PrivilegeSize {
        LARGE,
        SMALL,
        UNKNOWN;

        static PrivilegeSize from(Json json) {
            return word(PrivilegeSize.class, json);
        }
    }

    enum Counter {
        FIREWORKS,
        LARGE_PRIVILEGES,
        RICE,
        SCORE,
        SMALL_PRIVILEGES,
        TRACK,
        YUAN,
        UNKNOWN;

        static Counter from(Json json) {
            return word(Counter.class, json);
        }
    }

    enum StartTile {
        ADVANCED,
        GARDEN,
        UNKNOWN;

        static StartTile from(Json json) {
            return word(StartTile.class, json);
        }
    }

    enum Picture {
        ADVISORS,
        DRAGON,
        NONE,
        UNKNOWN;

        static Picture from(Json json) {
            return word(Picture.class, json);
        }
    }

    /** The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory. Absent: no such limit. */
    record HelloLimits(int lineBytes, int infoBytes, int startupMs, int marginMs, int quitMs, Integer memoryMb) {

        static HelloLimits from(Json json) {
            return new HelloLimits(
                    json.get("line_bytes").asInt(),
                    json.get("info_bytes").asInt(),
                    json.get("startup_ms").asInt(),
                    json.get("margin_ms").asInt(),
                    json.get("quit_ms").asInt(),
                    json.get("memory_mb").orNull(Json::asInt));
        }
    }

    /** The first line to a bot. */
    record Hello(int protocol, String referee, HelloLimits limits) {

        static Hello from(Json json) {
            return new Hello(
                    json.get("protocol").asInt(),
                    json.get("referee").asString(),
                    HelloLimits.from(json.get("limits")));
        }
    }

    /** What the bot did wrong. */
    record FaultMessage(FaultCode code, String message) {

        static FaultMessage from(Json json) {
            return new FaultMessage(FaultCode.from(json.get("code")), json.get("message").asString());
        }
    }

    /** No more games; standard input closes after this line. */
    record Quit() {

        static Quit from(Json json) {
            return new Quit();
        }
    }

    /** The clock of a game, in milliseconds: a limit per decision, or a bank with an increment, or both. */
    record Clock(Integer moveMs, Integer bankMs, Integer incrementMs) {

        static Clock from(Json json) {
            return new Clock(
                    json.get("move_ms").orNull(Json::asInt),
                    json.get("bank_ms").orNull(Json::asInt),
                    json.get("increment_ms").orNull(Json::asInt));
        }
    }

    /** How a game ended, by seat; a fault is its code. */
    record Result(List<Integer> scores, List<Integer> ranks, List<FaultCode> faults) {

        static Result from(Json json) {
            return new Result(
                    json.get("scores").asList(Json::asInt),
                    json.get("ranks").asList(Json::asInt),
                    json.get("faults").asList(each -> each.orNull(FaultCode::from)));
        }
    }

    // -- year_of_the_dragon -------------------------------------------------------------------------------------------

    /** Options of In the Year of the Dragon (rules page, section 1). */
    record DragonConfig(int players, Edition edition, boolean greatWall, SuperEventOption superEvent) {

        static DragonConfig from(Json json) {
            return new DragonConfig(
                    json.get("players").asInt(),
                    Edition.from(json.get("edition")),
                    json.get("great_wall").asBoolean(),
                    SuperEventOption.from(json.get("super_event")));
        }
    }

    /** A decision that is due, with its context. */
    record DragonTask(
            int seat,
            String decision,
            PersonType person,
            Age age,
            String reason,
            Integer left,
            Integer palace,
            List<Integer> hit) {

        static DragonTask from(Json json) {
            return new DragonTask(
                    json.get("seat").asInt(),
                    json.get("decision").asString(),
                    json.get("person").orNull(PersonType::from),
                    json.get("age").orNull(Age::from),
                    json.get("reason").asString(),
                    json.get("left").orNull(Json::asInt),
                    json.get("palace").orNull(Json::asInt),
                    json.get("hit").asList(Json::asInt));
        }
    }

    /** A group of action cards and the seats that chose it this round. */
    record DragonActionGroup(List<ActionCard> cards, List<Integer> takenBy) {

        static DragonActionGroup from(Json json) {
            return new DragonActionGroup(
                    json.get("cards").asList(ActionCard::from),
                    json.get("taken_by").asList(Json::asInt));
        }
    }

    /** Person tiles still to be had, by age and type. */
    record DragonDisplay(Map<String, Integer> young, Map<String, Integer> old) {

        static DragonDisplay from(Json json) {
            return new DragonDisplay(json.get("young").asMap(Json::asInt), json.get("old").asMap(Json::asInt));
        }
    }

    /** A person tile. */
    record DragonPerson(PersonType person, Age age) {

        static DragonPerson from(Json json) {
            return new DragonPerson(PersonType.from(json.get("person")), Age.from(json.get("age")));
        }
    }

    /** A palace: at most as many persons as floors, at most three floors. */
    record DragonPalace(int id, int floors, List<DragonPerson> persons) {

        static DragonPalace from(Json json) {
            return new DragonPalace(
                    json.get("id").asInt(),
                    json.get("floors").asInt(),
                    json.get("persons").asList(DragonPerson::from));
        }
    }

    /** Everything of a player that is open to all. */
    record DragonPlayer(
            int seat,
            int score,
            int track,
            int yuan,
            int rice,
            int fireworks,
            int smallPrivileges,
            int largePrivileges,
            List<DragonPalace> palaces,
            int nextPalace,
            int handSize,
            List<Card> played,
            List<Card> discarded,
            List<WallTile> wallTiles) {

        static DragonPlayer from(Json json) {
            return new DragonPlayer(
                    json.get("seat").asInt(),
                    json.get("score").asInt(),
                    json.get("track").asInt(),
                    json.get("yuan").asInt(),
                    json.get("rice").asInt(),
                    json.get("fireworks").asInt(),
                    json.get("small_privileges").asInt(),
                    json.get("large_privileges").asInt(),
                    json.get("palaces").asList(DragonPalace::from),
                    json.get("next_palace").asInt(),
                    json.get("hand_size").asInt(),
                    json.get("played").asList(Card::from),
                    json.get("discarded").asList(Card::from),
                    json.get("wall_tiles").asList(WallTile::from));
        }
    }

    /** The game as one seat sees it, built only from what is open to it. */
    record DragonObservation(
            int round,
            int seat,
            DragonTask turn,
            List<Integer> order,
            List<EventTile> eventRow,
            SuperEvent superEvent,
            List<DragonActionGroup> actionGroups,
            DragonDisplay display,
            List<Card> hand,
            List<DragonPlayer> players,
            List<Integer> wall) {

        static DragonObservation from(Json json) {
            return new DragonObservation(
                    json.get("round").asInt(),
                    json.get("seat").asInt(),
                    DragonTask.from(json.get("turn")),
                    json.get("order").asList(Json::asInt),
                    json.get("event_row").asList(EventTile::from),
                    SuperEvent.from(json.get("super_event")),
                    json.get("action_groups").asList(DragonActionGroup::from),
                    DragonDisplay.from(json.get("display")),
                    json.get("hand").asList(Card::from),
                    json.get("players").asList(DragonPlayer::from),
                    json.get("wall").asList(Json::asInt));
        }
    }

    /** Take two different types of young persons; they are placed in this order. */
    record DragonDraft(List<PersonType> persons) implements DragonAction {

        static DragonDraft from(Json json) {
            return new DragonDraft(json.get("persons").asList(PersonType::from));
        }
    }

    /** Put the new person into `palace`, there in place of another (`replace`) if all is full, or send it away. */
    record DragonPlacePerson(Integer palace, DragonPerson replace, boolean refuse) implements DragonAction {

        static DragonPlacePerson from(Json json) {
            return new DragonPlacePerson(
                    json.get("palace").orNull(Json::asInt),
                    json.get("replace").orNull(DragonPerson::from),
                    json.get("refuse").asBoolean());
        }
    }

    /** Use a card of an action group, or take yuan up to three (`replenish`). */
    record DragonChooseAction(
            ActionKind kind,
            Integer group,
            ActionCard card,
            PrivilegeSize size,
            WallTile wallTile) implements DragonAction {

        static DragonChooseAction from(Json json) {
            return new DragonChooseAction(
                    ActionKind.from(json.get("kind")),
                    json.get("group").orNull(Json::asInt),
                    json.get("card").orNull(ActionCard::from),
                    json.get("size").orNull(PrivilegeSize::from),
                    json.get("wall_tile").orNull(WallTile::from));
        }
    }

    /** Add a floor to `palace`; the player's next unused id starts a new palace. */
    record DragonBuildFloor(int palace) implements DragonAction {

        static DragonBuildFloor from(Json json) {
            return new DragonBuildFloor(json.get("palace").asInt());
        }
    }

    /** Play `card` and take this person; no person where none of the card's type is left. */
    record DragonPlayCard(Card card, PersonType person, Age age) implements DragonAction {

        static DragonPlayCard from(Json json) {
            return new DragonPlayCard(
                    Card.from(json.get("card")),
                    json.get("person").orNull(PersonType::from),
                    json.get("age").orNull(Age::from));
        }
    }

    /** Let one person go. */
    record DragonReleasePerson(int palace, PersonType person, Age age) implements DragonAction {

        static DragonReleasePerson from(Json json) {
            return new DragonReleasePerson(
                    json.get("palace").asInt(),
                    PersonType.from(json.get("person")),
                    Age.from(json.get("age")));
        }
    }

    /** Take one floor off `palace`. */
    record DragonLoseFloor(int palace) implements DragonAction {

        static DragonLoseFloor from(Json json) {
            return new DragonLoseFloor(json.get("palace").asInt());
        }
    }

    /** Give back this many of each. */
    record DragonGiveBack(int yuan, int rice, int fireworks) implements DragonAction {

        static DragonGiveBack from(Json json) {
            return new DragonGiveBack(
                    json.get("yuan").asInt(),
                    json.get("rice").asInt(),
                    json.get("fireworks").asInt());
        }
    }

    /** Discard a person card from the hand. */
    record DragonDiscardCard(Card card) implements DragonAction {

        static DragonDiscardCard from(Json json) {
            return new DragonDiscardCard(Card.from(json.get("card")));
        }
    }

    /** Take a young person of this type. */
    record DragonTakePerson(PersonType person) implements DragonAction {

        static DragonTakePerson from(Json json) {
            return new DragonTakePerson(PersonType.from(json.get("person")));
        }
    }

    /** Take the benefit of all own persons of this type. */
    record DragonChooseType(PersonType person) implements DragonAction {

        static DragonChooseType from(Json json) {
            return new DragonChooseType(PersonType.from(json.get("person")));
        }
    }

    /** An action, by its kind of decision. */
    sealed interface DragonAction permits
            DragonDraft,
            DragonPlacePerson,
            DragonChooseAction,
            DragonBuildFloor,
            DragonPlayCard,
            DragonReleasePerson,
            DragonLoseFloor,
            DragonGiveBack,
            DragonDiscardCard,
            DragonTakePerson,
            DragonChooseType,
            UnknownDragonAction {
        static DragonAction from(String decision, Json json) {
            return switch (decision) {
                case "draft" -> DragonDraft.from(json);
                case "place_person" -> DragonPlacePerson.from(json);
                case "choose_action" -> DragonChooseAction.from(json);
                case "build_floor" -> DragonBuildFloor.from(json);
                case "play_card" -> DragonPlayCard.from(json);
                case "release_person" -> DragonReleasePerson.from(json);
                case "lose_floor" -> DragonLoseFloor.from(json);
                case "give_back" -> DragonGiveBack.from(json);
                case "discard_card" -> DragonDiscardCard.from(json);
                case "take_person" -> DragonTakePerson.from(json);
                case "choose_type" -> DragonChooseType.from(json);
                default -> new UnknownDragonAction(json);
            };
        }
    }

    /** What this version doesn't know. */
    record UnknownDragonAction(Json json) implements DragonAction {
    }

    /** A draw that was made: its name, its round (where there is one per round), and its value. */
    record DragonChanceEvent(String what, Integer round, Json value) implements DragonEvent {

        static DragonChanceEvent from(Json json) {
            return new DragonChanceEvent(
                    json.get("what").asString(),
                    json.get("round").orNull(Json::asInt),
                    json.get("value"));
        }
    }

    /** A decision that was taken. `forced`: there was only one legal action, so no player was asked. `opening`: it
        belongs to the opening of the game, of which no player is asked anything. */
    record DragonDecisionEvent(
            int seat,
            String decision,
            DragonAction action,
            boolean forced,
            boolean opening) implements DragonEvent {

        static DragonDecisionEvent from(Json json) {
            return new DragonDecisionEvent(
                    json.get("seat").asInt(),
                    json.get("decision").asString(),
                    DragonAction.from(json.get("decision").asString(), json.get("action")),
                    json.get("forced").asBoolean(),
                    json.get("opening").asBoolean());
        }
    }

    /** A number of a player changed by `by` and is now `to`. `reason` is the card, event or rule. */
    record DragonChange(int seat, Counter what, int by, int to, String reason) implements DragonEvent {

        static DragonChange from(Json json) {
            return new DragonChange(
                    json.get("seat").asInt(),
                    Counter.from(json.get("what")),
                    json.get("by").asInt(),
                    json.get("to").asInt(),
                    json.get("reason").asString());
        }
    }

    /** The event of the round, or the super event, is carried out. */
    record DragonEventStrikes(int round, String event) implements DragonEvent {

        static DragonEventStrikes from(Json json) {
            return new DragonEventStrikes(json.get("round").asInt(), json.get("event").asString());
        }
    }

    /** What the final scoring brought a player: for persons, monks and money, and the score in the end. */
    record DragonFinalScore(int seat, int persons, int monks, int money, int score) implements DragonEvent {

        static DragonFinalScore from(Json json) {
            return new DragonFinalScore(
                    json.get("seat").asInt(),
                    json.get("persons").asInt(),
                    json.get("monks").asInt(),
                    json.get("money").asInt(),
                    json.get("score").asInt());
        }
    }

    /** The number of floors of a palace changed; with 0 it is gone. */
    record DragonPalaceChanged(int seat, int palace, int floors, String reason) implements DragonEvent {

        static DragonPalaceChanged from(Json json) {
            return new DragonPalaceChanged(
                    json.get("seat").asInt(),
                    json.get("palace").asInt(),
                    json.get("floors").asInt(),
                    json.get("reason").asString());
        }
    }

    /** A person left the game; without `palace` it was refused at the door. */
    record DragonPersonLeft(
            int seat,
            Integer palace,
            PersonType person,
            Age age,
            String reason) implements DragonEvent {

        static DragonPersonLeft from(Json json) {
            return new DragonPersonLeft(
                    json.get("seat").asInt(),
                    json.get("palace").orNull(Json::asInt),
                    PersonType.from(json.get("person")),
                    Age.from(json.get("age")),
                    json.get("reason").asString());
        }
    }

    /** A person moved into a palace. */
    record DragonPersonPlaced(int seat, int palace, PersonType person, Age age) implements DragonEvent {

        static DragonPersonPlaced from(Json json) {
            return new DragonPersonPlaced(
                    json.get("seat").asInt(),
                    json.get("palace").asInt(),
                    PersonType.from(json.get("person")),
                    Age.from(json.get("age")));
        }
    }

    /** A round is over: scores and markers by seat, and the order of play. */
    record DragonRoundEnd(
            int round,
            List<Integer> scores,
            List<Integer> track,
            List<Integer> order) implements DragonEvent {

        static DragonRoundEnd from(Json json) {
            return new DragonRoundEnd(
                    json.get("round").asInt(),
                    json.get("scores").asList(Json::asInt),
                    json.get("track").asList(Json::asInt),
                    json.get("order").asList(Json::asInt));
        }
    }

    /** A tile was added to the Great Wall; `length` is its new length. */
    record DragonWallBuilt(int seat, WallTile wallTile, int length) implements DragonEvent {

        static DragonWallBuilt from(Json json) {
            return new DragonWallBuilt(
                    json.get("seat").asInt(),
                    WallTile.from(json.get("wall_tile")),
                    json.get("length").asInt());
        }
    }

    /** Something that happened in a game, by its type. */
    sealed interface DragonEvent permits
            DragonChanceEvent,
            DragonDecisionEvent,
            DragonChange,
            DragonEventStrikes,
            DragonFinalScore,
            DragonPalaceChanged,
            DragonPersonLeft,
            DragonPersonPlaced,
            DragonRoundEnd,
            DragonWallBuilt,
            UnknownDragonEvent {
        static DragonEvent from(Json json) {
            return switch (json.get("type").asString()) {
                case "chance" -> DragonChanceEvent.from(json);
                case "decision" -> DragonDecisionEvent.from(json);
                case "change" -> DragonChange.from(json);
                case "event" -> DragonEventStrikes.from(json);
                case "final" -> DragonFinalScore.from(json);
                case "palace" -> DragonPalaceChanged.from(json);
                case "person_left" -> DragonPersonLeft.from(json);
                case "person_placed" -> DragonPersonPlaced.from(json);
                case "round" -> DragonRoundEnd.from(json);
                case "wall" -> DragonWallBuilt.from(json);
                default -> new UnknownDragonEvent(json);
            };
        }
    }

    /** What this version doesn't know. */
    record UnknownDragonEvent(Json json) implements DragonEvent {
    }

    /** A game begins. */
    record DragonStart(
            String gameId,
            String game,
            DragonConfig config,
            int seat,
            List<String> players,
            Clock clock,
            long botSeed) {

        static DragonStart from(Json json) {
            return new DragonStart(
                    json.get("game_id").asString(),
                    json.get("game").asString(),
                    DragonConfig.from(json.get("config")),
                    json.get("seat").asInt(),
                    json.get("players").asList(Json::asString),
                    Clock.from(json.get("clock")),
                    json.get("bot_seed").asLong());
        }
    }

    /** A decision is due. */
    record DragonAct(
            int id,
            String decision,
            DragonObservation observation,
            List<DragonAction> legal,
            List<DragonEvent> events,
            int timeMs) {

        static DragonAct from(Json json) {
            return new DragonAct(
                    json.get("id").asInt(),
                    json.get("decision").asString(),
                    DragonObservation.from(json.get("observation")),
                    json.get("legal").asList(each -> DragonAction.from(json.get("decision").asString(), each)),
                    json.get("events").asList(DragonEvent::from),
                    json.get("time_ms").asInt());
        }
    }

    /** The game is over. */
    record DragonEnd(String gameId, Result result, List<DragonEvent> events) {

        static DragonEnd from(Json json) {
            return new DragonEnd(
                    json.get("game_id").asString(),
                    Result.from(json.get("result")),
                    json.get("events").asList(DragonEvent::from));
        }
    }

    // -- forbidden_city -----------------------------------------------------------------------------------------------

    /** A tile before rotation: edges N E S W; one room part, or two of which the first touches N and E. */
    record CityTile(String edges, List<String> parts, Picture picture, int count) {

        static CityTile from(Json json) {
            return new CityTile(
                    json.get("edges").asString(),
                    json.get("parts").asList(Json::asString),
                    Picture.from(json.get("picture")),
                    json.get("count").asInt());
        }
    }

    /** Room colours, and the tiles of each owner: those for every game, and the additional ones for two players. */
    record CityTileSet(List<String> colours, Map<String, List<CityTile>> owned, Map<String, List<CityTile>> two) {

        static CityTileSet from(Json json) {
            return new CityTileSet(
                    json.get("colours").asList(Json::asString),
                    json.get("owned").asMap(each -> each.asList(CityTile::from)),
                    json.get("two").asMap(each -> each.asList(CityTile::from)));
        }
    }

    /** Options of The Forbidden City (rules page, section 1). */
    record CityConfig(int players, StartTile startTile, String tileSet, CityTileSet tiles) {

        static CityConfig from(Json json) {
            return new CityConfig(
                    json.get("players").asInt(),
                    StartTile.from(json.get("start_tile")),
                    json.get("tile_set").asString(),
                    json.get("tiles").orNull(CityTileSet::from));
        }
    }

    /** A decision that is due: its seat and its kind. Games add fields for its context. */
    record CityTurn(int seat, String decision) {

        static CityTurn from(Json json) {
            return new CityTurn(json.get("seat").asInt(), json.get("decision").asString());
        }
    }

    /** A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in hand. */
    record CityTilesLeft(String edges, List<String> parts, Picture picture, int count, List<Integer> left) {

        static CityTilesLeft from(Json json) {
            return new CityTilesLeft(
                    json.get("edges").asString(),
                    json.get("parts").asList(Json::asString),
                    Picture.from(json.get("picture")),
                    json.get("count").asInt(),
                    json.get("left").asList(Json::asInt));
        }
    }

    /** A room; all of it is open to all seats. */
    record CityRoom(
            int id,
            String colour,
            List<List<Integer>> cells,
            int openEdges,
            List<Integer> advisors,
            int dragons,
            List<Integer> passages,
            Integer value) {

        static CityRoom from(Json json) {
            return new CityRoom(
                    json.get("id").asInt(),
                    json.get("colour").asString(),
                    json.get("cells").asList(each -> each.asList(Json::asInt)),
                    json.get("open_edges").asInt(),
                    json.get("advisors").asList(Json::asInt),
                    json.get("dragons").asInt(),
                    json.get("passages").asList(Json::asInt),
                    json.get("value").orNull(Json::asInt));
        }
    }

    /** A laid tile, with the id of the room of each of its parts. */
    record CityTileInRooms(int x, int y, int rotation, Integer seat, CityTile tile, List<Integer> rooms) {

        static CityTileInRooms from(Json json) {
            return new CityTileInRooms(
                    json.get("x").asInt(),
                    json.get("y").asInt(),
                    json.get("rotation").asInt(),
                    json.get("seat").orNull(Json::asInt),
                    CityTile.from(json.get("tile")),
                    json.get("rooms").asList(Json::asInt));
        }
    }

    /** The table as one seat sees it. */
    record CityObservation(
            int seat,
            CityTurn turn,
            CityTile hand,
            List<Integer> coins,
            List<Integer> stacks,
            List<Integer> inHand,
            List<CityTilesLeft> left,
            List<CityRoom> rooms,
            List<CityTileInRooms> board) {

        static CityObservation from(Json json) {
            return new CityObservation(
                    json.get("seat").asInt(),
                    CityTurn.from(json.get("turn")),
                    CityTile.from(json.get("hand")),
                    json.get("coins").asList(Json::asInt),
                    json.get("stacks").asList(Json::asInt),
                    json.get("in_hand").asList(Json::asInt),
                    json.get("left").asList(CityTilesLeft::from),
                    json.get("rooms").asList(CityRoom::from),
                    json.get("board").asList(CityTileInRooms::from));
        }
    }

    /** Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter turns. */
    record CityLayTile(int x, int y, int rotation) implements CityAction {

        static CityLayTile from(Json json) {
            return new CityLayTile(json.get("x").asInt(), json.get("y").asInt(), json.get("rotation").asInt());
        }
    }

    /** An action, by its kind of decision. */
    sealed interface CityAction permits CityLayTile, UnknownCityAction {
        static CityAction from(String decision, Json json) {
            return switch (decision) {
                case "lay_tile" -> CityLayTile.from(json);
                default -> new UnknownCityAction(json);
            };
        }
    }

    /** What this version doesn't know. */
    record UnknownCityAction(Json json) implements CityAction {
    }

    /** A draw that was made: its name, its round (where there is one per round), and its value. */
    record CityChanceEvent(String what, Integer round, Json value) implements CityEvent {

        static CityChanceEvent from(Json json) {
            return new CityChanceEvent(
                    json.get("what").asString(),
                    json.get("round").orNull(Json::asInt),
                    json.get("value"));
        }
    }

    /** A decision that was taken. `forced`: there was only one legal action, so no player was asked. `opening`: it
        belongs to the opening of the game, of which no player is asked anything. */
    record CityDecisionEvent(
            int seat,
            String decision,
            CityAction action,
            boolean forced,
            boolean opening) implements CityEvent {

        static CityDecisionEvent from(Json json) {
            return new CityDecisionEvent(
                    json.get("seat").asInt(),
                    json.get("decision").asString(),
                    CityAction.from(json.get("decision").asString(), json.get("action")),
                    json.get("forced").asBoolean(),
                    json.get("opening").asBoolean());
        }
    }

    /** A tile was laid. */
    record CityTileLaid(int seat, int x, int y, int rotation, CityTile tile) implements CityEvent {

        static CityTileLaid from(Json json) {
            return new CityTileLaid(
                    json.get("seat").asInt(),
                    json.get("x").asInt(),
                    json.get("y").asInt(),
                    json.get("rotation").asInt(),
                    CityTile.from(json.get("tile")));
        }
    }

    /** A room was closed by a tile of `seat`: its cells, its value, and what it paid each seat. */
    record CityRoomSettled(int seat, List<List<Integer>> cells, int value, List<Integer> paid) implements CityEvent {

        static CityRoomSettled from(Json json) {
            return new CityRoomSettled(
                    json.get("seat").asInt(),
                    json.get("cells").asList(each -> each.asList(Json::asInt)),
                    json.get("value").asInt(),
                    json.get("paid").asList(Json::asInt));
        }
    }

    /** At the end a player shows the tiles that were not drawn, and gets coins for them. */
    record CityStackShown(int seat, List<CityTile> tiles, int paid, int coins) implements CityEvent {

        static CityStackShown from(Json json) {
            return new CityStackShown(
                    json.get("seat").asInt(),
                    json.get("tiles").asList(CityTile::from),
                    json.get("paid").asInt(),
                    json.get("coins").asInt());
        }
    }

    /** Something that happened in a game, by its type. */
    sealed interface CityEvent permits
            CityChanceEvent,
            CityDecisionEvent,
            CityTileLaid,
            CityRoomSettled,
            CityStackShown,
            UnknownCityEvent {
        static CityEvent from(Json json) {
            return switch (json.get("type").asString()) {
                case "chance" -> CityChanceEvent.from(json);
                case "decision" -> CityDecisionEvent.from(json);
                case "laid" -> CityTileLaid.from(json);
                case "settled" -> CityRoomSettled.from(json);
                case "shown" -> CityStackShown.from(json);
                default -> new UnknownCityEvent(json);
            };
        }
    }

    /** What this version doesn't know. */
    record UnknownCityEvent(Json json) implements CityEvent {
    }

    /** A game begins. */
    record CityStart(
            String gameId,
            String game,
            CityConfig config,
            int seat,
            List<String> players,
            Clock clock,
            long botSeed) {

        static CityStart from(Json json) {
            return new CityStart(
                    json.get("game_id").asString(),
                    json.get("game").asString(),
                    CityConfig.from(json.get("config")),
                    json.get("seat").asInt(),
                    json.get("players").asList(Json::asString),
                    Clock.from(json.get("clock")),
                    json.get("bot_seed").asLong());
        }
    }

    /** A decision is due. */
    record CityAct(
            int id,
            String decision,
            CityObservation observation,
            List<CityAction> legal,
            List<CityEvent> events,
            int timeMs) {

        static CityAct from(Json json) {
            return new CityAct(
                    json.get("id").asInt(),
                    json.get("decision").asString(),
                    CityObservation.from(json.get("observation")),
                    json.get("legal").asList(each -> CityAction.from(json.get("decision").asString(), each)),
                    json.get("events").asList(CityEvent::from),
                    json.get("time_ms").asInt());
        }
    }

    /** The game is over. */
    record CityEnd(String gameId, Result result, List<CityEvent> events) {

        static CityEnd from(Json json) {
            return new CityEnd(
                    json.get("game_id").asString(),
                    Result.from(json.get("result")),
                    json.get("events").asList(CityEvent::from));
        }
    }
}
