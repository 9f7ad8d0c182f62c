import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_SELECTION, type Selection, click, finder, matching, onTable, proposed, takeBack } from "../src/choosing";
import type { LegalAction, Sprite } from "../src/document";
import { Timeline } from "../src/timeline";
import { game } from "./fixture";

const labels = ["build at a", "build at b", "pass"];
const text = (index: number): string => labels[index]!;
const ghost: Sprite = { key: "ghost", x: 1, y: 2, shape: [] };
const legal: LegalAction[] = [
  { label: 0, targets: ["board/a", "mats/yuan"], ghost: { panel: "board", sprite: 0 } },
  { label: 1, targets: ["board/b", "mats/yuan"], ghost: { panel: "board", sprite: 0 } },
  { label: 2 },
];

test("a search leaves the actions that have all its words", () => {
  assert.deepEqual(matching(legal, { ...NO_SELECTION, search: "AT build" }, text), [0, 1]);
  assert.deepEqual(matching(legal, NO_SELECTION, text), [0, 1, 2]);
});

test("what means something in patterns is searched for as it is", () => {
  const places = ["(-2,2) turned right", "(2,-2) as it is", "2+1?"];
  const found = (search: string): number[] => matching(legal, { ...NO_SELECTION, search }, (index) => places[index]!);
  assert.deepEqual(["(-2", "-2", "2+", "(.", "/"].map(found), [[0], [0, 1], [2], [], []]);
});

test("clicks narrow down, and one that fits nothing begins anew", () => {
  const first = click(legal, NO_SELECTION, "mats/yuan", text);
  assert.deepEqual(matching(legal, first, text), [0, 1]);
  const second = click(legal, first, "board/b", text);
  assert.equal(proposed(second, matching(legal, second, text)), 1);
  assert.deepEqual(click(legal, second, "board/a", text).clicked, ["board/a"]);
});

test("clicks in the same place pick one after the other of the actions that are left", () => {
  let selection = click(legal, NO_SELECTION, "mats/yuan", text);
  const picked = [1, 2, 3].map(() => (selection = click(legal, selection, "mats/yuan", text)).picked);
  assert.deepEqual(picked, [0, 1, 0]);
});

test("nothing is proposed while several are left and none is picked", () => {
  assert.equal(proposed(NO_SELECTION, [0, 1, 2]), undefined);
  assert.equal(proposed({ ...NO_SELECTION, picked: 2 }, [0, 1, 2]), 2);
  assert.equal(proposed({ ...NO_SELECTION, picked: 2 }, [0, 1]), undefined, "the picked one was searched away");
});

test("taking back undoes the pick, then clicks, then the search", () => {
  let selection: Selection = { search: "at", clicked: ["mats/yuan", "board/a"], picked: 0 };
  selection = takeBack(selection);
  assert.equal(selection.picked, undefined);
  selection = takeBack(selection);
  assert.deepEqual(selection.clicked, ["mats/yuan"]);
  assert.equal(takeBack(takeBack(selection)).search, "");
});

test("ghosts stand on their first targets", () => {
  const position = new Timeline(game()).at(0, 0);
  const shown = onTable(legal, [0, 1, 2], 1, [ghost], finder(undefined, position));
  assert.deepEqual(shown.ghosts.map(({ target, sprite, chosen }) => [target, sprite.x, sprite.y, chosen]), [
    ["board/a", 1, 12, false],
    ["board/b", 21, 12, true],
  ]);
  assert.deepEqual(shown.targets, new Set(["board/a", "mats/yuan", "board/b"]));
  assert.deepEqual(shown.chosen, new Set(["board/b", "mats/yuan"]));
});
