#define _POSIX_C_SOURCE 200809L /* getline */
#include "wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { PROTOCOL = 1 }; /* the version of the protocol that this file speaks */

struct talk {
    FILE *output;
    struct arena game_memory;    /* for `start`, until the next one */
    struct arena message_memory; /* for a message, until the next one */
    const struct game *game;     /* NULL if the bot doesn't know it */
    const void *start;           /* what the game has made of `start` */
    int64_t random;              /* for random actions in a game that the bot doesn't know */
};

/* Writes the end of a line, and all of it to the pipe: in its buffer nobody would read it. */
static void end_line(FILE *output) {
    putc('\n', output);
    fflush(output);
}

/* The beginning of a line that may be anything, for the log. */
static void log_line(const char *problem, const char *line, size_t length) {
    fprintf(stderr, "%s: ", problem);
    for (size_t i = 0; i < length && i < 200; i++) {
        const unsigned char byte = (unsigned char)line[i];
        fprintf(stderr, byte >= 0x20 && byte < 0x7F ? "%c" : "\\x%02x", byte);
    }
    putc('\n', stderr);
}

static void get_ready(struct talk *talk) {
    /* To be sent less, which is faster to read: ,"options":{"events":false} */
    fprintf(talk->output, "{\"type\":\"ready\",\"protocol\":%d,\"name\":", PROTOCOL);
    json_write_string(talk->output, bot_name);
    putc('}', talk->output);
    end_line(talk->output);
}

static bool start(struct talk *talk, const struct json *message, char problem[static 100]) {
    const struct json *name = json_member(message, "game"), *seed = json_member(message, "bot_seed");
    talk->game = NULL;
    talk->random = (seed != NULL && seed->type == JSON_INTEGER ? seed->as.integer % 2147483646 : 0) + 1;
    for (const struct game *game = bot_games; game->name != NULL; game++) {
        if (name != NULL && json_is(name, game->name)) {
            talk->game = game;
            return game->start(&talk->game_memory, message, &talk->start, problem);
        }
    }
    return true;
}

/* The index of a random action; the same ones for the same seed. */
static size_t choose_randomly(struct talk *talk, const struct json *message) {
    const struct json *legal = json_member(message, "legal");
    const size_t count = legal != NULL && legal->type == JSON_ARRAY ? legal->as.items.count : 0;
    talk->random = talk->random * 48271 % 2147483647; /* the generator minstd_rand of C++ */
    return count == 0 ? 0 : (size_t)talk->random % count;
}

static bool act(struct talk *talk, const struct json *message, char problem[static 100]) {
    const struct json *id = json_member(message, "id");
    size_t index;
    if (id == NULL || id->type != JSON_INTEGER) {
        snprintf(problem, 100, "id is no integer");
        return false;
    }
    if (talk->game == NULL) {
        index = choose_randomly(talk, message);
    } else if (!talk->game->act(&talk->message_memory, message, talk->start, &index, problem)) {
        return false;
    }
    fprintf(talk->output, "{\"type\":\"action\",\"id\":%" PRId64 ",\"index\":%zu}", id->as.integer, index);
    end_line(talk->output);
    return true;
}

static bool fault(struct talk *talk, const struct json *message, char problem[static 100]) {
    struct fault_message fault;
    if (!read_fault_message(&talk->message_memory, message, &fault, problem)) {
        return false;
    }
    fprintf(stderr, "the referee says: %s: %s\n", fault_code_word(fault.code), fault.message);
    return true;
}

/* Answers a message. Messages and fields of later versions are ignored. */
static bool answer(struct talk *talk, const struct json *message, char problem[static 100]) {
    const struct json *type = json_member(message, "type");
    if (type == NULL) {
        return true;
    }
    if (json_is(type, "hello")) {
        get_ready(talk);
        return true;
    }
    if (json_is(type, "start")) {
        return start(talk, message, problem);
    }
    if (json_is(type, "act")) {
        return act(talk, message, problem);
    }
    if (json_is(type, "fault")) {
        return fault(talk, message, problem);
    }
    return true;
}

bool talk(FILE *input, FILE *output) {
    struct talk talk = {.output = output, .random = 1};
    char *line = NULL, problem[100];
    size_t capacity = 0;
    bool good = true;
    ssize_t length;
    while (good && (length = getline(&line, &capacity, input)) > 0) {
        struct json message;
        arena_reset(&talk.message_memory);
        if (!json_parse(&talk.message_memory, line, (size_t)length, &message, problem)) {
            if (strspn(line, " \t\r\n") < (size_t)length) {
                fputs("this line is not JSON, ", stderr);
                log_line(problem, line, (size_t)length);
            }
            continue;
        }
        const struct json *type = json_member(&message, "type");
        if (type != NULL && json_is(type, "quit")) {
            break;
        }
        if (type != NULL && json_is(type, "start")) {
            /* The message stays as long as its game. */
            struct arena previous = talk.game_memory;
            talk.game_memory = talk.message_memory;
            talk.message_memory = previous;
        }
        good = answer(&talk, &message, problem);
        if (!good) {
            log_line(problem, line, (size_t)length);
        } else if (ferror(output)) {
            fputs("nobody reads the answers any more\n", stderr);
            good = false;
        }
    }
    free(line);
    arena_free(&talk.game_memory);
    arena_free(&talk.message_memory);
    return good;
}
