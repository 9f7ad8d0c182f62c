#include "json.hpp"
#include "protocol.hpp"

#include <cstdlib>
#include <iostream>

int main() {
    try {
        play(std::cin, std::cout);
        return EXIT_SUCCESS;
    } catch (const json::Error& error) {
        std::cerr << "a message of the referee can't be read: " << error.what() << std::endl;
        return EXIT_FAILURE;
    }
}
