// How the messages of the referee are read.
//
// Generated from the JSON Schema of the protocol: don't edit, the next version of the kit replaces it.
#pragma once

#include "decode.hpp"
#include "messages.hpp"

inline void read(const json::Value& value, const char*, HelloLimits& out) {
    field(value, "line_bytes", out.line_bytes);
    field(value, "info_bytes", out.info_bytes);
    field(value, "startup_ms", out.startup_ms);
    field(value, "margin_ms", out.margin_ms);
    field(value, "quit_ms", out.quit_ms);
    field(value, "memory_mb", out.memory_mb);
}

inline void read(const json::Value& value, const char*, Hello& out) {
    field(value, "protocol", out.protocol);
    field(value, "referee", out.referee);
    field(value, "limits", out.limits);
}

inline void read(const json::Value& value, const char*, FaultMessage& out) {
    field(value, "code", out.code);
    field(value, "message", out.message);
}

inline void read(const json::Value&, const char*, Quit&) {}

inline void read(const json::Value& value, const char*, Clock& out) {
    field(value, "move_ms", out.move_ms);
    field(value, "bank_ms", out.bank_ms);
    field(value, "increment_ms", out.increment_ms);
}

inline void read(const json::Value& value, const char*, Result& out) {
    field(value, "scores", out.scores);
    field(value, "ranks", out.ranks);
    field(value, "faults", out.faults);
}

inline void read(const json::Value& value, const char*, DragonConfig& out) {
    field(value, "players", out.players);
    field(value, "edition", out.edition);
    field(value, "great_wall", out.great_wall);
    field(value, "super_event", out.super_event);
}

inline void read(const json::Value& value, const char*, DragonTask& out) {
    field(value, "seat", out.seat);
    field(value, "decision", out.decision);
    field(value, "person", out.person);
    field(value, "age", out.age);
    field(value, "reason", out.reason);
    field(value, "left", out.left);
    field(value, "palace", out.palace);
    field(value, "hit", out.hit);
}

inline void read(const json::Value& value, const char*, DragonActionGroup& out) {
    field(value, "cards", out.cards);
    field(value, "taken_by", out.taken_by);
}

inline void read(const json::Value& value, const char*, DragonDisplay& out) {
    field(value, "young", out.young);
    field(value, "old", out.old);
}

inline void read(const json::Value& value, const char*, DragonPerson& out) {
    field(value, "person", out.person);
    field(value, "age", out.age);
}

inline void read(const json::Value& value, const char*, DragonPalace& out) {
    field(value, "id", out.id);
    field(value, "floors", out.floors);
    field(value, "persons", out.persons);
}

inline void read(const json::Value& value, const char*, DragonPlayer& out) {
    field(value, "seat", out.seat);
    field(value, "score", out.score);
    field(value, "track", out.track);
    field(value, "yuan", out.yuan);
    field(value, "rice", out.rice);
    field(value, "fireworks", out.fireworks);
    field(value, "small_privileges", out.small_privileges);
    field(value, "large_privileges", out.large_privileges);
    field(value, "palaces", out.palaces);
    field(value, "next_palace", out.next_palace);
    field(value, "hand_size", out.hand_size);
    field(value, "played", out.played);
    field(value, "discarded", out.discarded);
    field(value, "wall_tiles", out.wall_tiles);
}

inline void read(const json::Value& value, const char*, DragonObservation& out) {
    field(value, "round", out.round);
    field(value, "seat", out.seat);
    field(value, "turn", out.turn);
    field(value, "order", out.order);
    field(value, "event_row", out.event_row);
    field(value, "super_event", out.super_event);
    field(value, "action_groups", out.action_groups);
    field(value, "display", out.display);
    field(value, "hand", out.hand);
    field(value, "players", out.players);
    field(value, "wall", out.wall);
}

inline void read(const json::Value& value, const char*, DragonDraft& out) {
    field(value, "persons", out.persons);
}

