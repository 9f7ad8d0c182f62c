import assert from "node:assert/strict";
import { test } from "node:test";
import { type Move, type State, begin, keyOfMark, moveOfKey, reduce, stepOfHash } from "../src/navigation";
import { Timeline } from "../src/timeline";
import { game } from "./fixture";

const timeline = new Timeline(game());
const kinds = ["fault", "event"];

function after(state: State, ...keys: string[]): State {
  return keys.reduce((before, key) => {
    const shift = key.startsWith("Shift+");
    const move = moveOfKey(key.replace("Shift+", ""), shift, kinds);
    return reduce(timeline, before, move as Move);
  }, state);
}

const start = begin(timeline, "");

test("arrows step through all positions and back through the same ones", () => {
  const there = Array.from({ length: 5 }, (_, n) => after(start, ...Array<string>(n + 1).fill("ArrowRight")).step);
  assert.deepEqual(there, [1, 2, 3, 4, 5]);
  assert.equal(after(start, "End", ..."12345".split("").map(() => "ArrowLeft")).step, 0);
  assert.equal(after(start, "ArrowLeft").step, 0);
  assert.equal(after(start, "End", "ArrowRight").step, 5);
});

test("nothing is told of what follows the furthest step that the reader has come to", () => {
  const back = after(start, "ArrowRight", "ArrowRight", "ArrowLeft");
  assert.deepEqual([back.step, back.seen], [1, 2]);
  assert.equal(after(back, "End", "Home").seen, 5);
  assert.equal(begin(timeline, "#3").seen, 3);
});

test("only single steps are animated", () => {
  assert.equal(after(start, "ArrowRight").motion, "forward");
  assert.equal(after(start, "End", "ArrowLeft").motion, "backward");
  assert.equal(after(start, "End").motion, "jump");
  assert.equal(reduce(timeline, start, { move: "to", step: 1 }).motion, "jump", "by the scrubber");
});

test("Shift and arrows go to the starts of rounds", () => {
  assert.equal(after(start, "Shift+ArrowRight").step, 1);
  assert.equal(after(start, "Shift+ArrowRight", "Shift+ArrowRight").step, 3);
  assert.equal(after({ ...start, step: 2 }, "Shift+ArrowLeft").step, 1);
  assert.equal(after({ ...start, step: 3 }, "Shift+ArrowLeft").step, 1);
  assert.equal(after({ ...start, step: 4 }, "Shift+ArrowRight").step, 5);
});

test("letters jump to the next mark, and with Shift to the one before", () => {
  assert.equal(after(start, "f").step, 2);
  assert.equal(after(start, "F").step, 2);
  assert.equal(after(start, "e").step, 1);
  assert.equal(after({ ...start, step: 5 }, "Shift+F").step, 2);
  assert.equal(after({ ...start, step: 5 }, "f").step, 2, "after the last one, the first");
});

test("every kind of marks has a letter of its own that no other key uses", () => {
  const many = ["event", "fault", "fall", "public", "eve"];
  const letters = many.map((kind) => keyOfMark(kind, many));
  assert.deepEqual(letters, ["e", "f", "a", "b", "v"]);
});

test("digits and letters change the view where the page has it", () => {
  assert.equal(after(start, "p").audience, 1);
  assert.equal(after(start, "p", "0").audience, 0);
  assert.equal(after(start, "3").audience, 0, "this page has no view of a seat");
});

test("playing goes to the end, stops there, and starts over", () => {
  let state = after(start, " ");
  for (let n = 0; n < 5; n++) state = reduce(timeline, state, { move: "tick" });
  assert.deepEqual([state.step, state.playing], [5, false]);
  state = after(state, " ");
  assert.deepEqual([state.step, state.playing], [0, true]);
  assert.equal(after(state, "ArrowRight").playing, false, "a step by hand stops it");
});

test("a link names a position, at most the last", () => {
  assert.equal(stepOfHash("#3", 5), 3);
  assert.equal(stepOfHash("#42", 5), 5);
  assert.equal(stepOfHash("#<b>", 5), undefined);
});

test("a live page follows new steps unless the reader has stepped back", () => {
  const live = new Timeline({ ...game(), live: { updates: "/updates" } });
  const newest = begin(live, "");
  assert.equal(newest.step, 5);
  const back = reduce(live, newest, { move: "by", steps: -1 });
  live.append({ steps: [{ kind: "decision", views: [{}, {}] }] });
  assert.equal(reduce(live, newest, { move: "grown", film: false }).step, 6);
  assert.deepEqual([reduce(live, back, { move: "grown", film: false }).step], [4]);
  live.append({ steps: [{ kind: "decision", views: [{}, {}] }] });
  const film = reduce(live, newest, { move: "grown", film: true });
  assert.deepEqual([film.step, film.playing], [5, true], "several steps are played one after the other");
});
