import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import {
  Axon,
  Framework,
  fault,
  guard,
  IamError,
  IamPolicy,
  type IamVerifier,
  ProblemDetail,
  pass,
} from "framework";
import { TestApp } from "framework/http";
import { SecurityHeadersGuard } from "framework/std";
import { site } from "../../support/site.js";

const ingress = () => Framework.http({ processGuards: false, reporter: () => {} });
const text = (name: string, answer: string) => Axon.start(name).thenFn(name, () => answer);

const files = site({
  "index.html": "<p>home",
  "app.js": "run()",
  "assets/index-BpXbB1Lq.css": "a{}",
  "docs/index.html": "<p>docs",
  "docs/a b.txt": "spaced",
  "empty/nothing.txt": "",
  ".env": "SECRET",
  ".well-known/security.txt": "Contact",
  "data.bin": "bytes",
});

describe("a directory that is served", () => {
  test("answers its files, with what they are and how they may be kept", async () => {
    await using app = new TestApp(ingress().serveDir("/static", files));

    const response = await app.get("/static/app.js");

    assert.equal(response.status, 200);
    assert.equal(response.text, "run()");
    assert.equal(response.headers["content-type"], "text/javascript; charset=utf-8");
    assert.equal(response.headers["cache-control"], "no-cache");
    assert.equal(response.headers["x-content-type-options"], "nosniff");
    assert.equal(response.headers["accept-ranges"], "bytes");
    assert.match(response.headers["etag"] ?? "", /^"[\w-]{22}"$/);
    assert.ok(response.headers["last-modified"]?.endsWith(" GMT"));
    assert.equal(response.headers["vary"], undefined);
    assert.equal((await app.get("/static/empty/nothing.txt")).text, "");
    assert.equal((await app.get("/static/docs/a%20b.txt")).text, "spaced");
    assert.equal((await app.get("/static/data.bin")).headers["content-type"], "application/octet-stream");
  });

  test("answers the same from memory as from the disk", async () => {
    await using app = new TestApp(ingress().serveDir("/static", files));
    const first = await app.get("/static/app.js");
    const second = await app.get("/static/app.js");

    assert.deepEqual({ ...second.headers, date: "" }, { ...first.headers, date: "" });
    assert.equal(second.text, first.text);
  });

  test("answers HEAD with the head alone", async () => {
    await using app = new TestApp(
      ingress().serveDir("/static", files).serveDir("/disk", files, { cache: false }),
    );
    for (const path of ["/static/app.js", "/disk/app.js"]) {
      const response = await app.head(path);

      assert.equal(response.status, 200);
      assert.equal(response.headers["content-length"], "5");
      assert.equal(response.text, "");
    }
  });

  test("answers from the disk what is too large for memory", async () => {
    const large = "0123456789".repeat(100_000);
    const path = site({ "large.txt": large });
    await using app = new TestApp(ingress().serveDir("/", path, { cache: { maxFileBytes: 10 } }));

    const response = await app.get("/large.txt");

    assert.equal(response.status, 200);
    assert.equal(response.text, large);
    assert.equal(
      (await app.get("/large.txt", { headers: { range: "bytes=499999-700000" } })).text,
      large.slice(499_999, 700_001),
    );
  });

  test("answers its index for a directory, and leads to it by the slash", async () => {
    await using app = new TestApp(ingress().serveDir("/static", files));

    assert.equal((await app.get("/static/")).text, "<p>home");
    assert.equal((await app.get("/static/docs/")).text, "<p>docs");
    const response = await app.get("/static/docs?a=%20b&c");
    assert.equal(response.status, 301);
    assert.equal(response.headers["location"], "./docs/?a=%20b&c");
    assert.equal(response.headers["cache-control"], "no-cache");
    assert.equal((await app.get("/static")).headers["location"], "./static/");
    assert.equal((await app.get("/st%61tic/%64ocs")).headers["location"], "./%64ocs/");
    for (const path of ["/static/empty", "/static/empty/", "/static/app.js/"])
      assert.equal((await app.get(path)).status, 404, path);
  });

  test("leads nowhere else: not to another host", async () => {
    const path = site({ "evil.example/index.html": "x" });
    await using app = new TestApp(ingress().serveDir("/", path));

    assert.equal((await app.get("//evil.example")).status, 404);
    assert.equal((await app.get("//evil.example/")).status, 404);
    assert.equal((await app.get("/evil.example")).headers["location"], "./evil.example/");
  });

  test("has no index and no redirects where that is said", async () => {
    await using app = new TestApp(
      ingress()
        .serveDir("/a", files, { index: false })
        .serveDir("/b", files, { redirect: false })
        .serveDir("/c", files, { index: "app.js" }),
    );

    for (const path of ["/a", "/a/", "/a/docs", "/a/docs/", "/b", "/b/docs"])
      assert.equal((await app.get(path)).status, 404, path);
    assert.equal((await app.get("/b/docs/")).text, "<p>docs");
    assert.equal((await app.get("/c/")).text, "run()");
  });

  test("is one path with and without the slash where the router says so", async () => {
    const app = new TestApp(
      Framework.http({ processGuards: false, trailingSlash: "ignore" }).serveDir("/static", files),
    );

    assert.equal((await app.get("/static")).headers["location"], "./static/");
    assert.equal((await app.get("/static/")).text, "<p>home");
    assert.equal((await app.get("/static/docs/")).text, "<p>docs");
  });

  test("tells nothing of what is not served", async () => {
    const outside = site({ "secret.txt": "SECRET" });
    const path = site({ "a.txt": "A", ".git/config": "x" });
    symlinkSync(join(outside, "secret.txt"), join(path, "link.txt"));
    symlinkSync(outside, join(path, "folder"));
    mkdirSync(join(path, "empty"));
    await using app = new TestApp(ingress().serveDir("/", path));
    const missing = await app.get("/none");
    const { request_id: _, instance: __, ...problem } = missing.problem;

    assert.deepEqual(problem, {
      type: "about:blank",
      title: "There is nothing here",
      status: 404,
      code: "NOT_FOUND",
    });
    for (const path of [
      "/link.txt",
      "/folder",
      "/folder/",
      "/folder/secret.txt",
      "/.git/config",
      "/.git",
      "/empty",
      "/empty/",
      "/a.txt/b",
      "/%2e%2e/a.txt",
      "/a.txt%20",
      "/a.txt::$DATA",
      "/con",
    ]) {
      const response = await app.get(path);
      const { request_id: _, instance: __, ...told } = response.problem;
      assert.deepEqual(told, problem, path);
      assert.deepEqual(Object.keys(response.headers), Object.keys(missing.headers));
    }
  });

  test("answers 400 for what the router cannot decode", async () => {
    await using app = new TestApp(ingress().serveDir("/static", files));

    for (const path of [
      "/static/%00",
      "/static/%",
      "/static/%zz",
      "/static/%c0%ae",
      "/static/..%2fapp.js",
      "/static/a%5cb",
      "/static/\\a",
    ])
      assert.equal((await app.get(path)).status, 400, path);
  });

  test("serves what is well known where that is said", async () => {
    await using app = new TestApp(
      ingress().serveDir("/", files, { wellKnown: true }).serveDir("/plain", files),
    );

    assert.equal((await app.get("/.well-known/security.txt")).text, "Contact");
    assert.equal((await app.get("/.env")).status, 404);
    assert.equal((await app.get("/plain/.well-known/security.txt")).status, 404);
  });

  test("is served by GET and HEAD alone", async () => {
    await using app = new TestApp(ingress().serveDir("/static", files));

    const refused = await app.post("/static/app.js", { body: "x" });
    assert.equal(refused.status, 405);
    assert.equal(refused.headers["allow"], "GET, HEAD, OPTIONS");
    const options = await app.send("OPTIONS", "/static/app.js");
    assert.equal(options.status, 204);
    assert.equal(options.headers["allow"], "GET, HEAD, OPTIONS");
  });

  test("gives way to routes that say more", async () => {
    await using app = new TestApp(
      ingress()
        .serveDir("/", files)
        .get("/app.js", text("own", "own"))
        .get("/:page/hello", text("hello", "hello")),
    );

    assert.equal((await app.get("/app.js")).text, "own");
    assert.equal((await app.get("/docs/hello")).text, "hello");
    assert.equal((await app.get("/docs/")).text, "<p>docs");
  });

  test("has the headers of the ingress's guards, and of its own", async () => {
    await using app = new TestApp(
      ingress()
        .requestIdLayer()
        .guard(new SecurityHeadersGuard())
        .serveDir("/static", files)
        .serveDir("/disk", files, { cache: false }),
    );
    for (const path of ["/static/app.js", "/disk/app.js", "/static/none", "/static/docs"]) {
      const { headers } = await app.get(path);

      assert.ok(headers["content-security-policy"] !== undefined, path);
      assert.ok(headers["x-request-id"] !== undefined, path);
      assert.equal(headers["x-content-type-options"], "nosniff", "once");
    }
    const { etag = "" } = (await app.get("/static/app.js")).headers;
    const unmodified = await app.get("/static/app.js", { headers: { "if-none-match": etag } });
    assert.equal(unmodified.status, 304);
    assert.ok(unmodified.headers["content-security-policy"] !== undefined);
  });

  test("stands behind guards and an identity, before anything is looked up", async () => {
    const closed = guard({
      name: "closed",
      run: () => fault(new ProblemDetail({ status: 403, code: "CLOSED", title: "Closed" })),
    });
    const open = guard({ name: "closed", run: (input) => pass(input) });
    const verifier: IamVerifier = {
      description: "names",
      verify: (token) =>
        token === "bad" ? IamError.invalidToken("bad") : { subject: token, roles: [], claims: {} },
    };
    await using app = new TestApp(
      ingress()
        .guard(closed)
        .serveDir("/closed", files)
        .serveDir("/open", files, { without: ["closed"], guards: [open] })
        .serveDir("/members", files, {
          without: ["closed"],
          iam: { policy: IamPolicy.requireIdentity(), verifier },
        }),
    );

    for (const path of ["/closed/app.js", "/closed/none", "/closed/docs"])
      assert.equal((await app.get(path)).status, 403, path);
    assert.equal((await app.get("/open/app.js")).status, 200);
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    assert.equal((await app.get("/members/app.js")).status, 401);
    assert.equal((await app.get("/members/none", bearer("bad"))).status, 401);
    assert.equal((await app.get("/members/app.js", bearer("ada"))).text, "run()");
  });

  test("is drawn and listed as a route", () => {
    const routes = ingress()
      .serveDir("/static", files, { summary: "Assets", tags: ["files"] })
      .routes();

    assert.deepEqual(
      routes.map(({ method, path, summary }) => [method, path, summary]),
      [
        ["GET", "/static/*path", "Assets"],
        ["GET", "/static", "Assets"],
      ],
    );
  });

  test("has to be there when the ingress begins, not when it is declared", async () => {
    const wrong = ingress().serveDir("/static", join(files, "none"));

    assert.throws(() => new TestApp(wrong), { code: "FILES_MISSING" });
    await assert.rejects(wrong.bind("127.0.0.1:0").run(), { code: "FILES_MISSING" });
  });
});

