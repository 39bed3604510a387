// A table of routes, mounted row by row. `routes` of framework/macros makes one; any
// object with such rows will do.

import { FrameworkError } from "#core/errors.js";
import { readRow } from "#core/route-row.js";
import type { AddRoute } from "./route-builder.js";

/** Mounts each row under the prefix. What `mount` throws says which row it was. */
export function mountTable(table: unknown, prefix: string, mount: AddRoute): void {
  if (typeof table !== "object" || table === null) {
    throw new FrameworkError(
      "ROUTE_INVALID",
      `mount() was given no table of routes: write one, as in routes({ "GET /orders/:id": axon })`,
    );
  }
  for (const [row, value] of Object.entries(table)) {
    const { method, path } = readRow(row);
    const [axon, options] = Array.isArray(value) ? value : [value];
    try {
      mount(method, underPrefix(prefix, path), axon, options);
    } catch (cause) {
      if (!(cause instanceof FrameworkError)) throw cause;
      throw new FrameworkError(cause.code, `Row '${row}': ${cause.message}`, { cause });
    }
  }
}

// A table's root is the prefix itself: "/orders/" is another path, which few mean.
export function underPrefix(prefix: string, path: string): string {
  if (prefix !== "" && path !== "" && !path.startsWith("/")) {
    throw new FrameworkError("ROUTE_INVALID", `Path '${path}' behind '${prefix}': begin it with '/'`);
  }
  return prefix !== "" && path === "/" ? prefix : `${prefix}${path}`;
}
