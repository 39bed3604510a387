import type { RouteInfo } from "#http/plan/route-info.js";
import { bodyOf, parametersOf } from "./described-input.js";
import { responsesOf } from "./described-responses.js";
import type { Operation } from "./operation.js";
import { operationIds } from "./operation-ids.js";
import { PathTemplates } from "./path-template.js";

export interface Described {
  readonly operations: readonly Operation[];
  /** Those that OpenAPI cannot tell from another one: "GET /files/*rest" beside "GET /files/:name". */
  readonly unlisted: readonly RouteInfo[];
}

/** Routes in the order in which they are mounted, without internal ones and the fallback. */
export const describe = (routes: readonly RouteInfo[]): readonly Operation[] => described(routes).operations;

export function described(routes: readonly RouteInfo[]): Described {
  const templates = new PathTemplates();
  const shown = routes.filter(({ method, internal }) => method !== "*" && !internal);
  // A rest of the path comes last: it is what is left of a parameter's.
  const isRest = ({ path }: RouteInfo): boolean => path.includes("/*");
  const ordered = [...shown.filter((route) => !isRest(route)), ...shown.filter(isRest)];
  const taken = new Set(ordered.filter(({ method, path }) => templates.takes(method, templates.of(path))));
  const listed = shown.filter((route) => taken.has(route));
  const ids = operationIds(listed);
  return {
    operations: listed.map((route) => operationIn(route, templates, ids)),
    unlisted: shown.filter((route) => !taken.has(route)),
  };
}

/** Of one route, whatever it stands beside. */
export const operationOf = (route: RouteInfo): Operation =>
  operationIn(route, new PathTemplates(), operationIds([route]));

function operationIn(
  route: RouteInfo,
  templates: PathTemplates,
  ids: ReadonlyMap<RouteInfo, string>,
): Operation {
  const { method, path, input, accepts } = route;
  const { text, names } = templates.of(path);
  return {
    id: ids.get(route) as string,
    method,
    path,
    template: text,
    pathNames: names,
    parameters: parametersOf(route),
    body: bodyOf(input, accepts),
    responses: responsesOf(route),
    route,
  };
}
