import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { respond } from "framework";
import { SentAnswer } from "#http/answer/sent-answer.js";
import { ALONE, app, BROWSER, bound, GZIP, PLAIN, seen, TEXT } from "../../../support/compressing-app.js";

describe("a stream of an ingress that compresses", () => {
  const typed = (type: string, body: unknown) => () => respond({ headers: { "content-type": type }, body });
  async function* lines() {
    for (let n = 0; n < 500; n += 1) {
      if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      yield `line ${n}\n`;
    }
  }
  const whole = Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join("");

  test("is compressed as it comes, however long it will be", async () => {
    for (const [headers, coding] of [
      [BROWSER, "br"],
      [GZIP, "gzip"],
    ] as const) {
      const { get, head } = bound(app(() => typed("text/plain", lines())()));
      const answer = await get("/", { headers });
      const asked = await head("/", { headers });

      assert.deepEqual([answer.text, ...seen(answer)], [whole, coding, "accept-encoding"]);
      assert.equal(answer.headers["content-length"], undefined);
      assert.deepEqual(seen(asked), [coding, "accept-encoding"]);
    }
  });

  test("has a tag of its own coding", async () => {
    const answer = () => respond({ headers: { "content-type": "text/csv", etag: '"v1"' }, body: lines() });

    assert.equal((await bound(app(answer)).get("/", { headers: GZIP })).headers["etag"], '"v1+gzip"');
  });

  test("stays as it is where nobody asks, and where as many are open as may be", async () => {
    const answer = () => typed("text/plain", lines())();
    const unasked = await bound(app(answer)).get("/");
    const beyond = await bound(app(answer, { maxStreams: 0 })).get("/", { headers: GZIP });

    for (const each of [unasked, beyond]) assert.deepEqual([each.text, ...seen(each)], [whole, ...PLAIN]);
  });

  test("stays as it is, and says nothing of it, where it is no text, an event, or of a length that was said", async () => {
    for (const answer of [
      () => lines(),
      typed("text/event-stream", lines()),
      () => new Blob([TEXT], { type: "text/plain" }),
      () =>
        respond({
          headers: { "content-type": "text/plain", "cache-control": "no-transform" },
          body: lines(),
        }),
    ]) {
      const response = await bound(app(answer)).get("/", { headers: BROWSER });

      assert.equal(response.status, 200);
      assert.deepEqual(seen(response), ALONE);
    }
  });

  test("leaves alone what knows itself how it is sent", async () => {
    const sheet = new SentAnswer((exchange) => {
      const lines = '\r\ncontent-type: text/css\r\netag: "s1"';
      exchange.send(exchange.heads.of(200, lines), TEXT);
    });
    const answer = await bound(app(() => sheet)).get("/", { headers: BROWSER });

    assert.deepEqual([answer.text, answer.headers["etag"], ...seen(answer)], [TEXT, '"s1"', ...ALONE]);
  });
});
