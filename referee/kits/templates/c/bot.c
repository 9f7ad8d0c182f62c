/* Your bot: edit this file.
 *
 * There is a function per game, listed in `bot_games` at the end. Each is given what the referee says when a game
 * starts, and a question (`act`), and returns the index of an action in `act->legal`. The strategies here give every
 * legal action a value and take the best; they are meant to be read in five minutes and to be beaten. A game that is
 * not listed is played at random: write a `choose_NAME` for it.
 *
 * `printf` is safe: it writes to standard error, which the referee keeps beside the record of the game. What a message
 * refers to is freed when the function returns: copy what you want to remember. */
#include "wire.h"

#include <string.h>

const char bot_name[] = "{{name}}";

/* -- In the Year of the Dragon ------------------------------------------------------------------------------------- */

/* How much the bot values each person. */
static const int person_values[] = {
    [PERSON_TYPE_CRAFTSMAN] = 4,
    [PERSON_TYPE_COURT_LADY] = 5,
    [PERSON_TYPE_TAX_COLLECTOR] = 4,
    [PERSON_TYPE_PYROTECHNIST] = 3,
    [PERSON_TYPE_WARRIOR] = 3,
    [PERSON_TYPE_MONK] = 4,
    [PERSON_TYPE_HEALER] = 3,
    [PERSON_TYPE_FARMER] = 4,
    [PERSON_TYPE_SCHOLAR] = 5,
};

/* Whether an event comes in this round or the next one. */
static bool comes_soon(enum event_tile event, const struct dragon_observation *seen) {
    const int this_round = seen->round, rounds = (int)seen->event_row_count; /* round 0 is before the first one */
    const bool now = this_round > 0 && seen->event_row[this_round - 1] == event;
    return now || (this_round < rounds && seen->event_row[this_round] == event);
}

/* The value of an action card now: high if this round or the next one needs its goods. */
static int card_value(enum action_card card, const struct dragon_observation *seen, const struct dragon_player *me) {
    int room = 0;
    for (size_t i = 0; i < me->palaces_count; i++) {
        room += me->palaces[i].floors - (int)me->palaces[i].persons_count;
    }
    switch (card) {
    case ACTION_CARD_BUILD:
        return room < 2 ? 6 : 2;
    case ACTION_CARD_TAXES:
        return me->yuan < 4 ? 7 : 3;
    case ACTION_CARD_HARVEST:
        return comes_soon(EVENT_TILE_DROUGHT, seen) && me->rice < (int)me->palaces_count ? 6 : 1;
    case ACTION_CARD_FIREWORKS:
        return comes_soon(EVENT_TILE_DRAGON_FESTIVAL, seen) ? 5 : 1;
    case ACTION_CARD_MILITARY_PARADE:
        return comes_soon(EVENT_TILE_MONGOL_INVASION, seen) ? 4 : 1;
    case ACTION_CARD_PRIVILEGE:
        return seen->round <= 4 ? 4 : 0;
    default: /* research and build_wall */
        return 3;
    }
}

/* The value of a group's card, less the 3 yuan that it costs if somebody has chosen that group before. */
static int choose_action_value(const struct dragon_choose_action *action, const struct dragon_observation *seen) {
    const struct dragon_player *me = &seen->players[seen->seat];
    if (action->kind == ACTION_KIND_REPLENISH) {
        return me->yuan == 0 ? 2 : 0;
    }
    const int price = seen->action_groups[action->group].taken_by_count > 0 ? 3 : 0;
    return card_value(action->card, seen, me) - price;
}

/* A free place is best; otherwise the person of the least value leaves, or the new one stays outside. */
static int place_person_value(const struct dragon_place_person *action, const struct dragon_task *turn) {
    if (action->replace != NULL) {
        return -person_values[action->replace->person];
    }
    return action->refuse ? -person_values[turn->person] : 0;
}

/* The value of a legal action. What an action says depends on the kind of decision. */
static int dragon_value(const struct dragon_action *action, const struct dragon_observation *seen) {
    switch (action->kind) {
    case DRAGON_ACTION_CHOOSE_ACTION:
        return choose_action_value(&action->as.choose_action, seen);
    case DRAGON_ACTION_DRAFT:
        return person_values[action->as.draft.persons[0]] + person_values[action->as.draft.persons[1]];
    case DRAGON_ACTION_PLACE_PERSON:
        return place_person_value(&action->as.place_person, &seen->turn);
    case DRAGON_ACTION_PLAY_CARD: /* a wild card is worth more later */
        return person_values[action->as.play_card.person] - (action->as.play_card.card == CARD_WILD ? 2 : 0);
    case DRAGON_ACTION_RELEASE_PERSON:
        return -person_values[action->as.release_person.person];
    case DRAGON_ACTION_TAKE_PERSON:
        return person_values[action->as.take_person.person];
    case DRAGON_ACTION_GIVE_BACK: {
        const struct dragon_give_back *given = &action->as.give_back;
        return -3 * given->rice - 2 * given->yuan - given->fireworks;
    }
    default: /* in the other decisions one action is as good as another */
        return 0;
    }
}

