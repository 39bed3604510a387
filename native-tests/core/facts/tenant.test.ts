import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { IsolationPolicy, TenantId, TenantResolver } from "framework/core";

import { tenantNamed } from "#core/facts/tenant.js";
import { anyText } from "../../support/any-text.js";

const read = (resolver: TenantResolver, text: string | undefined) => {
  const tenant = tenantNamed(resolver, text);
  return tenant.kind === "named" ? tenant.id : `(${tenant.kind})`;
};
const byHeader = TenantResolver.header("x-tenant");
const byHost = TenantResolver.subdomain("Example.com");
const byPath = TenantResolver.pathPrefix();

const id = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
const invalid = (message: RegExp) => ({ name: "FrameworkError", code: "CONFIG_INVALID", message });

describe("the id of a tenant", () => {
  test("is a DNS label in lower case, whoever names it", () => {
    fc.assert(
      fc.property(id, (tenant) => {
        assert.equal(read(byHeader, tenant), tenant);
        assert.equal(read(byHost, `${tenant}.example.com`), tenant);
        assert.equal(read(byPath, `/${tenant}`), tenant);
        assert.equal(read(byPath, `/${tenant}/orders/7`), tenant);
      }),
    );
  });

  test("is nothing else", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        fc.pre(text !== "" && !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(text));

        assert.equal(read(byHeader, text), "(malformed)");
      }),
    );
    for (const text of ["Acme", "-a", "a-", "a_b", "a.b", "a b", "acme\n", "é", "..", "a".repeat(64)])
      assert.equal(read(byHeader, text), "(malformed)", text);
    assert.equal(read(byHeader, "a".repeat(63)), "a".repeat(63));
  });

  test("is absent where the header is, or is empty", () => {
    assert.equal(read(byHeader, undefined), "(absent)");
    assert.equal(read(byHeader, ""), "(absent)");
  });
});

describe("a tenant in the host", () => {
  test("is the one label before the base domain, whatever case and port", () => {
    for (const host of ["acme.example.com", "ACME.Example.COM", "acme.example.com:8080", "acme.example.com."])
      assert.equal(read(byHost, host), "acme", host);
  });

  test("is absent at the base domain itself", () => {
    for (const host of ["example.com", "EXAMPLE.com:443", undefined])
      assert.equal(read(byHost, host), "(absent)");
  });

  test("is not what only looks like it", () => {
    const hosts = [
      "evilexample.com",
      "acme.evilexample.com",
      "acme.example.com.evil.org",
      "example.org",
    ].concat([
      "a.b.example.com",
      ".example.com",
      "acme..example.com",
      "acme.example.com..",
      "acme.example.com:80:80",
      "127.0.0.1",
      "[::1]:80",
      "com",
      "acme.exampleXcom",
      "\u212aarl.example.com",
    ]);
    for (const host of hosts) assert.equal(read(byHost, host), "(malformed)", host);
  });

  test("is of no host that is not one label under the base domain", () => {
    fc.assert(
      fc.property(fc.domain(), (host) => {
        assert.equal(read(byHost, host), host === "example.com" ? "(absent)" : "(malformed)");
        assert.equal(read(byHost, `x.${host}.example.com`), "(malformed)");
      }),
    );
  });
});

describe("a tenant in the path", () => {
  test("is the first segment as it is written", () => {
    assert.equal(read(byPath, "/acme"), "acme");
    for (const path of ["/%61cme", "/Acme/x", "//acme", "/../acme", "/.", "acme"])
      assert.equal(read(byPath, path), "(malformed)", path);
  });

  test("is absent at the root", () => {
    assert.equal(read(byPath, "/"), "(absent)");
  });
});

describe("what is given", () => {
  test("to a resolver has to be a name that a request can have", () => {
    for (const name of ["", "x tenant", "x:y", "é"])
      assert.throws(() => TenantResolver.header(name), invalid(/give the name of a header/));
    for (const domain of [
      "",
      ".example.com",
      "example.com:80",
      "https://example.com",
      "*.example.com",
      "a..b",
    ])
      assert.throws(() => TenantResolver.subdomain(domain), invalid(/give a domain without port/));
    const long = Array.from({ length: 64 }, () => "abc").join(".");
    assert.throws(() => TenantResolver.subdomain(long), invalid(/give a domain/));
    assert.equal(read(TenantResolver.subdomain("localhost"), "acme.localhost:3000"), "acme");
  });

  test("as a default has to be an id", () => {
    for (const text of ["", "Acme", "a/b", "a".repeat(64)])
      assert.throws(
        () => IsolationPolicy.defaultTenant(text),
        invalid(/1 to 63 of a-z, 0-9 and inner hyphens/),
      );
  });

  test("cannot be changed afterwards", () => {
    for (const made of [
      byHeader,
      byHost,
      byPath,
      IsolationPolicy.strict(),
      IsolationPolicy.defaultTenant("a"),
    ])
      assert.ok(Object.isFrozen(made));
  });
});

test("TenantId is one key for every copy of the package", async () => {
  const copy = (await import(
    `../../../src/core/facts/tenant.js?copy=${Date.now()}`
  )) as typeof import("#core/facts/tenant.js");

  assert.equal(copy.TenantId, TenantId);
});
