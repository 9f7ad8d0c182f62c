// A made-up game of two seats, three rounds and a fault, seen by all and by the public.
import type { GameDocument, Sprite } from "../src/document";

const piece = (key: string, x: number, seat: number): Sprite => ({ key, x, y: 10, seat, label: `${key} at ${x}`, shape: [["circle", { r: 4 }, []]] });
const counter = (number: number): Sprite => ({ key: "yuan", x: 0, y: 0, seat: 0, label: `${number} yuan`, shape: [["text", {}, [`${number} yuan`]]] });

export function game(): GameDocument {
  return {
    referee: "0",
    game: "fixture",
    title: "A game",
    seats: [{ name: "steady" }, { name: "mason" }],
    audiences: ["all", "public"],
    frames: [
      { key: "board", title: "Board", width: 100, height: 50 },
      { key: "mats", title: "Mats", width: 100, height: 20 },
      { key: "board", title: "Board", width: 200, height: 50 },
    ],
    sprites: [piece("a", 0, 0), piece("b", 20, 1), piece("a", 40, 0), counter(6), counter(3)],
    texts: ["steady moves a", "and pays 3 yuan", "Round 1", "wrong move", "move a", "move b", "pass"],
    actions: [{ label: 4, targets: ["board/a"] }, { label: 5, targets: ["board/b"] }, { label: 6 }],
    steps: [
      { kind: "setup", views: [{ changes: [{ frame: 0, put: [0, 1] }, { frame: 1, put: [3] }], order: [0, 1], scores: [0, 0] }, {}] },
      {
        kind: "decision",
        round: 1,
        seat: 0,
        views: [
          {
            lines: [{ text: 0 }, { text: 1 }, { text: 2, level: 0 }],
            marks: ["event"],
            changes: [{ frame: 0, put: [2] }, { frame: 1, put: [4] }],
            scores: [2, 0],
            decision: { kind: "move", seat: 0, legal: [0, 1, 2], taken: 0, numbers: { value: 0.5 } },
          },
          { marks: ["event"] },
        ],
      },
      { kind: "fault", round: 1, seat: 1, views: [{ fault: { seat: 1, code: "illegal action", message: 3 } }, { fault: { seat: 1, code: "illegal action" } }] },
      { kind: "decision", round: 2, seat: 1, views: [{ changes: [{ frame: 2, gone: ["b"] }], scores: [2, 5] }, {}] },
      { kind: "decision", round: 3, seat: 0, views: [{ order: [1, 2], scores: [9, 5] }, {}] },
      { kind: "result", round: 3, views: [{}, {}] },
    ],
    result: { scores: [9, 5], ranks: [1, 2], faults: [null, null] },
  };
}
