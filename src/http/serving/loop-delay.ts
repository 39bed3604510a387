import { closeSync, openSync, readSync } from "node:fs";
import type { Reporter } from "#core/bus/reporter.js";
import { BLOCKED_FROM_MS } from "#core/loop-limits.js";
import { excuseWaits, namedBlocks } from "#runtime/run/counters.js";

const TICK_MS = 10;
const CHECKED_EVERY_MS = 1000;
/** Minimum time between two reports. */
const QUIET_MS = 10_000;
const CAUSE = "a step that computes, or waits in a synchronous call, for so long";
const REMEDY = "Watching runs names the step, docs/offload.md says what to do with it";
const IDLE_CAUSE = "a timer, a hook or another part of the program";
const BUSY = ", or a machine that is busy with other processes";

interface Watched {
  /** Whether the server had neither a request nor a run since the last call. */
  readonly wasIdle?: () => boolean;
  /** True for a server that leaves the process to others, as the Inspector's does. */
  readonly isGuest?: boolean;
  readonly now?: () => number;
  /** Milliseconds that this thread has waited for a core. */
  readonly waited?: WaitedTime;
}

interface WaitedTime {
  read(): number;
  close(): void;
}

type Watching = Required<Omit<Watched, "waited">> & { readonly reporter: Reporter };

/** The servers of this process. They have one event loop: a block is reported once. */
const servers = new Set<Watching>();
let stopChecking = (): void => {};

/** Reports a blocked event loop. The step is unknown, because runs without a recorder read no clock. Returns a function that stops the reports. */
export function reportLoopDelay(reporter: Reporter, watched: Watched = {}): () => void {
  const { wasIdle = () => false, isGuest = false, now = () => performance.now() } = watched;
  const server: Watching = { reporter, wasIdle, isGuest, now };
  if (servers.size === 0) stopChecking = checkLoop(watched.waited ?? waitedTime());
  servers.add(server);
  return () => {
    if (servers.delete(server) && servers.size === 0) stopChecking();
  };
}

function checkLoop(waited: WaitedTime): () => void {
  let quietUntil = 0;
  let named = namedBlocks();
  let longest = 0;
  let last = { at: performance.now(), waited: waited.read() };
  let checkedAt = last.at;
  const endExcuse = excuseWaits(() => waited.read() - last.waited);
  const check = (): void => {
    const ms = Math.round(longest);
    longest = 0;
    const isNamed = namedBlocks() > named;
    named = namedBlocks();
    // Asked of each: the answer is about the time since the last check.
    const all = [...servers].map((server) => ({ ...server, isIdle: server.wasIdle() }));
    const hosts = all.filter(({ isGuest }) => !isGuest);
    const first = hosts.find(({ isIdle }) => !isIdle) ?? hosts[0] ?? all[0];
    // A report that names the step has covered the same block.
    if (first === undefined || isNamed || ms < BLOCKED_FROM_MS || first.now() < quietUntil) return;
    quietUntil = first.now() + QUIET_MS;
    const busy = waited === NO_WAITS ? BUSY : "";
    const message = all.every(({ isIdle }) => isIdle)
      ? `Something held the event loop for ${ms} ms while the server had neither requests nor runs: ${IDLE_CAUSE}${busy}`
      : `Something held the event loop for ${ms} ms: ${CAUSE}${busy}. ${REMEDY}`;
    first.reporter({ code: "LOOP_BLOCKED", message });
  };
  const ticks = setInterval(() => {
    const tick = { at: performance.now(), waited: waited.read() };
    longest = Math.max(longest, tick.at - last.at - TICK_MS - (tick.waited - last.waited));
    last = tick;
    if (tick.at - checkedAt < CHECKED_EVERY_MS) return;
    checkedAt = tick.at;
    check();
  }, TICK_MS).unref();
  return () => {
    clearInterval(ticks);
    endExcuse();
    waited.close();
  };
}

const NO_WAITS: WaitedTime = { read: () => 0, close: () => {} };

/** The file is that of the thread which opens it. It holds the nanoseconds run, those waited, and a count. */
function waitedTime(): WaitedTime {
  const buffer = Buffer.alloc(64);
  try {
    const file = openSync("/proc/thread-self/schedstat", "r");
    return {
      read: () => {
        const [, waitedNs] = buffer.toString("latin1", 0, readSync(file, buffer, 0, 64, 0)).split(" ");
        return Number(waitedNs) / 1e6;
      },
      close: () => closeSync(file),
    };
  } catch {
    // Only Linux has it, and not every container.
    return NO_WAITS;
  }
}
