/* A bot that costs next to nothing, so that a benchmark measures the referee.
 *
 *   cc -O2 -std=c11 -o fast_bot fast_bot.c
 *   fast_bot            always answers index 0, without looking at the question
 *   fast_bot --random   answers a random index, reproducible from `bot_seed`
 *            --events   reads events instead of observations
 *            --usage FILE   when it ends, adds a line: the questions that it has
 *                           answered, and the microseconds of CPU that it has used
 *
 * One read() and one write() per question, as long as the question fits a pipe.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- Just enough JSON ---------------------------------------------------
 * The text is one line ended by NUL, so every loop stops there and needs no
 * second bound. Valid JSON is taken for granted, but no input reads past it. */

static const char *skip_space(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : p;
}

static const char *skip_value(const char *p)
{
    if (*p == '"')
        return skip_string(p);
    if (*p != '{' && *p != '[')
        return p + strcspn(p, ",]} \t\r");
    int depth = 0;
    while (*p) {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        if (*p == '{' || *p == '[')
            depth++;
        else if (*p == '}' || *p == ']')
            depth--;
        p++;
        if (depth == 0)
            break;
    }
    return p;
}

/* The value of a top-level member, wherever it stands; NULL if there is none.
 * It stops at the member, so `type` and `id` at the front cost almost nothing. */
static const char *member(const char *line, const char *key)
{
    size_t length = strlen(key);
    const char *p = skip_space(line);
    if (*p != '{')
        return NULL;
    p = skip_space(p + 1);
    while (*p == '"') {
        const char *name = p + 1;
        p = skip_string(p);
        bool found = (size_t)(p - name) == length + 1 && memcmp(name, key, length) == 0;
        p = skip_space(p);
        if (*p != ':')
            return NULL;
        p = skip_space(p + 1);
        if (found)
            return p;
        p = skip_space(skip_value(p));
        if (*p != ',')
            return NULL;
        p = skip_space(p + 1);
    }
    return NULL;
}

static uint64_t count_elements(const char *array)
{
    if (!array || *array != '[')
        return 0;
    uint64_t count = 0;
    const char *p = skip_space(array + 1);
    while (*p && *p != ']') {
        count++;
        p = skip_space(skip_value(p));
        if (*p != ',')
            break;
        p = skip_space(p + 1);
    }
    return count;
}

static bool is_type(const char *type, const char *name)
{
    size_t length = strlen(name);
    return strncmp(type, name, length) == 0 && type[length] == '"';
}

/* --- The bot -------------------------------------------------------------*/

/* Never 0, where xorshift would stay: seeds have 53 bits, this has 64. */
static const uint64_t SEED_MASK = 0x9E3779B97F4A7C15u;

static bool random_index;
static bool only_events;
static const char *usage_file;
static uint64_t asked;
static uint64_t random_state = SEED_MASK;

static uint64_t xorshift(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    /* The low bits are the weak ones, and the modulo would use just those. */
    return (random_state * 0x2545F4914F6CDD1Du) >> 32;
}

static void send_line(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent = write(STDOUT_FILENO, text, length);
        if (sent < 0) {
            if (errno == EINTR)
                continue;
            exit(1);
        }
        text += sent;
        length -= (size_t)sent;
    }
}

static void write_usage(void)
{
    struct rusage used;
    int file = usage_file ? open(usage_file, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file < 0 || getrusage(RUSAGE_SELF, &used) != 0)
        return;
    char text[64];
    int length = snprintf(text, sizeof text, "%" PRIu64 " %ld\n", asked,
                          (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec +
                              used.ru_stime.tv_usec);
    if (write(file, text, (size_t)length) != length)
        _exit(1);
}

static void answer(const char *line)
{
    const char *id = member(line, "id");
    if (!id)
        return;
    asked++;
    uint64_t index = 0;
    if (random_index) {
        uint64_t legal = count_elements(member(line, "legal"));
        index = legal ? xorshift() % legal : 0;
    }
    char reply[96];
    int length = snprintf(reply, sizeof reply, "{\"type\":\"action\",\"id\":%" PRIu64 ",\"index\":%" PRIu64 "}\n",
                          (uint64_t)strtoull(id, NULL, 10), index);
    send_line(reply, (size_t)length);
}

static void handle(const char *line)
{
    static const char ready[] = "{\"type\":\"ready\",\"protocol\":1,\"name\":\"fast\"}\n";
    static const char ready_for_events[] = "{\"type\":\"ready\",\"protocol\":1,\"name\":\"fast\","
                                           "\"options\":{\"observation\":false}}\n";

    const char *type = member(line, "type");
    if (!type || *type++ != '"')
        return;
    if (is_type(type, "act")) {
        answer(line);
    } else if (is_type(type, "hello")) {
        if (only_events)
            send_line(ready_for_events, sizeof ready_for_events - 1);
        else
            send_line(ready, sizeof ready - 1);
    } else if (is_type(type, "start")) {
        const char *seed = member(line, "bot_seed");
        random_state = SEED_MASK ^ (seed ? strtoull(seed, NULL, 10) : 0);
    } else if (is_type(type, "quit")) {
        exit(0);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--random") == 0) {
            random_index = true;
        } else if (strcmp(argv[i], "--events") == 0) {
            only_events = true;
        } else if (strcmp(argv[i], "--usage") == 0 && i + 1 < argc) {
            usage_file = argv[++i];
        } else {
            fprintf(stderr, "usage: %s [--random] [--events] [--usage FILE]\n", argv[0]);
            return 2;
        }
    }
    atexit(write_usage);

    size_t size = 1 << 16; /* what a pipe holds: most questions come in one read */
    size_t used = 0;
    char *buffer = malloc(size);
    while (buffer) {
        ssize_t got = read(STDIN_FILENO, buffer + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0;

        char *line = buffer;
        char *fresh = buffer + used; /* what lies before is known to hold no line end */
        char *end = fresh + got;
        for (char *stop; (stop = memchr(fresh, '\n', (size_t)(end - fresh))); line = fresh = stop + 1) {
            *stop = '\0';
            handle(line);
        }
        used = (size_t)(end - line);
        memmove(buffer, line, used);
        if (used == size)
            buffer = realloc(buffer, size *= 2);
    }
    fprintf(stderr, "out of memory\n");
    return 1;
}
