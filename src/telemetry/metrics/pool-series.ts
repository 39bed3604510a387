import type { PoolFill, PoolObserver } from "#core/ports/pool-observer.js";
import { Distribution } from "./measure/distribution.js";
import { LatencySeries } from "./measure/latency-series.js";
import type { Measured } from "./measure/measured.js";
import type { PoolSnapshot } from "./metrics-snapshot.js";

/** Jobs of one step: 22 KB plus its durations. */
interface StepSeries {
  readonly step: string;
  /** Number of jobs by result. */
  readonly ends: Map<string, number>;
  readonly waited: LatencySeries;
  readonly ran: LatencySeries;
}

/** The worker pool's jobs by step. Steps beyond `maxSteps` are not counted. */
export class PoolSeries {
  readonly observer: PoolObserver = ({ step, end, waitedMs, ranMs }) => {
    const series = this.#of(step);
    if (series === undefined) return;
    series.ends.set(end, (series.ends.get(end) ?? 0) + 1);
    if (end !== "POOL_FULL") series.waited.record(waitedMs * 1000);
    if (ranMs !== undefined) series.ran.record(ranMs * 1000);
  };
  readonly fill: () => PoolFill | undefined;
  readonly #steps = new Map<string, StepSeries>();
  readonly #measured: Measured;
  readonly #maxSteps: number;

  constructor(measured: Measured, maxSteps: number, fill: () => PoolFill | undefined) {
    this.#measured = measured;
    this.#maxSteps = maxSteps;
    this.fill = fill;
  }

  all(): Iterable<StepSeries> {
    return this.#steps.values();
  }

  /** Durations from `firstTick` on. Null while no job was offloaded. */
  snapshot(firstTick: number): PoolSnapshot | null {
    const fill = this.fill();
    if (fill === undefined && this.#steps.size === 0) return null;
    const { threads, running, waiting, queue } = fill ?? { threads: 0, running: 0, waiting: 0, queue: 0 };
    const cells = (series: LatencySeries) => {
      const recent = new Distribution();
      series.addRecent(recent, firstTick);
      return recent.cells();
    };
    const steps = [...this.#steps.values()].map(({ step, ends, waited, ran }) => ({
      step,
      ends: [...ends].map(([end, count]) => ({ end, count })),
      waited: cells(waited),
      ran: cells(ran),
    }));
    return { threads, running, waiting, queue, steps };
  }

  #of(step: string): StepSeries | undefined {
    const known = this.#steps.get(step);
    if (known !== undefined || this.#steps.size >= this.#maxSteps) return known;
    const [waited, ran] = [new LatencySeries(this.#measured), new LatencySeries(this.#measured)];
    const series = { step, ends: new Map<string, number>(), waited, ran };
    this.#steps.set(step, series);
    return series;
  }
}
