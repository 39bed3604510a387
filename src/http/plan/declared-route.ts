import { MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import { methods } from "#core/wire/route-row.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { requireSound } from "#runtime/check/soundness.js";
import { requireGuard, requireLayer } from "#runtime/definition/mounted.js";
import { configInvalid, requireInteger, routeInvalid } from "../refusal/option-checks.js";
import { parsePattern } from "../routing/pattern.js";
import type { GroupOptions, RouteOptions } from "./ingress-types.js";
import type { EventMount, FaultMapper, RouteDefinition } from "./route-definition.js";
import { withRouteIam } from "./route-iam.js";
import { requireRouteOptions } from "./route-options.js";
import type { WebSocketMount } from "./web-socket-definition.js";

const METHODS: ReadonlySet<string> = new Set(methods);

/** Makes a route definition. Throws ROUTE_INVALID, CONFIG_INVALID, and errors of the Axon's checks. */
export function routeOf(
  method: string,
  path: string,
  mounted: unknown,
  options: RouteOptions<unknown> = {},
  groups: readonly GroupOptions[] = [],
): RouteDefinition {
  const axon = mounted as AnyAxon;
  if (!METHODS.has(method)) {
    throw routeInvalid(
      `Method '${method}' of '${path}' is not served: use one of ${[...METHODS].join(", ")}`,
    );
  }
  if ((axon as Partial<AnyAxon> | undefined)?.definition === undefined) {
    throw routeInvalid(
      `${method} ${path} was given no Axon: mount one, as in Axon.start("hello").thenFn("greet", () => "hello")`,
    );
  }
  const where = `${method} ${path}`;
  requireRouteOptions(where, options);
  const { bodyLimit, timeoutMs, compress = true, detached = false, layers = [] } = options;
  const { deprecated = false, internal = false, encodedSlashes = false } = options;
  if (bodyLimit !== undefined) requireInteger(`bodyLimit of ${where}`, bodyLimit, 0, MAX_BODY_LIMIT);
  if (timeoutMs !== undefined) requireInteger(`timeoutMs of ${where}`, timeoutMs, 1, MAX_ROUTE_TIMEOUT_MS);
  for (const [name, flag] of Object.entries({ compress, detached, deprecated, internal, encodedSlashes }))
    if (typeof flag !== "boolean") throw configInvalid(`${name} of ${where} is true or false`);
  if (detached && axon.definition.persistence === undefined)
    throw routeInvalid(
      `${where} is detached, and Axon '${axon.name}' keeps no runs: give it withPersistenceStore(Stores.mounted)`,
    );
  requireSound(axon.definition);
  return {
    method,
    pattern: parsePattern(path, encodedSlashes),
    axon: withRouteIam(axon.definition, options.iam, where),
    input: options.input?.part,
    bodyLimit,
    onFault: options.onFault as FaultMapper | undefined,
    timeoutMs,
    compress,
    detached,
    fronts: [...groups, options].map(({ guards = [], without = [] }) => ({
      guards: guards.map((guard) => requireGuard(guard, where)),
      without,
    })),
    layers: layers.map((layer) => requireLayer(layer, where)),
    isProbe: false,
    summary: options.summary,
    description: options.description,
    operationId: options.operationId,
    tags: options.tags ?? [],
    deprecated,
    internal,
    responses: options.responses ?? [],
    responseSchemas: options.responseSchemas ?? {},
    webSocket: (mounted as Partial<WebSocketMount>).webSocket,
    events: (mounted as Partial<EventMount>).events,
    behaviour: -1,
  };
}
