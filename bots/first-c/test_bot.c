/* Runs the bot on the lines in sample.jsonl, which have every kind of decision: `make test`. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "wire.h"

#include <stdlib.h>
#include <sys/types.h>

static struct arena memory;

static _Noreturn void fail(const char *what, int64_t id) {
    fprintf(stderr, "FAILED: %s (act %lld)\n", what, (long long)id);
    exit(EXIT_FAILURE);
}

/* The next message of a file with this type; false at its end. */
static bool next_message(FILE *file, const char *type, struct json *message) {
    char *line = NULL, problem[100];
    size_t capacity = 0;
    ssize_t length;
    bool found = false;
    while (!found && (length = getline(&line, &capacity, file)) > 0) {
        if (!json_parse(&memory, line, (size_t)length, message, problem)) {
            fail(problem, 0);
        }
        const struct json *found_type = json_member(message, "type");
        found = found_type != NULL && json_is(found_type, type);
    }
    free(line);
    return found;
}

static int64_t integer_in(const struct json *message, const char *name) {
    const struct json *value = json_member(message, name);
    return value != NULL && value->type == JSON_INTEGER ? value->as.integer : -1;
}

/* One answer to hello and to every act, and to nothing else. */
int main(void) {
    FILE *lines = fopen("sample.jsonl", "r"), *answers = tmpfile();
    struct json act, answer;
    if (lines == NULL || answers == NULL) {
        fail("no sample.jsonl here", 0);
    }
    if (!talk(lines, answers)) {
        fail("the bot gave up", 0);
    }
    rewind(lines);
    rewind(answers);
    if (!next_message(answers, "ready", &answer) || !json_is(json_member(&answer, "name"), bot_name)) {
        fail("the bot did not get ready", 0);
    }
    while (next_message(lines, "act", &act)) {
        const int64_t id = integer_in(&act, "id");
        if (!next_message(answers, "action", &answer) || integer_in(&answer, "id") != id) {
            fail("no answer", id);
        }
        const int64_t index = integer_in(&answer, "index");
        if (index < 0 || (size_t)index >= json_member(&act, "legal")->as.items.count) {
            fail("an illegal action", id);
        }
    }
    if (next_message(answers, "action", &answer)) {
        fail("an answer that nobody asked for", integer_in(&answer, "id"));
    }
    fclose(lines);
    fclose(answers);
    arena_free(&memory);
    puts("ok");
    return EXIT_SUCCESS;
}
