import type { Branch, Control, Emit, Fault, Jump, Pass } from "./outcome.js";

// Each of these distributes over R, what a step's `run` returns with promises
// unwrapped. A step typed `any` is a step that answers `any` value, and no Control.

type IsAny<R> = 0 extends 1 & R ? true : false;

/** What the next step gets when R is Next: `In` where the step only lets its input pass. */
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
