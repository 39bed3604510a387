import type { Static, TSchema } from "@sinclair/typebox";
import type { BusView } from "../bus/bus.js";
import type { AnyKey } from "../bus/bus-key.js";
import type { DeclaredResponse, UndeclaredStatus } from "../bus/declared-response.js";
import type { EventKind } from "../bus/event.js";
import type { BranchId, EmittedName, JumpLabel, ValueOf } from "../bus/outcome-types.js";
import type { DataOf, StatusIn } from "../bus/reply.js";
import { FrameworkError } from "../errors.js";
import type { WrittenHeader } from "../facts/response-facts.js";
import type { StepAudit } from "../ports/audit-use.js";
import {
  type KeysNamed,
  type NamedBus,
  type NamedDeclarations,
  type NamedKeys,
  type NoKeys,
  withNamedKeys,
} from "./named-keys.js";

/** Work that an ingress does for a step that is no guard, beside running it. */
export interface StepHeaders {
  /** Headers of responses after it has run, from the values it wrote. The last cookie of a name counts. */
  readonly written?: readonly WrittenHeader[];
}

/** Declarations of a step beside its name: the Bus keys it uses and its outcomes beside Next and Fault. */
export interface Declarations<
  Rd extends AnyKey = never,
  Wr extends AnyKey = never,
  Mr extends AnyKey = never,
  Mw extends AnyKey = never,
  J extends string = never,
  B extends string = never,
  Ev extends string = never,
  Dl extends AnyKey = never,
  Rs extends readonly DeclaredResponse[] = readonly DeclaredResponse[],
  Lb extends string = never,
> {
  /** Keys it needs: `get` and `find`. */
  readonly reads?: readonly Rd[];
  /** Keys that are set whenever it returns Next. */
  readonly writes?: readonly Wr[];
  /** Keys that may be absent: `find` only. */
  readonly mayRead?: readonly Mr[];
  /** Keys it sets on some paths only. Other steps declare them under `mayRead`. */
  readonly mayWrite?: readonly Mw[];
  /** Keys it may delete. Later steps can read them only after another step has written them again. */
  readonly deletes?: readonly Dl[];
  readonly jumps?: readonly J[];
  /** Branches it may take. Each is attached with `.branch(id, axon)`. */
  readonly branches?: readonly B[];
  readonly emits?: readonly EventKind<Ev, never>[];
  /** Labels of the run that it may set, by their names in `withLabels` of the Axon. */
  readonly labels?: readonly Lb[];
  /** State kept in memory between runs: "how often each client came". A warning is printed with several workers. */
  readonly perProcess?: string;
  /** Its outcome depends on its input and the Bus alone, and it changes nothing else: a replay runs it. */
  readonly pure?: true;
  /** It acts on the world or reads from it: a replay gives back its stored outcome and never runs it. */
  readonly effect?: true;
  /** Response headers computed from the keys it writes, such as a cookie. Without an ingress they have no effect. */
  readonly responseHeaders?: StepHeaders;
  /**
   * Faults, and replies with another status than 200, as documentation shows them:
   * `[OUT_OF_STOCK]`, `[{ status: 201 }]`. A success of any step replaces 200.
   */
  readonly responses?: Rs;
}

/** Where a step runs if not on the event loop: a function of a module, in a thread of the pool. */
export interface Offload {
  /** The file's name. */
  readonly module: string;
  readonly export: string;
  /** The step's time limit if its Axon sets none. */
  readonly timeoutMs: number | undefined;
}

/**
 * One step of an Axon. `run` is a property: a method would be compared bivariantly, and a step
 * that needs more than it gets would compile.
 */
export interface Transition<
  in In,
  out R,
  Rd extends AnyKey = never,
  Wr extends AnyKey = never,
  Mr extends AnyKey = never,
  Mw extends AnyKey = never,
  J extends string = never,
  B extends string = never,
  Ev extends string = never,
  Dl extends AnyKey = never,
  Lb extends string = never,
> extends Declarations<Rd, Wr, Mr, Mw, J, B, Ev, Dl, readonly DeclaredResponse[], Lb> {
  readonly name: string;
  /** Its kind in drawings, if it is no ordinary step. */
  readonly kind?: "synapse" | "guard" | "audit";
  readonly description?: string;
  readonly input?: TSchema;
  readonly output?: TSchema;
  readonly offload?: Offload;
  /** Of an `AuditLog`: the runtime records this instead of calling `run`. */
  readonly audit?: StepAudit;
  /** The names by which its Bus sets keys. Each key is among `writes` too. */
  readonly sets?: NamedKeys;
  readonly run: (input: In, bus: BusView<Rd, Wr, Mr, Mw, Dl, Lb>) => R;
}

