import { type FitRow, type NotARow, type RouteRow, readRow } from "#core/wire/route-row.js";
import type { NeedsOf } from "#runtime/axon/axon-flow.js";
import type { AnyAxon, Runnable } from "#runtime/axon/axon-types.js";

/** Checks of an Axon that do not depend on the provided keys. */
type Sound<A> = A extends AnyAxon
  ? Runnable<A, NeedsOf<A>>
  : "an Axon stands here, or an Axon and its options: [axon, { input: json(schema) }]";

/** The table if each row is valid on its own. The type of an invalid row is a sentence. */
type Rows<T> = {
  readonly [Row in keyof T]: Row extends RouteRow
    ? T[Row] extends readonly [infer A, object]
      ? FitRow<T[Row], Sound<A>, object>
      : Sound<T[Row]>
    : NotARow;
};

/**
 * A table of routes, as plain data: written in one file, mounted in another, under
 * several prefixes if need be. Each row is an Axon, or an Axon and its options.
 *
 *     const api = routes({
 *       "GET /orders/:id": getOrder,
 *       "POST /orders": [placeOrder, { input: json(Order) }],
 *     });
 *     Framework.http({ resources: [Db] }).mount(api, "/v1");
 *
 * Checks here need no ingress: method and path, open branches, jumps. `mount` checks the rest: the
 * keys of a row and the extractors of its input.
 */
export function routes<const T extends object>(table: T & Rows<T>): Readonly<T> {
  for (const row of Object.keys(table)) readRow(row);
  return Object.freeze<T>({ ...table });
}
