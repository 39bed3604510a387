// What the Inspector of one server knows: its consumers of the recorder port, put together,
// and what the endpoints ask of them.

import type { TSchema } from "@sinclair/typebox";

import type { AnswerObserver } from "#core/answer-observer.js";
import type { Recorder } from "#core/recorder.js";
import type { ExtensionHost } from "#http/extension.js";
import { joinedRecorder } from "#http/joined-recorder.js";
import type { RouteInfo } from "#http/route-info.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import type { Status } from "./api/status.js";
import type { Payload } from "./api/traces.js";
import { Steering } from "./breakpoints/steering.js";
import { inspectorFault } from "./fault.js";
import { Feed } from "./feed/feed.js";
import { FeedRecorder } from "./feed/feed-recorder.js";
import { Relay } from "./relay/relay.js";
import { Circuits } from "./server/circuits.js";
import type { MetricsPart, StallsPart, TracesPart } from "./server/parts.js";
import type { ResolvedSettings } from "./settings.js";
import { Stalls } from "./stalls/stalls.js";
import { DrawnNodes } from "./traces/drawn-nodes.js";
import { faultReason } from "./traces/fault-reason.js";
import { PayloadCapture, payloadOf } from "./traces/payload-capture.js";
import { TraceCollector } from "./traces/trace-collector.js";
import { TraceStore } from "./traces/trace-store.js";
import { Watching } from "./watching.js";

const MAX_TRACES = 2000;

export class Observed {
  readonly circuits: Circuits;
  readonly feed = new Feed();
  readonly watching: Watching;
  readonly metrics: Metrics;
  readonly steering: Steering;
  readonly stalls: Stalls;
  readonly store: TraceStore;
  /** Undefined until the server has begun. */
  relay: Relay | undefined;
  readonly recorder: Recorder | undefined;
  readonly observer: AnswerObserver;
  readonly #nodes: DrawnNodes;
  readonly #capture: PayloadCapture;
  readonly #metricsIntervalMs: number;
  #load: ExtensionHost["load"] | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(routes: readonly RouteInfo[], settings: ResolvedSettings) {
    const { feed } = this;
    this.circuits = new Circuits(() => routes);
    this.#nodes = new DrawnNodes(() => this.circuits.schematics());
    this.#capture = new PayloadCapture(settings.capturePayloads);
    this.#metricsIntervalMs = settings.metricsIntervalMs;
    this.watching = new Watching(settings.sampleRatio);
    this.metrics = new Metrics({ requestsInFlight: () => this.#load?.().requests ?? 0 });
    for (const schematic of this.circuits.schematics()) this.metrics.describe(schematic);
    this.store = new TraceStore({ nodes: this.#nodes, maxTraces: MAX_TRACES });
    const collector = new TraceCollector({ store: this.store, nodes: this.#nodes, capture: this.#capture });
    const shown = new ShownInputs(this.circuits, this.#nodes, this.#capture);
    this.steering = new Steering({
      capture: shown.capture,
      schemaOf: shown.schemaOf,
      watchAll: this.watching.all,
      tell: (event) => feed.tell(event),
    });
    this.stalls = new Stalls({
      thresholdMs: settings.stallThresholdMs,
      isHeld: ({ runId }) => this.steering.paused().some((held) => held.run_id === runId),
      tell: (event) => feed.tell(event),
    });
    const told = new FeedRecorder({
      feed,
      labelOf: (run, node) => this.#nodes.of(run.circuit.name, node).label,
      titleOf: (error) => faultReason(error).title,
      rowOf: (runId) => this.store.row(runId),
    });
    // Held runs first: what goes on is what is kept. The feed last: what it tells of is kept by then.
    this.recorder = joinedRecorder([
      this.watching,
      this.steering,
      this.metrics.recorder,
      this.stalls,
      collector.recorder,
      { ended: (run) => this.relay?.ended(run) },
      told,
    ]);
    this.observer = this.metrics.observer;
  }

  start(host: ExtensionHost): void {
    this.#load = host.load;
    this.relay = new Relay({ send: host.send });
    this.metrics.start();
    this.#timer = setInterval(() => {
      if (this.feed.hasClients) this.feed.tell({ kind: "metrics", metrics: this.metrics.report() });
    }, this.#metricsIntervalMs).unref();
  }

  /** The server is to stop: nothing is held any more. */
  withdraw(): void {
    this.steering.close();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.metrics.stop();
    this.feed.close();
    this.watching.stop();
  }

  get metricsPart(): MetricsPart {
    return {
      snapshot: () => this.metrics.report(),
      circuit: (name) => this.metrics.report().circuits.find(({ circuit }) => circuit === name),
      text: () => this.metrics.text(),
    };
  }

  get tracesPart(): TracesPart {
    const { store } = this;
    return {
      query: (query) => store.query(query) ?? inspectorFault("CURSOR_INVALID"),
      get: (runId) => store.get(runId),
      diff: () => inspectorFault("CAPABILITY_PLANNED"),
    };
  }

  get stallsPart(): StallsPart {
    const { stalls } = this;
    return { thresholdMs: stalls.thresholdMs, list: () => stalls.list() };
  }

  /** How full it is. */
  get fill(): Status["stores"] {
    const { store, feed, steering } = this;
    const { count, limit, lost } = feed.stats;
    return [
      { name: "traces", count: store.size, limit: MAX_TRACES, bytes: store.bytes, dropped: store.dropped },
      { name: "feed", count, limit, bytes: null, dropped: lost },
      {
        name: "breakpoints",
        count: steering.breakpoints.list().length,
        limit: steering.breakpoints.maxBreakpoints,
        bytes: null,
        dropped: 0,
      },
    ];
  }
}

/** What operators see of the inputs that breakpoints meet. */
class ShownInputs {
  readonly #circuits: Circuits;
  readonly #nodes: DrawnNodes;
  readonly #payloads: PayloadCapture;
  /** Where a schema stands: what it marks is hidden wherever it does. */
  readonly #places = new WeakMap<TSchema, readonly [circuit: string, node: string]>();

  constructor(circuits: Circuits, nodes: DrawnNodes, payloads: PayloadCapture) {
    this.#circuits = circuits;
    this.#nodes = nodes;
    this.#payloads = payloads;
  }

  readonly schemaOf = (circuit: string, node: string): TSchema | undefined => {
    const schema = this.#circuits.schemaOf(circuit, node);
    if (schema !== undefined) this.#places.set(schema, [circuit, node]);
    return schema;
  };

  readonly capture = (input: unknown, schema: TSchema | undefined): Payload => {
    const place = schema && this.#places.get(schema);
    const redactor =
      place === undefined ? this.#nodes.redactorOfNames() : this.#nodes.redactor(...place, "input");
    return payloadOf(this.#payloads.capture(redactor, input));
  };
}
