// What an ingress makes of idempotency keys.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  bytes,
  ExecutionMode,
  Framework,
  fault,
  guard,
  header,
  html,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  json,
  layer,
  MemoryDeadLetters,
  MemoryLocks,
  multipart,
  ProblemDetail,
  pass,
  type Report,
  respond,
  setCookie,
  stream,
  Type,
  transition,
  VerifiedIdentity,
  writtenHeader,
} from "framework";
import type { IdempotencyClaim, IdempotencyLease, IdempotencyStore } from "framework/core";
import { TestApp, type TestResponse } from "framework/http";
import { ManualClock } from "framework/runtime";
import { AuthGuard, IdempotencyGuard, type IdempotencyOptions, MemoryIdempotency } from "framework/std";

const KEY = { "idempotency-key": '"8e03978e"' };
const codeOf = (answer: TestResponse): string => answer.problem.code;
const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** An answer without what differs from one to the next. */
function ownOf({ status, headers, setCookies, bytes: body }: TestResponse) {
  const { "idempotent-replayed": _, date: __, ...own } = headers;
  return { status, headers: own, setCookies, body: [...body] };
}

/** A route that counts how often its step has run and answers what `answer` says. */
function counting(answer: (n: number) => unknown, options: IdempotencyOptions = {}, route: object = {}) {
  const ran = { times: 0 };
  const reports: Report[] = [];
  const axon = Axon.start<Uint8Array>("pay").thenFn("charge", () => {
    ran.times += 1;
    return answer(ran.times);
  });
  const ingress = Framework.http({ reporter: (report) => reports.push(report) });
  ingress.post("/pay", axon as never, {
    input: bytes() as never,
    guards: [new IdempotencyGuard(options)],
    ...route,
  });
  const app = new TestApp(ingress);
  const pay = (body = "1", headers: Record<string, string> = KEY, target = "/pay") =>
    app.post(target, { body, headers });
  return { app, pay, ran, reports, codes: () => reports.map(({ code }) => code) };
}

