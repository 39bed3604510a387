import { Distribution } from "./measure/distribution.js";
import type { LatencySeries } from "./measure/latency-series.js";
import { KEPT_TICKS, type Seconds, WINDOWS, type WindowSeconds } from "./measure/seconds.js";
import type { SecondSnapshot, WindowSnapshot } from "./metrics-snapshot.js";

/** The counts of a window, from one tick to another; without a last tick, up to now. */
export interface Windowed {
  readonly countDuring: (firstTick: number, lastTick?: number) => number;
  readonly faultsDuring: (firstTick: number, lastTick?: number) => number;
  /** Faults caused by callers; errors that are no fault, less faults that are no error. Default: none. */
  readonly refusedDuring?: (firstTick: number, lastTick?: number) => number;
  readonly furtherErrorsDuring?: (firstTick: number, lastTick?: number) => number;
  /** Microseconds that traced runs waited for their logs and locks. Default: none. */
  readonly waitedDuring?: (firstTick: number) => number;
  /** Undefined before the first duration. */
  readonly latencies: LatencySeries | undefined;
}

/** Reused for every sum: the code is synchronous. */
const sum = new Distribution();

/** The usual windows, or one long one. */
export type Lengths = typeof WINDOWS | readonly [WindowSeconds];

export function windowSnapshots(
  seconds: Seconds,
  of: Windowed,
  lengths: Lengths = WINDOWS,
): readonly WindowSnapshot[] {
  let addedFrom = seconds.last + 1;
  const windows = lengths.map((length): WindowSnapshot => {
    const { firstTick, spanMs } = seconds.window(length);
    // A longer window contains the shorter ones.
    if (length === 600 || length === null) of.latencies?.addSince(sum, firstTick);
    else of.latencies?.addRecent(sum, firstTick, addedFrom - 1);
    addedFrom = firstTick;
    const count = of.countDuring(firstTick);
    const waitedUs = of.waitedDuring?.(firstTick) ?? 0;
    const counted = { seconds: length, spanMs, count, ...(waitedUs > 0 && { waitedUs }) };
    return { ...counted, ...faultsOf(of, firstTick), ...sum.cells() };
  });
  sum.clear();
  return windows;
}

/**
 * Each of the last sixty seconds in which something ran, the oldest first. `wallNow`: milliseconds
 * since 1970.
 */
export function secondSnapshots(
  seconds: Seconds,
  now: number,
  wallNow: number,
  of: Windowed,
): readonly SecondSnapshot[] {
  const rows: SecondSnapshot[] = [];
  for (let tick = Math.max(1, seconds.last - KEPT_TICKS + 1); tick <= seconds.last; tick += 1) {
    of.latencies?.addRecent(sum, tick, tick);
    const count = of.countDuring(tick, tick);
    const second = Math.round((wallNow - (now - seconds.endedAt(tick))) / 1000);
    if (count > 0 || sum.count > 0) rows.push({ second, count, ...faultsOf(of, tick, tick), ...sum.cells() });
    sum.clear();
  }
  return rows;
}

function faultsOf(
  of: Windowed,
  first: number,
  last?: number,
): Pick<SecondSnapshot, "faults" | "errors" | "refused"> {
  const faults = of.faultsDuring(first, last);
  const refused = of.refusedDuring?.(first, last) ?? 0;
  return { faults, refused, errors: faults - refused + (of.furtherErrorsDuring?.(first, last) ?? 0) };
}
