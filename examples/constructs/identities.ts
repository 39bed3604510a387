// An Axon that lets in whom its policy does, before it does anything.

import { Axon, IamError, IamIdentity, IamPolicy, type IamVerifier } from "framework";

const staff = new Map<string, IamIdentity>([
  ["badge-1", { subject: "Ailsa", roles: ["harbour-master"], claims: { scope: "harbour:close" } }],
  ["badge-2", { subject: "Hamish", roles: ["pilot"], claims: {} }],
]);

/** Says whose a token is. Real ones check a signature, or ask who has issued it. */
const badges: IamVerifier = {
  description: "badges of the staff",
  verify: (token) => staff.get(token) ?? IamError.invalidToken("There is no such badge"),
};

export const closeHarbour = Axon.start<string>("close-harbour")
  .withIam(
    IamPolicy.allOf(IamPolicy.requireRole("harbour-master"), IamPolicy.requireScopes(["harbour:close"])),
    badges,
  )
  .thenFn(
    "close",
    { uses: { identity: IamIdentity } },
    (why, bus) => `closed by ${bus.identity.subject}: ${why}`,
  );

/** Anybody: who has shown a badge that is good is greeted by name. */
export const greet = Axon.start("greet")
  .withIam(IamPolicy.none(), badges)
  .thenFn(
    "greet",
    { mayUse: { identity: IamIdentity } },
    (_, bus) => `Good morning, ${bus.identity?.subject ?? "stranger"}`,
  );
