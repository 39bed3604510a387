// ConditionalRequestGuard, BodyLimitGuard and TimeoutGuard in front of routes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, bytes, Framework, fault, ProblemDetail, param, respond, text } from "framework";
import { TestApp } from "framework/http";
import { BodyLimitGuard, ConditionalRequestGuard, TimeoutGuard } from "framework/std";

interface Page {
  readonly text: string;
  readonly version: number;
}
const Pages = busKey<Map<string, Page>>()("Pages");
const CHANGED = new Date(Date.UTC(2026, 0, 2));
const DATE = "Fri, 02 Jan 2026 00:00:00 GMT";

/** Pages that are read and written, each with a version. */
function pages(required = false) {
  const stored = new Map<string, Page>([["a", { text: "first", version: 1 }]]);
  const guard = new ConditionalRequestGuard({
    reads: [Pages, param("page")],
    required,
    current: async (bus) => {
      const page = bus.get(Pages).get(bus.get(param("page")));
      return page && { etag: `"v${page.version}"`, lastModified: CHANGED };
    },
  });
  const none = new ProblemDetail({ status: 404, code: "NO_PAGE", title: "There is no such page" });
  const show = Axon.start("show").thenFn(
    "show",
    (_, bus) => bus.get(Pages).get(bus.get(param("page")))?.text ?? fault(none),
    { reads: [Pages, param("page")] },
  );
  const write = Axon.start<string>("write").thenFn(
    "write",
    (written, bus) => {
      const version = (bus.get(Pages).get(bus.get(param("page")))?.version ?? 0) + 1;
      bus.get(Pages).set(bus.get(param("page")), { text: written, version });
      return respond({ headers: { etag: `"v${version}"` }, body: "written" });
    },
    { reads: [Pages, param("page")] },
  );
  const guards = [guard];
  const app = new TestApp(
    Framework.http({ resources: [Pages] })
      .get("/:page", show, { guards })
      .put("/:page", write, { guards, input: text() })
      .options("/:page", Axon.start("options"), { guards }),
    { Pages: stored },
  );
  const put = (page: string, body: string, headers: Record<string, string> = {}) =>
    app.put(`/${page}`, { body, headers });
  return { app, put, stored };
}

describe("a page behind ConditionalRequestGuard", () => {
  test("is read with its etag and date, and not sent to who has it", async () => {
    const { app } = pages();
    const full = await app.get("/a");
    assert.deepEqual([full.status, full.text], [200, "first"]);
    assert.deepEqual([full.headers["etag"], full.headers["last-modified"]], ['"v1"', DATE]);

    const fresh = await app.get("/a", { headers: { "if-none-match": '"v0", W/"v1"' } });
    assert.deepEqual([fresh.status, fresh.text, fresh.headers["etag"]], [304, "", '"v1"']);
    for (const absent of ["content-type", "content-length", "last-modified"])
      assert.equal(fresh.headers[absent], undefined, absent);
    const head = await app.head("/a", { headers: { "if-modified-since": DATE } });
    assert.equal(head.status, 304);
    assert.equal((await app.get("/a", { headers: { "if-none-match": '"v2"' } })).text, "first");
  });

  test("is changed by who has read it last, and by nobody else", async () => {
    const { put, stored } = pages();
    const changed = await put("a", "second", { "if-match": '"v1"' });
    assert.deepEqual([changed.status, changed.headers["etag"]], [200, '"v2"']);
    const late = await put("a", "lost", { "if-match": '"v1"' });

    assert.equal(late.status, 412);
    assert.equal(late.problem.code, "PRECONDITION_FAILED");
    assert.equal(stored.get("a")?.text, "second");
    assert.equal((await put("a", "weak", { "if-match": 'W/"v2"' })).status, 412);
    assert.equal((await put("a", "x", { "if-match": "v2" })).problem.code, "PRECONDITION_INVALID");
    const before = "Thu, 01 Jan 2026 23:59:59 GMT";
    assert.equal((await put("a", "x", { "if-unmodified-since": before })).status, 412);
    assert.equal((await put("a", "third", { "if-unmodified-since": DATE })).status, 200);
  });

  test("is made where there is none, once", async () => {
    const { put } = pages();

    assert.equal((await put("b", "new", { "if-match": "*" })).status, 412);
    assert.equal((await put("b", "new", { "if-none-match": "*" })).status, 200);
    assert.equal((await put("b", "again", { "if-none-match": "*" })).status, 412);
  });

  test("that needs a condition is changed by nobody without one, and read by all", async () => {
    const { app, put, stored } = pages(true);
    const refused = await put("a", "blind");

    assert.equal(refused.status, 428);
    assert.equal(refused.problem.code, "PRECONDITION_REQUIRED");
    assert.equal((await put("a", "blind", { "if-modified-since": DATE })).status, 428);
    assert.equal((await put("a", "blind", { "if-unmodified-since": "yesterday" })).status, 428);
    assert.equal(stored.get("a")?.text, "first");
    assert.equal((await app.get("/a")).status, 200);
    assert.equal((await app.options("/a")).status, 204);
    assert.equal((await put("a", "seen", { "if-match": "*" })).status, 200);
  });

  test("that is not there has no etag, and answers as it would without the guard", async () => {
    const { app } = pages();
    const missing = await app.get("/none", { headers: { "if-none-match": "*" } });

    assert.equal(missing.status, 404);
    assert.equal(missing.headers["etag"], undefined);
  });
});

describe("limits by guards", () => {
  const echo = Axon.start<Uint8Array>("echo");
  const never = Axon.start("never").thenFn("wait", () => new Promise<string>(() => {}));

  test("bound bodies and times of a group, and lower what a route says", async () => {
    const app = new TestApp(
      Framework.http().group("/g", { guards: [new BodyLimitGuard(4), new TimeoutGuard(1)] }, (group) =>
        group
          .post("/echo", echo, { input: bytes(), bodyLimit: 100 })
          .post("/less", echo, { input: bytes(), bodyLimit: 2 })
          .get("/never", never, { timeoutMs: 3_600_000 }),
      ),
    );

    assert.equal((await app.post("/g/echo", { body: "1234" })).text, "1234");
    assert.equal((await app.post("/g/echo", { body: "12345" })).problem.code, "BODY_TOO_LARGE");
    assert.equal((await app.post("/g/less", { body: "123" })).status, 413);
    assert.equal((await app.get("/g/never")).problem.code, "ROUTE_TIMEOUT");
  });
});
