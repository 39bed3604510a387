import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { isFault } from "framework";

import { Relay, type RelayOptions, shownBody } from "#inspector/relay/relay.js";

type Sent = Parameters<RelayOptions["send"]>[0];
type Answer = Awaited<ReturnType<RelayOptions["send"]>>;

const OK: Answer = {
  status: 200,
  headers: [["content-type", "application/json"]],
  body: Buffer.from('{"a":1}'),
  isWhole: true,
};

/** A relay whose requests the test answers. */
function relaying(answer: (request: Sent) => Answer | Promise<Answer> = () => OK, limit?: number) {
  const sent: Sent[] = [];
  const timers: (() => void)[] = [];
  const relay = new Relay({
    send: async (request) => {
      sent.push(request);
      return answer(request);
    },
    recording: { runOf: async (_, __, ask) => ({ answer: await ask(), runId: "run-1" }) },
    circuits: { serving: () => ({ axon: "orders", path: "/orders" }) },
    clock: {
      now: () => 0,
      after: (_, then) => {
        timers.push(then);
        return () => {};
      },
    },
    ...(limit !== undefined && { limit }),
  });
  const send = async (request: Parameters<Relay["send"]>[0]) => {
    const done = await relay.send(request);
    return isFault(done) ? { code: (done.error as { code: string }).code } : { code: "", ...done };
  };
  const expire = (): void => {
    for (const then of timers) then();
  };
  return { send, sent, expire };
}

describe("the relay", () => {
  test("hands on what was written, a body that is no text as JSON, and nothing else", async () => {
    const { send, sent } = relaying();
    const answered = await send({
      method: "POST",
      path: "/a?b=1",
      headers: { "X-One": "1" },
      body: { a: 1 },
    });
    await send({ method: "POST", path: "/a", body: "text" });
    await send({ method: "POST", path: "/a", headers: { "Content-Type": "text/csv" }, body: "a,b" });
    await send({ method: "GET", path: "/a" });

    assert.deepEqual(answered, {
      code: "",
      status: 200,
      headers: [["content-type", "application/json"]],
      encoding: "json",
      body: { a: 1 },
      duration_ms: 0,
      run_id: "run-1",
    });
    assert.deepEqual(
      sent.map(({ headers, body }) => [headers, body === undefined ? undefined : String(body)]),
      [
        [
          [
            ["X-One", "1"],
            ["content-type", "application/json"],
          ],
          '{"a":1}',
        ],
        [[["content-type", "text/plain; charset=utf-8"]], "text"],
        [[["Content-Type", "text/csv"]], "a,b"],
        [[], undefined],
      ],
    );
  });

  test("refuses what a connection or a proxy says, in any case, and sends nothing", async () => {
    const { send, sent } = relaying();
    const names = [
      "Host",
      "Connection",
      "transfer-encoding",
      "UPGRADE",
      "Content-Length",
      "Forwarded",
      "X-Forwarded-For",
      "x-forwarded-anything",
      "Via",
      "X-Real-IP",
      "Sec-WebSocket-Key",
      "Expect",
      "bad name",
      "x\r\ny",
    ];
    for (const name of names)
      assert.equal(
        (await send({ method: "GET", path: "/", headers: { [name]: "a" } })).code,
        "RELAY_REFUSED",
        name,
      );
    for (const value of ["a\r\nb: c", "\0"])
      assert.equal((await send({ method: "GET", path: "/", headers: { a: value } })).code, "RELAY_REFUSED");
    for (const path of ["http://evil.example/", "", "a", "/a b", "/a#b", "/a\r\nb", "/\u00e9"])
      assert.equal((await send({ method: "GET", path })).code, "RELAY_REFUSED", path);
    for (const method of ["get", "CONNECT", "TRACE", "BREW"])
      assert.equal((await send({ method, path: "/" })).code, "RELAY_REFUSED", method);
    assert.equal(sent.length, 0);
  });

  test("is bounded in number, time and size", async () => {
    const open = relaying(
      ({ signal }) =>
        new Promise((resolve) => signal?.addEventListener("abort", () => resolve({ ...OK, isWhole: false }))),
      2,
    );
    const [one, two] = [open.send({ method: "GET", path: "/" }), open.send({ method: "GET", path: "/" })];
    assert.equal((await open.send({ method: "GET", path: "/" })).code, "RELAY_BUSY");
    open.expire();
    assert.deepEqual([(await one).code, (await two).code], ["RELAY_TIMEOUT", "RELAY_TIMEOUT"]);
    const large = relaying(() => ({ ...OK, isWhole: false, body: Buffer.alloc(1_048_577) }));
    assert.equal((await large.send({ method: "GET", path: "/" })).code, "RELAY_ANSWER_TOO_LARGE");
    const none = relaying(() => ({ ...OK, status: 0, isWhole: false, body: Buffer.alloc(0) }));
    assert.equal((await none.send({ method: "GET", path: "/" })).code, "RELAY_UNANSWERED");
  });

  test("shows every body so that its bytes can be had again", () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.constantFrom("application/json", "text/plain", "image/png", ""),
        (bytes, type) => {
          const { encoding, body } = shownBody(bytes, type);
          const again =
            encoding === "none"
              ? Buffer.alloc(0)
              : encoding === "base64"
                ? Buffer.from(body as string, "base64")
                : encoding === "text"
                  ? Buffer.from(body as string)
                  : undefined;

          if (again === undefined) assert.deepEqual(body, JSON.parse(Buffer.from(bytes).toString()));
          else assert.deepEqual([...again], [...bytes]);
        },
      ),
    );
  });
});
