// What is shown at the end: why the page ends before the game, and the final scoring.
import type { VNode } from "preact";
import type { Decisive, Timeline } from "./timeline";
import { Who } from "./words";

/** Why the page ends before the game, if no step says it, and why the game doesn't count. */
function Banner({ timeline }: { timeline: Timeline }): VNode | null {
  const { error, note } = timeline.document;
  const untold = timeline.step(timeline.last)?.kind === "broken off" ? undefined : error;
  if (!untold && !note) return null;
  return (
    <div class="banner" role="note">
      {untold && (
        <p>
          <strong>The game isn't shown to its end. </strong>
          {untold}
        </p>
      )}
      {note && (
        <p>
          <strong>This doesn't count as it was played: </strong>
          {note}
        </p>
      )}
    </div>
  );
}

export function ordinal(rank: number): string {
  const tens = rank % 100;
  const suffix = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][rank % 10] ?? "th");
  return `${rank}${suffix}`;
}

/** A number of points, with a true minus. */
export function signed(points: number): string {
  return String(points).replace("-", "−");
}

/** What a score counts: the word of the game if it is one, or else points. */
export function unit(score: string | undefined, count: number): string {
  const word = /^\p{L}+s$/u.test(score ?? "") ? score! : "points";
  return count === 1 ? word.slice(0, -1) : word;
}

export function Final(props: FinalProps): VNode {
  return (
    <>
      <Banner timeline={props.timeline} />
      <Scoring {...props} />
    </>
  );
}

interface FinalProps {
  timeline: Timeline;
  decided: Decisive | undefined;
  onGo: (step: number) => void;
}

/** The ranks, and the scores by source. */
function Scoring({ timeline, decided, onGo }: FinalProps): VNode | null {
  const { result, breakdown, seats, score } = timeline.document;
  if (!result) return null;
  const order = seats.map((_, seat) => seat).sort((a, b) => result.ranks[a]! - result.ranks[b]! || a - b);
  const name = (seat: number): string => seats[seat]?.name ?? "";
  return (
    <section class="final" aria-label="Final scoring">
      <h2>Final scoring</h2>
      <div>
      <div class="scrolls" tabIndex={0} role="region" aria-label="Final scores by source">
        <table class={seats.length > 3 ? "many" : ""}>
          <thead>
            <tr>
              <td />
              {order.map((seat) => (
                <th scope="col" class="figure">
                  <Who seat={seat} name={name(seat)} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {breakdown?.sources.map((source, row) => (
              <tr>
                <th scope="row">{source}</th>
                {order.map((seat) => (
                  <td class="figure">{signed(breakdown.points[row]?.[seat] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{score || "Score"}</th>
              {order.map((seat) => (
                <td class="figure total">{signed(result.scores[seat] ?? 0)}</td>
              ))}
            </tr>
            <tr>
              <th scope="row">Place</th>
              {order.map((seat) => (
                <td class="figure">
                  {ordinal(result.ranks[seat] ?? 0)}
                  {result.faults[seat] && <span class="fault-word"> ✕ {result.faults[seat]!.replaceAll("_", " ")}</span>}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      {decided && (
        <p>
          Decisive:{" "}
          <a
            href={`#${decided.last}`}
            onClick={(event) => {
              event.preventDefault();
              onGo(decided.round > 0 ? decided.first : decided.last);
            }}
          >
            {decided.round > 0 ? `round ${decided.round}` : `step ${decided.last}`}
          </a>
          , in which <Who seat={decided.winner} name={name(decided.winner)} /> gained {decided.swing}{" "}
          {unit(score, decided.swing)} on <Who seat={decided.second} name={name(decided.second)} />
          {decided.overtook && " and took the lead"}.
        </p>
      )}
      </div>
    </section>
  );
}
