#define _POSIX_C_SOURCE 200809L /* dup, fdopen */
#include "wire.h"

#include <stdlib.h>
#include <unistd.h>

/* Plays games over standard input and output, until the referee says quit or disconnects. Standard output is for the
 * protocol alone, so from here on `printf` writes to standard error. */
int main(void) {
    FILE *output = fdopen(dup(STDOUT_FILENO), "w");
    if (output == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        perror("standard output");
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    const bool good = talk(stdin, output);
    fclose(output);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
