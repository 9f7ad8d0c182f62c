// What a step decided: who, the narrator's sentence, what was legal, what the bot said and wrote, how long it took.
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Selection, matching, proposed } from "./choosing";
import type { Decision, Review, Rule } from "./document";
import { SeatIcon } from "./drawing";
import type { Timeline } from "./timeline";
import { Line, SaidLine, Who, type Words, saidIn } from "./words";

export const SHOWN_AT_MOST = 8;

interface DecisionProps {
  timeline: Timeline;
  number: number;
  audience: number;
  words: Words;
  onRule: (rule: Rule) => void;
  /** Show a legal action on the table: one by its index, all of them, or none. */
  onShow: (what: number | "all" | undefined) => void;
  showsAll: boolean;
}

export function DecisionPanel({ timeline, number, audience, words, onRule, onShow, showsAll }: DecisionProps): VNode {
  const step = timeline.step(number);
  const view = timeline.view(number, audience);
  const { seats } = timeline.document;
  const { decision } = view;
  const said = saidIn(timeline, number, audience);
  const at = said.findIndex(({ level, row }) => level > 1 && !row);
  const sentence = said[at]?.text;
  const effects = said.slice(at + 1);
  const seat = decision?.seat ?? step?.seat;
  const name = (index: number): string => seats[index]?.name ?? `seat ${index + 1}`;
  const told = decision?.info === undefined ? undefined : reasoned(timeline.text(decision.info));
  return (
    <div class="decision">
      <p class="facts">
        {seat !== undefined && <Who seat={seat} name={name(seat)} />}
        <span>{decision?.kind ?? KINDS[step?.kind ?? "setup"]}</span>
        {decision?.ms !== undefined && <span>{duration(decision.ms)}{timeline.document.move_ms ? ` of ${duration(timeline.document.move_ms)}` : ""}</span>}
        {decision?.forced && <span>only one legal action</span>}
        {decision?.substitute && <span>chosen by the referee</span>}
      </p>
      {view.fault && (
        <p class="fault">
          <strong>
            <span aria-hidden="true">✕ </span>
            {view.fault.retry ? "Fault, asked again" : "Fault"}: {view.fault.code}
          </strong>
          <span class="message">{view.fault.message !== undefined && timeline.text(view.fault.message)}</span>
        </p>
      )}
      {sentence !== undefined ? (
        <p class="sentence">
          <Line words={words} line={sentence} onRule={onRule} />
        </p>
      ) : (
        !view.fault && <p class="sentence quiet-text">
            <Line words={words} line={silence(timeline, number, audience)} />
          </p>
      )}
      {told?.reason && (
        <blockquote class="reason">
          <span class="quiet-text">its reason: </span>
          {told.reason}
        </blockquote>
      )}
      {decision?.review && <ReviewOf timeline={timeline} decision={decision} review={decision.review} />}
      {decision?.legal && decision.legal.length > 0 && (
        <LegalActions key={number} timeline={timeline} decision={decision} onShow={onShow} showsAll={showsAll} />
      )}
      {told?.rest && <Info text={told.rest} folded={told.reason !== undefined} />}
      {effects.length > 0 && (
        <ul class="effects">
          {effects.map((each) => (
            <li class={each.level < 2 || each.row ? "plain" : ""}>
              <SaidLine words={words} said={each} onRule={onRule} />
            </li>
          ))}
        </ul>
      )}
      <StandardError timeline={timeline} number={number} audience={audience} />
      <PlayOn timeline={timeline} number={number} />
    </div>
  );
}

/** A cost as it is shown, with two or three digits. */
export function cost(value: number): string {
  return Math.abs(value) < 10 ? String(Number(value.toPrecision(2))) : String(Math.round(value));
}

/** What the review says of a decision. A difference within its interval is neither a mistake nor a candidate. */
function ReviewOf({ timeline, decision, review }: { timeline: Timeline; decision: Decision; review: Review }): VNode {
  const better = timeline.legal(decision)[review.better ?? -1];
  const interval = review.low === undefined || review.high === undefined ? "" : ` (${cost(review.low)} to ${cost(review.high)})`;
  return (
    <p class="info" title={timeline.document.review}>
      {review.verdict ? (
        <><strong class="fault-word">{review.verdict === "mistake" ? "Mistake" : "Candidate for a mistake"}: cost {cost(review.cost)}</strong>{interval}</>
      ) : (
        <span class="quiet-text">{better ? `No mistake by the review: ${cost(review.cost)}${interval}` : "The review found nothing better"}</span>
      )}
      {review.verdict && better && <>; better: {timeline.text(better.label)}</>}
      {review.verdict && timeline.document.review && <span class="quiet-text said-of-review">{timeline.document.review}</span>}
    </p>
  );
}

