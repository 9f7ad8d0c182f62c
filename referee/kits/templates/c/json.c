#include "json.h"

#include <stdlib.h>
#include <string.h>

/* Memory */

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    max_align_t memory[];
};

enum { BLOCK_SIZE = 64 * 1024 };

void *arena_allocate(struct arena *arena, size_t size) {
    const size_t unit = sizeof(max_align_t);
    struct arena_block *block = arena->blocks;
    size = (size + unit - 1) / unit * unit;
    if (block == NULL || block->size - block->used < size) {
        const size_t wanted = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = malloc(sizeof *block + wanted);
        if (block == NULL) {
            fputs("out of memory\n", stderr);
            exit(EXIT_FAILURE);
        }
        *block = (struct arena_block){.next = arena->blocks, .size = wanted};
        arena->blocks = block;
    }
    void *memory = (char *)block->memory + block->used;
    block->used += size;
    return memset(memory, 0, size);
}

void arena_reset(struct arena *arena) {
    /* One block stays for the next message, unless an exceptionally long one needed it. */
    struct arena_block *kept = NULL;
    while (arena->blocks != NULL) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        if (kept == NULL && block->size == BLOCK_SIZE) {
            kept = block;
        } else {
            free(block);
        }
    }
    if (kept != NULL) {
        kept->next = NULL;
        kept->used = 0;
    }
    arena->blocks = kept;
}

void arena_free(struct arena *arena) {
    while (arena->blocks != NULL) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}

/* Reading */

struct parser {
    struct arena *arena;
    const unsigned char *start, *at, *end;
    const char *problem; /* the first thing that was wrong, and `at` is where; NULL as long as nothing is */
};

static bool parse_value(struct parser *parser, struct json *value, int depth);

static bool fail(struct parser *parser, const char *problem) {
    parser->problem = problem;
    return false;
}

/* The next byte, or -1 at the end of the text. */
static int peek(const struct parser *parser) {
    return parser->at < parser->end ? *parser->at : -1;
}

static bool accept(struct parser *parser, char byte) {
    if (peek(parser) != byte) {
        return false;
    }
    parser->at++;
    return true;
}

static void skip_spaces(struct parser *parser) {
    while (peek(parser) == ' ' || peek(parser) == '\t' || peek(parser) == '\n' || peek(parser) == '\r') {
        parser->at++;
    }
}

static bool is_digit(int byte) {
    return byte >= '0' && byte <= '9';
}

static bool skip_digits(struct parser *parser) {
    if (!is_digit(peek(parser))) {
        return fail(parser, "a digit is missing");
    }
    while (is_digit(peek(parser))) {
        parser->at++;
    }
    return true;
}

static bool parse_integer(const unsigned char *digits, const unsigned char *end, bool negative, int64_t *integer) {
    /* Added up as a negative number, since the smallest one has no positive counterpart. */
    int64_t sum = 0;
    for (; digits < end; digits++) {
        const int digit = *digits - '0';
        if (sum < (INT64_MIN + digit) / 10) {
            return false;
        }
        sum = 10 * sum - digit;
    }
    if (!negative && sum == INT64_MIN) {
        return false;
    }
    *integer = negative ? sum : -sum;
    return true;
}

static bool parse_number(struct parser *parser, struct json *value) {
    const unsigned char *start = parser->at;
    const bool negative = accept(parser, '-');
    const unsigned char *digits = parser->at;
    bool integral = true;
    if (!accept(parser, '0') && !skip_digits(parser)) {
        return false;
    }
    const unsigned char *end = parser->at;
    if (is_digit(peek(parser))) {
        return fail(parser, "a number begins with 0");
    }
    if (accept(parser, '.')) {
        integral = false;
        if (!skip_digits(parser)) {
            return false;
        }
    }
    if (accept(parser, 'e') || accept(parser, 'E')) {
        integral = false;
        if (!accept(parser, '+')) {
            accept(parser, '-');
        }
        if (!skip_digits(parser)) {
            return false;
        }
    }
    if (integral && parse_integer(digits, end, negative, &value->as.integer)) {
        value->type = JSON_INTEGER;
        return true;
    }
    /* strtod wants a NUL after the number. */
    const size_t length = (size_t)(parser->at - start);
    char *copy = arena_allocate(parser->arena, length + 1);
    memcpy(copy, start, length);
    value->type = JSON_NUMBER;
    value->as.number = strtod(copy, NULL);
    return true;
}

