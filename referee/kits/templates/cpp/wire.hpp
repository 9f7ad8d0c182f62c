// Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.
//
// A game that the bot doesn't know is played by random legal actions, drawn from the `bot_seed` of the game.
#pragma once

#include "decode.hpp"
#include "messages.hpp"

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>

/// Answers each line of the input, until one says quit or there are no more. Throws json::Error if a message is not as
/// the protocol says.
void talk(std::istream& input, std::ostream& output);

/// Answers a question (`act`) with the index of a legal action.
using Choose = std::function<std::size_t(const json::Value& act)>;
/// How a game is played: its strategy, given its `start`.
using Game = std::function<Choose(const json::Value& start)>;

/// The game whose messages are a Start and an Act, which are read for this function. A json::Value takes any.
template <class Start, class Act> Game game(std::size_t (*choose)(const Start&, const Act&)) {
    return [choose](const json::Value& message) -> Choose {
        Start start;
        read(message, "start", start);
        return [choose, start = std::move(start)](const json::Value& question) {
            Act act;
            read(question, "act", act);
            return choose(start, act);
        };
    };
}

// What bot.cpp defines: the bot's name, and the games that it knows, by the names that the referee has for them.
extern const char* const bot_name;
extern const std::map<std::string, Game> bot_games;
