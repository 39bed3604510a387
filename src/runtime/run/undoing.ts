// A completed step of a run, as data: what undoes it, and with what. saga.ts undoes them.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { StepShape } from "./instruction-shape.js";

/** What undoes a step of a program. */
export interface UndoStep<Bus> {
  readonly name: string;
  readonly step: StepShape<Bus>;
  /** Of what it reads, what is kept with the step where the run's Bus has it not. */
  readonly kept: readonly AnyKey[];
}

/** A completed step, and what undoes it. */
export interface Undoing<State extends { readonly bus: unknown }> extends UndoStep<State["bus"]> {
  readonly node: string;
  readonly done: { readonly input: unknown; readonly output: unknown };
  readonly state: State;
  /** Instead of the state's, where it had a Bus of its own in a run that was resumed. */
  readonly values?: unknown[];
}