/** The command that plays on from this position with other bots, to copy. */
function PlayOn({ timeline, number }: { timeline: Timeline; number: number }): VNode | null {
  const { record, seats } = timeline.document;
  const kind = timeline.step(number)?.kind;
  if (!record || kind === "result" || kind === "broken off") return null;
  const command = playOn(record, number, seats.length);
  return (
    <details class="said play-on">
      <summary>Play on from here</summary>
      <input readOnly aria-label="Command that plays on from this position" value={command} onFocus={(event) => event.currentTarget.select()} />
      <button type="button" class="quiet-button" onClick={() => void navigator.clipboard?.writeText(command)}>
        Copy
      </button>
    </details>
  );
}

/** `referee match` with a BOT for each seat, run in the folder of the record. */
export function playOn(record: string, number: number, seats: number): string {
  const quoted = `'${`${record}#${number}`.replaceAll("'", `'\\''`)}'`;
  return `referee match ${"BOT ".repeat(seats)}--from ${quoted}`;
}

/** What is said of a step of which the narrator says nothing. */
export function silence(timeline: Timeline, number: number, audience: number): string {
  const { decision } = timeline.view(number, audience);
  switch (timeline.step(number)?.kind) {
    case "decision": {
      if (!decision) return "Hidden from this view.";
      const taken = timeline.legal(decision)[decision.taken ?? -1];
      return taken ? timeline.text(taken.label) : "The narrator says nothing of this decision.";
    }
    case "result":
      return "The game ends here.";
    default:
      return "The position before the first decision.";
  }
}

const KINDS = {
  setup: "setup",
  decision: "decision",
  fault: "fault",
  result: "end of the game",
  "broken off": "the record breaks off",
} as const;

