/* How the messages of the referee are read.
 *
 * Generated from the messages of the protocol: don't edit, the next version of the kit replaces it. */
#include "messages.h"

#include "decode.h"

WORDS(fault_code, "bad_message", "crash", "illegal_action", "memory", "oversize",
                  "protocol_version", "startup_timeout", "timeout")

WORDS(edition, "anniversary", "first")

WORDS(super_event_option, "assassination", "buddha", "charter", "earthquake", "flood",
                          "lanternfest", "none", "random", "solar_eclipse", "sunrise", "tornado",
                          "volcanic_eruption")

WORDS(person_type, "court_lady", "craftsman", "farmer", "healer", "monk", "pyrotechnist", "scholar",
                   "tax_collector", "warrior")

WORDS(age, "old", "young")

WORDS(event_tile, "contagion", "dragon_festival", "drought", "imperial_tribute", "mongol_invasion",
                  "peace")

WORDS(super_event, "assassination", "buddha", "charter", "earthquake", "flood", "lanternfest",
                   "none", "solar_eclipse", "sunrise", "tornado", "volcanic_eruption")

WORDS(action_card, "build", "build_wall", "fireworks", "harvest", "military_parade", "privilege",
                   "research", "taxes")

WORDS(card, "court_lady", "craftsman", "farmer", "healer", "monk", "pyrotechnist", "scholar",
            "tax_collector", "warrior", "wild")

WORDS(wall_tile, "fireworks", "palace", "person_track", "points", "rice", "yuan")

WORDS(action_kind, "card", "replenish")

WORDS(privilege_size, "large", "small")

WORDS(counter, "fireworks", "large_privileges", "rice", "score", "small_privileges", "track",
               "yuan")

WORDS(start_tile, "advanced", "garden")

WORDS(picture, "advisors", "dragon", "none")

READER(hello_limits) {
    REQUIRED(line_bytes, read_integer);
    REQUIRED(info_bytes, read_integer);
    REQUIRED(startup_ms, read_integer);
    REQUIRED(margin_ms, read_integer);
    REQUIRED(quit_ms, read_integer);
    OPTIONAL(memory_mb, out->has_memory_mb = true; read_integer(decoder, part, &out->memory_mb));
}

bool read_hello(struct arena *arena, const struct json *value, struct hello *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct hello){0};
    REQUIRED(protocol, read_integer);
    REQUIRED(referee, read_string);
    REQUIRED(limits, read_hello_limits);
    return decoded(decoder, problem);
}

bool read_fault_message(struct arena *arena, const struct json *value, struct fault_message *out,
                        char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct fault_message){0};
    REQUIRED(code, read_fault_code);
    REQUIRED(message, read_string);
    return decoded(decoder, problem);
}

READER(chance_event) {
    REQUIRED(what, read_string);
    OPTIONAL(round, out->has_round = true; read_integer(decoder, part, &out->round));
    REQUIRED(value, read_any);
}

READER(clock) {
    OPTIONAL(move_ms, out->has_move_ms = true; read_integer(decoder, part, &out->move_ms));
    OPTIONAL(bank_ms, out->has_bank_ms = true; read_integer(decoder, part, &out->bank_ms));
    OPTIONAL(increment_ms, out->has_increment_ms = true; read_integer(decoder, part, &out->increment_ms));
}

READER(result) {
    READ_LIST(required(decoder, value, "scores"), out->scores, int, read_integer);
    READ_LIST(required(decoder, value, "ranks"), out->ranks, int, read_integer);
    READ_LIST(required(decoder, value, "faults"), out->faults, enum fault_code, read_fault_code);
}

READER(dragon_config) {
    REQUIRED(players, read_integer);
    REQUIRED(edition, read_edition);
    REQUIRED(great_wall, read_boolean);
    REQUIRED(super_event, read_super_event_option);
}

READER(dragon_task) {
    REQUIRED(seat, read_integer);
    REQUIRED(decision, read_string);
    OPTIONAL(person, read_person_type(decoder, part, &out->person));
    OPTIONAL(age, read_age(decoder, part, &out->age));
    OPTIONAL(reason, out->has_reason = true; read_string(decoder, part, &out->reason));
    OPTIONAL(left, out->has_left = true; read_integer(decoder, part, &out->left));
    OPTIONAL(palace, out->has_palace = true; read_integer(decoder, part, &out->palace));
    OPTIONAL(hit, out->has_hit = true; READ_LIST(part, out->hit, int, read_integer));
}

