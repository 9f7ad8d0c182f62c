// Runs the bot on the lines in sample.jsonl, which have every kind of decision: `node --test build/test_bot.js`.

import { GAMES, NAME } from "./bot";
import { Answer, Message } from "./messages";
import { answerer } from "./wire";

declare function require(name: string): any;
const assert = require("node:assert");
const fs = require("node:fs");
const test = require("node:test");

test("every question gets a legal answer, and nothing else gets any", () => {
  const lines: string[] = fs.readFileSync("sample.jsonl", "utf8").trimEnd().split("\n");
  const answer = answerer(NAME, GAMES);
  for (const line of lines) {
    const message: Message = JSON.parse(line);
    const answers = answer(line);
    if (message.type === "hello") {
      assert.deepStrictEqual(answers, [{ type: "ready", protocol: 1, name: NAME }]);
    } else if (message.type === "act") {
      const { type, id, index } = answers[0] as Answer;
      assert.deepStrictEqual({ type, id }, { type: "action", id: message.id });
      assert.ok(message.legal[index ?? -1] !== undefined, `act ${id} (${message.decision}): ${index}`);
    } else {
      assert.deepStrictEqual(answers, message.type === "quit" ? [{ type: "quit" }] : []);
    }
  }
});
