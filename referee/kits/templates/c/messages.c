/* How the messages of the referee are read.
 *
 * Generated from the JSON Schema of the protocol: don't edit, the next version of the kit replaces it. */
#include "messages.h"

#include "decode.h"

static const char *const fault_code_words[] = {
    "unknown",
    "bad_message",
    "crash",
    "illegal_action",
    "memory",
    "oversize",
    "protocol_version",
    "startup_timeout",
    "timeout",
};

const char *fault_code_word(enum fault_code word) {
    return fault_code_words[word];
}

static void read_fault_code(struct decoder *decoder, const struct json *value, enum fault_code *out) {
    *out = (enum fault_code)find_word(decoder, value, fault_code_words, COUNT(fault_code_words));
}

static const char *const edition_words[] = {
    "unknown",
    "anniversary",
    "first",
};

const char *edition_word(enum edition word) {
    return edition_words[word];
}

static void read_edition(struct decoder *decoder, const struct json *value, enum edition *out) {
    *out = (enum edition)find_word(decoder, value, edition_words, COUNT(edition_words));
}

static const char *const super_event_option_words[] = {
    "unknown",
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
};

const char *super_event_option_word(enum super_event_option word) {
    return super_event_option_words[word];
}

static void read_super_event_option(struct decoder *decoder, const struct json *value, enum super_event_option *out) {
    *out = (enum super_event_option)find_word(decoder, value, super_event_option_words,
            COUNT(super_event_option_words));
}

static const char *const person_type_words[] = {
    "unknown",
    "court_lady",
    "craftsman",
    "farmer",
    "healer",
    "monk",
    "pyrotechnist",
    "scholar",
    "tax_collector",
    "warrior",
};

const char *person_type_word(enum person_type word) {
    return person_type_words[word];
}

static void read_person_type(struct decoder *decoder, const struct json *value, enum person_type *out) {
    *out = (enum person_type)find_word(decoder, value, person_type_words, COUNT(person_type_words));
}

static const char *const age_words[] = {
    "unknown",
    "old",
    "young",
};

const char *age_word(enum age word) {
    return age_words[word];
}

static void read_age(struct decoder *decoder, const struct json *value, enum age *out) {
    *out = (enum age)find_word(decoder, value, age_words, COUNT(age_words));
}

static const char *const event_tile_words[] = {
    "unknown",
    "contagion",
    "dragon_festival",
    "drought",
    "imperial_tribute",
    "mongol_invasion",
    "peace",
};

const char *event_tile_word(enum event_tile word) {
    return event_tile_words[word];
}

static void read_event_tile(struct decoder *decoder, const struct json *value, enum event_tile *out) {
    *out = (enum event_tile)find_word(decoder, value, event_tile_words, COUNT(event_tile_words));
}

static const char *const super_event_words[] = {
    "unknown",
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
};

const char *super_event_word(enum super_event word) {
    return super_event_words[word];
}

static void read_super_event(struct decoder *decoder, const struct json *value, enum super_event *out) {
    *out = (enum super_event)find_word(decoder, value, super_event_words, COUNT(super_event_words));
}

static const char *const action_card_words[] = {
    "unknown",
    "build",
    "build_wall",
    "fireworks",
    "harvest",
    "military_parade",
    "privilege",
    "research",
    "taxes",
};

const char *action_card_word(enum action_card word) {
    return action_card_words[word];
}

static void read_action_card(struct decoder *decoder, const struct json *value, enum action_card *out) {
    *out = (enum action_card)find_word(decoder, value, action_card_words, COUNT(action_card_words));
}

static const char *const card_words[] = {
    "unknown",
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
};

const char *card_word(enum card word) {
    return card_words[word];
}

static void read_card(struct decoder *decoder, const struct json *value, enum card *out) {
    *out = (enum card)find_word(decoder, value, card_words, COUNT(card_words));
}

static const char *const wall_tile_words[] = {
    "unknown",
    "fireworks",
    "palace",
    "person_track",
    "points",
    "rice",
    "yuan",
};

const char *wall_tile_word(enum wall_tile word) {
    return wall_tile_words[word];
}

static void read_wall_tile(struct decoder *decoder, const struct json *value, enum wall_tile *out) {
    *out = (enum wall_tile)find_word(decoder, value, wall_tile_words, COUNT(wall_tile_words));
}

static const char *const action_kind_words[] = {
    "unknown",
    "card",
    "replenish",
};

const char *action_kind_word(enum action_kind word) {
    return action_kind_words[word];
}

static void read_action_kind(struct decoder *decoder, const struct json *value, enum action_kind *out) {
    *out = (enum action_kind)find_word(decoder, value, action_kind_words, COUNT(action_kind_words));
}

