// What an ingress makes of idempotency keys.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  bytes,
  Framework,
  fault,
  guard,
  header,
  html,
  layer,
  MemoryDeadLetters,
  ProblemDetail,
  pass,
  respond,
  setCookie,
  transition,
  VerifiedIdentity,
  writtenHeader,
} from "framework";
import type { IdempotencyStore } from "framework/core";
import { TestApp, type TestResponse } from "framework/http";
import { ManualClock } from "framework/runtime";
import { IdempotencyGuard, MemoryIdempotency } from "framework/std";
import { codeOf, counting, KEY, storeWith } from "../../support/idempotent-route.js";

/** An answer without what differs from one to the next. */
function ownOf({ status, headers, setCookies, bytes: body }: TestResponse) {
  const { "idempotent-replayed": _, date: __, ...own } = headers;
  return { status, headers: own, setCookies, body: [...body] };
}

describe("the same request again", () => {
  const answers: Readonly<Record<string, (n: number) => unknown>> = {
    data: (n) => ({ order: n }),
    text: (n) => `order ${n}`,
    nothing: () => undefined,
    html: (n) => html(`<p>${n}</p>`),
    bytes: (n) => new Uint8Array([n, 0, 255]),
    created: (n) =>
      respond({
        status: 201,
        headers: { location: `/orders/${n}`, "x-list": ["a", "b"] },
        body: { order: n },
      }),
    "a reply without a body": () => respond({ status: 202, headers: { location: "/later" } }),
    "a redirect": (n) => respond({ status: 303, headers: { location: `/orders/${n}` } }),
    "a fault": (n) =>
      fault(new ProblemDetail({ status: 409, code: "OUT_OF_STOCK", title: "None left", detail: `${n}` })),
    "an empty text": () => "",
  };
  for (const [name, answer] of Object.entries(answers)) {
    test(`is answered byte for byte what the first one was, and not run: ${name}`, async () => {
      const { pay, ran } = counting(answer);
      const first = await pay();
      const again = [await pay(), await pay("1", { "idempotency-key": "8e03978e" })];

      assert.equal(ran.times, 1);
      assert.equal(first.headers["idempotent-replayed"], undefined);
      for (const each of again) {
        assert.equal(each.headers["idempotent-replayed"], "true");
        assert.deepEqual(ownOf(each), ownOf(first));
      }
    });
  }

  test("is answered without the cookies of the first, which are not stored", async () => {
    const memory = new MemoryIdempotency();
    const kept: string[] = [];
    const keep: IdempotencyStore["keep"] = (lease, answer, ttlMs) => {
      kept.push(answer?.headers ?? "");
      // As an earlier release stored it.
      return memory.keep(
        lease,
        answer && { ...answer, headers: `${answer.headers}\r\nset-cookie: old=1` },
        ttlMs,
      );
    };
    const cookies = [setCookie("order", "1"), setCookie("seen", "1")];
    const answer = () => respond({ status: 201, headers: { location: "/orders/1" }, cookies, body: 1 });
    const { pay } = counting(answer, { store: storeWith({ keep }, memory) });
    const first = await pay();
    const again = await pay();

    assert.equal(first.setCookies.length, 2);
    assert.deepEqual([again.status, again.setCookies, again.headers["location"]], [201, [], "/orders/1"]);
    assert.doesNotMatch(kept.join(), /set-cookie/i);
    assert.equal(kept.length, 1);
  });

  test("is answered what bytes were when they were answered, whatever becomes of them", async () => {
    const shared = new Uint8Array([1, 2, 3]);
    const { pay } = counting(() => shared);
    await pay();
    shared.fill(9);

    assert.deepEqual([...(await pay()).bytes], [1, 2, 3]);
  });

  test("runs again when its answer's time is up", async () => {
    const clock = new ManualClock();
    const { pay, ran } = counting((n) => n, { store: new MemoryIdempotency({ clock }), ttlMs: 5000 });
    await pay();
    await clock.advance(4999);
    await pay();
    assert.equal(ran.times, 1);
    await clock.advance(2);
    await pay();

    assert.equal(ran.times, 2);
  });

  test("is 422 with another body, another query or another path of the route", async () => {
    const ran: string[] = [];
    const axon = Axon.start<Uint8Array>("pay").thenFn("charge", () => void ran.push("charge"));
    const app = new TestApp(
      Framework.http().post("/orders/:id/pay", axon, { input: bytes(), guards: [new IdempotencyGuard()] }),
    );
    const status = async (target: string, body: string) =>
      (await app.post(target, { body, headers: KEY })).status;

    assert.equal(await status("/orders/1/pay?a=1", "x"), 204);
    assert.equal(await status("/orders/1/pay?a=1", "x"), 204);
    for (const [target, body] of [
      ["/orders/1/pay?a=1", "y"],
      ["/orders/1/pay?a=1", ""],
      ["/orders/1/pay?a=2", "x"],
      ["/orders/1/pay", "x"],
      ["/orders/2/pay?a=1", "x"],
    ] as const)
      assert.equal(await status(target, body), 422, `${target} ${body}`);
    assert.deepEqual(ran, ["charge"]);
  });

  test("is told by its body where the Axon reads none", async () => {
    let ran = 0;
    const axon = Axon.start("pay").thenFn("charge", () => {
      ran += 1;
    });
    const app = new TestApp(Framework.http().post("/pay", axon, { guards: [new IdempotencyGuard()] }));
    const send = (body: string) => app.post("/pay", { body, headers: KEY });

    assert.deepEqual([(await send("a")).status, (await send("a")).status], [204, 204]);
    assert.equal(codeOf(await send("b")), "IDEMPOTENCY_MISMATCH");
    assert.equal(ran, 1);
    const packed = await app.post("/pay", { body: "a", headers: { "content-encoding": "gzip" } });
    assert.equal(packed.status, 204, "what nobody reads may be packed");
  });

  test("leaves no dead letter, and nothing to undo", async () => {
    const letters = new MemoryDeadLetters();
    const undone: string[] = [];
    const axon = Axon.start<Uint8Array>("pay")
      .thenCompensated(transition({ name: "charge", run: () => "paid" }), () => void undone.push("charge"))
      .withDlqSink(letters);
    const guards = [new IdempotencyGuard()];
    const app = new TestApp(
      Framework.http().post("/pay", axon as never, { input: bytes() as never, guards }),
    );
    const send = (body: string) => app.post("/pay", { body, headers: KEY });

    assert.deepEqual([(await send("1")).text, (await send("1")).text], ["paid", "paid"]);
    assert.equal((await send("2")).status, 422);
    assert.deepEqual(undone, []);
    assert.deepEqual(await letters.list(), []);
  });

  test("is another one by another key, to another route, by another method, of another client", async () => {
    let ran = 0;
    const who = guard({
      name: "who",
      mayRead: [header("x-who")],
      mayWrite: [VerifiedIdentity],
      run: (input, bus) => {
        const name = bus.find(header("x-who"));
        if (name !== undefined) bus.set(VerifiedIdentity, name);
        return pass(input);
      },
    });
    const axon = Axon.start<Uint8Array>("pay").thenFn("charge", () => {
      ran += 1;
      return `${ran}`;
    });
    const guards = [who, new IdempotencyGuard()];
    const app = new TestApp(
      Framework.http()
        .post("/pay", axon, { input: bytes(), guards })
        .patch("/pay", axon, { input: bytes(), guards })
        .post("/buy", axon, { input: bytes(), guards }),
    );
    const request = { body: "1", headers: KEY, peer: "192.0.2.1" };
    const send = async () => [
      (await app.post("/pay", request)).text,
      (await app.post("/pay", { ...request, headers: { "idempotency-key": "other" } })).text,
      (await app.post("/buy", request)).text,
      (await app.patch("/pay", request)).text,
      (await app.post("/pay", { ...request, peer: "192.0.2.2" })).text,
      (await app.post("/pay", { ...request, headers: { ...KEY, "x-who": "ann" } })).text,
      (await app.post("/pay", { ...request, headers: { ...KEY, "x-who": "bob" } })).text,
      // Who is called as an address is nobody there.
      (await app.post("/pay", { ...request, headers: { ...KEY, "x-who": "192.0.2.1" } })).text,
    ];

    const first = await send();
    assert.deepEqual(first, ["1", "2", "3", "4", "5", "6", "7", "8"]);
    assert.deepEqual(await send(), first);
    assert.equal(
      (await app.post("/pay", { ...request, peer: "192.0.2.9", headers: { ...KEY, "x-who": "ann" } })).text,
      "6",
    );
  });

  test("runs each time without a key, and is 400 with a malformed one", async () => {
    const { pay, ran } = counting((n) => n);
    await pay("1", {});
    await pay("1", {});
    assert.equal(ran.times, 2);

    assert.equal(codeOf(await pay("1", { "idempotency-key": "a b" })), "IDEMPOTENCY_KEY_INVALID");
    assert.equal(ran.times, 2);
  });

  test("has its guards' headers anew", async () => {
    const Count = busKey<number>()("Count");
    let count = 0;
    const numbered = guard({
      name: "numbered",
      writes: [Count],
      responseHeaders: {
        always: { "x-always": "guard", "x-own": "guard", vary: "origin" },
        written: [writtenHeader(Count, "x-count", String), writtenHeader(Count, "x-place", String)],
      },
      run: (input, bus) => {
        count += 1;
        bus.set(Count, count);
        return pass(input);
      },
    });
    const { pay } = counting(
      () => respond({ headers: { "x-own": "step", "x-place": "step", vary: "accept" }, body: "paid" }),
      {},
      { guards: [numbered, new IdempotencyGuard()] },
    );
    const first = await pay();
    const again = await pay();

    assert.deepEqual([first.headers["x-count"], again.headers["x-count"]], ["1", "2"]);
    for (const { headers } of [first, again]) {
      assert.equal(headers["x-always"], "guard");
      assert.equal(headers["x-own"], "step");
      assert.equal(headers["x-place"], "step");
      assert.equal(headers["vary"], "accept, origin");
    }
  });

  test("is answered so whatever layers make of faults", async () => {
    const soothing = layer({
      name: "soothing",
      run: async (_, next) => {
        const outcome = await next();
        return typeof outcome === "object" ? "sorry" : outcome;
      },
    });
    const { pay, ran } = counting(() => "paid", {}, { layers: [soothing] });

    assert.deepEqual([(await pay()).text, (await pay()).text, ran.times], ["paid", "paid", 1]);
  });

  test("is answered so where the route's onFault has a word on faults", async () => {
    const { pay, ran } = counting(
      () => "paid",
      {},
      { onFault: () => respond({ status: 418, body: "mapped" }) },
    );
    await pay();

    assert.equal((await pay()).text, "paid");
    assert.equal(codeOf(await pay("2")), "IDEMPOTENCY_MISMATCH");
    assert.equal(ran.times, 1);
  });

  test("is one where no route serves it but the fallback", async () => {
    let ran = 0;
    const axon = Axon.start("fallback").thenFn("count", { responses: [{ status: 202 }] }, () => {
      ran += 1;
      return respond({ status: 202, body: `${ran}` });
    });
    const app = new TestApp(Framework.http().guard(new IdempotencyGuard()).fallback(axon));
    const send = () => app.post("/anything", { body: "x", headers: KEY });

    assert.deepEqual([(await send()).text, (await send()).text], ["1", "1"]);
    assert.equal((await app.post("/else", { body: "x", headers: KEY })).status, 422);
  });
});

