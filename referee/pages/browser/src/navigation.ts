// Where the reader is, and how keys and buttons move them. Pure: the page's effects are in page.tsx.
import type { Timeline } from "./timeline";

export interface State {
  readonly step: number;
  /** Index of the audience as which the reader looks. */
  readonly audience: number;
  readonly playing: boolean;
  /** Steps a second while playing. */
  readonly speed: number;
  /** What led here: only single steps are animated. */
  readonly motion: "forward" | "backward" | "jump";
  /** The furthest step that the reader has come to: nothing of what follows it is told. */
  readonly seen: number;
  /** Number of steps in the document, which grows on a live page. */
  readonly length: number;
  /** Whether new steps of a live page are followed. */
  readonly follow: boolean;
}

export type Move =
  | { move: "to"; step: number }
  | { move: "by"; steps: number }
  | { move: "round"; forward: boolean }
  | { move: "mark"; kind: string; forward: boolean }
  | { move: "audience"; name: string }
  | { move: "play"; on?: boolean }
  | { move: "tick" }
  | { move: "speed"; speed: number }
  | { move: "grown"; film: boolean };

export const SPEEDS = [0.5, 1, 2, 5, 10] as const;

export function begin(timeline: Timeline, hash: string): State {
  const live = timeline.document.live?.updates !== undefined;
  const step = stepOfHash(hash, timeline.last) ?? (live ? timeline.last : 0);
  const { length } = timeline.document.steps;
  return { step, audience: 0, playing: false, speed: 1, motion: "jump", seen: step, length, follow: live && step === timeline.last };
}

/** The step that a link such as `#42` names; undefined if it names none. */
export function stepOfHash(hash: string, last: number): number | undefined {
  const digits = /^#(\d{1,6})$/.exec(hash)?.[1];
  return digits === undefined ? undefined : Math.min(Number(digits), last);
}

export function reduce(timeline: Timeline, state: State, move: Move): State {
  const { last } = timeline;
  const go = (step: number, further: Partial<State> = {}): State => {
    const to = Math.max(0, Math.min(last, step));
    const motion = to === state.step + 1 ? "forward" : to === state.step - 1 ? "backward" : "jump";
    return { ...state, step: to, seen: Math.max(state.seen, to), motion, playing: false, follow: to === last, ...further };
  };
  switch (move.move) {
    case "to":
      return go(move.step, { motion: "jump" });
    case "by":
      return go(state.step + move.steps);
    case "round":
      return go(roundStart(timeline, state.step, move.forward), { motion: "jump" });
    case "mark": {
      const step = nextMark(timeline, state, move.kind, move.forward);
      return step === undefined ? state : go(step, { motion: "jump" });
    }
    case "audience": {
      const audience = timeline.document.audiences.indexOf(move.name);
      return audience < 0 || audience === state.audience ? state : { ...state, audience, motion: "jump" };
    }
    case "play": {
      const on = move.on ?? !state.playing;
      if (!on) return { ...state, playing: false };
      // At the end, playing starts over.
      return state.step === last ? go(0, { motion: "jump", playing: last > 0 }) : { ...state, playing: true };
    }
    case "tick":
      if (!state.playing) return state;
      return go(state.step + 1, { playing: state.step + 1 < last });
    case "speed":
      return { ...state, speed: move.speed };
    case "grown": {
      const { length } = timeline.document.steps;
      if (length === state.length) return state;
      if (!state.follow || state.playing) return { ...state, length };
      // Several steps at once, such as what others did since a person's turn, are played as a film.
      if (move.film && last > state.step + 1) return { ...state, length, playing: true };
      return { ...go(last), length };
    }
  }
}

/** The first step of the next round; backwards that of this one, or of the one before if it is shown already. */
function roundStart(timeline: Timeline, step: number, forward: boolean): number {
  const starts = timeline.rounds().map(({ first }) => first);
  // A game without rounds is stepped through in tens.
  if (starts.length < 2) return step + (forward ? 10 : -10);
  if (forward) return starts.find((start) => start > step) ?? timeline.last;
  return starts.filter((start) => start < step).at(-1) ?? 0;
}

/** The next step with such a mark; after the last one, the first of all. */
function nextMark(timeline: Timeline, state: State, kind: string, forward: boolean): number | undefined {
  const steps = timeline.marks(state.audience).flatMap((mark) => (mark.kind === kind ? [mark.step] : []));
  if (forward) return steps.find((step) => step > state.step) ?? steps[0];
  return steps.filter((step) => step < state.step).at(-1) ?? steps.at(-1);
}

/** The move of a key, if it has one. `kinds`: the marks that this game has, whose first letters jump to them. */
export function moveOfKey(key: string, shift: boolean, kinds: readonly string[]): Move | "help" | undefined {
  switch (key) {
    case "ArrowLeft":
      return shift ? { move: "round", forward: false } : { move: "by", steps: -1 };
    case "ArrowRight":
      return shift ? { move: "round", forward: true } : { move: "by", steps: 1 };
    case "Home":
      return { move: "to", step: 0 };
    case "End":
      return { move: "to", step: Infinity };
    case " ":
      return { move: "play" };
    case "?":
      return "help";
  }
  if (/^[1-9]$/.test(key)) return { move: "audience", name: String(Number(key) - 1) };
  const letter = key.toLowerCase();
  if (letter === "0") return { move: "audience", name: "all" };
  if (letter === "p") return { move: "audience", name: "public" };
  const kind = kinds.find((name) => keyOfMark(name, kinds) === letter);
  return kind === undefined ? undefined : { move: "mark", kind, forward: !shift };
}

/** The letter that jumps to a kind of marks: its first letter that is free. */
export function keyOfMark(kind: string, kinds: readonly string[]): string | undefined {
  const used = new Set(["p", "u"]);
  for (const other of ["fault", ...kinds.filter((name) => name !== "fault")]) {
    const letter = [...other.toLowerCase()].find((character) => /[a-z]/.test(character) && !used.has(character));
    if (letter !== undefined) used.add(letter);
    if (other === kind) return letter;
  }
  return undefined;
}
