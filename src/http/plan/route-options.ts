import { FrameworkError } from "#core/errors.js";
import {
  configInvalid,
  optionNames,
  requireFunctions,
  requireKnown,
  requireLists,
} from "../refusal/option-checks.js";
import type { GroupOptions, RouteDocumentation, RouteOptions } from "./ingress-types.js";

export const SHARED_OPTIONS = "guards layers without bodyLimit timeoutMs compress tags deprecated internal";
/** Options of routes only, not of groups. */
export const ROUTE_OPTIONS =
  "input onFault iam detached encodedSlashes responses responseSchemas summary description operationId";

const GROUP = optionNames<GroupOptions>()(SHARED_OPTIONS);
const ROUTE = optionNames<RouteOptions<unknown>>()(SHARED_OPTIONS, ROUTE_OPTIONS);

const LISTS = ["guards", "layers", "without", "tags"] as const;

/** Throws CONFIG_INVALID. */
export function requireGroupOptions(where: string, options: GroupOptions): void {
  requireKnown(where, options, GROUP);
  requireLists(where, options, LISTS);
}

function requireDocumentation(where: string, options: RouteDocumentation): void {
  for (const name of ["summary", "description", "operationId"] as const)
    if (options[name] !== undefined && typeof options[name] !== "string")
      throw configInvalid(`${name} of ${where} is a text`);
  const { operationId = "id" } = options;
  // Generators make names of functions of it.
  if (!/^[A-Za-z_][\w.-]*$/.test(operationId))
    throw configInvalid(
      `operationId of ${where} is ${JSON.stringify(operationId)}: begin with a letter, and use letters, digits, "_", "-" and ".", as in "listOrders"`,
    );
}

/** Throws CONFIG_INVALID, and EXTRACTOR_INVALID for an invalid input. */
export function requireRouteOptions(where: string, options: RouteOptions<unknown>): void {
  requireKnown(where, options, ROUTE);
  requireLists(where, options, [...LISTS, "responses"]);
  requireFunctions(where, options, ["onFault"]);
  requireDocumentation(where, options);
  const { input } = options;
  if (input === undefined || (input as Partial<typeof input> | null)?.part !== undefined) return;
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `input of ${where} is no extractor: write one, as in input: json(schema) or input: text()`,
  );
}
