// Lines of text: names of players in their colour with their shape, and words of the rules that explain themselves.
import type { ComponentChild, VNode } from "preact";
import type { GameDocument, Rule } from "./document";
import { SeatIcon } from "./drawing";

export interface Words {
  /** The parts of a line: plain text, players, and words that a rule explains. */
  split(line: string): Part[];
}

export type Part = string | { seat: number; text: string } | { rule: Rule; text: string };

export function wordsOf(document: GameDocument): Words {
  const names = new Map<string, number>();
  document.seats.forEach(({ name }, seat) => name && !names.has(name) && names.set(name, seat));
  const rules = new Map<string, Rule>();
  for (const rule of document.rules ?? []) {
    for (const word of [rule.title, ...(rule.words ?? [])]) {
      const key = word.replaceAll("_", " ").toLowerCase();
      if (!rules.has(key)) rules.set(key, rule);
    }
  }
  const oneOf = (list: Iterable<string>): string =>
    [...list].sort((a, b) => b.length - a.length).map(escapePattern).join("|") || "(?!)";
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_])(?:(?<name>${oneOf(names.keys())})(?![\\p{L}\\p{N}_#])|(?<word>${oneOf(rules.keys())})(?:e?s)?(?![\\p{L}\\p{N}_]))`,
    "giu",
  );
  return {
    split(line) {
      const parts: Part[] = [];
      let end = 0;
      for (const match of line.matchAll(pattern)) {
        const text = match[0];
        const seat = names.get(match.groups?.["name"] ?? "");
        const rule = rules.get((match.groups?.["word"] ?? text).toLowerCase());
        const part = seat !== undefined ? { seat, text } : rule ? { rule, text } : undefined;
        if (part === undefined) continue;
        if (match.index > end) parts.push(line.slice(end, match.index));
        parts.push(part);
        end = match.index + text.length;
      }
      if (end < line.length) parts.push(line.slice(end));
      return parts;
    },
  };
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&");
}

export function Who({ seat, name }: { seat: number; name: string }): VNode {
  return (
    <span class={`who who${seat % 5}`}>
      <SeatIcon seat={seat} />
      {name}
    </span>
  );
}

interface LineProps {
  words: Words;
  line: string;
  /** Without it, words of the rules are plain text. */
  onRule?: ((rule: Rule) => void) | undefined;
}

export function Line({ words, line, onRule }: LineProps): VNode {
  const show = (part: Part): ComponentChild => {
    if (typeof part === "string") return part;
    if ("seat" in part) return <Who seat={part.seat} name={part.text} />;
    if (!onRule) return part.text;
    return (
      <button type="button" class="word" onClick={() => onRule(part.rule)}>
        {part.text}
      </button>
    );
  };
  return <>{words.split(line.trim()).map(show)}</>;
}

/** The lines of a step, those that begin with "…" joined to the line before. */
export function joined(lines: readonly string[]): string[] {
  const whole: string[] = [];
  for (const line of lines.map((text) => text.trim()).filter((text) => text !== "")) {
    const before = line.startsWith("…") ? whole.pop() : undefined;
    if (before === undefined) whole.push(line);
    else whole.push(`${before}${before.endsWith(":") ? " " : "; "}${line.slice(1).trim()}`);
  }
  return whole;
}
