// What an Axon's type says: how steps fit, what is still needed from outside, which branches
// are open. Interfaces are flat and unions accumulate, for the compiler's sake (bench/README.md).

import type { Bus } from "#core/bus/bus.js";
import type { AnyKey, NameOfKey } from "#core/bus/bus-key.js";
import type { Branch, Fault, Jump } from "#core/bus/outcome.js";
import type {
  BranchId,
  BranchOf,
  ErrorOf,
  JumpLabel,
  JumpOf,
  MaybePromise,
  ValueOf,
} from "#core/bus/outcome-types.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import type { AnyTransition } from "#core/flow/transition.js";
import type { Flow, flow, InputSource } from "../definition/flow.js";
import type { ParallelStrategy } from "../definition/parallel-types.js";
import type { Axon } from "./axon.js";

export type AnyAxon = Axon<any, any, any, any, any, any, any, any, any>;

export type HasOf<A> = A extends Axon<any, any, any, any, infer Has, any, any, any, any> ? Has : never;

/** A place to jump to, and what a jump there must carry. */
export interface Label<out Name extends string, in In> {
  readonly label: Name;
  readonly take: (input: In) => void;
}

type FlowWith<In, Out = any, E = any, Needs = any, Src = any> = {
  readonly [flow]: Flow<In, Out, E, Needs, any, Src>;
};
export type InOf<A> = A extends FlowWith<infer In> ? In : never;
export type OutOf<A> = A extends FlowWith<any, infer Out> ? Out : never;
export type ErrorsOf<A> = A extends FlowWith<any, any, infer E> ? E : never;
export type NeedsOf<A> = A extends FlowWith<any, any, any, infer N> ? N : never;
export type SourceOf<A> = A extends FlowWith<any, any, any, any, infer Src> ? Src : never;

/** An Axon's type in words, for a hover: `type Info = AxonInfo<typeof axon>`. */
export interface AxonInfo<A extends AnyAxon> {
  readonly input: InOf<A>;
  readonly output: OutOf<A>;
  readonly faults: ErrorsOf<A>;
  readonly needs: NameOfKey<NeedsOf<A>>;
}

/** Why `Data` does not fit a schema of `Wanted`, as a sentence that the compiler shows. */
export type OutputMisfit<Data, Wanted, Misfit = Data extends Wanted ? never : Data> = [Misfit] extends [
  undefined | void,
]
  ? "the last step answers nothing: is a return missing?"
  : [Wanted] extends [readonly unknown[]]
    ? [Misfit] extends [readonly unknown[]]
      ? OutputUnfit
      : "the last step answers no list, which the schema is"
    : [Misfit] extends [object | undefined | void]
      ? MissingOutput<RequiredName<Wanted>, keyof Exclude<Misfit, undefined | void>>
      : OutputUnfit;

type OutputUnfit = "the last step answers what the schema does not allow";

type MissingOutput<Required, There> = [Exclude<Required, There>] extends [never]
  ? OutputUnfit
  : `the last step answers no '${Exclude<Required, There> & string}', which the schema needs`;

/** Of a record, none. */
type RequiredName<T> = T extends object
  ? { [N in keyof T]-?: object extends Pick<T, N> ? never : string extends N ? never : N }[keyof T]
  : never;

export type RunResult<Out, E> = MaybePromise<Out | Fault<E | RuntimeFault>>;

export type ExecuteArgs<In, Needs extends AnyKey> = [Needs] extends [never]
  ? [input: In, bus?: Bus<never>, signal?: AbortSignal]
  : [input: In, bus: Bus<Needs>, signal?: AbortSignal];

export type OpenId<Open> = Open extends Branch<infer Id, unknown> ? Id : never;
export type OpenPayload<Open, Id> =
  Open extends Branch<infer I, infer P> ? (I extends Id ? P : never) : never;

/** The labels that some jump names and no step carries, or whose step takes another payload. */
type UnfitJump<Jumps, Labels> =
  Jumps extends Jump<infer L, infer P>
    ? [Extract<Labels, Label<L, any>>] extends [never]
      ? L
      : Extract<Labels, Label<L, any>> extends Label<L, infer In>
        ? [P] extends [In]
          ? never
          : L
        : never
    : never;