READER(dragon_action_group) {
    READ_LIST(required(decoder, value, "cards"), out->cards, enum action_card, read_action_card);
    READ_LIST(required(decoder, value, "taken_by"), out->taken_by, int, read_integer);
}

READER(integer_entry) {
    out->name = value->name;
    read_integer(decoder, value, &out->value);
}

READER(dragon_display) {
    READ_MEMBERS(required(decoder, value, "young"), out->young, struct integer_entry, read_integer_entry);
    READ_MEMBERS(required(decoder, value, "old"), out->old, struct integer_entry, read_integer_entry);
}

READER(dragon_person) {
    REQUIRED(person, read_person_type);
    REQUIRED(age, read_age);
}

READER(dragon_palace) {
    REQUIRED(id, read_integer);
    REQUIRED(floors, read_integer);
    READ_LIST(required(decoder, value, "persons"), out->persons, struct dragon_person, read_dragon_person);
}

READER(dragon_player) {
    REQUIRED(seat, read_integer);
    REQUIRED(score, read_integer);
    REQUIRED(track, read_integer);
    REQUIRED(yuan, read_integer);
    REQUIRED(rice, read_integer);
    REQUIRED(fireworks, read_integer);
    REQUIRED(small_privileges, read_integer);
    REQUIRED(large_privileges, read_integer);
    READ_LIST(required(decoder, value, "palaces"), out->palaces, struct dragon_palace, read_dragon_palace);
    REQUIRED(next_palace, read_integer);
    REQUIRED(hand_size, read_integer);
    READ_LIST(required(decoder, value, "played"), out->played, enum card, read_card);
    OPTIONAL(discarded, out->has_discarded = true; READ_LIST(part, out->discarded, enum card, read_card));
    OPTIONAL(wall_tiles, out->has_wall_tiles = true; READ_LIST(part, out->wall_tiles, enum wall_tile, read_wall_tile));
}

READER(dragon_observation) {
    REQUIRED(round, read_integer);
    REQUIRED(seat, read_integer);
    REQUIRED(turn, read_dragon_task);
    READ_LIST(required(decoder, value, "order"), out->order, int, read_integer);
    READ_LIST(required(decoder, value, "event_row"), out->event_row, enum event_tile, read_event_tile);
    REQUIRED(super_event, read_super_event);
    READ_LIST(required(decoder, value, "action_groups"), out->action_groups, struct dragon_action_group,
              read_dragon_action_group);
    REQUIRED(display, read_dragon_display);
    READ_LIST(required(decoder, value, "hand"), out->hand, enum card, read_card);
    READ_LIST(required(decoder, value, "players"), out->players, struct dragon_player, read_dragon_player);
    OPTIONAL(wall, out->has_wall = true; READ_LIST(part, out->wall, int, read_integer));
}

READER(dragon_draft) {
    READ_ARRAY(required(decoder, value, "persons"), out->persons, read_person_type);
}

READER(dragon_place_person) {
    OPTIONAL(palace, out->has_palace = true; read_integer(decoder, part, &out->palace));
    OPTIONAL(replace, READ_STRUCT(part, out->replace, struct dragon_person, read_dragon_person));
    OPTIONAL(refuse, read_boolean(decoder, part, &out->refuse));
}

READER(dragon_choose_action) {
    REQUIRED(kind, read_action_kind);
    OPTIONAL(group, out->has_group = true; read_integer(decoder, part, &out->group));
    OPTIONAL(card, read_action_card(decoder, part, &out->card));
    OPTIONAL(size, read_privilege_size(decoder, part, &out->size));
    OPTIONAL(wall_tile, read_wall_tile(decoder, part, &out->wall_tile));
}

READER(dragon_build_floor) {
    REQUIRED(palace, read_integer);
}

READER(dragon_play_card) {
    REQUIRED(card, read_card);
    OPTIONAL(person, read_person_type(decoder, part, &out->person));
    OPTIONAL(age, read_age(decoder, part, &out->age));
}

READER(dragon_release_person) {
    REQUIRED(palace, read_integer);
    REQUIRED(person, read_person_type);
    REQUIRED(age, read_age);
}

READER(dragon_lose_floor) {
    REQUIRED(palace, read_integer);
}

