// The conversation with the referee: reads its messages line by line, and asks the bot for its decisions.
#include "protocol.hpp"

#include "bot.hpp"
#include "decode.hpp"
#include "json.hpp"
#include "messages.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <variant>

namespace {

/// A game in progress that this program knows, and the bot that plays it.
template <class Start> struct Game {
    Start start;
    Bot bot;
};

using CurrentGame = std::variant<std::monostate, Game<DragonStart>, Game<CityStart>>;

template <class T> T read_as_message(const json::Value& message) {
    T out;
    read(message, "message", out);
    return out;
}

CurrentGame start(const json::Value& message) {
    std::string game;
    std::int64_t seed = 0;
    field(message, "game", game);
    field(message, "bot_seed", seed);
    if (game == "year_of_the_dragon") {
        return Game<DragonStart>{read_as_message<DragonStart>(message), Bot(static_cast<std::uint64_t>(seed))};
    }
    if (game == "forbidden_city") {
        return Game<CityStart>{read_as_message<CityStart>(message), Bot(static_cast<std::uint64_t>(seed))};
    }
    return {};
}

/// The index of the chosen action. Of a game that this program doesn't know it takes the first one.
std::size_t choose(CurrentGame& current, const json::Value& message) {
    if (auto* dragon = std::get_if<Game<DragonStart>>(&current)) {
        return dragon->bot.year_of_the_dragon(dragon->start, read_as_message<DragonAct>(message));
    }
    if (auto* city = std::get_if<Game<CityStart>>(&current)) {
        return city->bot.forbidden_city(city->start, read_as_message<CityAct>(message));
    }
    return 0;
}

}  // namespace

void play(std::istream& input, std::ostream& output) {
    CurrentGame current;
    for (std::string line; std::getline(input, line);) {
        const json::Value message = json::parse(line);
        std::string type;
        field(message, "type", type);
        // std::endl also flushes: without that, the line would wait in a buffer, and the referee would wait for it.
        if (type == "hello") {
            output << R"({"type":"ready","protocol":1,"name":)" << json::quoted(Bot::name) << R"(,"options":{"events":)"
                   << (Bot::events ? "true" : "false") << "}}" << std::endl;
        } else if (type == "start") {
            current = start(message);
        } else if (type == "act") {
            std::int64_t id = 0;
            field(message, "id", id);
            const std::size_t index = choose(current, message);
            output << R"({"type":"action","id":)" << id << R"(,"index":)" << index << "}" << std::endl;
        } else if (type == "end") {
            current = {};
        } else if (type == "fault") {
            const auto fault = read_as_message<FaultMessage>(message);
            std::cerr << "fault " << to_string(fault.code) << ": " << fault.message << std::endl;
        } else if (type == "quit") {
            return;
        }  // Later versions of the protocol may have messages that this one doesn't know.
    }
}
