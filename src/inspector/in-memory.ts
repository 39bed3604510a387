import type { HttpIngress } from "#http/ingress.js";
import type { IngressPlan } from "#http/ingress-plan.js";
import { TestApp } from "#http/testing/test-app.js";

/** The Inspector of a TestApp, which listens nowhere. */
export interface InspectorInMemory {
  readonly ingress: HttpIngress<never, never>;
  /** An operator's, if none was given. */
  readonly token: string | undefined;
}

/** By the plan of the TestApp that was started last with it. */
export const inMemory = new WeakMap<IngressPlan, InspectorInMemory>();

/** The Inspector of an ingress that a TestApp serves and has started. Throws if there is none. */
// biome-ignore lint/suspicious/noExplicitAny: whatever it provides and needs
export function inspectorOf(ingress: HttpIngress<any, any>): {
  readonly app: TestApp<never>;
  readonly token: string | undefined;
} {
  const found = inMemory.get(ingress.plan);
  if (found === undefined)
    throw new Error(
      "No TestApp of this ingress has started an Inspector: call inspector(), then app.start()",
    );
  return { app: new TestApp(found.ingress), token: found.token };
}
