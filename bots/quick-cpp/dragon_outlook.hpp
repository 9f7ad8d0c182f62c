// In the Year of the Dragon: what lies ahead, the same for every line of play: events, rivals, persons to be had.
// What persons are worth follows from it, and so who is taken and who has to go.
#pragma once

#include "dragon_board.hpp"

#include <cmath>
#include <string>

namespace dragon {

// -- weights, in points -----------------------------------------------------------------------------------------------

constexpr double person_lost = 6.0;   // two points in the end, and what the person would have brought until then
constexpr double soon = 0.85;         // an event presses this much less for every round that it is further away
constexpr double yuan_end = 0.33, yuan_per_round = 0.11;  // more while a privilege has time to pay
constexpr double goods_spare = 0.5;   // rice or fireworks beyond need
constexpr double seat = 2.5, floor_spare = 0.25;  // a floor for a person without one; any other floor
constexpr double wall_tile = 4.0;
constexpr double lead = 1.6, lead_span = 6.0;  // being ahead of a rival for a round; a safe distance
constexpr double space = 0.02;        // a space on the person track, per round left
constexpr double track_pace = 2.7, fireworks_pace = 0.5, helmets_pace = 0.15, wall_pace = 0.3;  // rivals, per round
constexpr double taxes_rate = 0.2, research_rate = 0.35, build_rate = 0.35;  // how often a coin, book, hammer serves
constexpr double rocket = 1.5, helmet = 1.5, mortar = 4.0, sack = 2.0;  // a symbol when its event strikes
constexpr double haste = 1.5;         // that a person is worth less next round: ladies first, healers just in time
constexpr double wild_kept = 1.0;

// -- what lies ahead --------------------------------------------------------------------------------------------------
class Outlook {
public:
    Outlook(const DragonObservation& seen, const DragonConfig& config)
        : now(std::max(1, static_cast<int>(seen.round))), super_(seen.super_event), row_(1, EventTile::peace) {
        row_.insert(row_.end(), seen.event_row.begin(), seen.event_row.end());
        large_price_ = config.edition == Edition::first ? 6 : 7;
        walled_ = seen.wall.has_value();
        for (const auto& player : seen.players) {
            const bool own = player.seat == seen.seat;
            const int built =
                walled_ ? static_cast<int>(std::count(seen.wall->begin(), seen.wall->end(), player.seat)) : 0;
            (own ? own_wall : rivals_wall_) += built;
            if (own) {
                continue;
            }
            const Board board(player, {}, 0);
            tracks_.push_back(board.track);
            helmets_ = std::min(helmets_, board.symbols_of[warrior]);
            fireworks_.push_back(board.fireworks);
            least_wall_ = std::min(least_wall_, built);
        }
        std::sort(fireworks_.begin(), fireworks_.end());
        fireworks_.erase(std::unique(fireworks_.begin(), fireworks_.end()), fireworks_.end());
        for (const Facts& each : facts) {
            const auto& display = each.age == Age::old ? seen.display.old : seen.display.young;
            const auto found = display.find(std::string(to_string(each.person)));
            if (found != display.end() && found->second > 0) {
                offers_.push_back(tile_of(each.person, each.age));
            }
        }
        for (const EventTile event :
             {EventTile::imperial_tribute, EventTile::drought, EventTile::dragon_festival}) {
            look_for(event);
        }
        for (int r = 0; r < rounds + 2; ++r) {
            worths_[r] = worths_from(r);
        }
    }

    const int now;
    int own_wall = 0;

    // -- persons: who is taken, where they live, who has to go

