#include "wire.hpp"

#include <iostream>
#include <random>
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

/// Takes random actions, the same ones for the same seed.
Choose choose_randomly(std::int64_t seed) {
    return [random = std::minstd_rand(static_cast<std::uint_fast32_t>(seed % 2147483646 + 1))](
               const json::Value& act) mutable {
        return static_cast<std::size_t>(random() % expect<json::Array>(required(act, "legal"), "legal", "list").size());
    };
}

class Talk {
public:
    explicit Talk(std::ostream& output) : output_(output) {}

    /// Answers a message. Messages and fields of later versions are ignored.
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
        read(required(message, "game_id"), "game_id", game_id_);
        const auto found = bot_games.find(expect<std::string>(required(message, "game"), "game", "string"));
        if (found != bot_games.end()) {
            choose_ = found->second(message);
        } else {
            choose_ = choose_randomly(expect<std::int64_t>(required(message, "bot_seed"), "bot_seed", "integer"));
        }
    }

    std::size_t choose(const json::Value& message, std::int64_t id) {
        try {
            return choose_(message);
        } catch (...) {
            const auto& decision = expect<std::string>(required(message, "decision"), "decision", "string");
            std::cerr << "act " << id << " (" << decision << ") of game " << game_id_ << ":" << std::endl;
            throw;
        }
    }

    /// Writes a line. std::endl writes all of it to the pipe: in its buffer nobody would read it.
    void send(const std::string& line) { output_ << line << std::endl; }

    std::ostream& output_;
    std::string game_id_;
    Choose choose_ = choose_randomly(0);
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