inline void read(const json::Value& value, const char*, DragonPlacePerson& out) {
    field(value, "palace", out.palace);
    field(value, "replace", out.replace);
    field(value, "refuse", out.refuse);
}

inline void read(const json::Value& value, const char*, DragonChooseAction& out) {
    field(value, "kind", out.kind);
    field(value, "group", out.group);
    field(value, "card", out.card);
    field(value, "size", out.size);
    field(value, "wall_tile", out.wall_tile);
}

inline void read(const json::Value& value, const char*, DragonBuildFloor& out) {
    field(value, "palace", out.palace);
}

inline void read(const json::Value& value, const char*, DragonPlayCard& out) {
    field(value, "card", out.card);
    field(value, "person", out.person);
    field(value, "age", out.age);
}

inline void read(const json::Value& value, const char*, DragonReleasePerson& out) {
    field(value, "palace", out.palace);
    field(value, "person", out.person);
    field(value, "age", out.age);
}

inline void read(const json::Value& value, const char*, DragonLoseFloor& out) {
    field(value, "palace", out.palace);
}

inline void read(const json::Value& value, const char*, DragonGiveBack& out) {
    field(value, "yuan", out.yuan);
    field(value, "rice", out.rice);
    field(value, "fireworks", out.fireworks);
}

inline void read(const json::Value& value, const char*, DragonDiscardCard& out) {
    field(value, "card", out.card);
}

inline void read(const json::Value& value, const char*, DragonTakePerson& out) {
    field(value, "person", out.person);
}

inline void read(const json::Value& value, const char*, DragonChooseType& out) {
    field(value, "person", out.person);
}

inline void read_as(std::string_view kind, const json::Value& value, const char* name, DragonAction& out) {
    out = std::monostate{};
    read_if<DragonDraft>(kind == "draft", value, name, out);
    read_if<DragonPlacePerson>(kind == "place_person", value, name, out);
    read_if<DragonChooseAction>(kind == "choose_action", value, name, out);
    read_if<DragonBuildFloor>(kind == "build_floor", value, name, out);
    read_if<DragonPlayCard>(kind == "play_card", value, name, out);
    read_if<DragonReleasePerson>(kind == "release_person", value, name, out);
    read_if<DragonLoseFloor>(kind == "lose_floor", value, name, out);
    read_if<DragonGiveBack>(kind == "give_back", value, name, out);
    read_if<DragonDiscardCard>(kind == "discard_card", value, name, out);
    read_if<DragonTakePerson>(kind == "take_person", value, name, out);
    read_if<DragonChooseType>(kind == "choose_type", value, name, out);
}

inline void read(const json::Value& value, const char*, DragonChanceEvent& out) {
    field(value, "what", out.what);
    field(value, "round", out.round);
    field(value, "value", out.value);
}

inline void read(const json::Value& value, const char*, DragonDecisionEvent& out) {
    field(value, "seat", out.seat);
    field(value, "decision", out.decision);
    field_as(value, "action", "decision", out.action);
    field_or_default(value, "forced", out.forced);
    field_or_default(value, "opening", out.opening);
}

inline void read(const json::Value& value, const char*, DragonChange& out) {
    field(value, "seat", out.seat);
    field(value, "what", out.what);
    field(value, "by", out.by);
    field(value, "to", out.to);
    field(value, "reason", out.reason);
}

inline void read(const json::Value& value, const char*, DragonEventStrikes& out) {
    field(value, "round", out.round);
    field(value, "event", out.event);
}

inline void read(const json::Value& value, const char*, DragonFinalScore& out) {
    field(value, "seat", out.seat);
    field(value, "persons", out.persons);
    field(value, "monks", out.monks);
    field(value, "money", out.money);
    field(value, "score", out.score);
}

inline void read(const json::Value& value, const char*, DragonPalaceChanged& out) {
    field(value, "seat", out.seat);
    field(value, "palace", out.palace);
    field(value, "floors", out.floors);
    field(value, "reason", out.reason);
}