/** A step that runs in a thread. Made by `workerTransition`. */
export interface OffloadedTransition<in In, out R, Rd extends AnyKey = never> extends Transition<In, R, Rd> {
  readonly offload: Offload;
}

export type AnyTransition = Transition<any, unknown, any, any, any, any, string, string, string, any, string>;

/**
 * `unknown` if the step declares every label, branch, event and status that its return type names; else
 * a sentence that the compiler shows.
 */
export type Declares<
  R,
  J extends string,
  B extends string,
  Ev extends string,
  Rs extends readonly DeclaredResponse[],
> = [Exclude<JumpLabel<R>, J>] extends [never]
  ? [Exclude<BranchId<R>, B>] extends [never]
    ? [Exclude<EmittedName<R>, Ev>] extends [never]
      ? [UndeclaredStatus<StatusIn<R>, Rs>] extends [never]
        ? unknown
        : `the step responds with ${UndeclaredStatus<StatusIn<R>, Rs>} undeclared: add { status: ${UndeclaredStatus<StatusIn<R>, Rs>} } to 'responses'`
      : `the step emits '${Exclude<EmittedName<R>, Ev>}' undeclared: add its kind to 'emits'`
    : `the step branches to '${Exclude<BranchId<R>, B>}' undeclared: add it to 'branches'`
  : // If the step's body does not compile, its type is any, and the compiler reports the body.
    0 extends 1 & R
    ? unknown
    : `the step jumps to '${Exclude<JumpLabel<R>, J>}' undeclared: add it to 'jumps'`;

type Keys<A> = A extends readonly AnyKey[] ? A[number] : never;
type Names<A> = A extends readonly string[] ? A[number] : never;
type Events<A> = A extends readonly EventKind<string, never>[] ? A[number]["name"] : never;

/** `unknown` if Next fits the output schema, or if it has none. */
type Fits<R, Out> = [Out] extends [TSchema]
  ? [DataOf<ValueOf<R>>] extends [Static<Out>]
    ? unknown
    : "the step answers what its 'output' schema does not allow"
  : unknown;

interface Definition<
  In,
  R,
  S,
  O,
  Rd,
  Wr,
  Mr,
  Mw,
  J,
  B,
  Ev,
  Dl,
  Rs,
  U extends NamedKeys,
  Se extends NamedKeys,
  M extends NamedKeys,
  Lb,
> extends NamedDeclarations<U, Se, M> {
  readonly name: string;
  readonly description?: string;
  readonly input?: S;
  readonly output?: O;
  readonly reads?: Rd;
  readonly writes?: Wr;
  readonly mayRead?: Mr;
  readonly mayWrite?: Mw;
  readonly deletes?: Dl;
  readonly perProcess?: string;
  readonly pure?: true;
  readonly effect?: true;
  readonly responseHeaders?: StepHeaders;
  readonly responses?: Rs;
  readonly jumps?: J;
  readonly branches?: B;
  readonly emits?: Ev;
  readonly labels?: Lb;
  readonly run: (
    input: In,
    bus: NamedBus<Keys<Rd>, Keys<Wr>, Keys<Mr>, Keys<Mw>, Keys<Dl>, U, Se, M, Names<Lb>>,
  ) => R;
}

/** The type makes the compiler require every property. MADE are set by functions that make nodes. */
const KNOWN: Readonly<Record<keyof AnyTransition | "uses" | "mayUse", true>> = {
  name: true,
  kind: true,
  description: true,
  input: true,
  output: true,
  offload: true,
  audit: true,
  reads: true,
  writes: true,
  mayRead: true,
  mayWrite: true,
  uses: true,
  sets: true,
  mayUse: true,
  deletes: true,
  perProcess: true,
  pure: true,
  effect: true,
  responseHeaders: true,
  responses: true,
  jumps: true,
  branches: true,
  emits: true,
  labels: true,
  run: true,
};

const MADE: readonly string[] = ["kind", "offload", "audit"];

