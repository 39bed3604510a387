// A run that is suspended after its guards until the body arrives. If the body does not arrive, a
// recorded run ends with the reason; any other run is dropped.

import { type Fault, fault } from "#core/bus/outcome.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import type { Program } from "#runtime/compile/program.js";
import { SUSPENDED } from "#runtime/run/instruction.js";
import { RunControl } from "#runtime/run/run-control.js";
import type { RunState } from "#runtime/run/run-state.js";
import type { Exchange } from "../exchange/exchange.js";

export const GONE = fault(runtimeFault({ code: "RUN_ABORTED", reason: new Error("The client went away") }));

/** `now` is the start of its time-out, in ticks. */
export function suspend(
  program: Program,
  exchange: Exchange,
  state: RunState,
  now: number,
): typeof SUSPENDED {
  const own = exchange.own();
  own.suspended = state;
  own.suspendedAt = now;
  if (state.duties.trace !== null) exchange.whenAborted(() => giveUp(program, exchange, GONE));
  return SUSPENDED;
}

export function giveUp(program: Program, exchange: Exchange, why: Fault<unknown>): void {
  const { suspended } = exchange.particulars;
  if (suspended === null || (suspended.counters === null && suspended.duties.trace === null)) return;
  exchange.own().suspended = null;
  program.goOn(why, suspended);
}

/** Aborts at once while the run awaits a promise, else before its next step. */
export function abortRun(state: RunState, reason: unknown): void {
  state.control ??= new RunControl();
  state.control.abort(reason);
}

/** Fires the run's signal only: its steps go on. */
export function warnRun(state: RunState, reason: unknown): void {
  state.control ??= new RunControl();
  state.control.warn(reason);
}

/** Aborts also an ended run: the signal fires for steps that kept it. */
export function abandonRun(state: RunState, reason: unknown): void {
  state.control ??= new RunControl();
  state.control.abandon(reason);
}
