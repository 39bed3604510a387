// The seconds that windows are made of. They begin and end with ticks, wherever those
// fall: a tick that comes late, because something held the loop, ends a longer one.

/** Seconds that a window covers. */
export const WINDOWS = [1, 10, 60] as const;
export type WindowSeconds = (typeof WINDOWS)[number];

/** Ticks that are remembered: of the longest window. */
export const KEPT_TICKS = 60;
/** Ticks come about each second, never exactly. */
const TOLERANCE_MS = 500;

/** The last seconds up to the last tick. */
export interface Window {
  /** Ticks that belong to it, from this one to the last; behind the last where there was none yet. */
  readonly firstTick: number;
  /** What it covers: less than its name says while the process is young, more after a late tick. */
  readonly spanMs: number;
}

export class Seconds {
  readonly #endedAt = new Float64Array(KEPT_TICKS + 1);
  #tick = 0;

  /** `now`: milliseconds that never go back. */
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

  /** Of one of the last ticks: when it was. */
  endedAt(tick: number): number {
    return this.#endedAt[tick % this.#endedAt.length] as number;
  }
}
