import type { Branch, Control, Emit, Fault, Jump, Pass } from "./outcome.js";

// Each of these types distributes over R, the return type of a step's `run` with promises
// unwrapped. A step typed `any` returns `any` value and no Control.

type IsAny<R> = 0 extends 1 & R ? true : false;

/** Input type of the next step if R is Next: `In` if the step passes its input unchanged. */
export type ValueOf<R, In = never> =
  IsAny<R> extends true
    ? R
    : R extends Pass
      ? In
      : R extends Emit<string, infer T>
        ? ValueOf<T, In>
        : R extends Control
          ? never
          : R;

export type ErrorOf<R> =
  IsAny<R> extends true
    ? never
    : R extends Fault<infer E>
      ? E
      : R extends Emit<string, infer T>
        ? ErrorOf<T>
        : never;

export type BranchOf<R> =
  IsAny<R> extends true ? never : R extends Branch<infer Id, infer P> ? Branch<Id, P> : never;

export type JumpOf<R> = IsAny<R> extends true ? never : R extends Jump<infer L, infer P> ? Jump<L, P> : never;

export type BranchId<R> = IsAny<R> extends true ? never : R extends Branch<infer Id, unknown> ? Id : never;

export type JumpLabel<R> = IsAny<R> extends true ? never : R extends Jump<infer L, unknown> ? L : never;

export type EmittedName<R> =
  IsAny<R> extends true ? never : R extends Emit<infer Name, unknown> ? Name : never;

/** A promise of the value or the value itself: synchronous runs stay synchronous. */
export type MaybePromise<T> = T | Promise<T>;
