import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Reporter } from "#core/bus/reporter.js";
import { BLOCKED_FROM_MS } from "#core/loop-limits.js";
import { namedBlocks } from "#runtime/run/counters.js";

const CHECKED_EVERY_MS = 1000;
const RESOLUTION_MS = 10;
/** Minimum time between two reports. */
const QUIET_MS = 10_000;
const CAUSES =
  "a step that computes so long, or a machine that is busy with other processes. Watching runs names the step, docs/offload.md says what to do with it";
const IDLE_CAUSES =
  "a timer, a hook or another part of the program, or a machine that is busy with other processes";

interface Watched {
  /** Whether the server had neither a request nor a run since the last call. */
  readonly wasIdle?: () => boolean;
  readonly now?: () => number;
}

/** Reports a blocked event loop. The step is unknown, because runs without a recorder read no clock. Returns a function that stops the reports. */
export function reportLoopDelay(
  reporter: Reporter,
  { wasIdle = () => false, now = () => performance.now() }: Watched = {},
): () => void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let quietUntil = 0;
  let named = namedBlocks();
  const check = setInterval(() => {
    const ms = Math.round(histogram.max / 1e6) - RESOLUTION_MS;
    histogram.reset();
    const isNamed = namedBlocks() > named;
    named = namedBlocks();
    const isIdle = wasIdle();
    // A report that names the step has covered the same block.
    if (isNamed || ms < BLOCKED_FROM_MS || now() < quietUntil) return;
    quietUntil = now() + QUIET_MS;
    const message = isIdle
      ? `Something held the event loop for ${ms} ms while the server had neither requests nor runs: ${IDLE_CAUSES}`
      : `Something held the event loop for ${ms} ms: ${CAUSES}`;
    reporter({ code: "LOOP_BLOCKED", message });
  }, CHECKED_EVERY_MS).unref();
  return () => {
    clearInterval(check);
    histogram.disable();
  };
}
