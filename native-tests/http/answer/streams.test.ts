import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, test } from "node:test";

import { Axon, Framework, type Report, respond } from "framework";
import { TestApp } from "framework/http";
import { codeOf, counting, turns } from "../../support/idempotent-route.js";

/** An ingress whose only step answers this, and what it reported. */
function serving(step: () => unknown) {
  const reports: Report[] = [];
  const ingress = Framework.http({ reporter: (report) => void reports.push(report) }).get(
    "/",
    Axon.start("feed").thenFn("step", step),
  );
  return { app: new TestApp(ingress), reports };
}

const failing = () => serving(pieces("one", new Error("no database")).generate).app;

/** Pieces, then an end that is told of. */
function pieces(...given: readonly unknown[]) {
  const source = { ended: 0, pulled: 0 };
  async function* generate() {
    try {
      for (const piece of given) {
        source.pulled += 1;
        if (piece instanceof Error) throw piece;
        yield piece as string;
      }
    } finally {
      source.ended += 1;
    }
  }
  return Object.assign(source, { generate });
}

describe("an answer that is a stream", () => {
  test("is sent piece by piece, whatever it is made of", async () => {
    const web = () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue("one");
          controller.enqueue(Buffer.from("two"));
          controller.close();
        },
      });
    const bytes = () =>
      new ReadableStream({
        type: "bytes",
        start(controller) {
          controller.enqueue(new TextEncoder().encode("onetwo"));
          controller.close();
        },
      });
    for (const make of [
      () => pieces("one", "", Buffer.from("two")).generate(),
      web,
      () => Readable.from(["one", "two"]),
      () => Readable.from([Buffer.from("one"), Buffer.from("two")]),
      bytes,
    ]) {
      const { app, reports } = serving(make);
      const { status, headers, text } = await app.get("/");

      assert.deepEqual([status, text, reports], [200, "onetwo", []]);
      assert.equal(headers["content-type"], "application/octet-stream");
      assert.equal(headers["transfer-encoding"], "chunked");
      assert.equal(headers["content-length"], undefined);
    }
  });

  test("has a type and a length where it says them", async () => {
    const { app } = serving(() =>
      respond({
        status: 201,
        headers: { "content-type": "text/csv" },
        body: pieces("one", "two").generate(),
        length: 6,
      }),
    );
    const { status, headers, text } = await app.get("/");

    assert.deepEqual([status, text], [201, "onetwo"]);
    assert.deepEqual([headers["content-type"], headers["content-length"]], ["text/csv", "6"]);
    assert.equal(headers["transfer-encoding"], undefined);
  });

  test("that is a Blob has its type and its length", async () => {
    const { app } = serving(() => new Blob(["one", "two"], { type: "text/x-numbers" }));
    const { headers, text } = await app.get("/");

    assert.equal(text, "onetwo");
    assert.deepEqual([headers["content-type"], headers["content-length"]], ["text/x-numbers", "6"]);
  });

  test("that gives nothing is empty", async () => {
    const { app } = serving(() => pieces().generate());
    const { status, headers, bytes } = await app.get("/");

    assert.deepEqual([status, headers["content-length"], bytes.length], [200, "0", 0]);
  });

  test("that fails before its first piece is 500", async () => {
    const source = pieces(new Error("no database"));
    const { app, reports } = serving(source.generate);
    const { problem } = await app.get("/");

    assert.equal(problem.status, 500);
    assert.deepEqual([reports.map(({ code }) => code), source.ended], [["ANSWER_FAILED"], 1]);
  });

  test("that fails halfway ends its connection, and is reported", async () => {
    const source = pieces("one", new Error("no database"));
    const { app, reports } = serving(source.generate);

    await assert.rejects(app.get("/"), /after 3 bytes of .* not whole/);
    const [report] = reports;
    assert.deepEqual([reports.length, report?.code, report?.axon], [1, "STREAM_FAILED", "feed"]);
    assert.match(report?.requestId ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(source.ended, 1);
  });

  test("is asked for nothing where HEAD asks for its head alone", async () => {
    const source = pieces("one");
    const { app, reports } = serving(() => respond({ body: source.generate(), length: 3 }));
    const { status, headers, bytes } = await app.head("/");

    assert.deepEqual([status, headers["content-length"], bytes.length], [200, "3", 0]);
    assert.deepEqual([source.pulled, reports], [0, []]);
  });

  test("is pulled no faster than it is read, and cancelled when its reader leaves", async () => {
    const source = pieces(...Array.from({ length: 100 }, () => Buffer.alloc(65_536)));
    const { app, reports } = serving(source.generate);
    const stream = await app.stream("/");
    assert.equal(stream.status, 200);
    await turns();
    assert.equal(source.pulled, 1, "nobody has read the first one");

    assert.equal((await stream.next())?.length, 65_536);
    await turns();
    assert.equal(source.pulled, 2);
    stream.leave();
    await turns();

    assert.deepEqual([source.pulled, source.ended, reports], [2, 1, []]);
    await assert.rejects(async () => {
      while ((await stream.next()) !== undefined);
    }, /not whole/);
  });

  test("is read to its end by a test that reads it", async () => {
    const { app } = serving(() => pieces("one", "two").generate());
    const stream = await app.stream("/");

    assert.equal(stream.headers["transfer-encoding"], "chunked");
    assert.equal(await stream.text(), "onetwo");
    await assert.rejects((await failing().stream("/")).text(), /after 3 bytes/);
  });

  test("gives its turn to others, also where its source never waits", async () => {
    let [pulled, before] = [0, Number.POSITIVE_INFINITY];
    async function* generate() {
      setImmediate(() => {
        before = pulled;
      });
      for (; pulled < 10_000; pulled += 1) yield "x";
    }
    await serving(generate).app.get("/");

    assert.ok(before < 1000, `${before} of 10 000 pieces in one turn`);
  });

  test("gives its turn to others, also where what it gives is empty, and is not asked again once its reader has left", async () => {
    let pulled = 0;
    const next = async () => {
      pulled += 1;
      // One that went on for ever would take the test with it.
      return pulled < 100_000 ? { done: false, value: pulled === 1 ? "x" : "" } : { done: true };
    };
    const { app } = serving(() => ({ [Symbol.asyncIterator]: () => ({ next }) }));
    const stream = await app.stream("/");
    await turns();
    stream.leave();
    await turns();
    const before = pulled;
    await turns();

    assert.ok(before > 0 && before < 100_000, "others had a turn meanwhile");
    assert.equal(pulled, before);
  });

  test("is one where it is a literal too, and data is none", async () => {
    const literal = {
      async *[Symbol.asyncIterator]() {
        yield "one";
      },
    };
    const { app } = serving(() => literal);

    const response = await app.get("/");
    assert.equal(response.text, "one");
    assert.equal(response.headers["content-type"], "application/octet-stream");
    assert.equal((await serving(() => ({})).app.get("/")).text, "{}");
  });

  test("of another make may have a cancel that answers nothing, or throws", async () => {
    for (const [cancel, reported] of [
      [() => {}, []],
      [
        () => {
          throw new Error("cannot stop");
        },
        ["STREAM_FAILED"],
      ],
    ] as const) {
      class Own {
        getReader() {
          return { read: async () => ({ done: false, value: "x" }), cancel };
        }
      }
      const { app, reports } = serving(() => new Own());
      assert.equal((await app.head("/")).status, 200);
      (await app.stream("/")).leave();
      await turns();

      assert.deepEqual(
        reports.map(({ code }) => code),
        [...reported, ...reported],
      );
    }
  });

  test("that was to be cancelled and fails is reported, and no more", async () => {
    const stream = () =>
      new ReadableStream({
        start: (to) => to.enqueue("x"),
        cancel() {
          throw new Error("cannot stop");
        },
      });
    const { app, reports } = serving(stream);
    (await app.stream("/")).leave();
    await turns();

    assert.deepEqual(
      reports.map(({ code, error }) => [code, String(error)]),
      [["STREAM_FAILED", "Error: cannot stop"]],
    );
  });

  test("that is no text and no bytes is told what to give", async () => {
    for (const given of [{ a: 1 }, 7, null]) {
      const source = pieces(given);
      const { app, reports } = serving(source.generate);

      assert.equal((await app.get("/")).status, 500);
      assert.match(String(reports[0]?.error), /gave (object|number|null): give text or bytes/);
      await turns();
      assert.equal(source.ended, 1);
    }
  });

  test("that somebody else reads is 500", async () => {
    const taken = new ReadableStream();
    taken.getReader();
    const { app, reports } = serving(() => taken);

    assert.equal((await app.get("/")).status, 500);
    assert.equal(reports[0]?.code, "ANSWER_FAILED");
  });

  test("cannot read the Bus of a run that is over, and says so", async () => {
    const { app, reports } = serving(async function* (_: void, bus: { readonly signal: AbortSignal }) {
      yield String(bus.signal.aborted);
    } as never);

    assert.equal((await app.get("/")).status, 500);
    assert.match(String(reports[0]?.error), /keep it before the step returns/);
  });

  test("has no length beside data, and none that a Blob contradicts", async () => {
    for (const [fields, told] of [
      [{ body: { a: 1 }, length: 1 }, /a length is of a stream/],
      [{ body: pieces().generate(), length: -1 }, /no count of bytes/],
      [{ body: new Blob(["x"]), length: 2 }, /contradicts the Blob's own, 1/],
    ] as const)
      assert.throws(() => respond<unknown>(fields), { code: "RESPONSE_INVALID", message: told });
  });

  test("is not kept for an idempotency key, and not made again", async () => {
    const { pay, ran, reports } = counting(() => pieces("paid").generate());
    assert.equal((await pay()).text, "paid");
    await turns();
    const again = await pay();

    assert.deepEqual([again.status, codeOf(again), ran.times], [409, "IDEMPOTENCY_ANSWER_LOST", 1]);
    assert.match(reports[0]?.message ?? "", /an answer in pieces is not kept/);
  });

  test("that failed before its first piece leaves its idempotency key free", async () => {
    const { pay, ran } = counting((n) => (n === 1 ? pieces(new Error("no")) : pieces("paid")).generate());
    assert.equal((await pay()).status, 500);
    await turns();

    assert.equal((await pay()).text, "paid");
    assert.equal(ran.times, 2);
  });
});
