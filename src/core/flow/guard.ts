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

/** The largest body limit there is, in bytes: the longest Content-Length that is read has 15 digits. */
export const MAX_BODY_LIMIT = 999_999_999_999_999;

export const MAX_ROUTE_TIMEOUT_MS = 3_600_000;

/** What an ingress does for a guard, beside running it, where the guard stands before a route. */
export interface GuardDeclarations {
  readonly responseHeaders?: ResponseHeaders;
  /** Answers preflights in the route's place, and browsers' requests with headers. The innermost guard's counts. */
  readonly cors?: CorsPolicy;
  readonly observer?: AnswerObserver;
  /** Largest body in bytes: the smallest of all that stand before a route counts. */
  readonly bodyLimit?: number;
  /** How long the whole route may take, in milliseconds: the shortest counts. */
  readonly timeoutMs?: number;
  /** Requests of one key are run once. The innermost guard's counts. */
  readonly idempotency?: IdempotencyPolicy;
  /** The media types of bodies that it lets pass, for documentation: ranges are among them. */
  readonly accepts?: readonly string[];
  /** What it refuses with, for documentation. */
  readonly responses?: readonly DeclaredResponse[];
  /** Whom it lets in, for documentation. */
  readonly admits?: IamPolicy;
  /** Where a caller's credential is read, by this guard or one behind it. */
  readonly credential?: Credential;
}

/** A header or a cookie. "authorization": a token after "Bearer". */
export interface Credential {
  readonly in: "header" | "cookie";
  readonly name: string;
}

/**
 * A step that lets its input pass or ends the run. Guards in front of an Axon decide
 * before its input is read, so they take whatever it may be.
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
   * Answers `pass(input)`, or a fault that says its status. Before a body is read `input` is an
   * object that stands for none, never undefined.
   */
  readonly run: (
    input: unknown,
    bus: NamedBus<Rd, Wr, Mr, Mw, never, U, S, M>,
  ) => MaybePromise<Pass | Fault<E>>;
}

/** The compiler sees that none is missing. */
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

/** A declaration that is misspelt would protect nobody, and say nothing of it. */
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
 * Makes a guard. What it answers beside its input and a fault is a panic: nothing passes by
 * mistake. Throws CONFIG_INVALID for what no guard can be made of.
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
  deciding.add(made);
  return made as Guard<any, any, any, any, any>;
}

/** Those whose answers are looked at already. */
const deciding = new WeakSet<object>();

/** A guard of any making, a class's say, whose answers are looked at as those of {@link guard} are. */
export function decidingGuard(made: AnyTransition): AnyTransition {
  if (deciding.has(made)) return made;
  // Looked up once: of guards that have nothing in common each look is a search.
  const { name, run: decide } = made;
  const run: AnyTransition["run"] = (input, bus) => {
    const asked = askedWith(input);
    return decided(name, asked, input, decide.call(made, asked as never, bus));
  };
  return Object.create(made, { run: { value: run } });
}

/** In the place of an undefined input, for that is also what a function answers that forgets its `return`. */
const NO_INPUT: unknown = Object.freeze({ toString: () => "no input" });

const askedWith = (input: unknown): unknown => (input === undefined ? NO_INPUT : input);

/** The answer, where it is a decision. A ProblemDetail, for one, is a value, and would pass. */
function decided(name: string, asked: unknown, input: unknown, answer: unknown): unknown {
  // A number may be none; comparing is done in place, where this is a call.
  if (answer === asked || Object.is(answer, asked)) return input;
  if (isFault(answer)) return answer;
  if (typeof (answer as { readonly then?: unknown } | null | undefined)?.then === "function")
    return Promise.resolve(answer).then((settled) => decided(name, asked, input, settled));
  const what = answer === undefined ? "nothing: is a return missing?" : `a value (${typeof answer})`;
  throw new TypeError(`Guard '${name}' answered neither pass(input) nor fault(error), but ${what}`);
}