static const char *const privilege_size_words[] = {
    "unknown",
    "large",
    "small",
};

const char *privilege_size_word(enum privilege_size word) {
    return privilege_size_words[word];
}

static void read_privilege_size(struct decoder *decoder, const struct json *value, enum privilege_size *out) {
    *out = (enum privilege_size)find_word(decoder, value, privilege_size_words, COUNT(privilege_size_words));
}

static const char *const counter_words[] = {
    "unknown",
    "fireworks",
    "large_privileges",
    "rice",
    "score",
    "small_privileges",
    "track",
    "yuan",
};

const char *counter_word(enum counter word) {
    return counter_words[word];
}

static void read_counter(struct decoder *decoder, const struct json *value, enum counter *out) {
    *out = (enum counter)find_word(decoder, value, counter_words, COUNT(counter_words));
}

static const char *const start_tile_words[] = {
    "unknown",
    "advanced",
    "garden",
};

const char *start_tile_word(enum start_tile word) {
    return start_tile_words[word];
}

static void read_start_tile(struct decoder *decoder, const struct json *value, enum start_tile *out) {
    *out = (enum start_tile)find_word(decoder, value, start_tile_words, COUNT(start_tile_words));
}

static const char *const picture_words[] = {
    "unknown",
    "advisors",
    "dragon",
    "none",
};

const char *picture_word(enum picture word) {
    return picture_words[word];
}

static void read_picture(struct decoder *decoder, const struct json *value, enum picture *out) {
    *out = (enum picture)find_word(decoder, value, picture_words, COUNT(picture_words));
}

static void read_hello_limits(struct decoder *decoder, const struct json *value, struct hello_limits *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "line_bytes"), &out->line_bytes);
    read_integer(decoder, required(decoder, value, "info_bytes"), &out->info_bytes);
    read_integer(decoder, required(decoder, value, "startup_ms"), &out->startup_ms);
    read_integer(decoder, required(decoder, value, "margin_ms"), &out->margin_ms);
    read_integer(decoder, required(decoder, value, "quit_ms"), &out->quit_ms);
    part = optional(decoder, value, "memory_mb");
    if (part != NULL) {
        out->has_memory_mb = true;
        read_integer(decoder, part, &out->memory_mb);
    }
}

bool read_hello(struct arena *arena, const struct json *value, struct hello *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct hello){0};
    read_integer(decoder, required(decoder, value, "protocol"), &out->protocol);
    read_string(decoder, required(decoder, value, "referee"), &out->referee);
    read_hello_limits(decoder, required(decoder, value, "limits"), &out->limits);
    return decoded(decoder, problem);
}

bool read_fault_message(struct arena *arena, const struct json *value, struct fault_message *out,
                        char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct fault_message){0};
    read_fault_code(decoder, required(decoder, value, "code"), &out->code);
    read_string(decoder, required(decoder, value, "message"), &out->message);
    return decoded(decoder, problem);
}

static void read_clock(struct decoder *decoder, const struct json *value, struct clock *out) {
    const struct json *part;
    part = optional(decoder, value, "move_ms");
    if (part != NULL) {
        out->has_move_ms = true;
        read_integer(decoder, part, &out->move_ms);
    }
    part = optional(decoder, value, "bank_ms");
    if (part != NULL) {
        out->has_bank_ms = true;
        read_integer(decoder, part, &out->bank_ms);
    }
    part = optional(decoder, value, "increment_ms");
    if (part != NULL) {
        out->has_increment_ms = true;
        read_integer(decoder, part, &out->increment_ms);
    }
}

static void read_result(struct decoder *decoder, const struct json *value, struct result *out) {
    READ_LIST(required(decoder, value, "scores"), out->scores, int, read_integer);
    READ_LIST(required(decoder, value, "ranks"), out->ranks, int, read_integer);
    READ_LIST(required(decoder, value, "faults"), out->faults, enum fault_code, read_fault_code);
}

static void read_dragon_config(struct decoder *decoder, const struct json *value, struct dragon_config *out) {
    read_integer(decoder, required(decoder, value, "players"), &out->players);
    read_edition(decoder, required(decoder, value, "edition"), &out->edition);
    read_boolean(decoder, required(decoder, value, "great_wall"), &out->great_wall);
    read_super_event_option(decoder, required(decoder, value, "super_event"), &out->super_event);
}

