// The seconds of windows. They begin and end with ticks: a late tick, after the event loop was
// blocked, ends a longer second.

/** Seconds that the usual windows cover. */
export const WINDOWS = [1, 10, 60] as const;
/** Null: since the beginning. */
export type WindowSeconds = (typeof WINDOWS)[number] | 600 | null;

/** Number of stored ticks: those of the longest usual window. */
export const KEPT_TICKS = 60;
/** Ticks are summed up in slices: the window of ten minutes begins with one. */
const SLICE_TICKS = 30;
export const KEPT_SLICES = 20;
/** The slice of a tick; both begin with 1. */
export const sliceOf = (tick: number): number => Math.ceil(tick / SLICE_TICKS);
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
  readonly #sliceEndedAt = new Float64Array(KEPT_SLICES + 1);
  readonly #began: number;
  #tick = 0;

  /** `now`: monotonic milliseconds. */
  constructor(now: number) {
    this.#began = now;
    this.#endedAt[0] = now;
    this.#sliceEndedAt[0] = now;
  }

  /** The number of the last tick; 0 before the first. */
  get last(): number {
    return this.#tick;
  }

  tick(now: number): number {
    this.#tick += 1;
    this.#endedAt[this.#tick % this.#endedAt.length] = now;
    if (this.#tick % SLICE_TICKS === 0)
      this.#sliceEndedAt[(this.#tick / SLICE_TICKS) % this.#sliceEndedAt.length] = now;
    return this.#tick;
  }

  window(seconds: WindowSeconds): Window {
    const end = this.endedAt(this.#tick);
    if (seconds === null) return { firstTick: 1, spanMs: end - this.#began };
    if (seconds === 600) return this.#tenMinutes(end);
    const oldest = Math.max(0, this.#tick - KEPT_TICKS);
    let before = Math.max(oldest, this.#tick - 1);
    while (before > oldest && end - this.endedAt(before - 1) <= seconds * 1000 + TOLERANCE_MS) before -= 1;
    return { firstTick: before + 1, spanMs: end - this.endedAt(before) };
  }

  /** To the nearest end of a slice. */
  #tenMinutes(end: number): Window {
    const last = Math.floor(this.#tick / SLICE_TICKS);
    const endedAt = (slice: number) => this.#sliceEndedAt[slice % this.#sliceEndedAt.length] as number;
    let before = last;
    while (
      before > Math.max(0, last - KEPT_SLICES) &&
      end - endedAt(before - 1) <= 600_000 + SLICE_TICKS * 500
    )
      before -= 1;
    return { firstTick: before * SLICE_TICKS + 1, spanMs: end - endedAt(before) };
  }

  /** The time of one of the last ticks. */
  endedAt(tick: number): number {
    return this.#endedAt[tick % this.#endedAt.length] as number;
  }
}
