// A schema of path and query takes a name that the path lacks from the query. If a parameter of
// the path is then read by nothing, one of the two names is mistaken: reported when it is mounted.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { RouteDefinition } from "../../plan/route-definition.js";
import { declaredInput } from "../../plan/route-input.js";

export function reportUnreadParameters(
  route: RouteDefinition,
  keys: Iterable<AnyKey>,
  reporter: Reporter,
): void {
  const input = declaredInput(route);
  // The Axons of a WebSocket read parameters too: keys has those of its opening.
  if (input?.kind !== "parameters" || route.behaviour >= 0) return;
  const { axon, method, pattern } = route;
  const { properties = {}, required = [] } = input.schema;
  const read = new Set(Object.keys(properties));
  for (const { name } of keys) if (name.startsWith("param:")) read.add(name.slice("param:".length));
  const unread = pattern.names.filter((name) => !read.has(name)).map((name) => `':${name}'`);
  const elsewhere = required.filter((name) => !pattern.names.includes(name)).map((name) => `'${name}'`);
  if (unread.length === 0 || elsewhere.length === 0) return;
  const comes = elsewhere.length === 1 ? "comes" : "come";
  const message = `${method} ${pattern.text}, Axon '${axon.name}': nothing reads ${unread.join(", ")}; ${elsewhere.join(", ")} of the schema ${comes} from the query. Give both the same name, or read the parameter by param(name)`;
  reporter({ code: "PATH_PARAMETER_UNREAD", message, axon: axon.name });
}
