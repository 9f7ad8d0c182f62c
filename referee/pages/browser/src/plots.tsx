// Scores over time, one line per seat with its label at the end, and below the numbers that bots gave in `info`.
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { SeatMark } from "./drawing";
import type { Decisive, Timeline } from "./timeline";

interface PlotProps {
  timeline: Timeline;
  length: number;
  /** The furthest step that is drawn. */
  seen: number;
  number: number;
  audience: number;
  decided: Decisive | undefined;
  onGo: (step: number) => void;
}

type Point = readonly [step: number, value: number];

const DIGIT = 7; // width of a character
const SCORES_HEIGHT = 104;
const NUMBERS_HEIGHT = 64;

export function Plots({ timeline, length, seen, number, audience, decided, onGo }: PlotProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(360);
  // Drawn larger where the whole page is, as on a projector.
  const scale = useMemo(() => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1, [width]);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.max(220, Math.floor(entry.contentRect.width))));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const { seats } = timeline.document;
  const scores = useMemo(() => timeline.scores(audience).slice(0, seen + 1), [timeline, audience, length, seen]);
  // In a game that is only won or lost, a line would have a single step.
  const scored = timeline.hasScores(0, audience);
  const numbers = useMemo(() => timeline.numbers(audience), [timeline, audience, length]);
  const lines = seats.map((_, seat) => ({ seat, points: corners(scores.map((row, step) => [step, row[seat] ?? 0])) }));
  const names = seats.map(({ name }) => name);
  const shown = [...numbers].filter(([name]) => !name.endsWith("tokens")).slice(0, 4).flatMap(([name, bySeat]) => {
    const known = [...bySeat].map(([seat, points]) => ({ seat, points: points.filter(([step]) => step <= seen) }));
    const drawn = known.filter(({ points }) => points.length > 0);
    const readable = name.replaceAll("_", " ");
    return drawn.length > 0 ? [{ name: readable, title: `${readable}, as given in info`, lines: drawn, stepped: false }] : [];
  });
  const lost = [...useMemo(() => timeline.lost(audience), [timeline, audience, length])].map(([seat, points]) => ({
    seat,
    points: corners(points.filter(([step]) => step <= seen)),
  }));
  const mistakes = { name: "Lost by mistakes and candidates", title: "Lost by mistakes and candidates, by the review", lines: lost, stepped: true };
  const below = [...(lost.length > 0 ? [mistakes] : []), ...shown];
  const all = [lines, lost, ...shown.map((plot) => plot.lines)].map((plot) => plot.map(({ points }) => points));
  const digits = Math.max(4, ...all.flatMap(labels));
  const common = { width: width / scale, digits, scale, last: timeline.last, number, names, timeline, onGo };
  return (
    <div class="plots" ref={box} hidden={!scored && lost.length === 0 && shown.length === 0}>
      {scored && (
        <>
          <h2>Scores{timeline.document.score && `: ${timeline.document.score}`}</h2>
          <Plot {...common} title="Scores over time" lines={lines} height={SCORES_HEIGHT} stepped decided={decided} />
        </>
      )}
      {below.map(({ name, ...plot }) => (
        <>
          <h3>{name}</h3>
          <Plot {...common} {...plot} height={Math.max(NUMBERS_HEIGHT, 18 + 15 * plot.lines.length)} decided={undefined} />
        </>
      ))}
      {scored && (
        <details>
          <summary>Scores as a table</summary>
          <ScoreTable timeline={timeline} scores={scores} decided={decided} onGo={onGo} />
        </details>
      )}
    </div>
  );
}

/** Only the points where a stepped line changes, and its ends. */
function corners(points: Point[]): Point[] {
  return points.filter(([, value], index) => {
    return index === 0 || index === points.length - 1 || points[index - 1]?.[1] !== value;
  });
}

interface OnePlotProps {
  title: string;
  width: number;
  digits: number;
  height: number;
  scale: number;
  last: number;
  number: number;
  names: readonly string[];
  timeline: Timeline;
  lines: { seat: number; points: readonly Point[] }[];
  stepped: boolean;
  decided: Decisive | undefined;
  onGo: (step: number) => void;
}

