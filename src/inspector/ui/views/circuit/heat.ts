// The heat of a node in five levels: by its p99 (by its maximum if no node has a p99), its errors,
// or its share of the circuit's time.

import type { NodeMetrics } from "../../../api/metrics.js";
import { duration } from "../../format/duration.js";
import { percentile, SLOW_NAMES, slowBy, windowOf } from "../../format/figure.js";
import { AROUND } from "../../format/node-name.js";
import { percent } from "../../format/quantity.js";

export type HeatBy = "p99" | "errors" | "time";

export const HEATS: readonly (readonly [HeatBy, string])[] = [
  ["p99", "p99"],
  ["errors", "Errors"],
  ["time", "Share of time"],
];

export interface Heat {
  /** 0 is none, 4 the highest. */
  readonly level: 0 | 1 | 2 | 3 | 4;
  /** The level in words, for hover and for readers without colour vision. */
  readonly text: string;
}

const NONE: Heat = { level: 0, text: "" };
const ERROR_STEPS = [0.001, 0.01, 0.05, 0.2];
/** Shares relative to the hottest node. */
const SHARE_STEPS = [0.02, 0.1, 0.35, 0.75];

export function heatOf(
  nodes: readonly NodeMetrics[],
  by: HeatBy,
  seconds: number,
): ReadonlyMap<string, Heat> {
  const slow = slowBy(
    nodes.filter(({ kind }) => !AROUND.has(kind)).map(({ windows }) => windowOf(windows, seconds)),
  );
  const values = new Map(nodes.map((node) => [node.node, heatValue(node, by, seconds, slow)]));
  const sum = [...values.values()].reduce((all: number, value) => all + (value ?? 0), 0);
  const max = Math.max(0, ...[...values.values()].map((value) => value ?? 0));
  const heats = new Map<string, Heat>();
  for (const [node, value] of values) {
    if (value === undefined || value === 0) heats.set(node, NONE);
    else if (by === "errors")
      heats.set(node, { level: levelOf(value, ERROR_STEPS), text: `${percent(value)} errors` });
    else if (by === "p99")
      heats.set(node, {
        level: levelOf(value / max, SHARE_STEPS),
        text: `${SLOW_NAMES[slow]} ${duration(value)}`,
      });
    else
      heats.set(node, {
        level: levelOf(value / max, SHARE_STEPS),
        text: `${percent(value / sum)} of the time`,
      });
  }
  return heats;
}

function heatValue(
  { kind, windows }: NodeMetrics,
  by: HeatBy,
  seconds: number,
  slow: "p99_us" | "max_us",
): number | undefined {
  const window = windowOf(windows, seconds);
  if (window === undefined || window.count === 0) return undefined;
  if (by === "errors") return window.error_share;
  if (AROUND.has(kind)) return undefined;
  if (by === "time") return (window.latency?.mean_us ?? 0) * window.count;
  return percentile(window, slow);
}

const levelOf = (share: number, steps: readonly number[]): Heat["level"] =>
  steps.filter((step) => share >= step).length as Heat["level"];
