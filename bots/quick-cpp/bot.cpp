// The bot's name and its games. The strategies are in city.cpp and dragon.cpp.
#include "wire.hpp"

std::size_t choose_dragon(const DragonStart& start, const DragonAct& act);
std::size_t choose_city(const CityStart& start, const CityAct& act);

const char* const bot_name = "quick";
const std::map<std::string, Game> bot_games = {
    {"year_of_the_dragon", game(choose_dragon)},
    {"forbidden_city", game(choose_city)},
};