describe("how long files may be kept", () => {
  const policy = (path: string, app: TestApp<never>) =>
    app.get(path).then(({ headers }) => headers["cache-control"]);

  test("is for the ingress to say, and before it for a directory", async () => {
    await using app = new TestApp(
      ingress()
        .serveDir("/a", files)
        .serveDir("/b", files, { cacheControl: "private" })
        .staticCacheControl("public, max-age=300"),
    );

    assert.equal(await policy("/a/app.js", app), "public, max-age=300");
    assert.equal(await policy("/b/app.js", app), "private");
  });

  test("is for good where the name holds a hash, or the directory says so", async () => {
    await using app = new TestApp(
      ingress()
        .serveDir("/a", files, { cacheControl: "private" })
        .serveDir("/b", files, { immutable: false })
        .serveDir("/c", files, { immutable: /^docs\//g }),
    );

    const immutable = "public, max-age=31536000, immutable";
    assert.equal(await policy("/a/assets/index-BpXbB1Lq.css", app), immutable);
    assert.equal(await policy("/b/assets/index-BpXbB1Lq.css", app), "no-cache");
    assert.equal(await policy("/c/docs/a%20b.txt", app), immutable);
    assert.equal(await policy("/c/docs/", app), immutable);
    assert.equal(await policy("/c/app.js", app), "no-cache");
  });
});

describe("the options of a directory", () => {
  test("are refused where they cannot work, saying how", () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ cach: false }, /no option 'cach': did you mean cache/],
      [{ cache: { maxFile: 1 } }, /no option 'maxFile'/],
      [{ cache: { maxAgeMs: -1 } }, /maxAgeMs/],
      [{ maxOpenFiles: 0 }, /maxOpenFiles/],
      [{ index: "a/b.html" }, /index of .* the name of a file/],
      [{ index: "" }, /index/],
      [{ index: true }, /index/],
      [{ immutable: "assets" }, /immutable of .* regular expression/],
      [{ redirect: 1 }, /redirect of .* is true or false/],
      [{ charset: "a b" }, /charset/],
      [{ mediaTypes: { ".x": "a/b" } }, /without a dot/],
      [{ mediaTypes: null }, /mediaTypes of .* by extensions/],
      [{ mediaTypes: "text/plain" }, /mediaTypes of .* by extensions/],
      [{ guards: {} }, /guards of/],
      [{ now: 5 }, /now of/],
    ];
    for (const [options, message] of wrong)
      assert.throws(() => ingress().serveDir("/a", files, options as object), {
        code: "CONFIG_INVALID",
        message,
      });
    for (const options of [{ cacheControl: "a\r\nb" }, { mediaTypes: { x: "a\nb" } }] as object[])
      assert.throws(() => ingress().serveDir("/a", files, options), { code: "HEADER_INVALID" });
    assert.throws(() => ingress().staticCacheControl("a\nb"), { code: "HEADER_INVALID" });
    assert.throws(() => ingress().serveDir("a" as "/a", files), { code: "ROUTE_INVALID" });
    assert.throws(() => ingress().serveDir("/a", ""), { code: "CONFIG_INVALID" });
    assert.throws(() => ingress().serveDir("/a", files).serveDir("/a", files), { code: "ROUTE_CONFLICT" });
  });

  test("say types and charsets", async () => {
    await using app = new TestApp(
      ingress()
        .serveDir("/a", files, { charset: false, nosniff: false })
        .serveDir("/b", files, { mediaTypes: { bin: "application/x-own" } }),
    );

    const { headers } = await app.get("/a/app.js");
    assert.equal(headers["content-type"], "text/javascript");
    assert.equal(headers["x-content-type-options"], undefined);
    assert.equal((await app.get("/b/data.bin")).headers["content-type"], "application/x-own");
  });
});
