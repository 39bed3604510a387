import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, test } from "node:test";

import { Axon, Framework, type Report, respond } from "framework";
import { TestApp } from "framework/http";

/** An ingress whose only step answers this, and what it reported. */
function serving(step: () => unknown) {
  const reports: Report[] = [];
  const ingress = Framework.http({ reporter: (report) => void reports.push(report) }).get(
    "/",
    Axon.start("feed").thenFn("step", step),
  );
  return { app: new TestApp(ingress), reports };
}

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

    await assert.rejects(app.get("/"), /after 3 bytes of an answer that was not whole/);
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
});
