import type { NodeMetrics, Window } from "../../../api/metrics.js";
import { latency, type Percentile, refusedShare, windowOf } from "../../format/figure.js";
import { count, counted, percent, rate } from "../../format/quantity.js";
import { Chart } from "../../parts/charts/chart.js";
import { series } from "../../state/live.js";

export interface NodeFiguresProps {
  readonly node: string;
  readonly metrics: NodeMetrics | undefined;
}

const PERCENTILES: readonly (readonly [Percentile, string])[] = [
  ["p50_us", "p50"],
  ["p90_us", "p90"],
  ["p95_us", "p95"],
  ["p99_us", "p99"],
  ["p99_9_us", "p99.9"],
  ["max_us", "max"],
];

/** The figures of all three windows, and the percentiles since the page opened the circuit. */
export function NodeFigures({ node, metrics }: NodeFiguresProps) {
  if (metrics === undefined)
    return (
      <section>
        <h3>Figures</h3>
        <p class="dim">No runs yet.</p>
      </section>
    );
  const windows = [1, 10, 60].map((seconds) => windowOf(metrics.windows, seconds));
  const row = (name: string, text: (window: Window | undefined) => string) => (
    <tr>
      <th scope="row">{name}</th>
      {windows.map((window, n) => (
        <td key={n}>{text(window)}</td>
      ))}
    </tr>
  );
  return (
    <section>
      <table class="figures" aria-label={`Figures of ${metrics.label}`}>
        <thead>
          <tr>
            <th scope="col">Last</th>
            <th scope="col">1 s</th>
            <th scope="col">10 s</th>
            <th scope="col">60 s</th>
          </tr>
        </thead>
        <tbody>
          {row("Runs", (window) => count(window?.count ?? 0))}
          {row("Rate", (window) => rate(window?.per_second ?? 0))}
          {row("Errors", (window) => ofRuns(window, window?.error_share))}
          {row("Refused", (window) => ofRuns(window, refusedShare(window)))}
          {PERCENTILES.map(([which, name]) => row(name, (window) => latency(window, which)))}
          {row("Samples", (window) => count(window?.samples ?? 0))}
        </tbody>
      </table>
      <p class="dim">
        Since start: {counted(metrics.total, "run")}, {counted(metrics.total_faults, "fault")} (incl.
        refusals).
      </p>
      <OverTime node={node} />
    </section>
  );
}

const ofRuns = (window: Window | undefined, share = 0): string =>
  window === undefined || window.count === 0 ? "–" : percent(share);

function OverTime({ node }: { readonly node: string }) {
  const points = series.of(node);
  const isEnough = points.filter(({ p50 }) => p50 !== undefined).length >= 2;
  const hasP99 = points.some(({ p99 }) => p99 !== undefined);
  return (
    <>
      <h3>
        p99 and <span class="dim">p50</span> over time, windows of 10 s
      </h3>
      {isEnough ? (
        <Chart
          label={`p50 and p99 of ${node} over the last ${points.length} s`}
          times={points.map(({ at }) => at / 1000)}
          lines={[
            { label: "p99", values: points.map(({ p99 }) => p99 ?? null) },
            { label: "p50", values: points.map(({ p50 }) => p50 ?? null), isQuiet: true },
          ]}
        />
      ) : (
        <p class="dim">Needs two windows.</p>
      )}
      {isEnough && !hasP99 && <p class="dim">Too few samples in 10 s for a p99.</p>}
    </>
  );
}
