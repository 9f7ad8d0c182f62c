// The Forbidden City: the table with its rooms, and what a seat gains by laying a tile.
#pragma once

#include "city_tiles.hpp"

#include <cmath>
#include <numeric>

namespace city {

// -- weights ----------------------------------------------------------------------------------------------------------

constexpr double closing = 0.8;  // the probability that an open edge will ever be closed
constexpr double lead = 2.0;     // a lead of one advisor, in the probability to lead in the end (a logistic function)
constexpr double second = 0.5;   // the expected share of a room of a player who has advisors there and doesn't lead
constexpr double growth = 0.5;   // the points that a room gains for each open edge

// -- the table --------------------------------------------------------------------------------------------------------

class Table {
public:
    Table(const CityObservation& seen, Colours& colours)
        : players_(static_cast<int>(seen.coins.size())),
          turns_(static_cast<int>(seen.stacks[static_cast<std::size_t>(seen.seat)]) - never_drawn) {
        for (int open = 1; open < 30; ++open) {
            closing_.push_back(std::pow(closing, open) * (1 - std::exp(-static_cast<double>(turns_) / open)));
        }
        int reach = 0;
        for (const auto& laid : seen.board) {
            reach = std::max({reach, std::abs(static_cast<int>(laid.x)), std::abs(static_cast<int>(laid.y))});
        }
        reach_ = reach + 3;  // room for a tile, its reply, and the cells around it
        cells_.resize(static_cast<std::size_t>((2 * reach_ + 1) * (2 * reach_ + 1)));
        std::vector<int> ids;
        for (const auto& room : seen.rooms) {
            ids.push_back(static_cast<int>(room.id));
        }
        const auto place_of = [&](int id) {
            return static_cast<int>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
        };
        for (const auto& wire : seen.rooms) {  // the oldest first, so by id
            Room room;
            room.points = static_cast<int>(wire.cells.size()) + dragon_points * static_cast<int>(wire.dragons);
            room.open = static_cast<int>(wire.open_edges);
            for (int seat = 0; seat < players_; ++seat) {
                room.advisors[seat] = static_cast<int>(wire.advisors[seat]);
            }
            for (const auto id : wire.passages) {
                room.doors.push_back(place_of(static_cast<int>(id)));
            }
            rooms_.push_back(std::move(room));
        }
        for (const auto& laid : seen.board) {
            Cell& cell = at(static_cast<int>(laid.x), static_cast<int>(laid.y));
            cell.laid = true;
            cell.look = tile_of(laid.tile, colours).looks[static_cast<std::size_t>(laid.rotation)];
            for (std::size_t part = 0; part < laid.rooms.size(); ++part) {
                cell.rooms[part] = place_of(static_cast<int>(laid.rooms[part]));
            }
            add_border(static_cast<int>(laid.x), static_cast<int>(laid.y));
        }
    }

    int players() const { return players_; }

    /// Where a tile may be laid, and how. Of rotations that look the same all are listed.
    void list_places(const Tile& tile, std::vector<Place>& places) const {
        places.clear();
        for (const auto& [x, y] : border_) {
            if (at(x, y).laid) {
                continue;
            }
            for (int rotation = 0; rotation < 4; ++rotation) {
                if (fits(tile.looks[rotation], x, y)) {
                    places.push_back({x, y, rotation});
                }
            }
        }
    }

    /// What `seat` gains, as `viewer` sees it, by laying a tile: positive if it is good for the viewer.
    double gain(const Tile& tile, const Place& place, int seat, int viewer) const {
        Effect effect;
        return compute(tile, place, seat, viewer, effect);
    }

    /// The table after a seat has laid a tile.
    Table after(const Tile& tile, const Place& place, int seat) const {
        Effect effect;
        compute(tile, place, seat, seat, effect);
        Table next = *this;
        Cell& cell = next.at(place.x, place.y);
        cell.laid = true;
        cell.look = tile.looks[place.rotation];
        for (int part = 0; part < tile.parts; ++part) {
            next.merge(effect, part, cell);
        }
        for (const auto& [number, edges] : effect.shut) {
            if (!effect.is_joined(number)) {
                next.rooms_[number].open -= edges;
            }
        }
        next.add_border(place.x, place.y);
        return next;
    }

private:
    /// What a tile does: for each of its parts the rooms that it joins and those it gets a passage to; and which rooms
    /// lose how many open edges.
    struct Effect {
        std::array<Few, 2> joined, doors;
        std::array<int, 2> open{}, points{1, 1};
        std::array<Advisors, 2> advisors{};
        Few shut;

