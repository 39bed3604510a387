// The figures of a circuit's nodes in one window, as the picture and the table show them. Joins and
// closed subgraphs are not measured: a join has the figures of its fan-out, a subgraph those of the
// nodes inside.

import type { Schematic, SchematicNode } from "#core/flow/schematic.js";
import type { NodeMetrics, Window } from "../../../api/metrics.js";
import { percentile, refusedShare, slowBy, type WindowSeconds, windowOf } from "../../format/figure.js";
import { AROUND } from "../../format/node-name.js";

export type HeatBy = "p99" | "rate" | "errors" | "refused" | "time";
export type Level = 0 | 1 | 2 | 3 | 4;

export interface NodeFigures {
  readonly window: Window;
  /** Share of the time of all nodes; undefined for enclosing nodes. */
  readonly timeShare: number | undefined;
  /** Of a subgraph: the id of its slowest node, of which `slowUs` is. */
  readonly slowest: string | undefined;
  /** p99, or the maximum if no node has samples enough for a p99. */
  readonly slowUs: number | undefined;
}

export interface Figures {
  readonly of: ReadonlyMap<string, NodeFigures>;
  readonly slow: "p99_us" | "max_us";
}

export function figuresOf(
  schematic: Schematic,
  metrics: readonly NodeMetrics[],
  seconds: WindowSeconds,
): Figures {
  const measured = metrics.flatMap(({ node, kind, windows }) => {
    const window = windowOf(windows, seconds);
    return window === undefined || window.count === 0 ? [] : [{ node, kind, window }];
  });
  const inner = measured.filter(({ kind }) => !AROUND.has(kind));
  const slow = slowBy(inner.map(({ window }) => window));
  const sum = inner.reduce((all, { window }) => all + timeOf(window), 0);
  const of = new Map<string, NodeFigures>();
  for (const { node, kind, window } of measured)
    of.set(node, {
      window,
      timeShare: AROUND.has(kind) || sum === 0 ? undefined : timeOf(window) / sum,
      slowest: undefined,
      slowUs: percentile(window, slow),
    });
  const addAll = ({ nodes }: Schematic): void => {
    for (const node of nodes) {
      if (node.schematic !== undefined) addAll(node.schematic);
      const figures = of.has(node.id) ? undefined : derived(node, of);
      if (figures !== undefined) of.set(node.id, figures);
    }
  };
  addAll(schematic);
  return { of, slow };
}

function derived(
  { id, kind, schematic }: SchematicNode,
  of: ReadonlyMap<string, NodeFigures>,
): NodeFigures | undefined {
  if (kind === "FanIn") {
    const fanOut = of.get(id.replace(/:join$/, ""));
    return fanOut && { ...fanOut, window: withoutFaults(fanOut.window) };
  }
  if (schematic === undefined) return undefined;
  const ids = new Set(schematic.nodes.map((node) => node.id));
  const all = schematic.nodes.flatMap((node) => {
    const figures = of.get(node.id);
    return figures === undefined || node.kind === "FanIn" ? [] : [{ node, ...figures }];
  });
  // A node inside another one is part of its figures.
  const inside = all.filter(({ node }) => !isInside(node.id, ids));
  const leaves = all.filter(({ node }) => !AROUND.has(node.kind) || node.schematic !== undefined);
  const [first] = inside;
  if (first === undefined) return undefined;
  const most = inside.reduce((a, b) => (b.window.count > a.window.count ? b : a)).window;
  const slowest = leaves.reduce((a, b) => ((b.slowUs ?? 0) > (a.slowUs ?? 0) ? b : a), leaves[0] ?? first);
  const total = (which: "faults" | "errors" | "refused"): number =>
    inside.reduce((sum, { window }) => sum + window[which], 0);
  const window = {
    ...most,
    ...{ faults: total("faults"), errors: total("errors"), refused: total("refused") },
    error_share: Math.min(1, total("errors") / most.count),
  };
  return {
    window,
    timeShare: leaves.reduce((sum, { timeShare = 0 }) => sum + timeShare, 0),
    slowest: slowest.slowest ?? slowest.node.id,
    slowUs: slowest.slowUs,
  };
}

function isInside(id: string, ids: ReadonlySet<string>): boolean {
  for (let at = id.lastIndexOf("/"); at > 0; at = id.lastIndexOf("/", at - 1))
    if (ids.has(id.slice(0, at))) return true;
  return false;
}

/** Of runs that passed: the others ended before the join. */
function withoutFaults(window: Window): Window {
  const count = Math.max(0, window.count - window.faults);
  const per_second = (window.per_second * count) / window.count;
  return { ...window, count, per_second, faults: 0, errors: 0, refused: 0, error_share: 0 };
}

const timeOf = ({ latency, count }: Window): number => (latency?.mean_us ?? 0) * count;

const ERROR_STEPS = [0.001, 0.01, 0.05, 0.2];
/** Shares of the hottest node. */
const SHARE_STEPS = [0.02, 0.1, 0.35, 0.75];

/** The figure by which nodes are compared; undefined if it says nothing of this node. */
export function heatValue(
  { window, timeShare, slowUs }: NodeFigures,
  kind: string,
  by: HeatBy,
): number | undefined {
  switch (by) {
    case "rate":
      return window.per_second;
    case "errors":
      return window.error_share;
    case "refused":
      return refusedShare(window);
    case "time":
      return timeShare;
    default:
      return AROUND.has(kind) && kind !== "Subgraph" ? undefined : slowUs;
  }
}

/** 0 is none, 4 the highest. */
export function levelOf(value: number | undefined, by: HeatBy, most: number): Level {
  if (value === undefined || value <= 0) return 0;
  const isShare = by === "errors" || by === "refused";
  const steps = isShare ? ERROR_STEPS : SHARE_STEPS;
  const share = isShare ? value : value / most;
  return steps.filter((step) => share >= step).length as Level;
}
