// @ts-check
"use strict";

// Your bot: edit this file.
//
// There is a function per game, listed in GAMES at the end. Each is given what the referee says when a game starts, and a
// question (`act`), and returns the index of an action in `act.legal`. The strategies here give every legal action a
// value and take the best; they are meant to be read in five minutes and to be beaten. A game that is not listed is
// played at random: write a `chooseNAME` for it.
//
// console.log is safe: it writes to standard error, which the referee keeps beside the record of the game.

const { play } = require("./wire.js");

const NAME = "{{name}}";

/** @typedef {import("./messages").DragonObservation} DragonObservation */
/** @typedef {import("./messages").CityObservation} CityObservation */

// -- In the Year of the Dragon ----------------------------------------------------------------------------------------

/** How much the bot values each person. */
const PERSON_VALUES = {
  craftsman: 4,
  court_lady: 5,
  tax_collector: 4,
  pyrotechnist: 3,
  warrior: 3,
  monk: 4,
  healer: 3,
  farmer: 4,
  scholar: 5,
};

/**
 * The index of the best action in `act.legal`. `start.config` says which expansions are in play.
 * @param {import("./messages").DragonStart} start
 * @param {import("./messages").DragonAct} act
 */
function chooseDragon(start, act) {
  const values = dragonValues(act);
  return values.indexOf(Math.max(...values));
}

/**
 * The value of each legal action. What an action says depends on the kind of decision.
 * @param {import("./messages").DragonAct} act
 * @returns {number[]}
 */
function dragonValues(act) {
  const seen = act.observation;
  switch (act.decision) {
    case "choose_action":
      return act.legal.map((action) => actionValue(action, seen));
    case "draft":
      return act.legal.map(({ persons }) => sum(persons.map((person) => PERSON_VALUES[person])));
    case "place_person":
      return act.legal.map((action) => placeValue(action, seen));
    case "play_card": // a wild card is worth more later
      return act.legal.map(
        ({ card, person }) => (person ? PERSON_VALUES[person] : 0) - (card === "wild" ? 2 : 0),
      );
    case "release_person":
      return act.legal.map(({ person }) => -PERSON_VALUES[person]);
    case "take_person":
      return act.legal.map(({ person }) => PERSON_VALUES[person]);
    case "give_back":
      return act.legal.map(({ rice, yuan, fireworks }) => -3 * rice - 2 * yuan - fireworks);
    default: // in the other decisions one action is as good as another
      return act.legal.map(() => 0);
  }
}

/**
 * The value of a group's card, less the 3 yuan that it costs if somebody has chosen that group before.
 * @param {import("./messages").DragonChooseAction} action
 * @param {DragonObservation} seen
 */
function actionValue(action, seen) {
  const me = seen.players[seen.seat];
  if (action.group === undefined || action.card === undefined) return me.yuan === 0 ? 2 : 0; // replenish
  const price = seen.action_groups[action.group].taken_by.length > 0 ? 3 : 0;
  return cardValue(action.card, seen, me) - price;
}

/**
 * The value of an action card now: high if this round or the next one needs its goods.
 * @param {import("./messages").ActionCard} card
 * @param {DragonObservation} seen
 * @param {import("./messages").DragonPlayer} me
 */
function cardValue(card, seen, me) {
  const soon = seen.event_row.slice(Math.max(0, seen.round - 1), seen.round + 1);
  const room = sum(me.palaces.map((palace) => palace.floors - palace.persons.length));
  switch (card) {
    case "build":
      return room < 2 ? 6 : 2;
    case "taxes":
      return me.yuan < 4 ? 7 : 3;
    case "harvest":
      return soon.includes("drought") && me.rice < me.palaces.length ? 6 : 1;
    case "fireworks":
      return soon.includes("dragon_festival") ? 5 : 1;
    case "military_parade":
      return soon.includes("mongol_invasion") ? 4 : 1;
    case "privilege":
      return seen.round <= 4 ? 4 : 0;
    default: // research and build_wall
      return 3;
  }
}

/**
 * A free place is best; otherwise the person of the least value leaves, or the new one stays outside.
 * @param {import("./messages").DragonPlacePerson} action
 * @param {DragonObservation} seen
 */
function placeValue(action, seen) {
  if (action.replace) return -PERSON_VALUES[action.replace.person];
  if (action.refuse && seen.turn.person) return -PERSON_VALUES[seen.turn.person];
  return 0;
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

// -- The Forbidden City -----------------------------------------------------------------------------------------------

/** The steps [dx, dy] to the neighbours in the north, east, south and west. `edges` of a tile are in this order. */
const STEPS = [[0, 1], [1, 0], [0, -1], [-1, 0]];

/**
 * The index of the best action in `act.legal`.
 * @param {import("./messages").CityStart} start
 * @param {import("./messages").CityAct} act
 */
function chooseCity(start, act) {
  const seen = act.observation;
  const board = new Map(seen.board.map((laid) => [`${laid.x},${laid.y}`, laid]));
  const rooms = new Map(seen.rooms.map((room) => [room.id, room]));
  const values = act.legal.map((action) => tileValue(action, seen, board, rooms));
  return values.indexOf(Math.max(...values));
}

/**
 * Join big rooms in which we have the most advisors then, close them, and leave few edges open.
 * @param {import("./messages").CityLayTile} action
 * @param {CityObservation} seen
 * @param {Map<string, import("./messages").CityTileInRooms>} board
 * @param {Map<number, import("./messages").CityRoom>} rooms
 */
function tileValue(action, seen, board, rooms) {
  let value = 0;
  STEPS.forEach(([dx, dy], side) => {
    if (seen.hand.edges[edgeAt(side, action.rotation)] !== "o") return;
    const neighbour = board.get(`${action.x + dx},${action.y + dy}`);
    if (neighbour === undefined) {
      value -= 1; // somebody has to close this edge
      return;
    }
    const edge = edgeAt((side + 2) % 4, neighbour.rotation);
    if (neighbour.tile.edges[edge] !== "o") return;
    // A diagonal tile has two parts: the first touches the edges 0 and 1, the second 2 and 3.
    const part = neighbour.rooms.length === 2 ? Math.floor(edge / 2) : 0;
    const room = rooms.get(neighbour.rooms[part]);
    if (room) value += roomValue(room, seen);
  });
  return value;
}

/**
 * The index in `edges` of the side (0: north) of a tile that is turned clockwise by `rotation` quarter turns.
 * @param {number} side
 * @param {number} rotation
 */
function edgeAt(side, rotation) {
  return (side + 4 - rotation) % 4;
}

/**
 * The value of joining a room: its points to the player with the most advisors, twice if this may close it.
 * @param {import("./messages").CityRoom} room
 * @param {CityObservation} seen
 */
function roomValue(room, seen) {
  const own = room.advisors[seen.seat] + (seen.hand.picture === "advisors" ? seen.hand.count : 0);
  const rival = Math.max(...room.advisors.filter((_, seat) => seat !== seen.seat));
  const points = (room.cells.length + 3 * room.dragons) * (room.open_edges === 1 ? 2 : 1);
  if (own === rival) return 1;
  return own > rival ? points : -points;
}

/** The strategy for each game. */
const GAMES = { year_of_the_dragon: chooseDragon, forbidden_city: chooseCity };

module.exports = { NAME, GAMES };

if (require.main === module) play(NAME, GAMES);
