// Sea charts: so many for each client, which is who it was verified to be, else its address.

import { Axon, Framework, fault, guard, header, ProblemDetail, pass, VerifiedIdentity } from "framework";
import { RateLimitGuard } from "framework/std";

const chart = Axon.start("chart").thenFn("draw", () => "a chart");
const atlas = Axon.start("atlas").thenFn("draw", () => "twenty charts");

const pilots: ReadonlyMap<string, string> = new Map([["k-81d2", "pilot 1"]]);
const unknownKey = new ProblemDetail({ status: 401, code: "KEY_UNKNOWN", title: "Nobody has this key" });

/** Who sends no key goes by its address. */
const byKey = guard({
  name: "by-key",
  mayUse: { xApiKey: header("x-api-key") },
  mayWrite: [VerifiedIdentity],
  responses: [unknownKey],
  run(input, bus) {
    const key = bus.xApiKey;
    if (key === undefined) return pass(input);
    const pilot = pilots.get(key);
    if (pilot === undefined) return fault(unknownKey);
    bus.set(VerifiedIdentity, pilot);
    return pass(input);
  },
});

export const charts = (now: () => number = () => performance.now()) =>
  Framework.http()
    // In this order: whoever is verified later is counted by its address.
    .guard(byKey)
    .guard(new RateLimitGuard(60, 60_000, { now }))
    .get("/chart", chart)
    // One a minute, beside what all routes share.
    .get("/atlas", atlas, { guards: [new RateLimitGuard(1, 60_000, { name: "atlas", now })] });
