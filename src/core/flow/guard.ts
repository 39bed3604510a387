import type { BusView } from "../bus/bus.js";
import type { AnyKey } from "../bus/bus-key.js";
import type { DeclaredResponse } from "../bus/declared-response.js";
import { type Fault, isFault, type Pass } from "../bus/outcome.js";
import type { MaybePromise } from "../bus/outcome-types.js";
import { FrameworkError } from "../errors.js";
import type { CorsPolicy, ResponseHeaders } from "../facts/response-facts.js";
import type { IamPolicy } from "../iam/iam-policy.js";
import type { AnswerObserver } from "../ports/answer-observer.js";
import type { IdempotencyPolicy } from "../ports/idempotency-store.js";
import {
  type KeysNamed,
  type NamedBus,
  type NamedDeclarations,
  type NamedKeys,
  type NoKeys,
  withNamedKeys,
} from "./named-keys.js";
import type { AnyTransition, Transition } from "./transition.js";
import { wrapping } from "./written-function.js";

/** Maximum body limit in bytes: a Content-Length of at most 15 digits is read. */
export const MAX_BODY_LIMIT = 999_999_999_999_999;

export const MAX_ROUTE_TIMEOUT_MS = 3_600_000;

/** Work that an ingress does for a guard in front of a route, beside running it. */
export interface GuardDeclarations {
  readonly responseHeaders?: ResponseHeaders;
  /** Handles preflights in the route's place and adds headers to browsers' requests. The innermost guard's is used. */
  readonly cors?: CorsPolicy;
  readonly observer?: AnswerObserver;
  /** Maximum body size in bytes: the smallest limit of all guards of a route is used. */
  readonly bodyLimit?: number;
  /** Time limit of the whole route, in milliseconds: the shortest is used. */
  readonly timeoutMs?: number;
  /** Requests with the same key run once. The innermost guard's policy is used. */
  readonly idempotency?: IdempotencyPolicy;
  /** Media types of the bodies that it admits, ranges included. For documentation. */
  readonly accepts?: readonly string[];
  /** Its refusals, for documentation. */
  readonly responses?: readonly DeclaredResponse[];
  /** The policy by which it admits callers, for documentation. */
  readonly admits?: IamPolicy;
  /** Where this guard, or one behind it, reads a caller's credential. */
  readonly credential?: Credential;
}

/** A header or a cookie. "authorization": a token after "Bearer". */
export interface Credential {
  readonly in: "header" | "cookie";
  readonly name: string;
}

/**
 * A step that passes its input on or ends the run. Guards in front of an Axon run before its
 * input is read, so they accept any input.
 */
export interface Guard<
  out E,
  Rd extends AnyKey = never,
  Wr extends AnyKey = never,
  Mr extends AnyKey = never,
  Mw extends AnyKey = never,
> extends Transition<unknown, MaybePromise<Pass | Fault<E>>, Rd, Wr, Mr, Mw>,
    GuardDeclarations {
  readonly kind: "guard";
  readonly responseHeaders?: ResponseHeaders;
}

export type AnyGuard = Guard<unknown, any, any, any, any>;

interface Definition<
  E,
  Rd extends AnyKey,
  Wr extends AnyKey,
  Mr extends AnyKey,
  Mw extends AnyKey,
  U extends NamedKeys,
  S extends NamedKeys,
  M extends NamedKeys,
> extends GuardDeclarations,
    NamedDeclarations<U, S, M> {
  readonly name: string;
  readonly description?: string;
  readonly reads?: readonly Rd[];
  readonly writes?: readonly Wr[];
  readonly mayRead?: readonly Mr[];
  readonly mayWrite?: readonly Mw[];
  readonly perProcess?: string;
  /**
   * Returns `pass(input)`, or a fault with its status. Before a body is read `input` is a
   * placeholder object, never undefined.
   */
  readonly run: (
    input: unknown,
    bus: NamedBus<Rd, Wr, Mr, Mw, never, U, S, M>,
  ) => MaybePromise<Pass | Fault<E>>;
}

