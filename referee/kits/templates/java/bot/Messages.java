package bot;

import java.util.List;
import java.util.Map;

// Generated from the JSON Schema of the protocol. Don't edit: the next version of the kit replaces it.
//
// What the referee sends. A value that is absent is null, a list that is absent is empty, and an absent flag is false.
// What this version doesn't know is ignored: unknown fields are left out, an unknown word is UNKNOWN, and an event or
// action of an unknown kind is an Unknown….
final class Messages {
    enum FaultCode {
        BAD_MESSAGE, CRASH, ILLEGAL_ACTION, MEMORY, OVERSIZE, PROTOCOL_VERSION, STARTUP_TIMEOUT,
        TIMEOUT, UNKNOWN,
    }

    enum Edition { ANNIVERSARY, FIRST, UNKNOWN }

    enum SuperEventOption {
        ASSASSINATION, BUDDHA, CHARTER, EARTHQUAKE, FLOOD, LANTERNFEST, NONE, RANDOM, SOLAR_ECLIPSE,
        SUNRISE, TORNADO, VOLCANIC_ERUPTION, UNKNOWN,
    }

    enum PersonType {
        COURT_LADY, CRAFTSMAN, FARMER, HEALER, MONK, PYROTECHNIST, SCHOLAR, TAX_COLLECTOR, WARRIOR,
        UNKNOWN,
    }

    enum Age { OLD, YOUNG, UNKNOWN }

    enum EventTile {
        CONTAGION, DRAGON_FESTIVAL, DROUGHT, IMPERIAL_TRIBUTE, MONGOL_INVASION, PEACE, UNKNOWN,
    }

    enum SuperEvent {
        ASSASSINATION, BUDDHA, CHARTER, EARTHQUAKE, FLOOD, LANTERNFEST, NONE, SOLAR_ECLIPSE, SUNRISE,
        TORNADO, VOLCANIC_ERUPTION, UNKNOWN,
    }

    enum ActionCard {
        BUILD, BUILD_WALL, FIREWORKS, HARVEST, MILITARY_PARADE, PRIVILEGE, RESEARCH, TAXES, UNKNOWN,
    }

    enum Card {
        COURT_LADY, CRAFTSMAN, FARMER, HEALER, MONK, PYROTECHNIST, SCHOLAR, TAX_COLLECTOR, WARRIOR,
        WILD, UNKNOWN,
    }

    enum WallTile { FIREWORKS, PALACE, PERSON_TRACK, POINTS, RICE, YUAN, UNKNOWN }

    enum ActionKind { CARD, REPLENISH, UNKNOWN }

    enum PrivilegeSize { LARGE, SMALL, UNKNOWN }

    enum Counter { FIREWORKS, LARGE_PRIVILEGES, RICE, SCORE, SMALL_PRIVILEGES, TRACK, YUAN, UNKNOWN }

    enum StartTile { ADVANCED, GARDEN, UNKNOWN }

    enum Picture { ADVISORS, DRAGON, NONE, UNKNOWN }

    /** The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory. Absent: no such limit. */
    record HelloLimits(int lineBytes, int infoBytes, int startupMs, int marginMs, int quitMs, Integer memoryMb) {}

    /** The first line to a bot. */
    record Hello(int protocol, String referee, HelloLimits limits) {}

    /** What the bot did wrong. */
    record FaultMessage(FaultCode code, String message) {}

    /** A draw that was made: its name, its round (where there is one per round), and its value. */
    record ChanceEvent(String what, Integer round, Json value) implements DragonEvent, CityEvent {}

    /** The clock of a game, in milliseconds: a limit per decision, or a bank with an increment, or both. */
    record Clock(Integer moveMs, Integer bankMs, Integer incrementMs) {}

    /** How a game ended, by seat; a fault is its code. */
    record Result(List<Integer> scores, List<Integer> ranks, List<FaultCode> faults) {}

    // -- year_of_the_dragon -------------------------------------------------------------------------------------------

    /** Options of In the Year of the Dragon (rules page, section 1). */
    record DragonConfig(int players, Edition edition, boolean greatWall, SuperEventOption superEvent) {}

    /** A decision that is due, with its context. */
    record DragonTask(
            int seat,
            String decision,
            PersonType person,
            Age age,
            String reason,
            Integer left,
            Integer palace,
            List<Integer> hit) {}

    /** A group of action cards and the seats that chose it this round. */
    record DragonActionGroup(List<ActionCard> cards, List<Integer> takenBy) {}

    /** Person tiles still to be had, by age and type. */
    record DragonDisplay(Map<String, Integer> young, Map<String, Integer> old) {}

    /** A person tile. */
    record DragonPerson(PersonType person, Age age) {}

