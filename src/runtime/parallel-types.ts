// How the types of steps that run at once come together.

import type { AnyKey } from "#core/bus-key.js";
import type { Fault } from "#core/outcome.js";
import type { BranchId, ErrorOf, JumpLabel, ValueOf } from "#core/outcome-types.js";
import type { RuntimeFault } from "#core/runtime-fault.js";
import type { AnyTransition } from "#core/transition.js";
import type { ParallelStrategy } from "./parallel-step.js";

type InputOf<T> = T extends { readonly run: (input: infer In, ...rest: any[]) => unknown } ? In : never;
type AnswerOf<T> = T extends { readonly run: (...args: any[]) => infer R } ? Awaited<R> : never;
export type ReadsOf<T> = T extends { readonly reads?: readonly (infer K)[] } ? Extract<K, AnyKey> : never;

/** The steps where each can stand beside the others, else a sentence in the place of the one that cannot. */
export type ParallelSteps<S extends readonly AnyTransition[], Out> = {
  readonly [I in keyof S]: [Out] extends [InputOf<S[I]>]
    ? [BranchId<AnswerOf<S[I]>> | JumpLabel<AnswerOf<S[I]>>] extends [never]
      ? S[I]
      : "a step beside others may neither branch nor jump: put it in an Axon of its own"
    : "this step does not take what the step before answers";
};

/** What `merge` gets: a value for each step, and faults where they do not end the run. */
export type ParallelResults<S extends readonly AnyTransition[], Out, Strategy extends ParallelStrategy> = {
  readonly [I in keyof S]:
    | ValueOf<AnswerOf<S[I]>, Out>
    | ("AnyCanFail" extends Strategy ? Fault<ErrorOf<AnswerOf<S[I]>> | RuntimeFault> : never);
};

/** The faults that end the run. */
export type ParallelErrors<
  S extends readonly AnyTransition[],
  Strategy extends ParallelStrategy,
> = "AllMustSucceed" extends Strategy ? ErrorOf<AnswerOf<S[number]>> : never;