/** The type makes the compiler require every property. */
const KNOWN: Readonly<
  Record<keyof Definition<never, never, never, never, never, NoKeys, NoKeys, NoKeys>, true>
> = {
  name: true,
  description: true,
  reads: true,
  writes: true,
  mayRead: true,
  mayWrite: true,
  uses: true,
  sets: true,
  mayUse: true,
  perProcess: true,
  run: true,
  responseHeaders: true,
  cors: true,
  observer: true,
  bodyLimit: true,
  timeoutMs: true,
  idempotency: true,
  accepts: true,
  responses: true,
  admits: true,
  credential: true,
};

/** Refuses misspelt declarations: they would silently protect nothing. */
function requireDefinition(definition: unknown): void {
  const { name, run, ...others } = (definition ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || name === "" || typeof run !== "function")
    throw invalid("guard(...): give it a name and a function, as in { name, run: (input) => pass(input) }");
  const unknown = Object.keys(others).find((part) => part !== "kind" && !Object.hasOwn(KNOWN, part));
  if (unknown !== undefined)
    throw invalid(
      `guard({ name: '${name}' }): it knows no '${unknown}'; there are ${Object.keys(KNOWN).join(", ")}`,
    );
}

const invalid = (message: string): FrameworkError => new FrameworkError("CONFIG_INVALID", message);

/**
 * Makes a guard. A result other than its input or a fault is a panic: no request passes by
 * mistake. Throws CONFIG_INVALID for an invalid definition.
 */
export function guard<
  E = never,
  Rd extends AnyKey = never,
  Wr extends AnyKey = never,
  Mr extends AnyKey = never,
  Mw extends AnyKey = never,
  U extends NamedKeys = NoKeys,
  S extends NamedKeys = NoKeys,
  M extends NamedKeys = NoKeys,
>(
  definition: Definition<E, Rd, Wr, Mr, Mw, U, S, M>,
): Guard<E, Rd | KeysNamed<U>, Wr | KeysNamed<S>, Mr | KeysNamed<M>, Mw> {
  requireDefinition(definition);
  const listed = withNamedKeys(definition) as unknown as AnyGuard;
  const { name } = listed;
  const made: AnyGuard = Object.freeze({
    ...listed,
    kind: "guard",
    run(input: unknown, bus: BusView) {
      const asked = askedWith(input);
      return decided(name, asked, input, listed.run(asked, bus as never)) as MaybePromise<Pass | Fault<E>>;
    },
  });
  wrapping(made.run, listed.run);
  deciding.add(made);
  return made as Guard<any, any, any, any, any>;
}

/** Guards that check their results already. */
const deciding = new WeakSet<object>();

/** Wraps a guard of any make, such as a class, so that its results are checked as those of {@link guard} are. */
export function decidingGuard(made: AnyTransition): AnyTransition {
  if (deciding.has(made)) return made;
  // Read once: for guards of different shapes each property access is a slow lookup.
  const { name, run: decide } = made;
  const run: AnyTransition["run"] = (input, bus) => {
    const asked = askedWith(input);
    return decided(name, asked, input, decide.call(made, asked as never, bus));
  };
  return Object.create(made, { run: { value: run } });
}

/** Replaces an undefined input: undefined is also the result of a function that forgets its `return`. */
const NO_INPUT: unknown = Object.freeze({ toString: () => "no input" });

const askedWith = (input: unknown): unknown => (input === undefined ? NO_INPUT : input);

/** The result if it is a decision. A ProblemDetail, for instance, is a value and would pass. */
function decided(name: string, asked: unknown, input: unknown, answer: unknown): unknown {
  // NaN is unequal to itself. The comparison is inlined; Object.is would be a call.
  if (answer === asked || Object.is(answer, asked)) return input;
  if (isFault(answer)) return answer;
  if (typeof (answer as { readonly then?: unknown } | null | undefined)?.then === "function")
    return Promise.resolve(answer).then((settled) => decided(name, asked, input, settled));
  const what = answer === undefined ? "nothing: is a return missing?" : `a value (${typeof answer})`;
  throw new TypeError(`Guard '${name}' answered neither pass(input) nor fault(error), but ${what}`);
}
