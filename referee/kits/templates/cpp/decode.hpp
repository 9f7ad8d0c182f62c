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
#include <vector>

/// The content of a value as this type. Throws json::Error with the name of the field if it is of another.
template <class T> const T& expect(const json::Value& value, const char* name, const char* what) {
    if (const T* content = value.get_if<T>()) {
        return *content;
    }
    throw json::Error(std::string(name) + " is no " + what);
}

inline const json::Value& required(const json::Value& object, const char* name) {
    if (const json::Value* value = object.member(name)) {
        return *value;
    }
    throw json::Error(std::string(name) + " is missing");
}

inline void read(const json::Value& value, const char* name, std::int64_t& out) {
    out = expect<std::int64_t>(value, name, "integer");
}

inline void read(const json::Value& value, const char* name, int& out) {
    const auto wide = expect<std::int64_t>(value, name, "integer");
    out = static_cast<int>(wide);
    if (out != wide) {
        throw json::Error(std::string(name) + " is too large");
    }
}

inline void read(const json::Value& value, const char* name, bool& out) { out = expect<bool>(value, name, "bool"); }

inline void read(const json::Value& value, const char* name, std::string& out) {
    out = expect<std::string>(value, name, "string");
}

inline void read(const json::Value& value, const char*, json::Value& out) { out = value; }

template <class Enum, class = std::enable_if_t<std::is_enum_v<Enum>>>
void read(const json::Value& value, const char* name, Enum& out) {
    const auto& word = expect<std::string>(value, name, "string");
    std::string_view words = words_of(out);
    out = Enum::unknown;
    for (int number = 0; !words.empty(); ++number) {
        const std::size_t end = std::min(words.find(", "), words.size());
        if (words.substr(0, end) == word) {
            out = static_cast<Enum>(number);
        }
        words.remove_prefix(std::min(end + 2, words.size()));
    }
}

// Declared before they are defined, since they read each other's parts.
template <class T> void read(const json::Value& value, const char* name, std::optional<T>& out);
template <class T> void read(const json::Value& value, const char* name, std::vector<T>& out);
template <class T, std::size_t size> void read(const json::Value& value, const char* name, std::array<T, size>& out);
template <class T> void read(const json::Value& value, const char* name, std::map<std::string, T>& out);

template <class T> void read(const json::Value& value, const char* name, std::optional<T>& out) {
    out.reset();
    if (!value.is_null()) {
        read(value, name, out.emplace());
    }
}

template <class T> void read(const json::Value& value, const char* name, std::vector<T>& out) {
    const auto& items = expect<json::Array>(value, name, "list");
    out = std::vector<T>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        read(items[i], name, out[i]);
    }
}

template <class T, std::size_t size> void read(const json::Value& value, const char* name, std::array<T, size>& out) {
    const auto& items = expect<json::Array>(value, name, "list");
    if (items.size() != size) {
        throw json::Error(std::string(name) + " is a list of another length");
    }
    for (std::size_t i = 0; i < size; ++i) {
        read(items[i], name, out[i]);
    }
}

template <class T> void read(const json::Value& value, const char* name, std::map<std::string, T>& out) {
    out.clear();
    for (const auto& member : expect<json::Object>(value, name, "object")) {
        read(member.value, name, out[member.name]);
    }
}

template <class T>
void read_as(std::string_view kind, const json::Value& value, const char* name, std::vector<T>& out) {
    const auto& items = expect<json::Array>(value, name, "list");
    out = std::vector<T>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        read_as(kind, items[i], name, out[i]);
    }
}

/// The kind `T` of a union if the value is of this kind.
template <class T, class Union> void read_if(bool is, const json::Value& value, const char* name, Union& out) {
    if (is) {
        read(value, name, out.template emplace<T>());
    }
}

/// A field that is always there.
template <class T> void field(const json::Value& object, const char* name, T& out) {
    read(required(object, name), name, out);
}

/// A field that may be absent; `out` stays as it is then.
template <class T> void field_or_default(const json::Value& object, const char* name, T& out) {
    if (const json::Value* value = object.member(name)) {
        read(*value, name, out);
    }
}

/// A field that may be absent: empty then, and where it is null.
template <class T> void field(const json::Value& object, const char* name, std::optional<T>& out) {
    out.reset();
    field_or_default(object, name, out);
}

/// A field of which the field `by` says of which kind it is.
template <class T> void field_as(const json::Value& object, const char* name, const char* by, T& out) {
    read_as(expect<std::string>(required(object, by), by, "string"), required(object, name), name, out);
}
