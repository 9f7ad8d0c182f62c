/* Reads each line of standard input as JSON, and writes what it read as tests/kits/test_json_readers.py writes it. */
#define _POSIX_C_SOURCE 200809L
#include "json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static void write_text(const char *text, size_t length) {
    putchar('"');
    for (size_t i = 0; i < length && i < 1000; i++) {
        printf("%02x", (unsigned char)text[i]);
    }
    printf(".%zu\"", length);
}

static void write_value(const struct json *value) {
    uint64_t bits;
    switch (value->type) {
    case JSON_NULL:
        fputs("null", stdout);
        break;
    case JSON_BOOL:
        fputs(value->as.boolean ? "true" : "false", stdout);
        break;
    case JSON_INTEGER:
        printf("%" PRId64, value->as.integer);
        break;
    case JSON_NUMBER:
        memcpy(&bits, &value->as.number, sizeof bits);
        printf("double %016" PRIx64, bits);
        break;
    case JSON_STRING:
        write_text(value->as.string.text, value->as.string.length);
        break;
    default:
        putchar(value->type == JSON_ARRAY ? '[' : '{');
        for (const struct json *item = value->as.items.first; item != NULL; item = item->next) {
            if (value->type == JSON_OBJECT) {
                write_text(item->name, item->name_length);
                putchar(':');
            }
            write_value(item);
            putchar(',');
        }
        putchar(value->type == JSON_ARRAY ? ']' : '}');
    }
}

int main(void) {
    struct arena memory = {0};
    char *line = NULL, problem[100];
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        struct json value;
        arena_reset(&memory);
        if (json_parse(&memory, line, (size_t)length, &value, problem)) {
            write_value(&value);
            const struct json *twice = json_member(&value, "twice");
            if (twice != NULL) {
                fputs(" twice=", stdout);
                write_value(twice);
            }
        } else {
            printf("error %s", problem);
        }
        putchar('\n');
    }
    free(line);
    arena_free(&memory);
    return 0;
}
