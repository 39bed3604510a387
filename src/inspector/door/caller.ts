import type { BusView } from "#core/bus/bus.js";
import { RequestId, RequestOrigin } from "#core/facts/ingress-facts.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { type InspectorRole, roleOf, tokenIdOf } from "./bearer-auth.js";

/** The owner of the request's token. */
export interface Caller {
  readonly role: InspectorRole;
  /** Identifies the token without revealing it. */
  readonly tokenId: string;
  readonly origin: string | undefined;
  readonly requestId: string;
}

/** The keys that `callerOf` reads, as a step declares them. */
export const CALLER_KEYS = {
  reads: [IamIdentity, RequestId] as const,
  mayRead: [RequestOrigin] as const,
};

export const callerOf = (
  bus: BusView<typeof IamIdentity | typeof RequestId, never, typeof RequestOrigin>,
): Caller => ({
  role: roleOf(bus.get(IamIdentity)),
  tokenId: tokenIdOf(bus.get(IamIdentity)),
  origin: bus.find(RequestOrigin),
  requestId: bus.get(RequestId),
});
