/* A UCI engine that does not think: it plays one fixed game, so that what a match costs is the cost of its manager.
 *
 *   cc -O2 -std=c11 -o null_engine null_engine.c
 *   null_engine FILE    when it ends, adds a line to FILE: the moves that it was asked for, and the microseconds of CPU
 *                       that it has used
 *
 * The game is legal, without a threefold repetition and without 50 moves that count as a draw. It was drawn at random
 * and ends in the middle: let the manager end games after 100 moves of each side.
 */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { LONGEST_MOVE = 5, PLIES = 200 };

static const char *const GAME =
    "h2h4 g7g5 f2f4 d7d6 b1a3 e7e5 g2g4 e5e4 a1b1 c7c6 c2c4 e4e3 d2e3 h7h6 d1d5 b7b5 c1d2 c8f5 "
    "g1h3 g5f4 e1d1 f5e6 d5d4 a7a5 d4f4 f8g7 d2c3 h6h5 f4h2 f7f5 h2g1 d6d5 a3b5 e6c8 c3e1 g7f6 "
    "g1g3 a8a6 g3e5 c8e6 g4f5 d8e7 d1c1 f6g5 e5f6 b8d7 f6f7 e8d8 c1c2 d5d4 f7f6 c6c5 b2b3 d7b8 "
    "h1g1 e6d7 f6f7 g5f4 f1g2 a6d6 e1g3 d6h6 e3e4 f4d2 f5f6 d2e3 g2f1 d7c6 f7h7 c6d5 b1e1 b8c6 "
    "h3g5 e7f8 b5a3 f8e7 h7g6 c6e5 g3f2 e7h7 g1g4 d8c7 g5f3 d5c6 g4g1 h7d7 f1g2 c6b5 f3d2 c7b6 "
    "e1f1 d7d6 g2f3 b5a6 f1c1 d6b8 g1g5 b8b7 g5g3 g8f6 g6h7 b7c7 h7f7 c7b7 f7e8 d4d3 c2d1 b7c6 "
    "g3g2 c6b7 g2g3 b7c6 e8f7 a6b5 g3h3 c6e8 f7g7 e5g6 g7g8 h8h7 g8d5 e3f4 d5a8 g6f8 c1c3 f6g8 "
    "f3g2 e8b8 e2e3 g8e7 g2h1 f8d7 d1c1 h7g7 c1b2 h6d6 h1g2 e7d5 a3b1 b8g8 g2f3 d5e7 a8b8 b6a6 "
    "f3d1 g8e8 a2a4 g7g4 b8b7 a6b7 c3c1 f4e5 b2a3 e5b2 a3a2 e7c6 e4e5 b2a3 b1c3 e8b8 c1c2 c6a7 "
    "c3e4 b7a6 d2f1 b8h8 c2c3 d6c6 e4d6 d7b6 f2g3 h8c8 d6e4 c8b7 g3f4 g4g7 f1d2 b7d7 f4g5 d7e7 "
    "d1g4 e7f6 e4d6 g7h7 d6e4 f6d6 g4e2 d6f6 e4f2 a3b2 h3f3 b2a1 f2d1 b6c8 a2b1 c8b6 f3f4 f6h6 "
    "f4g4 h7f7 ";

int main(int argc, char **argv) {
    long asked = 0;
    static char line[1 << 14];
    static char moves[PLIES][LONGEST_MOVE + 1];
    const char *next = GAME;
    for (int ply = 0, length; ply < PLIES && sscanf(next, "%5s%n", moves[ply], &length) == 1; ply++) next += length;
    int ply = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "position", 8) == 0) {
            const char *played = strstr(line, " moves ");
            ply = 0;
            if (played != NULL) {
                for (played += 6; *played != '\0'; played++) ply += *played == ' ';
            }
        } else if (strncmp(line, "go", 2) == 0) {
            if (ply >= PLIES) return EXIT_FAILURE;
            asked++;
            printf("bestmove %s\n", moves[ply]);
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strcmp(line, "uci\n") == 0) {
            puts("id name null\nid author referee\nuciok");
        } else if (strncmp(line, "quit", 4) == 0) {
            break;
        }
        fflush(stdout);
    }
    struct rusage used;
    FILE *file = argc > 1 ? fopen(argv[1], "a") : NULL;
    if (file != NULL && getrusage(RUSAGE_SELF, &used) == 0) {
        long seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
        fprintf(file, "%ld %ld\n", asked, seconds * 1000000L + used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        fclose(file);
    }
    return EXIT_SUCCESS;
}
