// The types behind `Framework.http()`: what is provided to routes, and what a
// route needs before it compiles.

import type { AnyKey, BusKey, NameOfKey, TypeOfKey } from "#core/bus-key.js";
import type { IngressFact } from "#core/ingress-facts.js";
import type { FitRow, NotARow, RouteRow } from "#core/route-row.js";
import type { AnyAxon, InOf, Runnable, SourceOf } from "#runtime/axon-types.js";
import type { Extractor } from "./extractor.js";
import type { PathNames } from "./pattern.js";

/** The values of an ingress's resources by the names of their keys. */
type ResourceValues<Res extends AnyKey> = { readonly [K in Res as NameOfKey<K>]: TypeOfKey<K> };

/** Under this key an ingress's type keeps its resources, for TestApp to infer. Nothing is there at run time. */
export declare const declared: unique symbol;

/** What `run` takes: nothing has to be given where no resource is declared. */
export type RunArgs<Res extends AnyKey> = [Res] extends [never]
  ? [resources?: Readonly<Record<never, never>>]
  : [resources: ResourceValues<Res>];

/** The keys a route's steps may read without writing them. */
export type ProvidedTo<Path extends string, Provided extends AnyKey> =
  | Provided
  | IngressFact
  | BusKey<string, `param:${PathNames<Path>}`>;

export interface RouteOptions<In> {
  /** What the Axon's input is made of. */
  readonly input?: Extractor<In>;
  /** Largest body in bytes. Default: the ingress's. */
  readonly bodyLimit?: number;
}

export type NoOptions = Readonly<Record<never, never>>;

/**
 * The Axon's type where it can be mounted with these options, else what hinders it,
 * as a sentence that the compiler shows.
 */
export type Mountable<A, Provided, Options> = A extends AnyAxon
  ? SourceOf<A> extends "schema"
    ? Runnable<A, Provided>
    : void extends InOf<A>
      ? Runnable<A, Provided>
      : Options extends { readonly input: Extractor<unknown> }
        ? Runnable<A, Provided>
        : "nothing says what the input is made of: give the route an extractor, { input: json(schema) }, or the Axon a schema"
  : "an Axon is mounted here: Axon.start(name).then(step)";

/** What stands before each path of a table. Its parameters are parameters of the rows. */
export type Prefix = "" | `/${string}`;

/** A table whose rows can all be mounted; where one cannot, its row is the sentence that `get` would show. */
export type MountableTable<T, Before extends Prefix, Provided extends AnyKey> = {
  readonly [Row in keyof T]: Row extends RouteRow
    ? T[Row] extends readonly [infer A, infer Options]
      ? Options extends RouteOptions<InOf<A>>
        ? FitRow<T[Row], Mountable<A, ProvidedTo<`${Before}${PathOf<Row>}`, Provided>, Options>, Options>
        : readonly [A, RouteOptions<InOf<A>>]
      : Mountable<T[Row], ProvidedTo<`${Before}${PathOf<Row>}`, Provided>, NoOptions>
    : NotARow;
};

/** `Path` without the method that `route("POST /x", ...)` allows in front. */
export type PathOf<Path extends string> = Path extends `${string} ${infer Rest}` ? Rest : Path;
