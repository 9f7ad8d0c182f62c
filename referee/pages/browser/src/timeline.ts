// The positions of a document, worked out from the differences that its steps hold, and what can be looked up in them.
import type { Addition, Decision, GameDocument, LegalAction, PanelFrame, Sprite, Step, View } from "./document";

export interface Panel {
  readonly frame: PanelFrame;
  /** By key, in the order in which they were put. */
  readonly sprites: ReadonlyMap<string, Sprite>;
}

export interface Position {
  /** In the order of layout. A panel that a step didn't change is the same object as before. */
  readonly panels: readonly Panel[];
  readonly byKey: ReadonlyMap<string, Panel>;
  readonly scores: readonly number[];
  /** By seat, with bots that are out last; empty as long as nobody is ahead. */
  readonly places: readonly number[];
  readonly standing: readonly string[];
}

/** Something to jump to: a fault, or what a game marks. */
export interface Mark {
  readonly step: number;
  readonly kind: string;
}

export interface Round {
  readonly round: number;
  readonly first: number;
  readonly last: number;
}

export type Extent = Pick<PanelFrame, "left" | "top" | "width" | "height">;

const NOWHERE: Position = { panels: [], byKey: new Map(), scores: [], places: [], standing: [] };

export class Timeline {
  readonly document: GameDocument;
  private readonly positions: Position[][];

  constructor(document: GameDocument) {
    this.document = document;
    this.positions = document.audiences.map(() => []);
  }

  get last(): number {
    return Math.max(0, this.document.steps.length - 1);
  }

  step(number: number): Step | undefined {
    return this.document.steps[number];
  }

  view(number: number, audience: number): View {
    return this.document.steps[number]?.views[audience] ?? {};
  }

  legal(decision: Decision | undefined): LegalAction[] {
    const indices: number[] = [];
    for (const index of decision?.legal ?? []) {
      if (index >= 0) indices.push(index);
      else for (let left = index; left < 0; left++) indices.push(indices.at(-1)! + 1);
    }
    return indices.map((index) => this.document.actions[index]!);
  }

  text(index: number): string {
    return this.document.texts[index] ?? "";
  }

  /** The position after a step. Those before it are worked out on the way and kept. */
  at(number: number, audience: number): Position {
    const known = this.positions[audience];
    if (known === undefined) return NOWHERE;
    while (known.length <= number && known.length <= this.last) {
      known.push(this.next(known.at(-1) ?? NOWHERE, this.view(known.length, audience)));
    }
    return known[Math.min(number, this.last)] ?? NOWHERE;
  }

  private next(before: Position, view: View): Position {
    const { frames, sprites } = this.document;
    let { panels } = before;
    let byKey = before.byKey;
    let changed = false;
    if (view.changes?.length) {
      const edited = new Map(byKey);
      for (const change of view.changes) {
        const frame = frames[change.frame];
        if (frame === undefined) continue;
        const contents = new Map(edited.get(frame.key)?.sprites);
        for (const key of change.gone ?? []) contents.delete(key);
        for (const index of change.put ?? []) {
          const sprite = sprites[index];
          if (sprite !== undefined) contents.set(sprite.key, sprite);
        }
        edited.set(frame.key, { frame, sprites: contents });
      }
      byKey = edited;
      changed = true;
    }
    if (view.order !== undefined) {
      const edited = new Map(byKey);
      panels = view.order.flatMap((index) => {
        const frame = frames[index];
        if (frame === undefined) return [];
        const panel = edited.get(frame.key);
        const framed = panel?.frame === frame ? panel : { frame, sprites: panel?.sprites ?? new Map() };
        edited.set(frame.key, framed);
        return [framed];
      });
      byKey = edited;
    } else if (changed) {
      panels = panels.map((panel) => byKey.get(panel.frame.key) ?? panel);
    }
    const { scores, places, standing } = { ...before, ...view };
    return { panels, byKey, scores, places, standing };
  }

  /** Append what a live page was sent. */
  append(addition: Addition): void {
    const { document } = this;
    document.frames.push(...(addition.frames ?? []));
    document.sprites.push(...(addition.sprites ?? []));
    document.texts.push(...(addition.texts ?? []));
    document.actions.push(...(addition.actions ?? []));
    document.steps.push(...(addition.steps ?? []));
    const { stderr } = addition;
    if (stderr) document.stderr = document.seats.map((_, seat) => (document.stderr?.[seat] ?? "") + (stderr[seat] ?? ""));
    if (addition.result) document.result = addition.result;
    if (addition.breakdown) document.breakdown = addition.breakdown;
    if (addition.error) document.error = addition.error;
  }

  /** By key, what the frames of a panel cover together: by that it keeps its place and its scale through the game. */
  extents(): ReadonlyMap<string, Required<Extent>> {
    const found = new Map<string, Required<Extent>>();
    for (const { key, left = 0, top = 0, width, height } of this.document.frames) {
      const { left: x, top: y, ...size } = found.get(key) ?? { left, top, width, height };
      const [west, north] = [Math.min(left, x), Math.min(top, y)];
      const [east, south] = [Math.max(left + width, x + size.width), Math.max(top + height, y + size.height)];
      found.set(key, { left: west, top: north, width: east - west, height: south - north });
    }
    return found;
  }

  /** The rounds, each with its first and last step. Steps before the first round belong to round 0. */
  rounds(): Round[] {
    const rounds: { round: number; first: number; last: number }[] = [];
    this.document.steps.forEach((step, number) => {
      const current = rounds.at(-1);
      const round = step.round ?? current?.round ?? 0;
      if (current === undefined || round > current.round) rounds.push({ round, first: number, last: number });
      else current.last = number;
    });
    return rounds;
  }

