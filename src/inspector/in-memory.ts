import type { HttpIngress } from "#http/ingress/ingress.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { TestApp } from "#http/testing/test-app.js";

/** The Inspector of a TestApp, which listens nowhere. */
export interface InspectorInMemory {
  readonly ingress: HttpIngress<never, never>;
  /** An operator's token, if none was configured. */
  readonly token: string | undefined;
}

/** By the extensions of the ingress: a TestApp serves a copy of the plan. The newest TestApp wins. */
export const inMemory = new WeakMap<IngressPlan["extensions"], InspectorInMemory>();

/** The Inspector of an ingress that a TestApp serves and has started. Throws if there is none. */
// biome-ignore lint/suspicious/noExplicitAny: an ingress of any type parameters
export function inspectorOf(ingress: HttpIngress<any, any>): {
  readonly app: TestApp<never>;
  readonly token: string | undefined;
} {
  const found = inMemory.get(ingress.plan.extensions);
  if (found === undefined)
    throw new Error(
      "No TestApp of this ingress has started an Inspector: call inspector(), then app.start()",
    );
  return { app: new TestApp(found.ingress), token: found.token };
}
