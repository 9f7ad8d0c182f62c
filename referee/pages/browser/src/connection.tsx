// A live page: updates come as server-sent events, and a person's choices go to the server.
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Addition } from "./document";
import type { Move } from "./navigation";
import type { Timeline } from "./timeline";

export interface ConnectionState {
  state: "connecting" | "connected" | "lost" | "ended";
  /** Seconds without any news. */
  quiet: number;
}

export function Connection({ state, quiet, over }: ConnectionState & { over: boolean }): VNode {
  const said = {
    connecting: "connecting …",
    connected: quiet >= 8 ? `live, no news for ${quiet} s` : "live",
    lost: "the server doesn't answer; trying again …",
    ended: over ? "the game is over" : "not finished",
  }[state];
  return (
    <span class={`live ${state}${quiet >= 8 ? " quiet-live" : ""}`}>
      <span class="dot" aria-hidden="true" />
      {said}
      {state === "ended" && <a href="#0">from the start</a>}
    </span>
  );
}

/** Follow the updates of a live page. */
export function useConnection(timeline: Timeline, dispatch: (move: Move) => void): ConnectionState {
  const { live = {} } = timeline.document;
  const [state, setState] = useState<ConnectionState["state"]>("connecting");
  const [quiet, setQuiet] = useState(0);
  const news = useRef(Date.now());
  useEffect(() => {
    if (live.updates === undefined) return;
    const source = new EventSource(live.updates);
    source.onopen = () => setState("connected");
    source.onerror = () => setState("lost");
    source.onmessage = (event: MessageEvent<string>) => {
      const addition = JSON.parse(event.data) as Addition;
      news.current = Date.now();
      timeline.append(addition);
      dispatch({ move: "grown", film: live.choose !== undefined });
      if (addition.ended) {
        source.close();
        setState("ended");
      }
    };
    const clock = setInterval(() => setQuiet(Math.floor((Date.now() - news.current) / 1000)), 1000);
    return () => {
      source.close();
      clearInterval(clock);
    };
  }, [timeline]);
  return { state, quiet };
}

/** Send a choice. Throws an Error with words for the person if it wasn't taken. */
export async function send(address: string, step: number, action: number): Promise<void> {
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ step, action }),
    });
  } catch {
    throw new Error("The server can't be reached. Your choice was not sent; try again.");
  }
  if (!response.ok) throw new Error((await response.text()).slice(0, 400) || `The server answered ${response.status}.`);
}
