// The Forbidden City: tiles, cells and rooms, and what a room pays.
#pragma once

#include "wire.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace city {

constexpr int dragon_points = 3, never_drawn = 2, max_players = 4;
constexpr int wild = -1;  // a colour for cells that are no rooms
constexpr std::array<std::pair<int, int>, 4> steps = {{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}};

using Advisors = std::array<int, max_players>;

/// What a tile shows after a rotation: by side the edge, the part that touches it, and the colour of that part.
struct Look {
    std::array<char, 4> edge{};
    std::array<int, 4> part{}, colour{};
};

/// A kind of tile in its four rotations; `left` by seat: how many of them it has not laid.
struct Tile {
    std::array<Look, 4> looks;
    int parts = 0, dragons = 0, advisors = 0;
    std::vector<int> left;
};

struct Room {
    int points = 0, open = 0;
    Advisors advisors{};
    std::vector<int> doors;  // the rooms behind passages, each once
};

/// At most as many rooms as a tile has sides, each once, and a number with each.
class Few {
public:
    void add(int room, int number = 0) {
        for (int i = 0; i < size_; ++i) {
            if (rooms_[i].first == room) {
                rooms_[i].second += number;
                return;
            }
        }
        rooms_[size_++] = {room, number};
    }
    bool has(int room) const {
        return std::any_of(begin(), end(), [&](const auto& each) { return each.first == room; });
    }
    int number(int room) const {
        const auto found = std::find_if(begin(), end(), [&](const auto& each) { return each.first == room; });
        return found == end() ? 0 : found->second;
    }
    const std::pair<int, int>* begin() const { return rooms_.data(); }
    const std::pair<int, int>* end() const { return rooms_.data() + size_; }

private:
    std::array<std::pair<int, int>, 4> rooms_{};
    int size_ = 0;
};

/// A cell of the board: empty, or a tile with the room of each of its parts (negative: no room).
struct Cell {
    bool laid = false;
    Look look;
    std::array<int, 2> rooms{-1, -1};
};

/// The colours of rooms as numbers.
class Colours {
public:
    int number(const std::string& name) {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found != names_.end()) {
            return static_cast<int>(found - names_.begin());
        }
        names_.push_back(name);
        return static_cast<int>(names_.size()) - 1;
    }

private:
    std::vector<std::string> names_;
};

/// A tile of a message (it has `edges`, `parts`, `picture` and `count`).
template <class Wire> Tile tile_of(const Wire& wire, Colours& colours) {
    Tile tile;
    tile.parts = static_cast<int>(wire.parts.size());
    tile.dragons = wire.picture == Picture::dragon ? static_cast<int>(wire.count) : 0;
    tile.advisors = wire.picture == Picture::advisors ? static_cast<int>(wire.count) : 0;
    for (int rotation = 0; rotation < 4; ++rotation) {
        Look& look = tile.looks[rotation];
        for (int side = 0; side < 4; ++side) {
            const int was = (side - rotation + 4) % 4;
            look.edge[side] = wire.edges[was];
            look.part[side] = tile.parts == 2 && was >= 2 ? 1 : 0;
            look.colour[side] = tile.parts == 0 ? wild : colours.number(wire.parts[look.part[side]]);
        }
    }
    return tile;
}

struct Place {
    int x, y, rotation;
};

/// The coins of a closed room by seat: the sole leader gets all, a sole second half; leaders who share, half each.
inline Advisors payments(int value, const Advisors& advisors, int players) {
    Advisors paid{};
    int first = 0, next = 0, leaders = 0, seconds = 0;
    for (int seat = 0; seat < players; ++seat) {
        first = std::max(first, advisors[seat]);
    }
    for (int seat = 0; seat < players; ++seat) {
        if (advisors[seat] < first) {
            next = std::max(next, advisors[seat]);
        }
    }
    for (int seat = 0; seat < players; ++seat) {
        leaders += advisors[seat] == first;
        seconds += advisors[seat] == next;
    }
    for (int seat = 0; seat < players && first > 0; ++seat) {
        if (advisors[seat] == first) {
            paid[seat] = leaders == 1 ? value : value / 2;
        } else if (advisors[seat] == next && next > 0 && leaders == 1 && seconds == 1) {
            paid[seat] = value / 2;
        }
    }
    return paid;
}

}  // namespace city
