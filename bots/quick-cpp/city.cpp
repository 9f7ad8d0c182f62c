// The Forbidden City: the best action, with what the next tiles of all can do.
//
// The value of an action is what it gains at once, plus what the bot can expect to gain by its own next tile, less what
// rivals can by theirs. A gain is the coins of the rooms that are closed, and the change of what the open ones promise.
// Nobody knows which tiles come next, but what each seat has not laid yet is known: the best answer is computed for each
// kind of tile, weighted by how many of them are left.
#include "city_table.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

using namespace city;

constexpr std::size_t breadth = 10;  // actions that are examined more closely, those with the largest gain

/// What a seat's best use of its next tile means to the viewer, on average over the tiles that it may be.
double expected_gain(const Table& table, const std::vector<Tile>& kinds, int seat, int viewer) {
    double sum = 0, tiles = 0;
    std::vector<Place> places;
    for (const Tile& kind : kinds) {
        const int left = kind.left[seat];
        if (left == 0) {
            continue;
        }
        table.list_places(kind, places);
        const Place* best = nullptr;
        double best_gain = 0;
        for (const Place& place : places) {
            const double gain = table.gain(kind, place, seat, seat);
            if (best == nullptr || gain > best_gain) {
                best = &place;
                best_gain = gain;
            }
        }
        if (best != nullptr) {
            sum += left * table.gain(kind, *best, seat, viewer);
            tiles += left;
        }
    }
    return tiles > 0 ? sum / tiles : 0;
}

}  // namespace

std::size_t choose_city(const CityStart&, const CityAct& act) {
    const CityObservation& seen = act.observation;
    const int me = static_cast<int>(seen.seat);
    Colours colours;
    const Table table(seen, colours);
    const Tile hand = tile_of(seen.hand, colours);
    std::vector<Tile> kinds;
    for (const auto& wire : seen.left) {
        kinds.push_back(tile_of(wire, colours));
        kinds.back().left.assign(wire.left.begin(), wire.left.end());
    }
    std::vector<Place> places;
    std::vector<double> values;
    for (const CityAction& action : act.legal) {
        const auto& laid = std::get<CityLayTile>(action);
        places.push_back({static_cast<int>(laid.x), static_cast<int>(laid.y), static_cast<int>(laid.rotation)});
        values.push_back(table.gain(hand, places.back(), me, me));
    }
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto one, auto other) { return values[one] > values[other]; });
    order.resize(std::min(order.size(), breadth));
    for (const std::size_t index : order) {
        const Table after = table.after(hand, places[index], me);
        for (int seat = 0; seat < table.players(); ++seat) {
            if (seat == me ? seen.stacks[seat] > never_drawn : seen.in_hand[seat] > 0) {
                values[index] += expected_gain(after, kinds, seat, me);
            }
        }
    }
    return *std::max_element(order.begin(), order.end(),
                             [&](auto one, auto other) { return values[one] < values[other]; });
}
