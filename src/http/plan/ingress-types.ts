// The types behind `Framework.http()`.

import type { TSchema } from "@sinclair/typebox";

import type { AnyKey, BusKey, NameOfKey, TypeOfKey } from "#core/bus/bus-key.js";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { IngressFact } from "#core/facts/ingress-facts.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { WrittenBy } from "#core/flow/iam-boundary.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { IamPolicy } from "#core/iam/iam-policy.js";
import type { FitRow, NotARow, RouteRow } from "#core/wire/route-row.js";
import type { ErrorsOf, InOf, ReadsOf, SourceOf } from "#runtime/axon/axon-flow.js";
import type { AnyAxon, Runnable } from "#runtime/axon/axon-types.js";
import type { LogLine } from "#telemetry/logging/log-source.js";
import type { Extractor } from "../input/extractor.js";
import type { PathNames } from "../routing/pattern.js";
import type { FaultReply } from "./route-definition.js";
import type { RouteIam } from "./route-iam.js";

/** Values of resources by the names of their keys. */
export type ResourceValues<Res extends AnyKey> = { readonly [K in Res as NameOfKey<K>]: TypeOfKey<K> };

/** Type-only key of an ingress's resources, from which TestApp infers them. It has no value at run time. */
export declare const declared: unique symbol;

/** The arguments of `run`: the resources, or a function that makes them; none without declared resources. */
export type ServeArgs<Res extends AnyKey> = [Res] extends [never]
  ? [resources?: Readonly<Record<never, never>>]
  : [resources: ResourceValues<Res> | (() => ResourceValues<Res> | Promise<ResourceValues<Res>>)];

export interface TestAppOptions {
  /**
   * Target of the log. Default: stdout, as for a server. "silent": no log. An array gets each line
   * as an object: `{ level: 50, code: "FAULT_UNMAPPED", msg: ... }`.
   */
  readonly log?: "silent" | LogLine[];
}

/** The arguments of TestApp after the ingress. Resources are values, not a function. */
export type TestArgs<Res extends AnyKey> = [Res] extends [never]
  ? [resources?: Readonly<Record<never, never>>, options?: TestAppOptions]
  : [resources: ResourceValues<Res>, options?: TestAppOptions];

/** `unknown` for a function that always or never returns a promise, else a sentence. */
export type OnePace<R> = [Extract<R, PromiseLike<unknown>>] extends [never]
  ? unknown
  : [Exclude<R, PromiseLike<unknown>>] extends [never]
    ? unknown
    : 0 extends 1 & R
      ? unknown
      : "it answers at once or later: declare it async, so that it is always awaited";

export type ConnectionKey = BusKey<any, "WebSocketConnection">;

/** Keys that steps may read without writing them. */
export type ProvidedTo<Path extends string, Provided extends AnyKey> =
  | Provided
  | IngressFact
  | BusKey<string, `param:${PathNames<Path>}`>;

/** Options that routes can share. */
export interface GroupOptions {
  /** Guards that run before the input is read, in this order, after those of the ingress. */
  readonly guards?: readonly AnyGuard[];
  /** Layers around guards and steps, the first outermost, inside of those of the ingress. */
  readonly layers?: readonly AnyLayer[];
  /** Names of outer guards to leave out; `guards` may replace them. */
  readonly without?: readonly string[];
  /** Largest body in bytes. Default: the ingress's. */
  readonly bodyLimit?: number;
  /** Milliseconds until a run is aborted and 504 is sent. Default: the ingress's. */
  readonly timeoutMs?: number;
  /** Allows compression of responses, with a `compressionLayer`. Default true. */
  readonly compress?: boolean;
  /** Tags for documentation. */
  readonly tags?: readonly string[];
  /** Marks the route as deprecated in documentation. Default false. */
  readonly deprecated?: boolean;
  /** Omits the route from documentation. Default false. */
  readonly internal?: boolean;
}

/** What documentation says of a route. */
export interface RouteDocumentation {
  /** One line. Default: method and path. */
  readonly summary?: string;
  /** A text of any length, in CommonMark. */
  readonly description?: string;
  /**
   * The name of the operation in documents and generated clients, unique in the ingress:
   * "listOrders". Default: made of method and path, "getOrdersById".
   */
  readonly operationId?: string;
}

