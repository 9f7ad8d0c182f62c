#include "json.hpp"
#include "wire.hpp"

#include <cstdlib>
#include <iostream>

/// Plays games over standard input and output, until the referee says quit or disconnects. Standard output is for the
/// protocol alone, so from here on std::cout writes to standard error.
int main() {
    std::ios::sync_with_stdio(false);  // reads faster
    std::ostream output(std::cout.rdbuf(std::cerr.rdbuf()));
    int status = EXIT_SUCCESS;
    try {
        talk(std::cin, output);
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        status = EXIT_FAILURE;
    }
    std::cout.rdbuf(output.rdbuf());
    return status;
}
