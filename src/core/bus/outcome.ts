// The outcome of a step: a plain value, which is Next and allocates nothing, or a Control.
//
//   O1. One load of `.then` tells a Control and pending values from plain data. The `then` of a
//       Control is not callable, so `await` of it returns the Control itself. docs/decisions/0001
//       has the figures.
//   O2. `kind` tells the four apart. `instanceof` is used for Control only, which copies of the
//       package share.

import { interned } from "../interned.js";
import type { EventKind } from "./event.js";

type ControlKind = "fault" | "branch" | "jump" | "emit";

abstract class ControlBase {
  abstract readonly kind: ControlKind;
}
// Not a function (O1): a promise that resolves to a Control settles with it.
Object.defineProperty(ControlBase.prototype, "then", { value: Object.freeze({ kind: "not a promise" }) });

/** All outcomes but Next. Made by {@link fault}, {@link branch}, {@link jump} and {@link emit}. */
export const Control: typeof ControlBase = interned("Control", () => ControlBase);
export type Control = ControlBase;

/** The error that a service threw and that `toFault` of a step turned into a fault. */
export interface MappedError {
  readonly step: string;
  readonly thrown: unknown;
}

export class Fault<out E> extends Control {
  override readonly kind = "fault";
  readonly error: E;
  /** For logs, traces and dead letters: no response contains it. Not enumerable, so that equal faults stay equal. */
  declare readonly mapped?: MappedError;

  constructor(error: E) {
    super();
    this.error = error;
  }
}

/** A fault of an error that a service threw. */
export function mappedFault<E>(error: E, mapped: MappedError): Fault<E> {
  return Object.defineProperty(new Fault(error), "mapped", { value: mapped });
}

/** Another fault with all that this one has, because runs may share a prebuilt fault. */
export const copyOfFault = <F extends Fault<unknown>>(
  fault: Fault<unknown>,
  prototype: F = Object.getPrototypeOf(fault),
): F => Object.create(prototype, Object.getOwnPropertyDescriptors(fault));

export class Branch<out Id extends string, out P> extends Control {
  override readonly kind = "branch";
  readonly id: Id;
  readonly payload: P;

  constructor(id: Id, payload: P) {
    super();
    this.id = id;
    this.payload = payload;
  }
}

export class Jump<out L extends string, out P> extends Control {
  override readonly kind = "jump";
  readonly label: L;
  readonly payload: P;

  constructor(label: L, payload: P) {
    super();
    this.label = label;
    this.payload = payload;
  }
}

export class Emit<out Name extends string, out T> extends Control {
  override readonly kind = "emit";
  readonly event: EventKind<Name, never>;
  readonly payload: unknown;
  readonly value: T;

  constructor(event: EventKind<Name, never>, payload: unknown, value: T) {
    super();
    this.event = event;
    this.payload = payload;
    this.value = value;
  }
}

declare const passed: unique symbol;
/** The step's own input, unchanged: the result of a guard. A plain value at run time. */
export interface Pass {
  readonly [passed]: never;
}

/** The type `never`: the error type of an Axon that cannot fault. */
export type Never = never;

/** The result of a step: the value itself (Next) or one of the four Controls. */
export type Outcome<T, E = never> =
  | T
  | Fault<E>
  | Branch<string, unknown>
  | Jump<string, unknown>
  | Emit<string, T>;

/** Explicit form of the ordinary outcome. Returns its argument. */
export const next = <T>(value: T): T => value;

/** Admits a request: returns the guard's input unchanged. The identity at run time. */
export const pass = (input: unknown): Pass => input as Pass;

/** Ends the run with an error where a step returns it: `return fault(problem)`. A ProblemDetail is the response of the route. */
export const fault = <const E>(error: E): Fault<E> => new Fault(error);

export const branch = <const Id extends string, P>(id: Id, payload: P): Branch<Id, P> =>
  new Branch(id, payload);

export const jump = <const L extends string, P>(label: L, payload: P): Jump<L, P> => new Jump(label, payload);

export const emit = <Name extends string, P, T>(
  event: EventKind<Name, P>,
  payload: NoInfer<P>,
  value: T,
): Emit<Name, T> => new Emit(event, payload, value);

const isKind = (outcome: unknown, kind: ControlKind): boolean =>
  outcome instanceof Control && outcome.kind === kind;

export const isFault = (outcome: unknown): outcome is Fault<unknown> => isKind(outcome, "fault");

export const isBranch = (outcome: unknown): outcome is Branch<string, unknown> => isKind(outcome, "branch");

export const isJump = (outcome: unknown): outcome is Jump<string, unknown> => isKind(outcome, "jump");

export const isEmit = (outcome: unknown): outcome is Emit<string, unknown> => isKind(outcome, "emit");

export const isNext = <O>(outcome: O): outcome is Exclude<O, Control> => !(outcome instanceof Control);
