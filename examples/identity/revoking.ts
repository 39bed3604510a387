// A token that is good until its `exp` is ended earlier: by a list of those that are not.

import {
  Axon,
  Framework,
  fault,
  guard,
  IamError,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  pass,
} from "framework";
import { AuthGuard, cached } from "framework/std";

const revokedToken = fault(IamError.invalidToken("It was revoked"));
/** Verifiers let in that long after the end, at most: clocks differ. */
const MAX_SKEW_MS = 300_000;

export function revoking(tokens: IamVerifier, now: () => number = Date.now) {
  // Of one process. Several ask a store that all of them have, here and below.
  const revoked = new Map<string, number>();

  const notRevoked = guard({
    name: "not-revoked",
    uses: { identity: IamIdentity },
    perProcess: "the list of revoked tokens",
    run: (input, bus) => (revoked.has(String(bus.identity.claims["jti"])) ? revokedToken : pass(input)),
  });

  const logout = Axon.start("logout").thenFn("revoke", { uses: { identity: IamIdentity } }, (_, bus) => {
    const { claims, expiresAt = Number.POSITIVE_INFINITY } = bus.identity;
    // What has ended by itself needs no place in the list.
    for (const [jti, end] of revoked) if (end < now()) revoked.delete(jti);
    revoked.set(String(claims["jti"]), expiresAt + MAX_SKEW_MS);
    return "Goodbye";
  });
  const me = Axon.start("me").thenFn(
    "show",
    { uses: { identity: IamIdentity } },
    (_, bus) => bus.identity.subject,
  );

  return Framework.http()
    .guard(new AuthGuard(IamPolicy.requireClaims(["jti"]), cached(tokens)))
    .guard(notRevoked)
    .get("/me", me)
    .post("/logout", logout);
}