export function duration(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(ms < 10_000 ? 2 : 1))} s`;
}

/** The indices of those that are listed: the one that was taken, and then others. */
export function listed(count: number, taken: number | undefined, all: boolean): number[] {
  const others = Array.from({ length: count }, (_, index) => index).filter((index) => index !== taken);
  const ordered = taken === undefined ? others : [taken, ...others];
  return all ? ordered : ordered.slice(0, SHOWN_AT_MOST);
}

interface LegalProps {
  timeline: Timeline;
  decision: Decision;
  onShow: (what: number | "all" | undefined) => void;
  showsAll: boolean;
}

function LegalActions({ timeline, decision, onShow, showsAll }: LegalProps): VNode {
  const [all, setAll] = useState(false);
  const legal = timeline.legal(decision);
  const indices = listed(legal.length, decision.taken, all);
  const visible = legal.some((action) => action.ghost !== undefined || (action.targets?.length ?? 0) > 0);
  return (
    <section class="legal">
      <div class="row">
        <h2>
          {legal.length === 1 ? "1 legal action" : `${legal.length} legal actions`}
        </h2>
        {visible && (
          <button type="button" class="quiet-button" aria-pressed={showsAll} onClick={() => onShow(showsAll ? undefined : "all")}>
            on the table
          </button>
        )}
      </div>
      <ul>
        {indices.map((index) => (
          <li
            key={index}
            class={index === decision.taken ? "taken" : ""}
            onMouseEnter={visible && !showsAll ? () => onShow(index) : undefined}
            onMouseLeave={visible && !showsAll ? () => onShow(undefined) : undefined}
          >
            {index === decision.taken && <span class={`tick who${decision.seat % 5}`}>✓<span class="for-readers"> taken: </span></span>}
            {timeline.text(legal[index]!.label)}
          </li>
        ))}
      </ul>
      {legal.length > SHOWN_AT_MOST && (
        <button type="button" class="quiet-button" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "fewer" : `${legal.length - SHOWN_AT_MOST} more`}
        </button>
      )}
    </section>
  );
}

/** `fromEnd`: with its end in sight, where a traceback has what is wrong. */
function Said({ title, text, open, fromEnd }: { title: string; text: string; open?: boolean; fromEnd?: boolean }): VNode {
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (fromEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <details class="said" open={open ?? false}>
      <summary>{title}</summary>
      <pre tabIndex={0} ref={box}>{text}</pre>
    </details>
  );
}

/** What a bot said with its action: a line if it is a few numbers and words, else as it is. */
function Info({ text, folded }: { text: string; folded: boolean }): VNode {
  const pairs = folded ? undefined : short(text);
  if (!pairs) return <Said title="What it said (info)" text={text} open={!folded} />;
  return (
    <p class="info">
      <span class="quiet-text">said </span>
      {pairs.map(([name, value], index) => (
        <>
          {index > 0 && ", "}
          <span class="quiet-text">{name}</span> {value}
        </>
      ))}
    </p>
  );
}

/** The fields of an info that is an object. */
function fieldsOf(info: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(info);
    return typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The reason in words that an info gives, as those of language models do, and the rest of it. */
export function reasoned(info: string): { reason?: string; rest: string } {
  const { reason, ...others } = fieldsOf(info);
  if (typeof reason !== "string" || reason.trim() === "") return { rest: info };
  const lines = Object.entries(others).map(([name, each]) => `${name}: ${typeof each === "string" ? each : JSON.stringify(each)}`);
  return { reason: reason.trim(), rest: lines.join("\n") };
}

function short(text: string): [string, string][] | undefined {
  const fields = Object.entries(fieldsOf(text));
  const plain = fields.every(([, each]) => typeof each !== "object" || each === null);
  return plain && fields.length > 0 && text.length <= 240 ? fields.map(([name, each]) => [name, String(each)]) : undefined;
}

/** What a bot wrote to its standard error: at its decision where the record says so, and what is left where it is out
 * and at the end. */
function StandardError({ timeline, number, audience }: { timeline: Timeline; number: number; audience: number }): VNode | null {
  const { stderr = [], seats } = timeline.document;
  const { decision, fault } = timeline.view(number, audience);
  if (decision?.stderr !== undefined) {
    return <Said title="Standard error before this decision" text={timeline.text(decision.stderr)} open />;
  }
  // A view that isn't shown the message isn't shown this.
  const written = fault?.message !== undefined && !fault.retry && stderr[fault.seat];
  if (written) return <Said key={number} title="Its last standard error" text={written.trimEnd()} open fromEnd />;
  if (number !== timeline.last) return null;
  return (
    <>
      {stderr.map((text, seat) => text && <Said title={`Standard error of ${seats[seat]?.name ?? seat}`} text={text} />)}
    </>
  );
}

interface ChooserProps {
  timeline: Timeline;
  due: Decision;
  selection: Selection;
  sending: boolean;
  problem: string;
  onSelect: (selection: Selection) => void;
  onConfirm: (index: number) => void;
  onTakeBack: () => void;
  onShow: (index: number | undefined) => void;
}

/** What clicks on the table have chosen, to be turned and confirmed below it on a phone. */
export function Choice({ timeline, due, selection, sending, onSelect, onConfirm }: Omit<ChooserProps, "problem" | "onTakeBack" | "onShow">): VNode | null {
  const legal = timeline.legal(due);
  const left = matching(legal, selection, (index) => timeline.text(index));
  const choice = proposed(selection, left);
  if (selection.clicked.length === 0 || left.length === 0) return null;
  const at = choice === undefined ? -1 : left.indexOf(choice);
  return (
    <div class="choice" role="group" aria-label="Your choice">
      <p>{choice === undefined ? `${left.length} actions` : timeline.text(legal[choice]!.label)}</p>
      {left.length > 1 && (
        <button type="button" disabled={sending} onClick={() => onSelect({ ...selection, picked: left[(at + 1) % left.length] })}>
          {at < 0 ? "choose" : `${at + 1} of ${left.length}, next`}
        </button>
      )}
      <button type="button" class="strong" disabled={choice === undefined || sending} onClick={() => choice !== undefined && onConfirm(choice)}>
        Confirm
      </button>
    </div>
  );
}

/** The list of legal actions to choose from: search, arrows or clicks, Enter confirms. */
export function Chooser(props: ChooserProps): VNode {
  const { timeline, due, selection, sending, problem, onSelect, onConfirm, onTakeBack, onShow } = props;
  const legal = timeline.legal(due);
  const left = matching(legal, selection, (index) => timeline.text(index));
  const choice = proposed(selection, left);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [choice]);
  const moveTo = (by: number): void => {
    const at = choice === undefined ? (by > 0 ? -1 : left.length) : left.indexOf(choice);
    const index = left[Math.max(0, Math.min(left.length - 1, at + by))];
    if (index !== undefined) onSelect({ ...selection, picked: index });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") moveTo(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && choice !== undefined) onConfirm(choice);
    else if (event.key === "Escape") onTakeBack();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class={`chooser frame${due.seat % 5}`} aria-label="Your decision">
      <p class="sentence">
        <SeatIcon seat={due.seat} /> Your turn: {due.kind}
      </p>
      <input
        type="search"
        {...({ role: "combobox", "aria-expanded": "true" } as object)}
        aria-controls="actions"
        aria-activedescendant={choice === undefined ? undefined : `action-${choice}`}
        aria-label="Search the legal actions"
        placeholder="Search, or click on the table"
        value={selection.search}
        disabled={sending}
        onInput={(event) => onSelect({ ...selection, search: event.currentTarget.value, picked: undefined })}
        onKeyDown={onKeyDown}
      />
      <ul id="actions" role="listbox" aria-label="Legal actions" ref={list}>
        {left.map((index) => (
          <li
            key={index}
            id={`action-${index}`}
            role="option"
            aria-selected={index === choice}
            onMouseEnter={() => onShow(index)}
            onMouseLeave={() => onShow(undefined)}
            onClick={() => onSelect({ ...selection, picked: index })}
            onDblClick={() => onConfirm(index)}
          >
            {timeline.text(legal[index]!.label)}
          </li>
        ))}
      </ul>
      <p class="row confirm">
        <button type="button" class="strong" disabled={choice === undefined || sending} onClick={() => choice !== undefined && onConfirm(choice)}>
          Confirm <kbd>Enter</kbd>
        </button>
        <button type="button" onClick={onTakeBack} disabled={sending}>
          Take back <kbd>U</kbd>
        </button>
        <span class="quiet-text">
          {left.length} of {legal.length}
        </span>
      </p>
      {problem && <p class="fault" role="alert">{problem}</p>}
    </section>
  );
}