        bool is_joined(int room) const { return joined[0].has(room) || joined[1].has(room); }
    };

    static void insert(std::vector<int>& rooms, int room) {
        if (std::find(rooms.begin(), rooms.end(), room) == rooms.end()) {
            rooms.push_back(room);
        }
    }

    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>((x + reach_) * (2 * reach_ + 1) + y + reach_);
    }
    Cell& at(int x, int y) { return cells_[index(x, y)]; }
    const Cell& at(int x, int y) const { return cells_[index(x, y)]; }

    void add_border(int x, int y) {
        for (const auto& [dx, dy] : steps) {
            const std::pair<int, int> beside{x + dx, y + dy};
            if (!at(beside.first, beside.second).laid &&
                std::find(border_.begin(), border_.end(), beside) == border_.end()) {
                border_.push_back(beside);
            }
        }
    }

    /// Whether no open border would join two colours.
    bool fits(const Look& look, int x, int y) const {
        for (int side = 0; side < 4; ++side) {
            const Cell& beyond = at(x + steps[side].first, y + steps[side].second);
            const int back = (side + 2) % 4;
            if (beyond.laid && look.edge[side] == 'o' && beyond.look.edge[back] == 'o' &&
                look.colour[side] != beyond.look.colour[back]) {
                return false;
            }
        }
        return true;
    }

    /// A number by seat as one seat sees it: its own less the average of the others.
    double balance(const std::array<double, max_players>& gains, int viewer) const {
        const double total = std::accumulate(gains.begin(), gains.begin() + players_, 0.0);
        return gains[viewer] - (total - gains[viewer]) / (players_ - 1);
    }

    /// The expected share of a room for a player who is behind by a number of advisors (below zero: ahead).
    static double share(int behind) {
        constexpr int most = 12;
        static const auto shares = [] {
            std::array<double, 2 * most + 1> table{};
            for (int i = -most; i <= most; ++i) {
                const double leads = 1 / (1 + std::exp(lead * i));
                table[i + most] = leads + second * (1 - leads);
            }
            return table;
        }();
        return shares[std::clamp(behind, -most, most) + most];
    }

    /// The probability that a room with this number of open edges will be closed.
    double chance_to_close(int open) const {
        const std::size_t last = closing_.size() - 1;
        return closing_[std::min(static_cast<std::size_t>(open), last)];
    }

    /// What a room is worth to the viewer: what it pays if it is closed, or what it promises.
    double worth(int points, int open, const Advisors& advisors, int viewer) const {
        std::array<double, max_players> gains{};
        if (open == 0) {
            const Advisors paid = payments(points, advisors, players_);
            std::copy(paid.begin(), paid.end(), gains.begin());
            return balance(gains, viewer);
        }
        for (int seat = 0; seat < players_; ++seat) {
            if (advisors[seat] == 0) {
                continue;
            }
            int best = 0;
            for (int other = 0; other < players_; ++other) {
                best = other == seat ? best : std::max(best, advisors[other]);
            }
            gains[seat] = share(best - advisors[seat]);
        }
        return chance_to_close(open) * (points + growth * open) * balance(gains, viewer);
    }

    /// The points of a room and of the rooms behind its doors.
    int value(const Room& room) const {
        int points = room.points;
        for (const int door : room.doors) {
            points += rooms_[door].points;
        }
        return points;
    }