/** What a replay makes of a step. Throws CONFIG_INVALID for a contradiction. */
export function requireReplay({
  name,
  kind,
  pure,
  effect,
}: Pick<AnyTransition, "name" | "kind" | "pure" | "effect">): void {
  const refuse = (why: string): never => {
    throw new FrameworkError("CONFIG_INVALID", `Step '${name}': ${why}`);
  };
  for (const [part, value] of Object.entries({ pure, effect }) as [string, unknown][])
    if (value !== undefined && value !== true)
      refuse(`'${part}' is ${String(value)}: give true, or leave it out`);
  if (pure && effect)
    refuse("'pure' and 'effect' exclude each other, a replay runs pure steps only: leave one out");
  if (pure && kind === "synapse") refuse("a synapse calls a service and is never 'pure': leave it out");
}

/** Refuses misspelt declarations, which would have no effect. Throws CONFIG_INVALID. */
export function requireKnownParts(step: AnyTransition): void {
  requireReplay(step);
  const unknown = Object.keys(step).find((part) => !Object.hasOwn(KNOWN, part));
  if (unknown === undefined) return;
  const known = Object.keys(KNOWN).filter((part) => !MADE.includes(part));
  throw new FrameworkError(
    "CONFIG_INVALID",
    `Step '${step.name}': it knows no '${unknown}'; there are ${known.join(", ")}`,
  );
}

/**
 * Makes a step. The input type comes from the `input` schema, or without one from the parameter
 * of `run`. Runs check the Axon's own schema, not those of its steps.
 */
export function transition<
  S extends TSchema,
  R,
  O extends TSchema | undefined = undefined,
  const Rd extends readonly AnyKey[] = [],
  const Wr extends readonly AnyKey[] = [],
  const Mr extends readonly AnyKey[] = [],
  const Mw extends readonly AnyKey[] = [],
  const J extends readonly string[] = [],
  const B extends readonly string[] = [],
  const Ev extends readonly EventKind<string, never>[] = [],
  const Dl extends readonly AnyKey[] = [],
  const Rs extends readonly DeclaredResponse[] = [],
  U extends NamedKeys = NoKeys,
  Se extends NamedKeys = NoKeys,
  M extends NamedKeys = NoKeys,
  const Lb extends readonly string[] = [],
>(
  definition: Definition<Static<S>, R, S, O, Rd, Wr, Mr, Mw, J, B, Ev, Dl, Rs, U, Se, M, Lb> & {
    readonly input: S;
  } & Fits<Awaited<R>, O> &
    Declares<Awaited<R>, Names<J>, Names<B>, Events<Ev>, Rs>,
): Transition<
  Static<S>,
  R,
  Keys<Rd> | KeysNamed<U>,
  Keys<Wr> | KeysNamed<Se>,
  Keys<Mr> | KeysNamed<M>,
  Keys<Mw>,
  Names<J>,
  Names<B>,
  Events<Ev>,
  Keys<Dl>,
  Names<Lb>
>;
export function transition<
  In,
  R,
  O extends TSchema | undefined = undefined,
  const Rd extends readonly AnyKey[] = [],
  const Wr extends readonly AnyKey[] = [],
  const Mr extends readonly AnyKey[] = [],
  const Mw extends readonly AnyKey[] = [],
  const J extends readonly string[] = [],
  const B extends readonly string[] = [],
  const Ev extends readonly EventKind<string, never>[] = [],
  const Dl extends readonly AnyKey[] = [],
  const Rs extends readonly DeclaredResponse[] = [],
  U extends NamedKeys = NoKeys,
  Se extends NamedKeys = NoKeys,
  M extends NamedKeys = NoKeys,
  const Lb extends readonly string[] = [],
>(
  definition: Definition<In, R, never, O, Rd, Wr, Mr, Mw, J, B, Ev, Dl, Rs, U, Se, M, Lb> &
    Fits<Awaited<R>, O> &
    Declares<Awaited<R>, Names<J>, Names<B>, Events<Ev>, Rs>,
): Transition<
  In,
  R,
  Keys<Rd> | KeysNamed<U>,
  Keys<Wr> | KeysNamed<Se>,
  Keys<Mr> | KeysNamed<M>,
  Keys<Mw>,
  Names<J>,
  Names<B>,
  Events<Ev>,
  Keys<Dl>,
  Names<Lb>
>;
export function transition(definition: { readonly name: string }): AnyTransition {
  const step = definition as AnyTransition;
  requireKnownParts(step);
  return Object.freeze({ ...withNamedKeys(step) });
}
