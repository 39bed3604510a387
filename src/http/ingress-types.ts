// The types behind `Framework.http()`: what is provided to routes, and what a
// route needs before it compiles.

import type { TSchema } from "@sinclair/typebox";

import type { AnyKey, BusKey, NameOfKey, TypeOfKey } from "#core/bus-key.js";
import type { AnyGuard } from "#core/guard.js";
import type { WrittenBy } from "#core/iam-boundary.js";
import type { IamPolicy } from "#core/iam-policy.js";
import type { IngressFact } from "#core/ingress-facts.js";
import type { AnyLayer } from "#core/layer.js";
import type { FitRow, NotARow, RouteRow } from "#core/route-row.js";
import type { AnyAxon, ErrorsOf, InOf, Runnable, SourceOf } from "#runtime/axon-types.js";
import type { ReadsOf } from "#runtime/parallel-types.js";
import type { Extractor } from "./extractor.js";
import type { FaultReply } from "./on-fault.js";
import type { PathNames } from "./pattern.js";
import type { RouteIam } from "./route-iam.js";

/** The values of an ingress's resources by the names of their keys. */
export type ResourceValues<Res extends AnyKey> = { readonly [K in Res as NameOfKey<K>]: TypeOfKey<K> };

/** Under this key an ingress's type keeps its resources, for TestApp to infer. Nothing is there at run time. */
export declare const declared: unique symbol;

/** What `run` takes: as TestApp, or a function that makes the resources where they are needed. */
export type ServeArgs<Res extends AnyKey> = [Res] extends [never]
  ? RunArgs<Res>
  : [resources: ResourceValues<Res> | (() => ResourceValues<Res> | Promise<ResourceValues<Res>>)];

/** What TestApp takes: nothing has to be given where no resource is declared. */
export type RunArgs<Res extends AnyKey> = [Res] extends [never]
  ? [resources?: Readonly<Record<never, never>>]
  : [resources: ResourceValues<Res>];

/** `unknown` for a function that answers at once, or a promise, but not now the one and now the other. */
export type OnePace<R> = [Extract<R, PromiseLike<unknown>>] extends [never]
  ? unknown
  : [Exclude<R, PromiseLike<unknown>>] extends [never]
    ? unknown
    : 0 extends 1 & R
      ? unknown
      : "it answers at once or later: declare it async, so that it is always awaited";

/** The connection of whichever state, which steps of WebSocket routes may read. */
export type ConnectionKey = BusKey<any, "WebSocketConnection">;

/** The keys a route's steps may read without writing them. */
export type ProvidedTo<Path extends string, Provided extends AnyKey> =
  | Provided
  | IngressFact
  | BusKey<string, `param:${PathNames<Path>}`>;

/** What routes can share. */
export interface GroupOptions {
  /** They decide before the input is read, in this order, behind those of the ingress. */
  readonly guards?: readonly AnyGuard[];
  /** They stand around guards and steps, the first outermost, inside those of the ingress. */
  readonly layers?: readonly AnyLayer[];
  /** Names of guards of the ingress, or of a group around, that do not stand here: one of `guards` may take their place. */
  readonly without?: readonly string[];
  /** Largest body in bytes. Default: the ingress's. */
  readonly bodyLimit?: number;
  /** How long a run may wait before it is answered 504 and aborted, in milliseconds. Default: the ingress's. */
  readonly timeoutMs?: number;
  /** Whether answers may be compressed, where the ingress has a `compressionLayer`. Default true. */
  readonly compress?: boolean;
  /** For documentation. */
  readonly tags?: readonly string[];
}

export interface RouteOptions<In, E = never> extends GroupOptions {
  /** What the Axon's input is made of. */
  readonly input?: Extractor<In>;
  /**
   * What a fault of the Axon answers on this route, before the fault itself is asked;
   * undefined leaves it to the fault. It answers at once, and never success. Faults of
   * guards and layers in front of the Axon say themselves what they answer.
   */
  readonly onFault?: (error: E) => FaultReply;
  /**
   * Whom the route lets in, where that is not for its Axon alone to say: at least what the
   * Axon's own `withIam` asks for, unless `weaken` says why not. Its refusals are the
   * Axon's faults where that has one, and else those of a guard in front.
   */
  readonly iam?: RouteIam;
  /** What it does, in a line: for documentation. */
  readonly summary?: string;
  /** What it answers beside its output, by status: for documentation. */
  readonly responseSchemas?: Readonly<Record<number, TSchema>>;
}

/** The options of a route that this Axon is mounted on. */
export type OptionsFor<A> = RouteOptions<InOf<A>, ErrorsOf<A>>;

/**
 * `unknown` where `Known` has all that `O` says, else a sentence. A type parameter takes
 * more properties than its constraint has, and a misspelt one would say nothing.
 */
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

/** What the guards and layers of a route give to its steps, and its `iam`. */
export type FrontWrites<O> = WritesOf<GuardsOf<O> | LayersOf<O>> | IamWrites<O>;

/** What they read and nobody gives them. */
type FrontMissing<O, Provided> = Exclude<
  NotAny<ReadsOf<GuardsOf<O> | LayersOf<O>>>,
  Provided | FrontWrites<O>
>;

/** A layer made where it is given reads `any` where it says nothing: the compiler looks at what is wanted. */
type NotAny<K> = 0 extends 1 & K ? never : K;

/** `unknown` where all that guards and layers read is there, else a sentence. */
export type FitFront<O, Provided> = [FrontMissing<O, Provided>] extends [never]
  ? unknown
  : `nobody provides '${NameOfKey<FrontMissing<O, Provided>>}', which a guard or a layer reads`;

export type NoOptions = Readonly<Record<never, never>>;

/**
 * The Axon's type where it can be mounted with these options, else what hinders it,
 * as a sentence that the compiler shows.
 */
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

/** What stands before each path of a table. Its parameters are parameters of the rows. */
export type Prefix = "" | `/${string}`;

/** A table whose rows can all be mounted; where one cannot, its row is the sentence that `get` would show. */
export type MountableTable<T, Before extends Prefix, Provided extends AnyKey> = {
  readonly [Row in keyof T]: Row extends RouteRow
    ? T[Row] extends readonly [infer A, infer Options]
      ? Options extends OptionsFor<A>
        ? FitRow<T[Row], Mountable<A, ProvidedTo<`${Before}${PathOf<Row>}`, Provided>, Options>, Options>
        : readonly [A, OptionsFor<A>]
      : Mountable<T[Row], ProvidedTo<`${Before}${PathOf<Row>}`, Provided>, NoOptions>
    : NotARow;
};

/** `Path` without the method that `route("POST /x", ...)` allows in front. */
export type PathOf<Path extends string> = Path extends `${string} ${infer Rest}` ? Rest : Path;
