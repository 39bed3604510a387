// Draws the Schematic. The layout is computed once; figures change each second.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Schematic as SchematicData } from "#core/flow/schematic.js";
import type { CircuitMetrics, NodeMetrics } from "../../../api/metrics.js";
import { latency, refusedShare, windowOf } from "../../format/figure.js";
import { percent, rate } from "../../format/quantity.js";
import { arrange, type Extent, type Wire } from "../../layout/arrange.js";
import { isInViewport, type Viewport, viewportOf } from "../../layout/viewport.js";
import { useEdges, watched } from "../../parts/edges.js";
import { fitByKey } from "../../state/keys.js";
import { paused } from "../../state/live.js";
import { place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { printPlace, withParams } from "../../url/place.js";
import { type HeatBy, heatOf } from "./heat.js";
import { NodeBox } from "./node-box.js";
import { openIn, printOpen } from "./open-subgraphs.js";
import "./schematic.css";

export interface SchematicProps {
  readonly schematic: SchematicData;
  readonly metrics: CircuitMetrics | undefined;
  readonly seconds: number;
  readonly heatBy: HeatBy;
  /** Nodes with enabled breakpoints. */
  readonly armed: ReadonlySet<string>;
}

const MARGIN = 24;
/** Below this zoom figures are unreadable: the drawing opens with a part at READ_WELL instead. */
const READABLE = 0.7;
const READ_WELL = 0.9;

export function Schematic({ schematic, metrics, seconds, heatBy, armed }: SchematicProps) {
  const here = useStore(place);
  const held = useStore(paused);
  const openText = here.params.get("open") ?? "";
  const open = useMemo(() => openIn(openText), [openText]);
  const drawing = useMemo(() => arrange(schematic, open), [schematic, open]);
  const nodes = useMemo(() => new Map(metrics?.nodes.map((node) => [node.node, node])), [metrics]);
  const heat = useMemo(() => heatOf(metrics?.nodes ?? [], heatBy, seconds), [metrics, heatBy, seconds]);
  const [zoom, setZoom] = useState(1);
  const box = useRef<HTMLDivElement>(null);

  const selected = here.params.get("node");
  const width = drawing.width + 2 * MARGIN;
  const height = drawing.height + 2 * MARGIN;
  const most = Math.max(0.001, ...(metrics?.nodes ?? []).map((node) => perSecond(node, seconds)));
  const whole = () => {
    const element = box.current;
    if (element === null) return 1;
    return Math.max(0.05, Math.min(1, element.clientWidth / width, element.clientHeight / height));
  };
  const fit = () => setZoom(whole());
  // The whole drawing, or its beginning at a readable zoom. Once for each circuit.
  useLayoutEffect(() => setZoom(whole() < READABLE ? READ_WELL : whole()), [schematic]);
  useEffect(() => fitByKey(fit), [schematic, drawing]);
  // A change of zoom moves the node.
  useEffect(() => {
    const one = drawing.boxes.find(({ node }) => node.id === selected);
    if (one !== undefined && box.current !== null) showIn(box.current, one, zoom);
  }, [selected, zoom, drawing]);
  const sight = useSight(box, drawing.boxes.length, zoom);
  const edges = useEdges(box, [zoom, drawing]);
  return (
    <div class={["schematic", "edged", ...edges].join(" ")}>
      <div class="zoom">
        <button
          type="button"
          class="plain"
          aria-label="Zoom out"
          onClick={() => setZoom((z) => Math.max(0.1, z / 1.25))}
        >
          −
        </button>
        <button type="button" class="plain" onClick={() => setZoom(1)} aria-label="Full size">
          {Math.round(zoom * 100)} %
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Zoom in"
          onClick={() => setZoom((z) => Math.min(2, z * 1.25))}
        >
          +
        </button>
        <button type="button" class="plain" title="Fit to window (f)" onClick={() => fit()}>
          Fit
        </button>
      </div>
      <div class="canvas" ref={box}>
        <svg
          width={width * zoom}
          height={height * zoom}
          viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
          role="group"
          aria-label={`Schematic of ${schematic.name}`}
        >
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
          {drawing.boxes.map((one) =>
            one.shape === "group" && isInViewport(one, sight) ? boxOf(one) : null,
          )}
          {drawing.wires
            .filter(({ extent }) => isInViewport(extent, sight))
            .map((wire) => (
              <WireLine
                key={`${wire.from} ${wire.to} ${wire.kind} ${wire.label}`}
                wire={wire}
                share={shareOf(wire)}
              />
            ))}
          {drawing.boxes.map((one) =>
            one.shape !== "group" && isInViewport(one, sight) ? boxOf(one) : null,
          )}
        </svg>
      </div>
    </div>
  );

  /** The width of a wire: the square root of the runs at its less busy end, so that few runs stay visible. */
  function shareOf({ from, to }: Wire): number {
    const ends = [nodes.get(from), nodes.get(to)].flatMap((node) =>
      node === undefined ? [] : perSecond(node, seconds),
    );
    return ends.length === 0 ? 0 : Math.sqrt(Math.min(...ends) / most);
  }

  function boxOf(one: (typeof drawing.boxes)[number]) {
    const { node } = one;
    const window = windowOf(nodes.get(node.id)?.windows ?? [], seconds);
    const isBusy = window !== undefined && window.count > 0;
    const hot = heat.get(node.id);
    return (
      <NodeBox
        key={node.id}
        box={one}
        href={printPlace(withParams(here, { node: selected === node.id ? undefined : node.id }))}
        rate={isBusy ? rate(window.per_second) : ""}
        p99={isBusy ? latency(window, "p99_us") : ""}
        errors={isBusy && window.errors > 0 ? percent(window.error_share) : ""}
        refused={isBusy && window.refused > 0 ? percent(refusedShare(window)) : ""}
        heat={hot?.level ?? 0}
        heatText={hot?.text ?? ""}
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

/** Scrolls the box to the centre horizontally, and as little as necessary vertically. */
function showIn(element: HTMLElement, one: Extent, zoom: number): void {
  const [left, top] = [(one.x + MARGIN) * zoom, (one.y + MARGIN) * zoom];
  const [width, height] = [one.width * zoom, one.height * zoom];
  if (left < element.scrollLeft || left + width > element.scrollLeft + element.clientWidth)
    element.scrollLeft = left - (element.clientWidth - width) / 2;
  if (top < element.scrollTop || top + height > element.scrollTop + element.clientHeight)
    element.scrollTop = top - (element.clientHeight - height) / 2;
}

/** The visible part of a large drawing, updated on scroll and resize. */
function useSight(box: { readonly current: HTMLDivElement | null }, boxes: number, zoom: number): Viewport {
  const [sight, setSight] = useState<Viewport>({ x: 0, y: 0, width: 4000, height: 4000 });
  useLayoutEffect(
    () =>
      watched(box.current, ({ scrollLeft, scrollTop, clientWidth, clientHeight }) => {
        const scroll = { x: scrollLeft, y: scrollTop, width: clientWidth, height: clientHeight };
        const next = viewportOf(boxes, scroll, zoom, MARGIN);
        setSight((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
      }),
    [boxes, zoom],
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
        <text
          x={labelAt.x}
          y={labelAt.y - 4}
          class="small"
          text-anchor={kind === "Jump" ? "middle" : "start"}
        >
          {label}
        </text>
      )}
    </g>
  );
}

const perSecond = ({ windows }: NodeMetrics, seconds: number): number =>
  windowOf(windows, seconds)?.per_second ?? 0;
