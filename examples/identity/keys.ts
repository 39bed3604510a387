// Keys that the issuer publishes and changes, and tokens of which each is verified once.

import { Axon, Framework, IamIdentity, IamPolicy } from "framework";
import { cached, JwtKeys, JwtVerifier } from "framework/std";

const me = Axon.start("me").thenFn(
  "show",
  { uses: { identity: IamIdentity } },
  (_, bus) => bus.identity.roles,
);

/** `issuer` publishes its keys below it, as OpenID Connect's discovery document says under `jwks_uri`. */
export function service(issuer: string) {
  const tokens = cached(
    new JwtVerifier({
      algorithm: ["ES256", "EdDSA"],
      keys: JwtKeys.url(`${issuer}/jwks`, { maxAgeMs: 300_000 }),
      issuer,
      audience: "https://api.harbour.example",
      requiredType: "at+jwt",
      rolesClaim: ["realm_access", "roles"],
    }),
    { maxAgeMs: 30_000 },
  );
  return Framework.http().get("/me", me.withIam(IamPolicy.requireIdentity(), tokens));
}
