// The page of a game: header, table, decision, log, plots and controls, and the keys that move through it.
import type { VNode } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { NO_SELECTION, type Selection, click, finder, matching, onTable, proposed, takeBack } from "./choosing";
import { Connection, send, useConnection } from "./connection";
import { Choice, Chooser, DecisionPanel, silence } from "./decision";
import { Explained, Help, Rules } from "./dialogs";
import { Dock } from "./dock";
import type { Rule, Sprite } from "./document";
import { Final, ordinal, signed } from "./final";
import { Log } from "./log";
import { type Move, type State, begin, moveOfKey, reduce, stepOfHash } from "./navigation";
import { Plots } from "./plots";
import { NOTHING_ON_TABLE, PHONE, Table, useWidth } from "./table";
import { type Timeline, changedKeys, decisive, seatsOut } from "./timeline";
import { Line, Who, placeOf, spoken, wordsOf } from "./words";

type Open = { what: "help" } | { what: "rules"; rule?: Rule } | { what: "sprite"; sprite: Sprite } | undefined;

export function Page({ timeline }: { timeline: Timeline }): VNode {
  const { document: game } = timeline;
  const { live } = game;
  const [state, dispatch] = useReducer<State, Move, string>(
    (before, move) => reduce(timeline, before, move),
    location.hash,
    (hash) => begin(timeline, hash),
  );
  const { step: number, audience } = state;
  const [open, setOpen] = useState<Open>();
  const [more, setMore] = useState(false);
  const [dark, setDark] = useDark();
  const width = useWidth();
  const connection = useConnection(timeline, dispatch);
  const words = useMemo(() => wordsOf(game), [game]);
  const kinds = useMemo(
    () => [...new Set(["fault", ...game.audiences.flatMap((_, index) => timeline.marks(index).map(({ kind }) => kind))])],
    [timeline, state.length],
  );
  const go = useCallback((step: number) => dispatch({ move: "to", step }), []);
  const showRule = useCallback((rule: Rule) => setOpen({ what: "rules", rule }), []);
  const explain = useCallback((sprite: Sprite) => setOpen({ what: "sprite", sprite }), []);
  // Only the dialog that is told to close: the event of a closed one may come after a key has opened another.
  const close = useCallback(() => setOpen((now) => (now === open ? undefined : now)), [open]);

  // What is on the table
  const position = timeline.at(number, audience);
  const before = number > 0 ? timeline.at(number - 1, audience) : undefined;
  const changed = useMemo(() => changedKeys(timeline, number, audience), [timeline, number, audience]);
  const extents = useMemo(() => timeline.extents(), [timeline, state.length]);
  const view = timeline.view(number, audience);
  const step = timeline.step(number);
  const seat = view.decision?.seat ?? step?.seat;

  // Legal actions on the table: of the decision shown, or of the one that this page's person has to make
  const asked = number === timeline.last && live?.choose !== undefined && view.due?.seat === live.seat;
  const due = asked && connection.state !== "ended" ? view.due : undefined;
  const [selection, setSelection] = useState<Selection>(NO_SELECTION);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState("");
  const [shown, setShown] = useState<number | "all" | undefined>();
  useEffect(() => {
    setShown(undefined);
    setSelection(NO_SELECTION);
    setProblem("");
    setSending(false);
  }, [number, audience, state.length]);
  const text = useCallback((index: number) => timeline.text(index), [timeline]);
  const overlay = useMemo(() => {
    const { sprites } = game;
    if (due) {
      const legal = timeline.legal(due);
      const left = matching(legal, selection, text);
      const chosen = typeof shown === "number" ? shown : proposed(selection, left);
      return onTable(legal, left, chosen, sprites, finder(position), (target) => setSelection((old) => click(legal, old, target, text)));
    }
    const legal = timeline.legal(view.decision);
    if (shown === undefined || legal.length === 0) return NOTHING_ON_TABLE;
    const at = finder(before, position);
    if (shown === "all") return onTable(legal, legal.map((_, index) => index), view.decision?.taken, sprites, at);
    return onTable(legal, [shown], shown, sprites, at);
  }, [due, selection, shown, view, position]);
  const confirm = (index: number): void => {
    if (live?.choose === undefined || sending) return;
    setSending(true);
    setProblem("");
    send(live.choose, number, index).catch((error: Error) => {
      setProblem(error.message);
      setSending(false);
    });
  };

  const now = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (now.current) now.current.scrollTop = 0;
  }, [number, audience]);
  useAddress(timeline, number, go);
  usePlaying(state, dispatch);
  useKeys((event) => {
    // Not `open`, which is set until the event of a closed dialog comes: keys that come before it would be lost.
    if (document.querySelector("dialog[open]")) return false;
    const field = event.target instanceof HTMLElement ? event.target : undefined;
    if (field?.closest("input:not([type=range]), textarea, select")) return false;
    if (due && event.key.toLowerCase() === "u") {
      setSelection(takeBack);
      return true;
    }
    // A control that the keyboard has reached keeps its keys.
    const onControl = field?.matches("button, a, summary, [role=button]") && field.matches(":focus-visible");
    if (due && event.key === "Enter" && !onControl) {
      const choice = proposed(selection, matching(timeline.legal(due), selection, text));
      if (choice !== undefined) confirm(choice);
      return true;
    }
    if (event.key === " " && onControl) return false;
    const move = moveOfKey(event.key, event.shiftKey, kinds);
    if (move === undefined) return false;
    if (move === "help") setOpen({ what: "help" });
    else dispatch(move);
    return true;
  });

  const decided = useMemo(() => decisive(timeline, audience), [timeline, audience, state.length]);
  const said = spoken(timeline, number, audience);
  const atEnd = number === timeline.last;
  // Beside the table, or on a phone below it: the last position is not pushed off the screen.
  const final = atEnd && <Final timeline={timeline} decided={decided} onGo={go} />;
  const nameOf = (seat: number): string => game.seats[seat]?.name ?? `seat ${seat + 1}`;
  const about = [
    ["Game", game.title],
    ["Options", game.options ?? ""],
    ["Seed", game.seed ?? ""],
    ["Id of this game", game.game_id ?? ""],
    ["Deals, rotations", game.name?.includes("rotation") ? "games of one deal are dealt the same; from rotation to rotation each bot moves one seat on" : ""],
    ...game.seats.map(({ name, introduction = "" }): [string, string] => [name, introduction]),
    ["Referee", game.referee],
  ].filter((pair): pair is [string, string] => Boolean(pair[1]));
  return (
    <div class={`page${more ? " more" : ""}${due ? " deciding" : ""}${atEnd && game.result ? " ended" : ""}`}>
      <header class={`top${game.seats.length > 2 ? " many" : ""}`}>
        <h1>
          {game.title}
          {game.name && (
            <button type="button" class="word quiet-text" onClick={() => setOpen({ what: "help" })}>
              {game.name}
            </button>
          )}
        </h1>
        <Standing timeline={timeline} number={number} audience={audience} turn={seat} />
        <div class="tools">
          {live?.updates !== undefined && <Connection {...connection} over={game.result !== undefined} />}
          <Views audiences={game.audiences} names={game.seats.map(({ name }) => name)} audience={audience} dispatch={dispatch} />
          {game.rules && game.rules.length > 0 && (
            <button type="button" class="quiet-button" onClick={() => setOpen({ what: "rules" })}>
              rules
            </button>
          )}
          <button type="button" class="quiet-button" onClick={() => setDark(!dark)} aria-pressed={dark} aria-label="Dark colours" title="Light or dark">
            ◐
          </button>
          <button type="button" class="quiet-button" onClick={() => setOpen({ what: "help" })} aria-label="Help" title="Help (?)">
            ?
          </button>
        </div>
      </header>
      <main class="table" aria-label="Table" tabIndex={0}>
        {game.goal && <p class="goal quiet-text">{game.goal}</p>}
        <Table
          position={position}
          extents={extents}
          before={before}
          changed={changed}
          seat={seat}
          motion={state.motion}
          onTable={overlay}
          onExplain={explain}
        />
        {width <= PHONE && final}
      </main>
      <aside class="side" aria-label="The decision and the game">
        <div class="now" ref={now} tabIndex={0} role="region" aria-label="Decision">
          {due ? (
            <Chooser
              timeline={timeline}
              due={due}
              selection={selection}
              sending={sending}
              problem={problem}
              onSelect={setSelection}
              onConfirm={confirm}
              onTakeBack={() => setSelection(takeBack)}
              onShow={setShown}
            />
          ) : (
            atEnd && view.due && (
              <p class="facts">
                <Who seat={view.due.seat} name={game.seats[view.due.seat]?.name ?? ""} />
                <span>is to decide: {view.due.kind}</span>
              </p>
            )
          )}
          {width > PHONE && final}
          <DecisionPanel
            timeline={timeline}
            number={number}
            audience={audience}
            words={words}
            onRule={showRule}
            onShow={setShown}
            showsAll={shown === "all"}
          />
        </div>
        <Log timeline={timeline} seen={state.seen} number={number} isShown={more || width > PHONE} audience={audience} words={words} onGo={go} />
        <Plots timeline={timeline} length={state.length} seen={state.seen} number={number} audience={audience} decided={atEnd ? decided : undefined} onGo={go} />
      </aside>
      <Dock timeline={timeline} state={state} kinds={kinds} behind={live?.updates !== undefined && !atEnd} dispatch={dispatch}>
        {due && !more && <Choice timeline={timeline} due={due} selection={selection} sending={sending} onSelect={setSelection} onConfirm={confirm} />}
        <p>
          {view.fault && <strong class="fault-word">✕ fault: {view.fault.code} </strong>}
          {seat !== undefined && !view.fault && !said.startsWith(placeOf(seat)) && <Who seat={seat} name={nameOf(seat)} />}{" "}
          <Line words={words} line={said || (view.fault ? "" : silence(timeline, number, audience))} />
        </p>
        <button type="button" class={due && !more ? "strong" : "quiet-button"} aria-expanded={more} onClick={() => setMore(!more)}>
          {more ? "table" : due ? "your turn" : "more"}
        </button>
      </Dock>
      <div class="for-readers" role="status" aria-live="polite">
        {/* Not while playing fast, as it would never be read out. */}
        {state.playing && state.speed > 1 ? "" : `${view.fault ? `Fault: ${view.fault.code}. ` : ""}${words.named(said)}${due ? `. Your turn: ${due.kind}` : ""}`}
      </div>
      {open?.what === "help" && <Help kinds={kinds} audiences={game.audiences} plays={live?.choose !== undefined} about={about} onClose={close} />}
      {open?.what === "rules" && <Rules rules={game.rules ?? []} first={open.rule} words={words} onClose={close} />}
      {open?.what === "sprite" && <Explained sprite={open.sprite} words={words} onClose={close} />}
    </div>
  );
}

