/* What the referee sends.
 *
 * Generated from the messages of the protocol: don't edit, the next version of the kit replaces it.
 *
 * Lists have a further field, NAME_count. Of a field that may be absent, has_NAME says whether it is there; a pointer
 * to a struct is NULL, an enum ..._UNKNOWN and a bool false where it isn't. Fields that are not declared here are
 * ignored, and a word that is not declared here is ..._UNKNOWN: later versions of the protocol may add some.
 *
 * Everything that a message refers to is in the arena that it was read into. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "json.h"

typedef int integer_pair[2];

enum fault_code {
    FAULT_CODE_UNKNOWN, FAULT_CODE_BAD_MESSAGE, FAULT_CODE_CRASH, FAULT_CODE_ILLEGAL_ACTION,
    FAULT_CODE_MEMORY, FAULT_CODE_OVERSIZE, FAULT_CODE_PROTOCOL_VERSION, FAULT_CODE_STARTUP_TIMEOUT,
    FAULT_CODE_TIMEOUT,
};

enum edition { EDITION_UNKNOWN, EDITION_ANNIVERSARY, EDITION_FIRST };

enum super_event_option {
    SUPER_EVENT_OPTION_UNKNOWN, SUPER_EVENT_OPTION_ASSASSINATION, SUPER_EVENT_OPTION_BUDDHA,
    SUPER_EVENT_OPTION_CHARTER, SUPER_EVENT_OPTION_EARTHQUAKE, SUPER_EVENT_OPTION_FLOOD,
    SUPER_EVENT_OPTION_LANTERNFEST, SUPER_EVENT_OPTION_NONE, SUPER_EVENT_OPTION_RANDOM,
    SUPER_EVENT_OPTION_SOLAR_ECLIPSE, SUPER_EVENT_OPTION_SUNRISE, SUPER_EVENT_OPTION_TORNADO,
    SUPER_EVENT_OPTION_VOLCANIC_ERUPTION,
};

enum person_type {
    PERSON_TYPE_UNKNOWN, PERSON_TYPE_COURT_LADY, PERSON_TYPE_CRAFTSMAN, PERSON_TYPE_FARMER,
    PERSON_TYPE_HEALER, PERSON_TYPE_MONK, PERSON_TYPE_PYROTECHNIST, PERSON_TYPE_SCHOLAR,
    PERSON_TYPE_TAX_COLLECTOR, PERSON_TYPE_WARRIOR,
};

enum age { AGE_UNKNOWN, AGE_OLD, AGE_YOUNG };

enum event_tile {
    EVENT_TILE_UNKNOWN, EVENT_TILE_CONTAGION, EVENT_TILE_DRAGON_FESTIVAL, EVENT_TILE_DROUGHT,
    EVENT_TILE_IMPERIAL_TRIBUTE, EVENT_TILE_MONGOL_INVASION, EVENT_TILE_PEACE,
};

enum super_event {
    SUPER_EVENT_UNKNOWN, SUPER_EVENT_ASSASSINATION, SUPER_EVENT_BUDDHA, SUPER_EVENT_CHARTER,
    SUPER_EVENT_EARTHQUAKE, SUPER_EVENT_FLOOD, SUPER_EVENT_LANTERNFEST, SUPER_EVENT_NONE,
    SUPER_EVENT_SOLAR_ECLIPSE, SUPER_EVENT_SUNRISE, SUPER_EVENT_TORNADO,
    SUPER_EVENT_VOLCANIC_ERUPTION,
};

enum action_card {
    ACTION_CARD_UNKNOWN, ACTION_CARD_BUILD, ACTION_CARD_BUILD_WALL, ACTION_CARD_FIREWORKS,
    ACTION_CARD_HARVEST, ACTION_CARD_MILITARY_PARADE, ACTION_CARD_PRIVILEGE, ACTION_CARD_RESEARCH,
    ACTION_CARD_TAXES,
};

enum card {
    CARD_UNKNOWN, CARD_COURT_LADY, CARD_CRAFTSMAN, CARD_FARMER, CARD_HEALER, CARD_MONK,
    CARD_PYROTECHNIST, CARD_SCHOLAR, CARD_TAX_COLLECTOR, CARD_WARRIOR, CARD_WILD,
};

enum wall_tile {
    WALL_TILE_UNKNOWN, WALL_TILE_FIREWORKS, WALL_TILE_PALACE, WALL_TILE_PERSON_TRACK,
    WALL_TILE_POINTS, WALL_TILE_RICE, WALL_TILE_YUAN,
};

enum action_kind { ACTION_KIND_UNKNOWN, ACTION_KIND_CARD, ACTION_KIND_REPLENISH };

enum privilege_size { PRIVILEGE_SIZE_UNKNOWN, PRIVILEGE_SIZE_LARGE, PRIVILEGE_SIZE_SMALL };

enum counter {
    COUNTER_UNKNOWN, COUNTER_FIREWORKS, COUNTER_LARGE_PRIVILEGES, COUNTER_RICE, COUNTER_SCORE,
    COUNTER_SMALL_PRIVILEGES, COUNTER_TRACK, COUNTER_YUAN,
};

enum start_tile { START_TILE_UNKNOWN, START_TILE_ADVANCED, START_TILE_GARDEN };

enum picture { PICTURE_UNKNOWN, PICTURE_ADVISORS, PICTURE_DRAGON, PICTURE_NONE };

/* The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory. Absent: no such
 * limit. */
