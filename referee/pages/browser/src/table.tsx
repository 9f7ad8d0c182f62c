// The table: panels of sprites, what the step changed outlined, what moved gliding.
import type { RefObject, VNode } from "preact";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Sprite } from "./document";
import { SpriteView, difference } from "./drawing";
import type { Extent, Panel, Position } from "./timeline";

export const GLIDE_MS = 200;

/** A ghost in its place. A click on it is a click on its target. */
export interface GhostOnTable {
  panel: string;
  target: string;
  sprite: Sprite;
  chosen: boolean;
}

/** What a choice of legal actions shows on the table. Keys are `PANEL/KEY`. */
export interface OnTable {
  targets: ReadonlySet<string>;
  chosen: ReadonlySet<string>;
  ghosts: readonly GhostOnTable[];
  onTarget?: ((target: string) => void) | undefined;
}

export const NOTHING_ON_TABLE: OnTable = { targets: new Set(), chosen: new Set(), ghosts: [] };

interface TableProps {
  position: Position;
  /** By key of a panel, what it covers through the game. */
  extents: ReadonlyMap<string, Extent>;
  before: Position | undefined;
  changed: ReadonlyMap<string, ReadonlySet<string>>;
  /** The seat that decided, whose colour outlines what belongs to nobody. */
  seat: number | undefined;
  motion: "forward" | "backward" | "jump";
  onTable: OnTable;
  onExplain: (sprite: Sprite) => void;
}

/** Above this number, targets aren't outlined: on an empty board of Go each field is one. */
const MANY = 60;

export function Table({ position, extents, before, changed, seat, motion, onTable, onExplain }: TableProps): VNode {
  const width = useWidth();
  const show = (panel: Panel): VNode => (
    <PanelView
      key={panel.frame.key}
      panel={panel}
      extent={extents.get(panel.frame.key) ?? panel.frame}
      before={before?.byKey.get(panel.frame.key)}
      changed={changed.get(panel.frame.key)}
      seat={seat}
      motion={motion}
      onTable={onTable}
      onExplain={onExplain}
    />
  );
  const runs: Panel[][] = [];
  for (const panel of position.panels) {
    if (panel.frame.half && runs.at(-1)?.[0]?.frame.half) runs.at(-1)!.push(panel);
    else runs.push([panel]);
  }
  const beside = width > NARROW && runs.length === 2 && !runs[0]![0]!.frame.half && !isStrip(runs[0]![0]!.frame);
  // Three columns on a wide screen, so that the text of drawings stays about as large as that of the page.
  const columns = beside || width <= PHONE ? 1 : width < WIDE ? 2 : 3;
  return (
    <div class={`panels${beside ? " beside" : ""}${onTable.targets.size > MANY ? " many" : ""}`}>
      {runs.map((run) =>
        run[0]!.frame.half ? (
          <div class="columns" key={`columns ${run[0]!.frame.key}`} style={{ "--units": String(Math.max(...run.map(({ frame }) => frame.width))) }}>
            {packed(run, columns, extents).map((column) => (
              <div>{column.map(show)}</div>
            ))}
          </div>
        ) : (
          show(run[0]!)
        ),
      )}
    </div>
  );
}

/** Widths of windows, as in page.css. */
export const PHONE = 760;
const [NARROW, WIDE] = [1199, 1800];

/** Whether a panel is a row of its own, and not a board that others have room beside. */
function isStrip({ width, height }: Extent): boolean {
  return width > 6 * height;
}

const TITLE = 0.08; // height of a title, in widths of a column

/** Panels in columns: each in the one that is the shortest so far. */
export function packed(panels: readonly Panel[], count: number, extents: ReadonlyMap<string, Extent>): Panel[][] {
  const columns = Array.from({ length: count }, () => ({ height: 0, panels: [] as Panel[] }));
  for (const panel of panels) {
    const { width, height } = extents.get(panel.frame.key) ?? panel.frame;
    const shortest = columns.reduce((best, column) => (column.height < best.height ? column : best));
    shortest.panels.push(panel);
    shortest.height += (panel.frame.heading === false ? 0 : TITLE) + height / width;
  }
  return columns.map((column) => column.panels);
}

export function useWidth(): number {
  const [width, setWidth] = useState(innerWidth);
  useEffect(() => {
    const resized = (): void => setWidth(innerWidth);
    addEventListener("resize", resized);
    return () => removeEventListener("resize", resized);
  }, []);
  return width;
}

/** Below this scale of a drawing, what is only a further help in it is left out. */
const SMALL = 1.1;

