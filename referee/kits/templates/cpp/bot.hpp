#pragma once
#include "messages.hpp"
class Bot { public: explicit Bot(std::uint64_t) {}
static constexpr const char *name="bot"; static constexpr bool events=true;
std::size_t year_of_the_dragon(const DragonStart&, const DragonAct&act){return act.legal.size()-1;}
std::size_t forbidden_city(const CityStart&, const CityAct&act){return act.legal.size()-1;}
};