    double compute(const Tile& tile, const Place& place, int seat, int viewer, Effect& effect) const {
        const Look& look = tile.looks[place.rotation];
        effect.advisors[0][seat] = tile.advisors;
        effect.points[0] += dragon_points * tile.dragons;
        for (int side = 0; side < 4; ++side) {
            const Cell& beyond = at(place.x + steps[side].first, place.y + steps[side].second);
            const int part = look.part[side], back = (side + 2) % 4;
            if (!beyond.laid) {
                effect.open[part] += look.edge[side] == 'o';
                continue;
            }
            const int room = beyond.rooms[beyond.look.part[back]];
            if (room < 0) {
                continue;
            }
            const char facing = beyond.look.edge[back];
            if (facing == 'o') {
                effect.shut.add(room, 1);
            }
            if (facing == 'o' && look.edge[side] == 'o') {
                effect.joined[part].add(room);
            } else if (facing != 'w' && look.edge[side] != 'w') {
                effect.doors[part].add(room);
            }
        }
        double gain = 0;
        for (int part = 0; part < tile.parts; ++part) {
            gain += gain_of_part(effect, part, viewer);
        }
        for (const auto& [number, edges] : effect.shut) {
            const Room& room = rooms_[number];
            if (!effect.is_joined(number) && !effect.doors[0].has(number) && !effect.doors[1].has(number)) {
                gain += worth(value(room), room.open - edges, room.advisors, viewer) -
                        worth(value(room), room.open, room.advisors, viewer);
            }
        }
        return gain;
    }

    double gain_of_part(const Effect& effect, int part, int viewer) const {
        double gain = 0;
        int points = effect.points[part], open = effect.open[part];
        Advisors advisors = effect.advisors[part];
        behind_.clear();
        for (const auto& [number, _] : effect.doors[part]) {
            behind_.push_back(number);
        }
        for (const auto& [number, _] : effect.joined[part]) {
            const Room& room = rooms_[number];
            gain -= worth(value(room), room.open, room.advisors, viewer);
            points += room.points;
            open += room.open - effect.shut.number(number);
            for (int seat = 0; seat < players_; ++seat) {
                advisors[seat] += room.advisors[seat];
            }
            for (const int door : room.doors) {
                insert(behind_, door);
            }
        }
        int total = points;
        for (const int number : behind_) {
            total += effect.joined[part].has(number) ? 0 : rooms_[number].points;
        }
        gain += worth(total, open, advisors, viewer);
        for (const auto& [number, _] : effect.doors[part]) {
            const Room& room = rooms_[number];
            if (effect.is_joined(number) || room.open == 0) {
                continue;
            }
            gain += worth(value(room) + points, room.open - effect.shut.number(number), room.advisors, viewer) -
                    worth(value(room), room.open, room.advisors, viewer);
        }
        return gain;
    }

    /// Make one room of a part of a new tile and the rooms that it joins. The joined ones stay as empty shells.
    void merge(const Effect& effect, int part, Cell& cell) {
        Room room;
        room.points = effect.points[part];
        room.open = effect.open[part];
        room.advisors = effect.advisors[part];
        for (const auto& [door, _] : effect.doors[part]) {
            room.doors.push_back(door);
        }
        const int number = static_cast<int>(rooms_.size());
        for (const auto& [old, _] : effect.joined[part]) {
            const Room& joined = rooms_[old];
            room.points += joined.points;
            room.open += joined.open - effect.shut.number(old);
            for (int seat = 0; seat < players_; ++seat) {
                room.advisors[seat] += joined.advisors[seat];
            }
            for (const int door : joined.doors) {
                insert(room.doors, door);
            }
        }
        for (const auto& [old, _] : effect.joined[part]) {
            room.doors.erase(std::remove(room.doors.begin(), room.doors.end(), old), room.doors.end());
        }
        for (const int door : room.doors) {
            auto& back = rooms_[door].doors;
            for (const auto& [old, _] : effect.joined[part]) {
                back.erase(std::remove(back.begin(), back.end(), old), back.end());
            }
            back.push_back(number);
        }
        for (Cell& other : cells_) {
            for (int& room_of : other.rooms) {
                room_of = room_of >= 0 && effect.joined[part].has(room_of) ? number : room_of;
            }
        }
        cell.rooms[part] = number;
        rooms_.push_back(std::move(room));
    }

    int players_, turns_, reach_ = 0;
    std::vector<double> closing_{1.0};
    std::vector<Cell> cells_;
    std::vector<Room> rooms_;
    mutable std::vector<int> behind_;  // kept, so that memory needn't be taken for every action
    std::vector<std::pair<int, int>> border_;
};

}  // namespace city
