// What docs() mounts. native-tests/heavy/browser/docs-page.test.ts has the page in a browser.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import {
  Axon,
  Framework,
  fault,
  guard,
  type HttpOptions,
  IamError,
  IamPolicy,
  type IamVerifier,
  ProblemDetail,
} from "framework";
import { TestApp } from "framework/http";
import { SecurityHeadersGuard } from "framework/std";
import { builtDocsPage } from "../../support/built-page.js";

const hello = Axon.start("hello").thenFn("greet", () => "hello");

const documented = (options: HttpOptions<[]> = {}) =>
  Framework.http(options).get("/hello", hello).openapi("/openapi.json");

const closed = guard({
  name: "closed",
  run: () => fault(new ProblemDetail({ status: 403, code: "CLOSED", title: "Closed" })),
});

const noToken: IamVerifier = {
  description: "no token",
  verify: () => IamError.invalidToken("No token is good"),
};

/** The paths of the style, the script and the document of a page. */
function linksOf(page: string, path: string): readonly [string, string, string] {
  const pathOf = (pattern: RegExp): string => {
    const link = pattern.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "none";
    return new URL(link, `http://test.local${path}`).pathname;
  };
  return [
    pathOf(/<link rel="stylesheet"[^>]* href="([^"]*)"/),
    pathOf(/<script[^>]* src="([^"]*)"/),
    pathOf(/data-document="([^"]*)"/),
  ];
}

describe("docs()", () => {
  before(() => builtDocsPage());

  test("serves a page whose links lead to its files and to the document, wherever it is mounted", async () => {
    for (const [path, asked] of [
      ["/docs", "/docs"],
      ["/docs", "/docs/"],
      ["/", "/"],
      ["/api/docs/", "/api/docs/"],
      ["/api/größe&docs", "/api/gr%C3%B6%C3%9Fe&docs"],
    ] as const) {
      await using app = new TestApp(documented({ trailingSlash: "ignore" }).docs(path));
      const [style, script, document] = linksOf((await app.get(asked)).text, asked);

      assert.equal((await app.get(style)).headers["content-type"], "text/css; charset=utf-8", asked);
      assert.equal((await app.get(script)).headers["content-type"], "text/javascript; charset=utf-8", asked);
      assert.equal((await app.get(document)).headers["content-type"], "application/json", asked);
    }
  });

  test("serves its files compressed, and for good", async () => {
    await using app = new TestApp(documented().docs("/docs"));
    for (const file of linksOf((await app.get("/docs")).text, "/docs").slice(0, 2)) {
      const { headers } = await app.get(file, { headers: { "accept-encoding": "br, gzip" } });

      assert.equal(headers["content-encoding"], "gzip");
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
      assert.equal(headers["x-content-type-options"], "nosniff");
    }
  });

  test("lets the page run its own script alone, by a nonce of one response, whatever the ingress allows", async () => {
    const ingress = documented().guard(new SecurityHeadersGuard()).docs("/docs");
    await using app = new TestApp(ingress);
    const pages = [await app.get("/docs"), await app.get("/docs")];

    const nonces = pages.map(({ text, headers }) => {
      const policy = headers["content-security-policy"] ?? "";
      const [, nonce = ""] = /script-src 'nonce-([\w-]{24})';/.exec(policy) ?? [];
      assert.equal(
        policy,
        `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      assert.equal(text.split(`nonce="${nonce}"`).length, 3, "the style and the script have it");
      assert.equal(headers["cache-control"], "no-store");
      return nonce;
    });
    assert.notEqual(nonces[0], nonces[1]);
  });

  test("puts its guards and its policy before the page and before its files", async () => {
    await using open = new TestApp(documented().docs("/docs"));
    const [style] = linksOf((await open.get("/docs")).text, "/docs");
    await using guarded = new TestApp(documented().docs("/docs", { guards: [closed] }));
    const iam = { policy: IamPolicy.requireIdentity(), verifier: noToken };
    await using known = new TestApp(documented().docs("/docs", { iam }));
    const ingress = documented()
      .guard(closed)
      .docs("/docs", { without: ["closed"] });
    await using without = new TestApp(ingress);

    const statuses = async (app: TestApp<never>) => [
      (await app.get("/docs")).status,
      (await app.get(style)).status,
    ];
    assert.deepEqual(await statuses(guarded), [403, 403]);
    assert.deepEqual(await statuses(known), [401, 401]);
    assert.deepEqual(await statuses(without), [200, 200]);
  });

  test("is no part of the document", async () => {
    await using app = new TestApp(documented().docs("/docs"));
    const { paths } = (await app.get("/openapi.json")).json as { readonly paths: object };

    assert.deepEqual(Object.keys(paths), ["/hello"]);
  });

  test("warns in production of a page without guards and iam, unless its list of guards is empty", async () => {
    const iam = { policy: IamPolicy.requireIdentity(), verifier: noToken };
    const codes = async (
      options: Parameters<ReturnType<typeof documented>["docs"]>[1],
      production = true,
    ) => {
      const reported: string[] = [];
      const ingress = documented({ reporter: ({ code }) => reported.push(code) }).docs("/docs", options);
      ingress.plan = { ...ingress.plan, production };
      await using app = new TestApp(ingress);
      await app.start();
      return reported;
    };

    assert.deepEqual(await codes({}), ["DOCS_UNGUARDED"]);
    assert.deepEqual(await codes({}, false), []);
    assert.deepEqual(await codes({ guards: [] }), []);
    assert.deepEqual(await codes({ guards: [closed] }), []);
    assert.deepEqual(await codes({ iam }), []);
  });

  test("refuses what it cannot serve: no document, a path with parameters, unknown options", () => {
    const plain = () => Framework.http().get("/hello", hello);

    assert.throws(() => new TestApp(plain().docs("/docs")), {
      code: "CONFIG_INVALID",
      message: /^docs\('\/docs'\) .*openapi\(\), which is not called: /,
    });
    assert.throws(() => documented().docs("/:tenant/docs"), { code: "ROUTE_INVALID" });
    assert.throws(() => documented().docs("/docs", { guard: [] } as never), { code: "CONFIG_INVALID" });
    assert.throws(() => documented().docs("/docs", { sendCookies: "yes" } as never), {
      code: "CONFIG_INVALID",
    });
    assert.throws(() => documented().docs("/hello"), { code: "ROUTE_CONFLICT" });
  });

  test("takes the document of an openapi() that is called later", async () => {
    const ingress = Framework.http().get("/hello", hello).docs("/docs").openapi("/later.json");
    await using app = new TestApp(ingress);

    assert.equal(linksOf((await app.get("/docs")).text, "/docs")[2], "/later.json");
  });
});
