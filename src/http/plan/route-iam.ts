// A route's policy for its Axon: stronger than the Axon's, or weaker with a reason.

import type { BusKey } from "#core/bus/bus-key.js";
import { IamBoundary, type IamCounts } from "#core/flow/iam-boundary.js";
import type { DrawnIam } from "#core/flow/schematic.js";
import { type IamPolicy, requirePolicy } from "#core/iam/iam-policy.js";
import type { IamVerifier } from "#core/iam/iam-verifier.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { drawnIam, iamDefinition } from "#runtime/definition/iam-definition.js";
import { optionNames, requireKnown, routeInvalid } from "../refusal/option-checks.js";
import { tellingGuard } from "./front-faults.js";

/** Replaces the Axon's own `withIam` on a route. */
export interface RouteIam<P extends IamPolicy = IamPolicy> {
  /** Must be at least as strong as the Axon's, as far as policies can be compared. Default: the Axon's. */
  readonly policy?: P;
  /** Another verifier than the Axon's counts as weaker and needs `weaken`. Default: the Axon's. */
  readonly verifier?: IamVerifier;
  /** The key of the token. Default: the key of the Axon's boundary, else `IamToken`. */
  readonly token?: BusKey<string, string>;
  /** Time-out of the verifier in milliseconds. Default: the Axon's, else 5000. */
  readonly timeoutMs?: number;
  /** The reason why the route requires less than the Axon. Shown in the schematic. */
  readonly weaken?: string;
}

/** The policy of a route as data, with counts of its verdicts. */
export interface RouteIamInfo extends DrawnIam {
  /** Shared by the routes of one Axon without own options. */
  readonly counts: IamCounts;
}

const OPTIONS = optionNames<RouteIam>()("policy verifier token timeoutMs weaken");

/** Throws CONFIG_INVALID and ROUTE_INVALID. */
export function withRouteIam(
  axon: AxonDefinition,
  given: RouteIam | undefined,
  where: string,
): AxonDefinition {
  if (given === undefined) return axon;
  const call = `iam of ${where}`;
  requireKnown(call, given, OPTIONS);
  const own = axon.iam?.boundary;
  const { policy = own?.policy, verifier = own?.verifier, weaken } = given;
  if (policy === undefined || verifier === undefined)
    throw routeInvalid(
      `${call}: Axon '${axon.name}' has none of its own, so that it needs a policy and a verifier`,
    );
  requirePolicy(call, policy);
  requireReason(call, weaken, weakerThan(own, policy, verifier));
  const { token, timeoutMs } = given;
  const options = {
    ...own?.options,
    ...(token !== undefined && { token }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const boundary = new IamBoundary("iam", call, policy, verifier, options);
  const made = iamDefinition(boundary, where, withRouteIam, weaken);
  // The Axon's type does not declare its refusals as faults.
  const transition = own === undefined ? tellingGuard(boundary) : boundary;
  return { ...axon, iam: { ...made, step: { ...made.step, transition, site: axon.site } } };
}

/** The reason why the policy is weaker; undefined if it is not. */
function weakerThan(
  own: IamBoundary | undefined,
  policy: IamPolicy,
  verifier: IamVerifier,
): string | undefined {
  if (own === undefined) return undefined;
  if (!policy.isAtLeast(own.policy))
    return `it lets in ${policy.description}, where the Axon wants ${own.policy.description}: give IamPolicy.allOf(...) of both`;
  return verifier === own.verifier ? undefined : "it has another verifier than the Axon: leave it out";
}

function requireReason(call: string, weaken: string | undefined, weaker: string | undefined): void {
  if (weaken === undefined && weaker !== undefined)
    throw routeInvalid(`${call}: ${weaker}, or say why less is right here, as in { weaken: "the reason" }`);
  if (weaken === undefined) return;
  if (typeof weaken !== "string" || weaken.trim() === "")
    throw routeInvalid(`${call}: weaken is the reason, a text that is not empty`);
  if (weaker === undefined)
    throw routeInvalid(
      `${call}: it asks for no less than the Axon: take 'weaken' away, or it lets pass what is not meant`,
    );
}

export const routeIamInfo = ({ iam }: AxonDefinition): RouteIamInfo | undefined =>
  iam && { ...drawnIam(iam), counts: iam.boundary.counts };