/** Keep `--unit`, how many units of a drawing a pixel has, by which page.css keeps its text readable. */
function useScale(svg: RefObject<SVGSVGElement | null>, extent: Extent): void {
  useLayoutEffect(() => {
    const drawing = svg.current;
    if (!drawing) return;
    const measure = (): void => {
      const scale = drawing.getScreenCTM()?.a;
      if (!scale) return;
      drawing.style.setProperty("--unit", `${Math.round(1000 / scale) / 1000}`);
      drawing.toggleAttribute("data-small", scale < SMALL);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(drawing);
    measure();
    return () => observer.disconnect();
  }, [extent.width, extent.height]);
}

/** Whether a change of a sprite is outlined. */
function isNews(before: Sprite | undefined, { quiet, slides, seat, label }: Sprite): boolean {
  if (quiet || (seat === undefined && !label)) return false;
  if (!slides) return true;
  return before ? before.label !== label : seat !== undefined;
}

interface PanelProps extends Omit<TableProps, "position" | "extents" | "before" | "changed"> {
  panel: Panel;
  extent: Extent;
  before: Panel | undefined;
  changed: ReadonlySet<string> | undefined;
}

const PanelView = memo(function PanelView({ panel, extent, before, changed, seat, motion, onTable, onExplain }: PanelProps): VNode {
  const { frame, sprites } = panel;
  const { left = 0, top = 0, width, height } = extent;
  const svg = useRef<SVGSVGElement>(null);
  useScale(svg, extent);
  const shown = useRef<ReadonlyMap<string, Sprite>>(sprites);
  useLayoutEffect(() => {
    if (motion !== "jump" && svg.current) glide(svg.current, shown.current, sprites);
    shown.current = sprites;
    // A row that is wider than a phone begins near what lies above the rest of it, such as the present round.
    const row = svg.current?.parentElement;
    const above = [...sprites.values()].find(({ z }) => z);
    if (row && above && row.scrollWidth > row.clientWidth) {
      row.scrollLeft = ((above.x - left) / width) * row.scrollWidth - row.clientWidth / 3;
    }
  }, [sprites]);
  const inOrder = [...sprites.values()].sort((a, b) => (a.z ?? 0) - (b.z ?? 0));
  const ghosts = onTable.ghosts.filter((ghost) => ghost.panel === frame.key);
  const { onTarget } = onTable;
  return (
    <section tabIndex={isStrip(extent) && innerWidth <= PHONE ? 0 : undefined} class={`panel${frame.half ? " half" : ""}${isStrip(extent) ? " strip" : ""}`} style={{ "--units": String(width), "--aspect": String(width / height) }}>
      {frame.title && frame.heading !== false && <h2>{frame.title}</h2>}
      <svg
        ref={svg}
        viewBox={`${left} ${top} ${width} ${height}`}
        role="group"
        aria-label={frame.title || frame.key}
        data-panel={frame.key}
      >
        {inOrder.map((sprite) => {
          const target = `${frame.key}/${sprite.key}`;
          const canChoose = onTable.targets.has(target);
          const isChanged = changed?.has(sprite.key) === true && isNews(before?.sprites.get(sprite.key), sprite);
          return (
            <SpriteView
              key={sprite.key}
              sprite={sprite}
              outline={isChanged ? (sprite.seat ?? seat ?? "none") : undefined}
              floats={isChanged && motion === "forward" ? difference(before?.sprites.get(sprite.key), sprite) || undefined : undefined}
              role={onTable.chosen.has(target) ? "chosen" : canChoose ? "target" : undefined}
              onChoose={canChoose && onTarget ? (key: string) => onTarget(`${frame.key}/${key}`) : undefined}
              onExplain={onExplain}
            />
          );
        })}
        {ghosts.map(({ sprite, target, chosen }) => (
          <SpriteView
            key={`ghost ${target}`}
            sprite={sprite}
            role={chosen ? "chosen" : "ghost"}
            onChoose={onTarget ? () => onTarget(target) : undefined}
            onExplain={onExplain}
          />
        ))}
      </svg>
    </section>
  );
});

/** Let what has moved glide from where it was, and what is new appear. Nothing else moves. */
function glide(svg: SVGSVGElement, from: ReadonlyMap<string, Sprite>, to: ReadonlyMap<string, Sprite>): void {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const options = { duration: GLIDE_MS, easing: "ease-in-out" };
  for (const element of svg.querySelectorAll<SVGGElement>("g.sprite[data-key]")) {
    const now = to.get(element.dataset["key"] ?? "");
    if (!now || element.classList.contains("is-ghost")) continue;
    const old = from.get(now.key);
    const place = (sprite: Sprite): string => `translate(${sprite.x}px, ${sprite.y}px)`;
    if (!old) element.animate([{ opacity: 0 }, { opacity: 1 }], options);
    else if (old.x !== now.x || old.y !== now.y) element.animate([{ transform: place(old) }, { transform: place(now) }], options);
  }
}
