// The state of one server's Inspector: its consumers of the recorder port, and the parts that the
// endpoints use.

import { backgroundClock } from "#core/background-clock.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { CountAnswer } from "#core/ports/answer-observer.js";
import type { DeadLetterStore } from "#core/ports/dead-letter.js";
import type { Recorder } from "#core/timeline/recorder.js";
import type { ExtensionHost } from "#http/plan/extension.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import { isWorker } from "#http/serving/workers/worker-mark.js";
import { workerRooms } from "#http/serving/workers/worker-rooms.js";
import { observePool, poolFill } from "#pool/process-pool.js";
import type { Intervention } from "#runtime/run/intervention.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { AlertDispatcher } from "./alerts/alert-dispatcher.js";
import { Alerts, type Figures } from "./alerts/alerts.js";
import { budgetsOf } from "./alerts/budgets.js";
import { type AlertRule, requireMounted } from "./alerts/error-rates.js";
import { LetterCounts } from "./alerts/letter-counts.js";
import type { CircuitRow } from "./api/circuits.js";
import type { Status } from "./api/status.js";
import type { Payload } from "./api/traces.js";
import type { Alert } from "./api/watching.js";
import { Steering } from "./breakpoints/steering.js";
import { DeadLetters, deadLetterStoresOf, type LetterPlace } from "./dead-letters/dead-letters.js";
import { type LetterGauge, letterGaugeOf } from "./dead-letters/letter-gauge.js";
import { Feed } from "./feed/feed.js";
import { FeedRecorder } from "./feed/feed-recorder.js";
import { LongSteps } from "./offload/long-steps.js";
import type { OperatorLog } from "./operators/operator-log.js";
import { MergedAlerts } from "./peers/merged-alerts.js";
import { MergedDeadLetters } from "./peers/merged-dead-letters.js";
import { MergedExamples } from "./peers/merged-examples.js";
import { MergedMetrics } from "./peers/merged-metrics.js";
import { MergedOffload } from "./peers/merged-offload.js";
import { MergedRuns } from "./peers/merged-runs.js";
import { MergedStalls } from "./peers/merged-stalls.js";
import { MergedSteering } from "./peers/merged-steering.js";
import { MergedTraces } from "./peers/merged-traces.js";
import { MergedUnmatched } from "./peers/merged-unmatched.js";
import { Peers } from "./peers/peers.js";
import { AlertHub, tellFirst } from "./peers/shared-alerts.js";
import { FeedHub, FeedSpoke } from "./peers/shared-feed.js";
import { Recording } from "./recording/recording.js";
import { Relay } from "./relay/relay.js";
import { KeptRuns } from "./runs/kept-runs.js";
import { Circuits } from "./server/circuits.js";
import type { ResolvedSettings } from "./server/settings.js";
import { Stalls } from "./stalls/stalls.js";
import { ContinuedRuns } from "./traces/continued-runs.js";
import { DrawnNodes } from "./traces/drawn-nodes.js";
import { foreseenReason } from "./traces/fault-reason.js";
import { PayloadCapture, payloadOf } from "./traces/payload-capture.js";
import { TraceCollector } from "./traces/trace-collector.js";
import { TraceStore } from "./traces/trace-store.js";
import { MAX_UNMATCHED, Unmatched } from "./unmatched/unmatched.js";

const MAX_TRACES = 2000;
/** Interval of the alerts' evaluation. */
const ALERTS_EVERY_MS = 1000;
/** Figures of circuits are expensive: only every fifth evaluation includes them. */
const FIGURES_EVERY = 5;

/** The parts that exist once the server begins. */
export interface Begun {
  readonly relay: Relay;
  readonly metrics: MergedMetrics;
  readonly traces: MergedTraces;
  readonly unmatched: MergedUnmatched;
  readonly steering: MergedSteering;
  readonly stalls: MergedStalls;
  readonly offload: MergedOffload;
  readonly alerts: MergedAlerts;
  readonly runs: MergedRuns;
  readonly deadLetters: MergedDeadLetters | undefined;
}

