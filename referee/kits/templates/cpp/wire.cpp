#include "wire.hpp"

#include "read_messages.hpp"
#include "json.hpp"

#include <iostream>
#include <optional>
#include <string>

namespace {

constexpr int protocol = 1;  // the version of the protocol that this file speaks

/// The beginning of a line that may be anything, for the log.
std::string excerpt(const std::string& line) {
    std::string out;
    for (const char letter : line.substr(0, 200)) {
        const bool is_plain = letter >= 0x20 && letter < 0x7F;
        out += is_plain ? letter : '?';
    }
    return out;
}

class Talk {
public:
    explicit Talk(std::ostream& output) : output_(output) {}

    /// Answers a message. What the referee may send later, in a further version, is ignored.
    void answer(const std::string& type, const json::Value& message) {
        if (type == "hello") {
            // To be sent less, which is faster to read: ,"options":{"events":false}
            send(R"({"type":"ready","protocol":)" + std::to_string(protocol) + R"(,"name":)" +
                 json::quoted(bot_name) + "}");
        } else if (type == "start") {
            start(message);
        } else if (type == "act") {
            const auto id = expect<std::int64_t>(required(message, "id"), "id", "integer");
            const std::size_t index = choose(message, id);
            send(R"({"type":"action","id":)" + std::to_string(id) + R"(,"index":)" + std::to_string(index) + "}");
        } else if (type == "fault") {
            FaultMessage fault;
            read(message, type.c_str(), fault);
            std::cerr << "the referee says: " << to_string(fault.code) << ": " << fault.message << std::endl;
        }
    }

private:
    void start(const json::Value& message) {
        const auto& game = expect<std::string>(required(message, "game"), "game", "string");
        dragon_.reset();
        city_.reset();
        if (game == "year_of_the_dragon") {
            read(message, "start", dragon_.emplace());
        } else if (game == "forbidden_city") {
            read(message, "start", city_.emplace());
        }
    }

    /// The index of the bot's choice; in a game that this program doesn't know, of the first action.
    std::size_t choose(const json::Value& message, std::int64_t id) {
        std::string where = "act " + std::to_string(id);
        try {
            if (dragon_) {
                DragonAct act;
                read(message, "act", act);
                where += " (" + act.decision + ") of game " + dragon_->game_id;
                return choose_dragon(*dragon_, act);
            }
            if (city_) {
                CityAct act;
                read(message, "act", act);
                where += " (" + act.decision + ") of game " + city_->game_id;
                return choose_city(*city_, act);
            }
            return 0;
        } catch (...) {
            std::cerr << where << ":" << std::endl;
            throw;
        }
    }

    /// Writes a line. std::endl writes all of it to the pipe: in its buffer nobody would read it.
    void send(const std::string& line) { output_ << line << std::endl; }

    std::ostream& output_;
    std::optional<DragonStart> dragon_;
    std::optional<CityStart> city_;
};

}  // namespace

void talk(std::istream& input, std::ostream& output) {
    Talk talk(output);
    for (std::string line; output && std::getline(input, line);) {
        json::Value message;
        try {
            message = json::parse(line);
        } catch (const json::Error& error) {
            if (line.find_first_not_of(" \t\r") != line.npos) {
                std::cerr << "this line is not JSON (" << error.what() << "): " << excerpt(line) << std::endl;
            }
            continue;
        }
        const json::Value* found = message.member("type");
        const std::string* type = found == nullptr ? nullptr : found->get_if<std::string>();
        if (type == nullptr) {
            continue;
        }
        if (*type == "quit") {
            return;
        }
        talk.answer(*type, message);
    }
}
