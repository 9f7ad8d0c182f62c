// What the referee sends.
//
// Generated from the messages of the protocol: don't edit, the next version of the kit replaces it.
//
// A std::optional is empty where the message doesn't have the field. Fields that are not declared here are ignored; a
// word that is not declared here is `unknown`, and a struct that is not declared here is std::monostate: later versions
// of the protocol may add some.
#pragma once

#include "json.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

/// An enum, and its words as they are in messages.
#define WORDS(Enum, ...)                                                                                             \
    enum class Enum { unknown, __VA_ARGS__ };                                                                        \
    constexpr std::string_view words_of(Enum) { return "unknown, " #__VA_ARGS__; }

/// The word of an enum as it is in messages.
template <class Enum, class = std::enable_if_t<std::is_enum_v<Enum>>> constexpr std::string_view to_string(Enum word) {
    std::string_view words = words_of(word);
    for (int number = static_cast<int>(word); number > 0; --number) {
        words.remove_prefix(words.find(", ") + 2);
    }
    return words.substr(0, words.find(", "));
}

/// What decode.hpp has to know of a struct: its fields that are always there, those that may be absent, and one whose
/// kind another one says; and the word for this kind of action or event.
#define READ(...)                                                                                                    \
    template <class Reader> void read_from(Reader& reader) { (__VA_ARGS__); }
#define FIELDS(...) reader.fields(#__VA_ARGS__, __VA_ARGS__)
#define FIELDS_OR_DEFAULTS(...) reader.fields_or_defaults(#__VA_ARGS__, __VA_ARGS__)
#define FIELD_BY_KIND(name, by) reader.field_by_kind(#name, #by, name)
#define KIND(word) static constexpr std::string_view kind_word = word;

WORDS(FaultCode, bad_message, crash, illegal_action, memory, oversize, protocol_version,
                 startup_timeout, timeout)

WORDS(Edition, anniversary, first)

WORDS(SuperEventOption, assassination, buddha, charter, earthquake, flood, lanternfest, none,
                        random, solar_eclipse, sunrise, tornado, volcanic_eruption)

WORDS(PersonType, court_lady, craftsman, farmer, healer, monk, pyrotechnist, scholar, tax_collector,
                  warrior)

WORDS(Age, old, young)

WORDS(EventTile, contagion, dragon_festival, drought, imperial_tribute, mongol_invasion, peace)

WORDS(SuperEvent, assassination, buddha, charter, earthquake, flood, lanternfest, none,
                  solar_eclipse, sunrise, tornado, volcanic_eruption)

WORDS(ActionCard, build, build_wall, fireworks, harvest, military_parade, privilege, research,
                  taxes)

WORDS(Card, court_lady, craftsman, farmer, healer, monk, pyrotechnist, scholar, tax_collector,
            warrior, wild)

WORDS(WallTile, fireworks, palace, person_track, points, rice, yuan)

WORDS(ActionKind, card, replenish)

WORDS(PrivilegeSize, large, small)

WORDS(Counter, fireworks, large_privileges, rice, score, small_privileges, track, yuan)

WORDS(StartTile, advanced, garden)

WORDS(Picture, advisors, dragon, none)

/// The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory. Absent: no such
/// limit.
struct HelloLimits {
    int line_bytes{};
    int info_bytes{};
    int startup_ms{};
    int margin_ms{};
    int quit_ms{};
    std::optional<int> memory_mb;
    READ(FIELDS(line_bytes, info_bytes, startup_ms, margin_ms, quit_ms, memory_mb))
};

/// The first line to a bot.
struct Hello {
    int protocol{};
    std::string referee;
    HelloLimits limits;
    READ(FIELDS(protocol, referee, limits))
};

/// What the bot did wrong.
struct FaultMessage {
    FaultCode code{};
    std::string message;
    READ(FIELDS(code, message))
};

/// A draw that was made: its name, its round (where there is one per round), and its value.
struct ChanceEvent {
    std::string what;
    std::optional<int> round;
    json::Value value;
    READ(FIELDS(what, round, value))
    KIND("chance")
};

/// The clock of a game, in milliseconds: a limit per decision, or a bank with an increment, or
/// both.
struct Clock {
    std::optional<int> move_ms;
    std::optional<int> bank_ms;
    std::optional<int> increment_ms;
    READ(FIELDS(move_ms, bank_ms, increment_ms))
};

/// How a game ended, by seat; a fault is its code.
struct Result {
    std::vector<int> scores;
    std::vector<int> ranks;
    std::vector<std::optional<FaultCode>> faults;
    READ(FIELDS(scores, ranks, faults))
};

/// Options of In the Year of the Dragon (rules page, section 1).
struct DragonConfig {
    int players{};
    Edition edition{};
    bool great_wall{};
    SuperEventOption super_event{};
    READ(FIELDS(players, edition, great_wall, super_event))
};

/// A decision that is due, with its context.
struct DragonTask {
    int seat{};
    std::string decision;
    std::optional<PersonType> person;
    std::optional<Age> age;
    std::optional<std::string> reason;
    std::optional<int> left;
    std::optional<int> palace;
    std::optional<std::vector<int>> hit;
    READ(FIELDS(seat, decision, person, age, reason, left, palace, hit))
};

/// A group of action cards and the seats that chose it this round.
struct DragonActionGroup {
    std::vector<ActionCard> cards;
    std::vector<int> taken_by;
    READ(FIELDS(cards, taken_by))
};

/// Person tiles still to be had, by age and type.
struct DragonDisplay {
    std::map<std::string, int> young;
    std::map<std::string, int> old;
    READ(FIELDS(young, old))
};

/// A person tile.
struct DragonPerson {
    PersonType person{};
    Age age{};
    READ(FIELDS(person, age))
};

/// A palace: at most as many persons as floors, at most three floors.
struct DragonPalace {
    int id{};
    int floors{};
    std::vector<DragonPerson> persons;
    READ(FIELDS(id, floors, persons))
};

/// Everything of a player that is open to all.
struct DragonPlayer {
    int seat{};
    int score{};
    int track{};
    int yuan{};
    int rice{};
    int fireworks{};
    int small_privileges{};
    int large_privileges{};
    std::vector<DragonPalace> palaces;
    int next_palace{};
    int hand_size{};
    std::vector<Card> played;
    std::optional<std::vector<Card>> discarded;
    std::optional<std::vector<WallTile>> wall_tiles;
    READ(FIELDS(seat, score, track, yuan, rice, fireworks, small_privileges, large_privileges,
         palaces, next_palace, hand_size, played, discarded, wall_tiles))
};

/// The game as one seat sees it, built only from what is open to it.
struct DragonObservation {
    int round{};
    int seat{};
    DragonTask turn;
    std::vector<int> order;
    std::vector<EventTile> event_row;
    SuperEvent super_event{};
    std::vector<DragonActionGroup> action_groups;
    DragonDisplay display;
    std::vector<Card> hand;
    std::vector<DragonPlayer> players;
    std::optional<std::vector<int>> wall;
    READ(FIELDS(round, seat, turn, order, event_row, super_event, action_groups, display, hand,
         players, wall))
};

/// Take two different types of young persons; they are placed in this order.
struct DragonDraft {
    std::array<PersonType, 2> persons{};
    READ(FIELDS(persons))
    KIND("draft")
};

/// Put the new person into `palace`, there in place of another (`replace`) if all is full, or send
/// it away.
struct DragonPlacePerson {
    std::optional<int> palace;
    std::optional<DragonPerson> replace;
    std::optional<bool> refuse;
    READ(FIELDS(palace, replace, refuse))
    KIND("place_person")
};

/// Use a card of an action group, or take yuan up to three (`replenish`).
struct DragonChooseAction {
    ActionKind kind{};
    std::optional<int> group;
    std::optional<ActionCard> card;
    std::optional<PrivilegeSize> size;
    std::optional<WallTile> wall_tile;
    READ(FIELDS(kind, group, card, size, wall_tile))
    KIND("choose_action")
};

/// Add a floor to `palace`; the player's next unused id starts a new palace.
struct DragonBuildFloor {
    int palace{};
    READ(FIELDS(palace))
    KIND("build_floor")
};

/// Play `card` and take this person; no person where none of the card's type is left.
struct DragonPlayCard {
    Card card{};
    std::optional<PersonType> person;
    std::optional<Age> age;
    READ(FIELDS(card, person, age))
    KIND("play_card")
};

/// Let one person go.
struct DragonReleasePerson {
    int palace{};
    PersonType person{};
    Age age{};
    READ(FIELDS(palace, person, age))
    KIND("release_person")
};

/// Take one floor off `palace`.
struct DragonLoseFloor {
    int palace{};
    READ(FIELDS(palace))
    KIND("lose_floor")
};

/// Give back this many of each.
struct DragonGiveBack {
    int yuan{};
    int rice{};
    int fireworks{};
    READ(FIELDS(yuan, rice, fireworks))
    KIND("give_back")
};

/// Discard a person card from the hand.
struct DragonDiscardCard {
    Card card{};
    READ(FIELDS(card))
    KIND("discard_card")
};

/// Take a young person of this type.
struct DragonTakePerson {
    PersonType person{};
    READ(FIELDS(person))
    KIND("take_person")
};

/// Take the benefit of all own persons of this type.
struct DragonChooseType {
    PersonType person{};
    READ(FIELDS(person))
    KIND("choose_type")
};

/// An action, by its kind of decision.
using DragonAction =
    std::variant<std::monostate, DragonDraft, DragonPlacePerson, DragonChooseAction,
                 DragonBuildFloor, DragonPlayCard, DragonReleasePerson, DragonLoseFloor,
                 DragonGiveBack, DragonDiscardCard, DragonTakePerson, DragonChooseType>;

/// A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening,
/// likewise.
struct DragonDecisionEvent {
    int seat{};
    std::string decision;
    DragonAction action;
    bool forced{};
    bool opening{};
    READ(FIELDS(seat, decision), FIELDS_OR_DEFAULTS(forced, opening), FIELD_BY_KIND(action,
         decision))
    KIND("decision")
};

/// A number of a player changed by `by` and is now `to`. `reason` is the card, event or rule.
struct DragonChange {
    int seat{};
    Counter what{};
    int by{};
    int to{};
    std::string reason;
    READ(FIELDS(seat, what, by, to, reason))
    KIND("change")
};

/// The event of the round, or the super event, is carried out.
struct DragonEventStrikes {
    int round{};
    std::string event;
    READ(FIELDS(round, event))
    KIND("event")
};

/// What the final scoring brought a player: for persons, monks and money, and the score in the end.
struct DragonFinalScore {
    int seat{};
    int persons{};
    int monks{};
    int money{};
    int score{};
    READ(FIELDS(seat, persons, monks, money, score))
    KIND("final")
};

/// The number of floors of a palace changed; with 0 it is gone.
struct DragonPalaceChanged {
    int seat{};
    int palace{};
    int floors{};
    std::string reason;
    READ(FIELDS(seat, palace, floors, reason))
    KIND("palace")
};

/// A person left the game; without `palace` it was refused at the door.
struct DragonPersonLeft {
    int seat{};
    std::optional<int> palace;
    PersonType person{};
    Age age{};
    std::string reason;
    READ(FIELDS(seat, palace, person, age, reason))
    KIND("person_left")
};

/// A person moved into a palace.
struct DragonPersonPlaced {
    int seat{};
    int palace{};
    PersonType person{};
    Age age{};
    READ(FIELDS(seat, palace, person, age))
    KIND("person_placed")
};

/// A round is over: scores and markers by seat, and the order of play.
struct DragonRoundEnd {
    int round{};
    std::vector<int> scores;
    std::vector<int> track;
    std::vector<int> order;
    READ(FIELDS(round, scores, track, order))
    KIND("round")
};

/// A tile was added to the Great Wall; `length` is its new length.
struct DragonWallBuilt {
    int seat{};
    WallTile wall_tile{};
    int length{};
    READ(FIELDS(seat, wall_tile, length))
    KIND("wall")
};

/// Something that happened in a game, by its type.
using DragonEvent =
    std::variant<std::monostate, ChanceEvent, DragonDecisionEvent, DragonChange, DragonEventStrikes,
                 DragonFinalScore, DragonPalaceChanged, DragonPersonLeft, DragonPersonPlaced,
                 DragonRoundEnd, DragonWallBuilt>;

/// A game begins.
struct DragonStart {
    std::string game_id;
    std::string game;
    DragonConfig config;
    int seat{};
    std::vector<std::string> players;
    Clock clock;
    std::int64_t bot_seed{};
    READ(FIELDS(game_id, game, config, seat, players, clock, bot_seed))
};

/// A decision is due.
struct DragonAct {
    int id{};
    std::string decision;
    DragonObservation observation;
    std::vector<DragonAction> legal;
    std::vector<DragonEvent> events;
    int time_ms{};
    READ(FIELDS(id, decision, observation, time_ms), FIELDS_OR_DEFAULTS(events),
         FIELD_BY_KIND(legal, decision))
};

/// The game is over.
struct DragonEnd {
    std::string game_id;
    Result result;
    std::vector<DragonEvent> events;
    READ(FIELDS(game_id, result), FIELDS_OR_DEFAULTS(events))
};

/// A tile before rotation: edges N E S W; one room part, or two of which the first touches N and E.
struct CityTile {
    std::string edges;
    std::vector<std::string> parts;
    Picture picture{};
    int count{};
    READ(FIELDS(edges, parts, picture, count))
};

/// Room colours, and the tiles of each owner: those for every game, and the additional ones for two
/// players.
struct CityTileSet {
    std::vector<std::string> colours;
    std::map<std::string, std::vector<CityTile>> owned;
    std::map<std::string, std::vector<CityTile>> two;
    READ(FIELDS(colours, owned, two))
};

/// Options of The Forbidden City (rules page, section 1).
struct CityConfig {
    int players{};
    StartTile start_tile{};
    std::string tile_set;
    std::optional<CityTileSet> tiles;
    READ(FIELDS(players, start_tile, tile_set, tiles))
};

/// A decision that is due: its seat and its kind. Games add fields for its context.
struct CityTurn {
    int seat{};
    std::string decision;
    READ(FIELDS(seat, decision))
};

/// A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in hand.
struct CityTilesLeft {
    std::string edges;
    std::vector<std::string> parts;
    Picture picture{};
    int count{};
    std::vector<int> left;
    READ(FIELDS(edges, parts, picture, count, left))
};

/// A room; all of it is open to all seats.
struct CityRoom {
    int id{};
    std::string colour;
    std::vector<std::array<int, 2>> cells;
    int open_edges{};
    std::vector<int> advisors;
    int dragons{};
    std::vector<int> passages;
    std::optional<int> value;
    READ(FIELDS(id, colour, cells, open_edges, advisors, dragons, passages, value))
};

/// A laid tile, with the id of the room of each of its parts.
struct CityTileInRooms {
    int x{};
    int y{};
    int rotation{};
    std::optional<int> seat;
    CityTile tile;
    std::vector<int> rooms;
    READ(FIELDS(x, y, rotation, seat, tile, rooms))
};

/// The table as one seat sees it.
struct CityObservation {
    int seat{};
    CityTurn turn;
    CityTile hand;
    std::vector<int> coins;
    std::vector<int> stacks;
    std::vector<int> in_hand;
    std::vector<CityTilesLeft> left;
    std::vector<CityRoom> rooms;
    std::vector<CityTileInRooms> board;
    READ(FIELDS(seat, turn, hand, coins, stacks, in_hand, left, rooms, board))
};

/// Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter turns.
struct CityLayTile {
    int x{};
    int y{};
    int rotation{};
    READ(FIELDS(x, y, rotation))
    KIND("lay_tile")
};

/// An action, by its kind of decision.
using CityAction =
    std::variant<std::monostate, CityLayTile>;

/// A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening,
/// likewise.
struct CityDecisionEvent {
    int seat{};
    std::string decision;
    CityAction action;
    bool forced{};
    bool opening{};
    READ(FIELDS(seat, decision), FIELDS_OR_DEFAULTS(forced, opening), FIELD_BY_KIND(action,
         decision))
    KIND("decision")
};

/// A tile was laid.
struct CityTileLaid {
    int seat{};
    int x{};
    int y{};
    int rotation{};
    CityTile tile;
    READ(FIELDS(seat, x, y, rotation, tile))
    KIND("laid")
};

/// A room was closed by a tile of `seat`: its cells, its value, and what it paid each seat.
struct CityRoomSettled {
    int seat{};
    std::vector<std::array<int, 2>> cells;
    int value{};
    std::vector<int> paid;
    READ(FIELDS(seat, cells, value, paid))
    KIND("settled")
};

/// At the end a player shows the tiles that were not drawn, and gets coins for them.
struct CityStackShown {
    int seat{};
    std::vector<CityTile> tiles;
    int paid{};
    int coins{};
    READ(FIELDS(seat, tiles, paid, coins))
    KIND("shown")
};

/// Something that happened in a game, by its type.
using CityEvent =
    std::variant<std::monostate, ChanceEvent, CityDecisionEvent, CityTileLaid, CityRoomSettled,
                 CityStackShown>;

/// A game begins.
struct CityStart {
    std::string game_id;
    std::string game;
    CityConfig config;
    int seat{};
    std::vector<std::string> players;
    Clock clock;
    std::int64_t bot_seed{};
    READ(FIELDS(game_id, game, config, seat, players, clock, bot_seed))
};

/// A decision is due.
struct CityAct {
    int id{};
    std::string decision;
    CityObservation observation;
    std::vector<CityAction> legal;
    std::vector<CityEvent> events;
    int time_ms{};
    READ(FIELDS(id, decision, observation, time_ms), FIELDS_OR_DEFAULTS(events),
         FIELD_BY_KIND(legal, decision))
};

/// The game is over.
struct CityEnd {
    std::string game_id;
    Result result;
    std::vector<CityEvent> events;
    READ(FIELDS(game_id, result), FIELDS_OR_DEFAULTS(events))
};