/** A store in memory of which calls can be replaced. */
function storeWith(calls: Partial<IdempotencyStore>, memory = new MemoryIdempotency()): IdempotencyStore {
  const { claim, keep, release } = memory;
  return { claim, keep, release, ...calls };
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
        cookies: [setCookie("order", String(n)), setCookie("seen", "1")],
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
    const axon = Axon.start("fallback").thenFn("count", () => {
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

describe("while the first request of a key is served", () => {
  /** A route of two steps, of which the first takes as long as the test says. */
  function slow(options: IdempotencyOptions = {}, route: object = {}) {
    const ran = { times: 0 };
    let finish: (value: unknown) => void = () => {};
    const axon = Axon.start<Uint8Array>("pay")
      .thenFn("charge", () => {
        ran.times += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      })
      .thenFn("note", (charged) => charged);
    const guards = [new IdempotencyGuard(options)];
    const app = new TestApp(Framework.http().post("/pay", axon, { input: bytes(), guards, ...route }));
    const pay = (body = "1") => app.post("/pay", { body, headers: KEY });
    return { app, pay, ran, finish: (value: unknown) => finish(value) };
  }

  test("the same again is 409 with Retry-After, another body 422, and then the answer is there", async () => {
    const { pay, finish, ran } = slow();
    const first = pay();
    await turns();
    const meanwhile = await pay();
    assert.equal(codeOf(meanwhile), "IDEMPOTENCY_IN_PROGRESS");
    assert.equal(meanwhile.status, 409);
    assert.equal(meanwhile.headers["retry-after"], "1");
    assert.equal(codeOf(await pay("2")), "IDEMPOTENCY_MISMATCH");
    finish("paid");

    assert.equal((await first).text, "paid");
    assert.equal((await pay()).text, "paid");
    assert.equal(ran.times, 1);
  });

  test("its run goes on where its client goes away, which then gets the answer", async () => {
    const { app, pay, finish, ran } = slow();
    const gone = new AbortController();
    const first = app.post("/pay", { body: "1", headers: KEY, signal: gone.signal });
    await turns();
    gone.abort();
    await assert.rejects(first);
    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    finish("paid");
    await turns();

    const again = await pay();
    assert.equal(again.text, "paid");
    assert.equal(again.headers["idempotent-replayed"], "true");
    assert.equal(ran.times, 1);
  });

  test("a client that goes away without a key still aborts its run", async () => {
    const seen: string[] = [];
    const axon = Axon.start<Uint8Array>("pay").thenFn(
      "charge",
      (_, bus) =>
        new Promise<void>((resolve) => {
          bus.signal.addEventListener("abort", () => {
            seen.push("aborted");
            resolve();
          });
        }),
    );
    const app = new TestApp(
      Framework.http().post("/pay", axon, { input: bytes(), guards: [new IdempotencyGuard()] }),
    );
    const gone = new AbortController();
    const first = app.post("/pay", { body: "1", signal: gone.signal });
    await turns();
    gone.abort();

    await assert.rejects(first);
    await turns();
    assert.deepEqual(seen, ["aborted"]);
  });

  test("one that took too long holds its key until its lease is over", async () => {
    const clock = new ManualClock();
    const { pay, ran } = slow({ store: new MemoryIdempotency({ clock }) }, { timeoutMs: 250 });

    assert.equal(codeOf(await pay()), "ROUTE_TIMEOUT");
    await turns();
    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    await clock.advance(30_249);
    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    await clock.advance(2);
    assert.equal(codeOf(await pay()), "ROUTE_TIMEOUT");
    assert.equal(ran.times, 2);
  });

  test("one that was aborted between two steps holds it too", async () => {
    const clock = new ManualClock();
    const { pay, finish, ran } = slow({ store: new MemoryIdempotency({ clock }) }, { timeoutMs: 250 });
    assert.equal(codeOf(await pay()), "ROUTE_TIMEOUT");
    finish("charged");
    await turns();

    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    assert.equal(ran.times, 1);
  });

  test("one that took too long and came to its end all the same is answered so", async () => {
    let finish: (value: unknown) => void = () => {};
    const { pay, ran } = counting(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      {},
      { timeoutMs: 250 },
    );
    assert.equal(codeOf(await pay()), "ROUTE_TIMEOUT");
    finish("paid");
    await turns();

    assert.equal((await pay()).text, "paid");
    assert.equal(ran.times, 1);
  });
});

describe("a key is free again", () => {
  const Amount = Type.Object({ amount: Type.Integer() });
  const failing: Readonly<Record<string, () => unknown>> = {
    "a fault of 5xx": () => fault(new ProblemDetail({ status: 503, code: "DOWN", title: "Down" })),
    "a reply of 5xx": () => respond({ status: 500, body: "no" }),
    "a fault without a status": () => fault("what?"),
    "an exception": () => {
      throw new Error("boom");
    },
    "a promise that is rejected": () => Promise.reject(new Error("boom")),
    "what cannot be written": () => ({ big: 1n }),
    "a 429": () => respond({ status: 429, body: "slow down" }),
    "a 425": () => respond({ status: 425, body: "too early" }),
    "a 408": () => respond({ status: 408, body: "too late" }),
  };
  for (const [name, answer] of Object.entries(failing)) {
    test(`after ${name}`, async () => {
      const { pay, ran } = counting((n) => (n === 1 ? answer() : "paid"));
      assert.notEqual((await pay()).text, "paid");

      assert.equal((await pay()).text, "paid");
      assert.equal(ran.times, 2);
    });
  }

  test("after an input that was refused, for another body too", async () => {
    let ran = 0;
    const axon = Axon.start("pay", Amount).thenFn("charge", () => {
      ran += 1;
      return "paid";
    });
    const app = new TestApp(
      Framework.http().post("/pay", axon, { input: json(Amount), guards: [new IdempotencyGuard()] }),
    );
    const send = (amount: unknown) => app.post("/pay", { json: { amount }, headers: KEY });

    assert.equal((await send("much")).status, 422);
    assert.equal((await send(5)).text, "paid");
    assert.equal(ran, 1);
  });

  test("after a run that could not begin because a lock was taken", async () => {
    const provider = new MemoryLocks();
    const held = provider.acquire("pay", 60_000);
    const axon = Axon.start<Uint8Array>("pay")
      .thenFn("charge", () => "paid")
      .withExecutionMode(ExecutionMode.singleton("pay", 60_000, provider));
    const app = new TestApp(
      Framework.http().post("/pay", axon, { input: bytes(), guards: [new IdempotencyGuard()] }),
    );
    const send = () => app.post("/pay", { body: "1", headers: KEY });

    assert.equal(codeOf(await send()), "LOCK_TAKEN");
    provider.release(held as never);
    assert.equal((await send()).text, "paid");
  });
});

describe("where the store of keys fails", () => {
  const claims: Readonly<Record<string, () => never | IdempotencyClaim | Promise<IdempotencyClaim>>> = {
    "it throws": () => {
      throw new Error("store");
    },
    "it rejects": () => Promise.reject(new Error("store")),
    "it never answers": () => new Promise(() => {}),
    "it is full": () => ({ kind: "full" }),
    "it answers nothing": () => undefined as never,
    "it answers something else": () => Promise.resolve({ kind: "maybe" } as never),
  };
  for (const [name, claim] of Object.entries(claims)) {
    test(`nothing is run, and it is reported: ${name}`, async () => {
      const { pay, ran, codes } = counting(() => "paid", { store: storeWith({ claim }), storeTimeoutMs: 20 });
      const answer = await pay();

      assert.equal(answer.status, 503);
      assert.equal(codeOf(answer), "IDEMPOTENCY_UNAVAILABLE");
      assert.equal(answer.headers["retry-after"], "1");
      assert.equal(ran.times, 0);
      assert.deepEqual(codes(), ["IDEMPOTENCY_FAILED"]);
    });
  }

  test("a claim that comes too late is given back", async () => {
    const memory = new MemoryIdempotency();
    let isSlow = true;
    let arrive: () => void = () => {};
    const store = storeWith(
      {
        claim: (...args) => {
          const claim = memory.claim(...args);
          if (!isSlow) return claim;
          isSlow = false;
          return new Promise((resolve) => {
            arrive = () => resolve(claim);
          });
        },
      },
      memory,
    );
    const { pay, ran } = counting(() => "paid", { store, storeTimeoutMs: 20 });
    assert.equal((await pay()).status, 503);
    assert.equal(codeOf(await pay()), "IDEMPOTENCY_IN_PROGRESS");
    arrive();
    await turns();

    assert.equal((await pay()).text, "paid");
    assert.equal(ran.times, 1);
  });

  test("a claim whose client has gone away meanwhile is given back, and nothing is run", async () => {
    const memory = new MemoryIdempotency();
    let arrive: () => void = () => {};
    const store = storeWith(
      {
        claim: (...args) =>
          new Promise((resolve) => {
            arrive = () => resolve(memory.claim(...args));
          }),
      },
      memory,
    );
    const { app, ran } = counting(() => "paid", { store });
    const gone = new AbortController();
    const first = app.post("/pay", { body: "1", headers: KEY, signal: gone.signal });
    await turns();
    gone.abort();
    await assert.rejects(first);
    arrive();
    await turns();

    assert.equal(ran.times, 0);
    assert.equal(memory.size, 0);
  });

  for (const [name, keep] of Object.entries({
    "it throws": () => {
      throw new Error("store");
    },
    "it rejects": () => Promise.reject(new Error("store")),
    "it never answers": () => new Promise<boolean>(() => {}),
    "another has the key": () => false,
    "another has the key, as it says later": () => Promise.resolve(false),
  } satisfies Record<string, IdempotencyStore["keep"]>)) {
    test(`the answer goes out, and it is reported: ${name}`, async () => {
      const { app, pay, ran, codes } = counting(() => "paid", {
        store: storeWith({ keep }),
        storeTimeoutMs: 20,
      });

      assert.equal((await pay()).text, "paid");
      // Stopping waits for what is on its way.
      await app.close();
      assert.equal(ran.times, 1);
      assert.deepEqual(codes(), ["IDEMPOTENCY_FAILED"]);
    });
  }

  test("a key that cannot be freed is reported", async () => {
    const release = () => Promise.reject(new Error("store"));
    const { app, pay, codes } = counting(() => respond({ status: 503, body: "down" }), {
      store: storeWith({ release }),
    });
    await pay();
    await app.close();

    assert.deepEqual(codes(), ["IDEMPOTENCY_FAILED"]);
  });

  test("a body outlives its wait for a store that takes time", async () => {
    const memory = new MemoryIdempotency();
    const later = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(resolve, 5, value));
    const store: IdempotencyStore = {
      claim: (...args) => later(memory.claim(...args)),
      keep: (...args) => later(memory.keep(...args)),
      release: (lease: IdempotencyLease) => later(memory.release(lease)),
    };
    const axon = Axon.start<Uint8Array>("echo").thenFn("echo", (body) => body);
    const app = new TestApp(
      Framework.http().post("/echo", axon, { input: bytes(), guards: [new IdempotencyGuard({ store })] }),
    );
    const send = () => app.post("/echo", { body: "the body", headers: KEY });

    assert.equal((await send()).text, "the body");
    await app.close();
    assert.equal(memory.size, 1);
  });
});

describe("an answer that is too large to be kept", () => {
  test("goes out once, is reported, and is not run for again", async () => {
    const { pay, ran, reports } = counting((n) => (n === 1 ? "12345" : "again"), { maxBodyBytes: 4 });

    assert.equal((await pay()).text, "12345");
    assert.match(String(reports[0]?.message), /POST \/pay.*5 bytes.*maxBodyBytes is 4/);
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

describe("a route that cannot have idempotency keys", () => {
  const guards = [new IdempotencyGuard()];
  const mounting = (declare: (ingress: ReturnType<typeof Framework.http>) => unknown) => () => {
    const ingress = Framework.http();
    declare(ingress);
    new TestApp(ingress);
  };

  test("is one that takes its body as it arrives", () => {
    const axon = Axon.start<unknown>("upload").thenFn("take", () => "taken");
    for (const input of [stream(), multipart()]) {
      const expected = { code: "ROUTE_INVALID", message: /POST \/up .*without: \["IdempotencyGuard"\]/ };
      assert.throws(
        mounting((ingress) => ingress.post("/up", axon, { input: input as never, guards })),
        expected,
      );
      assert.throws(
        mounting((ingress) =>
          ingress.guard(new IdempotencyGuard()).post("/up", axon, { input: input as never }),
        ),
        expected,
      );
      mounting((ingress) =>
        ingress
          .guard(new IdempotencyGuard())
          .post("/up", axon, { input: input as never, without: ["IdempotencyGuard"] })
          .put("/up", axon, { input: input as never }),
      )();
    }
  });

  test("is one whose guard stands behind its input", () => {
    const inner = Axon.start<string>("inner").then(new IdempotencyGuard());
    const behind = Axon.start<string>("b")
      .thenFn("first", (text) => text)
      .then(new IdempotencyGuard());
    const nested = Axon.start<string>("n").subgraph(inner);
    for (const axon of [behind, nested])
      assert.throws(
        mounting((ingress) => ingress.post("/pay", axon as never, { input: bytes() as never })),
        { code: "ROUTE_INVALID", message: /'IdempotencyGuard' of POST \/pay .*guards: \[\.\.\.\]/ },
      );
    const leading = Axon.start<Uint8Array>("l")
      .then(new IdempotencyGuard())
      .thenFn("pay", () => "paid");
    mounting((ingress) => ingress.post("/pay", leading, { input: bytes() }))();
  });

  test("is one that may take longer than a key is held", () => {
    const axon = Axon.start<Uint8Array>("pay");
    const held = { guards: [new IdempotencyGuard({ leaseMs: 5000 })], input: bytes() };

    assert.throws(
      mounting((ingress) => ingress.post("/pay", axon, { ...held, timeoutMs: 5001 })),
      { code: "CONFIG_INVALID", message: /POST \/pay .*5001 ms.*5000/ },
    );
    mounting((ingress) => ingress.post("/pay", axon, { ...held, timeoutMs: 5000 }))();
  });
});

describe("idempotency keys of callers that are verified behind the guard", () => {
  const verifier: IamVerifier = { verify: (subject) => ({ subject, roles: [], claims: {} }) };
  const ran: string[] = [];
  const pay = Axon.start("pay").thenFn(
    "charge",
    (_, bus) => {
      const who = bus.find(IamIdentity)?.subject ?? "nobody";
      ran.push(who);
      return who;
    },
    { mayRead: [IamIdentity] },
  );
  const keyed = () => [new IdempotencyGuard()];

  for (const [where, ingress] of [
    [
      "by its Axon",
      Framework.http().post("/pay", pay.withIam(IamPolicy.none(), verifier), { guards: keyed() }),
    ],
    [
      "by the route",
      Framework.http().post("/pay", pay, { guards: keyed(), iam: { policy: IamPolicy.none(), verifier } }),
    ],
    [
      "by a guard",
      Framework.http().post("/pay", pay, {
        guards: [...keyed(), new AuthGuard(IamPolicy.none(), verifier)],
      }),
    ],
  ] as const)
    test(`are each one's own where it is verified ${where}`, async () => {
      ran.length = 0;
      const app = new TestApp(ingress);
      const answers: string[] = [];
      for (const token of ["ann", "bob", undefined, "ann", "bob", undefined]) {
        const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
        answers.push((await app.post("/pay", { headers: { ...KEY, ...authorization } })).text);
      }

      assert.deepEqual(answers, ["ann", "bob", "nobody", "ann", "bob", "nobody"]);
      assert.deepEqual(ran, ["ann", "bob", "nobody"]);
    });
});
