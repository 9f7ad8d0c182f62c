// The log by round: a link to each position, with what the narrator said of it.
import type { VNode } from "preact";
import { memo } from "preact/compat";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { silence } from "./decision";
import type { Timeline } from "./timeline";
import { SaidLine, type Words, saidIn } from "./words";

interface LogProps {
  timeline: Timeline;
  length: number;
  number: number;
  audience: number;
  words: Words;
  onGo: (step: number) => void;
}

export function Log({ timeline, length, number, audience, words, onGo }: LogProps): VNode {
  const rounds = useMemo(() => timeline.rounds(), [timeline, length]);
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
  }, [number, audience, length]);
  return (
    <nav class="log" aria-label="Log of the game" ref={box} tabIndex={0}>
      {rounds.map(({ first, last }) => (
        <LogPart
          key={first}
          timeline={timeline}
          first={first}
          last={last}
          current={number >= first && number <= last ? number : -1}
          audience={audience}
          words={words}
          onGo={onGo}
        />
      ))}
    </nav>
  );
}

interface PartProps extends Omit<LogProps, "number" | "length"> {
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
        // The heading of the next round comes last.
        const heading = all.findIndex(({ level }) => level === 0);
        const own = heading < 0 ? all : all.slice(0, heading);
        const { fault } = timeline.view(number, audience);
        const kind = timeline.step(number)?.kind;
        return (
          <li key={number}>
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
                {own.length === 0 && !fault && <span class="quiet-text">{silence(kind)}</span>}
                {own.map((said, index) => (
                  <span class={index > 0 ? "effect" : "first"}>
                    <SaidLine words={words} said={said} />
                  </span>
                ))}
              </span>
            </a>
            {heading >= 0 && all.slice(heading).map((said) => (said.level === 0 ? <h3>{said.text}</h3> : (
              <p class="begins">
                <SaidLine words={words} said={said} />
              </p>
            )))}
          </li>
        );
      })}
    </ol>
  );
});
