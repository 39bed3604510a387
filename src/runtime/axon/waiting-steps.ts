// The types of the methods of an Axon by which its runs wait, and begin other runs.

import type { BusView } from "#core/bus/bus.js";
import type { AnyKey, BusKey } from "#core/bus/bus-key.js";
import type { Branch, Control, Fault } from "#core/bus/outcome.js";
import type { AnySignal, SignalKind } from "#core/flow/signal.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import type { Flow, flow } from "../definition/flow.js";
import { childKey } from "../definition/waiting-step.js";
import type { InOf, OutOf } from "./axon-flow.js";

/** An Axon as another Axon begins runs of it. */
export interface StartedAxon {
  readonly [flow]: Flow<never, unknown, unknown, unknown, unknown, unknown>;
  /** @internal */
  readonly definition: AxonDefinition;
}

declare const run: unique symbol;

/** The id of a run, with the types of its Axon. */
type RunIdOf<A> = string & { readonly [run]?: (input: InOf<A>) => OutOf<A> };

/** The key under which `startRun` keeps the id of the run that it has begun. */
export type ChildRun<A> = BusKey<RunIdOf<A>, `run:${string}`>;

/** The key of the id of the run that `startRun(axon)` has begun: for `reads` of later steps. */
export const childRun = <A extends StartedAxon>(axon: A): ChildRun<A> =>
  childKey(axon.definition.name) as ChildRun<A>;

interface Reading<Rd extends AnyKey> {
  /** Keys that the functions of this step read. */
  readonly reads?: readonly Rd[];
}

export type SleepOptions<Rd extends AnyKey> = Reading<Rd>;

export interface StepNameOptions<Rd extends AnyKey> extends Reading<Rd> {
  /** The step's name. Default: made of what it waits for. */
  readonly name?: string;
}

export interface TakeOptions<In, Came, R, Rd extends AnyKey> extends StepNameOptions<Rd> {
  /** Makes the next value, or a fault. Default: what came. */
  readonly take?: ((value: In, came: Came, bus: BusView<Rd>) => R) & Taken<Awaited<R>>;
}

export interface WaitOptions<In, Came, R, Late, Rd extends AnyKey> extends TakeOptions<In, Came, R, Rd> {
  /** Time after which the run goes on without a signal. Default: none. */
  readonly timeoutMs?: number;
  /** What then: the branch of this id gets the value, or the run ends with the fault. Default: WAIT_TIMEOUT. */
  readonly onTimeout?: Late;
}

/** `unknown` for plain values and faults, else a sentence that the compiler shows. */
type Taken<R> = 0 extends 1 & R
  ? unknown
  : [Exclude<Extract<R, Control>, Fault<unknown>>] extends [never]
    ? unknown
    : "'take' answers a value or a fault: branch, jump and emit in the next step";

/** What `waitForAny` answers: which signal came, and its payload. */
export type AnyOf<S extends readonly AnySignal[]> = {
  readonly [I in keyof S]: S[I] extends SignalKind<infer Name, infer P>
    ? { readonly signal: Name; readonly payload: P }
    : never;
}[number];

/** What a step answers if no signal came in time. */
export type TimedOut<Late, In> = Late extends string ? Branch<Late, In> : Late;

interface StartOptions<In, ChildIn, Rd extends AnyKey> extends StepNameOptions<Rd> {
  readonly input: (value: In, bus: BusView<Rd>) => ChildIn;
}

/** `input` may be absent if the child takes what its parent has. */
export type StartArgs<In, A, Rd extends AnyKey> = [In] extends [InOf<A>]
  ? [options?: Partial<StartOptions<In, InOf<A>, Rd>>]
  : [options: StartOptions<In, InOf<A>, Rd>];
