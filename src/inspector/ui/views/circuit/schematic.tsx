// Draws the Schematic in rows of the view's width. The layout changes with the width only; figures
// change each second.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Schematic as SchematicData } from "#core/flow/schematic.js";
import { duration } from "../../format/duration.js";
import { refusedShare, SLOW_NAMES } from "../../format/figure.js";
import { nodeName } from "../../format/node-name.js";
import { percent, rate } from "../../format/quantity.js";
import { arrange, type Extent, type Wire } from "../../layout/arrange.js";
import { LABEL } from "../../layout/size.js";
import { isInViewport, type Viewport, viewportOf } from "../../layout/viewport.js";
import { useEdges, watched } from "../../parts/edges.js";
import { paused } from "../../state/live.js";
import { place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { printPlace, withParams } from "../../url/place.js";
import { type Figures, type HeatBy, heatValue, levelOf } from "./figures.js";
import { NodeBox } from "./node-box.js";
import { openIn, printOpen } from "./open-subgraphs.js";
import "./schematic.css";

export interface SchematicProps {
  readonly schematic: SchematicData;
  readonly figures: Figures;
  readonly heatBy: HeatBy;
  /** Nodes with enabled breakpoints. */
  readonly armed: ReadonlySet<string>;
}

const MARGIN = 16;

export function Schematic({ schematic, figures, heatBy, armed }: SchematicProps) {
  const here = useStore(place);
  const held = useStore(paused);
  const openText = here.params.get("open") ?? "";
  const open = useMemo(() => openIn(openText), [openText]);
  const box = useRef<HTMLDivElement>(null);
  const [available, setAvailable] = useState(0);
  // Before the first paint, and after a resize.
  useLayoutEffect(
    () => watched(box.current, ({ clientWidth }) => setAvailable(clientWidth - 2 * MARGIN)),
    [],
  );
  const drawing = useMemo(() => arrange(schematic, open, available), [schematic, open, available]);

  const selected = here.params.get("node");
  const rates = [...figures.of.values()].map(({ window }) => window.per_second);
  const mostRuns = Math.max(0.001, ...rates);
  const mostHeat = Math.max(
    ...drawing.boxes.map(({ node: { id, kind } }) => {
      const known = figures.of.get(id);
      return known === undefined ? 0 : (heatValue(known, kind, heatBy) ?? 0);
    }),
  );
  useEffect(() => {
    const one = drawing.boxes.find(({ node }) => node.id === selected);
    if (one !== undefined && box.current !== null) showIn(box.current, one);
  }, [selected, drawing]);
  const sight = useSight(box, drawing.boxes.length);
  const edges = useEdges(box, [drawing]);
  const seen = drawing.boxes.filter((one) => isInViewport(one, sight));
  return (
    <div class={["schematic", "edged", ...edges].join(" ")}>
      <div class="canvas" ref={box}>
        <div
          class="drawing"
          role="group"
          aria-label={`Schematic of ${schematic.name}`}
          style={{ width: `${drawing.width}px`, height: `${drawing.height}px` }}
        >
          {seen.map((one) => (one.shape === "group" ? boxOf(one) : null))}
          <svg width={drawing.width} height={drawing.height} aria-hidden="true">
            <defs>
              <marker
                id="arrow"
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="9"
                markerHeight="9"
                markerUnits="userSpaceOnUse"
                orient="auto"
              >
                <path d="M0 0.500 7 4 0 7.500z" />
              </marker>
            </defs>
            {drawing.wires
              .filter(({ extent }) => isInViewport(extent, sight))
              .map((wire) => (
                <WireLine
                  key={`${wire.from} ${wire.to} ${wire.kind} ${wire.label}`}
                  wire={wire}
                  share={shareOf(wire)}
                />
              ))}
          </svg>
          {seen.map((one) => (one.shape === "group" ? null : boxOf(one)))}
        </div>
      </div>
    </div>
  );

  /** The width of a wire: the square root of the runs at its less busy end, so that few runs stay visible. */
  function shareOf({ from, to }: Wire): number {
    const ends = [from, to].flatMap((id) => figures.of.get(id)?.window.per_second ?? []);
    return ends.length === 0 ? 0 : Math.sqrt(Math.min(...ends) / mostRuns);
  }

  function boxOf(one: (typeof drawing.boxes)[number]) {
    const { node } = one;
    const known = figures.of.get(node.id);
    const { window, slowest, slowUs, timeShare } = known ?? {};
    const figure =
      heatBy === "time"
        ? timeShare !== undefined && `${percent(timeShare)} of time`
        : slowUs !== undefined && `${SLOW_NAMES[figures.slow]} ${duration(slowUs)}`;
    return (
      <NodeBox
        key={node.id}
        box={one}
        href={printPlace(withParams(here, { node: selected === node.id ? undefined : node.id }))}
        rate={window === undefined ? "" : rate(window.per_second)}
        figure={figure || ""}
        errors={window !== undefined && window.errors > 0 ? percent(window.error_share) : ""}
        refused={window !== undefined && window.refused > 0 ? percent(refusedShare(window)) : ""}
        slowest={slowest === undefined || heatBy === "time" ? "" : nodeName(slowest)}
        heat={known === undefined ? 0 : levelOf(heatValue(known, node.kind, heatBy), heatBy, mostHeat)}
        isSelected={selected === node.id}
        isArmed={armed.has(node.id)}
        held={held.filter((run) => run.circuit === schematic.name && run.node_id === node.id).length}
        toggle={
          node.schematic === undefined
            ? undefined
            : printPlace(withParams(here, { open: printOpen(open, node.id) }))
        }
      />
    );
  }
}

/** Scrolls as little as necessary. */
function showIn(element: HTMLElement, { x, y, width, height }: Extent): void {
  const [left, top] = [x, y + MARGIN];
  if (left < element.scrollLeft || left + width > element.scrollLeft + element.clientWidth)
    element.scrollLeft = left - (element.clientWidth - width) / 2;
  if (top < element.scrollTop || top + height > element.scrollTop + element.clientHeight)
    element.scrollTop = top - (element.clientHeight - height) / 2;
}

/** The visible part of a large drawing, updated on scroll and resize. */
function useSight(box: { readonly current: HTMLDivElement | null }, boxes: number): Viewport {
  const [sight, setSight] = useState<Viewport>({ x: 0, y: 0, width: 4000, height: 4000 });
  useLayoutEffect(
    () =>
      watched(box.current, ({ scrollLeft, scrollTop, clientWidth, clientHeight }) => {
        const scroll = { x: scrollLeft, y: scrollTop, width: clientWidth, height: clientHeight };
        const next = viewportOf(boxes, scroll, MARGIN);
        setSight((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
      }),
    [boxes],
  );
  return sight;
}

function WireLine({ wire, share }: { readonly wire: Wire; readonly share: number }) {
  const { d, kind, label, labelAt } = wire;
  return (
    <g class={`wire ${kind.toLowerCase()}`}>
      <path
        d={d}
        stroke-width={
          kind === "Linear" || kind === "Parallel" || kind === "Branch" ? (1 + share * 2).toFixed(1) : 1.5
        }
        marker-end="url(#arrow)"
      />
      {label !== undefined && kind !== "Linear" && (
        <text x={labelAt.x} y={labelAt.y - 4} text-anchor={kind === "Jump" ? "middle" : "start"}>
          {label.length > LABEL ? `${label.slice(0, LABEL - 1)}…` : label}
          <title>{label}</title>
        </text>
      )}
    </g>
  );
}
