// In the Year of the Dragon: the best line of play of the own side of the table.
//
// Every legal action is carried out on the own board, and the game is simulated to its end. In this round and the next
// one the best of several action cards and persons is taken, afterwards rules of thumb decide. Rivals are taken into
// account where they interact with it: helmets, fireworks, the person track, the Great Wall.
#include "wire.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace {

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

// -- weights, in points -----------------------------------------------------------------------------------------------

constexpr double person_lost = 6.0;   // two points in the end, and what the person would have brought until then
constexpr double soon = 0.85;         // an event presses this much less for every round that it is further away
constexpr double yuan_end = 0.33, yuan_per_round = 0.11;  // more while a privilege has time to pay
constexpr double goods_spare = 0.5;   // rice or fireworks beyond need
constexpr double seat = 2.5, floor_spare = 0.25;  // a floor for a person without one; any other floor
constexpr double wall_tile = 4.0;
constexpr double lead = 1.6, lead_span = 6.0;  // being ahead of a rival for a round; so many spaces are safe
constexpr double space = 0.02;        // a space on the person track, per round left
constexpr double track_pace = 2.7, fireworks_pace = 0.5, helmets_pace = 0.15, wall_pace = 0.3;  // rivals, per round
constexpr double taxes_rate = 0.2, research_rate = 0.35, build_rate = 0.35;  // how often a coin, book, hammer serves
constexpr double rocket = 1.5, helmet = 1.5, mortar = 4.0, sack = 2.0;  // a symbol when its event strikes
constexpr double haste = 1.5;         // that a person is worth less next round: ladies first, healers just in time
constexpr double wild_kept = 1.0;
constexpr std::size_t breadth = 5;    // so many persons are tried after an action
constexpr int depth = 1;              // in so many rounds after this one all action cards are tried

// -- the own side -----------------------------------------------------------------------------------------------------

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
    /// A new palace for the next person to come, all else onto what stands, with monks first.
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

void gain(Board& board, Goods goods, int amount) {
    switch (goods) {
    case Goods::yuan: board.yuan += amount; break;
    case Goods::floors: board.build(amount); break;
    case Goods::rice: board.rice += amount; break;
    case Goods::fireworks: board.fireworks += amount; break;
    case Goods::track: board.track += amount; break;
    case Goods::points: board.points += amount; break;
    }
}

/// What an action card brings: goods, so many by itself, and one more for each symbol of a person.
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

