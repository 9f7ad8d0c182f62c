// In the Year of the Dragon: the simulation of the own side to the end of the game.
#pragma once

#include "dragon_outlook.hpp"

#include <limits>

namespace dragon {

constexpr std::size_t breadth = 8;    // the number of persons that are tried after an action
constexpr int depth = 1;              // the number of rounds after this one in which all action cards are tried

class Simulation : public Outlook {
public:
    using Outlook::Outlook;

    /// The value of the best line of play from this stage of a round on. `look` says in how many rounds all actions are
    /// tried, this one included if its actions are still to come.
    double best_line(const Board& start, int r, Stage stage, int look) const {
        if (r > rounds) {
            return final_value(start);
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

    /// The first cards of the hand go.
    static void discard(Board& board, int cards) {
        for (int& count : board.hand) {
            for (; cards > 0 && count > 0; --cards) {
                --count;
            }
        }
    }

private:
    void finish_round(Board& board, int r, Stage stage) const {
        if (stage <= Stage::event) {
            strike(board, r, row_[r]);
            if (row_[r] == EventTile::mongol_invasion) {
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

    void strike(Board& board, int r, EventTile event) const {
        const int ahead = r - now;
        switch (event) {
        case EventTile::imperial_tribute:
            release(board, r, std::max(0, 4 - board.yuan));
            board.yuan = std::max(0, board.yuan - 4);
            break;
        case EventTile::drought: {
            const int inhabited = board.inhabited();
            std::vector<int> hit;
            release(board, r, std::max(0, inhabited - board.rice), &hit);
            board.rice = std::max(0, board.rice - inhabited);
            break;
        }
        case EventTile::dragon_festival: {
            const int points = festival(board.fireworks, ahead);
            board.points += points;
            board.fireworks /= points > 0 ? 2 : 1;
            break;
        }
        case EventTile::mongol_invasion:
            board.points += board.symbols_of[warrior];
            if (board.symbols_of[warrior] <= helmets_ + helmets_pace * ahead) {
                release(board, r, 1);
            }
            break;
        case EventTile::contagion:
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
        return final_value(board);
    }

    /// All that may be done with the action cards, whatever groups they will be in.
    std::vector<Use> uses(const Board& board) const {
        std::vector<Use> found;
        found.reserve(9);
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

    /// The action card that seems to be worth most.
    void act(Board& board, int r) const {
        const int left = rounds + 1 - r, inhabited = board.inhabited(), cards = board.cards();
        const int tribute = until(EventTile::imperial_tribute, r), drought = until(EventTile::drought, r);
        const int fest = until(EventTile::dragon_festival, r);
        const double rate = yuan_end + yuan_per_round * left;
        const auto purse = [&](int yuan) { return yuan * rate + cover(4, yuan, tribute); };
        const auto pantry = [&](int rice) { return rice * goods_spare + cover(inhabited, rice, drought); };
        const auto rockets = [&](int fireworks) {
            return fireworks * goods_spare + festival(fireworks, fest) * pressing(fest);
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

    double final_value(Board board) const {
        score_wall(board, rounds);
        return board.points + 2 * board.persons() + board.monk_points() +
               (board.yuan + 2 * (board.rice + board.fireworks)) / 3.0;
    }
};

}  // namespace dragon
