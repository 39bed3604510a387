import type { Job } from "./job.js";

const SAMPLE_MS = 20;
/** Samples skipped after a job was ended: its thread takes some milliseconds to release its memory. */
const PAUSE = 10;
/** Memory of a new thread before its job begins: 90 to 120 MB with tsx and this package, a tenth of that when built. */
const THREAD_MB = 128;

/**
 * Ends jobs by the growth of the process: no limit of the engine covers ArrayBuffers. While jobs run
 * it samples the memory outside the main thread's heap. If that has grown by more than `limitMb` and
 * the base memory of each job's thread, it ends the longest-running job. Allocations between two
 * samples are noticed late.
 */
export class MemoryWatch {
  readonly #limitMb: number;
  readonly #running: ReadonlySet<Job>;
  #timer: NodeJS.Timeout | undefined;
  #isResting = false;
  /** True if the pool was idle since the last sample: the next one is the baseline. A sample costs 10 us, too much for each job. */
  #hasRested = false;
  #baseline = 0;
  #pause = 0;

  constructor(limitMb: number, running: ReadonlySet<Job>) {
    this.#limitMb = limitMb;
    this.#running = running;
  }

  /** Starts with the first job. The timer also keeps the process alive until all jobs have ended. */
  watch(): void {
    if (this.#timer !== undefined && !this.#isResting) return;
    this.#isResting = false;
    if (this.#timer === undefined) {
      this.#baseline = outsideBytes();
      this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
    } else this.#timer.ref();
  }

  /** No job is left: the timer stops with its next sample, unless a job arrives before. */
  rest(): void {
    this.#isResting = true;
    this.#hasRested = true;
    this.#timer?.unref();
  }

  stop(): void {
    this.#hasRested = false;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sample(): void {
    if (this.#isResting) {
      this.stop();
      return;
    }
    if (this.#hasRested) {
      this.#hasRested = false;
      this.#baseline = outsideBytes();
      return;
    }
    if (this.#pause > 0) {
      this.#pause -= 1;
      if (this.#pause === 0) this.#baseline = outsideBytes();
      return;
    }
    const grownMb = (outsideBytes() - this.#baseline) / 2 ** 20;
    // In the order of their start.
    const [longest] = this.#running;
    if (longest === undefined || grownMb <= (this.#limitMb + THREAD_MB) * this.#running.size) return;
    this.#pause = PAUSE;
    longest.end({ code: "POOL_MEMORY", step: longest.step, of: "process", limitMb: this.#limitMb });
  }
}

/** The memory of the process without the heap and the ArrayBuffers of this thread. */
function outsideBytes(): number {
  const { rss, heapTotal, external } = process.memoryUsage();
  return rss - heapTotal - external;
}
