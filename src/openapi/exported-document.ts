// The document of an ingress that does not listen, as `framework openapi` writes it.

import { routeInfos } from "#http/description/route-infos.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import { DOCUMENT_KEY } from "./attach.js";
import { described } from "./describe.js";
import { documentOf } from "./document.js";
import type { OpenApiDocument } from "./open-api-options.js";
import type { ServedDocument } from "./served-document.js";

/** Of this copy of the package or another. */
export interface ExportedIngress {
  routes(): readonly RouteInfo[];
  readonly plan: IngressPlan;
}

export interface ExportOptions {
  /** Of several documents the one that is served here. */
  readonly path?: string | undefined;
  /** Whether operations name their Axons and steps, whatever is served. */
  readonly internals?: boolean;
}

/**
 * As `openapi()` would serve it, or of its own where the ingress serves none. Undefined where it serves
 * none at this path. Throws OPENAPI_INVALID.
 */
export async function exportedDocument(
  { plan }: ExportedIngress,
  { path, internals }: ExportOptions,
): Promise<OpenApiDocument | undefined> {
  const documents = plan.constants.filter(({ key }) => key.name.startsWith(DOCUMENT_KEY));
  if (documents.length === 0 && path === undefined) {
    return documentOf(described(routeInfos(plan)), internals === undefined ? {} : { internals });
  }
  const found =
    path === undefined ? documents[0] : documents.find(({ key }) => key.name === `${DOCUMENT_KEY}${path}`);
  if (found === undefined) return undefined;
  await Promise.all(plan.extensions.map((source) => source.load()));
  return (found.make(plan) as ServedDocument).written(internals);
}
