// Inputs of clients that the log of a kept run does not take.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { Axon, bytes, Framework, json, MemoryRuns, type Report, Type, text } from "framework";
import { TestApp } from "framework/http";

describe("the input of a kept run", () => {
  const persistence = { maxValueChars: 100 };
  const runs = new MemoryRuns();
  const kept = <T>(name: string) =>
    Axon.start<T>(name)
      .withPersistenceStore(runs, persistence)
      .thenFn("count", (input) => String(JSON.stringify(input).length));
  const growing = Axon.start<string>("growing")
    .withPersistenceStore(runs, persistence)
    .thenFn("grow", (input) => input.repeat(200))
    .thenFn("count", (input) => String(input.length));
  const reports: Report[] = [];
  const app = new TestApp(
    Framework.http({ reporter: (report) => reports.push(report) })
      .post("/text", kept<string>("text"), { input: text() })
      .post("/detached", kept<string>("detached"), { input: text(), detached: true })
      .post("/json", kept<{ note: string }>("json"), { input: json(Type.Object({ note: Type.String() })) })
      .post("/bytes", kept<Uint8Array>("bytes"), { input: bytes() })
      .post("/growing", growing, { input: text() })
      .runStatus("/runs/:run_id"),
  );
  after(() => app.close());

  test("is 413 where it is longer than the log takes, and no report", async () => {
    reports.length = 0;
    const long = "x".repeat(101);
    for (const path of ["/text", "/detached", "/bytes"]) {
      const { status, problem } = await app.post(path, { body: long });
      assert.deepEqual([status, problem.code], [413, "BODY_TOO_LARGE"], path);
      assert.match(problem.detail ?? "", /at most 100 characters$/);
    }
    assert.equal((await app.post("/json", { json: { note: long } })).status, 413);
    assert.deepEqual(reports, []);
    assert.equal((await app.post("/text", { body: "x".repeat(90) })).text, "92");
    assert.equal((await app.post("/detached", { body: "x" })).status, 202);
  });

  test("is 500 where a step made what is too long of it", async () => {
    reports.length = 0;

    assert.equal((await app.post("/growing", { body: "x" })).status, 500);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["VALUE_NOT_DURABLE"],
    );
  });
});
