import type { DocumentOptions, OpenApiDocument } from "./open-api-options.js";
import type { Operation } from "./operation.js";

/** The OpenAPI 3.1 document of these operations. */
export function documentOf(operations: readonly Operation[], options: DocumentOptions): OpenApiDocument {
  const { info = { title: "API", version: "0.0.0" }, servers = [{ url: "/" }] } = options;
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, template, responses } of operations) {
    paths[template] ??= {};
    (paths[template] as Record<string, unknown>)[method.toLowerCase()] = {
      responses: Object.fromEntries(responses.map(({ status }) => [status, { description: `${status}` }])),
    };
  }
  return { openapi: "3.1.0", info, servers, paths };
}
