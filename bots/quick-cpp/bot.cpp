// The bot's name. Its strategies are in city.cpp and dragon.cpp.
#include "wire.hpp"

const char* const bot_name = "quick";
