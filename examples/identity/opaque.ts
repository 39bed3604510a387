// Tokens that say nothing themselves: the server that has issued them is asked.

import { Axon, Framework, IamIdentity, IamPolicy, Secret } from "framework";
import { cached, IntrospectionVerifier } from "framework/std";

const me = Axon.start("me").thenFn(
  "show",
  { uses: { identity: IamIdentity } },
  (_, bus) => bus.identity.subject,
);

export function service(url: string, clientSecret: string) {
  const asking = new IntrospectionVerifier({
    url,
    clientId: "harbour-book",
    clientSecret: new Secret(clientSecret),
    audience: "https://api.harbour.example",
  });
  // A revoked token is good for 5 s more at most. Without `cached` each request asks.
  const tokens = cached(asking, { maxAgeMs: 5000 });
  return Framework.http().get("/me", me.withIam(IamPolicy.requireScopes(["read"]), tokens));
}