/**
 * `Whole` where each branch has an Axon and each jump a place that takes what it carries, else
 * what is not finished, as a sentence that the compiler shows. Of an AnyAxon nothing is known.
 */
type Finished<Open, Jumps, Labels, Whole> = [Open] extends [never]
  ? [UnfitJump<Jumps, Labels>] extends [never]
    ? Whole
    : `no step with label '${UnfitJump<Jumps, Labels>}' takes what the jump carries`
  : 0 extends 1 & Open
    ? Whole
    : `branch '${OpenId<Open>}' has no Axon: call .branch('${OpenId<Open>}', axon) after the step`;

/**
 * The same of an Axon's type. Methods of Axon ask it of their `this`: made of the class's own
 * parameters, it would double the cost of checking a program. Where one was taken off, there is none.
 */
export type Executable<A> =
  A extends Axon<any, any, any, any, any, infer Open, infer Jumps, infer Labels, any>
    ? Finished<Open, Jumps, Labels, A>
    : A;

/** The Axon's type where it can run with `Provided`, else what hinders it, for the compiler to show. */
export type Runnable<A extends AnyAxon, Provided> =
  A extends Axon<any, any, any, infer Needs, any, infer Open, infer Jumps, infer Labels, any>
    ? [Exclude<Needs, Provided>] extends [never]
      ? Finished<Open, Jumps, Labels, A>
      : Unprovided<NameOfKey<Exclude<Needs, Provided>>>
    : never;

type Unprovided<Name extends string> = Name extends `param:${infer Parameter}`
  ? `nothing provides '${Name}': the path has no ':${Parameter}'`
  : `nothing provides '${Name}': list it in 'resources', set it in an earlier step, or add the guard that sets it before this route`;

/** An Axon with a step appended that answers R, reads Rd, writes Wr and may delete Dl. */
export type Extended<
  In,
  Out,
  E,
  Needs extends AnyKey,
  Has extends AnyKey,
  Open,
  Jumps,
  Labels,
  Src extends InputSource,
  R,
  Rd extends AnyKey,
  Wr extends AnyKey,
  Dl extends AnyKey,
> = Axon<
  In,
  ValueOf<R, Out>,
  E | ErrorOf<R>,
  Needs | Exclude<Rd, Has>,
  Exclude<Has, Dl> | Wr,
  Open | BranchOf<R>,
  Jumps | JumpOf<R>,
  Labels,
  Src
>;

/** An Axon whose branch Id has a body that answers BOut, faults with BE and reads BNeeds. */
export type Branched<
  In,
  Out,
  E,
  Needs extends AnyKey,
  Has extends AnyKey,
  Open,
  Jumps,
  Labels,
  Src extends InputSource,
  Id,
  BOut,
  BE,
  BNeeds extends AnyKey,
> = Axon<
  In,
  Out | BOut,
  E | BE,
  Needs | Exclude<BNeeds, Has>,
  Has,
  Exclude<Open, Branch<Id & string, any>>,
  Jumps,
  Labels,
  Src
>;

type InputOf<T> = T extends { readonly run: (input: infer In, ...rest: any[]) => unknown } ? In : never;
type AnswerOf<T> = T extends { readonly run: (...args: any[]) => infer R } ? Awaited<R> : never;
export type ReadsOf<T> = T extends { readonly reads?: readonly (infer K)[] } ? Extract<K, AnyKey> : never;

export type ParallelSteps<S extends readonly AnyTransition[], Out> = {
  readonly [I in keyof S]: [Out] extends [InputOf<S[I]>]
    ? [BranchId<AnswerOf<S[I]>> | JumpLabel<AnswerOf<S[I]>>] extends [never]
      ? S[I]
      : "a step beside others may neither branch nor jump: put it in an Axon of its own"
    : "this step does not take what the step before answers";
};

export type ParallelResults<S extends readonly AnyTransition[], Out, Strategy extends ParallelStrategy> = {
  readonly [I in keyof S]:
    | ValueOf<AnswerOf<S[I]>, Out>
    | ("AnyCanFail" extends Strategy ? Fault<ErrorOf<AnswerOf<S[I]>> | RuntimeFault> : never);
};

export type ParallelErrors<
  S extends readonly AnyTransition[],
  Strategy extends ParallelStrategy,
> = "AllMustSucceed" extends Strategy ? ErrorOf<AnswerOf<S[number]>> : never;