static void read_dragon_task(struct decoder *decoder, const struct json *value, struct dragon_task *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_string(decoder, required(decoder, value, "decision"), &out->decision);
    part = optional(decoder, value, "person");
    if (part != NULL) {
        read_person_type(decoder, part, &out->person);
    }
    part = optional(decoder, value, "age");
    if (part != NULL) {
        read_age(decoder, part, &out->age);
    }
    part = optional(decoder, value, "reason");
    if (part != NULL) {
        out->has_reason = true;
        read_string(decoder, part, &out->reason);
    }
    part = optional(decoder, value, "left");
    if (part != NULL) {
        out->has_left = true;
        read_integer(decoder, part, &out->left);
    }
    part = optional(decoder, value, "palace");
    if (part != NULL) {
        out->has_palace = true;
        read_integer(decoder, part, &out->palace);
    }
    part = optional(decoder, value, "hit");
    if (part != NULL) {
        out->has_hit = true;
        READ_LIST(part, out->hit, int, read_integer);
    }
}

static void read_dragon_action_group(struct decoder *decoder, const struct json *value,
                                     struct dragon_action_group *out) {
    READ_LIST(required(decoder, value, "cards"), out->cards, enum action_card, read_action_card);
    READ_LIST(required(decoder, value, "taken_by"), out->taken_by, int, read_integer);
}

static void read_integer_entry(struct decoder *decoder, const struct json *value, struct integer_entry *out) {
    out->name = value->name;
    read_integer(decoder, value, &out->value);
}

static void read_dragon_display(struct decoder *decoder, const struct json *value, struct dragon_display *out) {
    READ_MEMBERS(required(decoder, value, "young"), out->young, struct integer_entry, read_integer_entry);
    READ_MEMBERS(required(decoder, value, "old"), out->old, struct integer_entry, read_integer_entry);
}

static void read_dragon_person(struct decoder *decoder, const struct json *value, struct dragon_person *out) {
    read_person_type(decoder, required(decoder, value, "person"), &out->person);
    read_age(decoder, required(decoder, value, "age"), &out->age);
}

static void read_dragon_palace(struct decoder *decoder, const struct json *value, struct dragon_palace *out) {
    read_integer(decoder, required(decoder, value, "id"), &out->id);
    read_integer(decoder, required(decoder, value, "floors"), &out->floors);
    READ_LIST(required(decoder, value, "persons"), out->persons, struct dragon_person, read_dragon_person);
}

static void read_dragon_player(struct decoder *decoder, const struct json *value, struct dragon_player *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_integer(decoder, required(decoder, value, "score"), &out->score);
    read_integer(decoder, required(decoder, value, "track"), &out->track);
    read_integer(decoder, required(decoder, value, "yuan"), &out->yuan);
    read_integer(decoder, required(decoder, value, "rice"), &out->rice);
    read_integer(decoder, required(decoder, value, "fireworks"), &out->fireworks);
    read_integer(decoder, required(decoder, value, "small_privileges"), &out->small_privileges);
    read_integer(decoder, required(decoder, value, "large_privileges"), &out->large_privileges);
    READ_LIST(required(decoder, value, "palaces"), out->palaces, struct dragon_palace, read_dragon_palace);
    read_integer(decoder, required(decoder, value, "next_palace"), &out->next_palace);
    read_integer(decoder, required(decoder, value, "hand_size"), &out->hand_size);
    READ_LIST(required(decoder, value, "played"), out->played, enum card, read_card);
    part = optional(decoder, value, "discarded");
    if (part != NULL) {
        out->has_discarded = true;
        READ_LIST(part, out->discarded, enum card, read_card);
    }
    part = optional(decoder, value, "wall_tiles");
    if (part != NULL) {
        out->has_wall_tiles = true;
        READ_LIST(part, out->wall_tiles, enum wall_tile, read_wall_tile);
    }
}

static void read_dragon_observation(struct decoder *decoder, const struct json *value, struct dragon_observation *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "round"), &out->round);
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_dragon_task(decoder, required(decoder, value, "turn"), &out->turn);
    READ_LIST(required(decoder, value, "order"), out->order, int, read_integer);
    READ_LIST(required(decoder, value, "event_row"), out->event_row, enum event_tile, read_event_tile);
    read_super_event(decoder, required(decoder, value, "super_event"), &out->super_event);
    READ_LIST(required(decoder, value, "action_groups"), out->action_groups, struct dragon_action_group,
              read_dragon_action_group);
    read_dragon_display(decoder, required(decoder, value, "display"), &out->display);
    READ_LIST(required(decoder, value, "hand"), out->hand, enum card, read_card);
    READ_LIST(required(decoder, value, "players"), out->players, struct dragon_player, read_dragon_player);
    part = optional(decoder, value, "wall");
    if (part != NULL) {
        out->has_wall = true;
        READ_LIST(part, out->wall, int, read_integer);
    }
}

static void read_dragon_draft(struct decoder *decoder, const struct json *value, struct dragon_draft *out) {
    READ_ARRAY(required(decoder, value, "persons"), out->persons, read_person_type);
}

