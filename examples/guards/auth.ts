// A yacht club: one token for all of it, in a cookie for pages and in a header for programs.

import { Axon, cookie, Framework, IamError, IamIdentity, IamPolicy, type IamVerifier } from "framework";
import { AuthGuard } from "framework/std";

const members = new Map<string, IamIdentity>([
  ["t-morag", { subject: "Morag", roles: ["member", "treasurer"], claims: { boats: ["Freya"] } }],
  ["t-euan", { subject: "Euan", roles: ["member"], claims: {} }],
]);

/** Real ones check a signature, or ask who has issued the token. */
const register: IamVerifier = {
  description: "the club's register",
  verify: (token) => members.get(token) ?? IamError.invalidToken("It is not in the register"),
};

const member = IamPolicy.requireRole("member");

const boats = Axon.start("boats").thenFn("list", { uses: { identity: IamIdentity } }, (_, bus) => {
  const { subject, claims } = bus.identity;
  return { of: subject, boats: claims["boats"] ?? [] };
});

/** Asks for a member by itself, wherever it is mounted. */
const dues = Axon.start("dues")
  .withIam(member, register)
  .thenFn("sum", () => "1200 EUR");

export const club = () =>
  Framework.http()
    .group("/pages", { guards: [new AuthGuard(member, register, { token: cookie("club") })] }, (pages) =>
      pages.get("/boats", boats),
    )
    .get("/dues", dues)
    // More than the Axon asks for. Less would not be mounted.
    .get("/books", dues, { iam: { policy: IamPolicy.allOf(member, IamPolicy.requireRole("treasurer")) } });
