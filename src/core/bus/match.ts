import { type Branch, Control, type Emit, type Fault, type Jump } from "./outcome.js";

type Case<O, C extends Control, Name extends string, R> = [Extract<O, C>] extends [never]
  ? { readonly [K in Name]?: never }
  : { readonly [K in Name]: (outcome: Extract<O, C>) => R };

/** One function for each possible outcome of `O`. `next` gets the value, `fault` the error, the others the Control. */
export type Cases<O, R> = {
  readonly next: (value: Exclude<O, Control>) => R;
} & ([Extract<O, Fault<unknown>>] extends [never]
  ? { readonly fault?: never }
  : { readonly fault: (error: O extends Fault<infer E> ? E : never) => R }) &
  Case<O, Branch<string, unknown>, "branch", R> &
  Case<O, Jump<string, unknown>, "jump", R> &
  Case<O, Emit<string, unknown>, "emit", R>;

export function match<O, R>(outcome: O, cases: Cases<O, R>): R {
  const read = cases as unknown as Record<string, (arg: unknown) => R>;
  const fits = outcome instanceof Control ? outcome.kind : "next";
  const then = read[fits];
  if (then === undefined) throw new TypeError(`match() was given no case for '${fits}'`);
  return then(fits === "fault" ? (outcome as unknown as Fault<unknown>).error : outcome);
}
