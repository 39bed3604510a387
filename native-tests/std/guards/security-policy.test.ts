import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { isHeaderValue } from "framework";
import { type CspDirectives, type SecurityHeaderChanges, SecurityPolicy } from "framework/std";

const strict = SecurityPolicy.default();
const cspOf = ({ headers }: SecurityPolicy): string | undefined => headers["content-security-policy"];
/** A policy that has this one directive of a text. */
const only = (csp: string) => cspOf(strict.withCsp(csp));

describe("SecurityPolicy", () => {
  test("sends twelve headers by default, all of them strict", () => {
    const { "permissions-policy": permissions = "", ...others } = strict.headers;

    assert.deepEqual(others, {
      "content-security-policy":
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
      "strict-transport-security": "max-age=31536000; includeSubDomains",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "origin-agent-cluster": "?1",
      "x-dns-prefetch-control": "off",
      "x-permitted-cross-domain-policies": "none",
      "x-xss-protection": "0",
    });
    assert.match(permissions, /^(?:[a-z-]+=\(\)(?:, |$)){15}$/);
    for (const feature of ["camera", "geolocation", "microphone", "payment", "usb"])
      assert.ok(permissions.includes(`${feature}=()`), feature);
  });

  test("is made with the defaults alone: what it says otherwise has been checked", () => {
    const headers = { "x-frame-options": "whatever\r\nx: y" };

    assert.deepEqual(new SecurityPolicy().headers, strict.headers);
    assert.throws(() => new SecurityPolicy({ others: headers, csp: false, isNonced: false } as never), {
      code: "CONFIG_INVALID",
      message: /SecurityPolicy\.default\(\)\.with/,
    });
  });

  test("takes another value of a header, or leaves it out, and is itself unchanged", () => {
    const changed = strict.with({
      "x-frame-options": "SAMEORIGIN",
      "x-dns-prefetch-control": false,
      "cross-origin-embedder-policy": "require-corp",
    });

    assert.equal(changed.headers["x-frame-options"], "SAMEORIGIN");
    assert.ok(!("x-dns-prefetch-control" in changed.headers));
    assert.equal(changed.headers["cross-origin-embedder-policy"], "require-corp");
    assert.equal(changed.headers["x-content-type-options"], "nosniff");
    assert.deepEqual(SecurityPolicy.default().headers, strict.headers);
    assert.equal(strict.with({}).headers["x-frame-options"], "DENY");
  });

  test("takes the values that browsers know", () => {
    const known: SecurityHeaderChanges[] = [
      { "strict-transport-security": "max-age=0" },
      { "strict-transport-security": "max-age=63072000; includeSubDomains; preload" },
      { "referrer-policy": "no-referrer, strict-origin-when-cross-origin" },
      { "permissions-policy": 'camera=(self "https://a.example"), fullscreen=*, geolocation=self, usb=()' },
      { "origin-agent-cluster": "?0" },
      { "cross-origin-resource-policy": "cross-origin" },
    ];
    for (const changes of known) {
      const [[name = "", value] = []] = Object.entries(changes);
      assert.equal(strict.with(changes).headers[name], value);
    }
  });

  test("refuses headers and values that they do not know", () => {
    const unknown: object[] = [
      { "x-frame-options": "ALLOW-FROM https://a.example" },
      { "x-frame-options": "DENY\r\nset-cookie: a=b" },
      { "x-xss-protection": "1; mode=block" },
      { "x-content-type-options": "" },
      { "x-content-type-options": undefined },
      { "x-content-type-options": true },
      { "origin-agent-cluster": "1" },
      { "strict-transport-security": "max-age=year" },
      { "strict-transport-security": "includeSubDomains" },
      { "referrer-policy": "none" },
      { "permissions-policy": "camera 'none'" },
      { "permissions-policy": "camera=()\n" },
      { "x-powered-by": "nobody" },
      { "X-Frame-Options": "DENY" },
      { constructor: "DENY" },
      ["DENY"],
    ];
    for (const changes of unknown)
      assert.throws(
        () => strict.with(changes as SecurityHeaderChanges),
        { code: "CONFIG_INVALID", message: /^SecurityPolicy\.with\(/ },
        JSON.stringify(changes),
      );
    for (const changes of [undefined, null, "DENY"])
      assert.throws(() => strict.with(changes as never), { code: "CONFIG_INVALID" });
    assert.throws(() => strict.with({ "content-security-policy": "x" } as SecurityHeaderChanges), {
      message: /call withCsp/,
    });
  });

  test("holds nothing that may not stand in a header", () => {
    for (const [name, value] of Object.entries(strict.withNonce().headers))
      assert.ok(isHeaderValue(value), name);
  });
});

describe("a Content-Security-Policy", () => {
  test("is as a whole what a text says", () => {
    assert.equal(
      only(" default-src  'none';\timg-src 'self' data: ;;"),
      "default-src 'none'; img-src 'self' data:",
    );
    assert.equal(
      only("Script-Src 'strict-dynamic' 'sha256-abc+/-_='"),
      "script-src 'strict-dynamic' 'sha256-abc+/-_='",
    );
    assert.equal(only("upgrade-insecure-requests; sandbox"), "upgrade-insecure-requests; sandbox");
    assert.equal(
      only("report-uri /csp?a=b; trusted-types 'none'"),
      "report-uri /csp?a=b; trusted-types 'none'",
    );
  });

  test("changes by directives, the others staying as they are", () => {
    const changed = strict.withCsp({
      "img-src": ["'self'", "https://*.images.example:443/a"],
      "style-src": "'self'  'unsafe-inline'",
      "object-src": false,
      "upgrade-insecure-requests": [],
    });

    assert.equal(
      cspOf(changed),
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
        "img-src 'self' https://*.images.example:443/a; style-src 'self' 'unsafe-inline'; upgrade-insecure-requests",
    );
    assert.equal(cspOf(strict.withCsp(false).withCsp({ "default-src": "'none'" })), "default-src 'none'");
  });

  test("is not sent where it is switched off", () => {
    assert.equal(cspOf(strict.withCsp(false)), undefined);
    assert.equal(Object.keys(strict.withCsp(false).headers).length, 11);
  });

  test("is refused where browsers would ignore it, or read something else", () => {
    for (const [csp, why] of [
      ["", /at least one directive/],
      [" ; ", /at least one directive/],
      ["defualt-src 'self'", /"defualt-src": .*: use .*default-src/],
      ["block-all-mixed-content", /unknown or obsolete/],
      ["default-src", /names no source: say 'none'/],
      ["default-src 'none' https:", /'none' stands beside other sources/],
      ["default-src self", /self is a keyword/],
      ["script-src unsafe-inline", /stands in quotes/],
      ["script-src sha256-abc=", /stands in quotes/],
      ["img-src 'self' data", /data is a scheme .*: "data:"/],
      ["connect-src WSS", /WSS is a scheme/],
      ["script-src 'selff'", /no keyword that browsers know/],
      ["script-src 'sha256-'", /no keyword/],
      ['script-src "self"', /no keyword/],
      ["script-src 'nonce-abc'", /call withNonce\(\)/],
      ["script-src nonce-abc", /call withNonce\(\)/],
      ["img-src a; img-src b", /stands there twice/],
      ["img-src a, default-src *", /may not stand there/],
      ["img-src a\r\nset-cookie: a=b", /may not stand there/],
      ["img-src é", /may not stand there/],
      ["img-src\u00a0*", /unknown/],
      ["__proto__ a", /unknown/],
    ] as const)
      assert.throws(() => strict.withCsp(csp), { code: "CONFIG_INVALID", message: why }, csp);
  });

  test("is refused by directives too, where one injects another", () => {
    for (const directives of [
      { "img-src": ["a; script-src *"] },
      { "img-src": "a;script-src" },
      { "img-src": ["a b"] },
      { "img-src": ["a", ""] },
      { "img-src": ["a,b"] },
      { "img-src": ["a\n"] },
      { "img-src": [] },
      { "img-src": undefined },
      { "img-src": true },
      { "img-src": [1] },
      undefined,
      null,
      true,
      { "img-src; script-src": ["a"] },
      { "IMG-SRC": false },
      { "report-uri": ["/a;b"] },
    ])
      assert.throws(() => strict.withCsp(directives as CspDirectives), { code: "CONFIG_INVALID" });
    assert.throws(() => strict.withCsp(false).withCsp({ "img-src": false }), {
      message: /no directive is left/,
    });
  });

  test("cannot have a nonce where it is not sent", () => {
    for (const make of [() => strict.withCsp(false).withNonce(), () => strict.withNonce().withCsp(false)])
      assert.throws(make, { code: "CONFIG_INVALID", message: /withNonce\(\) needs/ });
  });
});
