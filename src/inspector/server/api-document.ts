// The OpenAPI document of the Inspector's API, made of its own endpoints when it is first asked for.

import { respond } from "#core/bus/reply.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import type { OpenApiDocument } from "#openapi/index.js";
import { VERSION } from "../api/version.js";
import { type Endpoint, endpoint } from "./endpoint.js";

/** `routes` are those of the Inspector's ingress, with the page's. */
export function documentEndpoint(routes: () => readonly RouteInfo[]): Endpoint {
  let document: Promise<OpenApiDocument> | undefined;
  return endpoint({
    route: "GET /api/v1/openapi.json",
    role: "viewer",
    summary: "The OpenAPI document of this API",
    run: () => {
      document ??= written(routes().filter(({ path }) => !path.startsWith("/assets") && path !== "/"));
      return document;
    },
    responds: (body) => respond({ body }),
  });
}

async function written(routes: readonly RouteInfo[]): Promise<OpenApiDocument> {
  const { described, documentOf } = await import("#openapi/index.js");
  return documentOf(described(routes), {
    info: { title: "Inspector", version: VERSION },
    transform: withProblems,
  });
}

/** Each operation can be refused for more reasons than its steps declare. */
const withProblems = (document: OpenApiDocument): OpenApiDocument => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [method, refusable(operation)]),
      ),
    ]),
  ),
});

const refusable = (operation: unknown): unknown => {
  if (typeof operation !== "object" || operation === null || !("responses" in operation)) return operation;
  const { responses } = operation;
  return typeof responses === "object"
    ? { ...operation, responses: { ...responses, default: { $ref: "#/components/responses/Problem" } } }
    : operation;
};
