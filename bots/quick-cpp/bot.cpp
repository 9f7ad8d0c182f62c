#include "wire.hpp"

const char* const bot_name = "quick";
