import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Framework,
  header,
  IsolationPolicy,
  isFault,
  RequestPath,
  TenantId,
  TenantResolver,
} from "framework";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";
import { ResolveTenant, type TenantFault } from "framework/std";
import { assertSaid } from "../../support/said.js";

/** The tenant, or the code of the fault, of a request with these facts. */
async function resolved(resolver: TenantResolver, kit: AxonTestKit, policy?: IsolationPolicy) {
  const axon = Axon.start<string>("who").then(new ResolveTenant(resolver, policy));
  const { outcome, bus } = await kit.run(axon, "input");
  if (!isFault(outcome)) {
    assert.equal(outcome, "input");
    return bus.find(TenantId);
  }
  assert.equal(bus.has(TenantId), false);
  const { status, code } = (outcome.error as TenantFault).toProblemDetail();
  return `${status} ${code}`;
}

const byHeader = TenantResolver.header("X-Tenant");
const withHeader = (value: string) => new AxonTestKit().set(header("x-tenant"), value);
const fallback = IsolationPolicy.defaultTenant("public");

describe("ResolveTenant", () => {
  test("writes the tenant that a header names", async () => {
    assert.equal(await resolved(byHeader, withHeader("acme")), "acme");
  });

  test("writes the tenant that the host names", async () => {
    const kit = new AxonTestKit().set(header("host"), "acme.example.com:8443");

    assert.equal(await resolved(TenantResolver.subdomain("example.com"), kit), "acme");
  });

  test("writes the tenant that the path begins with", async () => {
    const kit = new AxonTestKit().set(RequestPath, "/acme/orders");

    assert.equal(await resolved(TenantResolver.pathPrefix(), kit), "acme");
  });

  test("refuses a request that names none, unless there is a default", async () => {
    assert.equal(await resolved(byHeader, new AxonTestKit()), "400 TENANT_MISSING");
    assert.equal(await resolved(byHeader, new AxonTestKit(), IsolationPolicy.strict()), "400 TENANT_MISSING");
    assert.equal(await resolved(byHeader, new AxonTestKit(), fallback), "public");
  });

  test("refuses a malformed tenant under either policy", async () => {
    for (const policy of [IsolationPolicy.strict(), fallback])
      assert.equal(await resolved(byHeader, withHeader("../acme"), policy), "400 TENANT_INVALID");
  });

  test("takes the tenant that is named before the default", async () => {
    assert.equal(await resolved(byHeader, withHeader("acme"), fallback), "acme");
  });

  test("says where the tenant has to be named, and repeats nothing of the request", async () => {
    const details = [byHeader, TenantResolver.subdomain("example.com"), TenantResolver.pathPrefix()].map(
      async (resolver) => {
        const kit = withHeader("<script>").set(header("host"), "<script>").set(RequestPath, "/<script>");
        const { outcome } = await kit.run(Axon.start("who").then(new ResolveTenant(resolver)), undefined);
        assert.ok(isFault(outcome));
        return (outcome.error as TenantFault).detail;
      },
    );

    assertSaid(await Promise.all(details), [
      /^Header 'x-tenant' names no tenant/,
      /^The host, .*below 'example\.com', names no tenant/,
      /^The first segment of the path names no tenant/,
    ]);
  });

  test("declares the one fact that it reads", () => {
    const reads = (resolver: TenantResolver) => new ResolveTenant(resolver).mayRead.map(({ name }) => name);

    assert.deepEqual(reads(byHeader), ["header:x-tenant"]);
    assert.deepEqual(reads(TenantResolver.subdomain("example.com")), ["header:host"]);
    assert.deepEqual(reads(TenantResolver.pathPrefix()), ["RequestPath"]);
  });

  test("finds each of them in a request", async () => {
    const told = (resolver: TenantResolver) =>
      Axon.start("who")
        .then(new ResolveTenant(resolver))
        .thenFn("tell", (_, bus) => bus.get(TenantId), { reads: [TenantId] });
    const app = new TestApp(
      Framework.http()
        .get("/header", told(byHeader))
        .get("/host", told(TenantResolver.subdomain("example.com")))
        .get("/:tenant/path", told(TenantResolver.pathPrefix())),
    );

    assert.equal((await app.get("/header", { headers: { "X-TENANT": "acme" } })).text, "acme");
    assert.equal((await app.get("/host", { headers: { host: "Acme.example.com:80" } })).text, "acme");
    assert.equal((await app.get("/acme/path")).text, "acme");
    assert.equal((await app.get("/host", { headers: { host: "evilexample.com" } })).status, 400);
    assert.equal((await app.get("/%61cme/path")).status, 400);
  });
});
