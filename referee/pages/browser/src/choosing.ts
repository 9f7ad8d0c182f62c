// Choosing a legal action by narrowing down: text to search for, and clicks on what is on the table. Pure.
import type { LegalAction, Sprite } from "./document";
import { escapePattern } from "./words";
import type { GhostOnTable, OnTable } from "./table";
import type { Position } from "./timeline";

export interface Selection {
  readonly search: string;
  /** Clicked, in order: `PANEL/KEY` of sprites. */
  readonly clicked: readonly string[];
  /** Index of the action picked in the list. */
  readonly picked: number | undefined;
}

export const NO_SELECTION: Selection = { search: "", clicked: [], picked: undefined };

/** What a click on an action's ghost selects: the target that it stands on. */
function ghostTarget({ targets, ghost }: LegalAction): string {
  return targets?.[0] ?? `ghost ${ghost?.sprite}`;
}

function standsFor(action: LegalAction, clicked: string): boolean {
  return action.targets?.includes(clicked) === true || (action.ghost !== undefined && ghostTarget(action) === clicked);
}

/** The indices of the actions that are left. What is searched for are beginnings of words. */
export function matching(
  legal: readonly LegalAction[],
  selection: Selection,
  text: (index: number) => string,
): number[] {
  const words = selection.search.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(word)}`, "u"));
  return legal.flatMap((action, index) => {
    const label = text(action.label).toLowerCase();
    const fits =
      begins.every((word) => word.test(label)) && selection.clicked.every((clicked) => standsFor(action, clicked));
    return fits ? [index] : [];
  });
}

/** The action that Enter would confirm: the picked one, or the only one left. */
export function proposed(selection: Selection, left: readonly number[]): number | undefined {
  if (selection.picked !== undefined && left.includes(selection.picked)) return selection.picked;
  return left.length === 1 ? left[0] : undefined;
}

/** A click on the table narrows down; a second one in the same place picks the next of the actions left, such as another
 * rotation of a tile. If nothing would be left, it begins anew with this click. */
export function click(
  legal: readonly LegalAction[],
  selection: Selection,
  target: string,
  text: (index: number) => string,
): Selection {
  if (selection.clicked.includes(target)) {
    const left = matching(legal, selection, text);
    const at = left.indexOf(selection.picked ?? -1);
    return { ...selection, picked: left[(at + 1) % left.length] };
  }
  const narrowed = { ...selection, clicked: [...selection.clicked, target], picked: undefined };
  if (matching(legal, narrowed, text).length > 0) return narrowed;
  return { search: "", clicked: [target], picked: undefined };
}

/** Take back the last step: the picked action, then clicks, then the search. */
export function takeBack(selection: Selection): Selection {
  if (selection.picked !== undefined) return { ...selection, picked: undefined };
  if (selection.clicked.length > 0) return { ...selection, clicked: selection.clicked.slice(0, -1) };
  return { ...selection, search: "" };
}

/** What the actions with these indices show on the table, `chosen` among them most closely; `at`: where a target is. */
export function onTable(
  legal: readonly LegalAction[],
  indices: readonly number[],
  chosen: number | undefined,
  sprites: readonly Sprite[],
  at: (target: string) => Sprite | undefined,
  onTarget?: (target: string) => void,
): OnTable {
  const targets = new Set<string>();
  const ghosts = new Map<string, GhostOnTable>();
  for (const index of indices) {
    const action = legal[index];
    for (const target of action?.targets ?? []) targets.add(target);
    const sprite = action?.ghost && sprites[action.ghost.sprite];
    if (!action?.ghost || !sprite) continue;
    const target = ghostTarget(action);
    // One ghost in a place: that of the chosen action, else of the first.
    if (ghosts.has(target) && index !== chosen) continue;
    const place = at(target);
    const placed = { ...sprite, x: sprite.x + (place?.x ?? 0), y: sprite.y + (place?.y ?? 0) };
    ghosts.set(target, { panel: action.ghost.panel, target, sprite: placed, chosen: index === chosen });
  }
  const first = chosen === undefined ? undefined : legal[chosen]?.targets;
  return { targets, chosen: new Set(first), ghosts: [...ghosts.values()], onTarget };
}

/** Finds targets in the first of these positions that has them. */
export function finder(...positions: (Position | undefined)[]): (target: string) => Sprite | undefined {
  return (target) => {
    const slash = target.indexOf("/");
    for (const position of positions) {
      const sprite = position?.byKey.get(target.slice(0, slash))?.sprites.get(target.slice(slash + 1));
      if (sprite) return sprite;
    }
    return undefined;
  };
}