static void read_dragon_place_person(struct decoder *decoder, const struct json *value,
                                     struct dragon_place_person *out) {
    const struct json *part;
    part = optional(decoder, value, "palace");
    if (part != NULL) {
        out->has_palace = true;
        read_integer(decoder, part, &out->palace);
    }
    part = optional(decoder, value, "replace");
    if (part != NULL) {
        READ_STRUCT(part, out->replace, struct dragon_person, read_dragon_person);
    }
    part = optional(decoder, value, "refuse");
    if (part != NULL) {
        read_boolean(decoder, part, &out->refuse);
    }
}

static void read_dragon_choose_action(struct decoder *decoder, const struct json *value,
                                      struct dragon_choose_action *out) {
    const struct json *part;
    read_action_kind(decoder, required(decoder, value, "kind"), &out->kind);
    part = optional(decoder, value, "group");
    if (part != NULL) {
        out->has_group = true;
        read_integer(decoder, part, &out->group);
    }
    part = optional(decoder, value, "card");
    if (part != NULL) {
        read_action_card(decoder, part, &out->card);
    }
    part = optional(decoder, value, "size");
    if (part != NULL) {
        read_privilege_size(decoder, part, &out->size);
    }
    part = optional(decoder, value, "wall_tile");
    if (part != NULL) {
        read_wall_tile(decoder, part, &out->wall_tile);
    }
}

static void read_dragon_build_floor(struct decoder *decoder, const struct json *value, struct dragon_build_floor *out) {
    read_integer(decoder, required(decoder, value, "palace"), &out->palace);
}

static void read_dragon_play_card(struct decoder *decoder, const struct json *value, struct dragon_play_card *out) {
    const struct json *part;
    read_card(decoder, required(decoder, value, "card"), &out->card);
    part = optional(decoder, value, "person");
    if (part != NULL) {
        read_person_type(decoder, part, &out->person);
    }
    part = optional(decoder, value, "age");
    if (part != NULL) {
        read_age(decoder, part, &out->age);
    }
}

static void read_dragon_release_person(struct decoder *decoder, const struct json *value,
                                       struct dragon_release_person *out) {
    read_integer(decoder, required(decoder, value, "palace"), &out->palace);
    read_person_type(decoder, required(decoder, value, "person"), &out->person);
    read_age(decoder, required(decoder, value, "age"), &out->age);
}

static void read_dragon_lose_floor(struct decoder *decoder, const struct json *value, struct dragon_lose_floor *out) {
    read_integer(decoder, required(decoder, value, "palace"), &out->palace);
}

static void read_dragon_give_back(struct decoder *decoder, const struct json *value, struct dragon_give_back *out) {
    read_integer(decoder, required(decoder, value, "yuan"), &out->yuan);
    read_integer(decoder, required(decoder, value, "rice"), &out->rice);
    read_integer(decoder, required(decoder, value, "fireworks"), &out->fireworks);
}

static void read_dragon_discard_card(struct decoder *decoder, const struct json *value,
                                     struct dragon_discard_card *out) {
    read_card(decoder, required(decoder, value, "card"), &out->card);
}

static void read_dragon_take_person(struct decoder *decoder, const struct json *value, struct dragon_take_person *out) {
    read_person_type(decoder, required(decoder, value, "person"), &out->person);
}

static void read_dragon_choose_type(struct decoder *decoder, const struct json *value, struct dragon_choose_type *out) {
    read_person_type(decoder, required(decoder, value, "person"), &out->person);
}

static void read_dragon_action(struct decoder *decoder, const struct json *kind, const struct json *value,
                               struct dragon_action *out) {
    if (json_is(kind, "draft")) {
        out->kind = DRAGON_ACTION_DRAFT;
        read_dragon_draft(decoder, value, &out->as.draft);
    } else if (json_is(kind, "place_person")) {
        out->kind = DRAGON_ACTION_PLACE_PERSON;
        read_dragon_place_person(decoder, value, &out->as.place_person);
    } else if (json_is(kind, "choose_action")) {
        out->kind = DRAGON_ACTION_CHOOSE_ACTION;
        read_dragon_choose_action(decoder, value, &out->as.choose_action);
    } else if (json_is(kind, "build_floor")) {
        out->kind = DRAGON_ACTION_BUILD_FLOOR;
        read_dragon_build_floor(decoder, value, &out->as.build_floor);
    } else if (json_is(kind, "play_card")) {
        out->kind = DRAGON_ACTION_PLAY_CARD;
        read_dragon_play_card(decoder, value, &out->as.play_card);
    } else if (json_is(kind, "release_person")) {
        out->kind = DRAGON_ACTION_RELEASE_PERSON;
        read_dragon_release_person(decoder, value, &out->as.release_person);
    } else if (json_is(kind, "lose_floor")) {
        out->kind = DRAGON_ACTION_LOSE_FLOOR;
        read_dragon_lose_floor(decoder, value, &out->as.lose_floor);
    } else if (json_is(kind, "give_back")) {
        out->kind = DRAGON_ACTION_GIVE_BACK;
        read_dragon_give_back(decoder, value, &out->as.give_back);
    } else if (json_is(kind, "discard_card")) {
        out->kind = DRAGON_ACTION_DISCARD_CARD;
        read_dragon_discard_card(decoder, value, &out->as.discard_card);
    } else if (json_is(kind, "take_person")) {
        out->kind = DRAGON_ACTION_TAKE_PERSON;
        read_dragon_take_person(decoder, value, &out->as.take_person);
    } else if (json_is(kind, "choose_type")) {
        out->kind = DRAGON_ACTION_CHOOSE_TYPE;
        read_dragon_choose_type(decoder, value, &out->as.choose_type);
    }
}

