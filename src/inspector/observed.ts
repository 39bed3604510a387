// What the Inspector of one server records: its consumers of the recorder port, from the mounting of
// the circuits to the end of the server. inspection.ts has what its page asks.

import { backgroundClock } from "#core/background-clock.js";
import type { CountAnswer } from "#core/ports/answer-observer.js";
import type { Recorder } from "#core/timeline/recorder.js";
import type { ExtensionHost } from "#http/plan/extension.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import { nearestRoute } from "#http/routing/nearest-route.js";
import { isWorker } from "#http/serving/workers/worker-mark.js";
import { observePool, poolFill } from "#pool/process-pool.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { InnerContext } from "#telemetry/tracing/inner-context.js";
import { watchSpans } from "#telemetry/tracing/inner-places.js";
import { Alerts } from "./alerts/alerts.js";
import { budgetsOf } from "./alerts/budgets.js";
import { LetterCounts } from "./alerts/letter-counts.js";
import type { CircuitRow } from "./api/circuits.js";
import type { Status } from "./api/status.js";
import type { Payload } from "./api/traces.js";
import type { Alert } from "./api/watching.js";
import { Steering } from "./breakpoints/steering.js";
import type { LetterPlace } from "./dead-letters/dead-letters.js";
import type { LetterGauge } from "./dead-letters/letter-gauge.js";
import { Feed } from "./feed/feed.js";
import { FeedRecorder } from "./feed/feed-recorder.js";
import { InFlight } from "./in-flight/in-flight.js";
import { LongSteps } from "./offload/long-steps.js";
import type { OperatorLog } from "./operators/operator-log.js";
import { Recording } from "./recording/recording.js";
import { Circuits } from "./server/circuits.js";
import type { ResolvedSettings } from "./settings.js";
import { Stalls } from "./stalls/stalls.js";
import { ContinuedRuns } from "./traces/continued-runs.js";
import { DrawnNodes } from "./traces/drawn-nodes.js";
import { foreseenReason } from "./traces/fault-reason.js";
import { PayloadCapture, payloadOf } from "./traces/payload-capture.js";
import { TraceCollector } from "./traces/trace-collector.js";
import { TraceStore } from "./traces/trace-store.js";
import { MAX_UNMATCHED, Unmatched } from "./unmatched/unmatched.js";

const MAX_TRACES = 2000;

/** What is known once the server begins. */
interface Serving {
  readonly host: ExtensionHost;
  readonly letterGauge: LetterGauge | undefined;
  /** Called for each change of this process's alerts. */
  readonly changed: (alert: Alert) => void;
}

export class Observed {
  readonly circuits: Circuits;
  readonly feed = new Feed({ clock: backgroundClock });
  readonly recording: Recording;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  readonly steering: Steering;
  readonly stalls: Stalls;
  readonly inFlight: InFlight;
  readonly store: TraceStore;
  readonly unmatched: Unmatched;
  readonly recorder: Recorder;
  readonly count: CountAnswer;
  readonly nodes: DrawnNodes;
  readonly longSteps: LongSteps;
  readonly capture: PayloadCapture;
  readonly letters: LetterCounts;
  readonly #usual: CircuitRow["watched"];
  readonly #collector: TraceCollector;
  readonly continued: ContinuedRuns;
  readonly #spans: InnerContext | undefined;
  #serving: Serving | undefined;
  #undo: readonly (() => void)[] = [];

