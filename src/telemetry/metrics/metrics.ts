// The framework's own metrics in one place: circuits and nodes, requests, the process.

import { monotonicMs } from "#core/clock.js";
import type { Schematic } from "#core/flow/schematic.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { CountAnswer } from "#core/ports/answer-observer.js";
import type { PoolFill, PoolObserver } from "#core/ports/pool-observer.js";
import type { RunCount } from "#core/ports/run-store.js";
import { circuitSnapshot } from "./circuit-snapshots.js";
import { CircuitsSeries, type MetricsRecorder } from "./circuits-series.js";
import { type Draining, registerFamilies, type StoreFill } from "./families.js";
import { HttpSeries } from "./http-series.js";
import type { Family } from "./measure/family.js";
import { Measured } from "./measure/measured.js";
import { Seconds, WINDOWS } from "./measure/seconds.js";
import { MetricsRegistry } from "./metrics-registry.js";
import { type MetricsReport, metricsReport } from "./metrics-report.js";
import type { MetricsSnapshot } from "./metrics-snapshot.js";
import { PoolSeries } from "./pool-series.js";
import { ProcessSeries } from "./process-series.js";
import { prometheusText } from "./prometheus-text.js";
import { type Lengths, windowSnapshots } from "./window-snapshots.js";

const TICK_MS = 1000;

export interface MetricsOptions {
  /** Monotonic milliseconds. Default: performance.now. */
  readonly now?: () => number;
  /** Milliseconds since 1970. Default: Date.now. */
  readonly wallNow?: () => number;
  /**
   * Limit of series per family, and of routes by method. Series beyond it are dropped and counted.
   * Default 10 000.
   */
  readonly maxSeries?: number;
  /** Number of requests in flight. Default: 0. */
  readonly requestsInFlight?: () => number;
  /** Fill levels of the Inspector's stores. Default: none. */
  readonly stores?: () => readonly StoreFill[];
  /** Failed calls to shared stores since the start, by what they were for. Default: none. */
  readonly storeFailures?: () => ReadonlyMap<string, number>;
  /** Fill level of the worker pool. Default: no pool. */
  readonly pool?: () => PoolFill | undefined;
  /** Number of stored dead letters; undefined if it is not known. Default: unknown. */
  readonly deadLetters?: () => number | undefined;
  /** Unfinished kept runs. Default: none. */
  readonly runs?: () => readonly RunCount[];
  /** Those of versions that are not the one served. Default: none. */
  readonly draining?: () => readonly Draining[];
  /** Crashes of each worker, by its number from 1. Default: none. */
  readonly crashes?: () => readonly number[];
}

export class Metrics {
  /** Receives each circuit, and the begin and end of traced runs. */
  readonly recorder: MetricsRecorder;
  /** Receives each response of an ingress. */
  readonly count: CountAnswer;
  /** Receives each job of the worker pool. */
  readonly poolObserver: PoolObserver;
  /** Registry for further metrics. */
  readonly registry: MetricsRegistry;
  readonly #options: Required<MetricsOptions>;
  readonly #measured = new Measured();
  readonly #seconds: Seconds;
  readonly #circuits: CircuitsSeries;
  readonly #http: HttpSeries;
  readonly #process: ProcessSeries;
  readonly #pool: PoolSeries;
  #timer: NodeJS.Timeout | undefined;

  /** Throws CONFIG_INVALID. */
  constructor(options: MetricsOptions = {}) {
    requireKnownOptions("Metrics", options, Object.keys(DEFAULTS));
    this.#options = { ...DEFAULTS, ...options };
    const { now, maxSeries } = this.#options;
    if (!Number.isSafeInteger(maxSeries) || maxSeries < 1)
      throw invalidOption("Metrics({ maxSeries })", "use a whole number from 1");
    const began = now();
    this.#seconds = new Seconds(began);
    this.#circuits = new CircuitsSeries(this.#measured);
    this.#http = new HttpSeries(this.#measured, maxSeries);
    this.#process = new ProcessSeries(this.#measured, began);
    this.#pool = new PoolSeries(this.#measured, maxSeries, this.#options.pool);
    this.poolObserver = this.#pool.observer;
    this.recorder = this.#circuits.recorder;
    this.count = this.#http.count;
    this.registry = new MetricsRegistry(maxSeries);
    registerFamilies(this.registry, {
      circuits: this.#circuits,
      http: this.#http,
      process: this.#process,
      pool: this.#pool,
      requestsInFlight: this.#options.requestsInFlight,
      stores: this.#options.stores,
      storeFailures: this.#options.storeFailures,
      deadLetters: this.#options.deadLetters,
      runs: this.#options.runs,
      draining: this.#options.draining,
      crashes: this.#options.crashes,
      measured: this.#measured,
    });
  }

  /** Sets the kinds of a circuit's nodes: guards count refusals. */
  describe(schematic: Schematic): void {
    this.#circuits.describe(schematic);
  }

  /** Starts to tick each second. Does not keep the process alive. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#process.start();
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    if (this.#timer !== undefined) this.#process.stop();
    this.#timer = undefined;
  }

  /** Ends a second. Called by tests and by programs with their own clock instead of `start`. */
  tick(): void {
    const now = this.#options.now();
    const tick = this.#seconds.tick(now);
    this.#measured.fold(tick);
    this.#circuits.tick(tick);
    this.#http.tick(tick);
    this.#process.tick(now);
  }

  /** The figures of this process up to the last tick; `mergeSnapshots` merges several processes. */
  snapshot({
    hdr = false,
    lengths = WINDOWS,
  }: {
    readonly hdr?: boolean;
    readonly lengths?: Lengths;
  } = {}): MetricsSnapshot {
    const { now, wallNow, requestsInFlight } = this.#options;
    const moment = { seconds: this.#seconds, now: now(), wallNow: wallNow(), hdr, lengths };
    return {
      at: moment.wallNow,
      processes: 1,
      http: {
        windows: windowSnapshots(this.#seconds, this.#http, lengths),
        byRoute: this.#http.byRoute(),
        inFlight: requestsInFlight(),
      },
      process: this.#process.snapshot(),
      circuits: [...this.#circuits.all()].map((circuit) => circuitSnapshot(circuit, moment)),
      pool: this.#pool.snapshot(this.#seconds.window(60).firstTick),
    };
  }

  /** The response of GET /api/v1/metrics for this process. */
  report(): MetricsReport {
    return metricsReport(this.snapshot());
  }

  /** Input of `mergeFamilies` and `prometheusText`, for several processes. */
  families(): readonly Family[] {
    return this.registry.collect();
  }

  /** The response of GET /metrics for this process. */
  text(): string {
    return prometheusText(this.families());
  }
}

const DEFAULTS: Required<MetricsOptions> = {
  now: monotonicMs,
  wallNow: () => Date.now(),
  maxSeries: 10_000,
  requestsInFlight: () => 0,
  stores: () => [],
  pool: () => undefined,
  deadLetters: () => undefined,
  storeFailures: () => new Map(),
  runs: () => [],
  draining: () => [],
  crashes: () => [],
};
