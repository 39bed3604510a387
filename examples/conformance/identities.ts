// Who may come: by a token, and by a session that begins at /login.

import { Axon, IamIdentity, IamPolicy, type IamVerifier } from "framework";
import { CreateSession, Sessions } from "framework/std";

const asking = (name: string, policy: IamPolicy<true>) => (verifier: IamVerifier) =>
  Axon.start(name)
    .withIam(policy, verifier)
    .thenFn("tell", (_, bus) => ({ sub: bus.get(IamIdentity).subject }), { reads: [IamIdentity] });

export const me = asking("me", IamPolicy.requireIdentity());
export const admin = asking("admin", IamPolicy.requireRole("admin"));

/** Lets in whoever comes, as nobody in particular: what is looked at here is the cookie. */
export const login = Axon.start("login")
  .then(
    new CreateSession(new Sessions(), {
      identityOf: () => ({ subject: "visitor", roles: [], claims: {} }),
    }),
  )
  .thenFn("greet", () => "logged in");
