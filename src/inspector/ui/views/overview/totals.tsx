import type { ComponentChildren } from "preact";

import type { MetricsData } from "../../client/api.js";
import { duration } from "../../format/duration.js";
import { basis, latency, type WindowSeconds, windowOf, windowText } from "../../format/figure.js";
import { bytes, count, counted, percent, rate } from "../../format/quantity.js";
import { Link } from "../../parts/link.js";
import { unmatchedOf } from "./unmatched.js";

export interface TotalsProps {
  readonly metrics: MetricsData;
  readonly seconds: WindowSeconds;
  /** Of links to the overview. */
  readonly params: Readonly<Record<string, string>>;
}

/** One line of figures for the whole process. */
export function Totals({ metrics, seconds, params }: TotalsProps) {
  const { http, process, circuits, processes } = metrics;
  const window = windowOf(http.windows, seconds);
  const inFlight = circuits.reduce((sum, circuit) => sum + circuit.in_flight, 0);
  const heapShare = process.heap_limit_bytes > 0 ? process.heap_used_bytes / process.heap_limit_bytes : 0;
  const hasErrors = (window?.faults ?? 0) > 0;
  return (
    <dl class="totals" aria-label="The process">
      <Total
        name="Requests"
        value={rate(window?.per_second ?? 0)}
        under={windowText(seconds)}
        hint={basis("Requests", window, "request")}
      />
      <Total
        name="p99"
        value={latency(window, "p99_us")}
        under={`p50 ${latency(window, "p50_us")}`}
        hint={basis("p99", window, "request")}
      />
      <Total
        name="5xx"
        value={percent(window?.error_share ?? 0)}
        under={`${count(window?.faults ?? 0)} of ${count(window?.count ?? 0)}`}
        hint={basis("Responses with 5xx", window, "request")}
        isBad={hasErrors}
      />
      <Total
        name="Unmatched"
        value={
          <Link path={["overview"]} params={{ ...params, show: "unmatched" }}>
            {count(unmatchedOf(http))}
          </Link>
        }
        under="since start"
        hint="Requests that matched no route: 404, 405, earlier refusals, OPTIONS"
      />
      <Total name="In flight" value={count(http.in_flight)} under={counted(inFlight, "traced run")} />
      <Total
        name="Loop delay"
        value={duration(process.loop_delay_p99_us)}
        under={`p99, ${percent(process.loop_utilisation)} busy`}
        hint="Delay of the event loop, and its busy share"
      />
      <Total
        name="Heap"
        value={bytes(process.heap_used_bytes)}
        under={`${percent(heapShare)} of ${bytes(process.heap_limit_bytes)}`}
        hint={`Resident: ${bytes(process.rss_bytes)}`}
      />
      <Total
        name="CPU"
        value={percent(process.cpu_share)}
        under={processes === 1 ? `pid ${process.pid}` : `${processes} processes`}
        hint={`Up for ${duration(process.uptime_ms * 1000)}`}
      />
    </dl>
  );
}

interface TotalProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly under: string;
  readonly hint?: string;
  readonly isBad?: boolean;
}

function Total({ name, value, under, hint, isBad = false }: TotalProps) {
  return (
    <div title={hint}>
      <dt>{name}</dt>
      <dd class={isBad ? "value fault" : "value"}>{value}</dd>
      <dd class="dim">{under}</dd>
    </div>
  );
}
