#include "decode.h"

#include <limits.h>
#include <string.h>

static void wrong(struct decoder *decoder, const char *problem) {
    if (decoder->problem == NULL) {
        decoder->problem = problem;
        decoder->problem_field = decoder->field;
    }
}

bool decoded(const struct decoder *decoder, char problem[static 100]) {
    if (decoder->problem == NULL) {
        return true;
    }
    snprintf(problem, 100, "%s %s", decoder->problem_field, decoder->problem);
    return false;
}

const struct json *required(struct decoder *decoder, const struct json *object, const char *name) {
    static const struct json null = {.type = JSON_NULL};
    const struct json *value = json_member(object, name);
    decoder->field = name;
    if (value == NULL) {
        wrong(decoder, "is missing");
        return &null;
    }
    return value;
}

const struct json *optional(struct decoder *decoder, const struct json *object, const char *name) {
    const struct json *value = json_member(object, name);
    decoder->field = name;
    return value == NULL || value->type == JSON_NULL ? NULL : value;
}

size_t find_word(struct decoder *decoder, const struct json *value, const char *const *words, size_t count) {
    const char *word = "";
    read_string(decoder, value, &word);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return 0;
}

void read_integer(struct decoder *decoder, const struct json *value, int *out) {
    int64_t wide = 0;
    read_wide_integer(decoder, value, &wide);
    if (wide < INT_MIN || wide > INT_MAX) {
        wrong(decoder, "is too large");
    } else {
        *out = (int)wide;
    }
}

void read_wide_integer(struct decoder *decoder, const struct json *value, int64_t *out) {
    if (value->type == JSON_INTEGER) {
        *out = value->as.integer;
    } else {
        wrong(decoder, "is no integer");
    }
}

void read_boolean(struct decoder *decoder, const struct json *value, bool *out) {
    if (value->type == JSON_BOOL) {
        *out = value->as.boolean;
    } else {
        wrong(decoder, "is no bool");
    }
}

void read_string(struct decoder *decoder, const struct json *value, const char **out) {
    if (value->type == JSON_STRING) {
        *out = value->as.string.text;
    } else {
        *out = "";
        wrong(decoder, "is no string");
    }
}

void read_any(struct decoder *decoder, const struct json *value, const struct json **out) {
    (void)decoder;
    *out = value;
}

void read_integer_pair(struct decoder *decoder, const struct json *value, int (*out)[2]) {
    READ_ARRAY(value, *out, read_integer);
}

const struct json *items_of(struct decoder *decoder, const struct json *value, enum json_type wanted, size_t *count) {
    if (value->type != wanted) {
        wrong(decoder, wanted == JSON_ARRAY ? "is no list" : "is no object");
        *count = 0;
        return NULL;
    }
    *count = value->as.items.count;
    return value->as.items.first;
}
