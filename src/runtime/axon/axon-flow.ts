// An Axon's type: whether steps fit, which keys are still needed from outside, which branches are
// open. Interfaces are flat and unions accumulate, to keep compile times low (bench/README.md).

import type { Bus } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import type { LabelKey } from "#core/bus/label.js";
import type { Branch, Fault, Jump } from "#core/bus/outcome.js";
import type { BranchId, ErrorOf, JumpLabel, MaybePromise, ValueOf } from "#core/bus/outcome-types.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import type { AnyTransition } from "#core/flow/transition.js";
import type { Flow, flow } from "../definition/flow.js";
import type { ParallelStrategy } from "../definition/parallel-types.js";

/** A jump target, and the payload that a jump there must carry. */
export interface Label<out Name extends string, in In> {
  readonly label: Name;
  readonly take: (input: In) => void;
}

type FlowWith<In, Out = any, E = any, Needs = any, Src = any, Open = any, Jumps = any, Labels = any> = {
  readonly [flow]: Flow<In, Out, E, Needs, Open, Src, Jumps, Labels>;
};
export type InOf<A> = A extends FlowWith<infer In> ? In : never;
export type OutOf<A> = A extends FlowWith<any, infer Out> ? Out : never;
export type ErrorsOf<A> = A extends FlowWith<any, any, infer E> ? E : never;
export type NeedsOf<A> = A extends FlowWith<any, any, any, infer N> ? N : never;
export type SourceOf<A> = A extends FlowWith<any, any, any, any, infer Src> ? Src : never;

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

/** For a record type: never. */
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

/** Labels that a jump names and no step carries, or with a step that takes another payload. */
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
 * `Whole` if each branch has an Axon and each jump a target that takes its payload, else the
 * unfinished part, as a sentence that the compiler shows. Always `Whole` for an AnyAxon.
 */
export type Finished<Open, Jumps, Labels, Whole> = [Open] extends [never]
  ? [UnfitJump<Jumps, Labels>] extends [never]
    ? Whole
    : `no step with label '${UnfitJump<Jumps, Labels>}' takes what the jump carries`
  : 0 extends 1 & Open
    ? Whole
    : `branch '${OpenId<Open>}' has no Axon: call .branch('${OpenId<Open>}', axon) after the step`;

/**
 * The same for an Axon's type. Methods of Axon apply it to their `this`: with the class's own
 * parameters, checking a program would cost twice as much. A method detached from its Axon has no `this` to check.
 */
export type Executable<A> =
  A extends FlowWith<any, any, any, any, any, infer Open, infer Jumps, infer Labels>
    ? Finished<Open, Jumps, Labels, A>
    : A;

type InputOf<T> = T extends { readonly run: (input: infer In, ...rest: any[]) => unknown } ? In : never;
type AnswerOf<T> = T extends { readonly run: (...args: any[]) => infer R } ? Awaited<R> : never;
export type ReadsOf<T> = T extends { readonly reads?: readonly (infer K)[] } ? Extract<K, AnyKey> : never;
export type LabelsOf<T> = T extends { readonly labels?: readonly (infer L)[] }
  ? LabelKey<Extract<L, string>>
  : never;

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
