import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  ClientIdentity,
  ClientIp,
  Framework,
  fault,
  guard,
  header,
  layer,
  ProblemDetail,
  pass,
  VerifiedIdentity,
} from "framework";
import { TestApp } from "framework/http";

const KEYS = new Map([
  ["k1", "alice"],
  ["k2", "127.0.0.1"],
  ["k3", "unknown"],
]);

const unknownKey = fault(
  new ProblemDetail({ status: 401, code: "KEY_UNKNOWN", title: "The key is unknown" }),
);

/** Verifies an API key; without one the client is whoever has its address. */
const apiKey = guard({
  name: "api-key",
  mayRead: [header("x-api-key")],
  mayWrite: [VerifiedIdentity],
  run: (input, bus) => {
    const key = bus.find(header("x-api-key"));
    if (key === undefined) return pass(input);
    const name = KEYS.get(key);
    if (name === undefined) return unknownKey;
    bus.set(VerifiedIdentity, name);
    return pass(input);
  },
});

const whoami = Axon.start("whoami").thenFn("tell", (_, bus) => bus.get(ClientIdentity), {
  reads: [ClientIdentity],
});

const withKey = (key: string) => ({ headers: { "x-api-key": key } });

describe("a client's identity", () => {
  test("is who a guard before has verified, else its address", async () => {
    const app = new TestApp(Framework.http().get("/", whoami, { guards: [apiKey] }));

    assert.equal((await app.get("/", withKey("k1"))).text, "id:alice");
    assert.equal((await app.get("/")).text, "127.0.0.1");
    assert.equal((await app.get("/", { peer: "2001:db8:1:2:3::9" })).text, "2001:db8:1:2::/64");
    assert.equal((await app.get("/", withKey("k9"))).status, 401);
  });

  test("is nobody's address, whatever the name that was verified", async () => {
    const app = new TestApp(Framework.http().get("/", whoami, { guards: [apiKey] }));

    assert.deepEqual(
      [(await app.get("/", withKey("k2"))).text, (await app.get("/", { ...withKey("k3"), peer: "" })).text],
      ["id:127.0.0.1", "id:unknown"],
    );
  });

  test("is who a layer has verified", async () => {
    const signedIn = layer({
      name: "session",
      writes: [VerifiedIdentity],
      run: (bus, next) => {
        bus.set(VerifiedIdentity, "bob");
        return next();
      },
    });
    const app = new TestApp(Framework.http().layer(signedIn).get("/", whoami));

    assert.equal((await app.get("/")).text, "id:bob");
  });

  test("is who is provided as verified, at once or later", async () => {
    const provided = [
      Framework.http().provide(VerifiedIdentity, (bus) => `at ${bus.get(ClientIp)}`, { reads: [ClientIp] }),
      Framework.http().provide(VerifiedIdentity, async () => "at 127.0.0.1"),
    ];
    for (const ingress of provided) {
      const app = new TestApp(ingress.get("/", whoami));
      for (let n = 0; n < 3; n += 1) assert.equal((await app.get("/")).text, "id:at 127.0.0.1");
    }
  });

  test("is looked up at first read: who is verified later changes nothing", async () => {
    const early = guard({
      name: "early",
      reads: [ClientIdentity],
      run: (input, bus) => (bus.get(ClientIdentity) === "127.0.0.1" ? pass(input) : unknownKey),
    });
    const app = new TestApp(Framework.http().get("/", whoami, { guards: [early, apiKey] }));

    assert.equal((await app.get("/", withKey("k1"))).text, "127.0.0.1");
  });

  test("is named by no header that nobody has verified", async () => {
    const app = new TestApp(Framework.http().get("/", whoami));
    const names = ["x-api-key", "authorization", "x-forwarded-for", "forwarded", "x-real-ip", "cookie"];
    const headers = Object.fromEntries(names.map((name) => [name, "for=198.51.100.7"]));

    assert.equal((await app.get("/", { headers })).text, "127.0.0.1");
  });

  test("is what an ingress provides in its place", async () => {
    const app = new TestApp(
      Framework.http()
        .provide(ClientIdentity, (bus) => `office of ${bus.get(ClientIp)}`, { reads: [ClientIp] })
        .get("/", whoami, { guards: [apiKey] }),
    );

    assert.equal((await app.get("/", withKey("k1"))).text, "office of 127.0.0.1");
  });

  test("is told to who is told of the answer", async () => {
    const told: unknown[] = [];
    const watch = guard({
      name: "watch",
      observer: {
        reads: [ClientIdentity],
        answered: (answer) => {
          told.push(answer.find(ClientIdentity));
        },
      },
      run: pass,
    });
    const app = new TestApp(
      Framework.http()
        .guard(watch)
        .get("/", whoami, { guards: [apiKey] }),
    );
    await app.get("/");
    await app.get("/", withKey("k1"));

    assert.deepEqual(told, ["127.0.0.1", "id:alice"]);
  });
});
