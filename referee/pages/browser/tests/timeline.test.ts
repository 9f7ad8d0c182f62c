import assert from "node:assert/strict";
import { test } from "node:test";
import type { GameDocument } from "../src/document";
import { unit } from "../src/final";
import { packed } from "../src/table";
import { Timeline, changedKeys, decisive, seatsOut } from "../src/timeline";
import { game } from "./fixture";

test("a position is the differences up to it, in whatever order positions are asked for", () => {
  const timeline = new Timeline(game());
  const last = timeline.at(5, 0);
  assert.equal(timeline.at(0, 0).byKey.get("board")!.sprites.get("a")!.x, 0);
  assert.equal(timeline.at(1, 0).byKey.get("board")!.sprites.get("a")!.x, 40);
  assert.deepEqual([...last.byKey.get("board")!.sprites.keys()], ["a"]);
  assert.deepEqual(last.scores, [9, 5]);
});

test("a panel that a step didn't change stays the same object, and takes its newest frame and order", () => {
  const timeline = new Timeline(game());
  assert.equal(timeline.at(3, 0).byKey.get("mats"), timeline.at(1, 0).byKey.get("mats"));
  assert.deepEqual(timeline.at(3, 0).panels.map(({ frame }) => `${frame.key} ${frame.width}`), ["board 200", "mats 100"]);
  assert.deepEqual(timeline.at(4, 0).panels.map(({ frame }) => frame.key), ["mats", "board"]);
});

test("what a step changed is known by panel", () => {
  const timeline = new Timeline(game());
  assert.deepEqual(changedKeys(timeline, 1, 0), new Map([["board", new Set(["a"])], ["mats", new Set(["yuan"])]]));
  assert.equal(changedKeys(timeline, 0, 0).size, 0, "nothing has changed in the setup");
});

test("each audience has its own position", () => {
  const timeline = new Timeline(game());
  assert.deepEqual(timeline.at(5, 1).panels, []);
});

test("legal actions are listed in runs, where -n stands for the n that follow", () => {
  const timeline = new Timeline({ ...game(), actions: Array.from({ length: 9 }, (_, label) => ({ label })) });
  const found = timeline.legal({ kind: "move", seat: 0, legal: [5, -2, 0, 3, -1, 8] });
  assert.deepEqual(found.map(({ label }) => label), [5, 6, 7, 0, 3, 4, 8]);
});

test("rounds begin with the step that is the first of them", () => {
  assert.deepEqual(new Timeline(game()).rounds(), [
    { round: 0, first: 0, last: 0 },
    { round: 1, first: 1, last: 2 },
    { round: 2, first: 3, last: 3 },
    { round: 3, first: 4, last: 5 },
  ]);
});

test("steps that are appended continue the last position", () => {
  const timeline = new Timeline(game());
  const before = timeline.at(5, 0);
  timeline.append({
    sprites: [{ key: "c", x: 1, y: 1, shape: [] }],
    steps: [{ kind: "decision", views: [{ changes: [{ frame: 2, put: [5] }] }, {}] }],
    stderr: ["oh", ""],
  });
  assert.equal(timeline.last, 6);
  assert.deepEqual([...timeline.at(6, 0).byKey.get("board")!.sprites.keys()], ["a", "c"]);
  assert.equal(timeline.at(6, 0).byKey.get("mats"), before.byKey.get("mats"));
  assert.deepEqual(timeline.document.stderr, ["oh", ""]);
});

test("places stay until a step changes them, and a bot that is out stays so to the end", () => {
  const document = game();
  document.steps[1]!.views[0]!.places = [1, 2];
  const timeline = new Timeline(document);
  assert.deepEqual([0, 1, 5].map((step) => timeline.at(step, 0).places), [[], [1, 2], [1, 2]]);
  assert.deepEqual([1, 2, 5].map((step) => [...seatsOut(timeline, step, 0)]), [[], [[1, "illegal action"]], [[1, "illegal action"]]]);
  document.steps[2]!.views[0]!.fault!.retry = true;
  assert.equal(seatsOut(timeline, 5, 0).size, 0, "who may try again is not out");
});

test("a game that is only won or lost has no scores before its end", () => {
  const document = game();
  document.steps.forEach(({ views }, step) => (views[0]!.scores = step < 4 ? [0, 0] : [1, -1]));
  const won = new Timeline(document);
  assert.deepEqual([0, 3, 4, 5].map((step) => won.hasScores(step, 0)), [false, false, true, true]);
  assert.equal(new Timeline(game()).hasScores(0, 0), true);
});

test("the decisive round is the one in which the winner gained most on the second", () => {
  const found = decisive(new Timeline(game()), 0);
  assert.deepEqual(found, { winner: 0, second: 1, swing: 7, overtook: true, round: 3, first: 4, last: 5 });
  const other = game();
  [[0, 9], [0, 9], [8, 9], [8, 9], [10, 9]].forEach((scores, step) => (other.steps[step + 1]!.views[0]!.scores = scores));
  const { swing, round, overtook } = decisive(new Timeline(other), 0)!;
  assert.deepEqual({ swing, round, overtook }, { swing: 8, round: 2, overtook: false });
  const undecided = (change: (document: GameDocument) => void): void => {
    const document = game();
    change(document);
    assert.equal(decisive(new Timeline(document), 0), undefined);
  };
  undecided(({ result }) => (result!.ranks = [1, 1]));
  undecided(({ result }) => (result!.faults = [null, "crash"]));
  undecided(({ steps }) => (steps[3]!.views[0]!.scores = [2, 1]));
  undecided(({ steps }) => [[0, 1], [3, 1], [3, 1], [9, 1]].forEach((scores, step) => (steps[step + 1]!.views[0]!.scores = scores)));
});

test("points have the word of the game if it has one", () => {
  assert.deepEqual([unit("coins", 96), unit("coins", 1), unit("26 minus the points taken", 2), unit(undefined, 1)], ["coins", "coin", "points", "point"]);
});

test("a panel keeps what its frames cover, and panels are put into the shortest column", () => {
  const timeline = new Timeline(game());
  timeline.document.frames.push({ key: "mats", title: "Mats", left: -10, top: 5, width: 50, height: 90 });
  const extents = timeline.extents();
  assert.deepEqual(extents.get("board"), { left: 0, top: 0, width: 200, height: 50 });
  assert.deepEqual(extents.get("mats"), { left: -10, top: 0, width: 110, height: 95 });
  const panels = ["mats", "board", "board"].map((key) => ({ ...timeline.at(0, 0).byKey.get(key)! }));
  assert.deepEqual(packed(panels, 2, extents), [[panels[0]], [panels[1], panels[2]]]);
});

test("numbers of info are lines by name and seat", () => {
  assert.deepEqual(new Timeline(game()).numbers(0), new Map([["value", new Map([[0, [[1, 0.5]]]])]]));
});
