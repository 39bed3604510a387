// A run that its guards have let in, suspended until the body of its request is there.
//
//   SR1. One that somebody watches is told why its input will not come: whoever is told of
//        its beginning is told of its end. One that nobody watches is let go of.

import { type Fault, fault } from "#core/outcome.js";
import { runtimeFault } from "#core/runtime-fault.js";
import type { Program } from "#runtime/program.js";
import type { RunState } from "#runtime/run-state.js";
import { SUSPENDED } from "#runtime/suspension.js";
import type { Exchange } from "./native/exchange.js";

export const GONE = fault(runtimeFault({ code: "RUN_ABORTED", reason: new Error("The client went away") }));

/** Suspends it; `now` is when its time began, as the route's deadlines count. */
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

/** Its input will not come (SR1). */
export function giveUp(program: Program, exchange: Exchange, why: Fault<unknown>): void {
  const { suspended } = exchange.particulars;
  if (suspended === null || (suspended.counters === null && suspended.duties.trace === null)) return;
  exchange.own().suspended = null;
  program.goOn(why, suspended);
}