static void read_dragon_chance_event(struct decoder *decoder, const struct json *value,
                                     struct dragon_chance_event *out) {
    const struct json *part;
    read_string(decoder, required(decoder, value, "what"), &out->what);
    part = optional(decoder, value, "round");
    if (part != NULL) {
        out->has_round = true;
        read_integer(decoder, part, &out->round);
    }
    read_any(decoder, required(decoder, value, "value"), &out->value);
}

static void read_dragon_decision_event(struct decoder *decoder, const struct json *value,
                                       struct dragon_decision_event *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_string(decoder, required(decoder, value, "decision"), &out->decision);
    read_dragon_action(decoder, required(decoder, value, "decision"), required(decoder, value, "action"), &out->action);
    part = optional(decoder, value, "forced");
    if (part != NULL) {
        read_boolean(decoder, part, &out->forced);
    }
    part = optional(decoder, value, "opening");
    if (part != NULL) {
        read_boolean(decoder, part, &out->opening);
    }
}

static void read_dragon_change(struct decoder *decoder, const struct json *value, struct dragon_change *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_counter(decoder, required(decoder, value, "what"), &out->what);
    read_integer(decoder, required(decoder, value, "by"), &out->by);
    read_integer(decoder, required(decoder, value, "to"), &out->to);
    read_string(decoder, required(decoder, value, "reason"), &out->reason);
}

static void read_dragon_event_strikes(struct decoder *decoder, const struct json *value,
                                      struct dragon_event_strikes *out) {
    read_integer(decoder, required(decoder, value, "round"), &out->round);
    read_string(decoder, required(decoder, value, "event"), &out->event);
}

static void read_dragon_final_score(struct decoder *decoder, const struct json *value, struct dragon_final_score *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_integer(decoder, required(decoder, value, "persons"), &out->persons);
    read_integer(decoder, required(decoder, value, "monks"), &out->monks);
    read_integer(decoder, required(decoder, value, "money"), &out->money);
    read_integer(decoder, required(decoder, value, "score"), &out->score);
}

static void read_dragon_palace_changed(struct decoder *decoder, const struct json *value,
                                       struct dragon_palace_changed *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_integer(decoder, required(decoder, value, "palace"), &out->palace);
    read_integer(decoder, required(decoder, value, "floors"), &out->floors);
    read_string(decoder, required(decoder, value, "reason"), &out->reason);
}

static void read_dragon_person_left(struct decoder *decoder, const struct json *value, struct dragon_person_left *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    part = optional(decoder, value, "palace");
    if (part != NULL) {
        out->has_palace = true;
        read_integer(decoder, part, &out->palace);
    }
    read_person_type(decoder, required(decoder, value, "person"), &out->person);
    read_age(decoder, required(decoder, value, "age"), &out->age);
    read_string(decoder, required(decoder, value, "reason"), &out->reason);
}

static void read_dragon_person_placed(struct decoder *decoder, const struct json *value,
                                      struct dragon_person_placed *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_integer(decoder, required(decoder, value, "palace"), &out->palace);
    read_person_type(decoder, required(decoder, value, "person"), &out->person);
    read_age(decoder, required(decoder, value, "age"), &out->age);
}

static void read_dragon_round_end(struct decoder *decoder, const struct json *value, struct dragon_round_end *out) {
    read_integer(decoder, required(decoder, value, "round"), &out->round);
    READ_LIST(required(decoder, value, "scores"), out->scores, int, read_integer);
    READ_LIST(required(decoder, value, "track"), out->track, int, read_integer);
    READ_LIST(required(decoder, value, "order"), out->order, int, read_integer);
}

static void read_dragon_wall_built(struct decoder *decoder, const struct json *value, struct dragon_wall_built *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_wall_tile(decoder, required(decoder, value, "wall_tile"), &out->wall_tile);
    read_integer(decoder, required(decoder, value, "length"), &out->length);
}

