// The options of routes and groups, as untyped programs may write them.

import { FrameworkError } from "#core/errors.js";
import type { GroupOptions, RouteOptions } from "./ingress-types.js";
import { namesOf, requireFunctions, requireKnown, requireLists } from "./known-options.js";

export const SHARED_OPTIONS = {
  guards: true,
  layers: true,
  without: true,
  bodyLimit: true,
  timeoutMs: true,
  compress: true,
  tags: true,
} as const;

const GROUP = namesOf<GroupOptions>(SHARED_OPTIONS);

/** The names of a route's options, for {@link namesOf}. */
export const ROUTE_OPTIONS = {
  ...SHARED_OPTIONS,
  input: true,
  onFault: true,
  iam: true,
  summary: true,
  responseSchemas: true,
} as const;

const ROUTE = namesOf<RouteOptions<unknown>>(ROUTE_OPTIONS);

const LISTS = ["guards", "layers", "without", "tags"] as const;

/** Throws CONFIG_INVALID for unknown options, and for lists that are none. */
export function requireGroupOptions(where: string, options: GroupOptions): void {
  requireKnown(where, options, GROUP);
  requireLists(where, options, LISTS);
}

/** The same, and EXTRACTOR_INVALID for an input that is none. */
export function requireRouteOptions(where: string, options: RouteOptions<unknown>): void {
  requireKnown(where, options, ROUTE);
  requireLists(where, options, LISTS);
  requireFunctions(where, options, ["onFault"]);
  const { input } = options;
  if (input === undefined || (input as Partial<typeof input> | null)?.part !== undefined) return;
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `input of ${where} is no extractor: write one, as in input: json(schema) or input: text()`,
  );
}
