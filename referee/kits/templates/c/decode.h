/* From JSON to the structs of messages.h: what all of them need. */
#ifndef DECODE_H
#define DECODE_H

#include "json.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Reading goes on after an error, with values that are zero; `problem` says what the first error was. */
struct decoder {
    struct arena *arena;
    const char *field;   /* the field that was asked for last */
    const char *problem; /* NULL as long as all is well; in `problem_field` if not */
    const char *problem_field;
};

/* Whether all is well. If not, `problem` has a sentence that says what is wrong. */
bool decoded(const struct decoder *decoder, char problem[static 100]);

/* A field that is always there; a null if it is missing, which is an error. */
const struct json *required(struct decoder *decoder, const struct json *object, const char *name);

/* A field that may be absent or null: NULL then. */
const struct json *optional(struct decoder *decoder, const struct json *object, const char *name);

/* The index of a string in a list of words, of which the first one stands for unknown words. */
size_t find_word(struct decoder *decoder, const struct json *value, const char *const *words, size_t count);

void read_integer(struct decoder *decoder, const struct json *value, int *out);
void read_wide_integer(struct decoder *decoder, const struct json *value, int64_t *out);
void read_boolean(struct decoder *decoder, const struct json *value, bool *out);
void read_string(struct decoder *decoder, const struct json *value, const char **out);
void read_any(struct decoder *decoder, const struct json *value, const struct json **out);
void read_integer_pair(struct decoder *decoder, const struct json *value, int (*out)[2]);

/* The first item of an array or an object, whichever is wanted, and how many there are. NULL and 0 if it is neither. */
const struct json *items_of(struct decoder *decoder, const struct json *value, enum json_type wanted, size_t *count);

/* Each of these reads several values with the function `read`, into an array in the arena, with its length in
 * `list`_count; READ_ARRAY into an array of fixed length, READ_STRUCT one value into newly allocated memory. */
#define READ_ITEMS(value, wanted, list, type, call)                                                                    \
    do {                                                                                                               \
        const struct json *item = items_of(decoder, value, wanted, &list##_count);                                     \
        type *target = arena_allocate(decoder->arena, list##_count * sizeof *target);                                  \
        list = target;                                                                                                 \
        for (; item != NULL; item = item->next, target++) {                                                            \
            call;                                                                                                      \
        }                                                                                                              \
    } while (false)
#define READ_LIST(value, list, type, read) READ_ITEMS(value, JSON_ARRAY, list, type, read(decoder, item, target))
#define READ_MEMBERS(value, list, type, read) READ_ITEMS(value, JSON_OBJECT, list, type, read(decoder, item, target))
#define READ_LIST_AS(kind, value, list, type, read)                                                                    \
    READ_ITEMS(value, JSON_ARRAY, list, type, read(decoder, kind, item, target))
#define READ_ARRAY(value, array, read)                                                                                 \
    do {                                                                                                               \
        size_t count;                                                                                                  \
        const struct json *item = items_of(decoder, value, JSON_ARRAY, &count);                                        \
        for (size_t i = 0; i < COUNT(array) && item != NULL; i++, item = item->next) {                                 \
            read(decoder, item, &(array)[i]);                                                                          \
        }                                                                                                              \
    } while (false)
#define READ_STRUCT(value, pointer, type, read)                                                                        \
    do {                                                                                                               \
        type *target = arena_allocate(decoder->arena, sizeof *target);                                                 \
        pointer = target;                                                                                              \
        read(decoder, value, target);                                                                                  \
    } while (false)

/* Defines the words of an enum, of which the first one stands for unknown words, and how one is written and read. */
#define WORDS(type, ...)                                                                                               \
    static const char *const type##_words[] = {"unknown", __VA_ARGS__};                                                \
    const char *type##_word(enum type word) {                                                                          \
        return type##_words[word];                                                                                     \
    }                                                                                                                  \
    static void read_##type(struct decoder *decoder, const struct json *value, enum type *out) {                       \
        *out = (enum type)find_word(decoder, value, type##_words, COUNT(type##_words));                                \
    }

/* Each begins a function that reads a struct, READER_OF_KIND one of several kinds. */
#define READER(name) static void read_##name(struct decoder *decoder, const struct json *value, struct name *out)
#define READER_OF_KIND(name)                                                                                           \
    static void read_##name(struct decoder *decoder, const struct json *kind, const struct json *value,                \
                            struct name *out)

/* In such a function: a field that is always there; what reads the value `part` of a field that may be absent or null;
 * and what it is if its kind is `word`. */
#define REQUIRED(field, read) read(decoder, required(decoder, value, #field), &out->field)
#define OPTIONAL(field, ...)                                                                                           \
    do {                                                                                                               \
        const struct json *part = optional(decoder, value, #field);                                                    \
        if (part != NULL) {                                                                                            \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    } while (false)
#define READ_IF(word, constant, read)                                                                                  \
    do {                                                                                                               \
        if (json_is(kind, #word)) {                                                                                    \
            out->kind = constant;                                                                                      \
            read(decoder, value, &out->as.word);                                                                       \
        }                                                                                                              \
    } while (false)

#endif