void build_wall(Board& board, WallTile tile) {
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

// -- what lies ahead --------------------------------------------------------------------------------------------------

class Outlook {
public:
    Outlook(const DragonObservation& seen, const DragonConfig& config)
        : now(std::max(1, static_cast<int>(seen.round))), me_(static_cast<int>(seen.seat)), super_(seen.super_event),
          row_(1, EventName::peace) {
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
        for (int r = 0; r < rounds + 2; ++r) {
            worths_[r] = worths_from(r);
        }
    }

    const int now;
    int own_wall = 0;

    /// The value of the best line of play from this stage of a round on. `look` says in how many rounds all actions are
    /// tried, this one included if its actions are still to come.
    double best_line(const Board& start, int r, Stage stage, int look) const {
        if (r > rounds) {
            return final_value(start, r);
        }
        double best = -std::numeric_limits<double>::infinity();
        if (stage == Stage::act && look > 0) {
            for (const Use& use : uses(start)) {
                Board board = start;
                board.points += lead_value(board, r);
                carry_out(board, use);
                best = std::max(best, best_line(board, r, Stage::recruit, look - 1));
            }
            return best;
        }
        if (stage == Stage::recruit) {
            const auto offers = candidates(start, r);
            for (std::size_t i = 0; i < std::min(offers.size(), breadth); ++i) {
                Board board = start;
                recruit(board, r, offers[i]);
                best = std::max(best, best_line(board, r, Stage::event, look));
            }
            if (!offers.empty()) {
                return best;
            }
        }
        Board board = start;
        finish_round(board, r, stage);
        return look > 0 ? best_line(board, r + 1, Stage::act, look) : by_rules(board, r + 1);
    }

    void carry_out(Board& board, const Use& use) const {
        if (use.card == ActionCard::privilege) {
            board.yuan -= price(use.dragons);
            board.dragons += use.dragons;
        } else if (use.card == ActionCard::build_wall) {
            build_wall(board, use.tile);
        } else {
            for (const CardFacts& each : cards_facts) {
                if (each.card == use.card) {
                    gain(board, each.goods, each.base + board.symbols_of[index(each.person)]);
                }
            }
        }
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
        const auto [palace, old] = least(board, r, {});
        if (palace != nullptr && worth(*palace, old, r) < worth(*palace, tile, r)) {
            board.move_out(*palace, old);
            board.move_in(*palace, tile);
        }
    }

    /// The persons worth least leave; in a drought (`hit` is given) none from a palace that has lost one.
    void release(Board& board, int r, int count, std::vector<int>* hit = nullptr) const {
        for (; count > 0; --count) {
            const auto [palace, tile] = least(board, r, hit == nullptr ? std::vector<int>{} : *hit);
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
            lose_floor(board, r, *std::min_element(board.palaces.begin(), board.palaces.end(), [](auto& one, auto& other) {
                return std::pair(one.count == one.floors, one.floors == 1) <
                       std::pair(other.count == other.floors, other.floors == 1);
            }));
        }
    }

private:
    int price(int dragons) const { return dragons == 1 ? 2 : large_price_; }

    static void remove_ruins(Board& board) {
        auto& palaces = board.palaces;
        palaces.erase(std::remove_if(palaces.begin(), palaces.end(), [](auto& each) { return each.floors <= 0; }),
                      palaces.end());
    }

    /// How many rounds from round r until an event strikes.
    int until(EventName event, int r) const {
        for (int at = std::max(1, r); at <= rounds; ++at) {
            if (row_[at] == event) {
                return at - r;
            }
        }
        return never;
    }

    /// What each tile is worth from round r to the end; for monks the palace comes on top.
    std::array<double, kinds> worths_from(int r) const {
        const int left = rounds + 1 - r;
        const auto when = [&](EventName event) {
            double sum = 0;
            for (int at = std::max(1, r); at <= rounds; ++at) {
                sum += row_[at] == event ? std::pow(soon, at - r) : 0;
            }
            return sum;
        };
        std::array<double, types> symbol{};
        symbol[index(PersonType::craftsman)] = build_rate * left;
        symbol[lady] = left;
        symbol[index(PersonType::tax_collector)] = taxes_rate * left * (yuan_end + yuan_per_round * left);
        symbol[index(PersonType::pyrotechnist)] = rocket * when(EventName::dragon_festival);
        symbol[warrior] = helmet * when(EventName::mongol_invasion);
        symbol[healer] = mortar * when(EventName::contagion);
        symbol[index(PersonType::farmer)] = sack * when(EventName::drought);
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
    std::pair<Palace*, int> least(Board& board, int r, const std::vector<int>& hit) const {
        Palace* home = nullptr;
        int person = 0;
        for (Palace& each : board.palaces) {
            if (std::find(hit.begin(), hit.end(), each.id) != hit.end()) {
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

    /// The points of a festival in so many rounds, as rivals collect fireworks too.
    int festival(int fireworks, int in_rounds) const {
        if (fireworks == 0) {
            return 0;
        }
        const double more = fireworks_pace * std::min(in_rounds, 4);
        const auto ahead = std::count_if(fireworks_.begin(), fireworks_.end(),
                                         [&](int rival) { return rival + more > fireworks; });
        return ahead == 0 ? 6 : ahead == 1 ? 3 : 0;
    }

    /// Persons to be had, each with the card it takes (its own, or else a wild one), the best first.
    std::vector<std::pair<int, Card>> candidates(const Board& board, int r) const {
        const int left = rounds + 1 - r, spare = board.symbols_of[healer] - 3;
        int tallest = 1;
        for (const Palace& each : board.palaces) {
            tallest = each.count < each.floors ? std::max(tallest, each.floors) : tallest;
        }
        std::vector<std::pair<double, std::pair<int, Card>>> found;
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
        for (const auto& each : found) {
            offers.push_back(each.second);
        }
        return offers;
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

    void recruit(Board& board, int r, const std::pair<int, Card>& offer) const {
        --board.hand[static_cast<int>(offer.second)];
        settle(board, r, offer.first);
    }

    /// All that may be done with the action cards, whatever groups they will be in.
    std::vector<Use> uses(const Board& board) const {
        std::vector<Use> found;
        for (const CardFacts& each : cards_facts) {
            found.push_back({each.card});
        }
        for (const int dragons : {1, 2}) {
            if (price(dragons) <= board.yuan) {
                found.push_back({ActionCard::privilege, dragons});
            }
        }
        if (walled_ && board.wall < 6) {
            found.push_back({ActionCard::build_wall, 0, WallTile::points});
        }
        return found;
    }

    static double cover(int need, int have, int in_rounds) {
        return in_rounds < never ? std::min(need, have) * person_lost * std::pow(soon, in_rounds) : 0;
    }

    /// The action card that seems to be worth most.
    void act(Board& board, int r) const {
        const int left = rounds + 1 - r, inhabited = board.inhabited(), cards = board.cards();
        const int tribute = until(EventName::imperial_tribute, r), drought = until(EventName::drought, r);
        const int fest = until(EventName::dragon_festival, r);
        const auto purse = [&](int yuan) { return yuan * (yuan_end + yuan_per_round * left) + cover(4, yuan, tribute); };
        const auto pantry = [&](int rice) { return rice * goods_spare + cover(inhabited, rice, drought); };
        const auto rockets = [&](int fireworks) {
            return fireworks * goods_spare + festival(fireworks, fest) * std::pow(soon, fest);
        };
        int homeless = board.persons() + std::min(cards, 3);
        for (const Palace& each : board.palaces) {
            homeless -= each.floors;
        }
        Use best{};
        double best_value = -std::numeric_limits<double>::infinity();
        for (const Use& use : uses(board)) {
            double value = 0;
            int more = 0;
            for (const CardFacts& each : cards_facts) {
                more += each.card == use.card ? each.base + board.symbols_of[index(each.person)] : 0;
            }
            switch (use.card) {
            case ActionCard::taxes: value = purse(board.yuan + more) - purse(board.yuan); break;
            case ActionCard::build:
                value = more * floor_spare + seat * std::clamp(homeless, 0, more);
                value += cards > 0 && inhabited == static_cast<int>(board.palaces.size()) ? left : 0;
                break;
            case ActionCard::harvest: value = pantry(board.rice + more) - pantry(board.rice); break;
            case ActionCard::fireworks: value = rockets(board.fireworks + more) - rockets(board.fireworks); break;
            case ActionCard::military_parade: value = more * space * left; break;
            case ActionCard::research: value = more; break;
            case ActionCard::build_wall: value = wall_tile; break;
            default:
                value = use.dragons * left + purse(board.yuan - price(use.dragons)) - purse(board.yuan);
            }
            if (value > best_value) {
                best = use;
                best_value = value;
            }
        }
        carry_out(board, best);
    }

    void strike(Board& board, int r, EventName event) const {
        const int ahead = r - now;
        switch (event) {
        case EventName::imperial_tribute:
            release(board, r, std::max(0, 4 - board.yuan));
            board.yuan = std::max(0, board.yuan - 4);
            break;
        case EventName::drought: {
            const int inhabited = board.inhabited();
            std::vector<int> hit;
            release(board, r, std::max(0, inhabited - board.rice), &hit);
            board.rice = std::max(0, board.rice - inhabited);
            break;
        }
        case EventName::dragon_festival: {
            const int points = festival(board.fireworks, ahead);
            board.points += points;
            board.fireworks /= points > 0 ? 2 : 1;
            break;
        }
        case EventName::mongol_invasion:
            board.points += board.symbols_of[warrior];
            if (board.symbols_of[warrior] <= helmets_ + helmets_pace * ahead) {
                release(board, r, 1);
            }
            break;
        case EventName::contagion:
            release(board, r, std::max(0, 3 - board.symbols_of[healer]));
            break;
        default:
            break;
        }
    }

    /// The Great Wall where it is scored, if rivals go on building it.
    void score_wall(Board& board, int r) const {
        if (!walled_) {
            return;
        }
        const double ahead = wall_pace * (r - now);
        if (rivals_wall_ + board.wall + ahead * static_cast<double>(tracks_.size()) >= r) {
            board.points += board.wall;
        } else if (board.wall <= least_wall_ + ahead) {
            release(board, r, 1);
        }
    }

    /// The super event: of a flood, a half of each; of the charter, the most points at once.
    void strike_super(Board& board, int r) const {
        switch (super_) {
        case SuperEvent::lanternfest: board.points += 2 * board.persons(); break;
        case SuperEvent::buddha: board.points += board.monk_points(); break;
        case SuperEvent::earthquake: shake(board, r, 2); break;
        case SuperEvent::flood:
            board.yuan /= 2;
            board.rice /= 2;
            board.fireworks /= 2;
            break;
        case SuperEvent::solar_eclipse: strike(board, r, row_[r]); break;
        case SuperEvent::volcanic_eruption: board.track = 0; break;
        case SuperEvent::tornado: discard(board, 2); break;
        case SuperEvent::sunrise: {
            ++board.hand[static_cast<int>(Card::wild)];
            const auto offers = candidates(board, r);
            if (offers.empty()) {
                --board.hand[static_cast<int>(Card::wild)];
            } else {
                recruit(board, r, offers[0]);
            }
            break;
        }
        case SuperEvent::assassination: board.dragons = 0; break;
        case SuperEvent::charter:
            board.points += std::max({board.monk_points(), board.symbols_of[index(PersonType::scholar)],
                                      board.symbols_of[lady]});
            break;
        default: break;
        }
    }

    void finish_round(Board& board, int r, Stage stage) const {
        if (stage <= Stage::event) {
            strike(board, r, row_[r]);
            if (row_[r] == EventName::mongol_invasion) {
                score_wall(board, r);
            }
        }
        if (stage <= Stage::super_event && r == super_round) {
            strike_super(board, r);
        }
        for (Palace& each : board.palaces) {
            each.floors -= each.count == 0;
        }
        remove_ruins(board);
        board.points += static_cast<double>(board.palaces.size()) + board.symbols_of[lady] + board.dragons;
    }

    /// The value if rules of thumb decide from round r on.
    double by_rules(Board& board, int r) const {
        for (; r <= rounds; ++r) {
            board.points += lead_value(board, r);
            act(board, r);
            const auto offers = candidates(board, r);
            if (!offers.empty()) {
                recruit(board, r, offers[0]);
            }
            finish_round(board, r, Stage::event);
        }
        return final_value(board, r);
    }

    double final_value(Board board, int) const {
        score_wall(board, rounds);
        return board.points + 2 * board.persons() + board.monk_points() +
               (board.yuan + 2 * (board.rice + board.fireworks)) / 3.0;
    }

public:
    /// The first cards of the hand go.
    static void discard(Board& board, int cards) {
        for (int& count : board.hand) {
            for (; cards > 0 && count > 0; --cards) {
                --count;
            }
        }
    }

private:
    int me_;
    SuperEvent super_;
    std::vector<EventName> row_;
    int large_price_ = 7;
    bool walled_ = false;
    std::vector<int> tracks_, fireworks_, offers_;
    int helmets_ = never, rivals_wall_ = 0, least_wall_ = never;
    std::array<std::array<double, kinds>, rounds + 2> worths_{};
};

// -- the decisions ----------------------------------------------------------------------------------------------------

/// Applies a legal action to the board; the result is the stage at which the simulation continues.
class CarryOut {
public:
    CarryOut(Board& board, const Outlook& outlook, const DragonObservation& seen)
        : board_(board), outlook_(outlook), seen_(seen), r_(outlook.now),
          left_(static_cast<int>(seen.turn.left.value_or(1)) - 1), reason_(seen.turn.reason.value_or("")) {}

    Stage operator()(const DragonDraft& action) const {
        for (const PersonType person : action.persons) {
            outlook_.settle(board_, r_, tile_of(person, Age::young));
        }
        return Stage::act;
    }
    Stage operator()(const DragonTakePerson& action) const {
        outlook_.settle(board_, r_, tile_of(action.person, Age::young));
        return Stage::decay;
    }
    Stage operator()(const DragonChooseAction& action) const {
        if (action.kind == ActionKind::replenish) {
            board_.yuan = std::max(3, board_.yuan);
            return Stage::recruit;
        }
        const auto& group = seen_.action_groups[static_cast<std::size_t>(*action.group)];
        board_.yuan -= group.taken_by.empty() ? 0 : 3;
        const int dragons = !action.size ? 0 : *action.size == PrivilegeSize::small ? 1 : 2;
        outlook_.carry_out(board_, {*action.card, dragons, action.wall_tile.value_or(WallTile::unknown)});
        return Stage::recruit;
    }
    Stage operator()(const DragonBuildFloor& action) const {
        ++board_.palace(static_cast<int>(action.palace)).floors;
        board_.build(left_);
        return reason_ == "charter" ? Stage::decay : Stage::recruit;
    }
    Stage operator()(const DragonPlayCard& action) const {
        --board_.hand[static_cast<int>(action.card)];
        if (action.person) {
            outlook_.settle(board_, r_, tile_of(*action.person, *action.age));
        }
        return Stage::event;
    }
    Stage operator()(const DragonPlacePerson& action) const {
        if (action.palace) {
            Palace& palace = board_.palace(static_cast<int>(*action.palace));
            if (action.replace) {
                board_.move_out(palace, tile_of(action.replace->person, action.replace->age));
            }
            board_.move_in(palace, tile_of(*seen_.turn.person, *seen_.turn.age));
        }
        return reason_ == "draft" ? Stage::act : reason_ == "sunrise" ? Stage::decay : Stage::event;
    }
    Stage operator()(const DragonReleasePerson& action) const {
        Palace& palace = board_.palace(static_cast<int>(action.palace));
        board_.move_out(palace, tile_of(action.person, action.age));
        if (reason_ == "earthquake") {
            --palace.floors;
            return Stage::decay;
        }
        if (!seen_.turn.hit) {
            outlook_.release(board_, r_, left_);
        } else {
            std::vector<int> hit(seen_.turn.hit->begin(), seen_.turn.hit->end());
            hit.push_back(static_cast<int>(action.palace));
            outlook_.release(board_, r_, left_, &hit);
        }
        return Stage::super_event;
    }
    Stage operator()(const DragonLoseFloor& action) const {
        outlook_.lose_floor(board_, r_, board_.palace(static_cast<int>(action.palace)));
        outlook_.shake(board_, r_, left_);
        return Stage::decay;
    }
    Stage operator()(const DragonGiveBack& action) const {
        board_.yuan -= static_cast<int>(action.yuan);
        board_.rice -= static_cast<int>(action.rice);
        board_.fireworks -= static_cast<int>(action.fireworks);
        return Stage::decay;
    }
    Stage operator()(const DragonDiscardCard& action) const {
        --board_.hand[static_cast<int>(action.card)];
        Outlook::discard(board_, left_);
        return Stage::decay;
    }
    Stage operator()(const DragonChooseType& action) const {
        const int symbols_of = board_.symbols_of[index(action.person)];
        if (action.person == PersonType::monk) {
            board_.points += board_.monk_points();
        } else if (action.person == PersonType::court_lady) {
            board_.points += symbols_of;
        }
        for (const CardFacts& each : cards_facts) {
            if (each.person == action.person) {
                gain(board_, each.goods, symbols_of);
            }
        }
        return Stage::decay;
    }
    Stage operator()(std::monostate) const { return Stage::decay; }

private:
    Board& board_;
    const Outlook& outlook_;
    const DragonObservation& seen_;
    int r_, left_;
    std::string reason_;
};

}  // namespace

std::size_t choose_dragon(const DragonStart& start, const DragonAct& act) {
    const DragonObservation& seen = act.observation;
    const Outlook outlook(seen, start.config);
    const Board before(seen.players[static_cast<std::size_t>(seen.seat)], seen.hand, outlook.own_wall);
    std::size_t best = 0;
    double best_value = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < act.legal.size(); ++i) {
        Board board = before;
        const Stage stage = std::visit(CarryOut(board, outlook, seen), act.legal[i]);
        const double value = outlook.best_line(board, outlook.now, stage, depth);
        if (value > best_value) {
            best = i;
            best_value = value;
        }
    }
    return best;
}