struct hello_limits {
    int line_bytes;
    int info_bytes;
    int startup_ms;
    int margin_ms;
    int quit_ms;
    bool has_memory_mb;
    int memory_mb;
};

/* The first line to a bot. */
struct hello {
    int protocol;
    const char *referee;
    struct hello_limits limits;
};

/* What the bot did wrong. */
struct fault_message {
    enum fault_code code;
    const char *message;
};

/* A draw that was made: its name, its round (where there is one per round), and its value. */
struct chance_event {
    const char *what;
    bool has_round;
    int round;
    const struct json *value;
};

/* The clock of a game, in milliseconds: a limit per decision, or a bank with an increment, or both.
 * */
struct clock {
    bool has_move_ms;
    int move_ms;
    bool has_bank_ms;
    int bank_ms;
    bool has_increment_ms;
    int increment_ms;
};

/* How a game ended, by seat; a fault is its code. */
struct result {
    const int *scores;
    size_t scores_count;
    const int *ranks;
    size_t ranks_count;
    const enum fault_code *faults;
    size_t faults_count;
};

/* Options of In the Year of the Dragon (rules page, section 1). */
struct dragon_config {
    int players;
    enum edition edition;
    bool great_wall;
    enum super_event_option super_event;
};

/* A decision that is due, with its context. */
struct dragon_task {
    int seat;
    const char *decision;
    enum person_type person;
    enum age age;
    bool has_reason;
    const char *reason;
    bool has_left;
    int left;
    bool has_palace;
    int palace;
    bool has_hit;
    const int *hit;
    size_t hit_count;
};

/* A group of action cards and the seats that chose it this round. */
struct dragon_action_group {
    const enum action_card *cards;
    size_t cards_count;
    const int *taken_by;
    size_t taken_by_count;
};

/* A member of an object with any names. */
struct integer_entry {
    const char *name;
    int value;
};

/* Person tiles still to be had, by age and type. */
struct dragon_display {
    const struct integer_entry *young;
    size_t young_count;
    const struct integer_entry *old;
    size_t old_count;
};

/* A person tile. */
struct dragon_person {
    enum person_type person;
    enum age age;
};

/* A palace: at most as many persons as floors, at most three floors. */
struct dragon_palace {
    int id;
    int floors;
    const struct dragon_person *persons;
    size_t persons_count;
};

/* Everything of a player that is open to all. */
struct dragon_player {
    int seat;
    int score;
    int track;
    int yuan;
    int rice;
    int fireworks;
    int small_privileges;
    int large_privileges;
    const struct dragon_palace *palaces;
    size_t palaces_count;
    int next_palace;
    int hand_size;
    const enum card *played;
    size_t played_count;
    bool has_discarded;
    const enum card *discarded;
    size_t discarded_count;
    bool has_wall_tiles;
    const enum wall_tile *wall_tiles;
    size_t wall_tiles_count;
};

