// Your bot: edit this file.
//
// There is a function per game, listed in `bot_games` at the end. Each is given what the referee says when a game starts,
// and a question (`act`), and returns the index of an action in `act.legal`. The strategies here give every legal action
// a value and take the best; they are meant to be read in five minutes and to be beaten. A game that is not listed is
// played at random: write a `choose_NAME` for it.
//
// `std::cout` is safe: it writes to standard error, which the referee keeps beside the record of the game.
#include "wire.hpp"

#include <algorithm>
#include <map>
#include <utility>

const char* const bot_name = "{{name}}";

namespace {

/// The index of the action with the highest value, the first one of several.
template <class Actions, class Value> std::size_t best_of(const Actions& legal, Value value_of) {
    std::vector<int> values(legal.size());
    std::transform(legal.begin(), legal.end(), values.begin(), value_of);
    return std::max_element(values.begin(), values.end()) - values.begin();
}

// -- In the Year of the Dragon ----------------------------------------------------------------------------------------

/// How much the bot values each person.
int person_value(PersonType person) {
    switch (person) {
    case PersonType::court_lady:
    case PersonType::scholar:
        return 5;
    case PersonType::craftsman:
    case PersonType::tax_collector:
    case PersonType::monk:
    case PersonType::farmer:
        return 4;
    default:
        return 3;
    }
}

/// Whether an event comes in this round or the next one.
bool comes_soon(EventTile event, const DragonObservation& seen) {
    const auto first = seen.event_row.begin() + std::max(seen.round - 1, 0);  // round 0 is before the first one
    const auto last = seen.event_row.begin() + std::min(seen.round + 1, int(seen.event_row.size()));
    return std::find(first, last, event) != last;
}

/// The value of an action card now: high if this round or the next one needs its goods.
int card_value(ActionCard card, const DragonObservation& seen, const DragonPlayer& me) {
    int room = 0;
    for (const DragonPalace& palace : me.palaces) {
        room += palace.floors - int(palace.persons.size());
    }
    switch (card) {
    case ActionCard::build:
        return room < 2 ? 6 : 2;
    case ActionCard::taxes:
        return me.yuan < 4 ? 7 : 3;
    case ActionCard::harvest: {
        const bool hungry = me.rice < int(me.palaces.size());
        return comes_soon(EventTile::drought, seen) && hungry ? 6 : 1;
    }
    case ActionCard::fireworks:
        return comes_soon(EventTile::dragon_festival, seen) ? 5 : 1;
    case ActionCard::military_parade:
        return comes_soon(EventTile::mongol_invasion, seen) ? 4 : 1;
    case ActionCard::privilege:
        return seen.round <= 4 ? 4 : 0;
    default:  // research and build_wall
        return 3;
    }
}

/// The value of a legal action, given the game as our seat sees it. There is a function for each kind of decision.
struct DragonValue {
    const DragonObservation& seen;

    /// The value of a group's card, less the 3 yuan that it costs if somebody has chosen that group before.
    int operator()(const DragonChooseAction& action) const {
        const DragonPlayer& me = seen.players[seen.seat];
        if (action.kind == ActionKind::replenish) {
            return me.yuan == 0 ? 2 : 0;
        }
        const auto& group = seen.action_groups[*action.group];
        return card_value(*action.card, seen, me) - (group.taken_by.empty() ? 0 : 3);
    }

    int operator()(const DragonDraft& action) const {
        return person_value(action.persons[0]) + person_value(action.persons[1]);
    }

    /// A free place is best; otherwise the person of the least value leaves, or the new one stays outside.
    int operator()(const DragonPlacePerson& action) const {
        if (action.replace) {
            return -person_value(action.replace->person);
        }
        return action.refuse ? -person_value(*seen.turn.person) : 0;
    }

    /// A wild card is worth more later.
    int operator()(const DragonPlayCard& action) const {
        return (action.person ? person_value(*action.person) : 0) - (action.card == Card::wild ? 2 : 0);
    }

    int operator()(const DragonReleasePerson& action) const { return -person_value(action.person); }

    int operator()(const DragonTakePerson& action) const { return person_value(action.person); }

    int operator()(const DragonGiveBack& action) const {
        return -3 * action.rice - 2 * action.yuan - action.fireworks;
    }

    /// In the other decisions one action is as good as another.
    template <class Other> int operator()(const Other&) const { return 0; }
};

// -- The Forbidden City -----------------------------------------------------------------------------------------------

/// The steps (dx, dy) to the neighbours in the north, east, south and west. `edges` of a tile are in this order.
constexpr std::pair<int, int> steps[] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};

/// The index in `edges` of the side (0: north) of a tile that is turned clockwise by `rotation` quarter turns.
int edge_at(int side, int rotation) { return (side + 4 - rotation) % 4; }

/// The value of joining a room: its points to the player with the most advisors, twice if this may close it.
int room_value(const CityRoom& room, const CityObservation& seen) {
    int own = 0, rival = 0;
    for (int seat = 0; seat < int(room.advisors.size()); ++seat) {
        int& count = seat == seen.seat ? own : rival;
        count = std::max(count, room.advisors[seat]);
    }
    if (seen.hand.picture == Picture::advisors) {
        own += seen.hand.count;
    }
    int points = int(room.cells.size()) + 3 * room.dragons;
    if (room.open_edges == 1) {
        points *= 2;
    }
    return own > rival ? points : own < rival ? -points : 1;
}

/// The value of a legal action, given the game as our seat sees it.
class CityValue {
public:
    explicit CityValue(const CityObservation& seen) : seen_(seen) {
        for (const CityTileInRooms& laid : seen.board) {
            board_[{laid.x, laid.y}] = &laid;
        }
        for (const CityRoom& room : seen.rooms) {
            rooms_[room.id] = &room;
        }
    }

    /// Join big rooms in which we have the most advisors then, close them, and leave few edges open.
    int operator()(const CityAction& action) const {
        const auto& [x, y, rotation] = std::get<CityLayTile>(action);
        int value = 0;
        for (int side = 0; side < 4; ++side) {
            if (seen_.hand.edges[edge_at(side, rotation)] != 'o') {
                continue;
            }
            const auto found = board_.find({x + steps[side].first, y + steps[side].second});
            if (found == board_.end()) {
                value -= 1;  // somebody has to close this edge
                continue;
            }
            const CityTileInRooms& neighbour = *found->second;
            const int edge = edge_at((side + 2) % 4, neighbour.rotation);
            if (neighbour.tile.edges[edge] == 'o') {
                // A diagonal tile has two parts: the first touches the edges 0 and 1, the second 2 and 3.
                const int part = neighbour.rooms.size() == 2 ? edge / 2 : 0;
                value += room_value(*rooms_.at(neighbour.rooms[part]), seen_);
            }
        }
        return value;
    }

private:
    const CityObservation& seen_;
    std::map<std::pair<int, int>, const CityTileInRooms*> board_;
    std::map<int, const CityRoom*> rooms_;
};

/// The index of the best action in `act.legal`. `start.config` says which expansions are in play.
std::size_t choose_dragon(const DragonStart&, const DragonAct& act) {
    const DragonValue value{act.observation};
    return best_of(act.legal, [&](const DragonAction& action) { return std::visit(value, action); });
}

/// The index of the best action in `act.legal`: a place and a rotation.
std::size_t choose_city(const CityStart&, const CityAct& act) {
    return best_of(act.legal, CityValue(act.observation));
}

}  // namespace

const std::map<std::string, Game> bot_games = {
    {"year_of_the_dragon", game(choose_dragon)},
    {"forbidden_city", game(choose_city)},
};
