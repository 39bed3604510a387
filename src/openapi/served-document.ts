// A document as it is served. Made once, when the server begins.

import type { IngressPlan } from "#http/ingress-plan.js";
import { routeInfos } from "#http/route-info.js";
import { described } from "./describe.js";
import { documentOf } from "./document.js";
import type { DocumentOptions } from "./open-api-options.js";

export class ServedDocument {
  readonly text: string;

  constructor(plan: IngressPlan, options: DocumentOptions) {
    this.text = `${JSON.stringify(documentOf(described(routeInfos(plan)), options), null, 2)}\n`;
  }
}
