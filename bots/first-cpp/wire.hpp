// Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.
#pragma once

#include "messages.hpp"

#include <cstddef>
#include <iosfwd>

/// Answers each line of the input, until one says quit or there are no more. Throws json::Error if a message is not as
/// the protocol says.
void talk(std::istream& input, std::ostream& output);

// What bot.cpp defines.
extern const char* const bot_name;
std::size_t choose_dragon(const DragonStart& start, const DragonAct& act);
std::size_t choose_city(const CityStart& start, const CityAct& act);
