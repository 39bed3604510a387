import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";
import { HeadFields, type ReadHead } from "#http/native/head-fields.js";

const requestOf = (names: readonly string[]) =>
  new MemoryRequest(
    "/",
    names.map((name) => [name, "1"]),
  );

const newHead = (): ReadHead => ({
  host: "",
  origin: "",
  isTraced: false,
  closing: "no",
  contentType: "",
  contentEncoding: "",
});

describe("head fields", () => {
  test("notice every name that is repeated", () => {
    const fields = new HeadFields();
    const name = fc.stringMatching(/^[a-z0-9-]{1,12}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 60 }), fc.nat(), (names, at) => {
        fields.read(requestOf([...names, names[at % names.length] as string]), newHead());
        assert.ok(fields.mayRepeat);
      }),
    );
  });

  test("are the values that the gate and the steps read, by name", () => {
    const [fields, head] = [new HeadFields(), newHead()];
    const sent = {
      ...{ host: "a.example", origin: "https://b.example", traceparent: "00-1-2-01", connection: "close" },
      ...{ "content-type": "text/plain", "content-encoding": "gzip", "x-host": "c.example" },
    };
    fields.read(new MemoryRequest("/", Object.entries(sent)), head);

    assert.deepEqual(head, {
      ...{ host: "a.example", origin: "https://b.example", isTraced: true, closing: "alone" },
      ...{ contentType: "text/plain", contentEncoding: "gzip" },
    });
  });

  // Only the first line counts for the engine, and only its length.
  test("know where the engine sees that the client closes the connection", () => {
    const fields = new HeadFields();
    const closingOf = (...values: readonly string[]) => {
      const head = newHead();
      fields.read(
        new MemoryRequest(
          "/",
          values.map((value) => ["connection", value] as const),
        ),
        head,
      );
      return head.closing;
    };

    assert.deepEqual(
      [["close"], ["CLOSE"], ["close", "TE"]].map((lines) => closingOf(...lines)),
      ["alone", "alone", "alone"],
    );
    assert.deepEqual(
      [["TE, close"], ["close, TE"], ["TE", "close"], ["keep-alive", "close"]].map((lines) =>
        closingOf(...lines),
      ),
      ["listed", "listed", "listed", "listed"],
    );
    assert.deepEqual([closingOf(), closingOf("keep-alive"), closingOf("abcde")], ["no", "no", "no"]);
  });

  test("take what browsers and proxies send for no repeat, and no request for one of the last", () => {
    const sent = [
      "host connection sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform upgrade-insecure-requests user-agent",
      "accept sec-fetch-site sec-fetch-mode sec-fetch-user sec-fetch-dest accept-encoding accept-language",
      "cookie referer origin cache-control pragma priority dnt content-type content-length authorization",
      "if-none-match if-modified-since range x-requested-with x-csrf-token idempotency-key x-api-key",
      "x-request-id x-forwarded-for x-forwarded-proto x-forwarded-host x-forwarded-port x-real-ip",
      "forwarded via traceparent tracestate baggage access-control-request-method",
      "access-control-request-headers x-amzn-trace-id cf-connecting-ip cf-ray cf-visitor true-client-ip",
    ].flatMap((line) => line.split(" "));
    const fields = new HeadFields();

    for (let i = 0; i < 2; i += 1) {
      fields.read(requestOf(sent), newHead());
      assert.equal(fields.mayRepeat, false);
    }
  });
});