export interface RouteOptions<In, E = never> extends GroupOptions, RouteDocumentation {
  /** Extractor of the Axon's input. */
  readonly input?: Extractor<In>;
  /**
   * Maps faults of the Axon to responses, synchronously and never to a success. undefined keeps the
   * fault's own response. It does not get faults of guards and layers before the Axon.
   */
  readonly onFault?: (error: E) => FaultReply;
  /**
   * The policy of the route, at least as strong as the Axon's `withIam` unless `weaken` gives a reason.
   * Its refusals are faults of the Axon if that has a policy, else faults of a guard.
   */
  readonly iam?: RouteIam;
  /**
   * Sends 202 when the start of the run is stored, with the `location` of its status (`runStatus`).
   * The run continues without its client, and after a crash in another process. For kept Axons.
   */
  readonly detached?: boolean;
  /**
   * Takes `%2F` in a last `*rest` for a slash, as some clients encode all of a name. Guards see the
   * path with slashes. A rest with an empty segment, `.`, `..` or a backslash is 400. Default false.
   */
  readonly encodedSlashes?: boolean;
  /** Responses of `onFault`, for documentation. Steps, guards and layers declare theirs themselves. */
  readonly responses?: readonly DeclaredResponse[];
  /**
   * Schemas of bodies by status, in place of the output schema. A body that does not fit is not sent: the
   * response is 500. A success has to be declared by the step that sends it.
   */
  readonly responseSchemas?: Readonly<Record<number, TSchema>>;
}

/** The options of a route for this Axon. */
export type OptionsFor<A> = RouteOptions<InOf<A>, ErrorsOf<A>>;

/** `unknown` if `O` has known options only, else a sentence: type parameters accept misspelt options. */
export type FitOptions<O, Known> = 0 extends 1 & O
  ? unknown
  : [Exclude<keyof O, keyof Known>] extends [never]
    ? unknown
    : `there is no option '${Exclude<keyof O, keyof Known> & string}': look at how it is spelt`;

type GuardsOf<O> = O extends { readonly guards: readonly (infer G)[] } ? G : never;
type LayersOf<O> = O extends { readonly layers: readonly (infer L)[] } ? L : never;
type WritesOf<T> = T extends { readonly writes?: readonly (infer K)[] } ? Extract<K, AnyKey> : never;

type IamWrites<O> = O extends { readonly iam: { readonly policy: infer P extends IamPolicy } }
  ? WrittenBy<P>
  : never;

/** The keys that guards, layers and `iam` write. */
export type FrontWrites<O> = WritesOf<GuardsOf<O> | LayersOf<O>> | IamWrites<O>;

/** The keys that guards and layers read without a provider. */
type FrontMissing<O, Provided> = Exclude<
  NotAny<ReadsOf<GuardsOf<O> | LayersOf<O>>>,
  Provided | FrontWrites<O>
>;

/** A layer created inline reads `any` by inference. */
type NotAny<K> = 0 extends 1 & K ? never : K;

/** `unknown` if every key that guards and layers read has a provider, else a sentence. */
export type FitFront<O, Provided> = [FrontMissing<O, Provided>] extends [never]
  ? unknown
  : `nothing provides '${NameOfKey<FrontMissing<O, Provided>>}', which a guard or a layer reads: list it in 'resources', or add the guard that sets it before this one`;

export type NoOptions = Readonly<Record<never, never>>;

/** The Axon's type if it can be mounted with these options, else a sentence. */
export type Mountable<A, Provided, Options> = A extends AnyAxon
  ? SourceOf<A> extends "schema"
    ? Fronted<A, Provided, Options>
    : void extends InOf<A>
      ? Fronted<A, Provided, Options>
      : Options extends { readonly input: Extractor<unknown> }
        ? Fronted<A, Provided, Options>
        : "input" extends keyof Options
          ? "the options do not fit the Axon: 'input' has to make what it takes"
          : "nothing says what the input is made of: give the route an extractor, { input: json(schema) }, or the Axon a schema"
  : "an Axon is mounted here: Axon.start(name).then(step)";

type Fronted<A extends AnyAxon, Provided, Options> =
  FitOptions<Options, RouteOptions<never>> extends infer Sentence extends string
    ? Sentence
    : FitFront<Options, Provided> extends infer Sentence extends string
      ? Sentence
      : Runnable<A, Provided | FrontWrites<Options>>;

/** A path prefix. Routes below it have its parameters. */
export type Prefix = "" | `/${string}`;

/** Rows that cannot be mounted become the sentence of `get`. */
export type MountableTable<T, Before extends Prefix, Provided extends AnyKey> = {
  readonly [Row in keyof T]: Row extends RouteRow
    ? T[Row] extends readonly [infer A, infer Options]
      ? Options extends OptionsFor<A>
        ? FitRow<T[Row], Mountable<A, ProvidedTo<`${Before}${PathOf<Row>}`, Provided>, Options>, Options>
        : readonly [A, OptionsFor<A>]
      : Mountable<T[Row], ProvidedTo<`${Before}${PathOf<Row>}`, Provided>, NoOptions>
    : NotARow;
};

/** `Path` without a leading method, which `route("POST /x", ...)` allows. */
export type PathOf<Path extends string> = Path extends `${string} ${infer Rest}` ? Rest : Path;
