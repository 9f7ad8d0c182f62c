// In the Year of the Dragon: the own side of the table, and what changes it.
#pragma once

#include "wire.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace dragon {

// -- the game as tables -----------------------------------------------------------------------------------------------

constexpr int rounds = 12, super_round = 7, never = 99;
constexpr int types = 10, kinds = 2 * types;  // PersonType with `unknown`; each of them young and old

constexpr int index(PersonType person) { return static_cast<int>(person); }
constexpr int tile_of(PersonType person, Age age) { return 2 * index(person) + (age == Age::old ? 1 : 0); }
constexpr int type_of(int tile) { return tile / 2; }

struct Facts {
    PersonType person;
    Age age;
    int spaces, symbols;
};
constexpr Facts facts[] = {
    {PersonType::craftsman, Age::young, 2, 1},    {PersonType::court_lady, Age::young, 1, 1},
    {PersonType::tax_collector, Age::young, 3, 3}, {PersonType::pyrotechnist, Age::young, 5, 1},
    {PersonType::pyrotechnist, Age::old, 3, 2},   {PersonType::warrior, Age::young, 5, 1},
    {PersonType::warrior, Age::old, 3, 2},        {PersonType::monk, Age::young, 6, 1},
    {PersonType::monk, Age::old, 2, 2},           {PersonType::healer, Age::young, 4, 1},
    {PersonType::healer, Age::old, 1, 2},         {PersonType::farmer, Age::young, 4, 1},
    {PersonType::farmer, Age::old, 1, 2},         {PersonType::scholar, Age::young, 4, 2},
    {PersonType::scholar, Age::old, 2, 3},
};
constexpr auto by_tile(int Facts::* fact) {
    std::array<int, kinds> table{};
    for (const Facts& each : facts) {
        table[tile_of(each.person, each.age)] = each.*fact;
    }
    return table;
}
constexpr auto spaces = by_tile(&Facts::spaces), symbols = by_tile(&Facts::symbols);
constexpr int lady = index(PersonType::court_lady), monk = index(PersonType::monk);
constexpr int healer = index(PersonType::healer), warrior = index(PersonType::warrior);

// -- the board --------------------------------------------------------------------------------------------------------

struct Palace {
    int id, floors, count = 0;
    std::array<int, 3> tiles{};
};

struct Board {
    double points = 0;
    int yuan = 0, rice = 0, fireworks = 0, dragons = 0, track = 0, wall = 0;
    std::array<int, types + 1> hand{};  // by the Card of the protocol
    std::array<int, types> symbols_of{};
    std::vector<Palace> palaces;

    Board(const DragonPlayer& player, const std::vector<Card>& cards, int own_wall)
        : yuan(static_cast<int>(player.yuan)), rice(static_cast<int>(player.rice)),
          fireworks(static_cast<int>(player.fireworks)),
          dragons(static_cast<int>(player.small_privileges + 2 * player.large_privileges)),
          track(static_cast<int>(player.track)), wall(own_wall) {
        for (const Card card : cards) {
            ++hand[static_cast<int>(card)];
        }
        for (const auto& each : player.palaces) {
            Palace palace{static_cast<int>(each.id), static_cast<int>(each.floors)};
            for (const auto& person : each.persons) {
                const int tile = tile_of(person.person, person.age);
                palace.tiles[palace.count++] = tile;
                symbols_of[type_of(tile)] += symbols[tile];
            }
            palaces.push_back(palace);
        }
    }

