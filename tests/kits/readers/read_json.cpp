// Reads each line of standard input as JSON, and writes what it read as tests/kits/test_json_readers.py writes it.
#include "json.hpp"

#include <cstdio>
#include <cstring>
#include <iostream>

namespace {

struct Writer {
    void operator()(std::nullptr_t) const { std::fputs("null", stdout); }
    void operator()(bool truth) const { std::fputs(truth ? "true" : "false", stdout); }
    void operator()(std::int64_t integer) const { std::printf("%lld", static_cast<long long>(integer)); }
    void operator()(double number) const {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &number, sizeof bits);
        std::printf("double %016llx", static_cast<unsigned long long>(bits));
    }

    void operator()(const std::string& text) const {
        std::putchar('"');
        for (const unsigned char byte : text.substr(0, 1000)) {
            std::printf("%02x", byte);
        }
        std::printf(".%zu\"", text.size());
    }

    void operator()(const json::Array& items) const {
        std::putchar('[');
        for (const json::Value& item : items) {
            std::visit(*this, item.content);
            std::putchar(',');
        }
        std::putchar(']');
    }

    void operator()(const json::Object& members) const {
        std::putchar('{');
        for (const json::Member& member : members) {
            (*this)(member.name);
            std::putchar(':');
            std::visit(*this, member.value.content);
            std::putchar(',');
        }
        std::putchar('}');
    }
};

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        try {
            const json::Value value = json::parse(line);
            std::visit(Writer{}, value.content);
            if (const json::Value* twice = value.member("twice")) {
                std::fputs(" twice=", stdout);
                std::visit(Writer{}, twice->content);
            }
        } catch (const json::Error& error) {
            std::printf("error %s", error.what());
        }
        std::putchar('\n');
    }
}
