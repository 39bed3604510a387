// A step at which a run waits: the time, signals, the end of another run. No process has the run
// meanwhile (J5). Its checkpoint is the entry that says so.
//
//   WS1. A run that is woken goes on behind the step, with what its claim has taken: the log has it,
//        and a process that resumes the run after that one takes the same.
//   WS2. What ended a wait that this step does not declare, after a migration, ends nothing: it waits
//        anew.

import { branch, fault, isFault } from "#core/bus/outcome.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { endSignal, type Woken } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import type { SignalWait, WaitDefinition } from "../definition/wait.js";
import { endIn, requireEntry } from "../kept/run-log.js";
import { decode } from "../kept/stored-value.js";
import type { Instruction } from "../run/instruction.js";
import type { NewWait } from "../run/run-journal.js";
import type { RunBus, RunState } from "../run/run-state.js";
import {
  type CheckpointOptions,
  journalIn,
  type KeptPlace,
  positionAt,
  RUN_ID_INVALID,
} from "./checkpoint-step.js";

export interface WaitOptions {
  readonly name: string;
  readonly checkpoints: CheckpointOptions;
  readonly place: KeptPlace;
}

export const waitStep = (
  wait: Exclude<WaitDefinition, { readonly kind: "continue" }>,
  { name, checkpoints, place }: WaitOptions,
): Instruction["step"] => ({
  run(input, bus) {
    const { state } = bus;
    const journal = journalIn(state, checkpoints);
    if (journal === undefined) return RUN_ID_INVALID;
    const woken = journal.takeWoken();
    if (woken !== undefined && isEndOf(wait, woken, state))
      return answerOf(wait, woken, { name, input, bus });
    const until = untilOf(wait, input, bus, name);
    return journal.waits(() => positionAt(place, input, state, checkpoints), until);
  },
});

/** WS2. */
function isEndOf(wait: WaitDefinition, woken: Woken, state: RunState): boolean {
  if (woken.by === "time")
    return wait.kind === "sleep" || (wait.kind === "signals" && wait.timeoutMs !== undefined);
  return namesOf(wait, state)?.includes(woken.name) === true;
}

/** The names of the signals that it waits for. */
function namesOf(wait: WaitDefinition, state: RunState): readonly string[] | undefined {
  if (wait.kind === "signals") return wait.signals.map(({ name }) => name);
  return wait.kind === "run" ? [endSignal(state.values[state.slotOf(wait.child)] as string)] : undefined;
}

function untilOf(wait: WaitDefinition, input: unknown, bus: RunBus, name: string): NewWait {
  if (wait.kind === "sleep") return sleepUntil(wait.until, input, bus, name);
  const signals = namesOf(wait, bus.state) ?? [];
  const inMs = wait.kind === "signals" ? wait.timeoutMs : undefined;
  return { signals, ...(inMs !== undefined && { inMs }) };
}

type Sleeping = Extract<WaitDefinition, { readonly kind: "sleep" }>["until"];

function sleepUntil(until: Sleeping, input: unknown, bus: RunBus, name: string): NewWait {
  if (typeof until === "number") return { inMs: until };
  const due: unknown = until(input as never, bus as never);
  if (due instanceof Date && !Number.isNaN(due.getTime())) return { due: due.getTime() };
  throw new TypeError(`The function of sleep("${name}") answers a Date`);
}

interface Waking {
  readonly name: string;
  readonly input: unknown;
  readonly bus: RunBus;
}

function answerOf(wait: WaitDefinition, woken: Woken, { name, input, bus }: Waking): unknown {
  if (woken.by === "time") return wait.kind === "signals" ? timedOut(wait, name, input) : input;
  const { name: signal, payload: stored } = woken;
  if (wait.kind === "run") {
    const output = outputIn(stored);
    return wait.take === undefined || isFault(output)
      ? output
      : wait.take(input as never, output as never, bus as never);
  }
  if (wait.kind !== "signals") return input;
  const payload = decode(stored);
  const came = wait.isAny ? { signal, payload } : payload;
  return wait.take === undefined ? came : wait.take(input as never, came as never, bus as never);
}

function timedOut({ onTimeout, timeoutMs = 0 }: SignalWait, step: string, input: unknown): unknown {
  if (onTimeout === undefined) return fault(runtimeFault({ code: "WAIT_TIMEOUT", step, timeoutMs }));
  return typeof onTimeout === "string" ? branch(onTimeout, input) : onTimeout;
}

/** The output of a run that has ended, or its fault. */
function outputIn(stored: Json): unknown {
  const end = endIn(requireEntry("ended", stored));
  if ("error" in end) return fault(decode(end.error));
  return end.output === undefined ? undefined : decode(end.output);
}

/** `inputOf` makes the input of the new log, or a fault; `place` is the first step. */
export const continueStep = (
  inputOf: Instruction["step"],
  { checkpoints, place }: Omit<WaitOptions, "name">,
): Instruction["step"] => ({
  run(value, bus) {
    const { state } = bus;
    const goOn = (input: unknown): unknown => {
      if (isFault(input)) return input;
      const journal = journalIn(state, checkpoints);
      if (journal === undefined) return RUN_ID_INVALID;
      state.jumps = 0;
      return journal.continues(() => positionAt(place, input, state, checkpoints));
    };
    const input = inputOf.run(value, bus);
    return input instanceof Promise ? input.then(goOn) : goOn(input);
  },
});