/* Copies a character of several bytes, which must be well-formed UTF-8 (table 3-7 of the Unicode standard). */
static bool copy_utf8(struct parser *parser, char **out) {
    const unsigned char lead = *parser->at;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    unsigned char low = 0x80, high = 0xBF; /* the limits of the second byte */
    if (lead < 0xC2 || lead > 0xF4) {
        return fail(parser, "this is not UTF-8");
    }
    if (lead == 0xE0) {
        low = 0xA0;
    } else if (lead == 0xED) {
        high = 0x9F;
    } else if (lead == 0xF0) {
        low = 0x90;
    } else if (lead == 0xF4) {
        high = 0x8F;
    }
    if (parser->end - parser->at <= more) {
        return fail(parser, "this is not UTF-8");
    }
    for (int i = 1; i <= more; i++) {
        if (parser->at[i] < low || parser->at[i] > high) {
            return fail(parser, "this is not UTF-8");
        }
        low = 0x80;
        high = 0xBF;
    }
    memcpy(*out, parser->at, (size_t)more + 1);
    *out += more + 1;
    parser->at += more + 1;
    return true;
}

static bool parse_hex(struct parser *parser, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < 4; i++, parser->at++) {
        const int byte = peek(parser);
        if (is_digit(byte)) {
            *code = 16 * *code + (uint32_t)(byte - '0');
        } else if (byte >= 'a' && byte <= 'f') {
            *code = 16 * *code + (uint32_t)(byte - 'a' + 10);
        } else if (byte >= 'A' && byte <= 'F') {
            *code = 16 * *code + (uint32_t)(byte - 'A' + 10);
        } else {
            return fail(parser, "\\u needs four hexadecimal digits");
        }
    }
    return true;
}

static void write_utf8(uint32_t code, char **out) {
    if (code < 0x80) {
        *(*out)++ = (char)code;
        return;
    }
    if (code < 0x800) {
        *(*out)++ = (char)(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *(*out)++ = (char)(0xE0 | code >> 12);
        } else {
            *(*out)++ = (char)(0xF0 | code >> 18);
            *(*out)++ = (char)(0x80 | (code >> 12 & 0x3F));
        }
        *(*out)++ = (char)(0x80 | (code >> 6 & 0x3F));
    }
    *(*out)++ = (char)(0x80 | (code & 0x3F));
}

static bool parse_escape(struct parser *parser, char **out) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    parser->at++;
    if (!accept(parser, 'u')) {
        const int letter = peek(parser);
        const char *found = letter > 0 ? strchr(letters, letter) : NULL;
        if (found == NULL) {
            return fail(parser, "there is no such escape");
        }
        *(*out)++ = meanings[found - letters];
        parser->at++;
        return true;
    }
    uint32_t code, low;
    if (!parse_hex(parser, &code)) {
        return false;
    }
    if (code >= 0xDC00 && code <= 0xDFFF) {
        return fail(parser, "half of a surrogate pair is no character");
    }
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (!accept(parser, '\\') || !accept(parser, 'u')) {
            return fail(parser, "half of a surrogate pair is no character");
        }
        if (!parse_hex(parser, &low)) {
            return false;
        }
        if (low < 0xDC00 || low > 0xDFFF) {
            return fail(parser, "half of a surrogate pair is no character");
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    write_utf8(code, out);
    return true;
}

static bool parse_string(struct parser *parser, const char **text, size_t *length) {
    if (!accept(parser, '"')) {
        return fail(parser, "a name in quotes is missing");
    }
    const unsigned char *close = parser->at;
    while (close < parser->end && *close != '"') {
        close += *close == '\\' && close + 1 < parser->end ? 2 : 1;
    }
    if (close >= parser->end) {
        return fail(parser, "this string does not end");
    }
    /* No escape is shorter than what it stands for. */
    char *decoded = arena_allocate(parser->arena, (size_t)(close - parser->at) + 1);
    char *out = decoded;
    while (parser->at < close) {
        const unsigned char byte = *parser->at;
        if (byte == '\\') {
            if (!parse_escape(parser, &out)) {
                return false;
            }
        } else if (byte < 0x20) {
            return fail(parser, "control characters in strings must be escaped");
        } else if (byte < 0x80) {
            *out++ = (char)byte;
            parser->at++;
        } else if (!copy_utf8(parser, &out)) {
            return false;
        }
    }
    parser->at++;
    *text = decoded;
    *length = (size_t)(out - decoded);
    return true;
}

