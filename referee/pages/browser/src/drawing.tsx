// Draws shapes and sprites. Only elements and attributes that a renderer may use are created; text stays text.
import { type ComponentChild, type VNode, h } from "preact";
import { memo } from "preact/compat";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Node, Sprite } from "./document";

/** As in referee/games/renderer.py. */
export const TAGS = new Set("g path rect circle ellipse line polygon polyline text tspan".split(" "));
export const ATTRIBUTES = new Set(
  ("class cx cy d dx dy fill-opacity font-size height opacity points r rx ry stroke-dasharray stroke-width " +
    "text-anchor transform width x x1 x2 y y1 y2").split(" "),
);

export function draw(node: Node | string): ComponentChild {
  if (typeof node === "string") return node;
  const [tag, attributes = {}, children = []] = node;
  if (!TAGS.has(tag)) return null;
  const allowed = Object.entries(attributes).filter(
    ([name, value]) => ATTRIBUTES.has(name) && (typeof value === "string" || typeof value === "number"),
  );
  return h(tag, Object.fromEntries(allowed), ...children.map(draw));
}

/** All text in shapes, such as the number on a counter. */
export function textIn(shape: readonly (Node | string)[]): string {
  return shape.map((node) => (typeof node === "string" ? node : textIn(node[2] ?? []))).join("");
}

/** By how much the only number in the text of a sprite has changed: "+2" or "−3"; "" if nothing else is the same. */
export function difference(before: Sprite | undefined, after: Sprite): string {
  if (before === undefined) return "";
  const [old, now] = [before, after].map((sprite) => /^(\D*)(\d+)(\D*)$/.exec(textIn(sprite.shape).replace("−", "-")));
  if (!old || !now || old[1] !== now[1] || old[3] !== now[3]) return "";
  const by = Number(now[2]) - Number(old[2]);
  return by === 0 ? "" : by > 0 ? `+${by}` : `−${-by}`;
}

export interface SpriteProps {
  sprite: Sprite;
  /** The seat whose colour outlines it, "none" for an outline without one; undefined draws none. */
  outline?: number | "none" | undefined;
  /** The text that floats off. */
  floats?: string | undefined;
  /** How it takes part in a choice of legal actions. */
  role?: "target" | "chosen" | "ghost" | undefined;
  onChoose?: ((key: string) => void) | undefined;
  onExplain?: ((sprite: Sprite) => void) | undefined;
}

function SpriteShape({ sprite, outline, floats, role, onChoose, onExplain }: SpriteProps): VNode {
  const shape = useRef<SVGGElement>(null);
  const frame = useRef<SVGGElement>(null);
  const outlined = outline !== undefined || role === "chosen" || role === "target";
  useLayoutEffect(() => {
    const box = shape.current?.getBBox();
    if (!box || !frame.current) return;
    const pad = 3;
    for (const rect of frame.current.querySelectorAll("rect")) {
      rect.setAttribute("x", String(box.x - pad));
      rect.setAttribute("y", String(box.y - pad));
      rect.setAttribute("width", String(box.width + 2 * pad));
      rect.setAttribute("height", String(box.height + 2 * pad));
    }
    const text = frame.current.querySelector("text");
    if (!text) return;
    // Right of the number, where it covers no name above.
    const numbers = [...shape.current!.querySelectorAll("text")].filter((each) => /\d/.test(each.textContent ?? ""));
    const number = numbers[0]?.getBBox() ?? box;
    text.setAttribute("x", String(number.x + number.width + 4));
    text.setAttribute("y", String(number.y + number.height * 0.8));
  });
  const seat = typeof outline === "number" ? ` line-seat${outline % 5}` : "";
  const click = onChoose ? () => onChoose(sprite.key) : onExplain && sprite.label ? () => onExplain(sprite) : undefined;
  const label = sprite.label ? { role: onChoose ? "button" : "img", "aria-label": sprite.label } : { "aria-hidden": true };
  // A ghost without a label is drawn over its target, which the keyboard reaches.
  const keyboard = onChoose && sprite.label
    ? {
        tabIndex: 0,
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          event.stopPropagation();
          onChoose(sprite.key);
        },
      }
    : {};
  return h(
    "g",
    {
      class: `sprite${role ? ` is-${role}` : ""}${click ? " clickable" : ""}`,
      transform: `translate(${sprite.x} ${sprite.y})`,
      "data-key": sprite.key,
      onClick: click,
      ...label,
      ...keyboard,
    } as object,
    <g ref={shape}>{sprite.shape.map(draw)}</g>,
    outlined || floats ? (
      <g ref={frame} class="outline" aria-hidden={true}>
        {outlined && <rect class="halo" rx={5} />}
        {outlined && <rect class={`edge${role === undefined ? seat : ""}`} rx={5} />}
        {floats && <text class="floats">{floats}</text>}
      </g>
    ) : null,
  );
}

/** A sprite. It is drawn again only if it or its part in a choice has changed. */
export const SpriteView = memo(SpriteShape);

/** The mark of a seat, as in referee/games/seat_marks.py: circle, square, triangle, diamond, star. */
export function SeatMark({ seat, x = 0, y = 0, size = 12 }: { seat: number; x?: number; y?: number; size?: number }): VNode {
  const half = size / 2;
  const attributes = { class: `seat${seat % 5}` };
  const corners = (list: [number, number][]): VNode => (
    <polygon {...attributes} points={list.map(([dx, dy]) => `${round(x + dx)},${round(y + dy)}`).join(" ")} />
  );
  switch (seat % 5) {
    case 0:
      return <circle {...attributes} cx={x} cy={y} r={half} />;
    case 1: {
      const side = size * 0.9;
      return <rect {...attributes} x={round(x - side / 2)} y={round(y - side / 2)} width={side} height={side} />;
    }
    case 2:
      return corners([[0, -half], [half, half], [-half, half]]);
    case 3:
      return corners([[0, -half], [half, 0], [0, half], [-half, 0]]);
    default:
      return corners(
        Array.from({ length: 10 }, (_, n) => {
          const radius = n % 2 === 0 ? half : half * 0.45;
          return [Math.sin((Math.PI * n) / 5) * radius, -Math.cos((Math.PI * n) / 5) * radius];
        }),
      );
  }
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}

/** A seat's mark in a line of text. */
export function SeatIcon({ seat }: { seat: number }): VNode {
  return (
    <svg class="icon" viewBox="-7 -7 14 14" aria-hidden="true" focusable="false">
      <SeatMark seat={seat} />
    </svg>
  );
}
