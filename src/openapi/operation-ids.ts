// Names of operations: those that routes give, and for others method and path.

import { createHash } from "node:crypto";
import type { RouteInfo } from "#http/plan/route-info.js";
import { pascal } from "./schema-components.js";

type Named = Pick<RouteInfo, "method" | "path" | "operationId">;

/**
 * Unique names: "getOrdersById". Of those that would be equal each has a suffix of its own path, so that
 * neither the order of routes nor another route changes which one it is.
 */
export function operationIds<R extends Named>(routes: readonly R[]): ReadonlyMap<R, string> {
  const uses = new Map<string, number>();
  for (const route of routes) {
    const id = route.operationId ?? plainId(route);
    uses.set(id, (uses.get(id) ?? 0) + 1);
  }
  return new Map(
    routes.map((route) => {
      const plain = plainId(route);
      const id = (uses.get(plain) ?? 0) > 1 ? `${plain}_${suffixOf(route)}` : plain;
      return [route, route.operationId ?? id];
    }),
  );
}

function plainId({ method, path }: Named): string {
  const words = path.split("/").map((segment) => {
    const name = /^[:*](.+)$/s.exec(segment)?.[1];
    return name === undefined ? pascal(segment) : `By${pascal(name)}`;
  });
  return method.toLowerCase() + (words.join("") || "Root");
}

const suffixOf = ({ path }: Named): string => createHash("sha256").update(path).digest("hex").slice(0, 8);