READER(dragon_give_back) {
    REQUIRED(yuan, read_integer);
    REQUIRED(rice, read_integer);
    REQUIRED(fireworks, read_integer);
}

READER(dragon_discard_card) {
    REQUIRED(card, read_card);
}

READER(dragon_take_person) {
    REQUIRED(person, read_person_type);
}

READER(dragon_choose_type) {
    REQUIRED(person, read_person_type);
}

READER_OF_KIND(dragon_action) {
    READ_IF(draft, DRAGON_ACTION_DRAFT, read_dragon_draft);
    READ_IF(place_person, DRAGON_ACTION_PLACE_PERSON, read_dragon_place_person);
    READ_IF(choose_action, DRAGON_ACTION_CHOOSE_ACTION, read_dragon_choose_action);
    READ_IF(build_floor, DRAGON_ACTION_BUILD_FLOOR, read_dragon_build_floor);
    READ_IF(play_card, DRAGON_ACTION_PLAY_CARD, read_dragon_play_card);
    READ_IF(release_person, DRAGON_ACTION_RELEASE_PERSON, read_dragon_release_person);
    READ_IF(lose_floor, DRAGON_ACTION_LOSE_FLOOR, read_dragon_lose_floor);
    READ_IF(give_back, DRAGON_ACTION_GIVE_BACK, read_dragon_give_back);
    READ_IF(discard_card, DRAGON_ACTION_DISCARD_CARD, read_dragon_discard_card);
    READ_IF(take_person, DRAGON_ACTION_TAKE_PERSON, read_dragon_take_person);
    READ_IF(choose_type, DRAGON_ACTION_CHOOSE_TYPE, read_dragon_choose_type);
}

READER(dragon_decision_event) {
    REQUIRED(seat, read_integer);
    REQUIRED(decision, read_string);
    read_dragon_action(decoder, required(decoder, value, "decision"), required(decoder, value, "action"), &out->action);
    OPTIONAL(forced, read_boolean(decoder, part, &out->forced));
    OPTIONAL(opening, read_boolean(decoder, part, &out->opening));
}

READER(dragon_change) {
    REQUIRED(seat, read_integer);
    REQUIRED(what, read_counter);
    REQUIRED(by, read_integer);
    REQUIRED(to, read_integer);
    REQUIRED(reason, read_string);
}

READER(dragon_event_strikes) {
    REQUIRED(round, read_integer);
    REQUIRED(event, read_string);
}

READER(dragon_final_score) {
    REQUIRED(seat, read_integer);
    REQUIRED(persons, read_integer);
    REQUIRED(monks, read_integer);
    REQUIRED(money, read_integer);
    REQUIRED(score, read_integer);
}

READER(dragon_palace_changed) {
    REQUIRED(seat, read_integer);
    REQUIRED(palace, read_integer);
    REQUIRED(floors, read_integer);
    REQUIRED(reason, read_string);
}

READER(dragon_person_left) {
    REQUIRED(seat, read_integer);
    OPTIONAL(palace, out->has_palace = true; read_integer(decoder, part, &out->palace));
    REQUIRED(person, read_person_type);
    REQUIRED(age, read_age);
    REQUIRED(reason, read_string);
}

READER(dragon_person_placed) {
    REQUIRED(seat, read_integer);
    REQUIRED(palace, read_integer);
    REQUIRED(person, read_person_type);
    REQUIRED(age, read_age);
}

READER(dragon_round_end) {
    REQUIRED(round, read_integer);
    READ_LIST(required(decoder, value, "scores"), out->scores, int, read_integer);
    READ_LIST(required(decoder, value, "track"), out->track, int, read_integer);
    READ_LIST(required(decoder, value, "order"), out->order, int, read_integer);
}

READER(dragon_wall_built) {
    REQUIRED(seat, read_integer);
    REQUIRED(wall_tile, read_wall_tile);
    REQUIRED(length, read_integer);
}