static void read_dragon_event(struct decoder *decoder, const struct json *value, struct dragon_event *out) {
    const struct json *kind = required(decoder, value, "type");
    if (json_is(kind, "chance")) {
        out->kind = DRAGON_EVENT_CHANCE;
        read_dragon_chance_event(decoder, value, &out->as.chance);
    } else if (json_is(kind, "decision")) {
        out->kind = DRAGON_EVENT_DECISION;
        read_dragon_decision_event(decoder, value, &out->as.decision);
    } else if (json_is(kind, "change")) {
        out->kind = DRAGON_EVENT_CHANGE;
        read_dragon_change(decoder, value, &out->as.change);
    } else if (json_is(kind, "event")) {
        out->kind = DRAGON_EVENT_EVENT;
        read_dragon_event_strikes(decoder, value, &out->as.event);
    } else if (json_is(kind, "final")) {
        out->kind = DRAGON_EVENT_FINAL;
        read_dragon_final_score(decoder, value, &out->as.final);
    } else if (json_is(kind, "palace")) {
        out->kind = DRAGON_EVENT_PALACE;
        read_dragon_palace_changed(decoder, value, &out->as.palace);
    } else if (json_is(kind, "person_left")) {
        out->kind = DRAGON_EVENT_PERSON_LEFT;
        read_dragon_person_left(decoder, value, &out->as.person_left);
    } else if (json_is(kind, "person_placed")) {
        out->kind = DRAGON_EVENT_PERSON_PLACED;
        read_dragon_person_placed(decoder, value, &out->as.person_placed);
    } else if (json_is(kind, "round")) {
        out->kind = DRAGON_EVENT_ROUND;
        read_dragon_round_end(decoder, value, &out->as.round);
    } else if (json_is(kind, "wall")) {
        out->kind = DRAGON_EVENT_WALL;
        read_dragon_wall_built(decoder, value, &out->as.wall);
    }
}

bool read_dragon_start(struct arena *arena, const struct json *value, struct dragon_start *out,
                       char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct dragon_start){0};
    read_string(decoder, required(decoder, value, "game_id"), &out->game_id);
    read_string(decoder, required(decoder, value, "game"), &out->game);
    read_dragon_config(decoder, required(decoder, value, "config"), &out->config);
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    READ_LIST(required(decoder, value, "players"), out->players, const char *, read_string);
    read_clock(decoder, required(decoder, value, "clock"), &out->clock);
    read_wide_integer(decoder, required(decoder, value, "bot_seed"), &out->bot_seed);
    return decoded(decoder, problem);
}

bool read_dragon_act(struct arena *arena, const struct json *value, struct dragon_act *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct dragon_act){0};
    const struct json *part;
    read_integer(decoder, required(decoder, value, "id"), &out->id);
    read_string(decoder, required(decoder, value, "decision"), &out->decision);
    read_dragon_observation(decoder, required(decoder, value, "observation"), &out->observation);
    READ_LIST_AS(required(decoder, value, "decision"), required(decoder, value, "legal"), out->legal,
                 struct dragon_action, read_dragon_action);
    part = optional(decoder, value, "events");
    if (part != NULL) {
        READ_LIST(part, out->events, struct dragon_event, read_dragon_event);
    }
    read_integer(decoder, required(decoder, value, "time_ms"), &out->time_ms);
    return decoded(decoder, problem);
}

bool read_dragon_end(struct arena *arena, const struct json *value, struct dragon_end *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct dragon_end){0};
    const struct json *part;
    read_string(decoder, required(decoder, value, "game_id"), &out->game_id);
    read_result(decoder, required(decoder, value, "result"), &out->result);
    part = optional(decoder, value, "events");
    if (part != NULL) {
        READ_LIST(part, out->events, struct dragon_event, read_dragon_event);
    }
    return decoded(decoder, problem);
}

static void read_city_tile(struct decoder *decoder, const struct json *value, struct city_tile *out) {
    read_string(decoder, required(decoder, value, "edges"), &out->edges);
    READ_LIST(required(decoder, value, "parts"), out->parts, const char *, read_string);
    read_picture(decoder, required(decoder, value, "picture"), &out->picture);
    read_integer(decoder, required(decoder, value, "count"), &out->count);
}

static void read_city_tile_list_entry(struct decoder *decoder, const struct json *value,
                                      struct city_tile_list_entry *out) {
    out->name = value->name;
    READ_LIST(value, out->value, struct city_tile, read_city_tile);
}