    /// Persons to be had, each with the card it takes (its own, or else a wild one), the best first.
    std::vector<std::pair<int, Card>> candidates(const Board& board, int r) const {
        const int left = rounds + 1 - r, spare = board.symbols_of[healer] - 3;
        int tallest = 1;
        for (const Palace& each : board.palaces) {
            tallest = each.count < each.floors ? std::max(tallest, each.floors) : tallest;
        }
        std::vector<std::pair<double, std::pair<int, Card>>> found;
        found.reserve(offers_.size());
        for (const int tile : offers_) {
            const Card own = card_of(type_of(tile));
            const Card card = board.hand[static_cast<int>(own)] > 0 ? own : Card::wild;
            if (board.hand[static_cast<int>(card)] == 0) {
                continue;
            }
            const double now_worth = worths_[r][tile], later = worths_[r + 1][tile];
            double value = now_worth + haste * (now_worth - later) + spaces[tile] * space * left;
            if (type_of(tile) == monk) {
                value += symbols[tile] * tallest;
            } else if (type_of(tile) == healer) {
                value -= mortar * std::max(0, spare + symbols[tile]);
            }
            found.push_back({-value + (card == Card::wild ? wild_kept : 0), {tile, card}});
        }
        std::stable_sort(found.begin(), found.end(), [](auto& one, auto& other) { return one.first < other.first; });
        std::vector<std::pair<int, Card>> offers;
        offers.reserve(found.size());
        for (const auto& each : found) {
            offers.push_back(each.second);
        }
        return offers;
    }

    void recruit(Board& board, int r, const std::pair<int, Card>& offer) const {
        --board.hand[static_cast<int>(offer.second)];
        settle(board, r, offer.first);
    }

    /// Place a new person in the best palace, or in place of a person of less value.
    void settle(Board& board, int r, int tile) const {
        Palace* best = nullptr;
        std::array<int, 3> best_value{};
        for (Palace& each : board.palaces) {
            const std::array<int, 3> value{type_of(tile) == monk ? each.floors : 0, each.count == 0, -each.floors};
            if (each.count < each.floors && (best == nullptr || value > best_value)) {
                best = &each;
                best_value = value;
            }
        }
        if (best != nullptr) {
            board.move_in(*best, tile);
            return;
        }
        const auto [palace, old] = least(board, r, nullptr);
        if (palace != nullptr && worth(*palace, old, r) < worth(*palace, tile, r)) {
            board.move_out(*palace, old);
            board.move_in(*palace, tile);
        }
    }

    /// The persons worth least leave; in a drought (`hit` is given) none from a palace that has lost one.
    void release(Board& board, int r, int count, std::vector<int>* hit = nullptr) const {
        for (; count > 0; --count) {
            const auto [palace, tile] = least(board, r, hit);
            if (palace == nullptr) {
                return;
            }
            board.move_out(*palace, tile);
            if (hit != nullptr) {
                hit->push_back(palace->id);
            }
        }
    }

    void lose_floor(Board& board, int r, Palace& palace) const {
        if (palace.count == palace.floors) {
            int worst = palace.tiles[0];
            for (int i = 1; i < palace.count; ++i) {
                worst = worth(palace, palace.tiles[i], r) < worth(palace, worst, r) ? palace.tiles[i] : worst;
            }
            board.move_out(palace, worst);
        }
        --palace.floors;
        remove_ruins(board);
    }

    /// Floors are lost: empty ones first, and rather from a tall palace than a whole one.
    void shake(Board& board, int r, int floors) const {
        for (; floors > 0 && !board.palaces.empty(); --floors) {
            const auto easily_lost = [](const Palace& one, const Palace& other) {
                return std::pair(one.count == one.floors, one.floors == 1) <
                       std::pair(other.count == other.floors, other.floors == 1);
            };
            lose_floor(board, r, *std::min_element(board.palaces.begin(), board.palaces.end(), easily_lost));
        }
    }

    static void remove_ruins(Board& board) {
        auto& palaces = board.palaces;
        palaces.erase(std::remove_if(palaces.begin(), palaces.end(), [](auto& each) { return each.floors <= 0; }),
                      palaces.end());
    }

protected:
    int price(int dragons) const { return dragons == 1 ? 2 : large_price_; }

    /// How many rounds from round r until an event strikes.
    int until(EventTile event, int r) const { return until_[static_cast<std::size_t>(event)][r]; }

    /// The weight of an event in a number of rounds.
    static double pressing(int in_rounds) {
        static const auto powers = [] {
            std::array<double, rounds + 1> table{};
            for (int i = 0; i <= rounds; ++i) {
                table[i] = std::pow(soon, i);
            }
            return table;
        }();
        return in_rounds <= rounds ? powers[in_rounds] : 0;
    }

    static double cover(int need, int have, int in_rounds) {
        return std::min(need, have) * person_lost * pressing(in_rounds);
    }