/* The index of the best action in `act->legal`. `start->config` says which expansions are in play. */
static size_t choose_dragon(const struct dragon_start *start, const struct dragon_act *act) {
    (void)start;
    size_t best = 0;
    int best_value = 0;
    for (size_t i = 0; i < act->legal_count; i++) {
        const int value = dragon_value(&act->legal[i], &act->observation);
        if (i == 0 || value > best_value) {
            best = i;
            best_value = value;
        }
    }
    return best;
}

/* -- The Forbidden City -------------------------------------------------------------------------------------------- */

/* The steps (dx, dy) to the neighbours in the north, east, south and west. `edges` of a tile are in this order. */
static const int steps[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};

/* The tile that lies on a cell; NULL for an empty one. */
static const struct city_tile_in_rooms *tile_at(const struct city_observation *seen, int x, int y) {
    for (size_t i = 0; i < seen->board_count; i++) {
        if (seen->board[i].x == x && seen->board[i].y == y) {
            return &seen->board[i];
        }
    }
    return NULL;
}

/* The index in `edges` of the side (0: north) of a tile that is turned clockwise by `rotation` quarter turns. */
static int edge_at(int side, int rotation) {
    return (side + 4 - rotation) % 4;
}

/* The room with this id; NULL if there is none. */
static const struct city_room *find_room(int id, const struct city_observation *seen) {
    for (size_t i = 0; i < seen->rooms_count; i++) {
        if (seen->rooms[i].id == id) {
            return &seen->rooms[i];
        }
    }
    return NULL;
}

/* The value of joining a room: its points to the player with the most advisors, twice if this may close it. */
static int room_value(const struct city_room *room, const struct city_observation *seen) {
    if (room == NULL) {
        return 0;
    }
    int own = 0, rival = 0;
    for (int seat = 0; seat < (int)room->advisors_count; seat++) {
        if (seat == seen->seat) {
            own = room->advisors[seat];
        } else if (room->advisors[seat] > rival) {
            rival = room->advisors[seat];
        }
    }
    if (seen->hand.picture == PICTURE_ADVISORS) {
        own += seen->hand.count;
    }
    int points = (int)room->cells_count + 3 * room->dragons;
    if (room->open_edges == 1) {
        points *= 2;
    }
    return own > rival ? points : own < rival ? -points : 1;
}

/* Join big rooms in which we have the most advisors then, close them, and leave few edges open. */
static int lay_tile_value(const struct city_lay_tile *action, const struct city_observation *seen) {
    int value = 0;
    for (int side = 0; side < 4; side++) {
        if (seen->hand.edges[edge_at(side, action->rotation)] != 'o') {
            continue;
        }
        const struct city_tile_in_rooms *neighbour =
            tile_at(seen, action->x + steps[side][0], action->y + steps[side][1]);
        if (neighbour == NULL) {
            value -= 1; /* somebody has to close this edge */
            continue;
        }
        const int edge = edge_at((side + 2) % 4, neighbour->rotation);
        if (neighbour->tile.edges[edge] == 'o') {
            /* A diagonal tile has two parts: the first touches the edges 0 and 1, the second 2 and 3. */
            const int part = neighbour->rooms_count == 2 ? edge / 2 : 0;
            value += room_value(find_room(neighbour->rooms[part], seen), seen);
        }
    }
    return value;
}

/* The index of the best action in `act->legal`: a place and a rotation. */
static size_t choose_city(const struct city_start *start, const struct city_act *act) {
    (void)start;
    size_t best = 0;
    int best_value = 0;
    for (size_t i = 0; i < act->legal_count; i++) {
        const int value = lay_tile_value(&act->legal[i].as.lay_tile, &act->observation);
        if (i == 0 || value > best_value) {
            best = i;
            best_value = value;
        }
    }
    return best;
}

/* -- All games ----------------------------------------------------------------------------------------------------- */

DEFINE_GAME(dragon)
DEFINE_GAME(city)

const struct game bot_games[] = {
    {"year_of_the_dragon", start_dragon, act_dragon},
    {"forbidden_city", start_city, act_city},
    {NULL, NULL, NULL},
};
