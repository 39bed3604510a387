// What a service threw, where `toFault` of its Synapse made a fault of it: kept on the server's side.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  Framework,
  fault,
  isFault,
  MemoryDeadLetters,
  ProblemDetail,
  type Report,
  synapse,
} from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import { redrive } from "framework/runtime";

const OPERATOR = "operator-token-0123456789";
const harbourFull = new ProblemDetail({ status: 503, code: "HARBOUR_FULL", title: "No berth is free" });
const moor = (call: () => unknown, letters = new MemoryDeadLetters()) =>
  Axon.start("moor")
    .then(synapse({ name: "request berth", call, responses: [harbourFull], toFault: () => harbourFull }))
    .withDlqSink(letters);
const fails = (): never => {
  throw new Error("pier 7 caught fire");
};

describe("what a service threw", () => {
  test("is reported once with step and request, and is not in the response", async () => {
    const reports: Report[] = [];
    for (const call of [fails, async () => fails()]) {
      reports.length = 0;
      const ingress = Framework.http({ reporter: (report) => reports.push(report) }).get("/", moor(call));
      await using app = new TestApp(ingress);
      const { status, text, headers } = await app.get("/", { headers: { "x-request-id": "moor-1" } });

      assert.equal(status, 503);
      assert.doesNotMatch(`${text}${JSON.stringify(headers)}`, /pier 7/);
      assert.deepEqual(
        reports.map(({ code, step, error }) => [code, step, (error as Error).message]),
        [["SERVICE_FAILED", "request berth", "pier 7 caught fire"]],
      );
      assert.match(reports[0]?.message ?? "", /'request berth' .*HARBOUR_FULL: pier 7 caught fire$/);
      assert.equal(typeof reports[0]?.requestId, "string");
    }
  });

  test("is not reported for a fault that the step returned itself", async () => {
    const reports: Report[] = [];
    const ingress = Framework.http({ reporter: (report) => reports.push(report) }).get(
      "/",
      moor(() => fault(harbourFull)),
    );
    await using app = new TestApp(ingress);

    assert.equal((await app.get("/")).status, 503);
    assert.deepEqual(reports, []);
  });

  test("is in the dead letter, and is that of the last re-drive", async () => {
    const letters = new MemoryDeadLetters();
    const says = ["pier 7 caught fire", "pier 8 too"];
    const axon = moor(() => {
      throw new Error(says.shift());
    }, letters);
    await axon.execute();
    const [letter] = letters.list();

    assert.ok(letter);
    assert.match(letter.cause ?? "", /^Error: pier 7 caught fire\n +at /);
    assert.equal((await redrive(letters, letter.id, axon)).kind, "failed");
    assert.match(letters.get(letter.id)?.cause ?? "", /pier 8/);
  });

  test("is in the trace of the run, for operators", async () => {
    const ingress = Framework.http({ reporter: () => {} })
      .get("/", moor(fails))
      .inspector({ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR }), sampleRatio: 1 });
    await using app = new TestApp(ingress);
    await app.start();
    await using seen = inspectorOf(ingress).app;
    await app.get("/");
    const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
    const { json } = await seen.get("/api/v1/traces", { headers });
    const [{ run_id }] = (json as { data: { traces: [{ run_id: string }] } }).data.traces;

    assert.match((await seen.get(`/api/v1/traces/${run_id}`, { headers })).text, /pier 7 caught fire/);
  });

  test("leaves the fault equal to one that was made by hand", async () => {
    const outcome = await moor(fails).execute();

    assert.ok(isFault(outcome));
    assert.deepEqual(outcome, fault(harbourFull));
  });
});