  /** Faults, and what the game marks in this view. */
  marks(audience: number): Mark[] {
    return this.document.steps.flatMap((step, number) => [
      ...(step.kind === "fault" ? [{ step: number, kind: "fault" }] : []),
      ...(step.views[audience]?.marks ?? []).map((kind) => ({ step: number, kind })),
    ]);
  }

  /** The scores by step. */
  scores(audience: number): (readonly number[])[] {
    let scores: readonly number[] = this.document.seats.map(() => 0);
    return this.document.steps.map((step) => (scores = step.views[audience]?.scores ?? scores));
  }

  /** The lengths of the longest score, and of what else says how a seat stands. */
  widest(audience: number): { score: number; standing: number } {
    const longest = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length));
    const standing = this.document.steps.flatMap(({ views }) => views[audience]?.standing ?? []);
    return { score: longest(this.scores(audience).flat().map(String)), standing: longest(standing) };
  }

  /** By seat what its mistakes and candidates have cost so far: pairs of step and sum, from 0 on. Empty without them. */
  lost(audience: number): Map<number, [step: number, value: number][]> {
    const lost = new Map<number, [number, number][]>();
    this.document.steps.forEach((step, number) => {
      const { decision } = step.views[audience] ?? {};
      if (!decision?.review?.verdict) return;
      const points = lost.get(decision.seat) ?? [[0, 0]];
      lost.set(decision.seat, [...points, [number, points.at(-1)![1] + decision.review.cost]]);
    });
    return lost;
  }

  /** Whether scores say anything at a step: in a game that has them only at its end they don't before it. */
  hasScores(number: number, audience: number): boolean {
    const first = this.scores(audience).findIndex((row) => row.some(Boolean));
    const { result, steps } = this.document;
    const end = result ? steps.findLastIndex(({ kind }) => kind === "decision") : this.last + 1;
    return first >= 0 && first < end ? true : number >= (first < 0 ? end + 1 : first);
  }

  /** The numbers in the info of decisions, by name and seat: pairs of step and number. */
  numbers(audience: number): Map<string, Map<number, [step: number, value: number][]>> {
    const lines = new Map<string, Map<number, [number, number][]>>();
    this.document.steps.forEach((step, number) => {
      const decision = step.views[audience]?.decision;
      for (const [name, value] of Object.entries(decision?.numbers ?? {})) {
        if (decision === undefined || !Number.isFinite(value)) continue;
        const bySeat = lines.get(name) ?? new Map<number, [number, number][]>();
        bySeat.set(decision.seat, [...(bySeat.get(decision.seat) ?? []), [number, value]]);
        lines.set(name, bySeat);
      }
    });
    return lines;
  }
}

/** Keys of the sprites that a step put into or moved in a panel: what it changed. */
export function changedKeys(timeline: Timeline, number: number, audience: number): Map<string, Set<string>> {
  const changed = new Map<string, Set<string>>();
  if (number === 0) return changed;
  for (const change of timeline.view(number, audience).changes ?? []) {
    const frame = timeline.document.frames[change.frame];
    const keys = (change.put ?? []).flatMap((index) => timeline.document.sprites[index]?.key ?? []);
    if (frame && keys.length > 0) changed.set(frame.key, new Set([...(changed.get(frame.key) ?? []), ...keys]));
  }
  return changed;
}

/** The seats whose bots are out at a step, each with its fault. */
export function seatsOut(timeline: Timeline, number: number, audience: number): Map<number, string> {
  const out = new Map<number, string>();
  for (let step = 0; step <= number; step++) {
    const { fault } = timeline.view(step, audience);
    if (fault && !fault.retry) out.set(fault.seat, fault.code);
  }
  return out;
}

/** What decided a finished game: where the winner gained most on the second. */
export interface Decisive {
  readonly winner: number;
  readonly second: number;
  readonly swing: number;
  /** Whether the winner took the lead there. */
  readonly overtook: boolean;
  /** The round, or 0 where the game has no rounds and `first` is the only step. */
  readonly round: number;
  readonly first: number;
  readonly last: number;
}

/** Undefined after a fault, and where the second never led or the winner was ahead before and stayed so: then nothing is
 * known to have decided the game. */
export function decisive(timeline: Timeline, audience: number): Decisive | undefined {
  const { result, seats, steps } = timeline.document;
  if (!result || seats.length < 2 || result.stopped || result.faults.some(Boolean)) return undefined;
  const order = seats.map((_, seat) => seat).sort((a, b) => result.ranks[a]! - result.ranks[b]! || a - b);
  const [winner, second] = order as [number, number];
  if (result.ranks[winner] === result.ranks[second]) return undefined;
  const scores = timeline.scores(audience);
  const lead = (step: number): number => (step < 0 ? 0 : (scores[step]?.[winner] ?? 0) - (scores[step]?.[second] ?? 0));
  const rounds = timeline.rounds().filter(({ round }) => round > 0);
  const spans = rounds.length > 2 ? rounds : steps.map((_, number) => ({ round: 0, first: number, last: number }));
  if (steps.every((_, number) => lead(number) >= 0)) return undefined;
  const swings = spans.map(({ first, last }) => lead(last) - lead(first - 1));
  const swing = Math.max(...swings);
  const found = spans[swings.indexOf(swing)]!;
  if (steps.every((_, number) => number < found.first - 1 || lead(number) > 0)) return undefined;
  return { ...found, winner, second, swing, overtook: lead(found.first - 1) <= 0 && lead(found.last) > 0 };
}
