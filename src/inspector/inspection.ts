// What the page asks of one server's Inspector once the server has begun, and what is done with the
// records meanwhile: alerts, the figures in the feed, the work for the other workers.

import { backgroundClock } from "#core/background-clock.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { DeadLetterStore } from "#core/ports/dead-letter.js";
import type { ExtensionHost } from "#http/plan/extension.js";
import { workerRooms } from "#http/serving/workers/worker-rooms.js";
import type { Metrics } from "#telemetry/metrics/metrics.js";
import { AlertDispatcher } from "./alerts/alert-dispatcher.js";
import type { Alerts, Figures } from "./alerts/alerts.js";
import { requireMounted } from "./alerts/error-rates.js";
import type { Alert } from "./api/watching.js";
import { DeadLetters, deadLetterStoresOf } from "./dead-letters/dead-letters.js";
import { LetterGauge } from "./dead-letters/letter-gauge.js";
import type { Observed } from "./observed.js";
import { MergedExamples } from "./peers/merged-examples.js";
import { MergedMetrics } from "./peers/merged-metrics.js";
import { MergedSteering } from "./peers/merged-steering.js";
import { Peers } from "./peers/peers.js";
import { AlertHub, tellFirst } from "./peers/shared-alerts.js";
import { FeedHub, FeedSpoke } from "./peers/shared-feed.js";
import { Relay } from "./relay/relay.js";
import { Rerun } from "./relay/rerun.js";
import { KeptRuns } from "./runs/kept-runs.js";
import type { ResolvedSettings } from "./settings.js";

/** Interval of the alerts' evaluation. */
const ALERTS_EVERY_MS = 1000;
/** Figures of circuits are expensive: only every fifth evaluation includes them. */
const FIGURES_EVERY = 5;

