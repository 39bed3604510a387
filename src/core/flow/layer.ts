import type { BusView } from "../bus/bus.js";
import type { AnyKey } from "../bus/bus-key.js";
import type { DeclaredResponse } from "../bus/declared-response.js";
import { type Fault, fault, isFault } from "../bus/outcome.js";
import type { MaybePromise } from "../bus/outcome-types.js";
import { ProblemDetail } from "../bus/problem-detail.js";

/**
 * Wraps a whole route: its guards, the reading of its input, its steps. It returns the outcome,
 * usually the outcome of `next`.
 */
export interface Layer<
  Rd extends AnyKey = never,
  Wr extends AnyKey = never,
  Mr extends AnyKey = never,
  Mw extends AnyKey = never,
  Dl extends AnyKey = never,
> {
  readonly name: string;
  readonly description?: string;
  readonly reads?: readonly Rd[];
  /** Keys that are set before `next` is called. */
  readonly writes?: readonly Wr[];
  readonly mayRead?: readonly Mr[];
  readonly mayWrite?: readonly Mw[];
  /** Keys that it may delete, before or after the call of `next`. */
  readonly deletes?: readonly Dl[];
  /** State that it keeps in memory between runs: a warning is printed with several workers. */
  readonly perProcess?: string;
  /** Its own responses beside the outcome of `next`, for documentation. */
  readonly responses?: readonly DeclaredResponse[];
  /** `next` runs the rest and returns its outcome or a promise. Call it at most once, or not at all to end the run. */
  readonly run: (bus: BusView<Rd, Wr, Mr, Mw, Dl>, next: () => unknown) => unknown;
}

export type AnyLayer = Layer<any, any, any, any, any>;

type Declared<
  Rd extends AnyKey,
  Wr extends AnyKey,
  Mr extends AnyKey,
  Mw extends AnyKey,
  Dl extends AnyKey,
> = Omit<Layer<Rd, Wr, Mr, Mw, Dl>, "run">;

export function layer<
  Rd extends AnyKey = never,
  Wr extends AnyKey = never,
  Mr extends AnyKey = never,
  Mw extends AnyKey = never,
  Dl extends AnyKey = never,
>(definition: Layer<Rd, Wr, Mr, Mw, Dl>): Layer<Rd, Wr, Mr, Mw, Dl> {
  return Object.freeze({ ...definition });
}

/** True admits a request. False refuses it with 403. A fault refuses it with its own response. */
export type Decision<E> = boolean | Fault<E>;

const NOT_ALLOWED = new ProblemDetail({ status: 403, code: "FORBIDDEN", title: "This is not allowed" });
const FORBIDDEN = fault(NOT_ALLOWED);

/**
 * A layer that decides first: `authorize((bus) => bus.get(header("x-team")) === "ops", { reads: [...] })`.
 * An error of `decide`, or a result that is no decision, is a fault: no request passes by mistake.
 */
export function authorize<
  E = never,
  Rd extends AnyKey = never,
  Wr extends AnyKey = never,
  Mr extends AnyKey = never,
  Mw extends AnyKey = never,
  Dl extends AnyKey = never,
>(
  decide: (bus: BusView<Rd, Wr, Mr, Mw, Dl>) => MaybePromise<Decision<E>>,
  declared: Partial<Declared<Rd, Wr, Mr, Mw, Dl>> = {},
): Layer<Rd, Wr, Mr, Mw, Dl> {
  const name = declared.name ?? "authorize";
  const admit = (decision: unknown, next: () => unknown): unknown => {
    // hole: a truthy value, such as a promise, would admit the caller
    if (decision === true) return next();
    if (decision === false) return FORBIDDEN;
    if (isFault(decision)) return decision;
    throw new TypeError(`'${name}' decided neither true nor false, nor a fault`);
  };
  return layer({
    ...declared,
    responses: [NOT_ALLOWED, ...(declared.responses ?? [])],
    name,
    run(bus, next) {
      const decision = decide(bus);
      return decision instanceof Promise
        ? decision.then((settled) => admit(settled, next))
        : admit(decision, next);
    },
  });
}