    int cards() const {
        int count = 0;
        for (const int each : hand) {
            count += each;
        }
        return count;
    }
    int persons() const {
        int count = 0;
        for (const Palace& palace : palaces) {
            count += palace.count;
        }
        return count;
    }
    int inhabited() const {
        return static_cast<int>(
            std::count_if(palaces.begin(), palaces.end(), [](const Palace& palace) { return palace.count > 0; }));
    }
    int monk_points() const {
        int points_of = 0;
        for (const Palace& palace : palaces) {
            for (int i = 0; i < palace.count; ++i) {
                points_of += type_of(palace.tiles[i]) == monk ? symbols[palace.tiles[i]] * palace.floors : 0;
            }
        }
        return points_of;
    }
    /// A palace by its id, without floors yet if it is a new one.
    Palace& palace(int id) {
        for (Palace& each : palaces) {
            if (each.id == id) {
                return each;
            }
        }
        palaces.push_back({id, 0});
        return palaces.back();
    }
    void move_in(Palace& to, int tile) {
        to.tiles[to.count++] = tile;
        symbols_of[type_of(tile)] += symbols[tile];
        track += spaces[tile];
    }
    void move_out(Palace& from, int tile) {
        const auto end = from.tiles.begin() + from.count;
        const auto found = std::find(from.tiles.begin(), end, tile);
        if (found != end) {
            std::copy(found + 1, end, found);
            --from.count;
            symbols_of[type_of(tile)] -= symbols[tile];
        }
    }
    /// A new palace for the next person to come, other floors onto existing palaces, with monks first.
    void build(int floors) {
        for (; floors > 0; --floors) {
            Palace* best = nullptr;
            std::pair<int, int> best_value;
            for (Palace& each : palaces) {
                const auto monks = std::count_if(each.tiles.begin(), each.tiles.begin() + each.count,
                                                 [](int tile) { return type_of(tile) == monk; });
                const std::pair<int, int> value{static_cast<int>(monks), each.floors};
                if (each.floors < 3 && (best == nullptr || value > best_value)) {
                    best = &each;
                    best_value = value;
                }
            }
            if (best == nullptr || (cards() > 0 && inhabited() == static_cast<int>(palaces.size()))) {
                const int id = palaces.empty() ? 0 : palaces.back().id + 1;
                palaces.push_back({id, 1});
            } else {
                ++best->floors;
            }
        }
    }
};

enum class Goods { yuan, floors, rice, fireworks, track, points };

inline void gain(Board& board, Goods goods, int amount) {
    switch (goods) {
    case Goods::yuan: board.yuan += amount; break;
    case Goods::floors: board.build(amount); break;
    case Goods::rice: board.rice += amount; break;
    case Goods::fireworks: board.fireworks += amount; break;
    case Goods::track: board.track += amount; break;
    case Goods::points: board.points += amount; break;
    }
}

/// The goods of an action card: a basic number, and one more for each symbol of a person.
struct CardFacts {
    ActionCard card;
    Goods goods;
    int base;
    PersonType person;
};
constexpr CardFacts cards_facts[] = {
    {ActionCard::taxes, Goods::yuan, 2, PersonType::tax_collector},
    {ActionCard::build, Goods::floors, 1, PersonType::craftsman},
    {ActionCard::harvest, Goods::rice, 1, PersonType::farmer},
    {ActionCard::fireworks, Goods::fireworks, 1, PersonType::pyrotechnist},
    {ActionCard::military_parade, Goods::track, 1, PersonType::warrior},
    {ActionCard::research, Goods::points, 1, PersonType::scholar},
};

/// An action card with the choice that goes with it.
struct Use {
    ActionCard card;
    int dragons = 0;                     // privilege: 1 or 2
    WallTile tile = WallTile::unknown;  // build_wall
};

inline void build_wall(Board& board, WallTile tile) {
    ++board.wall;
    switch (tile) {
    case WallTile::rice: gain(board, Goods::rice, 1); break;
    case WallTile::fireworks: gain(board, Goods::fireworks, 1); break;
    case WallTile::palace: gain(board, Goods::floors, 1); break;
    case WallTile::yuan: gain(board, Goods::yuan, 2); break;
    case WallTile::person_track: gain(board, Goods::track, 3); break;
    default: gain(board, Goods::points, 3); break;
    }
}

enum class Stage { act, recruit, event, super_event, decay };

}  // namespace dragon
