// In the Year of the Dragon: the best line of play of the own side of the table.
//
// Every legal action is carried out on the own board, and the game is simulated to its end. In this round and the next
// one the best of several action cards and persons is taken, afterwards rules of thumb decide. Rivals are taken into
// account where they interact with it: helmets, fireworks, the person track, the Great Wall.
#include "dragon_simulation.hpp"

#include <string>

namespace {

using namespace dragon;

// -- the decisions ----------------------------------------------------------------------------------------------------

/// Applies a legal action to the board; the result is the stage at which the simulation continues.
class CarryOut {
public:
    CarryOut(Board& board, const Simulation& simulation, const DragonObservation& seen)
        : board_(board), simulation_(simulation), seen_(seen), r_(simulation.now),
          left_(static_cast<int>(seen.turn.left.value_or(1)) - 1), reason_(seen.turn.reason.value_or("")) {}

    Stage operator()(const DragonDraft& action) const {
        for (const PersonType person : action.persons) {
            simulation_.settle(board_, r_, tile_of(person, Age::young));
        }
        return Stage::act;
    }
    Stage operator()(const DragonTakePerson& action) const {
        simulation_.settle(board_, r_, tile_of(action.person, Age::young));
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
        simulation_.carry_out(board_, {*action.card, dragons, action.wall_tile.value_or(WallTile::unknown)});
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
            simulation_.settle(board_, r_, tile_of(*action.person, *action.age));
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
            simulation_.release(board_, r_, left_);
        } else {
            std::vector<int> hit(seen_.turn.hit->begin(), seen_.turn.hit->end());
            hit.push_back(static_cast<int>(action.palace));
            simulation_.release(board_, r_, left_, &hit);
        }
        return Stage::super_event;
    }
    Stage operator()(const DragonLoseFloor& action) const {
        simulation_.lose_floor(board_, r_, board_.palace(static_cast<int>(action.palace)));
        simulation_.shake(board_, r_, left_);
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
        Simulation::discard(board_, left_);
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
    const Simulation& simulation_;
    const DragonObservation& seen_;
    int r_, left_;
    std::string reason_;
};

}  // namespace

std::size_t choose_dragon(const DragonStart& start, const DragonAct& act) {
    const DragonObservation& seen = act.observation;
    const Simulation simulation(seen, start.config);
    const Board before(seen.players[static_cast<std::size_t>(seen.seat)], seen.hand, simulation.own_wall);
    std::size_t best = 0;
    double best_value = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < act.legal.size(); ++i) {
        Board board = before;
        const Stage stage = std::visit(CarryOut(board, simulation, seen), act.legal[i]);
        const double value = simulation.best_line(board, simulation.now, stage, depth);
        if (value > best_value) {
            best = i;
            best_value = value;
        }
    }
    return best;
}