    /** A palace: at most as many persons as floors, at most three floors. */
    record DragonPalace(int id, int floors, List<DragonPerson> persons) {}

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
            List<WallTile> wallTiles) {}

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
            List<Integer> wall) {}

    /** Take two different types of young persons; they are placed in this order. */
    record DragonDraft(List<PersonType> persons) implements DragonAction {}

    /** Put the new person into `palace`, there in place of another (`replace`) if all is full, or send it away. */
    record DragonPlacePerson(Integer palace, DragonPerson replace, boolean refuse) implements DragonAction {}

    /** Use a card of an action group, or take yuan up to three (`replenish`). */
    record DragonChooseAction(
            ActionKind kind,
            Integer group,
            ActionCard card,
            PrivilegeSize size,
            WallTile wallTile) implements DragonAction {}

    /** Add a floor to `palace`; the player's next unused id starts a new palace. */
    record DragonBuildFloor(int palace) implements DragonAction {}

    /** Play `card` and take this person; no person where none of the card's type is left. */
    record DragonPlayCard(Card card, PersonType person, Age age) implements DragonAction {}

    /** Let one person go. */
    record DragonReleasePerson(int palace, PersonType person, Age age) implements DragonAction {}

    /** Take one floor off `palace`. */
    record DragonLoseFloor(int palace) implements DragonAction {}

    /** Give back this many of each. */
    record DragonGiveBack(int yuan, int rice, int fireworks) implements DragonAction {}

    /** Discard a person card from the hand. */
    record DragonDiscardCard(Card card) implements DragonAction {}

    /** Take a young person of this type. */
    record DragonTakePerson(PersonType person) implements DragonAction {}

    /** Take the benefit of all own persons of this type. */
    record DragonChooseType(PersonType person) implements DragonAction {}

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
        static Class<? extends DragonAction> decision(String decision) {
            return switch (decision) {
                case "draft" -> DragonDraft.class;
                case "place_person" -> DragonPlacePerson.class;
                case "choose_action" -> DragonChooseAction.class;
                case "build_floor" -> DragonBuildFloor.class;
                case "play_card" -> DragonPlayCard.class;
                case "release_person" -> DragonReleasePerson.class;
                case "lose_floor" -> DragonLoseFloor.class;
                case "give_back" -> DragonGiveBack.class;
                case "discard_card" -> DragonDiscardCard.class;
                case "take_person" -> DragonTakePerson.class;
                case "choose_type" -> DragonChooseType.class;
                default -> UnknownDragonAction.class;
            };
        }
    }

    /** What this version doesn't know. */
    record UnknownDragonAction(@Json.Whole Json json) implements DragonAction {}

    /** A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening, likewise. */
    record DragonDecisionEvent(
            int seat,
            String decision,
            DragonAction action,
            boolean forced,
            boolean opening) implements DragonEvent {}

    /** A number of a player changed by `by` and is now `to`. `reason` is the card, event or rule. */
    record DragonChange(int seat, Counter what, int by, int to, String reason) implements DragonEvent {}

    /** The event of the round, or the super event, is carried out. */
    record DragonEventStrikes(int round, String event) implements DragonEvent {}

    /** What the final scoring brought a player: for persons, monks and money, and the score in the end. */
    record DragonFinalScore(int seat, int persons, int monks, int money, int score) implements DragonEvent {}

    /** The number of floors of a palace changed; with 0 it is gone. */
    record DragonPalaceChanged(int seat, int palace, int floors, String reason) implements DragonEvent {}

    /** A person left the game; without `palace` it was refused at the door. */
    record DragonPersonLeft(
            int seat,
            Integer palace,
            PersonType person,
            Age age,
            String reason) implements DragonEvent {}

    /** A person moved into a palace. */
    record DragonPersonPlaced(int seat, int palace, PersonType person, Age age) implements DragonEvent {}

    /** A round is over: scores and markers by seat, and the order of play. */
    record DragonRoundEnd(
            int round,
            List<Integer> scores,
            List<Integer> track,
            List<Integer> order) implements DragonEvent {}

    /** A tile was added to the Great Wall; `length` is its new length. */
    record DragonWallBuilt(int seat, WallTile wallTile, int length) implements DragonEvent {}

    /** Something that happened in a game, by its type. */
    sealed interface DragonEvent permits
            ChanceEvent,
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
        static Class<? extends DragonEvent> type(String type) {
            return switch (type) {
                case "chance" -> ChanceEvent.class;
                case "decision" -> DragonDecisionEvent.class;
                case "change" -> DragonChange.class;
                case "event" -> DragonEventStrikes.class;
                case "final" -> DragonFinalScore.class;
                case "palace" -> DragonPalaceChanged.class;
                case "person_left" -> DragonPersonLeft.class;
                case "person_placed" -> DragonPersonPlaced.class;
                case "round" -> DragonRoundEnd.class;
                case "wall" -> DragonWallBuilt.class;
                default -> UnknownDragonEvent.class;
            };
        }
    }

    /** What this version doesn't know. */
    record UnknownDragonEvent(@Json.Whole Json json) implements DragonEvent {}

    /** A game begins. */
    record DragonStart(
            String gameId,
            String game,
            DragonConfig config,
            int seat,
            List<String> players,
            Clock clock,
            long botSeed) {}

    /** A decision is due. */
    record DragonAct(
            int id,
            String decision,
            DragonObservation observation,
            List<DragonAction> legal,
            List<DragonEvent> events,
            int timeMs) {}

    /** The game is over. */
    record DragonEnd(String gameId, Result result, List<DragonEvent> events) {}

    // -- forbidden_city -----------------------------------------------------------------------------------------------

    /** A tile before rotation: edges N E S W; one room part, or two of which the first touches N and E. */
    record CityTile(String edges, List<String> parts, Picture picture, int count) {}

    /** Room colours, and the tiles of each owner: those for every game, and the additional ones for two players. */
    record CityTileSet(List<String> colours, Map<String, List<CityTile>> owned, Map<String, List<CityTile>> two) {}

    /** Options of The Forbidden City (rules page, section 1). */
    record CityConfig(int players, StartTile startTile, String tileSet, CityTileSet tiles) {}

    /** A decision that is due: its seat and its kind. Games add fields for its context. */
    record CityTurn(int seat, String decision) {}

    /** A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in hand. */
    record CityTilesLeft(String edges, List<String> parts, Picture picture, int count, List<Integer> left) {}

    /** A room; all of it is open to all seats. */
    record CityRoom(
            int id,
            String colour,
            List<List<Integer>> cells,
            int openEdges,
            List<Integer> advisors,
            int dragons,
            List<Integer> passages,
            Integer value) {}

    /** A laid tile, with the id of the room of each of its parts. */
    record CityTileInRooms(int x, int y, int rotation, Integer seat, CityTile tile, List<Integer> rooms) {}

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
            List<CityTileInRooms> board) {}

    /** Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter turns. */
    record CityLayTile(int x, int y, int rotation) implements CityAction {}

    /** An action, by its kind of decision. */
    sealed interface CityAction permits CityLayTile, UnknownCityAction {
        static Class<? extends CityAction> decision(String decision) {
            return switch (decision) {
                case "lay_tile" -> CityLayTile.class;
                default -> UnknownCityAction.class;
            };
        }
    }

    /** What this version doesn't know. */
    record UnknownCityAction(@Json.Whole Json json) implements CityAction {}

    /** A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening, likewise. */
    record CityDecisionEvent(
            int seat,
            String decision,
            CityAction action,
            boolean forced,
            boolean opening) implements CityEvent {}

    /** A tile was laid. */
    record CityTileLaid(int seat, int x, int y, int rotation, CityTile tile) implements CityEvent {}

    /** A room was closed by a tile of `seat`: its cells, its value, and what it paid each seat. */
    record CityRoomSettled(int seat, List<List<Integer>> cells, int value, List<Integer> paid) implements CityEvent {}

    /** At the end a player shows the tiles that were not drawn, and gets coins for them. */
    record CityStackShown(int seat, List<CityTile> tiles, int paid, int coins) implements CityEvent {}

    /** Something that happened in a game, by its type. */
    sealed interface CityEvent permits
            ChanceEvent,
            CityDecisionEvent,
            CityTileLaid,
            CityRoomSettled,
            CityStackShown,
            UnknownCityEvent {
        static Class<? extends CityEvent> type(String type) {
            return switch (type) {
                case "chance" -> ChanceEvent.class;
                case "decision" -> CityDecisionEvent.class;
                case "laid" -> CityTileLaid.class;
                case "settled" -> CityRoomSettled.class;
                case "shown" -> CityStackShown.class;
                default -> UnknownCityEvent.class;
            };
        }
    }

    /** What this version doesn't know. */
    record UnknownCityEvent(@Json.Whole Json json) implements CityEvent {}

    /** A game begins. */
    record CityStart(
            String gameId,
            String game,
            CityConfig config,
            int seat,
            List<String> players,
            Clock clock,
            long botSeed) {}

    /** A decision is due. */
    record CityAct(
            int id,
            String decision,
            CityObservation observation,
            List<CityAction> legal,
            List<CityEvent> events,
            int timeMs) {}

    /** The game is over. */
    record CityEnd(String gameId, Result result, List<CityEvent> events) {}
}