export class Observed {
  readonly circuits: Circuits;
  readonly feed = new Feed({ clock: backgroundClock });
  readonly recording: Recording;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  readonly steering: Steering;
  readonly stalls: Stalls;
  readonly store: TraceStore;
  readonly unmatched = new Unmatched();
  readonly recorder: Recorder;
  readonly count: CountAnswer;
  readonly #usual: CircuitRow["watched"];
  readonly #nodes: DrawnNodes;
  readonly #longSteps: LongSteps;
  readonly #capture: PayloadCapture;
  readonly #metricsIntervalMs: number;
  readonly #rules: readonly AlertRule[];
  readonly #letters: LetterCounts;
  #letterGauge: LetterGauge | undefined;
  readonly #dispatchers: readonly AlertDispatcher[];
  readonly #reporter: Reporter;
  readonly #collector: TraceCollector;
  readonly #continued: ContinuedRuns;
  readonly #by: (actor: string) => Intervention;
  #unwatch: (() => void) | undefined;
  #leavePool: (() => void) | undefined;
  /** Ends the reading of the log. */
  #unread: (() => void) | undefined;
  #host: ExtensionHost | undefined;
  #peers: Peers | undefined;
  #hub: FeedHub | undefined;
  #alertHub: AlertHub | undefined;
  /** Called for each change of this process's alerts. */
  #changed = (alert: Alert): void => this.#announce(alert);
  /** Source of the figures for error rates. */
  #judged: () => MaybePromise<Pick<ReturnType<Metrics["report"]>, "circuits">> = () => this.metrics.report();
  #examples: MergedExamples;
  #looks = 0;
  #cancelLook: () => void = () => {};
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #isAskingFigures = false;

