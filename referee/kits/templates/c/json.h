/* A small JSON reader (RFC 8259), and the memory that it reads into. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Memory for one message: pieces are allocated one by one, and freed all at once. Zero-initialised it is empty. */
struct arena {
    struct arena_block *blocks;
};

/* Zeroed memory that is valid until the next arena_reset. Ends the program when there is no memory left. */
void *arena_allocate(struct arena *arena, size_t size);

/* Makes all memory of the arena free for use again. */
void arena_reset(struct arena *arena);

/* Returns all memory of the arena to the system. It is empty then, and can be used again. */
void arena_free(struct arena *arena);

enum json_type { JSON_NULL, JSON_BOOL, JSON_INTEGER, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A JSON value. A number that is written as an integer and fits into 64 bits is a JSON_INTEGER, any other number is a
 * JSON_NUMBER: the nearest double, infinity for those beyond. */
struct json {
    enum json_type type;
    union {
        bool boolean;
        int64_t integer;
        double number;
        struct {
            const char *text; /* UTF-8, with a NUL after its last byte; "\u0000" puts further ones into it */
            size_t length;
        } string;
        struct {
            struct json *first;
            size_t count;
        } items; /* of an array or an object, in their order, linked by `next` */
    } as;
    const char *name; /* in an object: the name of this member, as `string` above; NULL elsewhere */
    size_t name_length;
    struct json *next; /* in an array or an object: what follows this value; NULL for the last */
};

/* Arrays and objects in each other, beyond which a text is refused. */
#define JSON_MAX_DEPTH 512

/* Reads a text that is one JSON value and nothing else, but for spaces around it. The value and all that it refers to
 * are in the arena. On an error it returns false, and `problem` has a sentence that says what is wrong, and where. */
bool json_parse(struct arena *arena, const char *text, size_t length, struct json *value, char problem[static 100]);

/* The member of an object with this name, the last one if there are several; NULL if there is none, or no object. */
const struct json *json_member(const struct json *value, const char *name);

/* Whether a value is this string. */
bool json_is(const struct json *value, const char *text);

/* Writes a string with quotes and escapes. `text` is UTF-8. */
void json_write_string(FILE *output, const char *text);

#endif
