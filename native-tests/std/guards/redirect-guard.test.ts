import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import {
  Axon,
  Bus,
  isFault,
  OwnOrigin,
  RequestMethod,
  RequestPath,
  RequestQuery,
  RequestScheme,
} from "framework";
import { Redirect, RedirectGuard, type ToHttpsOptions } from "framework/std";

interface Asked {
  readonly method?: string;
  /** "https" where the origin is. */
  readonly origin?: string;
  readonly path?: string;
  readonly query?: string;
}

/** Where a request is sent; undefined where it is let in. */
function sent(
  guard: RedirectGuard,
  { method = "GET", origin = "http://a.example", path = "/", query }: Asked,
) {
  const scheme = origin.startsWith("https:") ? ("https" as const) : ("http" as const);
  const bus = Bus.of([
    [RequestMethod, method],
    [RequestScheme, scheme],
    [OwnOrigin, origin],
    [RequestPath, path],
    ...(query === undefined ? [] : [[RequestQuery, query] as const]),
  ]);
  const outcome = Axon.start<string>("moved").then(guard).execute("input", bus);
  if (!isFault(outcome)) {
    assert.equal(outcome, "input");
    return undefined;
  }
  assert.ok(outcome.error instanceof Redirect);
  const { status, headers, body } = outcome.error.toReply();
  assert.equal(body, undefined);
  return { status, location: headers["location"]?.join() };
}

const locationOf = (guard: RedirectGuard, asked: Asked): string | undefined => sent(guard, asked)?.location;

describe("RedirectGuard.toHttps", () => {
  const toHttps = RedirectGuard.toHttps({ hosts: ["a.example", "b.example"] });

  test("sends what comes over http to https, with its path and query to the letter", () => {
    for (const [path, query] of [
      ["/", undefined],
      ["/a%2Fb//c;d", undefined],
      ["//evil.example/", ""],
      ["/a", "q=%20+&q=//evil.example"],
    ] as const) {
      const tail = path + (query === undefined ? "" : `?${query}`);
      assert.equal(
        locationOf(toHttps, { path, ...(query !== undefined && { query }) }),
        `https://a.example${tail}`,
      );
    }
  });

  test("lets pass what comes over https", () => {
    assert.equal(sent(toHttps, { origin: "https://a.example" }), undefined);
    assert.equal(sent(toHttps, { origin: "https://unknown.example" }), undefined);
  });

  test("sends GET and HEAD by 301, and by 308 what has a method to keep", () => {
    for (const method of ["GET", "HEAD"]) assert.equal(sent(toHttps, { method })?.status, 301);
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      assert.equal(sent(toHttps, { method })?.status, 308);
  });

  test("keeps the host that was asked for where it is configured, and never another", () => {
    for (const [origin, host] of [
      ["http://b.example", "b.example"],
      ["http://B.Example:8080", "b.example"],
      ["http://evil.example", "a.example"],
      ["http://b.example.evil.example", "a.example"],
      ["http://b.example@evil.example", "a.example"],
      ["http://[::1]:80", "a.example"],
    ] as const)
      assert.equal(locationOf(toHttps, { origin }), `https://${host}/`);
  });

  test("names the port where https is not at its own", () => {
    const guard = RedirectGuard.toHttps({ hosts: ["a.example", "[::1]"], port: 8443 });

    assert.equal(locationOf(guard, { origin: "http://a.example:8080" }), "https://a.example:8443/");
    assert.equal(locationOf(guard, { origin: "http://[::1]:8080" }), "https://[::1]:8443/");
  });

  test("leaves alone what is excepted, segment by segment", () => {
    const guard = RedirectGuard.toHttps({ hosts: ["a.example"], except: ["/.well-known/acme-challenge/"] });

    assert.equal(sent(guard, { path: "/.well-known/acme-challenge/token" }), undefined);
    for (const path of ["/.well-known/acme-challenges", "/.well-known", "/x/.well-known/acme-challenge/"])
      assert.equal(locationOf(guard, { path }), `https://a.example${path}`);
  });

  test("does not repeat a path or a query that no request can have", () => {
    for (const path of ["", "*", ".evil.example", "@evil.example/", "/a\r\nset-cookie: a=b", "/é"])
      assert.equal(locationOf(toHttps, { path }), "https://a.example/", path);
    assert.equal(locationOf(toHttps, { path: "/a", query: "b\r\nc" }), "https://a.example/a");
  });

  test("refuses hosts and ports that are none", () => {
    const options = [
      {},
      { hosts: [] },
      { hosts: "a.example" },
      { hosts: [1] },
      { hosts: ["a.example"], except: "/acme" },
      { hosts: ["a.example:8443"] },
      { hosts: ["https://a.example"] },
      { hosts: ["a.example/b"] },
      { hosts: ["u@a.example"] },
      { hosts: [" a.example"] },
      { hosts: ["a.example\n"] },
      { hosts: [""] },
      { hosts: ["é.example"] },
      { hosts: ["a.example", "*.example"] },
      { hosts: ["a;b.example"] },
      { hosts: ["a.example"], port: 0 },
      { hosts: ["a.example"], port: 65_536 },
      { hosts: ["a.example"], port: 1.5 },
      { hosts: ["a.example"], except: ["acme"] },
      { hosts: ["a.example"], except: ["/acme/*"] },
    ];
    for (const each of options)
      assert.throws(
        () => RedirectGuard.toHttps(each as ToHttpsOptions),
        { code: "CONFIG_INVALID", message: /^RedirectGuard/ },
        JSON.stringify(each),
      );
  });
});