/* What follows the opening bracket of an array or the opening brace of an object. */
static bool parse_items(struct parser *parser, struct json *value, int depth) {
    const bool in_object = value->type == JSON_OBJECT;
    const char close = in_object ? '}' : ']';
    struct json **link = &value->as.items.first;
    parser->at++;
    if (depth >= JSON_MAX_DEPTH) {
        return fail(parser, "it is nested too deeply");
    }
    skip_spaces(parser);
    if (accept(parser, close)) {
        return true;
    }
    for (;;) {
        struct json *item = arena_allocate(parser->arena, sizeof *item);
        if (in_object) {
            skip_spaces(parser);
            if (!parse_string(parser, &item->name, &item->name_length)) {
                return false;
            }
            skip_spaces(parser);
            if (!accept(parser, ':')) {
                return fail(parser, "a colon is missing");
            }
        }
        if (!parse_value(parser, item, depth + 1)) {
            return false;
        }
        *link = item;
        link = &item->next;
        value->as.items.count++;
        if (accept(parser, close)) {
            return true;
        }
        if (!accept(parser, ',')) {
            return fail(parser, in_object ? "a comma or } is missing" : "a comma or ] is missing");
        }
    }
}

static bool accept_word(struct parser *parser, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0) {
        return fail(parser, "a value is missing");
    }
    parser->at += length;
    return true;
}

static bool parse_bare_value(struct parser *parser, struct json *value, int depth) {
    const int byte = peek(parser);
    switch (byte) {
    case '{':
    case '[':
        value->type = byte == '{' ? JSON_OBJECT : JSON_ARRAY;
        return parse_items(parser, value, depth);
    case '"':
        value->type = JSON_STRING;
        return parse_string(parser, &value->as.string.text, &value->as.string.length);
    case 't':
    case 'f':
        value->type = JSON_BOOL;
        value->as.boolean = byte == 't';
        return accept_word(parser, byte == 't' ? "true" : "false");
    case 'n':
        value->type = JSON_NULL;
        return accept_word(parser, "null");
    default:
        return byte == '-' || is_digit(byte) ? parse_number(parser, value) : fail(parser, "a value is missing");
    }
}

/* A value with the spaces around it; `depth` arrays and objects contain it. */
static bool parse_value(struct parser *parser, struct json *value, int depth) {
    skip_spaces(parser);
    if (!parse_bare_value(parser, value, depth)) {
        return false;
    }
    skip_spaces(parser);
    return true;
}

bool json_parse(struct arena *arena, const char *text, size_t length, struct json *value, char problem[static 100]) {
    const unsigned char *start = (const unsigned char *)text;
    struct parser parser = {.arena = arena, .start = start, .at = start, .end = start + length};
    *value = (struct json){.type = JSON_NULL};
    if (parse_value(&parser, value, 0)) {
        if (parser.at == parser.end) {
            return true;
        }
        parser.problem = "something follows the value";
    }
    snprintf(problem, 100, "at byte %zu: %s", (size_t)(parser.at - parser.start) + 1, parser.problem);
    return false;
}

const struct json *json_member(const struct json *value, const char *name) {
    const struct json *found = NULL;
    if (value->type == JSON_OBJECT) {
        const size_t length = strlen(name);
        for (const struct json *item = value->as.items.first; item != NULL; item = item->next) {
            if (item->name_length == length && memcmp(item->name, name, length) == 0) {
                found = item;
            }
        }
    }
    return found;
}

bool json_is(const struct json *value, const char *text) {
    return value->type == JSON_STRING && value->as.string.length == strlen(text) &&
           memcmp(value->as.string.text, text, value->as.string.length) == 0;
}

/* Writing */

void json_write_string(FILE *output, const char *text) {
    putc('"', output);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < 0x20) {
            fprintf(output, "\\u%04x", byte);
        } else {
            if (byte == '"' || byte == '\\') {
                putc('\\', output);
            }
            putc(byte, output);
        }
    }
    putc('"', output);
}
