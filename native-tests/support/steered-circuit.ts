// An Axon whose runs are all traced and can be held.

import assert from "node:assert/strict";

import { isFault, type Recorder } from "framework";
import { ManualClock } from "framework/runtime";
import type { InspectorFault } from "#inspector/api/fault.js";
import type { BreakpointEvent } from "#inspector/breakpoints/breakpoint-event.js";
import { Steering, type SteeringOptions } from "#inspector/breakpoints/steering.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program } from "#runtime/compile/program.js";

/** Sees inputs as they are: what is copied and masked is another's to decide. */
export const capture = (value: unknown) => ({ kind: "full", value, is_cut: false }) as const;

/** Hands a Steering its runs, as the Inspector's recording does. */
export const recorderOf = (steering: Steering): Recorder => ({
  mounted: (circuit) => {
    steering.mounted(circuit);
    circuit.watch({ kind: "all" });
  },
  get beforeNode() {
    return steering.beforeNode;
  },
  ended: steering.ended,
});

export function steered(axon: AnyAxon, options: SteeringOptions = {}) {
  const clock = new ManualClock();
  const events: BreakpointEvent[] = [];
  const steering = new Steering({
    clock,
    wallClock: () => 1_000_000 + clock.now(),
    tell: (event) => events.push(event),
    capture,
    ...options,
  });
  const program = new Program(axon.definition, { recorder: recorderOf(steering), clock });
  const run = (input?: unknown): unknown => program.run(input, program.acquire());
  return { steering, clock, events, run, breakpoints: steering.breakpoints };
}

/** What was answered, which is no fault. */
export function done<T>(answer: T): Exclude<T, { readonly kind: "fault" }> {
  assert.ok(!isFault(answer), JSON.stringify(answer));
  return answer as Exclude<T, { readonly kind: "fault" }>;
}

/** Why something was refused. */
export function refused(answer: unknown): InspectorFault {
  assert.ok(isFault(answer), JSON.stringify(answer));
  return answer.error as InspectorFault;
}