static void read_city_tile_set(struct decoder *decoder, const struct json *value, struct city_tile_set *out) {
    READ_LIST(required(decoder, value, "colours"), out->colours, const char *, read_string);
    READ_MEMBERS(required(decoder, value, "owned"), out->owned, struct city_tile_list_entry, read_city_tile_list_entry);
    READ_MEMBERS(required(decoder, value, "two"), out->two, struct city_tile_list_entry, read_city_tile_list_entry);
}

static void read_city_config(struct decoder *decoder, const struct json *value, struct city_config *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "players"), &out->players);
    read_start_tile(decoder, required(decoder, value, "start_tile"), &out->start_tile);
    read_string(decoder, required(decoder, value, "tile_set"), &out->tile_set);
    part = optional(decoder, value, "tiles");
    if (part != NULL) {
        READ_STRUCT(part, out->tiles, struct city_tile_set, read_city_tile_set);
    }
}

static void read_city_turn(struct decoder *decoder, const struct json *value, struct city_turn *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_string(decoder, required(decoder, value, "decision"), &out->decision);
}

static void read_city_tiles_left(struct decoder *decoder, const struct json *value, struct city_tiles_left *out) {
    read_string(decoder, required(decoder, value, "edges"), &out->edges);
    READ_LIST(required(decoder, value, "parts"), out->parts, const char *, read_string);
    read_picture(decoder, required(decoder, value, "picture"), &out->picture);
    read_integer(decoder, required(decoder, value, "count"), &out->count);
    READ_LIST(required(decoder, value, "left"), out->left, int, read_integer);
}

static void read_city_room(struct decoder *decoder, const struct json *value, struct city_room *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "id"), &out->id);
    read_string(decoder, required(decoder, value, "colour"), &out->colour);
    READ_LIST(required(decoder, value, "cells"), out->cells, integer_pair, read_integer_pair);
    read_integer(decoder, required(decoder, value, "open_edges"), &out->open_edges);
    READ_LIST(required(decoder, value, "advisors"), out->advisors, int, read_integer);
    read_integer(decoder, required(decoder, value, "dragons"), &out->dragons);
    READ_LIST(required(decoder, value, "passages"), out->passages, int, read_integer);
    part = optional(decoder, value, "value");
    if (part != NULL) {
        out->has_value = true;
        read_integer(decoder, part, &out->value);
    }
}

static void read_city_tile_in_rooms(struct decoder *decoder, const struct json *value, struct city_tile_in_rooms *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "x"), &out->x);
    read_integer(decoder, required(decoder, value, "y"), &out->y);
    read_integer(decoder, required(decoder, value, "rotation"), &out->rotation);
    part = optional(decoder, value, "seat");
    if (part != NULL) {
        out->has_seat = true;
        read_integer(decoder, part, &out->seat);
    }
    read_city_tile(decoder, required(decoder, value, "tile"), &out->tile);
    READ_LIST(required(decoder, value, "rooms"), out->rooms, int, read_integer);
}

static void read_city_observation(struct decoder *decoder, const struct json *value, struct city_observation *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_city_turn(decoder, required(decoder, value, "turn"), &out->turn);
    read_city_tile(decoder, required(decoder, value, "hand"), &out->hand);
    READ_LIST(required(decoder, value, "coins"), out->coins, int, read_integer);
    READ_LIST(required(decoder, value, "stacks"), out->stacks, int, read_integer);
    READ_LIST(required(decoder, value, "in_hand"), out->in_hand, int, read_integer);
    READ_LIST(required(decoder, value, "left"), out->left, struct city_tiles_left, read_city_tiles_left);
    READ_LIST(required(decoder, value, "rooms"), out->rooms, struct city_room, read_city_room);
    READ_LIST(required(decoder, value, "board"), out->board, struct city_tile_in_rooms, read_city_tile_in_rooms);
}

static void read_city_lay_tile(struct decoder *decoder, const struct json *value, struct city_lay_tile *out) {
    read_integer(decoder, required(decoder, value, "x"), &out->x);
    read_integer(decoder, required(decoder, value, "y"), &out->y);
    read_integer(decoder, required(decoder, value, "rotation"), &out->rotation);
}

static void read_city_action(struct decoder *decoder, const struct json *kind, const struct json *value,
                             struct city_action *out) {
    if (json_is(kind, "lay_tile")) {
        out->kind = CITY_ACTION_LAY_TILE;
        read_city_lay_tile(decoder, value, &out->as.lay_tile);
    }
}

static void read_city_chance_event(struct decoder *decoder, const struct json *value, struct city_chance_event *out) {
    const struct json *part;
    read_string(decoder, required(decoder, value, "what"), &out->what);
    part = optional(decoder, value, "round");
    if (part != NULL) {
        out->has_round = true;
        read_integer(decoder, part, &out->round);
    }
    read_any(decoder, required(decoder, value, "value"), &out->value);
}

