// What a route asks of its callers beside what its Axon does: it may ask for more, and for less
// only where it says why.

import type { BusKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { IamBoundary, type IamCounts } from "#core/iam-boundary.js";
import { type IamPolicy, requirePolicy } from "#core/iam-policy.js";
import type { IamVerifier } from "#core/iam-verifier.js";
import type { DrawnIam } from "#core/schematic.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import { drawnIam, iamDefinition } from "#runtime/iam-definition.js";
import { tellingGuard } from "./front-faults.js";
import { namesOf, requireKnown } from "./known-options.js";

/** Stands before the Axon of a route, in the place of its own `withIam`. */
export interface RouteIam<P extends IamPolicy = IamPolicy> {
  /** At least as strong as the Axon's own, as far as their form shows. Default: the Axon's. */
  readonly policy?: P;
  /** Default: the Axon's. Another one asks for less, for all that is known, and needs `weaken`. */
  readonly verifier?: IamVerifier;
  /** Where the token is. Default: where the Axon's own boundary has it from, or else `IamToken`. */
  readonly token?: BusKey<string, string>;
  /** How long the verifier may take, in milliseconds. Default: the Axon's, or else 5000. */
  readonly timeoutMs?: number;
  /** Why less is asked for here than the Axon does. It is drawn. */
  readonly weaken?: string;
}

/** What stands before a route's Axon, as data, and how often what has come of it. */
export interface RouteIamInfo extends DrawnIam {
  /** Up to now. Of one Axon that is mounted twice the routes share them, where they say nothing of their own. */
  readonly counts: IamCounts;
}

const OPTIONS = namesOf<RouteIam>({
  policy: true,
  verifier: true,
  token: true,
  timeoutMs: true,
  weaken: true,
});

/** The Axon as this route has it. Throws CONFIG_INVALID and ROUTE_INVALID. */
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
    throw invalid(
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
  // What it refuses is no fault of an Axon whose type does not name it.
  const transition = own === undefined ? tellingGuard(boundary) : boundary;
  return { ...axon, iam: { ...made, step: { ...made.step, transition, site: axon.site } } };
}

/** In what it asks for less, as far as can be seen; undefined for nothing. */
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
    throw invalid(`${call}: ${weaker}, or say why less is right here, as in { weaken: "the reason" }`);
  if (weaken === undefined) return;
  if (typeof weaken !== "string" || weaken.trim() === "")
    throw invalid(`${call}: weaken is the reason, a text that is not empty`);
  if (weaker === undefined)
    throw invalid(
      `${call}: it asks for no less than the Axon: take 'weaken' away, or it lets pass what is not meant`,
    );
}

const invalid = (message: string): FrameworkError => new FrameworkError("ROUTE_INVALID", message);

export const routeIamInfo = ({ iam }: AxonDefinition): RouteIamInfo | undefined =>
  iam && { ...drawnIam(iam), counts: iam.boundary.counts };