READER(dragon_event) {
    const struct json *kind = required(decoder, value, "type");
    READ_IF(chance, DRAGON_EVENT_CHANCE, read_chance_event);
    READ_IF(decision, DRAGON_EVENT_DECISION, read_dragon_decision_event);
    READ_IF(change, DRAGON_EVENT_CHANGE, read_dragon_change);
    READ_IF(event, DRAGON_EVENT_EVENT, read_dragon_event_strikes);
    READ_IF(final, DRAGON_EVENT_FINAL, read_dragon_final_score);
    READ_IF(palace, DRAGON_EVENT_PALACE, read_dragon_palace_changed);
    READ_IF(person_left, DRAGON_EVENT_PERSON_LEFT, read_dragon_person_left);
    READ_IF(person_placed, DRAGON_EVENT_PERSON_PLACED, read_dragon_person_placed);
    READ_IF(round, DRAGON_EVENT_ROUND, read_dragon_round_end);
    READ_IF(wall, DRAGON_EVENT_WALL, read_dragon_wall_built);
}

bool read_dragon_start(struct arena *arena, const struct json *value, struct dragon_start *out,
                       char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct dragon_start){0};
    REQUIRED(game_id, read_string);
    REQUIRED(game, read_string);
    REQUIRED(config, read_dragon_config);
    REQUIRED(seat, read_integer);
    READ_LIST(required(decoder, value, "players"), out->players, const char *, read_string);
    REQUIRED(clock, read_clock);
    REQUIRED(bot_seed, read_wide_integer);
    return decoded(decoder, problem);
}

bool read_dragon_act(struct arena *arena, const struct json *value, struct dragon_act *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct dragon_act){0};
    REQUIRED(id, read_integer);
    REQUIRED(decision, read_string);
    REQUIRED(observation, read_dragon_observation);
    READ_LIST_AS(required(decoder, value, "decision"), required(decoder, value, "legal"), out->legal,
                 struct dragon_action, read_dragon_action);
    OPTIONAL(events, READ_LIST(part, out->events, struct dragon_event, read_dragon_event));
    REQUIRED(time_ms, read_integer);
    return decoded(decoder, problem);
}

bool read_dragon_end(struct arena *arena, const struct json *value, struct dragon_end *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct dragon_end){0};
    REQUIRED(game_id, read_string);
    REQUIRED(result, read_result);
    OPTIONAL(events, READ_LIST(part, out->events, struct dragon_event, read_dragon_event));
    return decoded(decoder, problem);
}

READER(city_tile) {
    REQUIRED(edges, read_string);
    READ_LIST(required(decoder, value, "parts"), out->parts, const char *, read_string);
    REQUIRED(picture, read_picture);
    REQUIRED(count, read_integer);
}

READER(city_tile_list_entry) {
    out->name = value->name;
    READ_LIST(value, out->value, struct city_tile, read_city_tile);
}

READER(city_tile_set) {
    READ_LIST(required(decoder, value, "colours"), out->colours, const char *, read_string);
    READ_MEMBERS(required(decoder, value, "owned"), out->owned, struct city_tile_list_entry, read_city_tile_list_entry);
    READ_MEMBERS(required(decoder, value, "two"), out->two, struct city_tile_list_entry, read_city_tile_list_entry);
}

READER(city_config) {
    REQUIRED(players, read_integer);
    REQUIRED(start_tile, read_start_tile);
    REQUIRED(tile_set, read_string);
    OPTIONAL(tiles, READ_STRUCT(part, out->tiles, struct city_tile_set, read_city_tile_set));
}

READER(city_turn) {
    REQUIRED(seat, read_integer);
    REQUIRED(decision, read_string);
}

READER(city_tiles_left) {
    REQUIRED(edges, read_string);
    READ_LIST(required(decoder, value, "parts"), out->parts, const char *, read_string);
    REQUIRED(picture, read_picture);
    REQUIRED(count, read_integer);
    READ_LIST(required(decoder, value, "left"), out->left, int, read_integer);
}

READER(city_room) {
    REQUIRED(id, read_integer);
    REQUIRED(colour, read_string);
    READ_LIST(required(decoder, value, "cells"), out->cells, integer_pair, read_integer_pair);
    REQUIRED(open_edges, read_integer);
    READ_LIST(required(decoder, value, "advisors"), out->advisors, int, read_integer);
    REQUIRED(dragons, read_integer);
    READ_LIST(required(decoder, value, "passages"), out->passages, int, read_integer);
    OPTIONAL(value, out->has_value = true; read_integer(decoder, part, &out->value));
}

READER(city_tile_in_rooms) {
    REQUIRED(x, read_integer);
    REQUIRED(y, read_integer);
    REQUIRED(rotation, read_integer);
    OPTIONAL(seat, out->has_seat = true; read_integer(decoder, part, &out->seat));
    REQUIRED(tile, read_city_tile);
    READ_LIST(required(decoder, value, "rooms"), out->rooms, int, read_integer);
}

