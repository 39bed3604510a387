// What messages run, in which order, and what they are answered.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import {
  Axon,
  busKey,
  connectionOf,
  Framework,
  fault,
  guard,
  ProblemDetail,
  param,
  pass,
  type Report,
  respond,
  Type,
} from "framework";
import { TestApp, type TestSocket } from "framework/http";

const reporting = (reports: Report[]) => ({ reporter: (report: Report) => void reports.push(report) });

/** A promise and what settles it. */
function gate<T = void>() {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("a message of a WebSocket", () => {
  test("is text or bytes as it came, and so is its answer", async () => {
    await using app = new TestApp(Framework.http().ws("/echo", { message: (message) => message }));
    const socket = await app.ws("/echo");

    for (const text of ["", "hello", "grüße 🦀", "x".repeat(5000), "ü".repeat(5000)]) {
      socket.send(text);
      assert.equal(await socket.next(), text);
    }
    socket.send(Uint8Array.of(0, 255));
    assert.deepEqual(await socket.next(), Uint8Array.of(0, 255));
  });

  test("can be kept: its bytes are the run's own", async () => {
    const kept: unknown[] = [];
    const ingress = Framework.http().ws("/keep", {
      message: (message) => {
        kept.push(message);
        return "kept";
      },
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/keep");

    socket.send(Uint8Array.of(1, 2, 3));
    await socket.next();

    assert.deepEqual(kept, [Uint8Array.of(1, 2, 3)]);
  });

  test("with a schema is JSON that fits, and a problem is the answer to another", async () => {
    const reports: Report[] = [];
    const ingress = Framework.http(reporting(reports)).ws("/add", {
      schema: Type.Object({ a: Type.Number(), b: Type.Number() }),
      message: ({ a, b }) => ({ sum: a + b }),
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/add?x=1");

    for (const [sent, code, detail] of [
      ["{", "JSON_INVALID", /too early|malformed/],
      ["", "BODY_MISSING", undefined],
      ['{"a":1}', "INPUT_INVALID", undefined],
      ['{"a":1,"b":2,"__proto__":{}}', "JSON_INVALID", /__proto__/],
      [`${"[".repeat(5000)}`, "JSON_INVALID", /nested/],
      [Uint8Array.of(0xff), "TEXT_INVALID", undefined],
    ] as const) {
      socket.send(sent);
      const problem = (await socket.nextJson()) as Record<string, unknown>;
      assert.equal(problem["code"], code, String(sent).slice(0, 20));
      assert.equal(problem["instance"], "/add");
      assert.equal(typeof problem["request_id"], "string");
      if (detail !== undefined) assert.match(String(problem["detail"]), detail);
    }
    socket.send({ a: 1, b: 2 });
    assert.deepEqual(await socket.nextJson(), { sum: 3 });
    assert.deepEqual(reports, []);
  });

  test("is read by the input schema of its Axon, and answered by the output schema", async () => {
    const Doubled = Type.Object({ twice: Type.Number() });
    const double = Axon.start("double", Type.Object({ n: Type.Number() }))
      .thenFn("double", ({ n }) => ({ twice: n * 2, secret: "not sent" }))
      .withOutputSchema(Doubled);
    await using app = new TestApp(Framework.http().ws("/double", { message: double }));
    const socket = await app.ws("/double");

    socket.send({ n: "1" });
    assert.equal(((await socket.nextJson()) as { code: string }).code, "INPUT_INVALID");
    socket.send({ n: 21 });
    assert.deepEqual(await socket.nextJson(), { twice: 42 });
  });

  test("may have no answer, and a reply's body is one", async () => {
    const ingress = Framework.http().ws("/some", {
      message: (message) => {
        if (message === "nothing") return undefined;
        if (message === "reply") return respond({ status: 201, body: { id: 1 } });
        return null;
      },
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/some");

    socket.send("nothing");
    socket.send("reply");
    socket.send("null");

    assert.deepEqual(await socket.nextJson(), { id: 1 });
    assert.equal(await socket.next(), "null");
  });

  test("that ends with a fault is answered with its problem, and the next one runs", async () => {
    const reports: Report[] = [];
    const ingress = Framework.http(reporting(reports)).ws("/fault", {
      message: (message) => {
        if (message === "known")
          return fault(new ProblemDetail({ status: 409, code: "TAKEN", title: "It is taken" }));
        if (message === "value") return new ProblemDetail({ status: 404, code: "NONE", title: "None" });
        return message === "unknown" ? fault({ kind: "odd" }) : message;
      },
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/fault");
    const codeOf = async () => ((await socket.nextJson()) as { code: string }).code;

    for (const message of ["known", "value", "unknown", "well"]) socket.send(message);

    assert.deepEqual([await codeOf(), await codeOf(), await codeOf()], ["TAKEN", "NONE", "INTERNAL_ERROR"]);
    assert.equal(await socket.next(), "well");
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["FAULT_UNMAPPED"],
    );
  });

  test("whose step throws ends the connection with 1011, and is reported", async () => {
    const reports: Report[] = [];
    const ends: unknown[] = [];
    for (const message of [
      () => {
        throw new Error("boom");
      },
      async () => {
        throw new Error("boom");
      },
    ]) {
      const ingress = Framework.http(reporting(reports)).ws("/boom", {
        message,
        close: (end) => void ends.push(end),
      });
      await using app = new TestApp(ingress);
      const socket = await app.ws("/boom");

      socket.send("now");

      assert.equal((await socket.closed).code, 1011);
    }
    assert.deepEqual(
      reports.map(({ code, step }) => [code, step]),
      [
        ["TRANSITION_PANIC", "message"],
        ["TRANSITION_PANIC", "message"],
      ],
    );
    assert.deepEqual(ends, [
      { code: 1011, reason: "Internal server error" },
      { code: 1011, reason: "Internal server error" },
    ]);
  });

  test("whose answer cannot be written is answered 500, and reported", async () => {
    const reports: Report[] = [];
    const ingress = Framework.http(reporting(reports)).ws("/odd", { message: () => 1n });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/odd");

    socket.send("now");

    assert.equal(((await socket.nextJson()) as { status: number }).status, 500);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["ANSWER_FAILED"],
    );
  });

  test("knows what `open` has read and written, and what is provided is made for each", async () => {
    const Plan = busKey<string>()("Plan");
    const Count = busKey<{ n: number }>()("Count");
    const Db = busKey<string>()("Db");
    let made = 0;
    const disposed: unknown[] = [];
    const planned = guard({
      name: "planned",
      writes: [Plan],
      run: (input, bus) => {
        bus.set(Plan, "gold");
        return pass(input);
      },
    });
    const tell = Axon.start<string | Uint8Array>("tell").thenFn(
      "tell",
      (message, bus) =>
        [
          message,
          bus.get(Plan),
          bus.get(param("room")),
          bus.get(Db),
          bus.get(Count).n,
          bus.get(connectionOf<number>()).state,
        ].join(" "),
      { reads: [Plan, param("room"), Db, Count, connectionOf<number>()] },
    );
    const ingress = Framework.http({ resources: [Db] })
      .provide(
        Count,
        () => {
          made += 1;
          return { n: made };
        },
        { dispose: ({ n }) => void disposed.push(n) },
      )
      .ws("/rooms/:room", { guards: [planned], open: () => 7, message: tell });
    await using app = new TestApp(ingress, { Db: "db" });
    const socket = await app.ws("/rooms/a%20b");

    for (const message of ["one", "two"]) socket.send(message);

    assert.equal(await socket.next(), "one gold a b db 1 7");
    assert.equal(await socket.next(), "two gold a b db 2 7");
    assert.deepEqual(disposed, [1, 2]);
  });

  test("cannot be mounted where `open` does not write what it reads", () => {
    const Plan = busKey<string>()("Plan");
    const tell = Axon.start<string | Uint8Array>("tell").thenFn("tell", (_, bus) => bus.get(Plan), {
      reads: [Plan],
    });
    const ingress = Framework.http().ws("/x", { message: tell as never });

    assert.throws(() => new TestApp(ingress), /KEYS_UNPROVIDED|'Plan'/);
  });

  test("that takes longer than its route may is answered 504 where nobody hears the signal", async () => {
    const ends: (() => void)[] = [];
    const ingress = Framework.http().ws("/slow", {
      timeoutMs: 1,
      message: (message) =>
        message === "quick" ? "quick" : new Promise<string>((resolve) => ends.push(() => resolve("late"))),
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/slow");

    socket.send("slow");
    assert.equal(((await socket.nextJson()) as { code: string }).code, "ROUTE_TIMEOUT");
    for (const end of ends) end();
    socket.send("quick");

    assert.equal(await socket.next(), "quick");
  });

  test("that takes longer than its route may is answered 504, and its signal fires", async () => {
    const fired = gate();
    const ingress = Framework.http().ws("/slow", {
      timeoutMs: 1,
      message: Axon.start<string | Uint8Array>("slow").thenFn("wait", (message, bus) => {
        if (message === "quick") return "quick";
        bus.signal.addEventListener("abort", () => fired.open());
        return new Promise<string>(() => {});
      }),
    });
    await using app = new TestApp(ingress);
    const socket = await app.ws("/slow");

    socket.send("slow");
    socket.send("quick");

    assert.equal(((await socket.nextJson()) as { code: string }).code, "ROUTE_TIMEOUT");
    await fired.opened;
    assert.equal(await socket.next(), "quick");
  });
});

describe("the order of messages", () => {
  /** Messages are `[id, turns]`: each waits that many turns of the event loop. */
  const waiting = (begun: number[], atOnce: { now: number; most: number }) => async (message: unknown) => {
    const [id, turns] = JSON.parse(String(message)) as [number, number];
    begun.push(id);
    atOnce.now += 1;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    for (let i = 0; i < turns; i += 1) await new Promise((resolve) => setImmediate(resolve));
    atOnce.now -= 1;
    return String(id);
  };

  test("is that in which they came, whatever time each takes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (turns, concurrency) => {
          const begun: number[] = [];
          const atOnce = { now: 0, most: 0 };
          await using app = new TestApp(
            Framework.http().ws("/x", { concurrency, message: waiting(begun, atOnce) }),
          );
          const socket = await app.ws("/x");
          for (const [id, each] of turns.entries()) socket.send([id, each]);
          const answered: number[] = [];
          for (const _ of turns) answered.push(Number(await socket.next()));

          assert.deepEqual(begun, [...turns.keys()]);
          assert.ok(atOnce.most <= concurrency);
          if (concurrency === 1) assert.deepEqual(answered, begun);
          else
            assert.deepEqual(
              answered.toSorted((a, b) => a - b),
              begun,
            );
        },
      ),
      { numRuns: 60 },
    );
  });

  test("is each connection's own: none waits for another's", async () => {
    const first = gate();
    const ingress = Framework.http().ws("/x", {
      message: async (message) => {
        if (message === "wait") await first.opened;
        return message;
      },
    });
    await using app = new TestApp(ingress);
    const [a, b] = (await Promise.all([app.ws("/x"), app.ws("/x")])) as [TestSocket, TestSocket];

    a.send("wait");
    a.send("behind");
    b.send("other");
    assert.equal(await b.next(), "other");
    first.open();

    assert.equal(await a.next(), "wait");
    assert.equal(await a.next(), "behind");
  });

  for (const [limits, sent] of [
    [{ maxWaiting: 2 }, ["a", "b", "c", "d"]],
    [{ maxMessageBytes: 65_536 }, ["a", ...Array.from({ length: 17 }, () => "x".repeat(65_536))]],
  ] as const) {
    test(`ends with 1008 where more wait than may: ${JSON.stringify(limits)}`, async () => {
      const begun: unknown[] = [];
      const fired = gate();
      const ingress = Framework.http().ws("/x", {
        ...limits,
        message: Axon.start<string | Uint8Array>("x").thenFn("wait", (message, bus) => {
          begun.push(message);
          bus.signal.addEventListener("abort", () => fired.open());
          return new Promise<string>(() => {});
        }),
      });
      await using app = new TestApp(ingress);
      const socket = await app.ws("/x");

      for (const message of sent) socket.send(message);

      assert.deepEqual(await socket.closed, { code: 1008, reason: "Too many messages wait" });
      await fired.opened;
      assert.deepEqual(begun, ["a"]);
    });
  }
});
