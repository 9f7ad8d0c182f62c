// @ts-check
"use strict";

// Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.
//
// Every message is a JSON object on one line. Messages and fields of later versions are ignored.
//
// A game that the bot doesn't know is played by random legal actions, drawn from the `bot_seed` of the game.

const fs = require("fs");

/** The version of the protocol that this file speaks. */
const PROTOCOL = 1;

/**
 * Returns the index of a legal action. It is given `start`, which the referee sent when the game began, and `act`.
 * @typedef {(start: any, act: any) => number} Choose
 * @typedef {Record<string, Choose>} Games
 */

/**
 * Play games over standard input and output until the referee says quit or disconnects.
 *
 * From here on console.log writes to standard error, since standard output is for the protocol alone.
 * @param {string} name
 * @param {Games} games
 */
function play(name, games) {
  console.log = console.info = console.debug = console.error;
  process.stdout.on("error", () => process.exit(1)); // the referee has exited
  const answer = answerer(name, games);
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
 * @param {Games} games
 * @returns {(line: string) => Record<string, any>[]}
 */
function answerer(name, games) {
  /** @type {any} */
  let start = {};
  let choose = chooseRandomly(0);

  return (line) => {
    const message = read(line);
    switch (message.type) {
      case "hello":
        // To be sent less, which is faster to read: options: { events: false }
        return [{ type: "ready", protocol: PROTOCOL, name }];
      case "start":
        start = message;
        choose = games[start.game] ?? chooseRandomly(start.bot_seed);
        return [];
      case "act":
        try {
          return [{ type: "action", id: message.id, index: choose(start, message) }];
        } catch (error) {
          log(`act ${message.id} (${message.decision}) of game ${start.game_id}:`);
          throw error; // Node writes it to standard error and ends
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
 * A function that takes random actions, the same ones for the same seed.
 * @param {number} seed
 * @returns {Choose}
 */
function chooseRandomly(seed) {
  let state = (seed % 2147483646) + 1;
  return (start, act) => {
    state = (state * 48271) % 2147483647; // the generator minstd_rand of C++
    return state % act.legal.length;
  };
}

/**
 * The message on a line; an empty one if there is none, which needs no answer.
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
