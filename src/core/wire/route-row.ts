// The name of a row in a table of routes: "POST /orders/:id".

import { FrameworkError } from "../errors.js";

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export type RouteRow = `${(typeof methods)[number]} /${string}`;

/** Shown by the compiler for an invalid row. */
export type NotARow =
  "a row is a method, a space and a path, as in 'GET /orders/:id'; the methods are GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS";

/**
 * `Row` if its Axon fits, else a type that names the mismatch. Returning an equal tuple instead
 * of `Row` would be compared with it: some 400 types a row.
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
