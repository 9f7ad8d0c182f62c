// From JSON to the types of messages.hpp: what all of them need. `name` is the field that a value is in, for errors.
#pragma once

#include "json.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// The content of a value as this type. Throws json::Error with the name of the field if it is of another.
template <class T> const T& expect(const json::Value& value, std::string_view name, const char* what) {
    if (const T* content = value.get_if<T>()) {
        return *content;
    }
    throw json::Error(std::string(name) + " is no " + what);
}

inline const json::Value& required(const json::Value& object, std::string_view name) {
    if (const json::Value* value = object.member(name)) {
        return *value;
    }
    throw json::Error(std::string(name) + " is missing");
}

inline void read(const json::Value& value, std::string_view name, std::int64_t& out) {
    out = expect<std::int64_t>(value, name, "integer");
}

inline void read(const json::Value& value, std::string_view name, int& out) {
    const auto wide = expect<std::int64_t>(value, name, "integer");
    out = static_cast<int>(wide);
    if (out != wide) {
        throw json::Error(std::string(name) + " is too large");
    }
}

inline void read(const json::Value& value, std::string_view name, bool& out) {
    out = expect<bool>(value, name, "bool");
}

inline void read(const json::Value& value, std::string_view name, std::string& out) {
    out = expect<std::string>(value, name, "string");
}

inline void read(const json::Value& value, std::string_view, json::Value& out) { out = value; }

/// The next one of names with commas between them, which is taken away.
inline std::string_view next_name(std::string_view& names) {
    const std::size_t end = std::min(names.find(", "), names.size());
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(end + 2, names.size()));
    return name;
}

template <class Enum, class = std::enable_if_t<std::is_enum_v<Enum>>>
void read(const json::Value& value, std::string_view name, Enum& out) {
    const auto& word = expect<std::string>(value, name, "string");
    std::string_view words = words_of(out);
    out = Enum::unknown;
    for (int number = 0; !words.empty(); ++number) {
        if (next_name(words) == word) {
            out = static_cast<Enum>(number);
        }
    }
}

class Reader;

// Declared before they are defined, since they read each other's parts.
template <class T> void read(const json::Value& value, std::string_view name, std::optional<T>& out);
template <class T> void read(const json::Value& value, std::string_view name, std::vector<T>& out);
template <class T, std::size_t size>
void read(const json::Value& value, std::string_view name, std::array<T, size>& out);
template <class T> void read(const json::Value& value, std::string_view name, std::map<std::string, T>& out);
template <class... Kinds>
void read(const json::Value& value, std::string_view name, std::variant<std::monostate, Kinds...>& out);
template <class T>
auto read(const json::Value& value, std::string_view, T& out) -> decltype(out.read_from(std::declval<Reader&>()));

template <class T> void read(const json::Value& value, std::string_view name, std::optional<T>& out) {
    out.reset();
    if (!value.is_null()) {
        read(value, name, out.emplace());
    }
}

template <class T> void read(const json::Value& value, std::string_view name, std::vector<T>& out) {
    const auto& items = expect<json::Array>(value, name, "list");
    out = std::vector<T>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        read(items[i], name, out[i]);
    }
}

template <class T, std::size_t size>
void read(const json::Value& value, std::string_view name, std::array<T, size>& out) {
    const auto& items = expect<json::Array>(value, name, "list");
    if (items.size() != size) {
        throw json::Error(std::string(name) + " is a list of another length");
    }
    for (std::size_t i = 0; i < size; ++i) {
        read(items[i], name, out[i]);
    }
}

template <class T> void read(const json::Value& value, std::string_view name, std::map<std::string, T>& out) {
    out.clear();
    for (const auto& member : expect<json::Object>(value, name, "object")) {
        read(member.value, name, out[member.name]);
    }
}

template <class T>
void read_as(std::string_view kind, const json::Value& value, std::string_view name, std::vector<T>& out) {
    const auto& items = expect<json::Array>(value, name, "list");
    out = std::vector<T>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        read_as(kind, items[i], name, out[i]);
    }
}

template <class... Kinds>
void read_as(std::string_view kind, const json::Value& value, std::string_view name,
             std::variant<std::monostate, Kinds...>& out) {
    out = std::monostate{};
    ((kind == Kinds::kind_word ? read(value, name, out.template emplace<Kinds>()) : void()), ...);
}

template <class... Kinds>
void read(const json::Value& value, std::string_view name, std::variant<std::monostate, Kinds...>& out) {
    read_as(expect<std::string>(required(value, "type"), "type", "string"), value, name, out);
}

/// A field that is always there.
template <class T> void field(const json::Value& object, std::string_view name, T& out) {
    read(required(object, name), name, out);
}

/// A field that may be absent; `out` stays as it is then.
template <class T> void field_or_default(const json::Value& object, std::string_view name, T& out) {
    if (const json::Value* value = object.member(name)) {
        read(*value, name, out);
    }
}

/// A field that may be absent: empty then, and where it is null.
template <class T> void field(const json::Value& object, std::string_view name, std::optional<T>& out) {
    out.reset();
    field_or_default(object, name, out);
}

/// A field of which the field `by` says of which kind it is.
template <class T> void field_as(const json::Value& object, std::string_view name, std::string_view by, T& out) {
    read_as(expect<std::string>(required(object, by), by, "string"), required(object, name), name, out);
}

/// Reads the fields of a struct.
class Reader {
  public:
    explicit Reader(const json::Value& object) : object(object) {}

    template <class... T> void fields(std::string_view names, T&... out) {
        (field(object, next_name(names), out), ...);
    }

    template <class... T> void fields_or_defaults(std::string_view names, T&... out) {
        (field_or_default(object, next_name(names), out), ...);
    }

    template <class T> void field_by_kind(std::string_view name, std::string_view by, T& out) {
        field_as(object, name, by, out);
    }

  private:
    const json::Value& object;
};

template <class T>
auto read(const json::Value& value, std::string_view, T& out) -> decltype(out.read_from(std::declval<Reader&>())) {
    Reader reader(value);
    out.read_from(reader);
}
