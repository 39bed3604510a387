// An ingress with compressionLayer(), in process. native-tests/wire/compression.test.ts has the bytes.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework, fault, html, ProblemDetail, respond, setCookie } from "framework";
import { TestApp } from "framework/http";
import { CorsGuard, IdempotencyGuard, SecurityHeadersGuard, SecurityPolicy } from "framework/std";
import {
  ALONE,
  answering,
  app,
  BROWSER,
  bound,
  GZIP,
  LONG,
  PLAIN,
  seen,
  TEXT,
} from "../../../support/compressing-app.js";

describe("an ingress that compresses", () => {
  test("sends brotli to browsers and gzip to who takes that alone, and both read the same", async () => {
    const { get } = bound(app(() => ({ text: TEXT })));
    for (const [headers, coding] of [
      [BROWSER, "br"],
      [GZIP, "gzip"],
    ] as const) {
      const answer = await get("/", { headers });

      assert.deepEqual(seen(answer), [coding, "accept-encoding"]);
      assert.deepEqual(answer.json, { text: TEXT });
      assert.ok(Number(answer.headers["content-length"]) < TEXT.length / 5);
    }
  });

  test("sends what is larger than a thread is worth the same way, also to HEAD", async () => {
    const { get, head } = bound(app(() => LONG));
    const answer = await get("/", { headers: BROWSER });
    const asked = await head("/", { headers: BROWSER });

    assert.deepEqual([answer.text, ...seen(answer)], [LONG, "br", "accept-encoding"]);
    assert.deepEqual(asked.headers, answer.headers);
    assert.equal(asked.bytes.length, 0);
  });

  test("leaves answers as they are for who does not ask, and tells caches that others do", async () => {
    const { get } = bound(app(() => TEXT));
    for (const value of ["", "identity", "deflate", "gzip;q=0", "identity, br;q=0.9", "nonsense;q=x"]) {
      const answer = await get("/", { headers: value === "" ? {} : { "accept-encoding": value } });

      assert.deepEqual([answer.text, ...seen(answer)], [TEXT, ...PLAIN], value);
    }
  });

  test("leaves small bodies as they are, unless the client refuses that", async () => {
    const { get } = bound(app(() => "x".repeat(1023)));
    const small = await get("/", { headers: BROWSER });
    const refused = await get("/", { headers: { "accept-encoding": "br, identity;q=0" } });
    const nothing = await get("/", { headers: { "accept-encoding": "identity;q=0" } });

    assert.deepEqual(seen(small), PLAIN);
    assert.deepEqual(seen(refused), ["br", "accept-encoding"]);
    assert.deepEqual([nothing.status, ...seen(nothing)], [200, ...PLAIN]);
  });

  test("counts bytes, not characters", async () => {
    const { get } = bound(app(() => "\u00e9".repeat(512)));

    assert.deepEqual(seen(await get("/", { headers: GZIP })), ["gzip", "accept-encoding"]);
  });

  test("takes one's word on which codings there are, and from which size", async () => {
    const { get } = bound(app(() => "x".repeat(50), { codings: ["gzip"], minBytes: 50 }));

    assert.deepEqual(seen(await get("/", { headers: BROWSER })), ["gzip", "accept-encoding"]);
  });

  test("leaves alone what is compressed, a part, bound to its bytes, or nothing", async () => {
    const body = Buffer.from(TEXT);
    const answers: Readonly<Record<string, () => unknown>> = {
      image: () => respond({ headers: { "content-type": "image/png" }, body }),
      bytes: () => body,
      coded: () => respond({ headers: { "content-type": "text/css", "content-encoding": "zstd" }, body }),
      part: () =>
        respond({
          status: 206,
          headers: { "content-type": "text/css", "content-range": "bytes 0-1/2" },
          body,
        }),
      digest: () => respond({ headers: { "content-digest": "sha-256=:x:" }, body: TEXT }),
      "no-transform": () => respond({ headers: { "cache-control": "no-transform" }, body: TEXT }),
      nothing: () => undefined,
      problem: () => fault(new ProblemDetail({ status: 409, code: "NO", title: TEXT })),
    };
    for (const [what, answer] of Object.entries(answers)) {
      const response = await bound(app(answer)).get("/", { headers: BROWSER });

      assert.equal(response.headers["vary"], undefined, what);
      assert.notEqual(response.headers["content-encoding"], "br", what);
    }
  });

  test("compresses pages, and replies with a type of their own", async () => {
    const page = await bound(app(() => html(TEXT))).get("/", { headers: BROWSER });
    const sheet = respond({ status: 201, headers: { "content-type": "text/css" }, body: Buffer.from(TEXT) });
    const reply = await bound(app(() => sheet)).get("/", { headers: BROWSER });

    assert.deepEqual([page.text, ...seen(page)], [TEXT, "br", "accept-encoding"]);
    assert.deepEqual([reply.status, reply.text, ...seen(reply)], [201, TEXT, "br", "accept-encoding"]);
  });

  test("sends what would not get smaller as it is", async () => {
    let seed = 7;
    const noise = Buffer.from(
      Array.from({ length: 2000 }, () => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return (seed >> 16) & 255;
      }),
    );
    const answer = respond({ headers: { "content-type": "text/plain" }, body: noise });

    assert.deepEqual(seen(await bound(app(() => answer)).get("/", { headers: GZIP })), PLAIN);
  });

  test("keeps every other header, each list once", async () => {
    const ingress = Framework.http()
      .guard(new SecurityHeadersGuard(SecurityPolicy.default()))
      .guard(new CorsGuard({ allowedOrigins: ["https://app.example"] }))
      .compressionLayer()
      .get(
        "/",
        answering(() =>
          respond({
            headers: { vary: ["accept", "Accept-Encoding"], "x-own": "1" },
            cookies: [setCookie("a", "1"), setCookie("b", "2")],
            body: TEXT,
          }),
        ),
      );
    const answer = await new TestApp(ingress).get("/", {
      headers: { ...BROWSER, origin: "https://app.example" },
    });

    assert.deepEqual(answer.headers["vary"]?.split(", ").toSorted(), ["Accept-Encoding", "Origin", "accept"]);
    assert.equal(answer.headers["access-control-allow-origin"], "https://app.example");
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
    assert.deepEqual([answer.headers["x-own"], answer.setCookies.length], ["1", 2]);
    assert.equal(answer.headers["content-encoding"], "br");
  });

  test("is told by a guard of no-transform too", async () => {
    const stay = {
      name: "stay",
      kind: "guard",
      responseHeaders: { always: { "cache-control": "no-transform" } },
    };
    const guard = { ...stay, run: (input: unknown) => ({ kind: "pass", input }) };
    const ingress = Framework.http().compressionLayer();
    ingress.guard(guard as never).get(
      "/",
      answering(() => TEXT),
    );

    assert.deepEqual(seen(await new TestApp(ingress).get("/", { headers: BROWSER })), ALONE);
  });

  test("leaves the routes and groups alone that say so, and those of a group that say otherwise", async () => {
    const page = answering(() => TEXT);
    const ingress = Framework.http()
      .compressionLayer()
      .get("/", page)
      .get("/secret", page, { compress: false })
      .group("/account", { compress: false }, (account) =>
        account.get("/", page).get("/help", page, { compress: true }),
      )
      .fallback(page, { compress: false });
    const test = new TestApp(ingress);
    const codings = [];
    for (const path of ["/", "/secret", "/account/", "/account/help", "/elsewhere"])
      codings.push(seen(await test.get(path, { headers: BROWSER })));

    assert.deepEqual(codings, [["br", "accept-encoding"], ALONE, ALONE, ["br", "accept-encoding"], ALONE]);
  });

  test("keeps the answer of an idempotency key as it was made", async () => {
    let runs = 0;
    const axon = Axon.start<Uint8Array>("pay").thenFn("pay", { responses: [{ status: 201 }] }, () => {
      runs += 1;
      return respond({ status: 201, headers: { etag: '"r1"' }, body: TEXT });
    });
    const guards = [new IdempotencyGuard()];
    const ingress = Framework.http().compressionLayer().post("/", axon, { input: bytes(), guards });
    const test = new TestApp(ingress);
    const pay = (accepted: string) =>
      test.post("/", { body: "1", headers: { "idempotency-key": '"k"', "accept-encoding": accepted } });
    const answers = [await pay("br"), await pay("identity"), await pay("gzip")];

    assert.equal(runs, 1);
    assert.deepEqual(
      answers.map((answer) => [answer.text === TEXT, answer.headers["etag"], ...seen(answer)]),
      [
        [true, '"r1+br"', "br", "accept-encoding"],
        [true, '"r1"', undefined, "accept-encoding"],
        [true, '"r1+gzip"', "gzip", "accept-encoding"],
      ],
    );
    assert.deepEqual(
      answers.map(({ headers }) => headers["idempotent-replayed"]),
      [undefined, "true", "true"],
    );
  });

  test("refuses options that are none", () => {
    const make = (options: unknown) => () => Framework.http().compressionLayer(options as never);
    const invalid = { code: "CONFIG_INVALID" };
    for (const options of [
      { level: 9 },
      { codings: [] },
      { codings: ["zstd"] },
      { codings: ["br", "br"] },
      { codings: "br" },
      { minBytes: -1 },
      { minBytes: 1.5 },
      { brotliQuality: 12 },
      { gzipLevel: 0 },
      { gzipLevel: 10 },
      { maxConcurrent: -1 },
      { types: ["json"] },
      { types: ["text/x; charset=utf-8"] },
      { types: ["application/*"] },
      { types: [7] },
      null,
    ])
      assert.throws(make(options), invalid, JSON.stringify(options));
    assert.throws(
      () =>
        Framework.http().get(
          "/",
          answering(() => 1),
          { compress: "no" as never },
        ),
      invalid,
    );
  });
});