    /// What the place on the person track is worth in a round; an eruption leaves nobody ahead.
    double lead_value(const Board& board, int r) const {
        const bool erupted = super_ == SuperEvent::volcanic_eruption && now <= super_round && super_round < r;
        const double pace = track_pace * (r - (erupted ? super_round + 1 : now));
        double sum = 0;
        for (const int track : tracks_) {
            sum += std::clamp((board.track - pace - (erupted ? 0 : track)) / lead_span, -1.0, 1.0);
        }
        return lead * sum;
    }

    /// The points of a festival in a number of rounds, as rivals collect fireworks too.
    int festival(int fireworks, int in_rounds) const {
        if (fireworks == 0) {
            return 0;
        }
        const double more = fireworks_pace * std::min(in_rounds, 4);
        const auto ahead = std::count_if(fireworks_.begin(), fireworks_.end(),
                                         [&](int rival) { return rival + more > fireworks; });
        return ahead == 0 ? 6 : ahead == 1 ? 3 : 0;
    }

    SuperEvent super_;
    std::vector<EventTile> row_;
    int large_price_ = 7;
    bool walled_ = false;
    std::vector<int> tracks_, fireworks_;
    int helmets_ = never, rivals_wall_ = 0, least_wall_ = never;
    std::array<std::array<double, kinds>, rounds + 2> worths_{};
    std::array<std::array<int, rounds + 2>, 8> until_{};

private:
    void look_for(EventTile event) {
        auto& rounds_until = until_[static_cast<std::size_t>(event)];
        rounds_until[rounds + 1] = never;
        for (int r = rounds; r >= 0; --r) {
            rounds_until[r] = row_[r] == event ? 0 : std::min(never, rounds_until[r + 1] + 1);
        }
    }

    /// What each tile is worth from round r to the end; for monks the palace comes on top.
    std::array<double, kinds> worths_from(int r) const {
        const int left = rounds + 1 - r;
        const auto when = [&](EventTile event) {
            double sum = 0;
            for (int at = std::max(1, r); at <= rounds; ++at) {
                sum += row_[at] == event ? pressing(at - r) : 0;
            }
            return sum;
        };
        std::array<double, types> symbol{};
        symbol[index(PersonType::craftsman)] = build_rate * left;
        symbol[lady] = left;
        symbol[index(PersonType::tax_collector)] = taxes_rate * left * (yuan_end + yuan_per_round * left);
        symbol[index(PersonType::pyrotechnist)] = rocket * when(EventTile::dragon_festival);
        symbol[warrior] = helmet * when(EventTile::mongol_invasion);
        symbol[healer] = mortar * when(EventTile::contagion);
        symbol[index(PersonType::farmer)] = sack * when(EventTile::drought);
        symbol[index(PersonType::scholar)] = research_rate * left;
        std::array<double, kinds> worths{};
        for (int tile = 0; tile < kinds; ++tile) {
            worths[tile] = 2 + symbols[tile] * symbol[type_of(tile)];
        }
        return worths;
    }

    double worth(const Palace& palace, int tile, int r) const {
        return worths_[r][tile] + (type_of(tile) == monk ? symbols[tile] * palace.floors : 0);
    }

    /// The person worth least and its palace, none of those in `hit`.
    std::pair<Palace*, int> least(Board& board, int r, const std::vector<int>* hit) const {
        Palace* home = nullptr;
        int person = 0;
        for (Palace& each : board.palaces) {
            if (hit != nullptr && std::find(hit->begin(), hit->end(), each.id) != hit->end()) {
                continue;
            }
            for (int i = 0; i < each.count; ++i) {
                if (home == nullptr || worth(each, each.tiles[i], r) < worth(*home, person, r)) {
                    home = &each;
                    person = each.tiles[i];
                }
            }
        }
        return {home, person};
    }

    static Card card_of(int type) {
        static const auto cards = [] {
            std::array<Card, types> table{};
            for (int card = 0; card <= types; ++card) {
                for (int person = 1; person < types; ++person) {
                    if (to_string(static_cast<Card>(card)) == to_string(static_cast<PersonType>(person))) {
                        table[person] = static_cast<Card>(card);
                    }
                }
            }
            return table;
        }();
        return cards[type];
    }

    std::vector<int> offers_;
};

}  // namespace dragon
