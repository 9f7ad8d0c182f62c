// Dialogs: the keys, the rules by name, and what something on the table is.
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Rule, Sprite } from "./document";
import { keyOfMark } from "./navigation";
import { Line, type Words } from "./words";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

function Dialog({ title, onClose, children }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  // Again if it is opened anew before the event of its last closing has come.
  useLayoutEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
  }, [onClose]);
  const closed = (): void => {
    if (!dialog.current?.open) onClose();
  };
  const outside = (event: MouseEvent): void => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={closed} onClick={outside}>
      <div class="dialog">
        <div class="row">
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="quiet-button" onClick={onClose}>
            close <kbd>Esc</kbd>
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

interface HelpProps {
  kinds: readonly string[];
  audiences: readonly string[];
  plays: boolean;
  /** What the page is of: options, seed and the version of the referee. */
  about: readonly (readonly [string, string])[];
  onClose: () => void;
}

export function Help({ kinds, audiences, plays, about, onClose }: HelpProps): VNode {
  const views = audiences.length > 1;
  const keys: [string, string][] = [
    ["← →", "one step back, forward"],
    ["Shift ← →", "one round back, forward"],
    ["Home End", "to the start, to the end"],
    ["space", "play, pause"],
    ...kinds.map((kind): [string, string] => [keyOfMark(kind, kinds)?.toUpperCase() ?? "", `next ${kind}; with Shift the one before`]),
    ...(views && audiences.some((name) => /^\d$/.test(name)) ? ([["1 … 5", "view as a seat"]] as [string, string][]) : []),
    ...(views && audiences.includes("all") ? ([["0", "view everything"]] as [string, string][]) : []),
    ...(views && audiences.includes("public") ? ([["P", "view as the public"]] as [string, string][]) : []),
    ...(plays ? ([["Enter", "confirm the action"], ["U", "take back before confirming"]] as [string, string][]) : []),
    ["?", "this help"],
  ];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.filter(([key]) => key).map(([key, meaning]) => (
          <>
            <dt>
              {key.split(" ").map((each) => (each === "…" ? " … " : <kbd>{each}</kbd>))}
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <p>
        Click something on the table to read what it is. The address of the page with <code>#42</code> is a link to position 42.
      </p>
      <dl class="about">
        {about.map(([what, value]) => (
          <>
            <dt>{what}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}

interface RulesProps {
  rules: readonly Rule[];
  /** The rule that was asked for; without one all are listed. */
  first: Rule | undefined;
  words: Words;
  onClose: () => void;
}

export function Rules({ rules, first, words, onClose }: RulesProps): VNode {
  const [rule, setRule] = useState(first);
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const found = rules.filter(({ title, text, words: others = [] }) =>
    [title, text, ...others].some((each) => each.toLowerCase().includes(wanted)),
  );
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  if (rule) {
    return (
      <Dialog title={capital(rule.title)} onClose={onClose}>
        <div class="prose">
          {rule.text.trim().split(/\n\s*\n/).map((paragraph) => (
            <p>
              <Line words={words} line={paragraph.replace(/\s+/g, " ")} onRule={(other) => other !== rule && setRule(other)} />
            </p>
          ))}
        </div>
        <button type="button" class="quiet-button" onClick={() => setRule(undefined)}>
          all rules
        </button>
      </Dialog>
    );
  }
  return (
    <Dialog title="Rules" onClose={onClose}>
      <input type="search" aria-label="Search the rules" placeholder="Search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      {kinds.map((kind) => (
        <section class="rules">
          <h3>{kind}</h3>
          <ul>
            {found.filter((each) => each.kind === kind).map((each) => (
              <li>
                <button type="button" class="word" onClick={() => setRule(each)}>
                  {each.title}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p>Nothing in the rules has these letters.</p>}
    </Dialog>
  );
}

interface ExplainedProps {
  sprite: Sprite;
  words: Words;
  onClose: () => void;
}

/** What something on the table is, and below it the rules that its words name. */
export function Explained({ sprite, words, onClose }: ExplainedProps): VNode {
  const label = sprite.label ?? "";
  const rules = new Set(words.split(label).flatMap((part) => (typeof part === "object" && "rule" in part ? [part.rule] : [])));
  return (
    <Dialog title="On the table" onClose={onClose}>
      <p class="sentence">{capital(label)}</p>
      {[...rules].slice(0, 2).map((rule) => (
        <div class="prose">
          <h3>{capital(rule.title)}</h3>
          <p>{rule.text.trim().replace(/\s+/g, " ")}</p>
        </div>
      ))}
    </Dialog>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