  constructor(
    routes: readonly RouteInfo[],
    settings: ResolvedSettings,
    { reporter, production }: Pick<IngressPlan, "reporter" | "production">,
    operators: OperatorLog,
  ) {
    const { feed } = this;
    this.#by = (actor) => operators.intervention(actor);
    this.circuits = new Circuits(() => routes);
    this.#usual = settings.sampleRatio >= 1 ? "all" : settings.sampleRatio > 0 ? "sampled" : "counted";
    this.#nodes = new DrawnNodes(() => routes, { errorMembers: !production });
    this.#longSteps = new LongSteps(this.#nodes);
    this.#capture = new PayloadCapture(settings.capturePayloads);
    this.#metricsIntervalMs = settings.metricsIntervalMs;
    this.metrics = new Metrics({
      requestsInFlight: () => this.#host?.load().requests ?? 0,
      stores: () => this.fill,
      pool: poolFill,
      runs: () => this.#host?.runHost?.left.counts ?? [],
      // The supervisor tells each worker the same: the first one shows it.
      deadLetters: () => this.#letterGauge?.value,
      crashes: () => (this.#host?.worker?.number === 1 ? (this.#host.crashes()?.totals ?? []) : []),
    });
    for (const schematic of this.circuits.schematics()) this.metrics.describe(schematic);
    for (const own of settings.metrics) own.register(this.metrics.registry);
    this.store = new TraceStore({ nodes: this.#nodes, maxTraces: MAX_TRACES });
    this.#examples = new MergedExamples(this.store, undefined);
    this.#continued = new ContinuedRuns(() => [
      this.steering,
      this.stalls,
      this.#letters,
      collector.recorder,
      told,
    ]);
    this.#letters = new LetterCounts({ isLetterAgain: this.#continued.isLetterAgain });
    const collector = new TraceCollector({
      store: this.store,
      nodes: this.#nodes,
      capture: this.#capture,
      isSought: (run) => feed.isHeard || this.recording.seeks(run),
      continued: this.#continued,
      keepsErrors: !production || settings.capturePayloads === "full",
    });
    this.#collector = collector;
    this.steering = new Steering({
      capture: (input, _, place) => this.#shown(input, place),
      schemaOf: (circuit, node) => this.circuits.schemaOf(circuit, node),
      timeoutMsOf: (circuit, request) => this.circuits.timeoutMsOf(circuit, request),
      watchAll: (circuit) => this.recording.closely(circuit),
      tell: (event) => feed.tell(event),
      hit: (breakpoint, run) => operators.hit(breakpoint, run),
      ...(isWorker() && { process: String(process.pid) }),
    });
    const { hooks = [], rules } = settings.alerts;
    this.#rules = rules ?? [];
    this.#reporter = reporter;
    this.#dispatchers = hooks.map((hook) => new AlertDispatcher(hook, { reporter, clock: backgroundClock }));
    const budgets = budgetsOf(this.circuits.schematics());
    this.alerts = new Alerts({ rules, budgets, tell: (alert) => this.#changed(alert) });
    this.stalls = new Stalls({
      thresholdMs: settings.stallThresholdMs,
      isHeld: ({ runId }) => this.steering.paused().some((held) => held.run_id === runId),
      tell: (event) => feed.tell(event),
      clock: backgroundClock,
    });
    const told = new FeedRecorder({
      feed,
      labelOf: (run, node) => this.#nodes.of(run.circuit.name, node).label,
      titleOf: (_, error) => foreseenReason(error).title,
      rowOf: (number) => this.store.row(number),
    });
    // The order matters: held runs come first, so that the resumed run is recorded. The feed comes
    // last, because the run it announces must be stored.
    this.recording = new Recording({
      sampleRatio: settings.sampleRatio,
      consumers: [
        ...[this.steering, this.metrics.recorder, this.stalls, this.#longSteps],
        ...[this.#letters, collector.recorder, told],
      ],
    });
    this.recorder = this.recording.recorder;
    this.count = (answer) => {
      this.metrics.count(answer);
      // A test here, so that other responses cost no call.
      if (answer.route === undefined) this.unmatched.answered(answer);
    };
  }

  /** Returns the parts, which also ask the other workers, if there are any. */
  start(host: ExtensionHost): Begun {
    const { worker } = host;
    // All circuits with a name are mounted by now.
    const mounted = this.metrics.report().circuits.map(({ circuit }) => circuit);
    requireMounted(this.#rules, mounted);
    this.#host = host;
    this.#unread = host.log.read(this.#collector.readLine);
    this.#peers =
      worker === undefined
        ? undefined
        : new Peers({ bus: workerRooms(), expected: worker.count - 1, clock: backgroundClock });
    this.metrics.start();
    this.#leavePool = observePool(this.metrics.poolObserver);
    const metrics = new MergedMetrics(this.metrics, this.#peers);
    this.#examples = new MergedExamples(this.store, this.#peers);
    if (worker !== undefined) this.#share(this.#peers, worker.number === 1);
    // Only the first worker judges the merged figures: four workers would announce one cause four
    // times.
    if (worker !== undefined)
      this.#judged = worker.number === 1 ? () => metrics.snapshot() : () => ({ circuits: [] });
    this.#lookLater();
    if (worker === undefined || worker.number === 1)
      this.#timer = setInterval(() => this.#tellMetrics(metrics), this.#metricsIntervalMs).unref();
    const { send } = host;
    const stores = deadLetterStoresOf(host.deadLetters);
    const letters = this.#deadLetters(host, stores);
    this.#letterGauge = letterGaugeOf(stores, worker?.number ?? 1, (each) => this.#deadLetters(host, each));
    const runs = this.#keptRuns(host, host.axons);
    this.#unwatch = this.#continued.watch(host.axons);
    return {
      metrics,
      traces: new MergedTraces(this.store, this.#peers),
      unmatched: new MergedUnmatched(this.unmatched, this.#peers),
      stalls: new MergedStalls(this.stalls, this.#peers),
      offload: new MergedOffload(this.#longSteps, this.#peers),
      alerts: new MergedAlerts({ list: () => this.#evaluate().list() }, this.#peers),
      steering: new MergedSteering(
        this.steering,
        this.#peers && { peers: this.#peers, isFirst: worker?.number === 1 },
        backgroundClock,
      ),
      relay: new Relay({ send, recording: this.recording, circuits: this.circuits }),
      runs: this.#mergedRuns(host, runs),
      deadLetters: this.#mergedLetters(host, letters),
    };
  }

  #share(peers: Peers | undefined, isFirst: boolean): void {
    if (peers === undefined) return;
    const { feed, alerts } = this;
    const shared = { feed, peers, clock: backgroundClock };
    if (!isFirst) {
      new FeedSpoke(shared);
      this.#changed = tellFirst(peers);
      return;
    }
    this.#hub = new FeedHub(shared);
    this.#hub.start();
    this.#alertHub = new AlertHub({ own: alerts, peers, tell: this.#announce, clock: backgroundClock });
    this.#changed = this.#alertHub.changed;
    this.#alertHub.start();
  }

  #keptRuns(host: ExtensionHost, axons: ExtensionHost["axons"]): KeptRuns {
    const { resources, reporter, runHost: owner } = host;
    return new KeptRuns({ axons, resources, owner, nodes: this.#nodes, capture: this.#capture, reporter });
  }

  #mergedRuns(host: ExtensionHost, own: KeptRuns): MergedRuns {
    const inMemory = host.axons.filter(({ persistence }) => persistence?.store.perProcess !== undefined);
    const by = this.#by;
    return new MergedRuns({ own, inMemory: this.#keptRuns(host, inMemory), peers: this.#peers, by });
  }

  /** Undefined if no sink can list its letters. */
  #mergedLetters(host: ExtensionHost, own: DeadLetters): MergedDeadLetters | undefined {
    const stores = deadLetterStoresOf(host.deadLetters);
    if (stores.length === 0) return undefined;
    const ofMemory = stores.filter(({ perProcess }) => perProcess !== undefined);
    const inMemory = ofMemory.length === 0 ? undefined : this.#deadLetters(host, ofMemory);
    return new MergedDeadLetters({ own, inMemory, peers: this.#peers, by: this.#by });
  }

  #deadLetters(
    { axons, resources, reporter }: ExtensionHost,
    stores: readonly DeadLetterStore[],
  ): DeadLetters {
    return new DeadLetters({
      stores,
      axons,
      reporter,
      bus: () => resources,
      capture: (value, place) => this.#shown(value, place),
    });
  }

  /** A node's value as an operator sees it. */
  #shown(value: unknown, { circuit, node, isCompensation = false }: LetterPlace): Payload {
    const redactor = isCompensation
      ? this.#nodes.redactorOfCompensation(circuit, node)
      : this.#nodes.redactor(circuit, node, "input");
    return payloadOf(this.#capture.capture(redactor, value));
  }

  readonly #announce = (alert: Alert): void => {
    this.feed.tell({ kind: "alert", alert });
    for (const dispatcher of this.#dispatchers) dispatcher.dispatch(alert);
  };

  #lookLater(): void {
    const again = (): void => {
      if (!this.#isStopped) this.#lookLater();
    };
    const look = (): void => void this.#look().then(again);
    this.#cancelLook = backgroundClock.after(ALERTS_EVERY_MS, look);
  }

  async #look(): Promise<void> {
    this.#looks += 1;
    void this.#letterGauge?.look();
    try {
      const figures = this.#looks % FIGURES_EVERY === 0 ? await this.#figures() : {};
      if (!this.#isStopped) this.#evaluate(figures);
    } catch (error) {
      this.#reporter({ code: "ALERT_RULES_FAILED", message: "The figures could not be compared", error });
    }
  }

  #evaluate(figures: Partial<Figures> = {}): Alerts {
    const now = {
      stalls: this.stalls.list(),
      letters: this.#letters.list(),
      crashes: this.#host?.crashes(),
    };
    this.alerts.evaluate({ ...now, ...figures });
    return this.alerts;
  }

  async #figures(): Promise<Partial<Figures>> {
    const { circuits } = await this.#judged();
    const failing = circuits.filter(({ windows }) => windows.some(({ errors }) => errors > 0));
    const failed = await this.#examples.of(failing.map(({ circuit }) => circuit));
    return { circuits, failedRuns: (circuit) => failed.get(circuit) ?? [] };
  }

  #tellMetrics(metrics: MergedMetrics): void {
    // A silent worker can make the figures take longer than the interval: they are not sent twice.
    if (!this.feed.hasClients || this.#isAskingFigures) return;
    const tell = (report: ReturnType<Metrics["report"]>): void =>
      this.feed.tell({ kind: "metrics", metrics: report });
    if (this.#peers === undefined) {
      tell(this.metrics.report());
      return;
    }
    this.#isAskingFigures = true;
    const done = (): void => {
      this.#isAskingFigures = false;
    };
    void metrics.snapshot().then(tell).then(done, done);
  }

  /** For values without a schema. */
  readonly redactor = (): Redactor => this.#nodes.redactorOfNames();

  /** The server is about to stop: releases all held runs. */
  withdraw(): void {
    this.steering.close();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelLook();
    this.#unread?.();
    this.#unwatch?.();
    this.#leavePool?.();
    clearInterval(this.#timer);
    this.metrics.stop();
    this.stalls.close();
    this.feed.close();
    this.#hub?.close();
    this.#alertHub?.close();
    this.#peers?.close();
    for (const dispatcher of this.#dispatchers) dispatcher.close();
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
