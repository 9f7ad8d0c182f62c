// The log by round: a link to each position, with what the narrator said of it.
import type { VNode } from "preact";
import { memo } from "preact/compat";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Timeline } from "./timeline";
import { Line, type Words, joined } from "./words";

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
        const { lines = [], headings = [] } = timeline.view(number, audience);
        const said = joined(lines.map((index) => timeline.text(index)));
        const fault = timeline.step(number)?.fault;
        const [sentence = number === 0 ? "The setup" : fault ? "" : "Hidden from this view", ...effects] = said;
        return (
          <li key={number}>
            {headings.map((index) => (
              <h3>{timeline.text(index).trim()}</h3>
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
                {fault && <strong class="fault-word">✕ fault: {fault.code.replaceAll("_", " ")} </strong>}
                <Line words={words} line={sentence} />
                {effects.map((line) => (
                  <span class="effect">
                    <Line words={words} line={line} />
                  </span>
                ))}
              </span>
            </a>
          </li>
        );
      })}
    </ol>
  );
});
