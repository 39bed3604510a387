// Work of a request that can wait for the end of this turn of the event loop. Done in one go its code
// stays in the processor's cache, and between requests the code of requests does: the instruction
// cache misses of recording cost more than its instructions (docs/decisions/0006-watching.md).

export interface Settled {
  /** Must not throw. */
  settle(): void;
}

/** More would push each other's data out of the cache. */
const MOST = 64;

const waiting: (Settled | undefined)[] = new Array(MOST).fill(undefined);
let count = 0;
let isScheduled = false;
let isSettling = false;

/** Calls `settle` at the end of this turn at the latest, after all that wait already. */
export function settleLater(one: Settled): void {
  if (count === MOST) settleAll();
  // Full only if what is being settled adds more than there is room for.
  if (count === MOST) {
    one.settle();
    return;
  }
  waiting[count] = one;
  count += 1;
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(settleScheduled);
}

function settleScheduled(): void {
  isScheduled = false;
  settleAll();
}

/** Settles now all that waits. */
export function settleAll(): void {
  if (isSettling) return;
  isSettling = true;
  for (let at = 0; at < count; at += 1) {
    (waiting[at] as Settled).settle();
    waiting[at] = undefined;
  }
  count = 0;
  isSettling = false;
}