describe("RedirectGuard.toHost", () => {
  test("sends other hosts to the one, by the scheme that was spoken", () => {
    const guard = RedirectGuard.toHost("WWW.example.com");

    assert.equal(
      locationOf(guard, { origin: "http://example.com", path: "/a", query: "b" }),
      "http://www.example.com/a?b",
    );
    assert.equal(locationOf(guard, { origin: "https://example.com:8443" }), "https://www.example.com/");
    for (const origin of ["http://www.example.com", "https://www.example.com", "http://WWW.EXAMPLE.COM"])
      assert.equal(sent(guard, { origin }), undefined, origin);
  });

  test("counts the port as part of the host", () => {
    const guard = RedirectGuard.toHost("a.example:8080");

    assert.equal(sent(guard, { origin: "http://a.example:8080" }), undefined);
    assert.equal(locationOf(guard, { origin: "http://a.example" }), "http://a.example:8080/");
  });

  test("refuses a port that clients leave out, which would send them round for ever", () => {
    for (const host of ["a.example:80", "a.example:443", "http://a.example", ""])
      assert.throws(() => RedirectGuard.toHost(host), {
        code: "CONFIG_INVALID",
        message: /neither 80 nor 443/,
      });
  });
});

describe("RedirectGuard.prefix", () => {
  test("sends a path and all below it, and its query", () => {
    const guard = RedirectGuard.prefix("/old", "/new/part/");

    for (const [path, location] of [
      ["/old", "/new/part"],
      ["/old/", "/new/part/"],
      ["/old/a%2Fb", "/new/part/a%2Fb"],
      ["/old//a", "/new/part//a"],
      ["/older", undefined],
      ["/x/old", undefined],
      ["/", undefined],
    ] as const)
      assert.equal(locationOf(guard, { path }), location, path);
    assert.equal(locationOf(guard, { path: "/old", query: "" }), "/new/part?");
    assert.equal(locationOf(guard, { path: "/old/a", query: "b=//c" }), "/new/part/a?b=//c");
  });

  test("sends to the root and from it, and nobody in a circle", () => {
    const up = RedirectGuard.prefix("/old", "/");
    const down = RedirectGuard.prefix("/", "/app");

    assert.equal(locationOf(up, { path: "/old" }), "/");
    assert.equal(locationOf(up, { path: "/old/a" }), "/a");
    assert.equal(locationOf(down, { path: "/" }), "/app/");
    assert.equal(locationOf(down, { path: "/a" }), "/app/a");
    assert.equal(sent(down, { path: "/app/a" }), undefined);
    assert.throws(() => RedirectGuard.prefix("/a/", "/a"), { code: "CONFIG_INVALID" });
  });

  test("leads to no other host, whatever stands behind the prefix", () => {
    const guard = RedirectGuard.prefix("/old", "/");

    for (const path of ["/old//evil.example", "/old/\\evil.example", "/old//", "/old///evil.example"])
      assert.equal(sent(guard, { path }), undefined, path);
  });

  test("refuses an option that nobody reads", () => {
    const message = /^RedirectGuard.*: 'expect' .*; there are .*except/;
    const options = { expect: ["/health"] };

    for (const make of [
      () => RedirectGuard.toHttps({ hosts: ["a.example"], ...options }),
      () => RedirectGuard.toHost("a.example", options as object),
      () => RedirectGuard.prefix("/old", "/new", options as object),
    ])
      assert.throws(make, { code: "CONFIG_INVALID", message });
  });

  test("refuses paths that are none", () => {
    for (const path of ["", "old", "//old", "/a//b", "/a?b", "/a#b", "/a\\b", "/\\b", "/a b", "/é", "/a\n"]) {
      assert.throws(() => RedirectGuard.prefix(path, "/new"), { code: "CONFIG_INVALID" }, path);
      assert.throws(() => RedirectGuard.prefix("/old", path), { code: "CONFIG_INVALID" }, path);
    }
  });
});

describe("a RedirectGuard", () => {
  test("refuses patterns, which would match nothing", () => {
    for (const path of [
      "/old/*",
      "/*",
      "/old/:id",
      "/old/*/a",
      "/old/*rest",
      "/old*",
      "/{id}",
      "/old/(.*)",
    ]) {
      const told = { code: "CONFIG_INVALID", message: /no pattern, and all below it/ };
      assert.throws(() => RedirectGuard.prefix(path, "/new"), told, path);
      assert.throws(() => RedirectGuard.prefix("/old", path), told, path);
      assert.throws(() => RedirectGuard.toHost("a.example", { except: [path] }), told, path);
    }
    assert.equal(locationOf(RedirectGuard.prefix("/v1/a:b", "/c(d)"), { path: "/v1/a:b/d" }), "/c(d)/d");
  });
});

describe("every target", () => {
  test("stays on a configured host, as a browser reads it, for any path and Host", () => {
    const piece = fc.constantFrom(
      "/",
      "//",
      "\\",
      ".",
      "..",
      "@",
      ":",
      "?",
      "#",
      "%2f",
      "evil.example",
      "old",
      "a",
      "\t",
      "\r\n",
    );
    const path = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join("")}`);
    const origin = fc.constantFrom(
      "http://a.example",
      "http://evil.example",
      "https://evil.example",
      "http://a.example.evil.example",
    );
    const guards = [
      RedirectGuard.toHttps({ hosts: ["a.example"] }),
      RedirectGuard.toHost("a.example"),
      RedirectGuard.prefix("/old", "/"),
      RedirectGuard.prefix("/", "/a"),
    ];
    fc.assert(
      fc.property(path, path, origin, (asked, query, from) => {
        for (const guard of guards) {
          const location = locationOf(guard, { origin: from, path: asked, query });
          if (location === undefined) continue;
          assert.equal(new URL(location, "https://a.example").hostname, "a.example", location);
          assert.match(location, /^[!-~]+$/);
        }
      }),
      { numRuns: 300 },
    );
  });
});