static void read_city_decision_event(struct decoder *decoder, const struct json *value,
                                     struct city_decision_event *out) {
    const struct json *part;
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_string(decoder, required(decoder, value, "decision"), &out->decision);
    read_city_action(decoder, required(decoder, value, "decision"), required(decoder, value, "action"), &out->action);
    part = optional(decoder, value, "forced");
    if (part != NULL) {
        read_boolean(decoder, part, &out->forced);
    }
    part = optional(decoder, value, "opening");
    if (part != NULL) {
        read_boolean(decoder, part, &out->opening);
    }
}

static void read_city_tile_laid(struct decoder *decoder, const struct json *value, struct city_tile_laid *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    read_integer(decoder, required(decoder, value, "x"), &out->x);
    read_integer(decoder, required(decoder, value, "y"), &out->y);
    read_integer(decoder, required(decoder, value, "rotation"), &out->rotation);
    read_city_tile(decoder, required(decoder, value, "tile"), &out->tile);
}

static void read_city_room_settled(struct decoder *decoder, const struct json *value, struct city_room_settled *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    READ_LIST(required(decoder, value, "cells"), out->cells, integer_pair, read_integer_pair);
    read_integer(decoder, required(decoder, value, "value"), &out->value);
    READ_LIST(required(decoder, value, "paid"), out->paid, int, read_integer);
}

static void read_city_stack_shown(struct decoder *decoder, const struct json *value, struct city_stack_shown *out) {
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    READ_LIST(required(decoder, value, "tiles"), out->tiles, struct city_tile, read_city_tile);
    read_integer(decoder, required(decoder, value, "paid"), &out->paid);
    read_integer(decoder, required(decoder, value, "coins"), &out->coins);
}

static void read_city_event(struct decoder *decoder, const struct json *value, struct city_event *out) {
    const struct json *kind = required(decoder, value, "type");
    if (json_is(kind, "chance")) {
        out->kind = CITY_EVENT_CHANCE;
        read_city_chance_event(decoder, value, &out->as.chance);
    } else if (json_is(kind, "decision")) {
        out->kind = CITY_EVENT_DECISION;
        read_city_decision_event(decoder, value, &out->as.decision);
    } else if (json_is(kind, "laid")) {
        out->kind = CITY_EVENT_LAID;
        read_city_tile_laid(decoder, value, &out->as.laid);
    } else if (json_is(kind, "settled")) {
        out->kind = CITY_EVENT_SETTLED;
        read_city_room_settled(decoder, value, &out->as.settled);
    } else if (json_is(kind, "shown")) {
        out->kind = CITY_EVENT_SHOWN;
        read_city_stack_shown(decoder, value, &out->as.shown);
    }
}

bool read_city_start(struct arena *arena, const struct json *value, struct city_start *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct city_start){0};
    read_string(decoder, required(decoder, value, "game_id"), &out->game_id);
    read_string(decoder, required(decoder, value, "game"), &out->game);
    read_city_config(decoder, required(decoder, value, "config"), &out->config);
    read_integer(decoder, required(decoder, value, "seat"), &out->seat);
    READ_LIST(required(decoder, value, "players"), out->players, const char *, read_string);
    read_clock(decoder, required(decoder, value, "clock"), &out->clock);
    read_wide_integer(decoder, required(decoder, value, "bot_seed"), &out->bot_seed);
    return decoded(decoder, problem);
}

bool read_city_act(struct arena *arena, const struct json *value, struct city_act *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct city_act){0};
    const struct json *part;
    read_integer(decoder, required(decoder, value, "id"), &out->id);
    read_string(decoder, required(decoder, value, "decision"), &out->decision);
    read_city_observation(decoder, required(decoder, value, "observation"), &out->observation);
    READ_LIST_AS(required(decoder, value, "decision"), required(decoder, value, "legal"), out->legal,
                 struct city_action, read_city_action);
    part = optional(decoder, value, "events");
    if (part != NULL) {
        READ_LIST(part, out->events, struct city_event, read_city_event);
    }
    read_integer(decoder, required(decoder, value, "time_ms"), &out->time_ms);
    return decoded(decoder, problem);
}

bool read_city_end(struct arena *arena, const struct json *value, struct city_end *out, char problem[static 100]) {
    struct decoder state = {.arena = arena}, *decoder = &state;
    *out = (struct city_end){0};
    const struct json *part;
    read_string(decoder, required(decoder, value, "game_id"), &out->game_id);
    read_result(decoder, required(decoder, value, "result"), &out->result);
    part = optional(decoder, value, "events");
    if (part != NULL) {
        READ_LIST(part, out->events, struct city_event, read_city_event);
    }
    return decoded(decoder, problem);
}
