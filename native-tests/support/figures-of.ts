// Figures of circuits as large as a test wants them.

import type { Static } from "@sinclair/typebox";
import type { FeedMessage } from "#inspector/api/events.js";
import type { CircuitMetrics, Metrics, NodeMetrics, Window } from "#inspector/api/metrics.js";
import type { Feed } from "#inspector/feed/feed.js";

type Figures = Static<typeof Metrics>["data"];

const latencyOf = (us: number) => ({
  ...{ p50_us: us / 4, p90_us: us / 3, p95_us: us / 2, p99_us: us, p99_9_us: us, max_us: us, mean_us: us },
});
const SECONDS = [1, 10, 60] as const;

const windowsOf = (us: number, refused = 0, samples = 200): Window[] =>
  SECONDS.map((seconds) => ({
    ...{ seconds, count: samples, per_second: samples / seconds, faults: refused, errors: 0, refused },
    ...{ error_share: 0, samples, latency: samples === 0 ? null : latencyOf(us) },
  }));

export const nodeOf = (node: string, us = 100, refused = 0, kind = "Transition"): NodeMetrics => ({
  ...{ node, label: node, kind, total: 200, total_faults: 0, windows: windowsOf(us, refused) },
});

export const circuitOf = (circuit: string, nodes: readonly NodeMetrics[]): CircuitMetrics => ({
  ...{ circuit, version: "1", total: 200, total_faults: 0, in_flight: 0, nodes: [...nodes] },
  windows: windowsOf(100).map((window) => ({ ...window, refused_input: 0, aborted: 0 })),
  history: Array.from({ length: 60 }, (_, n) => ({
    ...{ at: n * 1000, count: 7, faults: 0, errors: 0, p99_us: 100 },
  })),
});

export const figuresOf = (circuits: readonly CircuitMetrics[], routes = 1, at = 1000): Figures => ({
  at,
  processes: 1,
  http: {
    windows: windowsOf(100),
    by_route: Array.from({ length: routes }, (_, n) => ({
      ...{ method: "GET", route: `/${n}/${"r".repeat(200)}`, status_class: "2xx" as const, total: n },
    })),
    in_flight: 0,
  },
  process: {
    ...{ pid: 1, uptime_ms: 1, cpu_share: 0, heap_used_bytes: 1, heap_limit_bytes: 2, rss_bytes: 3 },
    ...{ loop_delay_p99_us: 1, loop_utilisation: 0 },
  },
  circuits: [...circuits],
  pool: null,
});

/** A client's end of a connection, with its messages as they were sent. */
function feedWire() {
  const texts: string[] = [];
  const batches = () =>
    texts.map((text) => JSON.parse(text) as FeedMessage).filter((message) => message.type === "events");
  const events = () => batches().flatMap((batch) => batch.events);
  return {
    texts,
    batches,
    events,
    bufferedAmount: 0,
    isOpen: true,
    send(text: unknown) {
      texts.push(text as string);
      return "sent" as const;
    },
    close() {},
    /** The metrics events. */
    figures: () => events().filter((event) => event.kind === "metrics"),
  };
}

/** A subscribed client of the feed. */
export function listener(feed: Feed, subscription: object = {}) {
  const wire = feedWire();
  const client = feed.join(wire, "viewer");
  const subscribe = (to: object) => feed.request(client, { type: "subscribe", ...to });
  subscribe(subscription);
  return { wire, client, subscribe };
}
