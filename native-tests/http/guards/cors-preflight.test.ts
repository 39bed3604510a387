import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, guard, layer, pass } from "framework";
import { TestApp } from "framework/http";
import { CorsGuard } from "framework/std";
import {
  APP,
  asking,
  corsOf,
  EVIL,
  granted,
  grantedPreflight,
  hello,
  shared,
  variesByOrigin,
} from "../../support/shared-origins.js";

/** What each route ran, guards and layers too. */
function witnessed() {
  const ran: string[] = [];
  const seen = (name: string) =>
    guard({
      name,
      run: (input) => {
        ran.push(name);
        return pass(input);
      },
    });
  const around = layer({
    name: "around",
    run: (_bus, next) => {
      ran.push("around");
      return next();
    },
  });
  const served = Axon.start("served").thenFn("serve", () => {
    ran.push("served");
    return "served";
  });
  return { ran, seen, around, served };
}

describe("a preflight", () => {
  test("is answered 204 for each path behind the guard, and runs neither guards nor layers nor the Axon", async () => {
    const { ran, seen, around, served } = witnessed();
    const app = new TestApp(
      Framework.http()
        .guard(seen("before"))
        .guard(shared())
        .guard(seen("behind"))
        .layer(around)
        .get("/a/:id", served)
        .post("/b", served, { guards: [seen("own")] }),
    );

    for (const target of ["/a/7", "/b"]) {
      const answer = await app.options(target, asking(APP));
      assert.deepEqual([answer.status, answer.text], [204, ""], target);
      assert.deepEqual(corsOf(answer.headers), grantedPreflight(APP));
      assert.ok(variesByOrigin(answer.headers));
    }
    assert.deepEqual(ran, []);
  });

  test("goes by the guard of the route it asks about: its own, its group's, or none", async () => {
    const open = new CorsGuard({ allowedMethods: ["PUT"] });
    const app = new TestApp(
      Framework.http()
        .get("/plain", hello)
        .get("/own", hello, { guards: [shared()] })
        .group("/group", { guards: [shared()] }, (group) =>
          group
            .get("/in", hello)
            .get("/out", hello, { without: ["CorsGuard"] })
            .get("/other", hello, { without: ["CorsGuard"], guards: [open] }),
        ),
    );
    const told = async (path: string) => corsOf((await app.options(path, asking(APP, "GET"))).headers);

    assert.deepEqual(await told("/own"), grantedPreflight(APP));
    assert.deepEqual(await told("/group/in"), grantedPreflight(APP));
    assert.deepEqual(await told("/plain"), {});
    assert.deepEqual(await told("/group/out"), {});
    assert.equal((await told("/group/other"))["access-control-allow-origin"], "*");
    assert.equal((await told("/group/other"))["access-control-allow-methods"], "PUT");
    assert.equal((await app.get("/group/out", { headers: { origin: EVIL } })).status, 200);
    assert.equal((await app.get("/own", { headers: { origin: EVIL } })).status, 403);
  });

  test("of a path with a route for each method goes by the route of the method it asks for", async () => {
    const app = new TestApp(
      Framework.http()
        .get("/", hello, { guards: [new CorsGuard()] })
        .post("/", hello, { guards: [shared()] }),
    );
    const told = async (method: string) => corsOf((await app.options("/", asking(APP, method))).headers);

    assert.equal((await told("GET"))["access-control-allow-origin"], "*");
    assert.equal((await told("HEAD"))["access-control-allow-origin"], "*");
    assert.deepEqual(await told("POST"), grantedPreflight(APP));
  });

  test("that asks for a method that the path does not have goes by one that it has", async () => {
    const app = new TestApp(
      Framework.http()
        .get("/get", hello, { guards: [shared()] })
        .post("/post", hello, { guards: [shared()] })
        .options("/options", hello, { guards: [shared()] }),
    );

    for (const path of ["/get", "/post", "/options"])
      for (const method of ["DELETE", "FOO", "\x01"]) {
        const answer = await app.options(path, asking(APP, method));
        assert.deepEqual([answer.status, corsOf(answer.headers)], [204, grantedPreflight(APP)], path);
      }
  });

  test("of a path that is not there is answered where the ingress has the guard", async () => {
    const app = new TestApp(Framework.http().guard(shared()).get("/", hello));
    const answer = await app.options("/nowhere", asking(APP));

    assert.deepEqual([answer.status, corsOf(answer.headers)], [204, grantedPreflight(APP)]);
    const other = new TestApp(Framework.http().get("/", hello, { guards: [shared()] }));
    assert.equal((await other.options("/nowhere", asking(APP))).status, 404);
  });

  test("is answered in the place of a route for OPTIONS, which serves every other OPTIONS", async () => {
    const { ran, served } = witnessed();
    const app = new TestApp(Framework.http().guard(shared()).get("/", hello).options("/", served));

    assert.deepEqual(corsOf((await app.options("/", asking(APP, "GET"))).headers), grantedPreflight(APP));
    assert.deepEqual(ran, []);
    const plain = await app.options("/", { headers: { origin: APP } });
    assert.deepEqual([plain.text, corsOf(plain.headers)], ["served", granted(APP)]);
    assert.deepEqual(ran, ["served"]);
  });
});
