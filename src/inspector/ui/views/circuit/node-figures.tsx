import type { NodeMetrics, Window } from "../../../api/metrics.js";
import {
  latency,
  type Percentile,
  refusedShare,
  type WindowSeconds,
  windowOf,
  windowText,
} from "../../format/figure.js";
import { nodeName } from "../../format/node-name.js";
import { count, counted, percent, rate } from "../../format/quantity.js";
import { Chart } from "../../parts/charts/chart.js";
import { metrics as liveMetrics, series } from "../../state/live.js";
import { useStore } from "../../state/store.js";

export interface NodeFiguresProps {
  readonly circuit: string;
  readonly node: string;
  /** With the window that the view shows. */
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

/** The figures of the short windows and of the view's, and the percentiles since the page opened the circuit. */
export function NodeFigures({ circuit, node, metrics }: NodeFiguresProps) {
  const live = useStore(liveMetrics, (all) =>
    all?.circuits.find((one) => one.circuit === circuit)?.nodes.find((one) => one.node === node),
  );
  if (metrics === undefined)
    return (
      <section>
        <h3>Figures</h3>
        <p class="dim">No runs yet.</p>
      </section>
    );
  const lengths = new Set<WindowSeconds>([1, 10, 60, ...metrics.windows.map(({ seconds }) => seconds)]);
  const all = [...(live?.windows ?? []), ...metrics.windows];
  const windows = [...lengths].map((seconds) => windowOf(all, seconds));
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
      <table class="figures" aria-label={`Figures of ${nodeName(node)}`}>
        <thead>
          <tr>
            <th scope="col">Last</th>
            {[...lengths].map((seconds) => (
              <th key={seconds} scope="col">
                {seconds === null ? "all" : windowText(seconds).replace("last ", "")}
              </th>
            ))}
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
