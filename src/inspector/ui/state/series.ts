// Percentiles over time of each node, as far as this page has seen them: the server keeps
// windows, the page keeps what came. Bounded in points and in nodes.

import type { MetricsData } from "../client/api.js";
import { percentile } from "../format/figure.js";

export interface Point {
  readonly at: number;
  readonly perSecond: number;
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly errorShare: number;
}

/** Ten minutes of one point a second. */
const MAX_POINTS = 600;
const MAX_NODES = 2000;

export class Series {
  readonly #points = new Map<string, Point[]>();

  /** Of each node the window of 10 s: one of a second seldom has enough for a percentile. */
  add({ at, circuits }: MetricsData): void {
    for (const { circuit, nodes } of circuits) {
      for (const { node, windows } of nodes) {
        const window = windows.find(({ seconds }) => seconds === 10);
        const points = this.#of(`${circuit} ${node}`);
        const last = points?.[points.length - 1];
        if (window === undefined || points === undefined || (last !== undefined && last.at >= at)) continue;
        const { per_second, error_share } = window;
        points.push({
          at,
          perSecond: per_second,
          p50: percentile(window, "p50_us"),
          p99: percentile(window, "p99_us"),
          errorShare: error_share,
        });
        if (points.length > MAX_POINTS) points.shift();
      }
    }
  }

  of(circuit: string, node: string): readonly Point[] {
    return this.#points.get(`${circuit} ${node}`) ?? [];
  }

  #of(key: string): Point[] | undefined {
    const known = this.#points.get(key);
    if (known !== undefined || this.#points.size >= MAX_NODES) return known;
    const points: Point[] = [];
    this.#points.set(key, points);
    return points;
  }
}
