// The data of a page: the types of referee/pages/document.py and referee/games/renderer.py as JSON. Fields that have
// their default are left out.

/** An SVG element: tag, attributes, children. */
export type Node = [tag: string, attributes?: Record<string, string | number>, children?: (Node | string)[]];

export interface Sprite {
  key: string;
  x: number;
  y: number;
  shape: Node[];
  label?: string;
  seat?: number;
  /** It isn't outlined when it changes. */
  quiet?: boolean;
  /** Neither that it moves nor, if it belongs to nobody, that it appears is outlined. */
  slides?: boolean;
  z?: number;
}

export interface Seat {
  name: string;
  introduction?: string;
}

export interface PanelFrame {
  key: string;
  title: string;
  /** Whether the title is written above it: if left out, it is. */
  heading?: boolean;
  left?: number;
  top?: number;
  width: number;
  height: number;
  half?: boolean;
}

export interface PanelChange {
  frame: number;
  put?: number[];
  gone?: string[];
}

export interface LegalAction {
  label: number;
  targets?: string[];
  /** Its place counts from the first target. */
  ghost?: { panel: string; sprite: number };
}

export interface Decision {
  kind: string;
  seat: number;
  /** Indices of actions, in which -n stands for the n that follow the one before it. */
  legal?: number[];
  taken?: number;
  forced?: boolean;
  substitute?: boolean;
  ms?: number;
  info?: number;
  numbers?: Record<string, number>;
  stderr?: number;
  review?: Review;
}

/** What a decision cost, by a review of the record. */
export interface Review {
  cost: number;
  low?: number;
  high?: number;
  /** Index of the best action found; left out if it is the one taken. */
  better?: number;
  verdict?: "candidate" | "mistake";
}

export interface Fault {
  seat: number;
  code: string;
  message?: number;
  retry?: boolean;
}

/** A line in the narrator's words. */
export interface Line {
  text: number;
  /** 0 for the heading of a round, 1 for a section below it, 2 (if left out) for the rest. */
  level?: number;
}

export interface View {
  lines?: Line[];
  fault?: Fault;
  marks?: string[];
  decision?: Decision;
  changes?: PanelChange[];
  order?: number[];
  scores?: number[];
  /** By seat, with bots that are out last; empty as long as nobody is ahead. */
  places?: number[];
  /** By seat, what else says how it stands, such as "2 of 3 tricks". */
  standing?: string[];
  due?: Decision;
}

export type StepKind = "setup" | "decision" | "fault" | "result" | "broken off";

export interface Step {
  kind: StepKind;
  round?: number;
  seat?: number;
  views: View[];
}

export interface Result {
  scores: number[];
  ranks: number[];
  faults: (string | null)[];
  stopped?: string;
}

export interface Breakdown {
  sources: string[];
  points: number[][];
}

export interface Rule {
  title: string;
  kind: string;
  text: string;
  words?: string[];
}

/** Where a live page gets its updates, and where a person's choices go. */
export interface Live {
  /** Address of the server-sent events, each of which is an `Addition`. */
  updates?: string;
  /** Address that takes a choice of the seat below, as JSON: `{"step": 42, "action": 3}`. */
  choose?: string;
  /** The seat that this page plays. */
  seat?: number;
}

export interface GameDocument {
  format?: number;
  referee: string;
  game: string;
  title: string;
  game_id?: string;
  name?: string;
  /** The name of its file, for the command that plays on from a position. */
  record?: string;
  options?: string;
  seed?: string;
  /** What the score counts, in words. */
  score?: string;
  /** How the game is won, in one sentence. */
  goal?: string;
  /** What the costs of decisions are in, and what they are based on. */
  review?: string;
  move_ms?: number;
  seats: Seat[];
  audiences: string[];
  css?: string;
  frames: PanelFrame[];
  sprites: Sprite[];
  texts: string[];
  actions: LegalAction[];
  steps: Step[];
  stderr?: string[];
  result?: Result;
  breakdown?: Breakdown;
  error?: string;
  note?: string;
  rules?: Rule[];
  live?: Live;
}

/** What a live page is sent: what comes after the frames, sprites, and so on, that it has. */
export interface Addition {
  frames?: PanelFrame[];
  sprites?: Sprite[];
  texts?: string[];
  actions?: LegalAction[];
  steps?: Step[];
  /** Further standard error by seat. */
  stderr?: string[];
  result?: Result;
  breakdown?: Breakdown;
  error?: string;
  /** The run has ended: no more updates will come. */
  ended?: boolean;
}

/** The newest format that this script can show. */
export const FORMAT = 1;