/* The game as one seat sees it, built only from what is open to it. */
struct dragon_observation {
    int round;
    int seat;
    struct dragon_task turn;
    const int *order;
    size_t order_count;
    const enum event_tile *event_row;
    size_t event_row_count;
    enum super_event super_event;
    const struct dragon_action_group *action_groups;
    size_t action_groups_count;
    struct dragon_display display;
    const enum card *hand;
    size_t hand_count;
    const struct dragon_player *players;
    size_t players_count;
    bool has_wall;
    const int *wall;
    size_t wall_count;
};

/* Take two different types of young persons; they are placed in this order. */
struct dragon_draft {
    enum person_type persons[2];
};

/* Put the new person into `palace`, there in place of another (`replace`) if all is full, or send
 * it away. */
struct dragon_place_person {
    bool has_palace;
    int palace;
    const struct dragon_person *replace;
    bool refuse;
};

/* Use a card of an action group, or take yuan up to three (`replenish`). */
struct dragon_choose_action {
    enum action_kind kind;
    bool has_group;
    int group;
    enum action_card card;
    enum privilege_size size;
    enum wall_tile wall_tile;
};

/* Add a floor to `palace`; the player's next unused id starts a new palace. */
struct dragon_build_floor {
    int palace;
};

/* Play `card` and take this person; no person where none of the card's type is left. */
struct dragon_play_card {
    enum card card;
    enum person_type person;
    enum age age;
};

/* Let one person go. */
struct dragon_release_person {
    int palace;
    enum person_type person;
    enum age age;
};

/* Take one floor off `palace`. */
struct dragon_lose_floor {
    int palace;
};

/* Give back this many of each. */
struct dragon_give_back {
    int yuan;
    int rice;
    int fireworks;
};

/* Discard a person card from the hand. */
struct dragon_discard_card {
    enum card card;
};

/* Take a young person of this type. */
struct dragon_take_person {
    enum person_type person;
};

/* Take the benefit of all own persons of this type. */
struct dragon_choose_type {
    enum person_type person;
};

enum dragon_action_kind {
    DRAGON_ACTION_UNKNOWN, DRAGON_ACTION_DRAFT, DRAGON_ACTION_PLACE_PERSON,
    DRAGON_ACTION_CHOOSE_ACTION, DRAGON_ACTION_BUILD_FLOOR, DRAGON_ACTION_PLAY_CARD,
    DRAGON_ACTION_RELEASE_PERSON, DRAGON_ACTION_LOSE_FLOOR, DRAGON_ACTION_GIVE_BACK,
    DRAGON_ACTION_DISCARD_CARD, DRAGON_ACTION_TAKE_PERSON, DRAGON_ACTION_CHOOSE_TYPE,
};

/* An action, by its kind of decision. */
struct dragon_action {
    enum dragon_action_kind kind;
    union {
        struct dragon_draft draft;
        struct dragon_place_person place_person;
        struct dragon_choose_action choose_action;
        struct dragon_build_floor build_floor;
        struct dragon_play_card play_card;
        struct dragon_release_person release_person;
        struct dragon_lose_floor lose_floor;
        struct dragon_give_back give_back;
        struct dragon_discard_card discard_card;
        struct dragon_take_person take_person;
        struct dragon_choose_type choose_type;
    } as;
};

/* A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening,
 * likewise. */
struct dragon_decision_event {
    int seat;
    const char *decision;
    struct dragon_action action;
    bool forced;
    bool opening;
};

/* A number of a player changed by `by` and is now `to`. `reason` is the card, event or rule. */
struct dragon_change {
    int seat;
    enum counter what;
    int by;
    int to;
    const char *reason;
};

/* The event of the round, or the super event, is carried out. */
struct dragon_event_strikes {
    int round;
    const char *event;
};

/* What the final scoring brought a player: for persons, monks and money, and the score in the end.
 * */
struct dragon_final_score {
    int seat;
    int persons;
    int monks;
    int money;
    int score;
};

/* The number of floors of a palace changed; with 0 it is gone. */
struct dragon_palace_changed {
    int seat;
    int palace;
    int floors;
    const char *reason;
};

/* A person left the game; without `palace` it was refused at the door. */
struct dragon_person_left {
    int seat;
    bool has_palace;
    int palace;
    enum person_type person;
    enum age age;
    const char *reason;
};