  constructor(
    routes: readonly RouteInfo[],
    settings: ResolvedSettings,
    { production, stores }: Pick<IngressPlan, "production"> & Partial<Pick<IngressPlan, "stores">>,
    operators: OperatorLog,
  ) {
    const { feed } = this;
    this.circuits = new Circuits(() => routes);
    this.unmatched = new Unmatched(undefined, (method, path) => nearestRoute(method, path, routes));
    this.#usual = settings.sampleRatio >= 1 ? "all" : settings.sampleRatio > 0 ? "sampled" : "counted";
    this.nodes = new DrawnNodes(() => routes, { errorMembers: !production });
    this.longSteps = new LongSteps(this.nodes);
    this.capture = new PayloadCapture(settings.capturePayloads);
    this.metrics = new Metrics({
      requestsInFlight: () => this.#serving?.host.load().requests ?? 0,
      stores: () => this.fill,
      storeFailures: () => stores?.failures?.() ?? new Map(),
      pool: poolFill,
      runs: () => this.#serving?.host.runHost?.left.counts ?? [],
      draining: () => this.#serving?.host.runHost?.left.draining ?? [],
      // The supervisor tells each worker the same: the first one shows it.
      deadLetters: () => this.#serving?.letterGauge?.value,
      crashes: () => {
        const host = this.#serving?.host;
        return host?.worker?.number === 1 ? (host.crashes()?.totals ?? []) : [];
      },
    });
    for (const schematic of this.circuits.schematics()) this.metrics.describe(schematic);
    for (const own of settings.metrics) own.register(this.metrics.registry);
    this.store = new TraceStore({ nodes: this.nodes, maxTraces: MAX_TRACES });
    this.continued = new ContinuedRuns(() => [
      this.steering,
      this.stalls,
      this.letters,
      collector.recorder,
      ...spans,
      told,
    ]);
    this.#spans = settings.spans ? new InnerContext() : undefined;
    const spans = this.#spans === undefined ? [] : [this.#spans.recorder];
    this.letters = new LetterCounts({ isLetterAgain: this.continued.isLetterAgain });
    const collector = new TraceCollector({
      store: this.store,
      nodes: this.nodes,
      capture: this.capture,
      isSought: (run) => feed.isHeard || this.recording.seeks(run),
      continued: this.continued,
      keepsErrors: !production || settings.capturePayloads === "full",
    });
    this.#collector = collector;
    this.steering = new Steering({
      capture: (input, _, place) => this.shown(input, place),
      schemaOf: (circuit, node) => this.circuits.schemaOf(circuit, node),
      timeoutMsOf: (circuit, request) => this.circuits.timeoutMsOf(circuit, request),
      watchAll: (circuit) => this.recording.closely(circuit),
      tell: (event) => feed.tell(event),
      hit: (breakpoint, run) => operators.hit(breakpoint, run),
      ...(isWorker() && { process: String(process.pid) }),
    });
    this.alerts = new Alerts({
      rules: settings.alerts.rules,
      budgets: budgetsOf(this.circuits.schematics()),
      tell: (alert) => this.#serving?.changed(alert),
    });
    this.stalls = new Stalls({
      thresholdMs: settings.stallThresholdMs,
      isHeld: ({ runId }) => this.steering.paused().some((held) => held.run_id === runId),
      tell: (event) => feed.tell(event),
      clock: backgroundClock,
    });
    this.inFlight = new InFlight({
      runs: this.stalls.runs,
      accessesOf: collector.accessesOf,
      isHeld: this.steering.holds,
    });
    const told = new FeedRecorder({
      feed,
      labelOf: (run, node) => this.nodes.of(run.circuit.name, node).label,
      titleOf: (_, error) => foreseenReason(error).title,
      rowOf: (number) => this.store.row(number),
    });
    // The order matters: held runs come first, so that the resumed run is recorded. The feed comes
    // last, because the run it announces must be stored.
    this.recording = new Recording({
      sampleRatio: settings.sampleRatio,
      consumers: [
        ...[this.steering, this.metrics.recorder, this.stalls, this.longSteps],
        ...[this.letters, collector.recorder, ...spans, told],
      ],
    });
    this.recorder = this.recording.recorder;
    this.count = (answer) => {
      this.metrics.count(answer);
      // A test here, so that other responses cost no call.
      if (answer.route === undefined) this.unmatched.answered(answer);
    };
  }

  begin(serving: Serving): void {
    const { host } = serving;
    this.#serving = serving;
    const unfollow = this.#spans?.start();
    this.metrics.start();
    this.#undo = [
      ...(unfollow === undefined ? [] : [unfollow]),
      watchSpans(),
      host.log.read(this.#collector.readLine),
      observePool(this.metrics.poolObserver),
      this.continued.watch(host.axons),
    ];
  }

  /** A node's value as an operator sees it. */
  shown(value: unknown, { circuit, node, isCompensation = false }: LetterPlace): Payload {
    const redactor = isCompensation
      ? this.nodes.redactorOfCompensation(circuit, node)
      : this.nodes.redactor(circuit, node, "input");
    return payloadOf(this.capture.capture(redactor, value));
  }

  /** For values without a schema. */
  readonly redactor = (): Redactor => this.nodes.redactorOfNames();

  /** The server is about to stop: releases all held runs. */
  withdraw(): void {
    this.steering.close();
  }

  stop(): void {
    for (const undo of this.#undo) undo();
    this.metrics.stop();
    this.stalls.close();
    this.feed.close();
  }

  /** The current recording mode of a circuit. */
  readonly watched = (circuit: string): CircuitRow["watched"] =>
    this.steering.breakpoints.list().some((one) => one.enabled && one.circuit === circuit)
      ? "all"
      : this.#usual;

  /** Drops the traces, the unmatched requests and the events of past runs. Returns how many traces and requests. */
  forget(): number {
    this.feed.clear();
    return this.store.clear() + this.unmatched.clear();
  }

  /** Fill levels of the Inspector's stores. */
  get fill(): Status["stores"] {
    const { store, unmatched, feed, steering } = this;
    const { count, limit, lost } = feed.stats;
    return [
      { name: "traces", count: store.size, limit: MAX_TRACES, bytes: store.bytes, dropped: store.dropped },
      {
        ...{ name: "unmatched", count: unmatched.size, limit: MAX_UNMATCHED, bytes: null },
        dropped: unmatched.notKept,
      },
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
