// The seconds of windows. They begin and end with ticks: a late tick, after the event loop was
// blocked, ends a longer second.

/** Seconds that a window covers. */
export const WINDOWS = [1, 10, 60] as const;
export type WindowSeconds = (typeof WINDOWS)[number];

/** Number of stored ticks: those of the longest window. */
export const KEPT_TICKS = 60;
/** Ticks are about a second apart, never exactly. */
const TOLERANCE_MS = 500;

/** A window that ends with the last tick. */
export interface Window {
  /** The window's first tick; one after the last tick if there is none yet. */
  readonly firstTick: number;
  /** The real span: shorter while the process is young, longer after a late tick. */
  readonly spanMs: number;
}

export class Seconds {
  readonly #endedAt = new Float64Array(KEPT_TICKS + 1);
  #tick = 0;

  /** `now`: monotonic milliseconds. */
  constructor(now: number) {
    this.#endedAt[0] = now;
  }

  /** The number of the last tick; 0 before the first. */
  get last(): number {
    return this.#tick;
  }

  tick(now: number): number {
    this.#tick += 1;
    this.#endedAt[this.#tick % this.#endedAt.length] = now;
    return this.#tick;
  }

  window(seconds: WindowSeconds): Window {
    const end = this.endedAt(this.#tick);
    const oldest = Math.max(0, this.#tick - KEPT_TICKS);
    let before = Math.max(oldest, this.#tick - 1);
    while (before > oldest && end - this.endedAt(before - 1) <= seconds * 1000 + TOLERANCE_MS) before -= 1;
    return { firstTick: before + 1, spanMs: end - this.endedAt(before) };
  }

  /** The time of one of the last ticks. */
  endedAt(tick: number): number {
    return this.#endedAt[tick % this.#endedAt.length] as number;
  }
}
