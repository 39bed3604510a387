// What the contracts of the executors share: running, reading a fault, steps by script.

import assert from "node:assert/strict";

import { busKey } from "#core/bus/bus-key.js";
import { eventKind } from "#core/bus/event.js";
import { fault, isFault } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { transition } from "#core/flow/transition.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import type { ProgramOptions } from "#runtime/compile/program.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { type Executor, type Ran, runOnce } from "./executors.js";

export const Total = busKey<number>()("Total");
export const Told = eventKind<number>()("told");

export const after = <T>(ms: number, value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(resolve, ms, value));

/** A turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const errorOf = ({ outcome }: Ran): unknown => {
  assert.ok(isFault(outcome), `a fault, not ${JSON.stringify(outcome)}`);
  return outcome.error;
};
export const codeOf = (ran: Ran): string => (errorOf(ran) as RuntimeFault).code;

export const refuse = transition({ name: "refuse", run: (_: number) => fault("refused") });

/** A step that answers what the list says, one after the other; a function is called. */
export const scripted = (name: string, answers: readonly unknown[]) => {
  const script = { calls: 0 };
  const run = (): unknown => {
    const answer = answers[Math.min(script.calls, answers.length - 1)];
    script.calls += 1;
    return typeof answer === "function" ? answer() : answer;
  };
  return { script, step: { name, run } as never };
};

export const runner =
  (executor: Executor) =>
  (axon: AnyAxon, input?: unknown, signal?: AbortSignal, options: ProgramOptions = {}): Promise<Ran> =>
    runOnce(axon, input, { ...executor, options: { ...executor.options, ...options } }, signal);

/** Runs on a clock that the test moves. */
export const clocked = (executor: Executor) => {
  const clock = new ManualClock();
  const run = runner({ ...executor, options: { ...executor.options, clock } });
  return { clock, run };
};