inline void read(const json::Value& value, const char*, DragonPersonLeft& out) {
    field(value, "seat", out.seat);
    field(value, "palace", out.palace);
    field(value, "person", out.person);
    field(value, "age", out.age);
    field(value, "reason", out.reason);
}

inline void read(const json::Value& value, const char*, DragonPersonPlaced& out) {
    field(value, "seat", out.seat);
    field(value, "palace", out.palace);
    field(value, "person", out.person);
    field(value, "age", out.age);
}

inline void read(const json::Value& value, const char*, DragonRoundEnd& out) {
    field(value, "round", out.round);
    field(value, "scores", out.scores);
    field(value, "track", out.track);
    field(value, "order", out.order);
}

inline void read(const json::Value& value, const char*, DragonWallBuilt& out) {
    field(value, "seat", out.seat);
    field(value, "wall_tile", out.wall_tile);
    field(value, "length", out.length);
}

inline void read_as(std::string_view kind, const json::Value& value, const char* name, DragonEvent& out) {
    out = std::monostate{};
    read_if<DragonChanceEvent>(kind == "chance", value, name, out);
    read_if<DragonDecisionEvent>(kind == "decision", value, name, out);
    read_if<DragonChange>(kind == "change", value, name, out);
    read_if<DragonEventStrikes>(kind == "event", value, name, out);
    read_if<DragonFinalScore>(kind == "final", value, name, out);
    read_if<DragonPalaceChanged>(kind == "palace", value, name, out);
    read_if<DragonPersonLeft>(kind == "person_left", value, name, out);
    read_if<DragonPersonPlaced>(kind == "person_placed", value, name, out);
    read_if<DragonRoundEnd>(kind == "round", value, name, out);
    read_if<DragonWallBuilt>(kind == "wall", value, name, out);
}

inline void read(const json::Value& value, const char* name, DragonEvent& out) {
    std::string kind;
    field(value, "type", kind);
    read_as(kind, value, name, out);
}

inline void read(const json::Value& value, const char*, DragonStart& out) {
    field(value, "game_id", out.game_id);
    field(value, "game", out.game);
    field(value, "config", out.config);
    field(value, "seat", out.seat);
    field(value, "players", out.players);
    field(value, "clock", out.clock);
    field(value, "bot_seed", out.bot_seed);
}

inline void read(const json::Value& value, const char*, DragonAct& out) {
    field(value, "id", out.id);
    field(value, "decision", out.decision);
    field(value, "observation", out.observation);
    field_as(value, "legal", "decision", out.legal);
    field_or_default(value, "events", out.events);
    field(value, "time_ms", out.time_ms);
}

inline void read(const json::Value& value, const char*, DragonEnd& out) {
    field(value, "game_id", out.game_id);
    field(value, "result", out.result);
    field_or_default(value, "events", out.events);
}

inline void read(const json::Value& value, const char*, CityTile& out) {
    field(value, "edges", out.edges);
    field(value, "parts", out.parts);
    field(value, "picture", out.picture);
    field(value, "count", out.count);
}

inline void read(const json::Value& value, const char*, CityTileSet& out) {
    field(value, "colours", out.colours);
    field(value, "owned", out.owned);
    field(value, "two", out.two);
}

inline void read(const json::Value& value, const char*, CityConfig& out) {
    field(value, "players", out.players);
    field(value, "start_tile", out.start_tile);
    field(value, "tile_set", out.tile_set);
    field(value, "tiles", out.tiles);
}

inline void read(const json::Value& value, const char*, CityTurn& out) {
    field(value, "seat", out.seat);
    field(value, "decision", out.decision);
}

inline void read(const json::Value& value, const char*, CityTilesLeft& out) {
    field(value, "edges", out.edges);
    field(value, "parts", out.parts);
    field(value, "picture", out.picture);
    field(value, "count", out.count);
    field(value, "left", out.left);
}

inline void read(const json::Value& value, const char*, CityRoom& out) {
    field(value, "id", out.id);
    field(value, "colour", out.colour);
    field(value, "cells", out.cells);
    field(value, "open_edges", out.open_edges);
    field(value, "advisors", out.advisors);
    field(value, "dragons", out.dragons);
    field(value, "passages", out.passages);
    field(value, "value", out.value);
}

