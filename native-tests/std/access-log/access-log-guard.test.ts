import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";

import fc from "fast-check";

import { ClientIp, RequestId, TraceContext } from "framework";
import { header } from "framework/core";
import { AccessLogGuard } from "framework/std";
import { millisecondsText } from "#std/access-log/access-line.js";
import { type Facts, lineOf, textOf, trace, visitor } from "../../support/access-line.js";
import { answerRecord } from "../../support/answer-record.js";
import { hostileText } from "../../support/hostile-text.js";
import { keptLogger } from "../../support/logged-lines.js";

describe("AccessLogGuard", () => {
  test("writes one line, with what is known of the request and its answer", () => {
    assert.deepEqual(lineOf(new AccessLogGuard(), {}, visitor), {
      module: "http.access",
      method: "GET",
      path: "/orders/42",
      route: "/orders/:id",
      status: 200,
      duration_ms: 1.235,
      bytes: 512,
      client: "203.0.113.7",
      request_id: "order-17",
      trace_id: trace.traceId,
      span_id: trace.spanId,
      user_agent: "curl/8.5.0",
      msg: "answered",
    });
  });

  test("leaves out what nobody knows, and says where the client has gone", () => {
    const answer = { route: undefined, status: 0, bytes: 0, durationMs: 3, isAborted: true };

    const unfetched: Facts = [
      [TraceContext, null],
      [RequestId, ""],
    ];

    assert.deepEqual(lineOf(new AccessLogGuard(), answer, unfetched), {
      module: "http.access",
      method: "GET",
      path: "/orders/42",
      status: 0,
      duration_ms: 3,
      bytes: 0,
      aborted: true,
      msg: "aborted",
    });
  });

  test("writes what pino would write for the same members, to the byte", () => {
    const guard = new AccessLogGuard({ headers: ["accept-language"], query: true });
    const short = hostileText().filter((text) => text !== "" && text.length <= 100);
    const facts = fc.tuple(
      short,
      hostileText().filter((text) => text !== "" && text.length <= 256),
    );
    const numbers = fc.tuple(fc.nat(), fc.nat({ max: 4_000_000_000 }), fc.nat());
    mock.timers.enable({ apis: ["Date"], now: 1_767_225_600_000 });
    try {
      fc.assert(
        fc.property(
          short,
          short,
          facts,
          numbers,
          fc.boolean(),
          (path, route, [id, agent], [status, bytes, ms], isAborted) => {
            const fields = { path, route, status, bytes, durationMs: ms / 1000, isAborted };
            const text = textOf(guard, fields, [
              [RequestId, id],
              [ClientIp, id],
              [header("user-agent"), agent],
              [header("accept-language"), agent],
            ]);

            const { log, text: expected } = keptLogger();
            log.module("http.access").info(
              {
                method: "GET",
                path,
                route,
                status,
                duration_ms: ms / 1000,
                bytes,
                client: id,
                request_id: id,
                user_agent: agent,
                headers: { "accept-language": agent },
                ...(isAborted && { aborted: true }),
              },
              isAborted ? "aborted" : "answered",
            );
            assert.equal(text, expected());
          },
        ),
        { numRuns: 2000 },
      );
    } finally {
      mock.timers.reset();
    }
  });

  test("writes each answer of a route as it is, whatever its others were", () => {
    const answer = fc.record({
      method: fc.constantFrom("GET", "HEAD"),
      path: fc.constantFrom("/orders", "/plans", "/orders/:id"),
      query: fc.constantFrom(undefined, "a=1"),
      route: fc.constantFrom(undefined, "/orders", "/plans", "/orders/:id"),
      status: fc.constantFrom(200, 404),
    });
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 20 }), (answers) => {
        const guard = new AccessLogGuard({ query: true, redactPaths: ["/plans"] });

        const fresh = () => new AccessLogGuard({ query: true, redactPaths: ["/plans"] });
        for (const each of answers) assert.deepEqual(lineOf(guard, each), lineOf(fresh(), each));
      }),
    );
  });

  test("writes times as JSON does, to the microsecond", () => {
    const anyTime = fc.oneof(
      fc.double({ min: 0, max: 5000, noNaN: true }),
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      fc.nat({ max: 10_000_000 }).map((microseconds) => microseconds / 1000),
      fc.constantFrom(-0, -1.5, 2_147_483.647, 2_147_483.648, Number.NaN),
    );
    fc.assert(
      fc.property(anyTime, (ms) => {
        assert.equal(millisecondsText(ms), `${Math.round(ms * 1000) / 1000}`);
      }),
      { numRuns: 2000 },
    );
  });

  test("cannot be made to write a second line, to move a cursor, or to say what is not so", () => {
    const { log, text } = keptLogger();
    const forged =
      '/\r\n{"level":30,"msg":"forged","status":200}\n\u001b[2J\0\u0085\u2028\u202e","status":999,"';
    const names = [RequestId, ClientIp, header("user-agent"), header("x-any")] as const;
    const guard = new AccessLogGuard({ headers: ["x-any"], query: true });
    guard.observer.answered(
      answerRecord(
        { method: forged, path: forged, query: forged },
        names.map((key) => [key, forged]),
      ),
      log.access,
    );

    assert.equal(text().match(/\n/g)?.length, 1);
    assert.doesNotMatch(text().slice(0, -1), /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    const line = JSON.parse(text());
    assert.deepEqual([line.level, line.status, line.msg, line.path], [30, 200, "answered", forged]);
  });

  test("cuts what a client may make long", () => {
    const long = "\ud83d\ude00".repeat(4000);
    const line = lineOf(
      new AccessLogGuard({ headers: ["x-any"], query: true }),
      { method: long, path: `/${long}`, query: long },
      [
        [header("user-agent"), long],
        [header("x-any"), `-${long}`],
        [RequestId, long],
      ],
    );

    const cut = (text: string, kept: number) => `${text.slice(0, kept)}... ${text.length - kept} more`;
    assert.equal(line["method"], cut(long, 32));
    assert.equal(line["path"], cut(`/${long}`, 1023), "no half of a surrogate pair");
    assert.equal(line["query"], cut(long, 1024));
    assert.equal(line["user_agent"], cut(long, 256));
    assert.equal(line["request_id"], cut(long, 128));
    assert.deepEqual(line["headers"], { "x-any": cut(`-${long}`, 255) });
  });

  test("writes nothing and reads nothing where the log takes no lines", () => {
    const { log, text } = keptLogger({ moduleLevels: { "http.access": "warn" } });
    const find = () => assert.fail("a fact was read");
    new AccessLogGuard().observer.answered(answerRecord({ find }), log.access);

    assert.equal(text(), "");
  });
});
