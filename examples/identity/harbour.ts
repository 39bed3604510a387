// A harbour's book: who may do what stands at the head of each Axon, and is drawn with it.

import { Axon, Framework, IamIdentity, IamPolicy, type IamVerifier, Type } from "framework";
import { cached, JwtKeys, JwtVerifier } from "framework/std";

const { allOf, anyOf, none, requireClaim, requireIdentity, requireRole, requireScopes } = IamPolicy;

/** Tokens of the harbour's login, which alone has the other half of the key. */
export const loginTokens = (publicKey: string): IamVerifier =>
  cached(
    new JwtVerifier({
      algorithm: "EdDSA",
      keys: JwtKeys.pem(publicKey),
      issuer: "https://login.harbour.example",
      audience: "harbour-book",
    }),
  );

const Entry = Type.Object({ text: Type.String({ maxLength: 200 }) });

export function harbourBook(tokens: IamVerifier) {
  const entries: string[] = [];

  const front = Axon.start("front")
    .withIam(none(), tokens)
    // Whoever has no token, or a bad one, is a stranger: `find`, not `get`.
    .thenFn(
      "greet",
      { mayUse: { identity: IamIdentity } },
      (_, bus) => `Welcome, ${bus.identity?.subject ?? "stranger"}`,
    );
  const read = Axon.start("read")
    .withIam(requireIdentity(), tokens)
    .thenFn("read", () => entries);
  const write = Axon.start("write", Entry)
    .withIam(requireScopes(["book:write"]), tokens)
    .thenFn("write", { uses: { identity: IamIdentity } }, ({ text }, bus) =>
      entries.push(`${bus.identity.subject}: ${text}`),
    );
  const strike = Axon.start("strike")
    .withIam(
      anyOf(requireRole("harbour-master"), allOf(requireRole("deputy"), requireClaim("shift", ["night"]))),
      tokens,
    )
    .thenFn("strike", () => entries.pop() ?? "nothing");

  return (
    Framework.http()
      .get("/", front)
      .get("/entries", read)
      .post("/entries", write)
      .delete("/entries/last", strike)
      // The same Axon, and more asked of whoever comes this way.
      .get("/archive", read, { iam: { policy: requireRole("archivist") } })
  );
}
