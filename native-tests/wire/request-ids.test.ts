// One id on each kind of answer that is ours, and the same in the problem and in the report.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { Report, RunningServer } from "framework";
import { answering, KINDS, type Kind } from "../support/answer-kinds.js";
import { get, talk } from "../support/wire.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const OWN = "X-Request-Id: order-17";

const reports: Report[] = [];
let server: RunningServer;

before(async () => {
  const ingress = answering({
    reporter: (report) => {
      // A machine that is busy is no request's doing.
      if (report.code !== "LOOP_BLOCKED") reports.push(report);
    },
  });
  server = await ingress.bind("127.0.0.1:0").run();
});
after(() => server.close());

/** What comes back, once the answer is whole: the wait is for machines that are busy. */
async function answered({ request, options }: Kind, ...headers: readonly string[]) {
  const at = request.indexOf("\r\n") + 2;
  const sent = request.slice(0, at) + headers.map((header) => `${header}\r\n`).join("") + request.slice(at);
  const { replies } = await talk(server.address, sent, { until: 1, ...options });
  const [reply] = replies;
  assert.ok(reply, "an answer");
  return reply;
}

describe("the request id", () => {
  for (const [name, kind] of Object.entries(KINDS)) {
    test(`is on the answer to ${name}, the client's or a new one`, async () => {
      reports.length = 0;
      const own = await answered(kind, OWN);
      const made = await answered(kind);

      assert.deepEqual([own.status, made.status], [kind.status, kind.status]);
      assert.equal(own.headers["x-request-id"], "order-17");
      assert.match(made.headers["x-request-id"] ?? "", UUID);
      for (const { headers, body } of [own, made]) {
        if (headers["content-type"] !== "application/problem+json" || body === "") continue;
        assert.equal((JSON.parse(body) as { request_id: string }).request_id, headers["x-request-id"]);
      }
      assert.deepEqual(
        reports.map(({ requestId }) => requestId),
        kind.status === 500 ? [own, made].map(({ headers }) => headers["x-request-id"]) : [],
      );
    });
  }

  test("is a new one where the client's is none", async () => {
    for (const given of [
      "",
      "a b",
      "a/b",
      "x".repeat(129),
      "\xe9",
      "{}",
      "<script>",
      "a;b",
      "a,b",
      "..%0d%0a",
    ]) {
      const { headers } = await answered({ status: 200, request: get("/") }, `X-Request-Id: ${given}`);

      assert.match(headers["x-request-id"] ?? "", UUID, given);
    }
  });

  test("may have 128 characters, and space around it", async () => {
    for (const given of ["x".repeat(128), "A-1_b.c", "."]) {
      const { body, headers } = await answered(
        { status: 200, request: get("/id") },
        `X-Request-ID: \t${given} `,
      );

      assert.deepEqual([headers["x-request-id"], body], [given, given]);
    }
  });

  test("is the first of two", async () => {
    const both = [OWN, "X-Request-Id: other"];
    const { headers, body } = await answered({ status: 200, request: get("/id") }, ...both);

    assert.deepEqual([headers["x-request-id"], body], ["order-17", "order-17"]);
  });

  test("is each request's own on a connection", async () => {
    const { replies } = await talk(server.address, get("/id", OWN) + get("/id") + get("/boom"), {
      until: 3,
    });
    const ids = replies.map(({ headers }) => headers["x-request-id"]);

    assert.equal(ids[0], "order-17");
    assert.equal(new Set(ids).size, 3);
  });

  test("is not on the engine's own refusals", async () => {
    const { raw } = await talk(server.address, `GET / HTTP/1.0\r\n${OWN}\r\n\r\n`);

    assert.match(raw, /^HTTP\/1\.1 505 /);
    assert.doesNotMatch(raw, /x-request-id/i);
  });
});
