// Choosing a legal action by narrowing down: text to search for, and clicks on what is on the table. Pure.
import type { LegalAction, Sprite } from "./document";
import type { OnTable } from "./table";

export interface Selection {
  readonly search: string;
  /** Clicked, in order: `PANEL/KEY` of sprites, and `ghost:PANEL/KEY` of ghosts. */
  readonly clicked: readonly string[];
  /** Index of the action picked in the list. */
  readonly picked: number | undefined;
}

export const NO_SELECTION: Selection = { search: "", clicked: [], picked: undefined };

export function ghostKey(panel: string, sprite: Sprite): string {
  return `ghost:${panel}/${sprite.key}`;
}

function standsFor(action: LegalAction, clicked: string, sprites: readonly Sprite[]): boolean {
  const ghost = action.ghost && sprites[action.ghost.sprite];
  return action.targets?.includes(clicked) === true || (ghost !== undefined && ghostKey(action.ghost!.panel, ghost) === clicked);
}

/** The indices of the actions that are left. */
export function matching(
  legal: readonly LegalAction[],
  selection: Selection,
  text: (index: number) => string,
  sprites: readonly Sprite[],
): number[] {
  const words = selection.search.toLowerCase().split(/\s+/).filter(Boolean);
  return legal.flatMap((action, index) => {
    const label = text(action.label).toLowerCase();
    const fits =
      words.every((word) => label.includes(word)) && selection.clicked.every((clicked) => standsFor(action, clicked, sprites));
    return fits ? [index] : [];
  });
}

/** The action that Enter would confirm: the picked one, or the only one left. */
export function proposed(selection: Selection, left: readonly number[]): number | undefined {
  if (selection.picked !== undefined && left.includes(selection.picked)) return selection.picked;
  return left.length === 1 ? left[0] : undefined;
}

/** A click on the table: narrows down; if nothing would be left, it begins anew with this click. */
export function click(
  legal: readonly LegalAction[],
  selection: Selection,
  target: string,
  text: (index: number) => string,
  sprites: readonly Sprite[],
): Selection {
  if (selection.clicked.includes(target)) return { ...selection, picked: undefined };
  const narrowed = { ...selection, clicked: [...selection.clicked, target], picked: undefined };
  if (matching(legal, narrowed, text, sprites).length > 0) return narrowed;
  return { search: "", clicked: [target], picked: undefined };
}

/** Take back the last step: the picked action, then clicks, then the search. */
export function takeBack(selection: Selection): Selection {
  if (selection.picked !== undefined) return { ...selection, picked: undefined };
  if (selection.clicked.length > 0) return { ...selection, clicked: selection.clicked.slice(0, -1) };
  return { ...selection, search: "" };
}

/** What the actions with these indices show on the table, `chosen` among them most closely. */
export function onTable(
  legal: readonly LegalAction[],
  indices: readonly number[],
  chosen: number | undefined,
  sprites: readonly Sprite[],
  onTarget?: (target: string) => void,
): OnTable {
  const targets = new Set<string>();
  const ghosts = new Map<string, { panel: string; sprite: Sprite; chosen: boolean }>();
  for (const index of indices) {
    const action = legal[index];
    for (const target of action?.targets ?? []) targets.add(target);
    const sprite = action?.ghost && sprites[action.ghost.sprite];
    if (!sprite) continue;
    const { panel } = action.ghost!;
    const key = ghostKey(panel, sprite);
    ghosts.set(key, { panel, sprite, chosen: index === chosen || ghosts.get(key)?.chosen === true });
  }
  const first = chosen === undefined ? undefined : legal[chosen]?.targets;
  return { targets, chosen: new Set(first), ghosts: [...ghosts.values()], onTarget };
}