describe("what no route serves", () => {
  test("claims no key", async () => {
    const memory = new MemoryIdempotency();
    let claims = 0;
    const store = storeWith(
      {
        claim: (...args) => {
          claims += 1;
          return memory.claim(...args);
        },
      },
      memory,
    );
    const axon = Axon.start("pay").thenFn("charge", () => "paid");
    const app = new TestApp(Framework.http().guard(new IdempotencyGuard({ store })).post("/pay", axon));

    assert.equal((await app.post("/else", { body: "1", headers: KEY })).status, 404);
    assert.equal(claims, 0);
    assert.equal((await app.post("/pay", { body: "1", headers: KEY })).text, "paid");
    assert.equal(claims, 1);
  });
});

describe("an answer that is too large to be kept", () => {
  test("goes out once, is reported, and is not run for again", async () => {
    const { pay, ran, reports } = counting((n) => (n === 1 ? "12345" : "again"), { maxBodyBytes: 4 });

    assert.equal((await pay()).text, "12345");
    assert.match(String(reports[0]?.message), /POST \/pay.*5 bytes, above the 4 of maxBodyBytes/);
    const again = await pay();
    assert.equal(again.status, 409);
    assert.equal(codeOf(again), "IDEMPOTENCY_ANSWER_LOST");
    assert.equal(codeOf(await pay("2")), "IDEMPOTENCY_MISMATCH");
    assert.equal(ran.times, 1);
  });

  test("is counted in bytes, and kept at the bound", async () => {
    const bounded = counting(() => "\u00e9\u00e9", { maxBodyBytes: 4 });
    await bounded.pay();
    assert.equal((await bounded.pay()).text, "\u00e9\u00e9");
    assert.deepEqual(bounded.codes(), []);

    const above = counting(() => "\u00e9\u00e9", { maxBodyBytes: 3 });
    await above.pay();
    assert.equal((await above.pay()).status, 409);
  });
});
