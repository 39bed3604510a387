import { RunControl } from "#runtime/run-control.js";
import type { RunState } from "#runtime/run-state.js";

/** Ends a run from outside: at once where it waits, else before its next step. */
export function abortRun(state: RunState, reason: unknown): void {
  state.control ??= new RunControl();
  state.control.abort(reason);
}

/** The same, also of one that has ended: its signal says so to whoever still makes what it answered. */
export function abandonRun(state: RunState, reason: unknown): void {
  state.control ??= new RunControl();
  state.control.abandon(reason);
}
