// The log by round: a link to each position, with what the narrator said of it.
import type { VNode } from "preact";
import { memo } from "preact/compat";
import { useLayoutEffect, useRef } from "preact/hooks";
import { cost, silence } from "./decision";
import type { Timeline } from "./timeline";
import { Line, type Said, SaidLine, type Words, saidIn } from "./words";

interface LogProps {
  timeline: Timeline;
  /** The furthest step that is listed. */
  seen: number;
  number: number;
  /** Whether it is in sight, which on a phone it isn't at first. */
  isShown: boolean;
  audience: number;
  words: Words;
  onGo: (step: number) => void;
}

export function Log({ timeline, seen, number, isShown, audience, words, onGo }: LogProps): VNode {
  const rounds = timeline.rounds().filter(({ first }) => first <= seen);
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const current = box.current?.querySelector<HTMLElement>('[aria-current="step"]');
    if (!box.current || !current) return;
    // Only the log itself is scrolled, never the page.
    const outer = box.current.getBoundingClientRect();
    const inner = current.getBoundingClientRect();
    if (inner.top < outer.top + 24 || inner.bottom > outer.bottom - 24) {
      box.current.scrollTop += inner.top - outer.top - outer.height / 3;
    }
  }, [number, audience, seen, isShown]);
  return (
    <nav class="log" aria-label="Log of the game" ref={box} tabIndex={0}>
      {rounds.map(({ first, last }) => (
        <LogPart
          key={first}
          timeline={timeline}
          first={first}
          last={Math.min(last, seen)}
          current={number >= first && number <= last ? number : -1}
          audience={audience}
          words={words}
          onGo={onGo}
        />
      ))}
    </nav>
  );
}

/** Headings above what a step decided, that, and from the heading of the next round on what is below it. */
export function sections(all: readonly Said[]): { above: Said[]; own: Said[]; below: Said[] } {
  const found = all.findIndex(({ level }) => level > 1);
  // Headings without anything below them are those of what comes next.
  const first = found < 0 ? 0 : found;
  const next = all.findIndex(({ level }, index) => index >= first && level === 0);
  const end = next < 0 ? all.length : next;
  return { above: all.slice(0, first), own: all.slice(first, end), below: all.slice(end) };
}

interface PartProps extends Omit<LogProps, "number" | "isShown" | "seen"> {
  first: number;
  last: number;
  current: number;
}

const LogPart = memo(function LogPart({ timeline, first, last, current, audience, words, onGo }: PartProps): VNode {
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return (
    <ol class="round">
      {numbers.map((number) => {
        const all = saidIn(timeline, number, audience);
        const { above, own, below } = sections(all);
        const { fault, decision } = timeline.view(number, audience);
        const review = decision?.review;
        return (
          <li key={number}>
            {above.map(({ text }) => (
              <h3><Line words={words} line={text} /></h3>
            ))}
            <a
              href={`#${number}`}
              aria-current={number === current ? "step" : undefined}
              onClick={(event) => {
                event.preventDefault();
                onGo(number);
              }}
            >
              <span class="number">{number}</span>
              <span class="what">
                {fault && <strong class="fault-word">✕ fault: {fault.code} </strong>}
                {own.length === 0 && !fault && <span class="quiet-text"><Line words={words} line={silence(timeline, number, audience)} /></span>}
                {own.map((said, index) => (
                  <span class={index > 0 ? "effect" : "first"}>
                    <SaidLine words={words} said={said} />
                  </span>
                ))}
              </span>
              {review?.verdict && <span class="cost"><span class="for-readers">{review.verdict}, cost </span>−{cost(review.cost)}</span>}
            </a>
            {below.map((said) =>
              said.level === 0 ? (
                <h3><Line words={words} line={said.text} /></h3>
              ) : (
                <p class="begins">
                  <SaidLine words={words} said={said} />
                </p>
              ),
            )}
          </li>
        );
      })}
    </ol>
  );
});
