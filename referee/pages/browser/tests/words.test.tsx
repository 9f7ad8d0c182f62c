import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { duration, listed, playOn, reasoned } from "../src/decision";
import { difference, draw } from "../src/drawing";
import { labelled } from "../src/dock";
import { ordinal } from "../src/final";
import { sections } from "../src/log";
import { decode } from "../src/load";
import { apart, format } from "../src/plots";
import { placeOf, saidIn, sentenceOf, wordsOf } from "../src/words";
import { Timeline } from "../src/timeline";
import { game } from "./fixture";

test("players are where the narrator placed them, and words of the rules lead to them", () => {
  const rule = { title: "great wall", kind: "Rules", text: "It is long.", words: ["wall", "mason"] };
  const words = wordsOf({ ...game(), rules: [rule], seats: [{ name: "wall" }, { name: "a.b (2)" }] });
  const line = `${placeOf(0)} builds walls; a.b (2) and ${placeOf(1)}, Mason's <b>wall</b>`;
  assert.deepEqual(words.split(line), [
    { seat: 0, text: "wall" },
    " builds ",
    { rule, text: "walls" },
    "; a.b (2) and ",
    { seat: 1, text: "a.b (2)" },
    ", ",
    { rule, text: "Mason" },
    "'s <b>",
    { rule, text: "wall" },
    "</b>",
  ]);
  assert.equal(words.named(line), "wall builds walls; a.b (2) and a.b (2), Mason's <b>wall</b>");
});

test("a line is a row of a table where its cells are two spaces apart", () => {
  const document = { ...game(), texts: ["steady drafts", "  more", "a   1  2"] };
  document.steps[1]!.views[0]!.lines = [{ text: 0 }, { text: 1 }, { text: 2 }];
  assert.deepEqual(saidIn(new Timeline(document), 1, 0), [
    { text: "steady drafts", level: 2, row: false },
    { text: "more", level: 2, row: false },
    { text: "a   1  2", level: 2, row: true },
  ]);
});

test("the sentence of a decision that the referee took for a bot says so", () => {
  const document = game();
  document.steps[1]!.views[0]!.lines = [{ text: 2, level: 0 }, { text: 0 }, { text: 1 }];
  document.steps[1]!.views[0]!.decision!.substitute = true;
  document.steps.push(document.steps[1]!);
  const said = (number: number): string[] => saidIn(new Timeline(document), number, 0).map(({ text }) => text);
  assert.deepEqual(said(1), ["Round 1", "steady moves a (chosen by the referee, which plays for this bot)", "and pays 3 yuan"]);
  assert.deepEqual(said(6), ["Round 1", "steady moves a (referee)", "and pays 3 yuan"], "once is enough");
});

test("a row that is a name and a sentence is told as one, and others stay rows", () => {
  assert.equal(sentenceOf("  steady   palaces 4 + court ladies 1 = 5, total 28"), "steady: palaces 4 + court ladies 1 = 5, total 28");
  for (const row of ["steady   122", "steady  12   4", "a  \u2502 b \u2502", "  before  persons"]) assert.equal(sentenceOf(row), undefined, row);
});

test("headings before a sentence are above it, and the next round's heading is below", () => {
  const all = [[0, "Round 1"], [1, "Persons"], [2, "steady plays"], [1, "Drought"], [2, "is paid"], [0, "Round 2"], [2, "3 tiles"]].map(
    ([level, text]) => ({ level: level as number, text: text as string, row: false }),
  );
  const found = sections(all);
  const texts = Object.values(found).map((part: { text: string }[]) => part.map(({ text }) => text));
  assert.deepEqual(texts, [["Round 1", "Persons"], ["steady plays", "Drought", "is paid"], ["Round 2", "3 tiles"]]);
  assert.deepEqual(sections(all.slice(0, 1)).below.length, 1);
});

test("only elements and attributes of drawings are made, and text stays text", () => {
  assert.equal(draw(["script", {}, ["alert(1)"]]), null);
  assert.equal(draw(["image", { href: "http://example.org" }, []]), null);
  const { props } = draw(["rect", { width: 3, onclick: "alert(1)", href: "x", style: "y" }, []]) as { props: object };
  assert.deepEqual({ ...props, children: undefined }, { width: 3, children: undefined });
  assert.equal(draw("<script>"), "<script>");
});

test("the difference of a counter is the number that floats off", () => {
  const { sprites } = game();
  assert.equal(difference(sprites[3], sprites[4]!), "−3");
  assert.equal(difference(sprites[4], sprites[3]!), "+3");
  assert.equal(difference(sprites[3], sprites[3]!), "");
  assert.equal(difference(undefined, sprites[3]!), "");
});

test("at most eight legal actions are listed, the one taken first", () => {
  assert.deepEqual(listed(8, undefined, false), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(listed(32, 20, false), [20, 0, 1, 2, 3, 4, 5, 6]);
  assert.equal(listed(32, 20, true).length, 32);
});

test("a reason in words comes first, and the rest of an info is kept", () => {
  assert.deepEqual(reasoned('{"model":"m","reason":"No rice.\\n","tokens":{"in":3}}'), { reason: "No rice.", rest: 'model: m\ntokens: {"in":3}' });
  for (const info of ['{"value":3}', '{"reason":4}', "[1]", "not JSON"]) assert.deepEqual(reasoned(info), { rest: info });
});

test("the command that plays on from a position has a BOT for each seat, and quotes the file for a shell", () => {
  assert.equal(playOn("0001-1.jsonl", 42, 3), "referee match BOT BOT BOT --from '0001-1.jsonl#42'");
  assert.equal(playOn("it's.jsonl", 0, 2), "referee match BOT BOT --from 'it'\\''s.jsonl#0'");
});

test("numbers are written for people", () => {
  assert.deepEqual([3.21, 12.3, 1234, 45678].map(duration), ["3.2 ms", "12 ms", "1.23 s", "45.7 s"]);
  assert.deepEqual([1, 2, 3, 4, 11, 21].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "21st"]);
  const costs = [0, 14788, 12.34, 3.456, -0.5, 0.00091785, -0.0123, 0.00000031];
  assert.deepEqual(costs.map(format), ["0", "14788", "12.3", "3.46", "−0.50", "0.00092", "−0.012", "3.1e−7"]);
});

test("numbers of rounds under the scrubber don't run into each other", () => {
  const rounds = [1, 2, 3, 10, 11, 12].map((round) => ({ round, first: 2 * round }));
  assert.deepEqual([...labelled(rounds, 20, 1)], [12, 11, 10, 3, 2, 1]);
  assert.deepEqual([...labelled(rounds, 6, 1)], [12, 10, 3, 1]);
  assert.deepEqual([...labelled(rounds, 0, 1)], [12]);
});

test("labels of lines don't cover each other", () => {
  const ys = apart([{ y: 10 }, { y: 11 }, { y: 100 }, { y: 99 }], 0, 100).map(({ y }) => y);
  for (const [index, y] of ys.entries()) if (index > 0) assert.ok(y - ys[index - 1]! >= 15);
});

test("a document is read from base64 of gzip, and one of a later format is refused", async () => {
  const encode = (value: object): string => gzipSync(JSON.stringify(value)).toString("base64");
  assert.deepEqual(await decode(`\n${encode(game())}\n`), game());
  await assert.rejects(decode(encode({ ...game(), format: 2 })), /format 2/);
});
