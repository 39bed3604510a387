import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, Framework, TenantId, TenantResolver } from "framework";
import { TestApp } from "framework/http";
import { ResolveTenant } from "framework/std";

test("a fault of a standard node is answered as its problem", async () => {
  const axon = Axon.start("hello")
    .then(new ResolveTenant(TenantResolver.header("x-tenant")))
    .thenFn("greet", (_, bus) => `hello ${bus.get(TenantId)}`, { reads: [TenantId] });
  const app = new TestApp(Framework.http().get("/", axon));
  const { problem } = await app.get("/");

  assert.deepEqual(
    [problem.status, problem.code, problem.title, problem.detail],
    [400, "TENANT_MISSING", "The request names no tenant", "Header 'x-tenant' has to name it"],
  );
  assert.equal((await app.get("/", { headers: { "x-tenant": "acme" } })).text, "hello acme");
});
