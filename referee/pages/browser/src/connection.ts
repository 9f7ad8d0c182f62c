// A live page: updates come as server-sent events, and a person's choices go to the server.
import type { Live, Addition } from "./document";

export interface Signal {
  onAddition: (addition: Addition) => void;
  /** Whether the server answers. */
  onState: (state: "connected" | "lost" | "ended") => void;
}

/** Follow the updates of a live page; returns a function that stops. */
export function follow(live: Live, signal: Signal): () => void {
  if (live.updates === undefined) return () => {};
  const source = new EventSource(live.updates);
  source.onopen = () => signal.onState("connected");
  source.onerror = () => signal.onState("lost");
  source.onmessage = (event: MessageEvent<string>) => {
    const addition = JSON.parse(event.data) as Addition;
    signal.onAddition(addition);
    if (addition.ended) {
      source.close();
      signal.onState("ended");
    }
  };
  return () => source.close();
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
