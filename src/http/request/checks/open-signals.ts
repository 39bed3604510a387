import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { IngressPlan } from "../../plan/ingress-plan.js";
import { routeInvalid } from "../../refusal/option-checks.js";
import { composed } from "../composition.js";

/** Throws ROUTE_INVALID for a `runSignal` without `allow` where callers are verified (RS2). */
export function requireAllowedSignals(plan: IngressPlan): void {
  const [path] = plan.openSignals;
  if (path === undefined || !plan.routes.some((route) => verifies(composed(route, plan)))) return;
  throw routeInvalid(
    `runSignal('${path}') lets every caller signal every run, and this ingress verifies callers: give { allow: (identity, run) => ... }, as in identity?.roles.includes("manager") === true && !run.isOwn`,
  );
}

const verifies = ({ guards, iam, steps }: AxonDefinition): boolean =>
  iam !== undefined ||
  [...guards, ...steps].some(({ transition: { writes = [], mayWrite = [] } }) =>
    [...writes, ...mayWrite].some((key) => key === VerifiedIdentity || key === IamIdentity),
  );