/* A person moved into a palace. */
struct dragon_person_placed {
    int seat;
    int palace;
    enum person_type person;
    enum age age;
};

/* A round is over: scores and markers by seat, and the order of play. */
struct dragon_round_end {
    int round;
    const int *scores;
    size_t scores_count;
    const int *track;
    size_t track_count;
    const int *order;
    size_t order_count;
};

/* A tile was added to the Great Wall; `length` is its new length. */
struct dragon_wall_built {
    int seat;
    enum wall_tile wall_tile;
    int length;
};

enum dragon_event_kind {
    DRAGON_EVENT_UNKNOWN, DRAGON_EVENT_CHANCE, DRAGON_EVENT_DECISION, DRAGON_EVENT_CHANGE,
    DRAGON_EVENT_EVENT, DRAGON_EVENT_FINAL, DRAGON_EVENT_PALACE, DRAGON_EVENT_PERSON_LEFT,
    DRAGON_EVENT_PERSON_PLACED, DRAGON_EVENT_ROUND, DRAGON_EVENT_WALL,
};

/* Something that happened in a game, by its type. */
struct dragon_event {
    enum dragon_event_kind kind;
    union {
        struct chance_event chance;
        struct dragon_decision_event decision;
        struct dragon_change change;
        struct dragon_event_strikes event;
        struct dragon_final_score final;
        struct dragon_palace_changed palace;
        struct dragon_person_left person_left;
        struct dragon_person_placed person_placed;
        struct dragon_round_end round;
        struct dragon_wall_built wall;
    } as;
};

/* A game begins. */
struct dragon_start {
    const char *game_id;
    const char *game;
    struct dragon_config config;
    int seat;
    const char **players;
    size_t players_count;
    struct clock clock;
    int64_t bot_seed;
};

/* A decision is due. */
struct dragon_act {
    int id;
    const char *decision;
    struct dragon_observation observation;
    const struct dragon_action *legal;
    size_t legal_count;
    const struct dragon_event *events;
    size_t events_count;
    int time_ms;
};

/* The game is over. */
struct dragon_end {
    const char *game_id;
    struct result result;
    const struct dragon_event *events;
    size_t events_count;
};

/* A tile before rotation: edges N E S W; one room part, or two of which the first touches N and E.
 * */
struct city_tile {
    const char *edges;
    const char **parts;
    size_t parts_count;
    enum picture picture;
    int count;
};

/* A member of an object with any names. */
struct city_tile_list_entry {
    const char *name;
    const struct city_tile *value;
    size_t value_count;
};

/* Room colours, and the tiles of each owner: those for every game, and the additional ones for two
 * players. */
struct city_tile_set {
    const char **colours;
    size_t colours_count;
    const struct city_tile_list_entry *owned;
    size_t owned_count;
    const struct city_tile_list_entry *two;
    size_t two_count;
};

/* Options of The Forbidden City (rules page, section 1). */
struct city_config {
    int players;
    enum start_tile start_tile;
    const char *tile_set;
    const struct city_tile_set *tiles;
};

/* A decision that is due: its seat and its kind. Games add fields for its context. */
struct city_turn {
    int seat;
    const char *decision;
};

/* A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in hand. */
struct city_tiles_left {
    const char *edges;
    const char **parts;
    size_t parts_count;
    enum picture picture;
    int count;
    const int *left;
    size_t left_count;
};

/* A room; all of it is open to all seats. */
struct city_room {
    int id;
    const char *colour;
    integer_pair *cells;
    size_t cells_count;
    int open_edges;
    const int *advisors;
    size_t advisors_count;
    int dragons;
    const int *passages;
    size_t passages_count;
    bool has_value;
    int value;
};

/* A laid tile, with the id of the room of each of its parts. */
struct city_tile_in_rooms {
    int x;
    int y;
    int rotation;
    bool has_seat;
    int seat;
    struct city_tile tile;
    const int *rooms;
    size_t rooms_count;
};

/* The table as one seat sees it. */
struct city_observation {
    int seat;
    struct city_turn turn;
    struct city_tile hand;
    const int *coins;
    size_t coins_count;
    const int *stacks;
    size_t stacks_count;
    const int *in_hand;
    size_t in_hand_count;
    const struct city_tiles_left *left;
    size_t left_count;
    const struct city_room *rooms;
    size_t rooms_count;
    const struct city_tile_in_rooms *board;
    size_t board_count;
};

/* Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter turns. */
struct city_lay_tile {
    int x;
    int y;
    int rotation;
};

enum city_action_kind { CITY_ACTION_UNKNOWN, CITY_ACTION_LAY_TILE };

/* An action, by its kind of decision. */
struct city_action {
    enum city_action_kind kind;
    union {
        struct city_lay_tile lay_tile;
    } as;
};

/* A decision. `forced`: with one legal action, so no player was asked. `opening`: of the opening,
 * likewise. */
struct city_decision_event {
    int seat;
    const char *decision;
    struct city_action action;
    bool forced;
    bool opening;
};

/* A tile was laid. */
struct city_tile_laid {
    int seat;
    int x;
    int y;
    int rotation;
    struct city_tile tile;
};

/* A room was closed by a tile of `seat`: its cells, its value, and what it paid each seat. */
struct city_room_settled {
    int seat;
    integer_pair *cells;
    size_t cells_count;
    int value;
    const int *paid;
    size_t paid_count;
};

/* At the end a player shows the tiles that were not drawn, and gets coins for them. */
struct city_stack_shown {
    int seat;
    const struct city_tile *tiles;
    size_t tiles_count;
    int paid;
    int coins;
};

enum city_event_kind {
    CITY_EVENT_UNKNOWN, CITY_EVENT_CHANCE, CITY_EVENT_DECISION, CITY_EVENT_LAID, CITY_EVENT_SETTLED,
    CITY_EVENT_SHOWN,
};

/* Something that happened in a game, by its type. */
struct city_event {
    enum city_event_kind kind;
    union {
        struct chance_event chance;
        struct city_decision_event decision;
        struct city_tile_laid laid;
        struct city_room_settled settled;
        struct city_stack_shown shown;
    } as;
};

/* A game begins. */
struct city_start {
    const char *game_id;
    const char *game;
    struct city_config config;
    int seat;
    const char **players;
    size_t players_count;
    struct clock clock;
    int64_t bot_seed;
};

/* A decision is due. */
struct city_act {
    int id;
    const char *decision;
    struct city_observation observation;
    const struct city_action *legal;
    size_t legal_count;
    const struct city_event *events;
    size_t events_count;
    int time_ms;
};

/* The game is over. */
struct city_end {
    const char *game_id;
    struct result result;
    const struct city_event *events;
    size_t events_count;
};

/* The word as it is in messages. */
const char *fault_code_word(enum fault_code word);
const char *edition_word(enum edition word);
const char *super_event_option_word(enum super_event_option word);
const char *person_type_word(enum person_type word);
const char *age_word(enum age word);
const char *event_tile_word(enum event_tile word);
const char *super_event_word(enum super_event word);
const char *action_card_word(enum action_card word);
const char *card_word(enum card word);
const char *wall_tile_word(enum wall_tile word);
const char *action_kind_word(enum action_kind word);
const char *privilege_size_word(enum privilege_size word);
const char *counter_word(enum counter word);
const char *start_tile_word(enum start_tile word);
const char *picture_word(enum picture word);

/* Each reads a message into `out` and `arena`. Where it is not as the protocol says, it returns false, and `problem`
 * says what is wrong. */
bool read_hello(struct arena *arena, const struct json *value, struct hello *out, char problem[static 100]);
bool read_fault_message(struct arena *arena, const struct json *value, struct fault_message *out,
                        char problem[static 100]);
bool read_dragon_start(struct arena *arena, const struct json *value, struct dragon_start *out,
                       char problem[static 100]);
bool read_dragon_act(struct arena *arena, const struct json *value, struct dragon_act *out, char problem[static 100]);
bool read_dragon_end(struct arena *arena, const struct json *value, struct dragon_end *out, char problem[static 100]);
bool read_city_start(struct arena *arena, const struct json *value, struct city_start *out, char problem[static 100]);
bool read_city_act(struct arena *arena, const struct json *value, struct city_act *out, char problem[static 100]);
bool read_city_end(struct arena *arena, const struct json *value, struct city_end *out, char problem[static 100]);

#endif
