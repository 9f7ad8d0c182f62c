/* The floor under any referee: questions and answers over pipes, and nothing else.
 *
 *   cc -O2 -std=c11 -o bare_referee bare_referee.c
 *   bare_referee GAMES QUESTIONS TRAFFIC_FILE BOT_COMMAND...
 *
 * Plays GAMES games at once, each between two processes of its own, which are
 * asked in turn, QUESTIONS times in all. Question k is line k of TRAFFIC_FILE
 * (`act` lines captured from the real referee), starting over after the last.
 * Per question: one write, one read, and a share of one epoll_wait.
 *
 * Prints {"questions":…,"cpu_us_per_question":…,"wall_us_per_question":…}: the
 * CPU of this process alone, user and system, from the first question to the
 * last answer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_EVENTS = 256, GRACE_SECONDS = 10 };

struct line {
    const char *text;
    size_t length;
};

struct game;

struct bot {
    pid_t pid;
    int to, from;
    struct game *game;
};

struct game {
    struct bot bots[2];
    long asked;
    struct line unsent; /* what the pipe had no room for; nearly always empty */
};

static int epoll_fd;
static struct line *traffic;
static long traffic_lines;

static void die(const char *what)
{
    if (errno)
        perror(what);
    else
        fprintf(stderr, "%s\n", what);
    exit(1); /* the kernel kills the bots: PR_SET_PDEATHSIG in start_bot */
}

static void check(bool ok, const char *what)
{
    if (!ok)
        die(what);
}

static void load_traffic(const char *path)
{
    FILE *file = fopen(path, "r");
    check(file, path);
    char *text = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&text, &size, file)) > 0) {
        errno = 0;
        /* Anything else would get no answer, and we would wait for ever. */
        check(strncmp(text, "{\"type\":\"act\"", 13) == 0 && text[length - 1] == '\n', "traffic: not an act line");
        traffic = realloc(traffic, (size_t)(traffic_lines + 1) * sizeof *traffic);
        check(traffic, "realloc");
        traffic[traffic_lines++] = (struct line){text, (size_t)length};
        text = NULL; /* the line keeps it */
        size = 0;
    }
    free(text);
    fclose(file);
    errno = 0;
    check(traffic_lines > 0, "traffic: no lines");
}

static void start_bot(struct bot *bot, struct game *game, char **command)
{
    int in[2], out[2];
    check(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0, "pipe");
    pid_t pid = fork();
    check(pid >= 0, "fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_DFL); /* an ignored signal would stay so across exec */
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    *bot = (struct bot){pid, in[1], out[0], game};
}

static void say(struct bot *bot, const char *text)
{
    check(write(bot->to, text, strlen(text)) == (ssize_t)strlen(text), "write");
}

/* True when the answer is complete. A bot sends nothing unasked, so a line end
 * can only be the last byte, and no answer has to be kept. */
static bool read_answer(struct bot *bot)
{
    static char buffer[1 << 16];
    ssize_t got = read(bot->from, buffer, sizeof buffer);
    if (got == 0)
        errno = 0;
    check(got > 0, "a bot has gone");
    return buffer[got - 1] == '\n';
}

static void shake_hands(struct bot *bot)
{
    while (!read_answer(bot))
        ;
    fcntl(bot->to, F_SETFL, O_NONBLOCK);
    fcntl(bot->from, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = bot};
    check(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, bot->from, &event) == 0, "epoll_ctl");
}

static struct bot *asked_bot(struct game *game)
{
    return &game->bots[(game->asked - 1) % 2];
}

/* Sends what the pipe takes. Only for a line longer than a pipe holds is the
 * writing end watched too, until all of it has gone. */
static void send_rest(struct game *game, bool watched)
{
    struct bot *bot = asked_bot(game);
    ssize_t sent = write(bot->to, game->unsent.text, game->unsent.length);
    check(sent >= 0 || errno == EAGAIN, "write");
    if (sent > 0) {
        game->unsent.text += sent;
        game->unsent.length -= (size_t)sent;
    }
    bool watch = game->unsent.length > 0;
    if (watch != watched) {
        struct epoll_event event = {.events = EPOLLOUT, .data.ptr = bot};
        check(epoll_ctl(epoll_fd, watch ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, bot->to, &event) == 0, "epoll_ctl");
    }
}

static void ask(struct game *game)
{
    game->unsent = traffic[game->asked++ % traffic_lines];
    send_rest(game, false);
}

static void play(struct game *games, long count, long questions)
{
    for (long i = 0; i < count; i++)
        ask(&games[i]);
    for (long open = count; open > 0;) {
        struct epoll_event events[MAX_EVENTS];
        int ready = epoll_wait(epoll_fd, events, MAX_EVENTS, -1);
        check(ready >= 0 || errno == EINTR, "epoll_wait");
        for (int i = 0; i < ready; i++) {
            struct bot *bot = events[i].data.ptr;
            struct game *game = bot->game;
            if (events[i].events & EPOLLOUT) {
                send_rest(game, true);
                continue;
            }
            bool complete = read_answer(bot);
            errno = 0;
            check(bot == asked_bot(game) && game->unsent.length == 0, "a bot spoke unasked");
            if (!complete)
                continue;
            if (game->asked < questions)
                ask(game);
            else
                open--;
        }
    }
}

static double cpu_us(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double wall_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    long count = argc > 4 ? atol(argv[1]) : 0;
    long questions = argc > 4 ? atol(argv[2]) : 0;
    if (count < 1 || questions < 1) {
        fprintf(stderr, "usage: %s GAMES QUESTIONS TRAFFIC_FILE BOT_COMMAND...\n", argv[0]);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    load_traffic(argv[3]);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct game *games = calloc((size_t)count, sizeof *games);
    check(epoll_fd >= 0 && games, "start");

    /* All say hello before any is waited for, so that they start side by side. */
    for (long i = 0; i < 2 * count; i++) {
        struct bot *bot = &games[i / 2].bots[i % 2];
        start_bot(bot, &games[i / 2], argv + 4);
        say(bot, "{\"type\":\"hello\",\"protocol\":1,\"referee\":\"bare\"}\n");
    }
    for (long i = 0; i < 2 * count; i++)
        shake_hands(&games[i / 2].bots[i % 2]);

    double cpu = cpu_us(), wall = wall_us();
    play(games, count, questions);
    cpu = cpu_us() - cpu;
    wall = wall_us() - wall;

    alarm(GRACE_SECONDS); /* ends us, and so every bot that will not quit */
    for (long i = 0; i < 2 * count; i++) {
        struct bot *bot = &games[i / 2].bots[i % 2];
        say(bot, "{\"type\":\"quit\"}\n");
        close(bot->to);
    }
    for (long i = 0; i < 2 * count; i++)
        waitpid(games[i / 2].bots[i % 2].pid, NULL, 0);

    double total = (double)count * (double)questions;
    printf("{\"questions\":%.0f,\"cpu_us_per_question\":%.2f,\"wall_us_per_question\":%.2f}\n", total, cpu / total,
           wall / total);
    return 0;
}