inline void read(const json::Value& value, const char*, CityTileInRooms& out) {
    field(value, "x", out.x);
    field(value, "y", out.y);
    field(value, "rotation", out.rotation);
    field(value, "seat", out.seat);
    field(value, "tile", out.tile);
    field(value, "rooms", out.rooms);
}

inline void read(const json::Value& value, const char*, CityObservation& out) {
    field(value, "seat", out.seat);
    field(value, "turn", out.turn);
    field(value, "hand", out.hand);
    field(value, "coins", out.coins);
    field(value, "stacks", out.stacks);
    field(value, "in_hand", out.in_hand);
    field(value, "left", out.left);
    field(value, "rooms", out.rooms);
    field(value, "board", out.board);
}

inline void read(const json::Value& value, const char*, CityLayTile& out) {
    field(value, "x", out.x);
    field(value, "y", out.y);
    field(value, "rotation", out.rotation);
}

inline void read_as(std::string_view kind, const json::Value& value, const char* name, CityAction& out) {
    out = std::monostate{};
    read_if<CityLayTile>(kind == "lay_tile", value, name, out);
}

inline void read(const json::Value& value, const char*, CityChanceEvent& out) {
    field(value, "what", out.what);
    field(value, "round", out.round);
    field(value, "value", out.value);
}

inline void read(const json::Value& value, const char*, CityDecisionEvent& out) {
    field(value, "seat", out.seat);
    field(value, "decision", out.decision);
    field_as(value, "action", "decision", out.action);
    field_or_default(value, "forced", out.forced);
    field_or_default(value, "opening", out.opening);
}

inline void read(const json::Value& value, const char*, CityTileLaid& out) {
    field(value, "seat", out.seat);
    field(value, "x", out.x);
    field(value, "y", out.y);
    field(value, "rotation", out.rotation);
    field(value, "tile", out.tile);
}

inline void read(const json::Value& value, const char*, CityRoomSettled& out) {
    field(value, "seat", out.seat);
    field(value, "cells", out.cells);
    field(value, "value", out.value);
    field(value, "paid", out.paid);
}

inline void read(const json::Value& value, const char*, CityStackShown& out) {
    field(value, "seat", out.seat);
    field(value, "tiles", out.tiles);
    field(value, "paid", out.paid);
    field(value, "coins", out.coins);
}

inline void read_as(std::string_view kind, const json::Value& value, const char* name, CityEvent& out) {
    out = std::monostate{};
    read_if<CityChanceEvent>(kind == "chance", value, name, out);
    read_if<CityDecisionEvent>(kind == "decision", value, name, out);
    read_if<CityTileLaid>(kind == "laid", value, name, out);
    read_if<CityRoomSettled>(kind == "settled", value, name, out);
    read_if<CityStackShown>(kind == "shown", value, name, out);
}

inline void read(const json::Value& value, const char* name, CityEvent& out) {
    std::string kind;
    field(value, "type", kind);
    read_as(kind, value, name, out);
}

inline void read(const json::Value& value, const char*, CityStart& out) {
    field(value, "game_id", out.game_id);
    field(value, "game", out.game);
    field(value, "config", out.config);
    field(value, "seat", out.seat);
    field(value, "players", out.players);
    field(value, "clock", out.clock);
    field(value, "bot_seed", out.bot_seed);
}

inline void read(const json::Value& value, const char*, CityAct& out) {
    field(value, "id", out.id);
    field(value, "decision", out.decision);
    field(value, "observation", out.observation);
    field_as(value, "legal", "decision", out.legal);
    field_or_default(value, "events", out.events);
    field(value, "time_ms", out.time_ms);
}

inline void read(const json::Value& value, const char*, CityEnd& out) {
    field(value, "game_id", out.game_id);
    field(value, "result", out.result);
    field_or_default(value, "events", out.events);
}
