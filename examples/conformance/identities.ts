// Who may come: by a token, and by a session that begins at /login.

import { Axon, IamIdentity, IamPolicy, type IamVerifier } from "framework";
import { CreateSession, Sessions } from "framework/std";

export const me = (verifier: IamVerifier) =>
  Axon.start("me")
    .withIam(IamPolicy.requireIdentity(), verifier)
    .thenFn("tell", (_, bus) => ({ sub: bus.get(IamIdentity).subject }), { reads: [IamIdentity] });

export const admin = (verifier: IamVerifier) =>
  Axon.start("admin")
    .withIam(IamPolicy.requireRole("admin"), verifier)
    .thenFn("tell", (_, bus) => ({ admin: bus.get(IamIdentity).subject }), { reads: [IamIdentity] });

/** Lets in whoever comes, as nobody in particular: what is looked at here is the cookie. */
export const login = Axon.start("login")
  .then(
    new CreateSession(new Sessions(), {
      identityOf: () => ({ subject: "visitor", roles: [], claims: {} }),
    }),
  )
  .thenFn("greet", () => "logged in");