interface StandingProps {
  timeline: Timeline;
  number: number;
  audience: number;
  turn: number | undefined;
}

/** Longer words of what a score counts stand only in the final scoring. */
const SHORT = 12;

/** Who is ahead: every seat with its score, and its place, which of bots that are out doesn't follow from their scores. */
function Standing({ timeline, number, audience, turn }: StandingProps): VNode {
  const { seats, score } = timeline.document;
  const { scores, places, standing } = timeline.at(number, audience);
  const out = seatsOut(timeline, number, audience);
  const scored = timeline.hasScores(number, audience);
  // Room for the longest of the game, so that the table never moves.
  const { length } = timeline.document.steps;
  const widest = useMemo(() => timeline.widest(audience), [timeline, audience, length]);
  return (
    <ul class="standing" aria-label="Scores">
      {score && score.length <= SHORT && <li class={`quiet-text${scored ? "" : " not-yet"}`}>{score}</li>}
      {seats.map(({ name, introduction }, seat) => {
        const place = places[seat];
        return (
          <li class={`${place === 1 ? "leads " : ""}${turn === seat ? `turn frame${seat % 5}` : ""}`} title={introduction || undefined}>
            <Who seat={seat} name={name} />
            {widest.standing > 0 && <span class="quiet-text" style={{ minWidth: `${widest.standing}ch` }}>{standing[seat]}</span>}
            <span class="score" style={{ minWidth: `${widest.score}ch` }}>{scored ? signed(scores[seat] ?? 0) : "\u00a0"}</span>
            {out.has(seat) ? (
              <strong class="rank fault-word" title={`out: ${out.get(seat)}; placed below all bots without a fault`}>out</strong>
            ) : (
              <span class="rank quiet-text">{place !== undefined && ordinal(place)}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface ViewsProps {
  audiences: readonly string[];
  names: readonly string[];
  audience: number;
  dispatch: (move: Move) => void;
}

function Views({ audiences, names, audience, dispatch }: ViewsProps): VNode | null {
  if (audiences.length < 2) {
    const [only] = audiences;
    if (only === undefined || only === "all") return null;
    const seen = names[Number(only)];
    return (
      <p class="views quiet-text">
        <span>seen by</span> {seen === undefined ? "the public" : <Who seat={Number(only)} name={seen} />}
      </p>
    );
  }
  return (
    <div class="views" role="group" aria-label="View as">
      {audiences.map((name, index) => {
        const seat = /^\d+$/.test(name) ? Number(name) : undefined;
        const label = seat === undefined ? name : (names[seat] ?? name);
        const key = seat !== undefined ? String(seat + 1) : name === "all" ? "0" : "P";
        return (
          <button
            type="button"
            class="quiet-button"
            aria-pressed={index === audience}
            aria-label={seat === undefined ? name : `${label}, seat ${seat + 1}`}
            title={`View as ${label} (${key})`}
            onClick={() => dispatch({ move: "audience", name })}
          >
            {seat === undefined ? name : <Who seat={seat} name="" />}
          </button>
        );
      })}
    </div>
  );
}

/** `#42` in the address names the position, both ways. */
function useAddress(timeline: Timeline, number: number, go: (step: number) => void): void {
  useEffect(() => {
    // Browsers refuse too many changes of the address in a short time.
    const soon = setTimeout(() => history.replaceState(null, "", `#${number}`), 120);
    return () => clearTimeout(soon);
  }, [number]);
  useEffect(() => {
    const changed = (): void => {
      const step = stepOfHash(location.hash, timeline.last);
      if (step !== undefined) go(step);
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, [timeline]);
}

function usePlaying(state: State, dispatch: (move: Move) => void): void {
  useEffect(() => {
    if (!state.playing) return;
    const timer = setTimeout(() => dispatch({ move: "tick" }), 1000 / state.speed);
    return () => clearTimeout(timer);
  }, [state.playing, state.step, state.speed]);
}

function useKeys(handle: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (latest.current(event)) event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Whether the page is dark: as the system says, until the reader says otherwise. */
function useDark(): [boolean, (dark: boolean) => void] {
  const system = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [chosen, setChosen] = useState<boolean>();
  const [bySystem, setBySystem] = useState(system.matches);
  useEffect(() => {
    const changed = (): void => setBySystem(system.matches);
    system.addEventListener("change", changed);
    return () => system.removeEventListener("change", changed);
  }, []);
  const dark = chosen ?? bySystem;
  useEffect(() => {
    document.documentElement.classList.toggle("dark", dark);
  }, [dark]);
  return [dark, setChosen];
}
