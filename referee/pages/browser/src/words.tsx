// Lines of text: names of players in their colour with their shape, and words of the rules that explain themselves.
import type { ComponentChild, VNode } from "preact";
import type { GameDocument, Rule, Step } from "./document";
import { SeatIcon } from "./drawing";
import type { Timeline } from "./timeline";

export interface Words {
  /** The parts of a line: plain text, players where the narrator placed them, and words that a rule explains. */
  split(line: string): Part[];
  /** A line as plain text. */
  named(line: string): string;
}

export type Part = string | { seat: number; text: string } | { rule: Rule; text: string };

/** The characters that stand for players in the narrator's lines, as in referee/pages/audience.py. */
const PLACES = /[\uE000-\uF8FF]/g;
const FIRST_PLACE = 0xe000;

function seatAt(place: string): number {
  return place.charCodeAt(0) - FIRST_PLACE;
}

/** What stands for a player in a line. */
export function placeOf(seat: number): string {
  return String.fromCharCode(FIRST_PLACE + seat);
}

export function wordsOf(document: GameDocument): Words {
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
    `(?<place>[\uE000-\uF8FF])|(?<![\\p{L}\\p{N}_])(?<word>${oneOf(rules.keys())})(?:e?s)?(?![\\p{L}\\p{N}_])`,
    "giu",
  );
  const nameOf = (seat: number): string => document.seats[seat]?.name ?? `seat ${seat + 1}`;
  return {
    named: (line) => line.replace(PLACES, (place) => nameOf(seatAt(place))),
    split(line) {
      const parts: Part[] = [];
      let end = 0;
      for (const match of line.matchAll(pattern)) {
        const text = match[0];
        const { place, word } = match.groups ?? {};
        const rule = word && rules.get(word.toLowerCase());
        if (!place && !rule) continue;
        const part = rule ? { rule, text } : { seat: seatAt(text), text: nameOf(seatAt(text)) };
        if (match.index > end) parts.push(line.slice(end, match.index));
        parts.push(part);
        end = match.index + text.length;
      }
      if (end < line.length) parts.push(line.slice(end));
      return parts;
    },
  };
}

/** A text as a pattern that matches only it. With the flag `u`, other characters must not be escaped: not `-` either. */
export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

export function Who({ seat, name }: { seat: number; name: string }): VNode {
  return (
    <span class={`who who${seat % 5}${name.length > 20 ? " long" : ""}`}>
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

/** A line of a step. */
export interface Said {
  text: string;
  level: number;
  /** A row of a table or of a drawing of text, to be shown monospaced. */
  row: boolean;
}

/** The lines of a step. The sentence of a decision says if the referee took it for a bot that is out: the first in full. */
export function saidIn(timeline: Timeline, number: number, audience: number): Said[] {
  const { lines = [], decision } = timeline.view(number, audience);
  const sentence = lines.findIndex(({ level = 2 }) => level > 1);
  const isSubstituted = ({ views }: Step): boolean => {
    const { substitute, seat } = views[audience]?.decision ?? {};
    return substitute === true && seat === decision?.seat;
  };
  const isFirst = decision?.substitute && timeline.document.steps.findIndex(isSubstituted) === number;
  const told = isFirst ? " (chosen by the referee, which plays for this bot)" : " (referee)";
  return lines.map(({ text: index, level = 2 }, line) => {
    const text = timeline.text(index);
    const row = level > 1 && /\S {2,}\S|[\u2500-\u259f]/.test(text);
    const by = decision?.substitute && line === sentence ? told : "";
    return { text: (row ? text : text.trim()) + by, level, row };
  });
}

/** What happened in a step, as running text. */
export function spoken(timeline: Timeline, number: number, audience: number): string {
  return saidIn(timeline, number, audience)
    .filter(({ level, row }) => level > 1 && !row)
    .map(({ text }) => text)
    .join(" · ");
}

interface SaidLineProps extends Omit<LineProps, "line"> {
  said: Said;
}

/** A line with its level: a heading, a sentence, or a row as it is. */
export function SaidLine({ said: { text, level, row }, words, onRule }: SaidLineProps): VNode {
  const told = row ? sentenceOf(text) : text;
  if (told === undefined) return <span class="said-row">{words.named(text)}</span>;
  const line = <Line words={words} line={told} onRule={onRule} />;
  return level < 2 ? <strong>{line}</strong> : line;
}

/** A row of two cells, a name and what is said of it, as a sentence: such rows are long, and need not be aligned. */
export function sentenceOf(row: string): string | undefined {
  const [name, said, ...others] = row.trim().split(/ {2,}/);
  return others.length === 0 && said !== undefined && /^\p{L}[^\u2500-\u259f]* /u.test(said) ? `${name}: ${said}` : undefined;
}
