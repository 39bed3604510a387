// Possible effects of requests outside of the process, as far as a plan shows them. The module chooses
// its resources itself.

import type { AnyTransition } from "#core/flow/transition.js";
import { mode } from "#core/mode.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { composed } from "#http/request/composition.js";
import { visitAxon } from "#runtime/definition/axon-definition.js";
import { takesMountedRuns } from "#runtime/definition/mounted-runs.js";
import { IdempotencyGuard } from "#std/guards/idempotency-guard.js";
import { RateLimitGuard } from "#std/guards/rate-limit-guard.js";
import { LoadSession } from "#std/sessions/session-guards.js";
import { CreateSession, DestroySession, RotateSession } from "#std/sessions/session-steps.js";

/** Steps that take `perProcess` from their store. */
const STORED = [IdempotencyGuard, RateLimitGuard, LoadSession, CreateSession, RotateSession, DestroySession];

/** Each with its remedy; empty if none is known. */
export function effectsOf(plan: IngressPlan): readonly string[] {
  const found = new Set<string>();
  const note = (what: string, store: { readonly perProcess?: string } | undefined): void => {
    if (store !== undefined && store.perProcess === undefined)
      found.add(`${what} is not in memory: give it one that is`);
  };
  if (mode.production || plan.production)
    found.add(`the profile is production (${mode.reason}): set FRAMEWORK_PROFILE=test`);
  note(`the store of the ingress, ${plan.stores?.shown},`, plan.stores?.runs);
  note("the bus of its rooms", plan.rooms);
  note("the audit log of the ingress", plan.audit);
  for (const route of plan.routes)
    visitAxon(composed(route, plan), {
      axon(axon) {
        const { name, mode: execution, dlqSink, persistence, audit } = axon;
        if (!takesMountedRuns(axon)) note(`the run store of Axon '${name}'`, persistence?.store);
        if (execution.kind === "singleton") note(`the lock provider of Axon '${name}'`, execution.provider);
        note(`the dead-letter store of Axon '${name}'`, dlqSink);
        note(`the audit log of Axon '${name}'`, audit?.sink);
      },
      step: ({ transition }) => {
        if (isStored(transition)) note(`the store of '${transition.name}'`, transition);
        note(`the audit log of '${transition.name}'`, transition.audit?.sink);
      },
    });
  return [...found];
}

const isStored = (transition: AnyTransition): boolean =>
  STORED.some((kind) => (transition as unknown) instanceof kind);