export class Inspection {
  /** The other workers, if there are any. */
  readonly peers: Peers | undefined;
  readonly metrics: MergedMetrics;
  readonly steering: MergedSteering;
  readonly relay: Relay;
  /** Undefined unless whole payloads are captured. */
  readonly rerun: Rerun | undefined;
  /** In all workers but the first, only the runs that no other process can read. */
  readonly runs: KeptRuns;
  /** The same of letters; undefined if no sink can list its letters. */
  readonly deadLetters: DeadLetters | undefined;
  readonly alerts = { list: (): readonly Alert[] => this.#evaluate().list() };
  readonly #observed: Observed;
  readonly #host: ExtensionHost;
  readonly #letterGauge: LetterGauge | undefined;
  readonly #dispatchers: readonly AlertDispatcher[];
  readonly #examples: MergedExamples;
  /** Source of the figures for error rates. */
  readonly #judged: () => MaybePromise<Pick<ReturnType<Metrics["report"]>, "circuits">>;
  #changed = (alert: Alert): void => this.#announce(alert);
  #hubs: readonly { close(): void }[] = [];
  #looks = 0;
  #cancelLook: () => void = () => {};
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #isAskingFigures = false;

  /** Throws CONFIG_INVALID. */
  constructor(observed: Observed, host: ExtensionHost, settings: ResolvedSettings) {
    const { alerts, metricsIntervalMs } = settings;
    const { worker, reporter, send } = host;
    const isFirst = worker === undefined || worker.number === 1;
    // All circuits with a name are mounted by now.
    const mounted = observed.metrics.report().circuits.map(({ circuit }) => circuit);
    requireMounted(alerts.rules ?? [], mounted);
    this.#observed = observed;
    this.#host = host;
    const clock = backgroundClock;
    this.#dispatchers = (alerts.hooks ?? []).map((hook) => new AlertDispatcher(hook, { reporter, clock }));
    this.peers = worker && new Peers({ bus: workerRooms(), expected: worker.count - 1, clock });
    const letters = deadLetterStoresOf(host.deadLetters, isFirst);
    this.deadLetters = letters.length === 0 ? undefined : this.#lettersIn(letters);
    this.#letterGauge = this.deadLetters && new LetterGauge(this.deadLetters);
    observed.begin({ host, letterGauge: this.#letterGauge, changed: (alert) => this.#changed(alert) });
    this.metrics = new MergedMetrics(observed.metrics, this.peers);
    this.#examples = new MergedExamples(observed.store, this.peers);
    if (this.peers !== undefined) this.#share(this.peers, isFirst);
    // Only the first worker judges the merged figures: four workers would announce one cause four
    // times.
    if (worker === undefined) this.#judged = () => observed.metrics.report();
    else this.#judged = isFirst ? () => this.metrics.snapshot() : () => ({ circuits: [] });
    this.#lookLater();
    if (isFirst) this.#timer = setInterval(() => this.#tellMetrics(), metricsIntervalMs).unref();
    this.runs = this.#runsOf(
      host.axons.filter(({ persistence }) => isFirst || persistence?.store.perProcess !== undefined),
    );
    this.steering = new MergedSteering(
      observed.steering,
      this.peers && { peers: this.peers, isFirst },
      clock,
    );
    this.relay = new Relay({ send, recording: observed.recording, circuits: observed.circuits });
    const { store, continued } = observed;
    if (settings.capturePayloads === "full")
      this.rerun = new Rerun({
        isOn: settings.rerun,
        store,
        continued,
        relay: this.relay,
        entryAt: host.entryAt,
      });
  }

  #share(peers: Peers, isFirst: boolean): void {
    const { feed, alerts } = this.#observed;
    const shared = { feed, peers, clock: backgroundClock };
    if (!isFirst) {
      new FeedSpoke(shared);
      this.#changed = tellFirst(peers);
      return;
    }
    const feedHub = new FeedHub(shared);
    const alertHub = new AlertHub({ own: alerts, peers, tell: this.#announce, clock: backgroundClock });
    this.#changed = alertHub.changed;
    this.#hubs = [feedHub, alertHub];
    feedHub.start();
    alertHub.start();
  }

  #runsOf(axons: ExtensionHost["axons"]): KeptRuns {
    const { resources, reporter, runHost: owner } = this.#host;
    const { nodes, capture } = this.#observed;
    return new KeptRuns({ axons, resources, owner, nodes, capture, reporter });
  }

  #lettersIn(stores: readonly DeadLetterStore[]): DeadLetters {
    const { axons, resources, reporter } = this.#host;
    return new DeadLetters({
      ...{ stores, axons, reporter },
      bus: () => resources,
      capture: (value, place) => this.#observed.shown(value, place),
    });
  }

  readonly #announce = (alert: Alert): void => {
    this.#observed.feed.tell({ kind: "alert", alert });
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
      this.#host.reporter({
        code: "ALERT_RULES_FAILED",
        message: "The figures could not be compared",
        error,
      });
    }
  }

  #evaluate(figures: Partial<Figures> = {}): Alerts {
    const { stalls, letters, alerts } = this.#observed;
    const now = {
      stalls: stalls.list(),
      letters: letters.list(),
      crashes: this.#host.crashes(),
    };
    alerts.evaluate({ ...now, ...figures });
    return alerts;
  }

  async #figures(): Promise<Partial<Figures>> {
    const { circuits } = await this.#judged();
    const failing = circuits.filter(({ windows }) => windows.some(({ errors }) => errors > 0));
    const failed = await this.#examples.of(failing.map(({ circuit }) => circuit));
    return { circuits, failedRuns: (circuit) => failed.get(circuit) ?? [] };
  }

  #tellMetrics(): void {
    const { feed, metrics } = this.#observed;
    // A silent worker can make the figures take longer than the interval: they are not sent twice.
    if (!feed.hasClients || this.#isAskingFigures) return;
    const tell = (report: ReturnType<Metrics["report"]>): void =>
      feed.tell({ kind: "metrics", metrics: report });
    if (this.peers === undefined) {
      tell(metrics.report());
      return;
    }
    this.#isAskingFigures = true;
    const done = (): void => {
      this.#isAskingFigures = false;
    };
    void this.metrics.snapshot().then(tell).then(done, done);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelLook();
    clearInterval(this.#timer);
    this.#observed.stop();
    for (const hub of this.#hubs) hub.close();
    this.peers?.close();
    for (const dispatcher of this.#dispatchers) dispatcher.close();
  }
}
