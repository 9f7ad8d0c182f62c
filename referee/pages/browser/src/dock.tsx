// The controls below the table: stepping, playing, the scrubber with rounds and marks, jumps to marks.
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Move, SPEEDS, type State, keyOfMark } from "./navigation";
import type { Mark, Timeline } from "./timeline";

interface DockProps {
  timeline: Timeline;
  state: State;
  kinds: readonly string[];
  /** Whether stepping back has left the newest position of a live page. */
  behind: boolean;
  dispatch: (move: Move) => void;
  /** The sentence, which a phone shows above the controls. */
  children?: ComponentChildren;
}

export function Dock({ timeline, state, kinds, behind, dispatch, children }: DockProps): VNode {
  const { last } = timeline;
  const round = timeline.step(state.step)?.round ?? 0;
  const place = (step: number, round: number): string => `${step} of ${last}${round > 0 ? ` · round ${round}` : ""}`;
  const now = place(state.step, round);
  const button = (label: string, keys: string, glyph: VNode | string, move: Move, disabled = false): VNode => (
    <button type="button" aria-label={label} title={`${label} (${keys})`} aria-disabled={disabled} onMouseDown={keepFocus} onClick={() => !disabled && dispatch(move)}>
      {glyph}
    </button>
  );
  const rounds = timeline.rounds().filter((each) => each.round > 0);
  const byRound = rounds.length > 1 ? "round" : "ten steps";
  return (
    <footer class="dock">
      <div class="caption">{children}</div>
      <div class="controls" role="group" aria-label="Stepping">
        {button("To the start", "Home", <Glyph d="M4 3v10M13 3 6 8l7 5z" />, { move: "to", step: 0 }, state.step === 0)}
        {button(`Back one ${byRound}`, "Shift ←", <Glyph d="M8 3 2 8l6 5zM14 3 8 8l6 5z" />, { move: "round", forward: false }, state.step === 0)}
        {button("Back one step", "←", <Glyph d="M11 3 4 8l7 5z" />, { move: "by", steps: -1 }, state.step === 0)}
        {button(state.playing ? "Pause" : "Play", "space", <Glyph d={state.playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5 13 8l-9 5.5z"} />, { move: "play" })}
        {button("Forward one step", "→", <Glyph d="M5 3l7 5-7 5z" />, { move: "by", steps: 1 }, state.step === last)}
        {button(`Forward one ${byRound}`, "Shift →", <Glyph d="M8 3l6 5-6 5zM2 3l6 5-6 5z" />, { move: "round", forward: true }, state.step === last)}
        {button("To the end", "End", <Glyph d="M12 3v10M3 3l7 5-7 5z" />, { move: "to", step: last }, state.step === last)}
        <label class="speed">
          <span class="for-readers">Speed of playing</span>
          <select value={String(state.speed)} onChange={(event) => dispatch({ move: "speed", speed: Number(event.currentTarget.value) })}>
            {SPEEDS.map((speed) => (
              <option value={String(speed)}>{speed === 0.5 ? "½" : speed} a second</option>
            ))}
          </select>
        </label>
      </div>
      <Scrubber timeline={timeline} state={state} kinds={kinds} place={now} dispatch={dispatch} />
      <div class="place">
        <output class="figure" style={{ minWidth: `${place(last, rounds.at(-1)?.round ?? 0).length}ch` }}>{now}</output>
        {behind && (
          <button type="button" class="strong" onClick={() => dispatch({ move: "to", step: last })}>
            go to now
          </button>
        )}
      </div>
      {kinds.length > 0 && <Jumps timeline={timeline} state={state} kinds={kinds} dispatch={dispatch} />}
    </footer>
  );
}

function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

function Glyph({ d }: { d: string }): VNode {
  return (
    <svg class="glyph" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={d} />
    </svg>
  );
}

/** The form of each kind of mark: a cross for faults, and then others that differ without colour. */
const FORMS = {
  fault: "M-4-4 4 4M4-4-4 4",
  others: ["M0-5 5 0 0 5-5 0z", "M-4-4H4V4H-4z", "M0-5 5 4H-5z", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"],
};

function MarkForm({ kind, kinds }: { kind: string; kinds: readonly string[] }): VNode {
  const others = kinds.filter((name) => name !== "fault");
  const d = kind === "fault" ? FORMS.fault : FORMS.others[Math.max(0, others.indexOf(kind)) % FORMS.others.length]!;
  return <path class={kind === "fault" ? "mark mark-fault" : "mark"} d={d} />;
}

type JumpsProps = Omit<DockProps, "behind" | "children">;

function Jumps({ timeline, state, kinds, dispatch }: JumpsProps): VNode {
  const marks = useMarks(timeline, state);
  return (
    <div class="jumps" role="group" aria-label="Jump to">
      {kinds.map((kind) => {
        const letter = keyOfMark(kind, kinds)?.toUpperCase();
        return (
          <button
            type="button"
            class="quiet-button"
            title={`Next ${kind}${letter ? ` (${letter}; back: Shift ${letter})` : ""}`}
            onMouseDown={keepFocus}
            onClick={() => dispatch({ move: "mark", kind, forward: true })}
          >
            <svg class="icon" viewBox="-7 -7 14 14" aria-hidden="true" focusable="false">
              <MarkForm kind={kind} kinds={kinds} />
            </svg>
            {kind}s <span class="count figure">{marks.filter((mark) => mark.kind === kind).length}</span>
            {letter && <kbd>{letter}</kbd>}
          </button>
        );
      })}
    </div>
  );
}

/** The marks up to the furthest step that the reader has come to. */
function useMarks(timeline: Timeline, { audience, length, seen }: State): Mark[] {
  const marks = useMemo(() => timeline.marks(audience), [timeline, audience, length]);
  return marks.filter(({ step }) => step <= seen);
}

interface ScrubberProps extends JumpsProps {
  place: string;
}

function Scrubber({ timeline, state, kinds, place, dispatch }: ScrubberProps): VNode {
  const { last } = timeline;
  const rounds = useMemo(() => timeline.rounds().filter(({ round }) => round > 0), [timeline, state.length]);
  const marks = useMarks(timeline, state);
  const at = (step: number): string => `${last === 0 ? 0 : (100 * step) / last}%`;
  const track = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (track.current) observer.observe(track.current);
    return () => observer.disconnect();
  }, []);
  const numbered = labelled(rounds, last === 0 ? 0 : width / last, parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1);
  return (
    <div class="scrubber">
      <div class="track" aria-hidden="true" ref={track}>
        <div class="rail" />
        <div class="done-rail" style={{ width: at(state.step) }} />
        {rounds.length > 1 &&
          rounds.map(({ round, first }) => (
            <div class="tick" style={{ left: at(first) }}>
              {numbered.has(round) && <span>{round}</span>}
            </div>
          ))}
        {marks.map(({ step, kind }) => (
          <svg class="icon mark-at" viewBox="-7 -7 14 14" style={{ left: at(step) }}>
            <MarkForm kind={kind} kinds={kinds} />
          </svg>
        ))}
        <div class="thumb" style={{ left: at(state.step) }} />
      </div>
      <input
        type="range"
        min={0}
        max={last}
        step={1}
        value={state.step}
        aria-label="Position in the game"
        aria-valuetext={place}
        onInput={(event) => dispatch({ move: "to", step: Number(event.currentTarget.value) })}
      />
    </div>
  );
}

/** The rounds whose numbers have room under the track, of `step` pixels a step, from the last round on; `scale`: of text. */
export function labelled(rounds: readonly { round: number; first: number }[], step: number, scale: number): Set<number> {
  const found = new Set<number>();
  let end = Infinity;
  for (const { round, first } of [...rounds].reverse()) {
    const half = 4.25 * scale * String(round).length;
    if (first * step + half > end) continue;
    found.add(round);
    end = first * step - half - 4 * scale;
  }
  return found;
}
