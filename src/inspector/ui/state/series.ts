// Percentiles over time for the nodes of the open circuit, collected since the page opened it: the
// server keeps windows only.

import type { MetricsData } from "../client/api.js";
import { percentile } from "../format/figure.js";

export interface Point {
  readonly at: number;
  readonly p50: number | undefined;
  readonly p99: number | undefined;
}

/** Ten minutes at one point per second. */
const MAX_POINTS = 600;

export class Series {
  readonly #points = new Map<string, Point[]>();
  #circuit: string | undefined;

  /** Records this circuit from now on, and no other. */
  follow(circuit: string): void {
    if (this.#circuit === circuit) return;
    this.#circuit = circuit;
    this.#points.clear();
  }

  /** Uses the 10 s window: a window of 1 s rarely has enough samples for a percentile. */
  add({ at, circuits }: MetricsData): void {
    const open = circuits.find(({ circuit }) => circuit === this.#circuit);
    for (const { node, windows } of open?.nodes ?? []) {
      const window = windows.find(({ seconds }) => seconds === 10);
      const points = this.#points.get(node) ?? [];
      const last = points[points.length - 1];
      if (window === undefined || (last !== undefined && last.at >= at)) continue;
      points.push({ at, p50: percentile(window, "p50_us"), p99: percentile(window, "p99_us") });
      if (points.length > MAX_POINTS) points.shift();
      this.#points.set(node, points);
    }
  }

  of(node: string): readonly Point[] {
    return this.#points.get(node) ?? [];
  }
}
