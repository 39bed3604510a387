import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, layer, QueryParams } from "framework";
import { TestApp } from "framework/http";

describe("the responses of a route", () => {
  test("have that of a query which is malformed, where a layer reads it", async () => {
    const asked = layer({ name: "asked", mayRead: [QueryParams], run: (_, next) => next() });
    const ok = Axon.start("ok").thenFn("ok", () => "ok");
    const ingress = Framework.http()
      .get("/asked", ok, { layers: [asked] })
      .get("/plain", ok);
    const codes = ingress.routes().map(({ responses }) => responses.map(({ code }) => code));

    assert.deepEqual(
      codes.map((all) => all.includes("PARAMETER_INVALID")),
      [true, false],
    );
    const { problem } = await new TestApp(ingress).get("/asked?__proto__=1");
    assert.deepEqual([problem.status, problem.code], [400, "PARAMETER_INVALID"]);
  });
});
