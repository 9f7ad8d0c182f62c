#include "json.hpp"

#include <charconv>
#include <cstdlib>

namespace json {
namespace {

bool is_digit(int byte) { return byte >= '0' && byte <= '9'; }

void append_utf8(std::string& out, std::uint32_t code) {
    const auto append = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        append(code);
        return;
    }
    if (code < 0x800) {
        append(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            append(0xE0 | code >> 12);
        } else {
            append(0xF0 | code >> 18);
            append(0x80 | (code >> 12 & 0x3F));
        }
        append(0x80 | (code >> 6 & 0x3F));
    }
    append(0x80 | (code & 0x3F));
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Value whole_text() {
        Value result = value(0);
        if (at_ < text_.size()) {
            fail("something follows the value");
        }
        return result;
    }

private:
    [[noreturn]] void fail(const char* problem) const {
        throw Error("at byte " + std::to_string(at_ + 1) + ": " + problem);
    }

    /// The next byte, or -1 at the end of the text.
    int peek() const { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : -1; }

    bool accept(char byte) {
        if (peek() != byte) {
            return false;
        }
        ++at_;
        return true;
    }

    void skip_spaces() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            ++at_;
        }
    }

    /// A value with the spaces around it; `depth` arrays and objects contain it.
    Value value(int depth) {
        skip_spaces();
        Value result{bare_value(depth)};
        skip_spaces();
        return result;
    }

    Value::Content bare_value(int depth) {
        switch (peek()) {
        case '{':
            return object(depth);
        case '[':
            return array(depth);
        case '"':
            return string();
        case 't':
            return word("true", true);
        case 'f':
            return word("false", false);
        case 'n':
            return word("null", nullptr);
        default:
            if (peek() != '-' && !is_digit(peek())) {
                fail("a value is missing");
            }
            return number();
        }
    }

    Value::Content word(std::string_view letters, Value::Content meaning) {
        if (text_.substr(at_, letters.size()) != letters) {
            fail("a value is missing");
        }
        at_ += letters.size();
        return meaning;
    }

    void digits() {
        if (!is_digit(peek())) {
            fail("a digit is missing");
        }
        while (is_digit(peek())) {
            ++at_;
        }
    }

    Value::Content number() {
        const std::size_t start = at_;
        bool integral = true;
        accept('-');
        if (!accept('0')) {
            digits();
        } else if (is_digit(peek())) {
            fail("a number begins with 0");
        }
        if (accept('.')) {
            integral = false;
            digits();
        }
        if (accept('e') || accept('E')) {
            integral = false;
            if (!accept('+')) {
                accept('-');
            }
            digits();
        }
        const std::string_view written = text_.substr(start, at_ - start);
        std::int64_t integer = 0;
        if (integral && std::from_chars(written.data(), written.data() + written.size(), integer).ec == std::errc{}) {
            return integer;
        }
        return std::strtod(std::string(written).c_str(), nullptr);
    }

    std::string string() {
        if (!accept('"')) {
            fail("a name in quotes is missing");
        }
        std::string out;
        for (;;) {
            const std::size_t start = at_;
            while (peek() >= 0x20 && peek() < 0x80 && peek() != '"' && peek() != '\\') {
                ++at_;
            }
            out.append(text_, start, at_ - start);
            if (accept('"')) {
                return out;
            }
            if (accept('\\')) {
                append_utf8(out, escape());
            } else if (peek() >= 0x80) {
                copy_utf8(out);
            } else if (peek() >= 0) {
                fail("control characters in strings must be escaped");
            } else {
                fail("this string does not end");
            }
        }
    }

    /// The character that an escape stands for.
    std::uint32_t escape() {
        constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        if (accept('u')) {
            return escaped_character();
        }
        const auto found = peek() < 0 ? letters.npos : letters.find(static_cast<char>(peek()));
        if (found == letters.npos) {
            fail("there is no such escape");
        }
        ++at_;
        return static_cast<std::uint32_t>(meanings[found]);
    }

    std::uint32_t escaped_character() {
        const std::uint32_t code = four_hex_digits();
        if (code < 0xD800 || code > 0xDFFF) {
            return code;
        }
        if (code >= 0xDC00 || !accept('\\') || !accept('u')) {
            fail("half of a surrogate pair is no character");
        }
        const std::uint32_t low = four_hex_digits();
        if (low < 0xDC00 || low > 0xDFFF) {
            fail("half of a surrogate pair is no character");
        }
        return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }

    std::uint32_t four_hex_digits() {
        const std::string_view written = text_.substr(at_, 4);
        std::uint32_t code = 0;
        const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), code, 16);
        if (error != std::errc{} || end != written.data() + 4) {
            fail("\\u needs four hexadecimal digits");
        }
        at_ += 4;
        return code;
    }

    /// Copies a character of several bytes, which must be well-formed UTF-8 (table 3-7 of the Unicode standard).
    void copy_utf8(std::string& out) {
        const int lead = peek();
        const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
        const std::string_view bytes = text_.substr(at_, length);
        bool good = lead >= 0xC2 && lead <= 0xF4 && bytes.size() == length;
        for (std::size_t i = 1; good && i < length; ++i) {
            const int byte = static_cast<unsigned char>(bytes[i]);
            const int low = i > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            const int high = i > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
            good = byte >= low && byte <= high;
        }
        if (!good) {
            fail("this is not UTF-8");
        }
        out += bytes;
        at_ += length;
    }

    void open(int depth) {
        ++at_;
        if (depth >= max_depth) {
            fail("it is nested too deeply");
        }
        skip_spaces();
    }

    Array array(int depth) {
        Array items;
        open(depth);
        if (accept(']')) {
            return items;
        }
        do {
            items.push_back(value(depth + 1));
        } while (accept(','));
        if (!accept(']')) {
            fail("a comma or ] is missing");
        }
        return items;
    }

    Object object(int depth) {
        Object members;
        open(depth);
        if (accept('}')) {
            return members;
        }
        do {
            skip_spaces();
            std::string name = string();
            skip_spaces();
            if (!accept(':')) {
                fail("a colon is missing");
            }
            members.push_back({std::move(name), value(depth + 1)});
        } while (accept(','));
        if (!accept('}')) {
            fail("a comma or } is missing");
        }
        return members;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

const Value* Value::member(std::string_view name) const {
    if (const Object* members = get_if<Object>()) {
        for (auto found = members->rbegin(); found != members->rend(); ++found) {
            if (found->name == name) {
                return &found->value;
            }
        }
    }
    return nullptr;
}

Value parse(std::string_view text) { return Parser(text).whole_text(); }

std::string quoted(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x20) {
            out += {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
            continue;
        }
        if (letter == '"' || letter == '\\') {
            out += '\\';
        }
        out += letter;
    }
    return out + '"';
}

}  // namespace json
