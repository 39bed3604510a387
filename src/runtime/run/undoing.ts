// A completed step of a run, as data: the step that undoes it, and its input. saga.ts runs them.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { StepShape } from "./instruction-shape.js";

/** What undoes a step of a program. */
export interface UndoStep<Bus> {
  readonly name: string;
  readonly step: StepShape<Bus>;
  /** The keys it reads that the run's Bus lacks: their values are stored with the step. */
  readonly kept: readonly AnyKey[];
}

/** A completed step and the step that undoes it. */
export interface Undoing<State extends { readonly bus: unknown }> extends UndoStep<State["bus"]> {
  readonly node: string;
  readonly done: { readonly input: unknown; readonly output: unknown };
  readonly state: State;
  /** Replaces the state's values, if the step had its own Bus in a run that was resumed. */
  readonly values?: unknown[];
}
