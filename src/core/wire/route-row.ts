// The name of a row in a table of routes: "POST /orders/:id".

import { FrameworkError } from "../errors.js";

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export type RouteRow = `${(typeof methods)[number]} /${string}`;

/** What the compiler shows where a table has another one. */
export type NotARow =
  "a row is a method, a space and a path, as in 'GET /orders/:id'; the methods are GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS";

/**
 * `Row` where its Axon fits, else with what hinders it. An equal tuple in its place is
 * compared with it: some 400 types a row.
 */
export type FitRow<Row, Found, Options> = Found extends string ? readonly [Found, Options] : Row;

const ROW = new RegExp(`^(${methods.join("|")}) (/.*)$`, "s");

/** Throws ROUTE_INVALID for untyped callers. */
export function readRow(row: string): { readonly method: string; readonly path: string } {
  const [, method, path] = ROW.exec(row) ?? [];
  if (method !== undefined && path !== undefined) return { method, path };
  throw new FrameworkError(
    "ROUTE_INVALID",
    `Row '${row}' is no route: write a method, a space and a path, as in 'GET /orders/:id'; the methods are ${methods.join(", ")}`,
  );
}
