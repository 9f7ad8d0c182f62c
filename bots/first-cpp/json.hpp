// A small JSON reader (RFC 8259).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace json {

class Value;
struct Member;
using Array = std::vector<Value>;
using Object = std::vector<Member>;

/// A text is not JSON, or a value is not what was expected. `what()` says what is wrong, and where.
class Error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Arrays and objects in each other, beyond which a text is refused.
inline constexpr int max_depth = 512;

/// A JSON value. A number that is written as an integer and fits into 64 bits is an integer; any other number is the
/// nearest double, infinity for those beyond.
class Value {
public:
    using Content = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;
    Content content = nullptr;

    bool is_null() const { return std::holds_alternative<std::nullptr_t>(content); }

    /// The content as this type, a null pointer if it is of another.
    template <class T> const T* get_if() const { return std::get_if<T>(&content); }

    /// The member of an object with this name, the last one if there are several; a null pointer if there is none, or
    /// the value is no object.
    const Value* member(std::string_view name) const;
};

/// A member of an object.
struct Member {
    std::string name;
    Value value;
};

/// Reads a text that is one JSON value and nothing else, but for spaces around it. Throws Error.
Value parse(std::string_view text);

/// A string with quotes and escapes. `text` is UTF-8.
std::string quoted(std::string_view text);

}  // namespace json
