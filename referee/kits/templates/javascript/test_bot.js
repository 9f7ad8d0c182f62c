"use strict";

// Runs the bot on the lines in sample.jsonl, which have every kind of decision: `node --test test_bot.js`.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");

const { NAME, GAMES } = require("./bot.js");
const { answerer } = require("./wire.js");

test("every question gets a legal answer, and nothing else gets any", () => {
  const lines = fs.readFileSync(path.join(__dirname, "sample.jsonl"), "utf8").trimEnd().split("\n");
  const answer = answerer(NAME, GAMES);
  for (const line of lines) {
    const message = JSON.parse(line);
    const answers = answer(line);
    if (message.type === "hello") {
      assert.deepStrictEqual(answers, [{ type: "ready", protocol: 1, name: NAME }]);
    } else if (message.type === "act") {
      const [{ type, id, index }] = answers;
      assert.deepStrictEqual({ type, id }, { type: "action", id: message.id });
      assert.ok(message.legal[index] !== undefined, `act ${id} (${message.decision}): ${index}`);
    } else {
      assert.deepStrictEqual(answers, message.type === "quit" ? [{ type: "quit" }] : []);
    }
  }
});
