import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { brotliCompressSync } from "node:zlib";

import { Axon, Framework, fault, guard, ProblemDetail } from "framework";
import { TestApp } from "framework/http";
import { site } from "../../support/site.js";

const page = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const data = { headers: { accept: "application/json" } };
const files = site({
  "index.html": "<p>app",
  "index.html.br": brotliCompressSync("brotli"),
  "assets/app.js": "run()",
});
const index = join(files, "index.html");
const text = (name: string, answer: string) => Axon.start(name).thenFn(name, () => answer);
const ingress = () => Framework.http({ processGuards: false, reporter: () => {} });

describe("the page of a single-page application", () => {
  test("answers who goes to a page that no route serves", async () => {
    await using app = new TestApp(
      ingress()
        .get("/api/users/:id", text("user", "user"))
        .serveDir("/assets", join(files, "assets"))
        .spaFallback(index),
    );

    const response = await app.get("/users/5", page);
    assert.equal(response.status, 200);
    assert.equal(response.text, "<p>app");
    assert.equal(response.headers["cache-control"], "no-cache");
    assert.equal(response.headers["content-type"], "text/html; charset=utf-8");
    assert.equal((await app.get("/", page)).text, "<p>app");
    assert.equal((await app.head("/users/5", page)).headers["content-length"], "6");
    assert.equal((await app.get("/users/5", data)).status, 404);
    assert.equal((await app.get("/users/5")).status, 404);
    assert.equal((await app.get("/api/none", page)).status, 404, "an API's");
    assert.equal((await app.get("/assets/none", page)).status, 404, "a directory's");
    assert.equal((await app.get("/favicon.ico", page)).status, 404, "a file's");
    assert.equal((await app.post("/users/5", page)).status, 404);
    assert.equal((await app.post("/api/users/5", page)).status, 405);
    assert.equal((await app.get("/%zz", page)).status, 400);
  });

  test("is conditional, and compressed, as files are", async () => {
    await using app = new TestApp(ingress().spaFallback(index));
    const accept = { ...page.headers, "accept-encoding": "br" };
    const { headers, text } = await app.get("/a", { headers: accept });

    assert.equal(text, "brotli");
    const again = await app.get("/b", { headers: { ...accept, "if-none-match": headers["etag"] ?? "" } });
    assert.equal(again.status, 304);
    assert.equal(again.headers["vary"], "accept-encoding");
  });

  test("stands behind a directory at the root too", async () => {
    await using app = new TestApp(
      ingress().spaFallback(index).serveDir("/", files).get("/api/me", text("me", "me")),
    );

    assert.equal((await app.get("/assets/app.js", page)).text, "run()");
    assert.equal((await app.get("/users/5", page)).text, "<p>app");
    assert.equal((await app.get("/.hidden", page)).text, "<p>app");
    assert.equal((await app.get("/users/5", data)).status, 404);
    assert.equal((await app.get("/api/none", page)).status, 404);
    assert.equal((await app.get("/none.js", page)).status, 404);
  });

  test("knows the API by the prefixes that are given", async () => {
    await using app = new TestApp(
      ingress()
        .get("/users/me", text("me", "me"))
        .get("/api/v1/x", text("x", "x"))
        .spaFallback(index, { apiPrefixes: ["/api/v1"] }),
    );

    assert.equal((await app.get("/users/5", page)).status, 200);
    assert.equal((await app.get("/api/v2", page)).status, 200);
    assert.equal((await app.get("/api/v1/none", page)).status, 404);
    assert.equal((await app.get("/api/%761/none", page)).status, 404);
  });

  test("leaves to the fallback what is no page", async () => {
    await using app = new TestApp(ingress().fallback(text("fallback", "nothing")).spaFallback(index));

    assert.equal((await app.get("/users/5", page)).text, "<p>app");
    const other = await app.get("/users/5", data);
    assert.equal(other.status, 404);
    assert.equal(other.text, "nothing");
  });

  test("stands behind the guards of the ingress, and its own", async () => {
    const closed = (name: string) =>
      guard({
        name,
        run: () => fault(new ProblemDetail({ status: 403, code: name.toUpperCase(), title: "No" })),
      });
    await using one = new TestApp(ingress().guard(closed("outer")).spaFallback(index));
    await using other = new TestApp(ingress().spaFallback(index, { guards: [closed("inner")] }));

    assert.equal((await one.get("/a", page)).problem.code, "OUTER");
    assert.equal((await other.get("/a", page)).problem.code, "INNER");
    assert.equal((await other.get("/a", data)).problem.code, "NOT_FOUND");
  });

  test("is 404 once it is gone", async () => {
    const path = site({ "index.html": "<p>app" });
    await using app = new TestApp(ingress().spaFallback(join(path, "index.html")));
    rmSync(join(path, "index.html"));

    assert.equal((await app.get("/a", page)).status, 404);
  });

  test("may be a link inside its directory, and to nowhere else", async () => {
    const path = site({ "pages/v1/app.html": "<p>app", "elsewhere.html": "<p>" });
    symlinkSync("v1/app.html", join(path, "pages/index.html"));
    symlinkSync("../elsewhere.html", join(path, "pages/out.html"));
    symlinkSync("loop.html", join(path, "pages/loop.html"));
    await using app = new TestApp(ingress().spaFallback(join(path, "pages/index.html")));

    assert.equal((await app.get("/a", page)).text, "<p>app");
    assert.throws(() => new TestApp(ingress().spaFallback(join(path, "pages/out.html"))), {
      code: "FILES_MISSING",
      message: /is a link to '.*elsewhere\.html', which is outside its directory/,
    });
    for (const file of ["loop.html", "index.html/x"])
      assert.throws(() => new TestApp(ingress().spaFallback(join(path, "pages", file))), {
        code: "FILES_MISSING",
      });
  });

  test("has to be there, and one", () => {
    assert.throws(() => new TestApp(ingress().spaFallback(join(files, "none.html"))), {
      code: "FILES_MISSING",
    });
    assert.throws(() => new TestApp(ingress().spaFallback(files)), { code: "FILES_MISSING" });
    assert.throws(() => new TestApp(ingress().spaFallback("/nowhere/x.html")), { code: "FILES_MISSING" });
    assert.throws(() => ingress().spaFallback(index).spaFallback(index), { code: "ROUTE_INVALID" });
    assert.throws(() => ingress().spaFallback(""), { code: "CONFIG_INVALID" });
    assert.throws(() => ingress().spaFallback(index, { apiPrefixes: ["api"] }), { code: "ROUTE_INVALID" });
    assert.throws(() => ingress().spaFallback(index, { apiPrefix: ["/api"] } as object), {
      code: "CONFIG_INVALID",
    });
  });
});
