#include "wire.hpp"
std::size_t choose_dragon(const DragonStart&, const DragonAct&) { return 0; }
