import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework } from "framework";
import { TestApp } from "framework/http";
import { IpFilterGuard } from "framework/std";

describe("an IpFilterGuard of an ingress", () => {
  let ran = 0;
  const served = (guard: IpFilterGuard) =>
    new TestApp(
      Framework.http({ trustedProxies: ["127.0.0.1"] })
        .guard(guard)
        .get(
          "/",
          Axon.start("hello").thenFn("greet", () => {
            ran += 1;
            return "hello";
          }),
        )
        .post("/", Axon.start<Uint8Array>("bytes"), { input: bytes(), bodyLimit: 4 })
        .readinessLivenessDefault(),
    );
  const from = (client: string) => ({ headers: { "x-forwarded-for": client } });

  test("refuses clients before anything else is said of the request", async () => {
    ran = 0;
    const app = served(IpFilterGuard.denyList(["203.0.113.0/24", "2001:db8::/32"]));

    for (const client of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8::1", "198.51.100.1, 203.0.113.9"])
      for (const answer of [
        await app.get("/", from(client)),
        await app.get("/nowhere", from(client)),
        await app.delete("/", from(client)),
        await app.post("/", { ...from(client), body: "longer than the limit" }),
      ])
        assert.deepEqual([answer.status, answer.problem.code], [403, "ADDRESS_REFUSED"], client);
    assert.equal(ran, 0);
    assert.equal((await app.get("/", from("203.0.113.9, 198.51.100.1"))).status, 200);
    assert.equal((await app.get("/nowhere", from("198.51.100.1"))).status, 404);
  });

  test("refuses a client whom a trusted proxy does not name, and lets probes pass", async () => {
    for (const guard of [IpFilterGuard.denyList([]), IpFilterGuard.allowList(["127.0.0.1", "0.0.0.0/0"])])
      assert.equal((await served(guard).get("/", from("unknown"))).status, 403);
    assert.equal((await served(IpFilterGuard.allowList([])).get("/ready", from("unknown"))).status, 200);
  });
});
