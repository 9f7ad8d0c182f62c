#pragma once

#include <iosfwd>

/// Answers the referee until it says `quit` or the input ends. Throws json::Error if a message is not as the protocol
/// says.
void play(std::istream& input, std::ostream& output);