READER(city_observation) {
    REQUIRED(seat, read_integer);
    REQUIRED(turn, read_city_turn);
    REQUIRED(hand, read_city_tile);
    READ_LIST(required(decoder, value, "coins"), out->coins, int, read_integer);
    READ_LIST(required(decoder, value, "stacks"), out->stacks, int, read_integer);
    READ_LIST(required(decoder, value, "in_hand"), out->in_hand, int, read_integer);
    READ_LIST(required(decoder, value, "left"), out->left, struct city_tiles_left, read_city_tiles_left);
    READ_LIST(required(decoder, value, "rooms"), out->rooms, struct city_room, read_city_room);
    READ_LIST(required(decoder, value, "board"), out->board, struct city_tile_in_rooms, read_city_tile_in_rooms);
}

READER(city_lay_tile) {
    REQUIRED(x, read_integer);
    REQUIRED(y, read_integer);
    REQUIRED(rotation, read_integer);
}

READER_OF_KIND(city_action) {
    READ_IF(lay_tile, CITY_ACTION_LAY_TILE, read_city_lay_tile);
}

READER(city_decision_event) {
    REQUIRED(seat, read_integer);
    REQUIRED(decision, read_string);
    read_city_action(decoder, required(decoder, value, "decision"), required(decoder, value, "action"), &out->action);
    OPTIONAL(forced, read_boolean(decoder, part, &out->forced));
    OPTIONAL(opening, read_boolean(decoder, part, &out->opening));
}

READER(city_tile_laid) {
    REQUIRED(seat, read_integer);
    REQUIRED(x, read_integer);
    REQUIRED(y, read_integer);
    REQUIRED(rotation, read_integer);
    REQUIRED(tile, read_city_tile);
}

READER(city_room_settled) {
    REQUIRED(seat, read_integer);
    READ_LIST(required(decoder, value, "cells"), out->cells, integer_pair, read_integer_pair);
    REQUIRED(value, read_integer);
    READ_LIST(required(decoder, value, "paid"), out->paid, int, read_integer);
}

READER(city_stack_shown) {
    REQUIRED(seat, read_integer);
    READ_LIST(required(decoder, value, "tiles"), out->tiles, struct city_tile, read_city_tile);
    REQUIRED(paid, read_integer);
    REQUIRED(coins, read_integer);
}

READER(city_event) {
    const struct json *kind = required(decoder, value, "type");
    READ_IF(chance, CITY_EVENT_CHANCE, read_chance_event);
    READ_IF(decision, CITY_EVENT_DECISION, read_city_decision_event);
    READ_IF(laid, CITY_EVENT_LAID, read_city_tile_laid);
    READ_IF(settled, CITY_EVENT_SETTLED, read_city_room_settled);
    READ_IF(shown, CITY_EVENT_SHOWN, read_city_stack_shown);
}

bool read_city_start(struct arena *arena, const struct json *value, struct city_start *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct city_start){0};
    REQUIRED(game_id, read_string);
    REQUIRED(game, read_string);
    REQUIRED(config, read_city_config);
    REQUIRED(seat, read_integer);
    READ_LIST(required(decoder, value, "players"), out->players, const char *, read_string);
    REQUIRED(clock, read_clock);
    REQUIRED(bot_seed, read_wide_integer);
    return decoded(decoder, problem);
}

bool read_city_act(struct arena *arena, const struct json *value, struct city_act *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct city_act){0};
    REQUIRED(id, read_integer);
    REQUIRED(decision, read_string);
    REQUIRED(observation, read_city_observation);
    READ_LIST_AS(required(decoder, value, "decision"), required(decoder, value, "legal"), out->legal,
                 struct city_action, read_city_action);
    OPTIONAL(events, READ_LIST(part, out->events, struct city_event, read_city_event));
    REQUIRED(time_ms, read_integer);
    return decoded(decoder, problem);
}

bool read_city_end(struct arena *arena, const struct json *value, struct city_end *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct city_end){0};
    REQUIRED(game_id, read_string);
    REQUIRED(result, read_result);
    OPTIONAL(events, READ_LIST(part, out->events, struct city_event, read_city_event));
    return decoded(decoder, problem);
}
