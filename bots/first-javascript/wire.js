// @ts-check
"use strict";

// Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.
//
// Every message is a JSON object on one line. What the referee may send later, in a further version, is ignored.

const fs = require("fs");

/** The version of the protocol that this file speaks. */
const PROTOCOL = 1;

/**
 * @typedef {(start: import("./messages").DragonStart, act: import("./messages").DragonAct) => number} ChooseDragon
 * @typedef {(start: import("./messages").CityStart, act: import("./messages").CityAct) => number} ChooseCity
 */

/**
 * Play games over standard input and output until the referee says quit or is gone.
 *
 * From here on console.log writes to standard error, since standard output is for the protocol alone.
 * @param {string} name
 * @param {ChooseDragon} chooseDragon
 * @param {ChooseCity} chooseCity
 */
function play(name, chooseDragon, chooseCity) {
  console.log = console.info = console.debug = console.error;
  process.stdout.on("error", () => process.exit(1)); // the referee is gone
  const answer = answerer(name, chooseDragon, chooseCity);
  /** @param {string} line */
  const take = (line) => {
    for (const message of answer(line)) {
      if (message.type === "quit") process.exit(0);
      process.stdout.write(JSON.stringify(message) + "\n");
    }
  };
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text) => {
    // Only a line feed ends a line; the module readline would also break at other characters.
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(take);
  });
  process.stdin.on("end", () => take(rest));
}

/**
 * A function from each line of the referee to the messages that answer it: none or one, which is `quit` to end.
 * @param {string} name
 * @param {ChooseDragon} chooseDragon
 * @param {ChooseCity} chooseCity
 * @returns {(line: string) => Record<string, any>[]}
 */
function answerer(name, chooseDragon, chooseCity) {
  /** @type {Record<string, (start: any, act: any) => number>} */
  const choices = { year_of_the_dragon: chooseDragon, forbidden_city: chooseCity };
  /** @type {any} */
  let start = {};

  return (line) => {
    const message = read(line);
    switch (message.type) {
      case "hello":
        // To be sent less, which is faster to read: options: { events: false }
        return [{ type: "ready", protocol: PROTOCOL, name }];
      case "start":
        start = message;
        return [];
      case "act": {
        const choose = choices[start.game];
        try {
          return [{ type: "action", id: message.id, index: choose ? choose(start, message) : 0 }];
        } catch (error) {
          log(`act ${message.id} (${message.decision}) of game ${start.game_id}:`);
          throw error; // Node writes it to standard error and ends
        }
      }
      case "fault":
        log(`the referee says: ${message.code}: ${message.message}`);
        return [];
      case "quit":
        return [{ type: "quit" }];
      default:
        return [];
    }
  };
}

/**
 * The message on a line; an empty one if there is none, for then there is nothing to do.
 * @param {string} line
 * @returns {any}
 */
function read(line) {
  if (line.trim() === "") return {};
  try {
    return JSON.parse(line) ?? {};
  } catch (error) {
    log(`this line is not JSON (${error}): ${line.slice(0, 200)}`);
    return {};
  }
}

/**
 * Write to standard error at once, so that nothing is lost in a crash.
 * @param {string} text
 */
function log(text) {
  try {
    fs.writeSync(2, `${text}\n`);
  } catch {
    // nobody reads it
  }
}

module.exports = { answerer, log, play };
