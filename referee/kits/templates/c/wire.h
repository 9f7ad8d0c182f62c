/* Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.
 *
 * A game that the bot doesn't know is played by random legal actions, drawn from the `bot_seed` of the game. */
#ifndef WIRE_H
#define WIRE_H

#include "messages.h"

/* Answers each line of the input, until one says quit or there are no more. Returns false, and says why on standard
 * error, if it can't go on. */
bool talk(FILE *input, FILE *output);

/* How a game is played. Both functions return false, and say why in `problem`, if a message is not as the protocol says. */
struct game {
    const char *name;
    /* Begins a game: `*start` is then given to every `act`. What it refers to may be in the arena, or in `message`. */
    bool (*start)(struct arena *arena, const struct json *message, const void **start, char problem[static 100]);
    /* Answers a question with the `index` of a legal action. */
    bool (*act)(struct arena *arena, const struct json *message, const void *start, size_t *index,
                char problem[static 100]);
};

/* Defines start_GAME and act_GAME, which read the messages of a game and call choose_GAME with them. */
#define DEFINE_GAME(game)                                                                                              \
    static bool start_##game(struct arena *arena, const struct json *message, const void **start,                      \
                             char problem[static 100]) {                                                               \
        struct game##_start *target = arena_allocate(arena, sizeof *target);                                           \
        *start = target;                                                                                               \
        return read_##game##_start(arena, message, target, problem);                                                   \
    }                                                                                                                  \
    static bool act_##game(struct arena *arena, const struct json *message, const void *start, size_t *index,          \
                           char problem[static 100]) {                                                                 \
        struct game##_act act;                                                                                         \
        if (!read_##game##_act(arena, message, &act, problem)) {                                                       \
            return false;                                                                                              \
        }                                                                                                              \
        *index = choose_##game(start, &act);                                                                           \
        return true;                                                                                                   \
    }

/* What bot.c defines: the bot's name, and the games that it knows; the last one has no name. */
extern const char bot_name[];
extern const struct game bot_games[];

#endif