function Plot({ title, width, digits, height, scale, last, number, names, timeline, lines, stepped, decided, onGo }: OnePlotProps): VNode {
  const longest = Math.min(14, Math.max(...names.map((name) => name.length)));
  const [top, bottom] = [8, height - 18];
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
  const left = Math.min(width / 4, 6 + digits * DIGIT);
  const right = width - Math.min(width / 2, 28 + (longest + digits) * DIGIT);
  const [least, most] = [Math.min(...values, stepped ? 0 : Infinity), Math.max(...values)];
  const x = (step: number): number => left + ((right - left) * step) / Math.max(1, last);
  const y = (value: number): number => bottom - ((bottom - top) * (value - least)) / (most - least || 1);
  const path = (points: readonly Point[]): string =>
    points
      .map(([step, value], index) => {
        const to = `${x(step).toFixed(1)} ${y(value).toFixed(1)}`;
        if (index === 0) return `M${to}`;
        return stepped ? `H${x(step).toFixed(1)}V${y(value).toFixed(1)}` : `L${to}`;
      })
      .join("");
  const labelled = lines.map(({ seat, points }) => ({ seat, value: points.findLast(([step]) => step <= number)?.[1] }));
  const ends = apart(labelled.map((label) => ({ ...label, y: y(label.value ?? least) })), top, bottom);
  const rounds = timeline.rounds().filter(({ round }) => round > 0);
  const go = (event: MouseEvent): void => {
    const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
    onGo(Math.round((((event.clientX - box.left) / scale - left) / (right - left)) * last));
  };
  const numbered = (seat: number, value: number | undefined, length?: number): string =>
    `${shortened(names[seat] ?? "", length ?? Infinity)}${value === undefined ? "" : ` ${format(value)}`}`;
  const said = labelled.map(({ seat, value }) => numbered(seat, value)).join(", ");
  return (
    <svg class="plot" viewBox={`0 0 ${width} ${height}`} width={width * scale} height={height * scale} role="img" aria-label={`${title}; at this position: ${said}`} onClick={go}>
      {decided && <rect class="decided" x={x(decided.first)} y={top - 4} width={Math.max(3, x(decided.last) - x(decided.first))} height={bottom - top + 4} />}
      {rounds.map(({ first }) => (
        <line class="line" x1={x(first)} x2={x(first)} y1={bottom} y2={bottom + 3} />
      ))}
      <line class="line" x1={left} x2={right} y1={bottom} y2={bottom} />
      {[least, most].filter((value, index) => index === 0 || value !== least).map((value) => (
        <text class="muted end" x={left - 5} y={y(value) + 4}>{format(value)}</text>
      ))}
      {rounds.length > 1 && <text class="muted" x={left} y={height - 3}>round {rounds[0]!.round}</text>}
      {rounds.length > 1 && <text class="muted end" x={right} y={height - 3}>{rounds.at(-1)!.round}</text>}
      {lines.map(({ seat, points }) => (
        <path class={`none line-seat${seat % 5}`} d={path(points)} />
      ))}
      <line class="now" x1={x(number)} x2={x(number)} y1={top - 4} y2={bottom} />
      {lines.map(({ seat, points }) => {
        const now = points.findLast(([step]) => step <= number);
        return now && <SeatMark seat={seat} x={x(stepped ? number : now[0])} y={y(now[1])} size={9} />;
      })}
      {ends.map(({ seat, value, y: at }) => (
        <g>
          <SeatMark seat={seat} x={right + 12} y={at} size={9} />
          <text class={`name${seat % 5}`} x={right + 21} y={at + 4}>
            {numbered(seat, value, longest)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** Labels at the ends of lines, moved apart so that none covers another. */
export function apart<T extends { y: number }>(labels: readonly T[], top: number, bottom: number, distance = 15): T[] {
  const sorted = labels.map((label) => ({ ...label })).sort((a, b) => a.y - b.y);
  for (const [index, label] of sorted.entries()) {
    label.y = Math.max(label.y, index === 0 ? top : sorted[index - 1]!.y + distance);
  }
  for (let index = sorted.length - 1; index >= 0; index--) {
    const below = sorted[index + 1];
    sorted[index]!.y = Math.min(sorted[index]!.y, below ? below.y - distance : bottom + 8);
  }
  return sorted;
}

function shortened(name: string, length: number): string {
  return name.length > length ? `${name.slice(0, length - 1)}…` : name;
}

/** The lengths of the numbers beside lines. */
function labels(lines: readonly (readonly Point[])[]): number[] {
  const values = lines.flatMap((points) => points.map(([, value]) => value));
  const ends = lines.map((points) => points.at(-1)?.[1] ?? 0);
  return [Math.min(...values), Math.max(...values), ...ends].map((value) => format(value).length);
}

/** A number beside a line; a small one, such as what a question has cost, with two significant digits. */
export function format(value: number): string {
  const size = Math.abs(value);
  const text = size > 0 && size < 0.1 ? value.toPrecision(2) : value.toFixed(Number.isInteger(value) ? 0 : size < 10 ? 2 : 1);
  return text.replaceAll("-", "−");
}

interface ScoreTableProps {
  timeline: Timeline;
  scores: readonly (readonly number[])[];
  decided: Decisive | undefined;
  onGo: (step: number) => void;
}

function ScoreTable({ timeline, scores, decided, onGo }: ScoreTableProps): VNode {
  const rounds = timeline.rounds().filter(({ round }) => round > 0);
  const known = rounds.filter(({ last }) => last < scores.length);
  const rows = rounds.length > 1 ? known : [{ round: 0, first: 0, last: scores.length - 1 }];
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Scores by round">
      <table>
        <thead>
          <tr>
            <th scope="col">After round</th>
            {timeline.document.seats.map(({ name }) => (
              <th scope="col" class="figure">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ round, last }) => (
            <tr>
              <th scope="row">
                <a
                  href={`#${last}`}
                  onClick={(event) => {
                    event.preventDefault();
                    onGo(last);
                  }}
                >
                  {round || "the last"}
                </a>
                {decided?.round === round && round > 0 && " decisive"}
              </th>
              {timeline.document.seats.map((_, seat) => (
                <td class="figure">{scores[last]?.[seat] ?? 0}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
