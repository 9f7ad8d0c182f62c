// Runs the bot on the lines in sample.jsonl, which have every kind of decision: `make test`.
#include "decode.hpp"
#include "json.hpp"
#include "wire.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

/// The messages of this type.
std::vector<json::Value> messages(std::istream& lines, const std::string& type) {
    std::vector<json::Value> found;
    for (std::string line; std::getline(lines, line);) {
        json::Value message = json::parse(line);
        if (expect<std::string>(required(message, "type"), "type", "string") == type) {
            found.push_back(std::move(message));
        }
    }
    return found;
}

std::int64_t integer(const json::Value& message, const char* name) {
    return expect<std::int64_t>(required(message, name), name, "integer");
}

void check(bool good, const std::string& problem) {
    if (!good) {
        std::cerr << "FAILED: " << problem << std::endl;
        std::exit(EXIT_FAILURE);
    }
}

}  // namespace

/// One answer to hello and to every act, and to nothing else.
int main() {
    std::ifstream lines("sample.jsonl");
    check(lines.good(), "no sample.jsonl here");
    std::stringstream output;
    talk(lines, output);
    const std::string answered = output.str();
    std::istringstream answer_lines(answered), ready_lines(answered);
    std::ifstream act_lines("sample.jsonl");
    const auto acts = messages(act_lines, "act"), answers = messages(answer_lines, "action");
    check(messages(ready_lines, "ready").size() == 1, "the bot did not get ready");
    check(answers.size() == acts.size(), "not one answer to every act");
    for (std::size_t i = 0; i < acts.size(); ++i) {
        const std::int64_t id = integer(acts[i], "id"), index = integer(answers[i], "index");
        check(integer(answers[i], "id") == id, "no answer to act " + std::to_string(id));
        const auto& legal = expect<json::Array>(required(acts[i], "legal"), "legal", "list");
        const bool is_legal = index >= 0 && index < static_cast<std::int64_t>(legal.size());
        check(is_legal, "illegal answer to act " + std::to_string(id));
    }
    std::cout << "ok" << std::endl;
}
